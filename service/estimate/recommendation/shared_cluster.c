#include "estimate/recommendation/shared_cluster.h"
#include "base/units.h"

#include "base/sort.h"
#include "estimate/recommendation/option.h"

#include <math.h>
#include <string.h>

/* If two jobs are combined, at most WAYS_OF_TWO configurations of each are used, since all pairs
 * are tried.
 */
enum { WAYS_OF_TWO = 8, POOL_FIRST = 64 };

void recommendation_shared_cluster_add(const struct recommendation_ask *ask,
                                       struct recommendation_shared_cluster *pool,
                                       struct recommendation_option option)
{
    if (!recommendation_complete(ask, &option, pool->cache))
        return;
    if (pool->n == pool->room) {
        size_t room = pool->room ? 2 * pool->room : POOL_FIRST;
        struct recommendation_option *more = arena_alloc(pool->arena, room * sizeof(*more));
        if (pool->n)
            memcpy(more, pool->at, pool->n * sizeof(*more));
        pool->at = more;
        pool->room = room;
    }
    pool->at[pool->n++] = option;
}

/* ---- configurations worth combining */

struct choice {
    size_t *configuration; /* in the pool's arena */
    size_t n;
};

static int by_count(const void *left, const void *right)
{
    const struct recommendation_configuration *a =
        *(const struct recommendation_configuration *const *)left;
    const struct recommendation_configuration *b =
        *(const struct recommendation_configuration *const *)right;

    if (a->gpu_count != b->gpu_count)
        return a->gpu_count < b->gpu_count ? -1 : 1;
    if (a->connected != b->connected)
        return a->connected < b->connected ? -1 : 1;
    if (a->complexity != b->complexity)
        return a->complexity < b->complexity ? -1 : 1;
    if (a->time.middle != b->time.middle)
        return a->time.middle < b->time.middle ? -1 : 1;
    return (a > b) - (a < b);
}

/* Keep the first, the last, and evenly spaced ones between them. */
static void thin(struct choice *choice, size_t most)
{
    if (choice->n <= most)
        return;
    for (size_t i = 0; i < most; i++)
        choice->configuration[i] = choice->configuration[i * (choice->n - 1) / (most - 1)];
    choice->n = most;
}

/* True if a chosen configuration, which keeps up if this one does, is as fast with no more GPUs and
 * no more connected ones, so that it costs no more; or is simpler with the same numbers. */
static bool is_dominated(const struct choice *choice,
                         const struct recommendation_configuration *configurations,
                         const struct recommendation_configuration *configuration)
{
    for (size_t i = 0; i < choice->n; i++) {
        const struct recommendation_configuration *other =
            &configurations[choice->configuration[i]];
        if (configuration->keeps_up && !other->keeps_up)
            continue;
        if (other->gpu_count <= configuration->gpu_count &&
            other->connected <= configuration->connected &&
            other->time.middle <= configuration->time.middle)
            return true;
        if (other->gpu_count == configuration->gpu_count &&
            other->connected == configuration->connected &&
            other->complexity < configuration->complexity)
            return true;
    }
    return false;
}

/* In order of GPU count, the configurations not dominated by a smaller one; for a service only
 * those within its limits, if any. */
static void choose_configurations(const struct recommendation_gpu_type *gpu_type,
                                  enum recommendation_workload workload, struct arena *arena,
                                  struct choice *choice)
{
    const struct recommendation_configuration *configurations = gpu_type->configurations[workload];
    size_t room = gpu_type->n_configurations[workload] + 1, n = 0;
    const struct recommendation_configuration **order =
        arena_alloc(arena, room * sizeof(const struct recommendation_configuration *));
    bool limited = false;

    choice->configuration = arena_alloc(arena, room * sizeof(choice->configuration[0]));
    choice->n = 0;
    for (size_t i = 0; i < gpu_type->n_configurations[workload]; i++)
        limited |= configurations[i].meets_limits;
    for (size_t i = 0; i < gpu_type->n_configurations[workload]; i++)
        if (!limited || configurations[i].meets_limits)
            order[n++] = &configurations[i];
    sort_items(order, n, sizeof(const struct recommendation_configuration *), by_count);
    for (size_t i = 0; i < n; i++)
        if (!is_dominated(choice, configurations, order[i]))
            choice->configuration[choice->n++] = (size_t)(order[i] - configurations);
}

/* A service next to jobs is chosen by cost only: the fewest GPUs, and the fewest that keep up. If
 * none meets the limits, the fastest. */
static void choose_service(const struct recommendation_gpu_type *gpu_type, struct arena *arena,
                           struct choice *choice)
{
    const struct recommendation_configuration *configurations =
        gpu_type->configurations[RECOMMENDATION_SERVE];

    choose_configurations(gpu_type, RECOMMENDATION_SERVE, arena, choice);
    if (!choice->n)
        return;
    if (!configurations[choice->configuration[0]].meets_limits) {
        choice->configuration[0] = choice->configuration[choice->n - 1];
        choice->n = 1;
    }
    size_t i = 0;
    while (i + 1 < choice->n && !configurations[choice->configuration[i]].keeps_up)
        i++;
    choice->configuration[1] = choice->configuration[i];
    choice->n = i > 0 ? 2 : 1;
}

/* Drop what misses the deadline, but keep the fastest if all do. */
static void drop_late(const struct recommendation_gpu_type *gpu_type,
                      enum recommendation_workload workload, double deadline_days,
                      struct choice *choice)
{
    size_t n = 0;

    for (size_t i = 0; i < choice->n; i++)
        if (recommendation_keeps(
                gpu_type->configurations[workload][choice->configuration[i]].time.middle,
                deadline_days) ||
            (i == choice->n - 1 && !n))
            choice->configuration[n++] = choice->configuration[i];
    choice->n = n;
}

/* ---- combinations on one GPU type */

struct kind_search {
    const struct recommendation_ask *ask;
    const struct recommendation_gpu_type *gpu_type;
    size_t index;
    struct choice choices[RECOMMENDATION_WORKLOADS];
    struct recommendation_shared_cluster *pool;
};

static bool has_jobs(const struct recommendation_ask *ask)
{
    return ask->wanted[RECOMMENDATION_TRAIN] || ask->wanted[RECOMMENDATION_FINETUNE];
}

/* A workload that is not wanted counts as having one configuration. */
static void choose_all(struct kind_search *search)
{
    const struct recommendation_ask *ask = search->ask;
    bool two = ask->wanted[RECOMMENDATION_TRAIN] && ask->wanted[RECOMMENDATION_FINETUNE];
    struct arena *arena = search->pool->arena;

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        search->choices[w] = (struct choice){arena_alloc(arena, sizeof(size_t)), 1};
    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (ask->wanted[w]) {
            choose_configurations(search->gpu_type, (enum recommendation_workload)w, arena,
                                  &search->choices[w]);
            drop_late(search->gpu_type, (enum recommendation_workload)w, ask->deadline_days,
                      &search->choices[w]);
            if (two)
                thin(&search->choices[w], WAYS_OF_TWO);
        }
    if (ask->wanted[RECOMMENDATION_SERVE] && has_jobs(ask))
        choose_service(search->gpu_type, arena, &search->choices[RECOMMENDATION_SERVE]);
    else if (ask->wanted[RECOMMENDATION_SERVE])
        choose_configurations(search->gpu_type, RECOMMENDATION_SERVE, arena,
                              &search->choices[RECOMMENDATION_SERVE]);
}

bool recommendation_is_available(const struct recommendation_ask *ask,
                                 const struct recommendation_gpu_type *gpu_type,
                                 enum recommendation_acquisition acquisition, double gpu_count)
{
    const double year = 12, three = 36;
    double term = acquisition == RECOMMENDATION_RESERVED_1YR   ? year
                  : acquisition == RECOMMENDATION_RESERVED_3YR ? three
                                                               : 0;

    if (acquisition == RECOMMENDATION_BOUGHT)
        return gpu_type->may_buy;
    if (acquisition == RECOMMENDATION_IN_HAND)
        return gpu_type->in_hand >= gpu_count && gpu_type->in_hand > 0;
    return gpu_type->book[acquisition] && ask->horizon_months >= term;
}

static bool available(const struct kind_search *search, enum recommendation_acquisition acquisition,
                      double gpu_count)
{
    return recommendation_is_available(search->ask, search->gpu_type, acquisition, gpu_count);
}

static double count_of(const struct kind_search *search, enum recommendation_workload workload,
                       size_t configuration)
{
    return search->gpu_type->configurations[workload][configuration].gpu_count;
}

/* The largest GPU count among the chosen configurations: one cluster that does them all. */
static double cluster_of(const struct kind_search *search, const size_t configuration[])
{
    double most = 0;

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (search->ask->wanted[w])
            most = fmax(most, count_of(search, (enum recommendation_workload)w, configuration[w]));
    return most;
}

/* Add options with all workloads on GPUs held the whole time. */
static void add_standing(struct kind_search *search, const size_t configuration[])
{
    double gpu_count = cluster_of(search, configuration);

    for (int m = RECOMMENDATION_RESERVED_1YR; m < RECOMMENDATION_ACQUISITIONS; m++) {
        struct recommendation_option option = {
            .parts = {{.gpu_type = search->index,
                       .acquisition = (enum recommendation_acquisition)m}},
            .n_parts = 1};
        if (!available(search, (enum recommendation_acquisition)m, gpu_count))
            continue;
        memcpy(option.configuration, configuration, sizeof(option.configuration));
        recommendation_shared_cluster_add(search->ask, search->pool, option);
    }
}

static void append_part(struct recommendation_option *option, enum recommendation_workload workload,
                        size_t gpu_type, enum recommendation_acquisition acquisition)
{
    option->part[workload] = option->n_parts;
    option->parts[option->n_parts++] =
        (struct recommendation_part){.gpu_type = gpu_type, .acquisition = acquisition};
}

/* Add options with jobs rented by the hour, and the service in any way. */
static void add_hourly(struct kind_search *search, const size_t configuration[],
                       enum recommendation_acquisition jobs,
                       enum recommendation_acquisition service)
{
    const struct recommendation_ask *ask = search->ask;
    struct recommendation_option option = {.n_parts = 0};

    memcpy(option.configuration, configuration, sizeof(option.configuration));
    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (ask->wanted[w])
            append_part(&option, (enum recommendation_workload)w, search->index, jobs);
    if (ask->wanted[RECOMMENDATION_SERVE])
        append_part(&option, RECOMMENDATION_SERVE, search->index, service);
    recommendation_shared_cluster_add(ask, search->pool, option);
}

static void add_rented_jobs(struct kind_search *search, const size_t configuration[])
{
    const struct recommendation_ask *ask = search->ask;

    for (int j = RECOMMENDATION_ON_DEMAND; j <= RECOMMENDATION_SPOT; j++) {
        if (!available(search, (enum recommendation_acquisition)j, 0))
            continue;
        if (!ask->wanted[RECOMMENDATION_SERVE]) {
            add_hourly(search, configuration, (enum recommendation_acquisition)j,
                       RECOMMENDATION_ON_DEMAND);
            continue;
        }
        double n = count_of(search, RECOMMENDATION_SERVE, configuration[RECOMMENDATION_SERVE]);
        for (int s = 0; s < RECOMMENDATION_ACQUISITIONS; s++)
            if (s != RECOMMENDATION_SPOT &&
                available(search, (enum recommendation_acquisition)s, n))
                add_hourly(search, configuration, (enum recommendation_acquisition)j,
                           (enum recommendation_acquisition)s);
    }
}

static void add_combination(struct kind_search *search, const size_t configuration[])
{
    add_standing(search, configuration);
    if (has_jobs(search->ask))
        add_rented_jobs(search, configuration);
    else if (available(search, RECOMMENDATION_ON_DEMAND, 0))
        add_hourly(search, configuration, RECOMMENDATION_ON_DEMAND, RECOMMENDATION_ON_DEMAND);
}

/* Combine every configuration of each workload with every one of the others. */
static void combine(struct kind_search *search)
{
    const struct choice *choices = search->choices;
    struct part_cache cache;

    cache.n = cache.next = 0;
    search->pool->cache = &cache;
    for (size_t t = 0; t < choices[RECOMMENDATION_TRAIN].n; t++)
        for (size_t f = 0; f < choices[RECOMMENDATION_FINETUNE].n; f++)
            for (size_t s = 0; s < choices[RECOMMENDATION_SERVE].n; s++)
                add_combination(search, (const size_t[RECOMMENDATION_WORKLOADS]){
                                            choices[RECOMMENDATION_TRAIN].configuration[t],
                                            choices[RECOMMENDATION_FINETUNE].configuration[f],
                                            choices[RECOMMENDATION_SERVE].configuration[s]});
    search->pool->cache = NULL;
}

/* ---- exclusion of a type */

static bool can_do_all(const struct recommendation_ask *ask,
                       const struct recommendation_gpu_type *gpu_type)
{
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (ask->wanted[w] && !gpu_type->n_configurations[w])
            return false;
    return true;
}

static bool has_price(const struct kind_search *search)
{
    for (int m = 0; m < RECOMMENDATION_ACQUISITIONS; m++)
        if (available(search, (enum recommendation_acquisition)m, search->gpu_type->in_hand))
            return true;
    return false;
}

/* The minimum days of all jobs. */
static double least_days(const struct kind_search *search)
{
    double days = 0;

    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        const struct choice *choice = &search->choices[w];
        if (search->ask->wanted[w] && choice->n)
            days += search->gpu_type->configurations[w][choice->configuration[choice->n - 1]]
                        .time.middle;
    }
    return days;
}

static bool keeps_the_rest(const struct recommendation_option *option)
{
    return option->in_time && option->quick && option->paid && option->paid_monthly;
}

/* NAN if some purchase meets all limits, or none meets the others. */
static double least_power(const struct recommendation_shared_cluster *pool)
{
    double least = (double)NAN;

    for (size_t i = 0; i < pool->n; i++) {
        const struct recommendation_option *option = &pool->at[i];
        if (!(option->power_kw > 0) || !keeps_the_rest(option))
            continue;
        if (option->powered)
            return (double)NAN;
        least = fmin(least, option->power_kw);
    }
    return least;
}

static struct recommendation_verdict verdict_of(const struct kind_search *search)
{
    const struct recommendation_ask *ask = search->ask;
    const struct recommendation_shared_cluster *pool = search->pool;
    const double none = (double)NAN;
    double days = (double)INFINITY, seconds = days, paid = days, power = least_power(pool);
    bool affordable = false;

    for (size_t i = 0; i < pool->n; i++) {
        const struct recommendation_option *option = &pool->at[i];
        if (option->within)
            return (struct recommendation_verdict){RECOMMENDATION_RULED_IN, none, none, power};
        affordable |= keeps_the_rest(option);
        days = fmin(days, option->days.middle);
        seconds = option->quick ? 0 : fmin(seconds, option->latency.middle);
        if (option->in_time && option->quick)
            paid = fmin(paid, option->payments.middle);
    }
    if (has_jobs(ask) && !recommendation_keeps(days, ask->deadline_days))
        return (struct recommendation_verdict){RECOMMENDATION_DEADLINE, days, ask->deadline_days,
                                               none};
    if (ask->wanted[RECOMMENDATION_SERVE] && seconds > 0)
        return (struct recommendation_verdict){RECOMMENDATION_LATENCY, seconds, none, none};
    if (affordable)
        return (struct recommendation_verdict){RECOMMENDATION_POWER, power, ask->power_budget_kw,
                                               none};
    if (!recommendation_keeps(paid, ask->budget))
        return (struct recommendation_verdict){RECOMMENDATION_BUDGET, paid, ask->budget, none};
    return (struct recommendation_verdict){RECOMMENDATION_BUDGET_PER_MONTH,
                                           paid / ask->horizon_months, ask->budget_per_month, none};
}

/* Whether several providers rent out more of a part's GPUs for about the same price, as options of
 * services have it (confirms() of serving/options.c). */
static bool is_confirmed_by_more(const struct recommendation_shared_cluster *pool,
                                 const struct recommendation_part *fewer)
{
    for (size_t i = 0; i < pool->n; i++)
        for (size_t k = 0; k < pool->at[i].n_parts; k++) {
            const struct recommendation_part *more = &pool->at[i].parts[k];
            if (more->acquisition == fewer->acquisition && more->doubt == PRICE_CONFIRMED &&
                more->gpu_count >= fewer->gpu_count && more->connected >= fewer->connected &&
                more->price <= (1 + PRICE_NEAR) * fewer->price)
                return true;
        }
    return false;
}

static void confirm_fewer(struct recommendation_shared_cluster *pool)
{
    for (size_t i = 0; i < pool->n; i++) {
        struct recommendation_option *option = &pool->at[i];
        option->confirmed = true;
        for (size_t k = 0; k < option->n_parts; k++) {
            struct recommendation_part *part = &option->parts[k];
            if (part->doubt == PRICE_ONE_PROVIDER && is_confirmed_by_more(pool, part))
                part->doubt = PRICE_CONFIRMED;
            option->confirmed &= recommendation_part_is_confirmed(part);
        }
    }
}

void recommendation_shared_cluster_type(const struct recommendation_ask *ask, size_t gpu_type,
                                        struct recommendation_shared_cluster *pool,
                                        struct recommendation_verdict *verdict)
{
    struct kind_search search = {
        .ask = ask, .gpu_type = &ask->gpu_types[gpu_type], .index = gpu_type, .pool = pool};

    *verdict = (struct recommendation_verdict){RECOMMENDATION_NO_WAY, (double)NAN, (double)NAN,
                                               (double)NAN};
    if (!can_do_all(ask, search.gpu_type))
        return;
    choose_all(&search);
    verdict->rule = RECOMMENDATION_NO_PRICE;
    if (!has_price(&search))
        return;
    combine(&search);
    confirm_fewer(pool);
    if (pool->n)
        *verdict = verdict_of(&search);
    else if (least_days(&search) * HOURS_PER_DAY > ask->horizon_months * HOURS_PER_MONTH)
        *verdict = (struct recommendation_verdict){
            RECOMMENDATION_HORIZON, least_days(&search),
            ask->horizon_months * HOURS_PER_MONTH / HOURS_PER_DAY, (double)NAN};
}

/* ---- delay */

static double earliest_of(const struct recommendation_shared_cluster *pool, double days)
{
    for (size_t i = 0; i < pool->n; i++)
        days = fmin(days, pool->at[i].days.middle);
    return days;
}

/* Add the cost of being ready later than the earliest. */
static void price_delay_of(const struct recommendation_ask *ask, double earliest,
                           struct recommendation_shared_cluster *pool)
{
    const double days_per_month = HOURS_PER_MONTH / HOURS_PER_DAY;

    for (size_t i = 0; i < pool->n; i++) {
        struct recommendation_option *option = &pool->at[i];
        double months = (option->days.middle - earliest) / days_per_month;
        option->delay_cost = isnan(months) ? 0 : ask->delay_cost_per_month * months;
        option->total.low += option->delay_cost;
        option->total.middle += option->delay_cost;
        option->total.high += option->delay_cost;
    }
}

void recommendation_shared_cluster_price_delay(const struct recommendation_ask *ask,
                                               struct recommendation_shared_cluster *pool,
                                               struct recommendation_shared_cluster *mixed)
{
    double earliest = earliest_of(mixed, earliest_of(pool, (double)INFINITY));

    price_delay_of(ask, earliest, pool);
    price_delay_of(ask, earliest, mixed);
}

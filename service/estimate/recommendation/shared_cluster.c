#include "estimate/recommendation/shared_cluster.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

static const double HOURS_PER_DAY = 24;
/* Where two jobs are combined, so many ways of each: their product is tried. */
enum { WAYS_OF_TWO = 8, POOL_FIRST = 64 };

void recommend_pool_add(const struct recommend_ask *ask, struct recommend_pool *pool,
                        struct recommend_option option)
{
    if (!recommend_complete(ask, &option))
        return;
    if (pool->n == pool->room) {
        size_t room = pool->room ? 2 * pool->room : POOL_FIRST;
        struct recommend_option *more = arena_alloc(pool->arena, room * sizeof(*more));
        if (pool->n)
            memcpy(more, pool->at, pool->n * sizeof(*more));
        pool->at = more;
        pool->room = room;
    }
    pool->at[pool->n++] = option;
}

/* ---- which ways are worth combining */

struct choice {
    size_t *way; /* in the pool's arena */
    size_t n;
};

static int by_count(const void *left, const void *right)
{
    const struct recommend_way *a = *(const struct recommend_way *const *)left;
    const struct recommend_way *b = *(const struct recommend_way *const *)right;

    if (a->gpu_count != b->gpu_count)
        return a->gpu_count < b->gpu_count ? -1 : 1;
    if (a->time.middle != b->time.middle)
        return a->time.middle < b->time.middle ? -1 : 1;
    return (a > b) - (a < b);
}

/* Keep the first and the last and evenly between them. */
static void thin(struct choice *choice, size_t most)
{
    if (choice->n <= most)
        return;
    for (size_t i = 0; i < most; i++)
        choice->way[i] = choice->way[i * (choice->n - 1) / (most - 1)];
    choice->n = most;
}

/* Of ascending numbers of GPUs those that are faster than all smaller ones; of a service those that
 * keep its limits, where any does. */
static void choose_ways(const struct recommend_kind *kind, enum recommend_workload workload,
                        struct arena *arena, struct choice *choice)
{
    const struct recommend_way *ways = kind->ways[workload];
    size_t room = kind->n_ways[workload] + 1, n = 0;
    const struct recommend_way **order =
        arena_alloc(arena, room * sizeof(const struct recommend_way *));
    double least = (double)INFINITY;
    bool limited = false;

    choice->way = arena_alloc(arena, room * sizeof(choice->way[0]));
    choice->n = 0;
    for (size_t i = 0; i < kind->n_ways[workload]; i++)
        limited |= ways[i].meets_limits;
    for (size_t i = 0; i < kind->n_ways[workload]; i++)
        if (!limited || ways[i].meets_limits)
            order[n++] = &ways[i];
    sort_items(order, n, sizeof(const struct recommend_way *), by_count);
    for (size_t i = 0; i < n; i++)
        if (order[i]->time.middle < least) {
            least = order[i]->time.middle;
            choice->way[choice->n++] = (size_t)(order[i] - ways);
        }
}

/* A service beside jobs is chosen by its cost alone: the fewest GPUs. Without any that meets the
 * limits it is the quickest. */
static void choose_service(const struct recommend_kind *kind, struct arena *arena,
                           struct choice *choice)
{
    size_t last;

    choose_ways(kind, RECOMMEND_SERVE, arena, choice);
    if (!choice->n)
        return;
    last = choice->way[choice->n - 1];
    if (!kind->ways[RECOMMEND_SERVE][choice->way[0]].meets_limits)
        choice->way[0] = last;
    choice->n = 1;
}

/* Leave out what misses the deadline, but for the fastest where all do. */
static void drop_late(const struct recommend_kind *kind, enum recommend_workload workload,
                      double deadline_days, struct choice *choice)
{
    size_t n = 0;

    for (size_t i = 0; i < choice->n; i++)
        if (recommend_keeps(kind->ways[workload][choice->way[i]].time.middle, deadline_days) ||
            (i == choice->n - 1 && !n))
            choice->way[n++] = choice->way[i];
    choice->n = n;
}

/* ---- the combinations of one kind */

struct kind_search {
    const struct recommend_ask *ask;
    const struct recommend_kind *kind;
    size_t index;
    struct choice choices[RECOMMEND_WORKLOADS];
    struct recommend_pool *pool;
};

static bool has_jobs(const struct recommend_ask *ask)
{
    return ask->wanted[RECOMMEND_TRAIN] || ask->wanted[RECOMMEND_FINETUNE];
}

/* What is not wanted has one way: not at all. */
static void choose_all(struct kind_search *search)
{
    const struct recommend_ask *ask = search->ask;
    bool two = ask->wanted[RECOMMEND_TRAIN] && ask->wanted[RECOMMEND_FINETUNE];
    struct arena *arena = search->pool->arena;

    for (int w = 0; w < RECOMMEND_WORKLOADS; w++)
        search->choices[w] = (struct choice){arena_alloc(arena, sizeof(size_t)), 1};
    for (int w = 0; w < RECOMMEND_JOBS; w++)
        if (ask->wanted[w]) {
            choose_ways(search->kind, (enum recommend_workload)w, arena, &search->choices[w]);
            drop_late(search->kind, (enum recommend_workload)w, ask->deadline_days,
                      &search->choices[w]);
            if (two)
                thin(&search->choices[w], WAYS_OF_TWO);
        }
    if (ask->wanted[RECOMMEND_SERVE] && has_jobs(ask))
        choose_service(search->kind, arena, &search->choices[RECOMMEND_SERVE]);
    else if (ask->wanted[RECOMMEND_SERVE])
        choose_ways(search->kind, RECOMMEND_SERVE, arena, &search->choices[RECOMMEND_SERVE]);
}

/* A reservation must end by the horizon, and more than is in hand is not. */
static bool available(const struct kind_search *search, enum recommend_means means,
                      double gpu_count)
{
    const double year = 12, three = 36;
    const struct recommend_kind *kind = search->kind;
    double term = means == RECOMMEND_RESERVED_1YR   ? year
                  : means == RECOMMEND_RESERVED_3YR ? three
                                                    : 0;

    if (means == RECOMMEND_BOUGHT)
        return kind->may_buy;
    if (means == RECOMMEND_IN_HAND)
        return kind->in_hand >= gpu_count && kind->in_hand > 0;
    return !isnan(kind->price[means]) && search->ask->horizon_months >= term;
}

static double count_of(const struct kind_search *search, enum recommend_workload workload,
                       size_t way)
{
    return search->kind->ways[workload][way].gpu_count;
}

/* The most GPUs of the ways chosen: one cluster that does them all. */
static double cluster_of(const struct kind_search *search, const size_t way[])
{
    double most = 0;

    for (int w = 0; w < RECOMMEND_WORKLOADS; w++)
        if (search->ask->wanted[w])
            most = fmax(most, count_of(search, (enum recommend_workload)w, way[w]));
    return most;
}

/* All on GPUs that are there for the whole time. */
static void add_standing(struct kind_search *search, const size_t way[])
{
    double gpu_count = cluster_of(search, way);

    for (int m = RECOMMEND_RESERVED_1YR; m < RECOMMEND_MEANS; m++) {
        struct recommend_option option = {
            .parts = {{.kind = search->index, .means = (enum recommend_means)m}}, .n_parts = 1};
        if (!available(search, (enum recommend_means)m, gpu_count))
            continue;
        memcpy(option.way, way, sizeof(option.way));
        recommend_pool_add(search->ask, search->pool, option);
    }
}

static void append_part(struct recommend_option *option, enum recommend_workload workload,
                        size_t kind, enum recommend_means means)
{
    option->part[workload] = option->n_parts;
    option->parts[option->n_parts++] = (struct recommend_part){.kind = kind, .means = means};
}

/* Jobs by the hour, and the service as it may be. */
static void add_hourly(struct kind_search *search, const size_t way[], enum recommend_means jobs,
                       enum recommend_means service)
{
    const struct recommend_ask *ask = search->ask;
    struct recommend_option option = {.n_parts = 0};

    memcpy(option.way, way, sizeof(option.way));
    for (int w = 0; w < RECOMMEND_JOBS; w++)
        if (ask->wanted[w])
            append_part(&option, (enum recommend_workload)w, search->index, jobs);
    if (ask->wanted[RECOMMEND_SERVE])
        append_part(&option, RECOMMEND_SERVE, search->index, service);
    recommend_pool_add(ask, search->pool, option);
}

static void add_rented_jobs(struct kind_search *search, const size_t way[])
{
    const struct recommend_ask *ask = search->ask;

    for (int j = RECOMMEND_ON_DEMAND; j <= RECOMMEND_SPOT; j++) {
        if (!available(search, (enum recommend_means)j, 0))
            continue;
        if (!ask->wanted[RECOMMEND_SERVE]) {
            add_hourly(search, way, (enum recommend_means)j, RECOMMEND_ON_DEMAND);
            continue;
        }
        double n = count_of(search, RECOMMEND_SERVE, way[RECOMMEND_SERVE]);
        for (int s = 0; s < RECOMMEND_MEANS; s++)
            if (s != RECOMMEND_SPOT && available(search, (enum recommend_means)s, n))
                add_hourly(search, way, (enum recommend_means)j, (enum recommend_means)s);
    }
}

static void add_combination(struct kind_search *search, const size_t way[])
{
    add_standing(search, way);
    if (has_jobs(search->ask))
        add_rented_jobs(search, way);
    else if (available(search, RECOMMEND_ON_DEMAND, 0))
        add_hourly(search, way, RECOMMEND_ON_DEMAND, RECOMMEND_ON_DEMAND);
}

/* Every way of each workload with every way of the others. */
static void combine(struct kind_search *search)
{
    const struct choice *choices = search->choices;

    for (size_t t = 0; t < choices[RECOMMEND_TRAIN].n; t++)
        for (size_t f = 0; f < choices[RECOMMEND_FINETUNE].n; f++)
            for (size_t s = 0; s < choices[RECOMMEND_SERVE].n; s++)
                add_combination(
                    search, (const size_t[RECOMMEND_WORKLOADS]){choices[RECOMMEND_TRAIN].way[t],
                                                                choices[RECOMMEND_FINETUNE].way[f],
                                                                choices[RECOMMEND_SERVE].way[s]});
}

/* ---- what rules a kind out */

static bool can_do_all(const struct recommend_ask *ask, const struct recommend_kind *kind)
{
    for (int w = 0; w < RECOMMEND_WORKLOADS; w++)
        if (ask->wanted[w] && !kind->n_ways[w])
            return false;
    return true;
}

static bool has_price(const struct kind_search *search)
{
    for (int m = 0; m < RECOMMEND_MEANS; m++)
        if (available(search, (enum recommend_means)m, search->kind->in_hand))
            return true;
    return false;
}

/* The least days of all jobs. */
static double least_days(const struct kind_search *search)
{
    double days = 0;

    for (int w = 0; w < RECOMMEND_JOBS; w++) {
        const struct choice *choice = &search->choices[w];
        if (search->ask->wanted[w] && choice->n)
            days += search->kind->ways[w][choice->way[choice->n - 1]].time.middle;
    }
    return days;
}

static struct recommend_verdict verdict_of(const struct kind_search *search)
{
    const struct recommend_ask *ask = search->ask;
    const struct recommend_pool *pool = search->pool;
    double days = (double)INFINITY, seconds = days, paid = days;

    for (size_t i = 0; i < pool->n; i++) {
        const struct recommend_option *option = &pool->at[i];
        if (option->within)
            return (struct recommend_verdict){RECOMMEND_RULED_IN, (double)NAN, (double)NAN};
        days = fmin(days, option->days.middle);
        seconds = option->quick ? 0 : fmin(seconds, option->latency.middle);
        if (option->in_time && option->quick)
            paid = fmin(paid, option->payments.middle);
    }
    if (has_jobs(ask) && !recommend_keeps(days, ask->deadline_days))
        return (struct recommend_verdict){RECOMMEND_DEADLINE, days, ask->deadline_days};
    if (ask->wanted[RECOMMEND_SERVE] && seconds > 0)
        return (struct recommend_verdict){RECOMMEND_LATENCY, seconds, (double)NAN};
    if (!recommend_keeps(paid, ask->budget))
        return (struct recommend_verdict){RECOMMEND_BUDGET, paid, ask->budget};
    return (struct recommend_verdict){RECOMMEND_BUDGET_PER_MONTH, paid / ask->horizon_months,
                                      ask->budget_per_month};
}

void recommend_pool_kind(const struct recommend_ask *ask, size_t kind, struct recommend_pool *pool,
                         struct recommend_verdict *verdict)
{
    struct kind_search search = {
        .ask = ask, .kind = &ask->kinds[kind], .index = kind, .pool = pool};

    *verdict = (struct recommend_verdict){RECOMMEND_NO_WAY, (double)NAN, (double)NAN};
    if (!can_do_all(ask, search.kind))
        return;
    choose_all(&search);
    verdict->rule = RECOMMEND_NO_PRICE;
    if (!has_price(&search))
        return;
    combine(&search);
    if (pool->n)
        *verdict = verdict_of(&search);
    else if (least_days(&search) * HOURS_PER_DAY > ask->horizon_months * HOURS_PER_MONTH)
        *verdict =
            (struct recommend_verdict){RECOMMEND_HORIZON, least_days(&search),
                                       ask->horizon_months * HOURS_PER_MONTH / HOURS_PER_DAY};
}

/* The short list: nothing better is passed over, and money, limits and rules are the ledger's. */
#include "estimate/recommendation/recommendation.h"

#include "estimate/recommendation/shared_cluster.h"
#include "fixture.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static const double unknown = (double)NAN;

/* An expensive fast GPU, a cheap slow one that may be bought, and one without a price. */
enum { H100, RTX4090, GAUDI, KINDS, RUNS = 6, SERVICES = 4 };

static struct catalog *catalog;
static struct arena books;
static struct recommendation_gpu_type types[KINDS];
static struct recommendation_configuration runs[KINDS][RECOMMENDATION_JOBS][RUNS],
    services[KINDS][SERVICES];

static struct range within_ten_percent(double middle)
{
    return (struct range){.middle = middle, .low = 0.9 * middle, .high = 1.1 * middle};
}

static struct recommendation_configuration configuration(size_t index, double gpu_count,
                                                         double time, bool meets_limits)
{
    struct recommendation_configuration it = {.gpu_count = gpu_count, .index = index};

    it.time = within_ten_percent(time);
    it.meets_limits = meets_limits, it.keeps_up = true;
    it.used = it.hours_ratio = it.rented = 1;
    return it;
}

/* Twice the GPUs take a little over half the time; one of the runs is worse than its neighbour. */
static void set_runs(struct recommendation_configuration *all, double days)
{
    double gpus = 1, time = days;

    for (size_t i = 0; i < RUNS; i++) {
        all[i] = configuration(i, gpus, i == 3 ? 3 * time : time, true);
        gpus *= 2;
        time *= 0.53;
    }
}

static void set_services(struct recommendation_configuration *all, double seconds, double limit)
{
    for (size_t i = 0; i < SERVICES; i++) {
        double time = seconds / (double)(i + 1);
        all[i] = configuration(i, (double)(i + 1), time, time <= limit);
        all[i].keeps_up = i > 0;
    }
}

static void set_kind(int which, const char *slug, double days, double seconds)
{
    struct recommendation_gpu_type *type = &types[which];

    *type = (struct recommendation_gpu_type){.gpu = catalog_gpu(catalog, slug), .may_buy = true};
    fixture_need(type->gpu != NULL, &(struct err){.text = "a GPU is not in the seed"});
    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        set_runs(runs[which][w], days / (w + 1));
        type->configurations[w] = runs[which][w];
        type->n_configurations[w] = RUNS;
    }
    set_services(services[which], seconds, 3);
    type->configurations[RECOMMENDATION_SERVE] = services[which];
    type->n_configurations[RECOMMENDATION_SERVE] = SERVICES;
}

static const char *provider = "lambda"; /* that queries name */
/* The one offer of a GPU, at that price; NULL without one. */
static const struct price_book *book_of(const struct gpu *gpu, double price)
{
    struct origin *origin = arena_alloc(&books, sizeof(*origin));
    struct observation *seen = arena_alloc(&books, sizeof(*seen));
    struct rental *rental = arena_alloc(&books, sizeof(*rental));
    struct catalog *offering = arena_alloc(&books, sizeof(*offering));

    if (isnan(price))
        return NULL;
    *origin = (struct origin){"a test", "", "USD", "", unknown, 0, false};
    *seen = (struct observation){price, price, origin, 20260101, 0};
    *rental = (struct rental){.gpu = gpu->slug,
                              .purchase_option = "on_demand",
                              .provider = "lambda",
                              .id = "a test",
                              .instance = "",
                              .region = "",
                              .zone = "",
                              .gpu_count = 1,
                              .usable = true,
                              .seen = seen,
                              .n_seen = 1};
    *offering = *catalog;
    offering->n_offer_indexes = 0, offering->n_quoted = 1;
    offering->quoted = arena_alloc(&books, sizeof(struct rental *));
    offering->quoted[0] = rental;
    return price_book(offering,
                      &(struct price_query){gpu, "on_demand", provider, .as_of = 20261101}, &books);
}

static void set_prices(int which, double on_demand, double spot, double reserved)
{
    struct recommendation_gpu_type *type = &types[which];

    type->book[RECOMMENDATION_ON_DEMAND] = type->on_demand = book_of(type->gpu, on_demand);
    type->book[RECOMMENDATION_SPOT] = book_of(type->gpu, spot);
    type->book[RECOMMENDATION_RESERVED_1YR] = book_of(type->gpu, reserved);
}

static struct recommendation_ask ask_for(bool train, bool finetune, bool serve)
{
    struct recommendation_ask ask = {.catalog = catalog,
                                     .as_of = 20261101,
                                     .gpu_types = types,
                                     .n_gpu_types = KINDS,
                                     .wanted = {train, finetune, serve},
                                     .horizon_months = 24,
                                     .deadline_days = 200,
                                     .deadline_days_at_high = 200,
                                     .power_budget_kw = unknown,
                                     .budget = unknown,
                                     .budget_per_month = unknown,
                                     .fast_enough_days = 0.001};

    set_kind(H100, "h100-sxm5-80gb", 100, 1);
    set_prices(H100, 2.5, 1.5, 2.0);
    set_kind(RTX4090, "rtx-4090", 400, 4);
    set_prices(RTX4090, 0.4, unknown, unknown);
    set_kind(GAUDI, "gaudi3", 150, 2);
    ownership_init(&ask.ledger, catalog);
    return ask;
}

static void find(struct recommendation_ask *ask, struct arena *arena,
                 struct recommendation_list *list)
{
    recommendation_find(ask, NULL, arena, list);
}

static const struct recommendation_option *in_role(const struct recommendation_list *list,
                                                   unsigned role)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].roles & role)
            return &list->at[i];
    return NULL;
}

/* Mixing may be cheaper still. */
static const struct recommendation_option *
cheapest_of_one_kind(const struct recommendation_list *list)
{
    const struct recommendation_option *one = in_role(list, RECOMMENDATION_ONE_KIND);

    return one ? one : in_role(list, RECOMMENDATION_CHEAPEST);
}

/* ---- against every combination there is */

struct least {
    double total, time, worth, cheap; /* the last two: cost x time, at most, and of the cheapest */
    size_t n;
};

static void weigh(const struct recommendation_ask *ask, struct recommendation_option option,
                  struct least *least)
{
    struct part_cache none = {.n = 0};
    if (!recommendation_complete(ask, &option, &none) || !option.within)
        return;
    double time = recommendation_time(ask, &option), both = option.total.middle * time;
    least->n++;
    least->cheap = option.total.middle < least->total ? both : least->cheap;
    least->total = fmin(least->total, option.total.middle);
    least->time = both <= least->worth ? fmin(least->time, time) : least->time;
}

static bool can(const struct recommendation_gpu_type *type, enum recommendation_acquisition by)
{
    return by == RECOMMENDATION_BOUGHT ? type->may_buy : type->book[by] != NULL;
}

/* One training run and one service of a kind, acquired in every way: together, and apart. */
static void weigh_pair(const struct recommendation_ask *ask, size_t type, size_t run,
                       size_t service, struct least *least)
{
    enum recommendation_acquisition m, j, s;

    for (m = RECOMMENDATION_RESERVED_1YR; m <= RECOMMENDATION_BOUGHT; m++)
        if (can(&types[type], m))
            weigh(ask,
                  (struct recommendation_option){.parts = {{.gpu_type = type, .acquisition = m}},
                                                 .n_parts = 1,
                                                 .configuration = {run, 0, service}},
                  least);
    for (j = RECOMMENDATION_ON_DEMAND; j <= RECOMMENDATION_SPOT; j++)
        for (s = 0; s <= RECOMMENDATION_BOUGHT; s++)
            if (s != RECOMMENDATION_SPOT && can(&types[type], j) && can(&types[type], s))
                weigh(
                    ask,
                    (struct recommendation_option){.parts = {{.gpu_type = type, .acquisition = j},
                                                             {.gpu_type = type, .acquisition = s}},
                                                   .n_parts = 2,
                                                   .part = {0, 0, 1},
                                                   .configuration = {run, 0, service}},
                    least);
}

static struct least weigh_all(const struct recommendation_ask *ask, double worth)
{
    struct least least = {(double)INFINITY, (double)INFINITY, worth, worth, 0};

    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; i < RUNS; i++)
            for (size_t j = 0; j < SERVICES; j++)
                weigh_pair(ask, k, i, j, &least);
    return least;
}

static void test_exhaustive(void)
{
    static const double deadlines[] = {5, 20, 60, 200}, budgets[] = {(double)NAN, 1e5, 3e4, 8e3};
    bool cheapest = true, fastest = true, none = true;
    size_t found = 0;

    for (size_t d = 0; d < 4; d++)
        for (size_t b = 0; b < 4; b++) {
            struct recommendation_ask ask = ask_for(true, false, true);
            struct arena arena = {0};
            struct recommendation_list list;
            ask.deadline_days = ask.deadline_days_at_high = deadlines[d];
            ask.budget = budgets[b];
            find(&ask, &arena, &list);
            struct least least = weigh_all(&ask, weigh_all(&ask, (double)INFINITY).cheap);
            none &= (least.n > 0) == (list.n_within > 0);
            if (least.n) {
                const struct recommendation_option *cheap = cheapest_of_one_kind(&list);
                const struct recommendation_option *fast = in_role(&list, RECOMMENDATION_FASTEST),
                                                   *mixed = in_role(&list, RECOMMENDATION_MIXED);
                found++;
                cheapest &= cheap && cheap->total.middle == least.total;
                bool apart = mixed && mixed->total.middle < least.total;
                fastest &= fast && (apart || recommendation_time(&ask, fast) == least.time);
            }
            arena_free(&arena);
        }
    ok(found >= 8 && none, "something keeps the limits exactly where a combination does");
    ok(cheapest, "no combination is cheaper than the cheapest");
    ok(fastest, "no combination whose speed is worth its cost is faster than the fastest");
}

/* ---- money */

static double ledger_sum(const struct recommendation_ask *ask,
                         const struct recommendation_option *option)
{
    double sum = 0;

    for (size_t i = 0; i < option->n_parts; i++) {
        struct ownership own;
        struct ledger ledger;
        (void)recommendation_ledger(ask, &option->parts[i], &own);
        ownership_ledger(&own, option->parts[i].months, &ledger);
        sum += option->parts[i].acquisition < RECOMMENDATION_BOUGHT ? ledger.rent_total
                                                                    : ledger.buy_total;
    }
    return sum;
}

static void test_money(void)
{
    struct recommendation_ask ask = ask_for(true, true, true);
    struct arena arena = {0};
    struct recommendation_list list;
    bool sums = true, ranges = true, sorted = true;

    find(&ask, &arena, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct recommendation_option *option = &list.at[i];
        sums &= fabs(ledger_sum(&ask, option) - option->total.middle) < 1e-6;
        ranges &= option->total.low <= option->total.middle &&
                  option->total.middle <= option->total.high &&
                  option->days.low < option->days.middle && option->days.middle < option->days.high;
        sorted &= i == 0 || list.at[i - 1].total.middle <= option->total.middle;
    }
    ok(list.n >= 3, "there are three options or more");
    ok(sums, "each total is the sum of its ledgers");
    ok(ranges, "the intervals hold the middle");
    ok(sorted, "they come cheapest first");
    arena_free(&arena);
}

/* Rent of a job alone, without overheads and capital, is GPU-hours times price: it does not get
 * cheaper over the months in which nothing runs. */
static void test_rent_of_a_job(void)
{
    struct recommendation_ask ask = ask_for(true, false, false);
    struct arena arena = {0};
    struct recommendation_list list;

    ask.ledger.rental_overhead_ratio = 0;
    types[RTX4090].n_configurations[RECOMMENDATION_TRAIN] = 0;
    types[H100].may_buy = false;
    set_prices(H100, 2.5, unknown, unknown);
    find(&ask, &arena, &list);
    const struct recommendation_option *option = in_role(&list, RECOMMENDATION_CHEAPEST);
    ok(option && option->n_parts == 1 && option->parts[0].acquisition == RECOMMENDATION_ON_DEMAND,
       "a job alone is rented");
    if (option)
        is_near(option->payments.middle,
                2.5 * HOURS_PER_DAY * option->days.middle * option->gpu_count, 1e-6,
                "what is paid is the price of the hours");
    arena_free(&arena);
}

static void test_budget_buys_speed(void)
{
    static const double budgets[] = {8e3, 2e4, 1e5, 1e6};
    struct arena arena = {0};
    double days = (double)INFINITY;
    bool faster = true, kept = true;

    for (size_t i = 0; i < 4; i++) {
        struct recommendation_ask ask = ask_for(true, false, true);
        struct recommendation_list list;
        ask.budget = budgets[i];
        find(&ask, &arena, &list);
        if (!list.n_within)
            continue;
        const struct recommendation_option *fast = in_role(&list, RECOMMENDATION_FASTEST);
        faster &= fast->days.middle <= days;
        days = fast->days.middle;
        for (size_t j = 0; j < list.n; j++)
            kept &= list.at[j].payments.middle <= budgets[i];
    }
    ok(faster && isfinite(days), "more money is never slower");
    ok(kept, "and nothing listed costs more than there is");
    arena_free(&arena);
}

static void test_verdicts(void)
{
    struct recommendation_ask ask = ask_for(true, false, true);
    struct arena arena = {0};
    struct recommendation_list list;

    types[GAUDI].may_buy = false;
    ask.deadline_days = ask.deadline_days_at_high = 20;
    find(&ask, &arena, &list);
    ok((list.verdicts[GAUDI].rule) == RECOMMENDATION_NO_PRICE, "without a price it is ruled out");
    ok((list.verdicts[H100].rule) == RECOMMENDATION_RULED_IN, "what will do is not");
    ask.deadline_days = ask.deadline_days_at_high = 10;
    find(&ask, &arena, &list);
    ok((list.verdicts[RTX4090].rule) == RECOMMENDATION_DEADLINE, "too slow: the deadline");
    is_near(list.verdicts[RTX4090].value, runs[RTX4090][0][RUNS - 1].time.middle, 1e-12,
            "with the days it needs at least");
    ask.deadline_days = ask.deadline_days_at_high = 200;
    ask.budget = 1;
    find(&ask, &arena, &list);
    ok((list.verdicts[H100].rule) == RECOMMENDATION_BUDGET, "too expensive: the budget");
    ok(list.n && list.recommended == list.n && in_role(&list, RECOMMENDATION_NEAREST),
       "then nothing is recommended, and the nearest listed");
    arena_free(&arena);
}

static void test_mixed(void)
{
    struct recommendation_ask ask = ask_for(true, false, true);
    struct arena arena = {0};
    struct recommendation_list list;

    set_prices(H100, 2.5, unknown, unknown);
    types[RTX4090].n_configurations[RECOMMENDATION_SERVE] =
        0; /* trains cheaply, serves not at all */
    find(&ask, &arena, &list);
    const struct recommendation_option *mixed = in_role(&list, RECOMMENDATION_MIXED);
    const struct recommendation_option *one = in_role(&list, RECOMMENDATION_ONE_KIND);
    ok(mixed && one && mixed == in_role(&list, RECOMMENDATION_CHEAPEST) &&
           mixed->total.middle < one->total.middle,
       "mixing is the cheapest, and one kind is stated next to it");
    ok(mixed && mixed->parts[0].gpu_type != mixed->parts[1].gpu_type,
       "each workload on its own kind");
    ok((list.verdicts[RTX4090].rule) == RECOMMENDATION_NO_WAY, "alone it cannot do both");
    arena_free(&arena);
}

/* Of one provider each: where nobody is named they take no role while GPUs can be bought. */
static void test_unconfirmed(void)
{
    provider = NULL;
    struct recommendation_ask ask = ask_for(true, false, true);
    struct arena arena = {0};
    struct recommendation_list list;

    find(&ask, &arena, &list);
    const struct recommendation_option *option = in_role(&list, RECOMMENDATION_UNCONFIRMED);
    const struct recommendation_option *cheapest = in_role(&list, RECOMMENDATION_CHEAPEST);
    ok(option && option->roles == RECOMMENDATION_UNCONFIRMED && !option->confirmed,
       "a rent of one provider takes no other role");
    ok(cheapest && cheapest->confirmed && cheapest->total.middle > option->total.middle,
       "the cheapest is one that is confirmed");
    ok(list.at[list.recommended].confirmed, "and so is what is recommended");
    for (size_t i = 0; i < KINDS; i++)
        types[i].may_buy = false;
    find(&ask, &arena, &list);
    cheapest = in_role(&list, RECOMMENDATION_CHEAPEST);
    ok(cheapest && !cheapest->confirmed && list.recommended < list.n,
       "where nothing is confirmed the others take the roles");
    arena_free(&arena);
}

/* What speaks against what is recommended: less is better. */
enum { SURE, RISKY, UNCONFIRMED, NOTHING };

static int doubts_about(const struct recommendation_list *list)
{
    const struct recommendation_option *option = &list->at[list->recommended];

    bool none = list->recommended == list->n;
    return none ? NOTHING : !option->confirmed ? UNCONFIRMED : option->within_high ? SURE : RISKY;
}

/* A limit loosened at random, from one that nothing keeps. */
static bool loosens_well(struct recommendation_ask *ask, double *limit, unsigned *seed, bool *alone)
{
    double total = (double)INFINITY;
    int before = NOTHING;
    bool good = true;

    for (*limit = 4; *limit < 1e6; *limit *= 1 + (*seed >> 16) / 3e5) {
        struct arena arena = {0};
        struct recommendation_list list;
        find(ask, &arena, &list);
        const struct recommendation_option *option = in_role(&list, RECOMMENDATION_UNCONFIRMED);
        int doubts = doubts_about(&list);
        double cost = doubts == NOTHING ? total : list.at[list.recommended].total.middle;
        good &= doubts < before || (doubts == before && cost <= total);
        *alone |= doubts == NOTHING && option && option->within;
        before = doubts, total = cost;
        *seed = *seed * 1103515245U + 12345U;
        arena_free(&arena);
    }
    *limit = unknown;
    return good && before == SURE;
}

static void test_looser_limits(void)
{
    bool good = true, alone = false;
    unsigned seed = 28;

    for (int wanted = 1; wanted < 8; wanted++)
        for (int named = wanted < 4; named < 2; named++) { /* jobs alone: nothing else is sure */
            provider = named ? "lambda" : NULL;
            struct recommendation_ask ask = ask_for(wanted & 1, wanted & 2, wanted & 4);
            good &= loosens_well(&ask, &ask.budget, &seed, &alone) &&
                    loosens_well(&ask, &ask.budget_per_month, &seed, &alone);
        }
    ok(good, "a looser budget never gets a worse or costlier recommendation unless surer");
    ok(alone, "where what is not confirmed alone keeps it, that is listed and not recommended");
}

static void test_in_hand(void)
{
    struct recommendation_ask ask = ask_for(false, false, true);
    struct arena arena = {0};
    struct recommendation_list list;

    types[RTX4090].in_hand = 1;
    find(&ask, &arena, &list);
    ok(!in_role(&list, RECOMMENDATION_USES_OWN), "one in hand is not enough for two");
    types[RTX4090].in_hand = 2;
    find(&ask, &arena, &list);
    const struct recommendation_option *own = in_role(&list, RECOMMENDATION_USES_OWN);
    ok(own && own->parts[0].acquisition == RECOMMENDATION_IN_HAND && own->gpu_count == 2, "two");
    arena_free(&arena);
}

int main(void)
{
    catalog = fixture_catalog();
    test_exhaustive();
    test_money();
    test_rent_of_a_job();
    test_budget_buys_speed();
    test_verdicts();
    test_mixed();
    test_unconfirmed();
    test_looser_limits();
    test_in_hand();
    arena_free(&books);
    catalog_free(catalog);
    return tap_done();
}

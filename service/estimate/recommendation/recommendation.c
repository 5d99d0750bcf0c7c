#include "estimate/recommendation/recommendation.h"

#include "base/sort.h"
#include "estimate/recommendation/option.h"
#include "estimate/recommendation/shared_cluster.h"
#include "estimate/recommendation/short_list.h"

#include <math.h>
#include <string.h>

/* ---- the shared pool of all GPU types */

struct pools {
    const struct recommendation_ask *ask;
    struct recommendation_shared_cluster *of_kind;
    struct arena *arenas;
    struct recommendation_verdict *verdicts;
};

static void pool_piece(void *context, size_t i)
{
    struct pools *pools = context;

    pools->of_kind[i].arena = &pools->arenas[i];
    recommendation_shared_cluster_type(pools->ask, i, &pools->of_kind[i], &pools->verdicts[i]);
}

static void pool_all(const struct recommendation_ask *ask, const struct parallel *parallel,
                     struct recommendation_shared_cluster *all,
                     struct recommendation_verdict *verdicts)
{
    size_t n = ask->n_gpu_types, at = 0;
    struct pools pools = {ask, arena_alloc(all->arena, (n + 1) * sizeof(*pools.of_kind)),
                          arena_alloc(all->arena, (n + 1) * sizeof(*pools.arenas)), verdicts};

    parallel_each(parallel, n, pool_piece, &pools);
    for (size_t i = 0; i < n; i++)
        all->n += pools.of_kind[i].n;
    all->at = arena_alloc(all->arena, (all->n + 1) * sizeof(*all->at));
    for (size_t i = 0; i < n; i++) {
        const struct recommendation_shared_cluster *part = &pools.of_kind[i];
        if (part->n)
            memcpy(&all->at[at], part->at, part->n * sizeof(*part->at));
        at += part->n;
        arena_free(&pools.arenas[i]);
    }
}

/* ---- selection from it */

struct pick {
    const struct recommendation_ask *ask;
    struct recommendation_option *at; /* the pool */
    size_t n;
    struct recommendation_option **order; /* order_pool(): by cost */
    size_t n_order;
    const struct recommendation_shared_cluster *mixes; /* mix GPU types; the pool has one for all */
    bool confirmed;  /* some option is eligible, regardless of limits; then no other takes a role */
    bool any_within; /* some eligible option meets every limit */
    const struct recommendation_option *cheapest; /* eligible one; NULL if there is none */
    const struct recommendation_option *first;    /* the cheaper of that and of those that mix GPU
                                                   * types */
    double total_max; /* above this cost an option is not fastest, best value or smallest */
    bool all_idle;    /* every alternative is billed for far more hours than it works */
    struct recommendation_list *list;
};

/* An option that costs more than this many times the cheapest is no alternative to it. */
static const double total_ratio_max = 10;
/* Ties in cost by GPU count, so that the order is the same on every run. */
static int by_total(const void *left, const void *right)
{
    const struct recommendation_option *a = *(const struct recommendation_option *const *)left;
    const struct recommendation_option *b = *(const struct recommendation_option *const *)right;

    if (a->total.middle != b->total.middle)
        return a->total.middle < b->total.middle ? -1 : 1;
    if (a->gpu_count != b->gpu_count)
        return a->gpu_count < b->gpu_count ? -1 : 1;
    return (a > b) - (a < b);
}

/* Eligibility does not depend on the limits: otherwise a tighter limit, under which nothing is
 * confirmed, could get a cheaper recommendation than a looser one. */
static bool may_take_role(const struct pick *pick, const struct recommendation_option *option)
{
    return option->confirmed || !pick->confirmed;
}

static bool any_within(const struct pick *pick, const struct recommendation_option *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i].within && may_take_role(pick, &at[i]))
            return true;
    return false;
}

/* How far the limits are missed, as ratios; limits that are met do not count. */
static double miss_of(const struct recommendation_ask *ask,
                      const struct recommendation_option *option)
{
    double monthly = ask->budget_per_month * ask->horizon_months, miss = 0;

    if (!option->in_time)
        miss += log(option->days.middle / ask->deadline_days);
    if (!option->paid)
        miss += log(option->payments.middle / ask->budget);
    if (!option->paid_monthly)
        miss += log(option->payments.middle / monthly);
    if (!option->powered)
        miss += log(option->power_kw / ask->power_budget_kw);
    return miss;
}

/* Without an option within the limits, those that miss them by at most this factor more than the
 * nearest are considered: ten times the time allowed is no answer, however cheap. */
static const double MISS_RATIO_MAX = 2;

static double least_miss(const struct pick *pick)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < pick->n; i++)
        if (may_take_role(pick, &pick->at[i]))
            least = fmin(least, miss_of(pick->ask, &pick->at[i]));
    return least;
}

/* The options within all limits, or those near them if none of the first is eligible. */
static void order_pool(struct pick *pick)
{
    for (size_t i = 0; i < pick->n; i++) {
        pick->list->n_within += pick->at[i].within;
        pick->confirmed |= pick->at[i].confirmed;
    }
    for (size_t i = 0; i < pick->mixes->n; i++)
        pick->confirmed |= pick->mixes->at[i].confirmed;
    pick->any_within =
        any_within(pick, pick->at, pick->n) || any_within(pick, pick->mixes->at, pick->mixes->n);
    double most = pick->any_within ? 0 : least_miss(pick) + log(MISS_RATIO_MAX);
    for (size_t i = 0; i < pick->n; i++)
        if (pick->at[i].within || (!pick->any_within && !(miss_of(pick->ask, &pick->at[i]) > most)))
            pick->order[pick->n_order++] = &pick->at[i];
    sort_items(pick->order, pick->n_order, sizeof(struct recommendation_option *), by_total);
}

/* The cheapest that may take a role. */
static const struct recommendation_option *cheapest_of(const struct pick *pick)
{
    for (size_t i = 0; i < pick->n_order; i++)
        if (may_take_role(pick, pick->order[i]))
            return pick->order[i];
    return NULL;
}

static bool is_alternative(const struct pick *pick, const struct recommendation_option *option)
{
    return may_take_role(pick, option) && option->total.middle <= pick->total_max;
}

static bool is_idle(const struct recommendation_option *option)
{
    return option->billed_ratio > PRICE_BILLED_RATIO_MAX;
}

static bool are_all_idle(const struct pick *pick)
{
    for (size_t i = 0; i < pick->n_order; i++)
        if (is_alternative(pick, pick->order[i]) && !is_idle(pick->order[i]))
            return false;
    return true;
}

/* The Pareto frontier: in order of cost, each option that is faster than all cheaper ones. */
static void mark_frontier(struct pick *pick)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < pick->n_order; i++) {
        double time = recommendation_time(pick->ask, pick->order[i]);
        if (!is_alternative(pick, pick->order[i]))
            continue;
        pick->order[i]->on_frontier = time < least;
        pick->list->n_frontier += time < least;
        least = fmin(least, time);
    }
}

static double gpus_of(const struct recommendation_option *option)
{
    double most = 0;

    for (size_t i = 0; i < option->n_parts; i++)
        most = fmax(most, option->parts[i].paid_gpus);
    return most;
}

/* The fewest GPUs paid for; ties go to the cheapest. */
static const struct recommendation_option *smallest_of(const struct pick *pick)
{
    const struct recommendation_option *best = NULL;

    for (size_t i = 0; i < pick->n_order; i++)
        if (is_alternative(pick, pick->order[i]) &&
            (!best || gpus_of(pick->order[i]) < gpus_of(best)))
            best = pick->order[i];
    return best;
}

/* The cheapest that mixes GPU types. */
static const struct recommendation_option *mixed_of(const struct pick *pick)
{
    const struct recommendation_option *best = NULL;

    for (size_t i = 0; i < pick->mixes->n; i++) {
        const struct recommendation_option *mixed = &pick->mixes->at[i];
        if ((mixed->within || !pick->any_within) && may_take_role(pick, mixed) &&
            (!best || mixed->total.middle < best->total.middle))
            best = mixed;
    }
    return best;
}

static const struct recommendation_option *first_of(const struct pick *pick)
{
    const struct recommendation_option *mixed = mixed_of(pick), *alone = pick->cheapest;

    return mixed && !(alone && alone->total.middle <= mixed->total.middle) ? mixed : alone;
}

/* True if the option is faster than the cheapest and costs no more than in proportion: half the
 * time may cost twice as much. */
static bool is_worth(const struct pick *pick, const struct recommendation_option *option)
{
    if (!option->on_frontier)
        return false;
    double time = recommendation_time(pick->ask, option),
           most = recommendation_time(pick->ask, pick->first);
    return !(time >= most) && !(option->total.middle * time > pick->first->total.middle * most);
}

/* True if the option may be offered for its speed. */
static bool is_offered(const struct pick *pick, const struct recommendation_option *option)
{
    return is_worth(pick, option) && (pick->all_idle || !is_idle(option));
}

/* The fastest option that is worth its cost; with `idle`, also those that idle too long. */
static const struct recommendation_option *fastest_of(const struct pick *pick, bool idle)
{
    const struct recommendation_option *best = pick->first;

    for (size_t i = 0; i < pick->n_order; i++)
        if (idle ? is_worth(pick, pick->order[i]) : is_offered(pick, pick->order[i]))
            best = pick->order[i];
    return best;
}

/* Position between the ends of the frontier, 0 to 1, on a logarithmic scale. */
static double place(double value, double from, double to)
{
    return from == to ? 0 : log(value / from) / log(to / from);
}

/* True if it costs at most the root of its speed more than the cheapest: half the time for at most
 * 1.41 times the cost. */
static bool is_bargain(const struct pick *pick, const struct recommendation_option *option)
{
    double cost = option->total.middle / pick->first->total.middle;
    double speed =
        recommendation_time(pick->ask, pick->first) / recommendation_time(pick->ask, option);

    return cost * cost <= speed;
}

/* The knee of the frontier: the point farthest below the line from the cheapest to the fastest,
 * with cost and time on logarithmic scales. Without a bend it is the fastest if that is a bargain,
 * else the cheapest. */
static const struct recommendation_option *knee_of(const struct pick *pick)
{
    const struct recommendation_option *first = pick->first, *best = first,
                                       *last = fastest_of(pick, false);
    double farthest = 0;

    for (size_t i = 0; i < pick->n_order; i++) {
        const struct recommendation_option *option = pick->order[i];
        if (!is_offered(pick, option))
            continue;
        double cost = place(option->total.middle, first->total.middle, last->total.middle);
        double gain =
            place(recommendation_time(pick->ask, option), recommendation_time(pick->ask, first),
                  recommendation_time(pick->ask, last));
        if (gain - cost > farthest) {
            farthest = gain - cost;
            best = option;
        }
    }
    return best == first && last != first && is_bargain(pick, last) ? last : best;
}

static bool has_means(const struct recommendation_option *option,
                      enum recommendation_acquisition acquisition)
{
    for (size_t i = 0; i < option->n_parts; i++)
        if (option->parts[i].acquisition == acquisition)
            return true;
    return false;
}

static const struct recommendation_option *in_hand_of(const struct pick *pick)
{
    for (size_t i = 0; i < pick->n_order; i++)
        if (has_means(pick->order[i], RECOMMENDATION_IN_HAND) &&
            may_take_role(pick, pick->order[i]))
            return pick->order[i];
    return NULL;
}

/* Whether option `at` is the cheapest eligible one of its GPU type, and renting that type costs
 * more. */
static bool beats_rent(const struct pick *pick, size_t at)
{
    bool costs_more = false;

    for (size_t i = 0; i < pick->n_order; i++) {
        if (pick->order[i]->parts[0].gpu_type != pick->order[at]->parts[0].gpu_type)
            continue;
        if (i < at && may_take_role(pick, pick->order[i]))
            return false;
        costs_more |= i > at && !has_means(pick->order[i], RECOMMENDATION_BOUGHT);
    }
    return costs_more;
}

/* Whether it may be listed as the purchase. A purchase that depends on a resale may be if it costs
 * less than every eligible option. */
static bool may_be_bought(const struct pick *pick, const struct recommendation_option *option)
{
    bool resold = pick->cheapest && option->total.middle < pick->cheapest->total.middle;

    for (size_t i = 0; i < option->n_parts; i++)
        resold &= !option->parts[i].doubt;
    return resold || is_alternative(pick, option);
}

/* The cheapest with bought GPUs that is cheaper than renting the same type, and faster than
 * cheaper purchases. */
static const struct recommendation_option *buy_of(const struct pick *pick)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < pick->n_order; i++) {
        const struct recommendation_option *option = pick->order[i];
        if (!has_means(option, RECOMMENDATION_BOUGHT) || !may_be_bought(pick, option))
            continue;
        double time = recommendation_time(pick->ask, option);
        if (time < least && beats_rent(pick, i))
            return option;
        least = fmin(least, time);
    }
    return NULL;
}

/* ---- if nothing meets the limits */

/* Whether a comes nearer than b: a service within its limits first, then what misses the others by
 * less, then the faster service. */
static bool is_nearer(const struct recommendation_ask *ask, const struct recommendation_option *a,
                      const struct recommendation_option *b)
{
    double miss = miss_of(ask, a), least = miss_of(ask, b);

    if (a->quick != b->quick)
        return a->quick;
    if (miss != least)
        return miss < least;
    return !a->quick && a->latency.middle < b->latency.middle;
}

/* Visited in order of cost, so that ties go to the cheapest. */
static const struct recommendation_option *nearest_of(const struct pick *pick)
{
    const struct recommendation_option *best = NULL;

    for (size_t i = 0; i < pick->n_order; i++)
        if (may_take_role(pick, pick->order[i]) &&
            (!best || is_nearer(pick->ask, pick->order[i], best)))
            best = pick->order[i];
    return best;
}

/* ---- the list */

/* The cheapest of the safest: see recommendation_safety(). */
static const struct recommendation_option *at_high_of(const struct pick *pick)
{
    const struct recommendation_option *best = NULL;
    int most = 1;

    for (size_t i = 0; i < pick->n_order; i++)
        if (recommendation_safety(pick->order[i]) > most && may_take_role(pick, pick->order[i])) {
            best = pick->order[i];
            most = recommendation_safety(best);
        }
    for (size_t i = 0; i < pick->mixes->n; i++) {
        const struct recommendation_option *mixed = &pick->mixes->at[i];
        int safety = recommendation_safety(mixed);
        if (may_take_role(pick, mixed) &&
            (safety > most ||
             (best && safety == most && mixed->total.middle < best->total.middle))) {
            best = mixed;
            most = safety;
        }
    }
    return best;
}

/* The cheaper options that may not take a role; if none of the others meets the limits, the
 * cheapest that does. */
static const struct recommendation_option *unconfirmed_of(const struct pick *pick,
                                                          const struct recommendation_option *mixed)
{
    for (size_t i = 0; i < pick->n_order && !pick->any_within; i++)
        if (pick->order[i]->within)
            return pick->order[i];
    if (!pick->n_order || may_take_role(pick, pick->order[0]))
        return NULL;
    return mixed && mixed->total.middle <= pick->order[0]->total.middle ? NULL : pick->order[0];
}

static void add(struct pick *pick, const struct recommendation_option *option, unsigned role)
{
    recommendation_short_list_add(pick->ask, option, role, pick->list);
}

/* In order of priority: eligible options come first. */
static void pick_roles(struct pick *pick)
{
    const struct recommendation_option *cheapest = pick->cheapest, *mixed = mixed_of(pick),
                                       *at_high = at_high_of(pick), *bought = buy_of(pick),
                                       *fastest = fastest_of(pick, false),
                                       *idle = fastest_of(pick, true);

    if (idle != fastest)
        pick->list->idle = *idle;
    if (!pick->any_within)
        add(pick, nearest_of(pick), RECOMMENDATION_NEAREST);
    add(pick, cheapest, RECOMMENDATION_CHEAPEST);
    if (mixed && (mixed == at_high || !cheapest || mixed->total.middle < cheapest->total.middle))
        add(pick, mixed, RECOMMENDATION_MIXED);
    if (at_high != cheapest && at_high != mixed)
        add(pick, at_high, RECOMMENDATION_AT_HIGH);
    add(pick, fastest, RECOMMENDATION_FASTEST);
    add(pick, knee_of(pick), RECOMMENDATION_BEST_VALUE);
    add(pick, unconfirmed_of(pick, mixed), RECOMMENDATION_UNCONFIRMED);
    add(pick, in_hand_of(pick), RECOMMENDATION_USES_OWN);
    if (bought)
        add(pick, bought,
            may_take_role(pick, bought) ? RECOMMENDATION_BUY
                                        : RECOMMENDATION_BUY | RECOMMENDATION_UNCONFIRMED);
    add(pick, mixed, RECOMMENDATION_MIXED);
    recommendation_short_list_note_mixed(pick->list);
    add(pick, smallest_of(pick), RECOMMENDATION_SMALLEST);
}

void recommendation_find(struct recommendation_ask *ask, const struct parallel *parallel,
                         struct arena *arena, struct recommendation_list *list)
{
    struct recommendation_shared_cluster pool = {.arena = arena}, mixed = {.arena = arena};
    struct pick pick = {.ask = ask, .mixes = &mixed, .list = list};

    *list = (struct recommendation_list){.n = 0};
    ask->earliest_days = recommendation_earliest_days(ask);
    list->verdicts = arena_alloc(arena, (ask->n_gpu_types + 1) * sizeof(*list->verdicts));
    pool_all(ask, parallel, &pool, list->verdicts);
    recommendation_mixed_cluster(ask, &mixed);
    recommendation_shared_cluster_price_delay(ask, &pool, &mixed);
    pick.at = pool.at;
    pick.n = pool.n;
    list->n_considered = pool.n + mixed.n;
    pick.order = arena_alloc(arena, (pool.n + 1) * sizeof(struct recommendation_option *));
    order_pool(&pick);
    pick.cheapest = cheapest_of(&pick);
    pick.total_max = pick.cheapest ? total_ratio_max * pick.cheapest->total.middle : 0;
    pick.all_idle = are_all_idle(&pick);
    mark_frontier(&pick);
    pick.first = first_of(&pick);
    pick_roles(&pick);
    recommendation_short_list_end(list);
}

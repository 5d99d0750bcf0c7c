/* mixed.c - options that rent each workload on the GPU type that does it best. */
#include "estimate/recommendation/option.h"
#include "estimate/recommendation/shared_cluster.h"
#include "base/units.h"

#include "base/sort.h"

#include <math.h>

enum { BESTS_MAX = 8 };

/* A configuration on a GPU type, rented. */
struct best {
    size_t gpu_type, configuration;
    enum recommendation_acquisition acquisition;
    double cost, time; /* rent of the GPUs only; days or seconds */
};

struct bests {
    struct best *at;
    size_t n;
};

static double rent_of(const struct recommendation_ask *ask, const struct best *best,
                      enum recommendation_workload workload)
{
    const struct recommendation_configuration *configuration =
        &ask->gpu_types[best->gpu_type].configurations[workload][best->configuration];
    double spot = best->acquisition == RECOMMENDATION_SPOT ? 1 + configuration->spot_ratio : 1;
    double hours = workload == RECOMMENDATION_SERVE ? ask->horizon_months * HOURS_PER_MONTH
                                                    : configuration->time.middle * HOURS_PER_DAY *
                                                          configuration->hours_ratio * spot;

    return configuration->gpu_count * hours *
           price_match_per_gpu_hour(ask->gpu_types[best->gpu_type].book[best->acquisition],
                                    configuration->gpu_count, configuration->connected);
}

static int by_rent(const void *left, const void *right)
{
    const struct best *a = left, *b = right;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->gpu_type > b->gpu_type) - (a->gpu_type < b->gpu_type);
}

static bool may_rent(const struct recommendation_ask *ask, size_t gpu_type,
                     enum recommendation_acquisition acquisition,
                     enum recommendation_workload workload)
{
    bool serves = workload == RECOMMENDATION_SERVE;

    return ask->gpu_types[gpu_type].book[acquisition] &&
           (acquisition == RECOMMENDATION_ON_DEMAND ||
            (acquisition == RECOMMENDATION_SPOT && !serves));
}

static void gather(const struct recommendation_ask *ask, enum recommendation_workload workload,
                   struct bests *all)
{
    for (size_t k = 0; k < ask->n_gpu_types; k++)
        for (size_t i = 0; i < ask->gpu_types[k].n_configurations[workload]; i++)
            for (int m = 0; m <= RECOMMENDATION_SPOT; m++) {
                const struct recommendation_configuration *configuration =
                    &ask->gpu_types[k].configurations[workload][i];
                struct best best = {.gpu_type = k,
                                    .configuration = i,
                                    .acquisition = (enum recommendation_acquisition)m,
                                    .time = configuration->time.middle};
                if (!may_rent(ask, k, best.acquisition, workload) || !configuration->meets_limits)
                    continue;
                if (workload != RECOMMENDATION_SERVE &&
                    !recommendation_keeps(best.time, ask->deadline_days))
                    continue;
                best.cost = rent_of(ask, &best, workload);
                if (!isnan(best.cost))
                    all->at[all->n++] = best;
            }
}

/* Keep the first few of those that are faster than all cheaper ones. */
static void keep_frontier(struct bests *bests, size_t most)
{
    double least = (double)INFINITY;
    size_t n = 0;

    sort_items(bests->at, bests->n, sizeof(*bests->at), by_rent);
    for (size_t i = 0; i < bests->n && n < most; i++)
        if (bests->at[i].time < least) {
            least = bests->at[i].time;
            bests->at[n++] = bests->at[i];
        }
    bests->n = n;
}

static void find_bests(const struct recommendation_ask *ask, enum recommendation_workload workload,
                       struct arena *arena, struct bests *bests)
{
    size_t n = 0;

    for (size_t k = 0; k < ask->n_gpu_types; k++)
        n += ask->gpu_types[k].n_configurations[workload];
    bests->at = arena_alloc(arena, (2 * n + 1) * sizeof(*bests->at));
    bests->n = 0;
    gather(ask, workload, bests);
    keep_frontier(bests, workload == RECOMMENDATION_SERVE ? 1 : BESTS_MAX);
}

static bool is_mixed(const struct recommendation_option *option)
{
    for (size_t i = 1; i < option->n_parts; i++)
        if (option->parts[i].gpu_type != option->parts[0].gpu_type)
            return true;
    return false;
}

/* Add the workload to the option, in its i-th best configuration. */
static void append(const struct recommendation_ask *ask, const struct bests bests[], int workload,
                   size_t i, struct recommendation_option *option)
{
    if (!ask->wanted[workload])
        return;
    const struct best *best = &bests[workload].at[i];
    option->part[workload] = option->n_parts;
    option->configuration[workload] = best->configuration;
    option->parts[option->n_parts++] =
        (struct recommendation_part){.gpu_type = best->gpu_type, .acquisition = best->acquisition};
}

static void add(const struct recommendation_ask *ask, const struct bests bests[], const size_t at[],
                struct recommendation_shared_cluster *pool)
{
    struct recommendation_option option = {.n_parts = 0};

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        append(ask, bests, w, at[w], &option);
    if (is_mixed(&option))
        recommendation_shared_cluster_add(ask, pool, option);
}

/* A workload that is not wanted counts as having one configuration. */
void recommendation_mixed_cluster(const struct recommendation_ask *ask,
                                  struct recommendation_shared_cluster *pool)
{
    struct bests bests[RECOMMENDATION_WORKLOADS] = {{0}};
    struct recommendation_known_parts known;

    known.n = known.next = 0;
    pool->known = &known;
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++) {
        bests[w].n = 1;
        if (ask->wanted[w])
            find_bests(ask, (enum recommendation_workload)w, pool->arena, &bests[w]);
    }
    for (size_t t = 0; t < bests[RECOMMENDATION_TRAIN].n; t++)
        for (size_t f = 0; f < bests[RECOMMENDATION_FINETUNE].n; f++)
            for (size_t s = 0; s < bests[RECOMMENDATION_SERVE].n; s++)
                add(ask, bests, (const size_t[RECOMMENDATION_WORKLOADS]){t, f, s}, pool);
    pool->known = NULL;
}

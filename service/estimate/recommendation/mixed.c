/* mixed.c - options that do each workload on the GPU type that does it best: jobs rented by the
 * hour, the service rented, reserved, bought or on GPUs in hand. */
#include "estimate/recommendation/option.h"
#include "estimate/recommendation/shared_cluster.h"
#include "base/sort.h"

#include <math.h>

/* Kept for each workload of each sureness. */
enum { BESTS_MAX = 8, SURENESSES = 4 };

/* A configuration on a GPU type, acquired in one way, and what it would cost alone. */
struct best {
    size_t gpu_type, configuration;
    double cost, time; /* USD; days, or 0 of a service, which only has to meet its limits */
    enum recommendation_acquisition acquisition;
    int sureness; /* 2 if confirmed, and 1 if it keeps up with its load */
};

struct bests {
    struct best *at;
    size_t n;
};

static int by_cost(const void *left, const void *right)
{
    const struct best *a = left, *b = right;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->gpu_type > b->gpu_type) - (a->gpu_type < b->gpu_type);
}

/* Whether another configuration on that type serves within the limits on fewer GPUs, and keeps up
 * if this one does. */
static bool has_smaller(const struct recommendation_gpu_type *gpu_type, size_t i)
{
    const struct recommendation_configuration *all = gpu_type->configurations[RECOMMENDATION_SERVE];

    for (size_t k = 0; k < gpu_type->n_configurations[RECOMMENDATION_SERVE]; k++)
        if (all[k].meets_limits && all[k].keeps_up >= all[i].keeps_up &&
            (all[k].gpu_count < all[i].gpu_count ||
             (k < i && all[k].gpu_count == all[i].gpu_count)))
            return true;
    return false;
}

static bool is_candidate(const struct recommendation_ask *ask,
                         const struct recommendation_gpu_type *gpu_type,
                         enum recommendation_workload workload, size_t i)
{
    const struct recommendation_configuration *configuration =
        &gpu_type->configurations[workload][i];

    if (!configuration->meets_limits)
        return false;
    return workload == RECOMMENDATION_SERVE
               ? !has_smaller(gpu_type, i)
               : recommendation_keeps(configuration->time.middle, ask->deadline_days);
}

static bool may_acquire(const struct recommendation_ask *ask,
                        const struct recommendation_gpu_type *gpu_type,
                        enum recommendation_acquisition acquisition,
                        enum recommendation_workload workload, double gpu_count)
{
    bool spot = acquisition == RECOMMENDATION_SPOT;

    if (workload == RECOMMENDATION_SERVE ? spot : !recommendation_is_hourly(acquisition))
        return false;
    return recommendation_is_available(ask, gpu_type, acquisition, gpu_count);
}

/* Adds the workload in that configuration, priced as the only one; nothing if a price is unknown.
 */
static void add_best(const struct recommendation_ask *alone, enum recommendation_workload workload,
                     struct best best, struct bests *all)
{
    struct part_cache cache;
    struct recommendation_option option = {
        .parts = {{.gpu_type = best.gpu_type, .acquisition = best.acquisition}}, .n_parts = 1};

    cache.n = cache.next = 0;
    option.configuration[workload] = best.configuration;
    if (!recommendation_complete(alone, &option, &cache))
        return;
    best.cost = option.total.middle;
    best.time = workload == RECOMMENDATION_SERVE ? 0 : option.days.middle;
    best.sureness = 2 * option.confirmed + option.keeps_up;
    all->at[all->n++] = best;
}

static void gather(const struct recommendation_ask *ask, enum recommendation_workload workload,
                   struct bests *all)
{
    struct recommendation_ask alone = *ask;

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        alone.wanted[w] = w == (int)workload;
    for (size_t k = 0; k < ask->n_gpu_types; k++)
        for (size_t i = 0; i < ask->gpu_types[k].n_configurations[workload]; i++) {
            const struct recommendation_gpu_type *gpu_type = &ask->gpu_types[k];
            double gpu_count = gpu_type->configurations[workload][i].gpu_count;
            if (!is_candidate(ask, gpu_type, workload, i))
                continue;
            for (int m = 0; m < RECOMMENDATION_ACQUISITIONS; m++) {
                enum recommendation_acquisition acquisition = (enum recommendation_acquisition)m;
                if (may_acquire(ask, gpu_type, acquisition, workload, gpu_count))
                    add_best(&alone, workload,
                             (struct best){
                                 .gpu_type = k, .configuration = i, .acquisition = acquisition},
                             all);
            }
        }
}

static bool is_dominated(const struct bests *kept, const struct best *best)
{
    for (size_t i = 0; i < kept->n; i++)
        if (kept->at[i].time <= best->time && kept->at[i].sureness >= best->sureness)
            return true;
    return false;
}

/* Keep the cheapest few of those that are faster or surer than all cheaper ones. */
static void keep_frontier(struct bests *bests)
{
    struct bests kept = {.at = bests->at, .n = 0};
    size_t n[SURENESSES] = {0};

    sort_items(bests->at, bests->n, sizeof(*bests->at), by_cost);
    for (size_t i = 0; i < bests->n; i++) {
        struct best best = bests->at[i];
        if (n[best.sureness] == BESTS_MAX || is_dominated(&kept, &best))
            continue;
        n[best.sureness]++;
        kept.at[kept.n++] = best;
    }
    *bests = kept;
}

static void find_bests(const struct recommendation_ask *ask, enum recommendation_workload workload,
                       struct arena *arena, struct bests *bests)
{
    size_t n = 0;

    for (size_t k = 0; k < ask->n_gpu_types; k++)
        n += ask->gpu_types[k].n_configurations[workload];
    bests->at = arena_alloc(arena, (RECOMMENDATION_ACQUISITIONS * n + 1) * sizeof(*bests->at));
    bests->n = 0;
    gather(ask, workload, bests);
    keep_frontier(bests);
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
    struct part_cache cache;

    cache.n = cache.next = 0;
    pool->cache = &cache;
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++) {
        bests[w].n = 1;
        if (ask->wanted[w])
            find_bests(ask, (enum recommendation_workload)w, pool->arena, &bests[w]);
    }
    for (size_t t = 0; t < bests[RECOMMENDATION_TRAIN].n; t++)
        for (size_t f = 0; f < bests[RECOMMENDATION_FINETUNE].n; f++)
            for (size_t s = 0; s < bests[RECOMMENDATION_SERVE].n; s++)
                add(ask, bests, (const size_t[RECOMMENDATION_WORKLOADS]){t, f, s}, pool);
    pool->cache = NULL;
}

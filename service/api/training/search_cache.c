#include "api/training/search_cache.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 32 }; /* enough for the clusters of a sheet, or the positions of a slider */

/* Everything a search depends on; padding is zero. */
struct cluster {
    struct training_strategy pinned; /* first, since it differs most often */
    struct training_job job;         /* with its pointers cleared */
    struct gpu gpu;
    struct training_constants constants;
    double catalog_loaded_at;
};

struct training_search_cache {
    struct answered {
        struct cluster cluster;
        struct training_plan plan;
        bool is_possible;
    } * at; /* NULL until the first search */
    size_t n, oldest;
};

struct training_search_caches {
    unsigned n;
    struct training_search_cache threads[];
};

struct training_search_caches *training_search_cache_new(unsigned n_threads)
{
    struct training_search_caches *all =
        mem_alloc(sizeof(*all) + n_threads * sizeof(all->threads[0]));

    all->n = n_threads;
    return all;
}

void training_search_cache_free(struct training_search_caches *all)
{
    for (unsigned i = 0; all && i < all->n; i++)
        free(all->threads[i].at);
    free(all);
}

struct training_search_cache *training_search_cache_of(struct training_search_caches *all,
                                                       unsigned thread)
{
    return &all->threads[thread];
}

static void describe(struct cluster *cluster, double catalog_loaded_at,
                     const struct training_job *job, const struct training_strategy *pinned)
{
    memset(cluster, 0, sizeof(*cluster));
    memcpy(&cluster->pinned, pinned, sizeof(*pinned));
    memcpy(&cluster->job, job, sizeof(*job));
    memcpy(&cluster->gpu, job->gpu, sizeof(*job->gpu));
    memcpy(&cluster->constants, job->constants, sizeof(*job->constants));
    cluster->job.gpu = NULL;
    cluster->job.constants = NULL;
    cluster->job.cancel = NULL;
    cluster->catalog_loaded_at = catalog_loaded_at;
}

/* Keys are compared bytewise: both were cleared before they were filled, padding included. */
static bool is_same(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n) == 0;
}

static const struct answered *find(const struct training_search_cache *cache,
                                   const struct cluster *cluster)
{
    for (size_t i = 0; i < cache->n; i++)
        if (is_same(&cache->at[i].cluster, cluster, sizeof(*cluster)))
            return &cache->at[i];
    return NULL;
}

/* Next slot (round robin). */
static struct answered *place(struct training_search_cache *cache)
{
    if (!cache->at)
        cache->at = mem_alloc(ENTRIES * sizeof(cache->at[0]));
    if (cache->n < ENTRIES)
        return &cache->at[cache->n++];
    return &cache->at[cache->oldest++ % ENTRIES];
}

bool training_search_cache_search(struct training_search_cache *cache, double catalog_loaded_at,
                                  const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_plan *plan)
{
    struct cluster cluster;

    if (!cache)
        return training_search(job, pinned, plan);
    describe(&cluster, catalog_loaded_at, job, pinned);
    const struct answered *answered = find(cache, &cluster);
    if (!answered) {
        bool is_possible = training_search(job, pinned, plan);
        if (cancelled(job->cancel))
            return false;
        struct answered *next = place(cache);
        next->cluster = cluster;
        next->plan = *plan;
        next->is_possible = is_possible;
        answered = next;
    }
    *plan = answered->plan;
    return answered->is_possible;
}

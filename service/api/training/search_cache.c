#include "api/training/search_cache.h"

#include <string.h>

/* Everything a search depends on; padding is zero. */
struct cluster {
    struct training_strategy pinned; /* first, since it differs most often */
    struct training_job job;         /* with its pointers cleared */
    struct gpu gpu;
    struct training_constants constants;
    double catalog_loaded_at;
};

struct answered {
    struct training_plan plan;
    bool is_possible;
};

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

bool training_search_cache_search(struct recent *cache, double catalog_loaded_at,
                                  const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_plan *plan)
{
    struct cluster cluster;
    struct answered anew;

    if (!cache)
        return training_search(job, pinned, plan);
    describe(&cluster, catalog_loaded_at, job, pinned);
    const struct answered *answered = recent_find(cache, &cluster, sizeof(cluster));
    if (answered) {
        *plan = answered->plan;
        return answered->is_possible;
    }
    anew.is_possible = training_search(job, pinned, plan);
    if (cancelled(job->cancel))
        return false;
    anew.plan = *plan;
    recent_add(cache, &cluster, sizeof(cluster), &anew, sizeof(anew));
    return anew.is_possible;
}

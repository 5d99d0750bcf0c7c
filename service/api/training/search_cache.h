/* search_cache.h - per-thread ring of the last 32 training searches, keyed by everything a search
 * depends on; tokens, prices and failures are not among it.
 *
 * A plan depends on the job, the pinned values, the GPU's figures and the constants; these are
 * compared byte for byte, and the catalogue by its load time.
 */
#ifndef API_TRAINING_SEARCH_CACHE_H
#define API_TRAINING_SEARCH_CACHE_H

#include "estimate/training/plan/search.h"

struct training_search_cache;  /* of one thread */
struct training_search_caches; /* of all threads */

struct training_search_caches *training_search_cache_new(unsigned n_threads);
void training_search_cache_free(struct training_search_caches *all); /* NULL is allowed */
struct training_search_cache *training_search_cache_of(struct training_search_caches *all,
                                                       unsigned thread);

/* Cached training_search(). `catalog_loaded_at` distinguishes catalogues. Results of cancelled
 * searches are not cached. */
bool training_search_cache_search(struct training_search_cache *cache, double catalog_loaded_at,
                                  const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_plan *plan) MUST_CHECK;

#endif

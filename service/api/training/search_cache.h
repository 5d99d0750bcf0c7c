/* search_cache.h - per-thread ring of the last 32 training searches, keyed by everything the search
 * depends on: other tokens, prices or failures change none of them.
 *
 * A plan rests on the job, what is pinned, the GPU's figures and the constants; all of them are
 * compared, byte for byte, and the catalogue they are from.
 */
#ifndef API_TRAINING_SEARCH_CACHE_H
#define API_TRAINING_SEARCH_CACHE_H

#include "estimate/training/plan/search.h"

struct training_search_cache;  /* of one thread */
struct training_search_caches; /* of each */

struct training_search_caches *training_search_cache_new(unsigned n_threads);
void training_search_cache_free(struct training_search_caches *all); /* NULL is fine */
struct training_search_cache *training_search_cache_of(struct training_search_caches *all,
                                                       unsigned thread);

/* training_search(), asked for once; `found` may be NULL. `catalog_loaded_at` tells catalogues
 * apart. What a cancelled search comes to is not remembered. */
bool training_search_cache_search(struct training_search_cache *cache, double catalog_loaded_at,
                                  const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_plan *plan) MUST_CHECK;

#endif

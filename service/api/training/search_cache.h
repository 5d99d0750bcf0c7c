/* search_cache.h - a cache of the thread's last training searches. Tokens, prices and failures are
 * not part of the key, as a search does not depend on them.
 *
 * A plan depends on the job, the pinned values, the GPU's figures and the constants; these are
 * compared byte for byte, and the catalogue by its load time.
 */
#ifndef API_TRAINING_SEARCH_CACHE_H
#define API_TRAINING_SEARCH_CACHE_H

#include "base/recent.h"
#include "estimate/training/plan/search.h"

/* Enough for the clusters of a sheet, or the positions of a slider. */
enum { TRAINING_SEARCH_CACHE_ENTRIES = 32 };

/* Cached training_search(); NULL: no cache. `catalog_loaded_at` distinguishes catalogues. Results
 * of cancelled searches are not cached. */
bool training_search_cache_search(struct recent *cache, double catalog_loaded_at,
                                  const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_plan *plan) MUST_CHECK;

#endif

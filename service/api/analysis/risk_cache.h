/* risk_cache.h - a cache of the thread's last simulations: a sheet asks for each figure separately,
 * and every figure needs all draws.
 */
#ifndef API_ANALYSIS_RISK_CACHE_H
#define API_ANALYSIS_RISK_CACHE_H

#include "base/recent.h"
#include "estimate/risk/risk.h"

enum { RISK_CACHE_ENTRIES = 16 };

/* Cached risk_simulate(); NULL: no cache. Results of cancelled simulations are not cached. */
void risk_cache_simulate(struct recent *cache, const struct risk_model *model, uint64_t seed,
                         size_t draws, const struct parallel *parallel, struct arena *arena,
                         struct risk *out);

#endif

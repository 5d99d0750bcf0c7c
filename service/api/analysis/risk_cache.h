/* risk_cache.h - per-thread ring of the last 16 simulations, keyed by everything that a simulation
 * depends on: a sheet asks for each figure by itself, and every figure needs all draws.
 */
#ifndef API_ANALYSIS_RISK_CACHE_H
#define API_ANALYSIS_RISK_CACHE_H

#include "estimate/risk/risk.h"

struct risk_cache;  /* of one thread */
struct risk_caches; /* of all threads */

struct risk_caches *risk_cache_new(unsigned n_threads);
void risk_cache_free(struct risk_caches *all); /* NULL is allowed */
struct risk_cache *risk_cache_of(struct risk_caches *all, unsigned thread);

/* Cached risk_simulate(); NULL: no cache. Results of cancelled simulations are not cached. */
void risk_cache_simulate(struct risk_cache *cache, const struct risk_model *model, uint64_t seed,
                         size_t draws, const struct parallel *parallel, struct arena *arena,
                         struct risk *out);

#endif

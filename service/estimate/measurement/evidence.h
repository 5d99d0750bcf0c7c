/* evidence.h - the published runs with their estimates, computed once per catalogue. */
#ifndef ESTIMATE_MEASUREMENT_EVIDENCE_H
#define ESTIMATE_MEASUREMENT_EVIDENCE_H

#include "catalog/catalog.h"

/* The estimate for a run, in the unit of the measurement; NAN if the catalogue lacks its GPU or
 * model, or no strategy is possible. */
struct evidence_estimate {
    double middle, low, high; /* with the 80 % interval */
    double memory;            /* bytes, of an own run whose memory was measured; else 0 */
};

struct nearest_features;
struct evidence_own;

struct evidence {
    const struct measurement *runs;            /* the catalogue's, sorted by name */
    const struct evidence_estimate *estimates; /* in the same order */
    const struct nearest_features *features;   /* of all runs, sorted by nearest_sort() */
    size_t n;
    const struct evidence_own *own; /* for the team's own runs, in catalogue order */
    size_t n_own;
};

/* Compute it once, before the catalogue is published. The estimates for published runs are copied
 * from `former`, the catalogue published before it (NULL: none), if nothing they depend on has
 * changed. */
void evidence_memoize(struct catalog *catalog, const struct catalog *former);
/* The catalogue's evidence. For a past day's view it is recomputed in the arena (about 15 ms) with
 * the GPUs, models and constants of that day; the runs are today's. */
const struct evidence *evidence_of(const struct catalog *catalog, struct arena *arena);

/* The engine or framework; the number format. "" if not stated. */
const char *evidence_software(const struct measurement *run);
const char *evidence_precision(const struct measurement *run);
/* GPUs of the run; for a replica, the product of its degrees. */
double evidence_gpus(const struct measurement *run);

/* The API's name for what a run of that kind measured, and its unit. */
const char *evidence_quantity(const struct measurement *run);
const char *evidence_unit(const struct measurement *run);

#endif

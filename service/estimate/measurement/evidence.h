/* evidence.h - published runs with the estimate for each, worked out once for a catalogue. */
#ifndef ESTIMATE_MEASUREMENT_EVIDENCE_H
#define ESTIMATE_MEASUREMENT_EVIDENCE_H

#include "catalog/catalog.h"

/* What the estimate says of a run, in the unit of what was measured; NAN where the catalogue has
 * not its GPU or model, or no strategy is possible. */
struct evidence_estimate {
    double middle, low, high; /* with the 80 % interval */
    double memory;            /* bytes, of an own run whose memory was measured; else 0 */
};

struct nearest_features;
struct evidence_own;

struct evidence {
    const struct measurement *runs;            /* of the catalogue, sorted by name */
    const struct evidence_estimate *estimates; /* in the same order */
    const struct nearest_features *features;   /* of all of them, sorted; nearest.h */
    size_t n;
    const struct evidence_own *own; /* for the team's own runs, in the order of the catalogue */
    size_t n_own;
};

/* Work it out once for all questions, before the catalogue is published. */
void evidence_memoize(struct catalog *catalog);
/* That of the catalogue; of a past day's view, worked out anew in the arena (some 15 ms) by the
 * GPUs, models and constants of that day. The runs are today's. */
const struct evidence *evidence_of(const struct catalog *catalog, struct arena *arena);

/* What ran it, engine or framework; the number format; "" where not stated. */
const char *evidence_software(const struct measurement *run);
const char *evidence_precision(const struct measurement *run);
/* GPUs of the run; of a replica its degrees say it. */
double evidence_gpus(const struct measurement *run);

/* What was measured of a run of that kind, as the API calls it, and its unit. */
const char *evidence_quantity(const struct measurement *run);
const char *evidence_unit(const struct measurement *run);

#endif

/* correction.h - a shrunken residual: how much of the error of one measured run is taken over into
 * the estimate of another, fading with what differs between them. */
#ifndef ESTIMATE_MEASUREMENT_CORRECTION_H
#define ESTIMATE_MEASUREMENT_CORRECTION_H

#include "estimate/measurement/nearest.h"

/* Fitted to pairs of published runs of one source, model, GPU, software and format. */
struct correction_constants {
    double strength;                        /* share taken over where nothing differs */
    double per_batch, per_length, per_gpus; /* fall of its logarithm for each factor of two */
    double interval; /* share of the interval's logarithm that what was taken over removes */
};

void correction_constants_memoize(struct catalog *catalog);
bool correction_constants_fill(const struct catalog *catalog,
                               struct correction_constants *constants, struct err *err) MUST_CHECK;

struct correction {
    double factor;            /* of the estimate */
    double interval_exponent; /* of the factors of its interval, 1: as they are */
};

/* The correction of an estimate of `asked` by a measured `run` that is estimated otherwise.
 * Mixtures learn nothing of dense models, nor the other way round. */
struct correction correction_of(const struct correction_constants *constants,
                                const struct nearest_features *asked,
                                const struct nearest_features *run, double measured,
                                double estimated);

#endif

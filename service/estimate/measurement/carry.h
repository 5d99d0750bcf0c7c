/* carry.h - predicts how much of the errors of measured runs applies to another estimate of the
 * same model, GPU and software, by a Gaussian process.
 *
 * The estimate is a sum of parts, such as reading weights or launching kernels. Each part has an
 * unknown factor common to all runs, which at each load has the weight of the part there; the
 * remaining error is correlated over similar loads, less so with distance.
 */
#ifndef ESTIMATE_MEASUREMENT_CARRY_H
#define ESTIMATE_MEASUREMENT_CARRY_H

#include "estimate/inference/scheduling.h"
#include "estimate/measurement/nearest.h"
#include "estimate/training/training.h"

enum {
    CARRY_PARTS = 5,
    CARRY_RUNS = 16 /* the nearest runs used */
};

/* Standard deviations of logarithms. */
struct carry_constants {
    double part[CARRY_PARTS]; /* of each part's factor */
    double load;              /* of the remaining error */
    double strength;          /* the fraction of it that another run at the same load shares */
    double per_batch, per_length, per_gpus; /* decay of its correlation, in log, per factor of
                                             * two */
    double caution; /* decay of the whole correction per factor of two if no run is near */
};

/* Fractions of the parts in the estimate; they sum to 1. */
struct carry_parts {
    double share[CARRY_PARTS];
};

/* Parts: weights; work per request; communication; host; other prompts. */
struct carry_parts carry_parts_of_serving(const struct served *served);
/* Parts: arithmetic; memory; communication; pipeline bubble. */
struct carry_parts carry_parts_of_step(const struct training_step *step);

struct carry_run {
    struct nearest_features features;
    struct carry_parts parts;
    double residual; /* log of measured over estimated */
};

/* Runs that inform a question. Start with the question set and n = 0. */
struct carry {
    const struct carry_constants *constants;
    struct carry_run asked; /* its residual is not set */
    struct carry_run runs[CARRY_RUNS];
    double apart[CARRY_RUNS];
    size_t n, seen; /* runs kept, and runs added */
};

/* Keep the run if it is among the nearest. */
void carry_add(struct carry *carry, const struct carry_run *run);

struct carried {
    double residual; /* predicted for the estimate */
    double share;    /* fraction of its standard deviation that the runs explain, 0 to 1 */
};

/* The prediction for the question; zeros without runs. */
struct carried carry_over(const struct carry *carry);

#endif

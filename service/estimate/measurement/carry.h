/* carry.h - how much of the errors of measured runs another estimate of the same model, GPU and
 * software has: a Gaussian process.
 *
 * The estimate is a sum of parts, as reading weights or launching kernels. Each part is off by a
 * factor that is the same in all runs, so that it weighs at each load what the part weighs there;
 * what is left is an error that fades with the difference in load.
 */
#ifndef ESTIMATE_MEASUREMENT_CARRY_H
#define ESTIMATE_MEASUREMENT_CARRY_H

#include "estimate/inference/inference.h"
#include "estimate/measurement/nearest.h"
#include "estimate/training/training.h"

enum {
    CARRY_PARTS = 5,
    CARRY_RUNS = 16 /* the nearest that count */
};

/* Standard deviations are those of logarithms. */
struct carry_constants {
    double part[CARRY_PARTS]; /* of the factor of each part */
    double load;              /* of the error that fades */
    double strength;          /* its share that another run at the same load repeats */
    double per_batch, per_length, per_gpus; /* its fall in logarithm for each factor of two */
    double caution; /* fall of all that is taken over, where no run is near, for each such fall */
};

/* Shares of the parts in the estimate, 1 together. */
struct carry_parts {
    double share[CARRY_PARTS];
};

/* Weights; work for each request; communication; host; prompts of others. */
struct carry_parts carry_parts_of_serving(const struct served *served);
/* Arithmetic; memory; communication; pipeline bubble. */
struct carry_parts carry_parts_of_step(const struct training_step *step);

struct carry_run {
    struct nearest_features features;
    struct carry_parts parts;
    double residual; /* logarithm of measured over estimated */
};

/* Runs that say something of a question. Start with the question and n 0. */
struct carry {
    const struct carry_constants *constants;
    struct carry_run asked; /* without a residual */
    struct carry_run runs[CARRY_RUNS];
    double apart[CARRY_RUNS];
    size_t n, seen; /* kept, and added */
};

/* Keep it if it is among the nearest. */
void carry_add(struct carry *carry, const struct carry_run *run);

struct carried {
    double residual; /* of the estimate that is asked for */
    double share;    /* of its standard deviation that the runs explain: 0 nothing, 1 all */
};

struct carried carry_over(const struct carry *carry);

#endif

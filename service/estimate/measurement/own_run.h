/* own_run.h - the estimate for a run that the team measured, and its roofline bounds. */
#ifndef ESTIMATE_MEASUREMENT_OWN_RUN_H
#define ESTIMATE_MEASUREMENT_OWN_RUN_H

#include "estimate/measurement/correction.h"

/* All NAN if the catalogue lacks its GPU or model, or no strategy is possible. */
struct evidence_own {
    const struct measurement *run;
    double estimated, least;             /* seconds per step or output token */
    double low, high;                    /* the 80 % interval of `estimated` */
    double first_estimated, first_least; /* time to the first token, for inference */
    double weights_bytes, memory_bytes; /* per GPU, for inference: weights at least, and capacity */
    struct nearest_features features;
    struct carry_parts parts;
};

/* The catalogue's constants for these estimates. */
struct own_run_basis {
    const struct training_constants *training;
    const struct inference_constants *inference;
    double memory_utilization;
};

struct evidence_own own_run_estimate(const struct catalog *catalog,
                                     const struct own_run_basis *basis,
                                     const struct measurement *run);
/* The same with the constants of the catalogue; false if it lacks some. */
bool own_run_judge(const struct catalog *catalog, const struct measurement *run,
                   struct evidence_own *judged, struct err *err) MUST_CHECK;

bool own_run_is_training(const struct measurement *run);

#endif

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
    double memory_estimated; /* bytes on the fullest GPU, of the kind that was measured */
    double least_bytes, capacity_bytes; /* per GPU: the least memory needed (weights, and states in
                                         * training), and the memory of the GPU */
    struct nearest_features features;
    struct carry_parts parts;
    struct memory_seen seen; /* by its engine's log; NAN for what was not logged */
};

/* The catalogue's constants for these estimates. */
struct own_run_basis {
    const struct training_constants *training;
    const struct inference_constants *inference;
    double memory_utilization;
};

/* The estimate for the run with its own load, strategy and software. */
struct evidence_own own_run_estimate(const struct catalog *catalog,
                                     const struct own_run_basis *basis,
                                     const struct measurement *run);
/* The same with the catalogue's constants; false if some are missing. */
bool own_run_judge(const struct catalog *catalog, const struct measurement *run,
                   struct evidence_own *judged, struct err *err) MUST_CHECK;

/* The estimate of the memory that was measured, bytes; 0: it was not, or there is none. */
double own_run_memory(const struct evidence_own *own);
/* The replica of an inference run, with the weights that its engine logged; false if the catalogue
 * lacks its GPU or model. */
bool own_run_inference(const struct catalog *catalog, const struct own_run_basis *basis,
                       const struct measurement *run, struct inference_run *read,
                       struct inference *inference);

/* True for a training step, false for a service. */
bool own_run_is_training(const struct measurement *run);

#endif

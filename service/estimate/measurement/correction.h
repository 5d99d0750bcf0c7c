/* correction.h - corrects an estimate by measured runs of the same model, GPU, software and format.
 */
#ifndef ESTIMATE_MEASUREMENT_CORRECTION_H
#define ESTIMATE_MEASUREMENT_CORRECTION_H

#include "estimate/inference/serving/serving.h"
#include "estimate/measurement/carry.h"

/* How measured over estimated changes for each factor of two, as a factor. */
struct correction_trend {
    double batch, input, output;
};

/* Fitted to published runs of one source, model, GPU, software and format
 * (tests/accuracy/anchor.py). */
struct correction_constants {
    struct carry_constants training, token, first; /* first: time to the first token */
    struct correction_trend trend[ENGINE_COUNT];   /* of a time per token; 0: the engine has none */
    /* Fraction of the interval's log width removed by a correction; the same for the first
     * token. */
    double interval, interval_first;
    double far_token; /* exponent on the interval of times per token if no run is near */
    struct carry_constants memory; /* of what a training allocates on a GPU */
    double memory_most; /* log of the largest error corrected; beyond it the runs differ */
};

/* Read once per snapshot, see constants_memoize(); false, with the key in *err, if the catalogue
 * lacks one. */
void correction_constants_memoize(struct catalog *catalog);
bool correction_constants_fill(const struct catalog *catalog,
                               struct correction_constants *constants, struct err *err) MUST_CHECK;

/* A measured run with its estimate. */
struct correction_run {
    struct nearest_features features;
    struct carry_parts parts;
    double measured, estimated;
    double memory, memory_estimated; /* bytes on the fullest GPU; NAN: not measured */
};

struct correction_runs {
    struct correction_constants constants;
    const struct correction_run *at;
    size_t n;
};

struct correction {
    double factor;            /* on the estimate */
    double interval_exponent; /* exponent on the interval's factors; 1 for no change */
    double runs;
};

/* training_job.memory_excess by those runs: the same for every strategy and number of GPUs, so that
 * a search compares like with like. `passed_over` counts runs too far off to have had the stated
 * settings. */
struct correction_memory {
    double excess, runs, passed_over;
    double farthest; /* measured over estimated, of the last one passed over */
};
struct correction_memory correction_of_memory(const struct correction_runs *runs,
                                              const struct training_job *job);

/* A measured run of a replica with its estimate; NAN for what was not measured. */
struct correction_served {
    struct nearest_features features;
    struct carry_parts parts;                              /* of the time per token */
    double token, token_estimated, first, first_estimated; /* seconds */
    struct memory_seen seen;
};

struct correction_served_runs {
    struct correction_constants constants;
    const struct correction_served *at;
    size_t n;
};

/* Corrects a training step by a struct correction_runs: the `correct` of struct
 * training_residuals. */
struct training_correction correction_of_training(const void *runs, const struct training_job *job,
                                                  const struct training_plan *plan);

/* What engines of the same model, GPU, software and format were seen to hold, on average; zeros if
 * none was. */
struct memory_seen correction_of_engine_memory(const struct correction_served_runs *runs,
                                               const struct nearest_features *asked);

/* Exponents on the interval: with these runs, and with one more of the very load asked about, whose
 * error has most in common with the estimate's. */
struct correction_next {
    double now, then;
};
struct correction_next correction_next_step(const struct correction_runs *runs,
                                            const struct training_job *job,
                                            const struct training_plan *plan);
struct correction_next correction_next_token(const struct correction_served_runs *runs,
                                             const struct inference_constants *plain,
                                             const struct inference_job *job, double in_flight);

/* Corrects a replica by a struct correction_served_runs: the `correct` of struct
 * serving_residuals. */
const struct inference_constants *correction_of_serving(const void *runs,
                                                        const struct inference_constants *plain,
                                                        const struct inference_job *job,
                                                        double in_flight, struct arena *arena,
                                                        struct serving_correction *correction);

#endif

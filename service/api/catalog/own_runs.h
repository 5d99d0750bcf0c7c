/* own_runs.h - own measured runs: checks a measured figure against physical bounds and unit errors,
 * and adds a stored set to the correction of an estimate. */
#ifndef API_CATALOG_OWN_RUNS_H
#define API_CATALOG_OWN_RUNS_H

#include "api/resource/context.h"
#include "estimate/measurement/own_run.h"

/* A measured figure in seconds. A rate is stored as its inverse. */
struct own_figure {
    const char *name; /* name of the input */
    double given;     /* as given, in `unit`; NAN if not given */
    double measured, estimated, least;
    const char *unit;
    bool rate;
    const char *because; /* assumptions behind the bound, in words */
    double gpus;         /* for a rate per GPU: the number of GPUs that ran; else 0 */
    double requests;     /* for the rate of a replica: the requests in flight; else 0 */
};

/* Refuses a figure below its physical bound; one about 1,000 times off the estimate or over 10,000,
 * which must be in a wrong unit; a rate per GPU that is the rate of all GPUs; and the rate of a
 * replica that is the rate of one request. */
bool own_runs_check(struct request_context *context, const struct own_figure *figure,
                    struct err *err);

/* What is on the GPUs in any training. */
extern const char own_runs_training_holds[];

/* Memory that was measured on a GPU, in bytes but for `given`, which is GiB. */
struct own_memory {
    const char *name; /* of the input */
    double given;
    double least, capacity;
    const char *holds; /* what the least memory holds, in words */
    const char *gpu;
    double gpus; /* in the run */
};

/* Refuses memory that is less than what has to be there or more than the GPU has, and says so if
 * it would be right in another unit, or as the sum of all GPUs. */
bool own_runs_check_memory(struct request_context *context, const struct own_memory *memory,
                           struct err *err);

/* Append the set's runs that can be estimated, of training or of inference, to the `n` runs in
 * `to`; at most as many as the catalogue has own runs. False if there is no such set. */
bool own_runs_of_training(struct request_context *context, const char *set,
                          struct correction_run *to, size_t *n, struct err *err);
bool own_runs_of_inference(struct request_context *context, const char *set,
                           struct correction_served *to, size_t *n, struct err *err);
/* Warns that no run of the set matches the question's model, GPU and so on, and says how the
 * nearest differs; `asked` is NULL if many designs are asked for. */
void own_runs_warn_unlike(struct request_context *context, const char *set,
                          const struct nearest_features *asked);

/* Warns if the correction is outside the estimate's 99 % interval: the run probably differs from
 * the question or had a bottleneck elsewhere. `low` and `high` are the ends of the 80 % interval,
 * relative to its middle. */
void own_runs_warn_far(struct request_context *context, double factor, double low, double high);

/* Refuses the inputs in `names`, separated by blanks, which describe how a run differed, if no run
 * is given by `how`. */
void own_runs_refuse_alone(struct request_context *context, const char *names, const char *how,
                           struct err *err);

/* Such as "corrected by x 1.12 from 3 runs of measurement_set acme; without them a step takes 4.2
 * s". */
const char *own_runs_sentence(struct request_context *context, const char *set, double factor,
                              double runs, const char *what, double without, const char *unit);

/* The sentence, with how much another run would narrow the interval, `run` being such as "of 64
 * requests in flight"; unchanged if that is little. */
const char *own_runs_next(struct request_context *context, const char *sentence,
                          struct correction_next next, const char *run);

#endif

/* inference_run.h - converts a published inference time to the question that its estimate
 * answers. */
#ifndef ESTIMATE_MEASUREMENT_INFERENCE_RUN_H
#define ESTIMATE_MEASUREMENT_INFERENCE_RUN_H

#include "estimate/inference/scheduling.h"

enum inference_run_kind {
    INFERENCE_RUN_SERVED,  /* per output token, in a closed loop */
    INFERENCE_RUN_STREAM,  /* per output token, one request alone */
    INFERENCE_RUN_STATIC,  /* a whole batch, from its prompts to its last token */
    INFERENCE_RUN_OFFLINE, /* per output token of a replica at maximum throughput */
    INFERENCE_RUN_PREFILL, /* reading a batch of prompts */
    INFERENCE_RUN_POOLS,   /* per output token, with separate prefill GPUs */
    INFERENCE_RUN_KINDS
};

struct inference_run {
    struct inference_job job;
    enum inference_run_kind kind;
    double concurrency;
};

/* Read the run for a GPU and a shape found by the caller; false if a word is unknown. */
bool inference_run_read(const struct measurement *measured, const struct gpu *gpu,
                        const struct model_shape *shape, double memory_utilization,
                        struct inference_run *run, struct err *err) MUST_CHECK;

/* The estimated seconds for the run's kind of measurement. */
double inference_run_seconds(const struct inference *inference, const struct inference_run *run);
/* The factor of its 80 % interval. */
double inference_run_interval(const struct inference *inference, const struct inference_run *run);

#endif

/* inference_run.h - a published inference time as the question that its estimate answers. */
#ifndef ESTIMATE_MEASUREMENT_INFERENCE_RUN_H
#define ESTIMATE_MEASUREMENT_INFERENCE_RUN_H

#include "estimate/inference/inference.h"

enum inference_run_kind {
    INFERENCE_RUN_SERVED,  /* per output token, in a closed loop */
    INFERENCE_RUN_STREAM,  /* per output token, one request alone */
    INFERENCE_RUN_STATIC,  /* a whole batch, from its prompts to its last token */
    INFERENCE_RUN_OFFLINE, /* per output token of a replica at its maximum */
    INFERENCE_RUN_PREFILL, /* reading a batch of prompts */
    INFERENCE_RUN_POOLS,   /* per output token, other GPUs reading the prompts */
    INFERENCE_RUN_KINDS
};

struct inference_run {
    struct inference_job job;
    enum inference_run_kind kind;
    double concurrency;
};

/* What the run states, for a GPU and a shape found by the caller; false where a word is none. */
bool inference_run_read(const struct measurement *measured, const struct gpu *gpu,
                        const struct model_shape *shape, double memory_utilization,
                        struct inference_run *run, struct err *err) MUST_CHECK;

/* The seconds that the run's kind says. */
double inference_run_seconds(const struct inference *inference, const struct inference_run *run);
/* The factor of their 80 % interval. */
double inference_run_interval(const struct inference *inference, const struct inference_run *run);

#endif

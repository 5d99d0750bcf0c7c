/* optimizer_step.h - the work done once per optimizer step: gradient reduction over the replicas,
 * gathering of weights, update of states. */
#ifndef ESTIMATE_TRAINING_OPTIMIZER_STEP_H
#define ESTIMATE_TRAINING_OPTIMIZER_STEP_H

#include "estimate/training/training.h"

/* Communication for the update and the update itself, which do not depend on layers and
 * micro-batches.
 */
struct training_exchange {
    double weights_dense, weights_expert; /* per GPU */
    double ring_rate, expert_ring_rate;   /* bytes/s [B_dp B_edp] */
    double t_bytes, t_latency;            /* s of an exchange among the ranks that share states */
    double t_copies; /* s across the copies of the states, if there are several */
    double t_host;   /* s of weights from the host, per micro-batch */
    double t_update;
};

/* Seconds per step in which the GPU waits for the host, which reads back the gradient norm,
 * launches the optimizer tensor by tensor and prepares the next batch. 0 under JAX, where a step is
 * one program. */
double training_host_step(const struct training_job *job);

/* Degrees, ZeRO stage and offload of the strategy must be known. */
struct training_exchange training_exchange(const struct training_job *job,
                                           const struct training_rates *rates,
                                           const struct links *links,
                                           const struct training_strategy *strategy);

/* Micro-batches that can overlap with the exchange. */
struct training_passes {
    double micro_batches, t_max, t_micro_batch;
};

/* The exposed part of it. Under ZeRO 3, or with weights in host memory, micro-batches get
 * longer. */
struct training_exposed {
    double t_micro_batch, t_streamed;
    double t_reduction, t_hidden;
    double communication; /* s per step */
};
struct training_exposed training_exposed(const struct training_job *job,
                                         const struct training_strategy *strategy,
                                         const struct training_exchange *exchange,
                                         const struct training_passes *passes);

/* How many of `ranks` share one copy of the states: all, or a hybrid-sharding group. */
double training_sharing_ranks(const struct training_strategy *on, double ranks);

/* True if the reduction overlaps with the passes. */
bool training_overlaps_reduction(const struct training_job *job);

/* A lower bound of the exposed part, without latency: overlapped with micro-batches long enough to
 * hide all that can be hidden. */
double training_least_exposed(const struct training_job *job, double zero_stage,
                              const struct training_exchange *exchange, double micro_batches);

#endif

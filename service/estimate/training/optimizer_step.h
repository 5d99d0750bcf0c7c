/* optimizer_step.h - what happens once per optimizer step: gradients reduced over the replicas,
 * weights gathered, states updated. */
#ifndef ESTIMATE_TRAINING_OPTIMIZER_STEP_H
#define ESTIMATE_TRAINING_OPTIMIZER_STEP_H

#include "estimate/training/training.h"

/* What is sent for the update, and the update: the same whatever the layers and micro-batches are.
 */
struct training_exchange {
    double weights_dense, weights_expert; /* on one GPU */
    double ring_rate, expert_ring_rate;   /* bytes/s [B_dp B_edp] */
    double t_bytes, t_latency;            /* s of an exchange among the ranks that share states */
    double t_copies; /* s over the copies of the states, where there are several */
    double t_host;   /* s of weights from the host, in each micro-batch */
    double t_update;
};

/* Seconds per step in which the GPU waits for the host, which reads back the gradient norm,
 * launches the optimizer tensor by tensor and prepares the next batch. 0 under JAX, where a step is
 * one program. */
double training_host_step(const struct training_job *job);

struct training_exchange training_exchange(const struct training_job *job,
                                           const struct training_rates *rates,
                                           const struct links *links,
                                           const struct training_strategy *strategy);

/* Micro-batches that the exchange runs alongside. */
struct training_passes {
    double micro_batches, t_max, t_micro_batch;
};

/* What of it is exposed. Under ZeRO 3, or with weights in host memory, micro-batches get longer. */
struct training_exposed {
    double t_micro_batch, t_streamed;
    double t_reduction, t_hidden;
    double communication; /* s of a step */
};
struct training_exposed training_exposed(const struct training_job *job,
                                         const struct training_strategy *strategy,
                                         const struct training_exchange *exchange,
                                         const struct training_passes *passes);

/* Whether the reduction runs alongside the passes. */
bool training_reduces_beside(const struct training_job *job);

/* The least that can be exposed of it, latency left out: alongside micro-batches so long that they
 * hide what they can. */
double training_least_exposed(const struct training_job *job, double zero_stage,
                              const struct training_exchange *exchange, double micro_batches);

#endif

/* phases.h - phases of a training step other than the update of the model: generation of answers,
 * passes without gradients, and the update of a critic. */
#ifndef ESTIMATE_TRAINING_PLAN_PHASES_H
#define ESTIMATE_TRAINING_PLAN_PHASES_H

#include "estimate/inference/rollout.h"
#include "estimate/training/memory.h"

/* Generation of answers by vLLM in 16 bit, on the same GPUs. Training moves everything to the host
 * meanwhile, and the engine sleeps during the update, as in NeMo RL (NVIDIA-NeMo/RL,
 * docs/design-docs: generation; github.com/NVIDIA-NeMo/RL/issues/33): only while weights are handed
 * over are those of both on the GPU. */
struct training_rollout {
    struct inference_constants inference;
    struct rollout_answers answers;
    double memory_utilization; /* as in inference_job */
};

struct training_phases {
    double forward;    /* s of passes without gradients */
    double critic;     /* s of the critic's update */
    double engine;     /* s until the engine has written the last answer */
    double generation; /* s of generation including rewards and the transfer of weights */
    double generation_low, generation_high; /* ends of its 80 % interval */
    double tensor, concurrency;             /* of a generating replica */
    double engine_weights; /* bytes per GPU; of the smallest replica if none fits */
    double handover;       /* bytes per GPU while the engine receives the trained weights */
};

/* All 0 if a step is only its update; generation is NAN if no replica fits on the GPUs. `rollout`
 * is NULL if no answers are generated. */
struct training_phases training_phases_of(const struct training_job *job,
                                          const struct training_strategy *strategy,
                                          const struct training_step *update,
                                          const struct training_memory *memory,
                                          const struct training_rollout *rollout);

/* The bytes on the fullest GPU in any phase, over its capacity. */
double training_phases_fill(const struct training_phases *phases,
                            const struct training_memory *memory);
/* Whether that fits with less than 5 % of the GPU to spare, by which measured memory was off the
 * estimate on average (tests/accuracy/RESULTS.md): many such plans run out of memory. */
bool training_phases_are_tight(const struct training_phases *phases,
                               const struct training_memory *memory);

/* Passes without gradients over the tokens of a step, by the model or others; smaller ones count by
 * their weights. `micro_batches`: of a replica. */
double training_forward_passes(const struct training_job *job, double micro_batches);

#endif

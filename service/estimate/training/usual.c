/* usual.c - what training software divides and recomputes where nothing is stated. */
#include "estimate/training/training.h"

#include <math.h>

/* FSDP divides the weights unless it is told otherwise (torch.distributed.fsdp, fully_shard:
 * reshard_after_forward); with stages torchtitan tells it so. So does MaxText, whose devices are
 * all on its axis fsdp by default (AI-Hypercomputer/maxtext, docs: sharding, ici_fsdp_parallelism
 * -1). Megatron's distributed optimizer divides its states alone (Megatron Core's guide,
 * Distributed Optimizer). */
double training_usual_zero_stage(enum training_stack stack, const struct training_strategy *pinned)
{
    bool megatron = stack == TRAINING_STACK_MEGATRON || stack == TRAINING_STACK_GRAPHS;
    bool shards = stack == TRAINING_STACK_FSDP || stack == TRAINING_STACK_JAX;
    bool alone = pinned->gpu_count == 1 || pinned->data == 1;

    if (!isnan(pinned->zero_stage) || alone)
        return pinned->zero_stage;
    if (megatron)
        return 1;
    return shards && !(pinned->pipeline > 1) ? 3 : pinned->zero_stage;
}

bool training_tunes_with_torch(const struct training_job *job)
{
    return job->method != TRAINING_PRETRAIN &&
           (training_plain_torch(job) || job->stack == TRAINING_STACK_UNSPECIFIED);
}

/* Trainers for fine-tuning recompute every layer unless they are told otherwise: TRL
 * (huggingface/trl, trl/trainer/sft_config.py: gradient_checkpointing is True by default),
 * torchtune (recipes/configs: enable_activation_checkpointing), LLaMA-Factory
 * (hparams/model_args.py: disable_gradient_checkpointing is False by default); read 2026-11-29.
 * NVIDIA's recipes and JAX keep activations where they fit. */
enum training_recompute training_usual_recompute(const struct training_job *job,
                                                 enum training_recompute stated)
{
    return stated == TRAINING_RECOMPUTE_AUTO && training_tunes_with_torch(job)
               ? TRAINING_RECOMPUTE_FULL
               : stated;
}

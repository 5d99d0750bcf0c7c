/* memory.h - the memory that one GPU of the busiest stage needs during training, and whether it
 * fits.
 *
 * The estimate depends on the software, according to its sources. Megatron, which is the default:
 * one permanent FP32 gradient buffer, 16-bit weights in addition to their FP32 copy, fused
 * cross-entropy (reference check: 24 measured allocations on B200). PyTorch FSDP2 (also torchtune):
 * the FP32 shard is the only copy of a weight, layers are gathered in 16 bit, gradients exist from
 * the backward pass to the update, the loss is computed on FP32 logits, and selective recompute
 * keeps every second product. DeepSpeed: 16-bit gradients, copied to FP32 for the update; the loss
 * as in PyTorch. JAX: the FP32 weights are the only copy, and the compiler plans buffer lifetimes.
 */
#ifndef ESTIMATE_TRAINING_MEMORY_H
#define ESTIMATE_TRAINING_MEMORY_H

#include "estimate/training/training.h"

/* Bytes on one GPU, at the peak of the step. */
struct training_memory {
    double weights;     /* including gather buffers */
    double gradients;   /* including the scratch of one layer's weight gradients [S] */
    double optimizer;   /* master weights and moments */
    double activations; /* including the logits, if the busiest stage has them */
    double kv_cache;    /* always 0 in training */
    double reference;   /* the part of the weights that is a frozen reference model */
    double critic;      /* the part that is a critic and a reward model */
    double correction;  /* by measured runs; 0: none, or they say the same */
    double overhead;    /* CUDA context, communication buffers [R], and cached memory */

    double states;             /* weights, gradients and optimizer without S and buffers */
    double scratch;            /* [S] */
    double layer_activations;  /* [A] */
    double logits;             /* of the last stage [G] */
    double cached;             /* freed before the peak but fragmented: counted as overhead */
    double host;               /* in host memory, per GPU: what is offloaded */
    double stage;              /* index of the busiest stage, from 0 */
    double allocated;          /* by the framework: everything except the overhead */
    double required, capacity; /* including overhead; the GPU's */
};

/* What tools call the memory of a GPU. */
enum training_memory_kind {
    TRAINING_MEMORY_ALLOCATED, /* the tensors: PyTorch's max_memory_allocated */
    TRAINING_MEMORY_RESERVED,  /* the allocator's blocks: PyTorch's max_memory_reserved */
    TRAINING_MEMORY_DEVICE,    /* all that is taken, as nvidia-smi shows it */
    TRAINING_MEMORY_KINDS
};
int training_memory_find(const char *kind); /* -1: none such */

static inline double training_memory_of(const struct training_memory *memory,
                                        enum training_memory_kind kind)
{
    return kind == TRAINING_MEMORY_ALLOCATED  ? memory->allocated
           : kind == TRAINING_MEMORY_RESERVED ? memory->allocated + memory->cached
                                              : memory->required;
}

/* All members of the strategy must be known. */
struct training_memory training_memory(const struct training_job *job,
                                       const struct training_strategy *strategy);

/* Bytes of weights, gradients and states that any sharding holds at least once over all GPUs: fewer
 * GPUs than can hold these do not suffice. */
double training_least_bytes(const struct training_job *job);

/* Bytes that the strategy lacks; 0 if it fits. */
double training_shortfall(const struct training_memory *memory);

#endif

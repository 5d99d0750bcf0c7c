/* memory.h - what one GPU of the busiest stage has to hold during training, and whether
 * it does.
 *
 * The account depends on the software, as their sources have it:
 * Megatron, and where nothing is said: one FP32 gradient buffer that lives for ever, 16-bit weights
 * alongside their FP32 copy, fused cross-entropy (reference check: 24 measured allocations on
 * B200). PyTorch FSDP2 (also torchtune): the FP32 shard is the only copy of a weight, layers are
 * gathered in 16 bit, gradients exist from the backward pass to the update, the loss is computed on
 * FP32 logits, and selective recompute keeps every second product. DeepSpeed: 16-bit gradients,
 * copied to FP32 for the update; the loss as in PyTorch. JAX: the FP32 weights are the only copy,
 * the compiler plans what lives when.
 */
#ifndef ESTIMATE_TRAINING_MEMORY_H
#define ESTIMATE_TRAINING_MEMORY_H

#include "estimate/training/training.h"

/* Bytes on one GPU, at the moment of the step that needs most. */
struct training_memory {
    double weights;     /* with the buffers they are gathered in */
    double gradients;   /* with the scratch of one layer's weight gradients [S] */
    double optimizer;   /* master weights and moments */
    double activations; /* with the logits, where the busiest stage has them */
    double kv_cache;    /* none in training */
    double correction;  /* by measured runs; 0: none, or they say the same */
    double overhead;    /* CUDA context, communication buffers [R], and what is cached */

    double states;             /* weights, gradients and optimizer without S and buffers */
    double scratch;            /* [S] */
    double layer_activations;  /* [A] */
    double logits;             /* of the last stage [G] */
    double cached;             /* freed before the peak but fragmented: counted as overhead */
    double host;               /* in host memory, per GPU: what is offloaded */
    double stage;              /* which stage is the busiest, from 0 */
    double allocated;          /* what the framework allocates: all but the overhead */
    double required, capacity; /* with the overhead; what the GPU has */
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

struct training_memory training_memory(const struct training_job *job,
                                       const struct training_strategy *strategy);

/* Bytes of weights, gradients and states that are on the GPUs however the work is spread, counted
 * once: fewer GPUs than hold these cannot do. */
double training_least_bytes(const struct training_job *job);

/* Bytes that the strategy lacks; 0 where it fits. */
double training_shortfall(const struct training_memory *memory);

#endif

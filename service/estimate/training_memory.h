/* training_memory.h - what one GPU of the busiest stage has to hold during training, and whether
 * it does. */
#ifndef ESTIMATE_TRAINING_MEMORY_H
#define ESTIMATE_TRAINING_MEMORY_H

#include "estimate/training.h"

/* Bytes on one GPU. */
struct training_memory {
    double weights;     /* under ZeRO 3 with the buffers they are gathered in */
    double gradients;   /* with the scratch of one layer's weight gradients [S] */
    double optimizer;   /* master weights and moments */
    double activations; /* with the logits */
    double kv_cache;    /* none in training */
    double overhead;    /* CUDA context, communication buffers [R] */

    double states;             /* weights, gradients and optimizer without S and buffers */
    double scratch;            /* [S] */
    double layer_activations;  /* [A] */
    double logits;             /* [G] */
    double allocated;          /* what the framework allocates: all but the overhead */
    double required, capacity; /* with the overhead; what the GPU has */
};

struct training_memory training_memory(const struct training_job *job,
                                       const struct training_strategy *strategy);

/* Bytes that the strategy lacks; 0 where it fits. */
double training_shortfall(const struct training_memory *memory);

#endif

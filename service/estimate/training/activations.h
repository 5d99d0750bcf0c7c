/* activations.h - memory that one micro-batch keeps for its backward pass.
 *
 * Averaged over the model's layers: for a mixture, over dense and sparse layers.
 */
#ifndef ESTIMATE_TRAINING_ACTIVATIONS_H
#define ESTIMATE_TRAINING_ACTIVATIONS_H

#include "estimate/training/training.h"

/* Bytes on one GPU. */
struct training_activations {
    double kept;          /* per layer, under the strategy's recompute setting */
    double inside;        /* of a layer during its backward pass: all its activations */
    double logits;        /* of the last stage, including the loss's temporaries, at their peak
                           * [G] */
    double unused_logits; /* freed logit blocks that nothing else fits into */
};

/* `element_bytes` per activation: 2, or 4 in fp32 and tf32. */
struct training_activations training_activations(const struct training_job *job,
                                                 const struct training_strategy *strategy,
                                                 double element_bytes);

#endif

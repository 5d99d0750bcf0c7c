/* activations.h - what one micro-batch leaves in memory for its backward pass.
 *
 * Layers are averaged over the model: a mixture's are between its dense and its sparse ones.
 */
#ifndef ESTIMATE_TRAINING_ACTIVATIONS_H
#define ESTIMATE_TRAINING_ACTIVATIONS_H

#include "estimate/training/training.h"

/* Bytes on one GPU. */
struct training_activations {
    double kept;          /* by a layer, under the strategy's recompute */
    double inside;        /* by a layer while it runs backward: all of it */
    double logits;        /* of the last stage, with the loss's own, at their peak [G] */
    double unused_logits; /* blocks of logits that nothing else fits into */
};

/* `element_bytes` is of an activation: 2, or 4 in fp32 and tf32. */
struct training_activations training_activations(const struct training_job *job,
                                                 const struct training_strategy *strategy,
                                                 double element_bytes);

#endif

/* training_update.h - what happens once per optimizer step: gradients reduced over the replicas,
 * weights gathered, states updated. */
#ifndef ESTIMATE_TRAINING_UPDATE_H
#define ESTIMATE_TRAINING_UPDATE_H

#include "estimate/training.h"

/* Fill the weights on one GPU, the reduction and what of it is exposed. The micro-batches of the
 * step are known; under ZeRO 3, or with weights in host memory, they get longer. */
void training_reduction(const struct training_job *job, const struct links *links,
                        const struct training_strategy *strategy, struct training_step *step);

/* Fill the time of the optimizer. */
void training_update(const struct training_job *job, const struct training_strategy *strategy,
                     struct training_step *step);

#endif

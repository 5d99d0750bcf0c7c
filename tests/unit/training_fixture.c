#include "training_fixture.h"

#include <math.h>

struct training_job fixture_job(const struct training_constants *constants, const struct gpu *gpu,
                                const struct model_shape *shape)
{
    const double unknown = (double)NAN;

    return (struct training_job){.constants = constants,
                                 .gpu = gpu,
                                 .shape = *shape,
                                 .precision = TRAINING_BF16,
                                 .trainable_ratio = unknown,
                                 .sequence_tokens = unknown,
                                 .batch_sequences = unknown,
                                 .gpus_per_node = unknown,
                                 .network_rate = unknown,
                                 .power = unknown,
                                 .flash_attention = true,
                                 .communication_overlap = true,
                                 .tensor_overlap = true};
}

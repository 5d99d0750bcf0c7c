/* training_fixture.h - a training job with everything left open. */
#ifndef TESTS_TRAINING_FIXTURE_H
#define TESTS_TRAINING_FIXTURE_H

#include "estimate/training/training.h"

/* Pre-training in bf16, fused and overlapped; training_complete() it once what differs is set. */
struct training_job fixture_job(const struct training_constants *constants, const struct gpu *gpu,
                                const struct model_shape *shape);

#endif

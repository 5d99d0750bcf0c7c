/* training_fixture.h - a training job with everything left open; searches that only tests need. */
#ifndef TESTS_TRAINING_FIXTURE_H
#define TESTS_TRAINING_FIXTURE_H

#include "estimate/training/plan/options.h"

/* Pre-training in bf16, fused and overlapped; training_complete() it once what differs is set. */
struct training_job fixture_job(const struct training_constants *constants, const struct gpu *gpu,
                                const struct model_shape *shape);

/* The ranked options of all candidates. */
void fixture_options(const struct training_options_ask *ask, struct arena *arena,
                     struct training_option_list *list);

/* training_search() without a batch much larger than the default. */
bool fixture_search_within_batch(const struct training_job *job,
                                 const struct training_strategy *pinned,
                                 struct training_plan *plan);

#endif

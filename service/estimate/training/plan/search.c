#include "estimate/training/plan/lower_bound.h"

#include <math.h>

struct training_strategy training_strategy_free(void)
{
    const double any = (double)NAN;

    return (struct training_strategy){.gpu_count = any,
                                      .tensor = any,
                                      .pipeline = any,
                                      .context = any,
                                      .expert = any,
                                      .data = any,
                                      .virtual_stages = any,
                                      .micro_batch = any,
                                      .zero_stage = any,
                                      .shard = any,
                                      .sequence_parallel = any,
                                      .recompute = TRAINING_RECOMPUTE_AUTO,
                                      .batch_sequences = any};
}

bool training_search(const struct training_job *job, const struct training_strategy *pinned,
                     struct training_plan *plan)
{
    struct training_space space;

    training_space_init(&space, job, pinned);
    space.once = true;
    training_space_set_count(&space, pinned->gpu_count, false);
    bool found = training_space_search(&space, plan);
    if (!found) {
        training_space_set_count(&space, pinned->gpu_count, true);
        found = training_space_search(&space, plan);
    }
    if (found && !plan->fits)
        training_lower_bound_least(&space, plan);
    training_space_free(&space);
    return found;
}

bool training_fits(const struct training_job *job, const struct training_strategy *pinned,
                   double gpu_count)
{
    struct training_space space;

    training_space_init(&space, job, pinned);
    space.once = true;
    training_space_set_count(&space, gpu_count, false);
    bool fit = training_space_fits(&space);
    training_space_free(&space);
    return fit;
}

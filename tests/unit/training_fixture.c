#include "training_fixture.h"

#include "estimate/training/plan/lower_bound.h"

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

void fixture_options(const struct training_options_ask *ask, struct arena *arena,
                     struct training_option_list *list)
{
    struct training_options_part *parts =
        arena_alloc(arena, (ask->n_candidates + 1) * sizeof(*parts));

    for (size_t i = 0; i < ask->n_candidates; i++)
        training_options_of(ask, i, arena, &parts[i]);
    training_options_rank(ask, parts, arena, list);
}

bool fixture_search_within_batch(const struct training_job *job,
                                 const struct training_strategy *pinned, struct training_plan *plan)
{
    struct training_space space;

    training_space_init(&space, job, pinned);
    space.once = true;
    training_space_set_count(&space, pinned->gpu_count, false);
    bool found = training_space_search(&space, plan);
    if (found && !plan->fits)
        training_lower_bound_least(&space, plan);
    training_space_free(&space);
    return found;
}

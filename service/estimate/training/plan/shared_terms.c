#include "estimate/training/plan/shared_terms.h"

#include "base/minmax.h"

#include <math.h>
#include <string.h>

/* Whether ZeRO 1 is never slower and never larger than no ZeRO. Instead of all-reducing
 * gradients it reduce-scatters them and gathers weights, which are no wider; the optimizer step
 * and its states are sharded. */
static bool one_beats_none(const struct training_job *job)
{
    struct training_bytes bytes = training_job_bytes(job);

    return job->stack == TRAINING_STACK_UNSPECIFIED && bytes.weight <= bytes.gradient;
}

double training_shared_terms_least(const struct training_space *space,
                                   const struct training_grid_row *row,
                                   const struct training_state_sharding *sharding)
{
    return training_least_exposed(space->job, sharding->stage, &sharding->traffic,
                                  row->least_turns) +
           sharding->traffic.t_update;
}

static void set_shardings(struct training_space *space, struct training_strategy *on,
                          struct training_shared_terms *shared)
{
    struct training_values stages, shards;

    training_constraints_zero(space->pinned, on, &stages);
    if (stages.n > 1 && stages.at[0] == 0 && one_beats_none(space->job))
        memmove(stages.at, stages.at + 1, --stages.n * sizeof(double));
    training_space_shards(space, on, &shards);
    shared->shardings =
        arena_room(&space->count_arena, stages.n * shards.n * sizeof(*shared->shardings));
    for (size_t i = 0; i < stages.n; i++)
        for (size_t j = 0; j < shards.n; j++) {
            struct training_state_sharding *sharding = &shared->shardings[shared->n_shardings++];
            on->zero_stage = sharding->stage = stages.at[i];
            on->shard = sharding->shard = shards.at[j];
            sharding->traffic = training_exchange(space->job, &space->rates, &space->links, on);
        }
}

struct training_shared_terms *training_shared_terms_of(struct training_space *space,
                                                       const struct training_block *block,
                                                       const struct training_grid_row *row)
{
    struct training_family *family = &space->families[block->family];
    struct training_strategy on = block->groups[0].on;

    if (!family->shared) {
        family->shared = arena_room(&space->count_arena, space->n_pipes * sizeof(*family->shared));
        for (size_t i = 0; i < space->n_pipes; i++)
            family->shared[i].known = false;
    }
    struct training_shared_terms *shared = &family->shared[row->pipe];
    if (shared->known)
        return shared;
    shared->known = true;
    shared->n_shardings = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            shared->spread[i][j] = (struct training_reach){0, (double)INFINITY};
    on.gpu_count = space->gpu_count;
    on.pipeline = row->pipeline;
    on.data = row->data;
    if (!training_divides(on.expert, on.tensor * on.context * on.data))
        return shared;
    set_shardings(space, &on, shared);
    return shared;
}

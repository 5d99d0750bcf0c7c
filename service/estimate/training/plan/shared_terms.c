#include "estimate/training/plan/shared_terms.h"

#include "base/minmax.h"

#include <math.h>
#include <string.h>

/* What a step is known to take at least alongside the layers of a pipeline, the latency of the
 * exchanges left out. With more replicas an exchange takes no less, a divided update no less than
 * their ratio, and what comes with each micro-batch no less than theirs. 0 replicas: not known. */
struct training_least {
    double replicas, turns;  /* the latter are micro-batches */
    double exchange, update; /* s */
};

static double replicas(const struct training_space *space, const struct training_block *block,
                       const struct training_grid_row *row)
{
    return row->data * space->frames[block->frame].context;
}

double training_shared_terms_known(const struct training_space *space,
                                   const struct training_block *block,
                                   const struct training_grid_row *row)
{
    const struct training_least *known = space->kin[block->kin].least;
    double now = replicas(space, block, row);

    if (!known)
        return 0;
    known += (size_t)row->pipeline;
    if (known->replicas == 0 || known->replicas > now)
        return 0;
    double turns =
        training_space_streams(space, block->zero_3 ? 3 : 0) ? row->least_turns / known->turns : 1;
    return known->exchange * lesser(1, turns) + known->update * known->replicas / now;
}

/* Whether ZeRO 1 is never slower and never larger than none. In place of all-reducing gradients it
 * scatters these and gathers weights, which are no wider; the update is divided, and so are the
 * optimizer's states. */
static bool one_beats_none(const struct training_job *job)
{
    struct training_bytes bytes = training_job_bytes(job);

    return job->stack == TRAINING_STACK_UNSPECIFIED && bytes.weight <= bytes.gradient;
}

double training_shared_terms_least(const struct training_space *space,
                                   const struct training_grid_row *row,
                                   const struct training_way *way)
{
    return training_least_exposed(space->job, way->stage, &way->traffic, row->least_turns) +
           way->traffic.t_update;
}

/* Keep the least of the ways for greater numbers of replicas. */
static void note(struct training_space *space, const struct training_block *block,
                 const struct training_grid_row *row, const struct training_strategy *on,
                 const struct training_exchange *traffic)
{
    struct training_kin *kin = &space->kin[block->kin];
    double turns = row->least_turns;
    struct training_least least = {
        on->data * on->context, turns,
        training_least_exposed(space->job, on->zero_stage, traffic, turns), traffic->t_update};

    if (!kin->least)
        kin->least = training_space_table(space, sizeof(*kin->least));
    struct training_least *known = &kin->least[(size_t)row->pipeline];
    if (known->replicas == least.replicas) {
        least.exchange = lesser(least.exchange, known->exchange);
        least.update = lesser(least.update, known->update);
    }
    *known = least;
}

/* No group that shares states is smaller than a node, or two replicas. In it experts have no more
 * owners than that; of all replicas, whose update is shortest, each of their tensor ranks is one.
 */
static void note_smallest(struct training_space *space, const struct training_block *block,
                          const struct training_grid_row *row, struct training_strategy on)
{
    double least = greater(2, floor(space->node / on.tensor));
    struct training_exchange traffic;

    on.data = least / on.context;
    on.shard = 0;
    double t_update = training_exchange(space->job, &space->rates, &space->links, &on).t_update;
    on.shard = least;
    traffic = training_exchange(space->job, &space->rates, &space->links, &on);
    traffic.t_update = t_update;
    note(space, block, row, &on, &traffic);
}

/* Work out each way; the last ones are of the stage that `on` is left with. */
static void set_ways(struct training_space *space, const struct training_block *block,
                     const struct training_grid_row *row, struct training_strategy *on,
                     struct training_shared_terms *split)
{
    struct training_values stages, shards;

    training_constraints_zero(space->pinned, on, &stages);
    if (stages.n > 1 && stages.at[0] == 0 && one_beats_none(space->job))
        memmove(stages.at, stages.at + 1, --stages.n * sizeof(double));
    training_space_shards(space, on, &shards);
    split->ways = arena_room(&space->count_arena, stages.n * shards.n * sizeof(*split->ways));
    for (size_t i = 0; i < stages.n; i++)
        for (size_t j = 0; j < shards.n; j++) {
            struct training_way *way = &split->ways[split->n_ways++];
            on->zero_stage = way->stage = stages.at[i];
            on->shard = way->shard = shards.at[j];
            way->traffic = training_exchange(space->job, &space->rates, &space->links, on);
            if (!block->zero_3 && !space->once)
                note(space, block, row, on, &way->traffic);
        }
}

struct training_shared_terms *training_shared_terms_of(struct training_space *space,
                                                       const struct training_block *block,
                                                       const struct training_grid_row *row)
{
    struct training_kin *kin = &space->kin[block->kin];
    struct training_strategy on = block->groups[0].on;

    if (!kin->splits) {
        kin->splits = arena_room(&space->count_arena, space->n_pipes * sizeof(*kin->splits));
        for (size_t i = 0; i < space->n_pipes; i++)
            kin->splits[i].known = false;
    }
    struct training_shared_terms *split = &kin->splits[row->pipe];
    if (split->known)
        return split;
    split->known = true;
    split->n_ways = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            split->spread[i][j] = (struct training_reach){0, (double)INFINITY};
    on.gpu_count = space->gpu_count;
    on.pipeline = row->pipeline;
    on.data = row->data;
    if (!training_divides(on.expert, on.tensor * on.context * on.data))
        return split;
    set_ways(space, block, row, &on, split);
    if (block->zero_3 && !space->once && split->n_ways > 0 && isnan(space->pinned->shard))
        note_smallest(space, block, row, on);
    return split;
}

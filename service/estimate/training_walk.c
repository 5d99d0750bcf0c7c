/* training_walk.c - the search itself: through blocks, rows, groups and ways to divide states, none
 * passed over that could hold something better.
 *
 * Four bounds let strategies go without an estimate of their own. Each is a claim about the
 * estimates that tests/unit/training_space_test.c holds against all strategies of random jobs:
 *
 * 1. A step takes no less than its layers, head and wait for the pipeline (training_space_floor())
 *    plus the least that is exposed of its reduction, plus its update (overhead()).
 * 2. Of strategies that differ in the layer alone, that with the slower layer is no faster, unless
 *    weights stream in beside the layers: slower ones then hide more of the reduction.
 * 3. With more replicas an exchange without its latency takes no less, and a divided update no less
 *    than in the ratio of the replicas (known_overhead()).
 * 4. What needs least memory of those that share something (training_lean.h) does not fit: then
 *    none of them does.
 */
#include "estimate/training_lean.h"
#include "estimate/training_update.h"

#include <math.h>
#include <string.h>

/* One number of GPUs being searched. */
struct walk {
    struct training_space *space;
    double best; /* seconds per sequence of the fastest that fits */
    struct training_plan *plan;
};

/* A row, and the ways to divide states on it: ZeRO stages, and where the last of them is 3 its
 * shards. */
struct field {
    struct training_block *block;
    const struct training_row *row;
    struct training_values stages, shards;
    /* Seconds of a step, at least, for what is sent for the update and the update itself: of all
     * ways, and of each once a spread is found to fit. */
    double least_overhead;
    double *overhead;
    bool overheads_known;
    struct training_values chunks; /* of the present group */
    double head;
};

/* As good as equal: rounding alone is no reason to prefer one strategy. */
static const double EQUAL = 1 - 1e-9;

static bool hopeless(const struct walk *walk, double seconds_per_sequence)
{
    return seconds_per_sequence >= walk->best * EQUAL;
}

/* Estimate one strategy and keep it if it fits and is the fastest so far. False where it would be
 * but does not fit: then the same with a slower layer may be. */
static bool weigh(struct walk *walk, const struct training_strategy *on,
                  const struct training_layer *layer)
{
    const struct training_space *space = walk->space;
    struct training_step step;

    walk->plan->n_weighed++;
    training_step_with_layer(space->job, &space->rates, &space->links, on, layer, &step);
    if (hopeless(walk, step.seconds / on->batch_sequences))
        return true;
    struct training_memory memory = training_memory(space->job, on);
    if (!training_lean_fits(space, on, &memory))
        return false;
    walk->best = step.seconds / on->batch_sequences;
    walk->plan->on = *on;
    walk->plan->memory = memory;
    walk->plan->step = step;
    walk->plan->fits = true;
    return true;
}

/* What a step takes at least beside its layers: the reduction beside micro-batches so long that
 * they hide what of it they can, and the update. */
static struct training_least overhead(const struct training_space *space, const struct field *field,
                                      const struct training_strategy *on)
{
    const double long_enough = 1e5; /* s; more than any exchange, little enough to add to it */
    struct training_step step = {.micro_batches = field->row->least_turns,
                                 .t_max = long_enough,
                                 .t_micro_batch = long_enough};

    training_reduction(&space->prompt, &space->links, on, &step);
    training_update(&space->prompt, on, &step);
    return (struct training_least){on->data, field->row->least_turns, step.data_communication,
                                   step.optimizer_step};
}

/* Whether weights come from other ranks or the host in every micro-batch. */
static bool streams(const struct training_space *space, const struct training_block *block)
{
    return block->zero_3 || space->job->offload == TRAINING_OFFLOAD_PARAMETERS;
}

/* What is known of fewer replicas, for those of a row. */
static double known_overhead(const struct training_space *space, const struct training_block *block,
                             const struct training_row *row)
{
    if (!block->least)
        return 0;
    const struct training_least *known = &block->least[(size_t)row->pipeline];
    if (known->data == 0 || known->data > row->data)
        return 0;
    return known->exchange *
               (streams(space, block) ? fmin(1, row->least_turns / known->turns) : 1) +
           known->update * known->data / row->data;
}

/* Whether ZeRO 1 is never slower and never larger than none. In place of all-reducing gradients it
 * scatters these and gathers weights, which are no wider; the update is divided, and so are the
 * optimizer's states. */
static bool one_beats_none(const struct training_job *job)
{
    struct training_bytes bytes = training_job_bytes(job);

    return job->stack == TRAINING_STACK_UNSPECIFIED && bytes.weight <= bytes.gradient;
}

/* The ways to divide states that a row leaves; false where there are none. One that another beats
 * is left out. */
static bool open_field(const struct training_space *space, const struct training_group *group,
                       struct field *field, struct training_strategy *on)
{
    if (!training_space_join(space, &group->at[0], field->row, on))
        return false;
    training_legal_zero(space->pinned, on, &field->stages);
    if (field->stages.n == 0)
        return false;
    if (field->stages.n > 1 && field->stages.at[0] == 0 && one_beats_none(space->job))
        memmove(field->stages.at, field->stages.at + 1, --field->stages.n * sizeof(double));
    training_space_shards(space, on, &field->shards);
    return field->shards.n > 0;
}

static void note_overhead(const struct field *field, struct training_least least)
{
    struct training_least *known = &field->block->least[(size_t)field->row->pipeline];

    if (known->data == least.data) {
        least.exchange = fmin(least.exchange, known->exchange);
        least.update = fmin(least.update, known->update);
    }
    *known = least;
}

static void set_overheads(const struct training_space *space, struct field *field,
                          struct training_strategy on)
{
    size_t n = 0;

    if (field->overheads_known)
        return;
    field->overheads_known = true;
    field->least_overhead = (double)INFINITY;
    for (size_t i = 0; i < field->stages.n; i++)
        for (size_t j = 0; j < field->shards.n; j++) {
            on.zero_stage = field->stages.at[i];
            on.shard = field->shards.at[j];
            struct training_least least = overhead(space, field, &on);
            field->overhead[n] = least.exchange + least.update;
            field->least_overhead = fmin(field->least_overhead, field->overhead[n++]);
            if (!field->block->zero_3)
                note_overhead(field, least);
        }
    if (field->block->zero_3 && isnan(space->pinned->shard)) {
        /* No group that shares states is smaller than a node, or two replicas. */
        on.data = fmax(2, floor(space->node / on.tensor)) / on.context;
        on.shard = 0;
        note_overhead(field, overhead(space, field, &on));
    }
}

/* From the most virtual stages down: with fewer the wait for the pipeline is longer. False where
 * something faster does not fit. */
static bool try_chunks(struct walk *walk, const struct field *field, double least,
                       const struct training_layer *layer, struct training_strategy *on)
{
    bool settled = true;

    for (size_t i = field->chunks.n; i-- > 0;) {
        on->virtual_stages = field->chunks.at[i];
        double seconds =
            training_space_floor(walk->space->job, on, field->row, layer, field->head) + least;
        if (hopeless(walk, seconds / on->batch_sequences))
            break;
        settled &= weigh(walk, on, layer);
    }
    return settled;
}

/* All strategies of a spread on a row. False where something faster does not fit. */
static bool try_spread(struct walk *walk, struct field *field, struct training_group *group,
                       size_t spread, struct training_strategy *on)
{
    const struct training_space *space = walk->space;
    bool settled = true;
    size_t n = 0;

    on->zero_stage = group->at[spread].on.zero_stage;
    on->sequence_parallel = group->at[spread].on.sequence_parallel;
    on->recompute = group->at[spread].on.recompute;
    if (!training_lean_spread(walk->space, group, spread, on))
        return false;
    set_overheads(space, field, *on);
    for (size_t i = 0; i < field->stages.n; i++)
        for (size_t j = 0; j < field->shards.n; j++) {
            on->zero_stage = field->stages.at[i];
            on->shard = field->shards.at[j];
            settled &= try_chunks(walk, field, field->overhead[n++], &group->at[spread].layer, on);
        }
    return settled;
}

/* The fastest layer first. Where none of its strategies is kept out by memory alone, the rest of
 * the group are no faster; nor is a spread whose twin is as fast and needs no more memory. */
static void try_group(struct walk *walk, struct field *field, struct training_group *group)
{
    const struct training_space *space = walk->space;
    bool ordered = !streams(space, field->block);
    struct training_strategy on;

    if (!training_space_join(space, &group->at[0], field->row, &on))
        return;
    training_space_chunks(space, field->row, &on, &field->chunks);
    field->head = group->head;
    for (size_t i = 0; i < group->n; i++) {
        on.virtual_stages = field->chunks.at[field->chunks.n - 1];
        double seconds =
            training_space_floor(space->job, &on, field->row, &group->at[i].layer, group->head);
        if (hopeless(walk, (seconds + field->least_overhead) / on.batch_sequences))
            return;
        if (ordered && training_lean_twin(space, group, &group->at[i]) < i)
            continue;
        if (try_spread(walk, field, group, i, &on) && ordered)
            return;
    }
}

static void try_row(struct walk *walk, struct training_block *block, const struct training_row *row)
{
    const struct training_space *space = walk->space;
    double overheads[TRAINING_VALUES_MAX];
    struct field field; /* large: its values are not to be cleared each time */
    struct training_strategy on;

    if (!block->least)
        block->least = training_space_table(walk->space, sizeof(*block->least));
    field.block = block;
    field.row = row;
    field.overhead = overheads;
    if (!open_field(space, training_lean_group(block), &field, &on) ||
        !training_lean_row(walk->space, block, &on))
        return;
    field.least_overhead = known_overhead(space, block, row);
    field.overheads_known = false;
    for (size_t i = 0; i < block->n_groups; i++)
        try_group(walk, &field, &block->groups[i]);
}

/* Seconds per sequence that any strategy of a row takes at least: of all micro-batches the fastest,
 * the wait of the pipeline with the most virtual stages and the shortest layer there are. */
static double row_floor(const struct training_space *space, const struct training_block *block,
                        const struct training_row *row)
{
    double layers = space->job->shape.layers, p = row->pipeline, least = (double)INFINITY, wait = 0;
    double most = row->chunks.n > 0 ? row->chunks.at[row->chunks.n - 1] : 1;
    double chunks = isnan(space->pinned->virtual_stages) ? most : space->pinned->virtual_stages;

    for (size_t i = 0; i < block->n_groups; i++) {
        const struct training_group *group = &block->groups[i];
        double turn = row->layers * group->at[0].layer.t_total + row->heads * group->head;
        least = fmin(least, turn / group->at[0].on.micro_batch);
    }
    if (space->job->schedule == TRAINING_1F1B)
        wait = (p - 1) / chunks * layers / p * block->least_layer;
    return least / row->data + (wait + known_overhead(space, block, row)) / row->most_batch;
}

static void try_block(struct walk *walk, struct training_block *block)
{
    const struct training_space *space = walk->space;
    const struct training_frame *frame = &space->frames[block->frame];
    const struct training_row *row = &space->rows[frame->first_row];
    bool no_pipeline = block->zero_3 && isnan(space->pinned->zero_stage);

    for (size_t i = 0; i < frame->n_rows && !(no_pipeline && row->pipeline > 1); i++, row++)
        if (!hopeless(walk, row_floor(space, block, row)))
            try_row(walk, block, row);
}

/* Where the fastest was on the last number of GPUs it often is again: to begin there leaves less to
 * estimate, and changes nothing else. */
static void try_last(struct walk *walk)
{
    const struct training_space *space = walk->space;
    struct training_block *block = space->last_block;

    if (!block)
        return;
    const struct training_frame *frame = &space->frames[block->frame];
    for (size_t i = 0; i < frame->n_rows; i++)
        if (space->rows[frame->first_row + i].pipeline == space->last_pipeline)
            try_row(walk, block, &space->rows[frame->first_row + i]);
}

/* Blocks come in the order of their floors: from where the floor is no better than the best found,
 * nothing is. */
bool training_space_search(struct training_space *space, struct training_plan *plan)
{
    *plan = (struct training_plan){.fits = false};
    struct walk walk = {space, (double)INFINITY, plan};

    plan->n_considered = training_space_size(space);
    if (!training_space_holds(space))
        return plan->n_considered > 0;
    training_space_arrange(space);
    try_last(&walk);
    for (size_t i = 0; i < space->n_blocks; i++) {
        struct training_block *block = &space->blocks[i];
        if (hopeless(&walk, block->floor / space->gpu_count))
            break;
        double before = walk.best;
        try_block(&walk, block);
        if (walk.best < before) {
            space->last_block = block;
            space->last_pipeline = plan->on.pipeline;
        }
    }
    return plan->n_considered > 0;
}

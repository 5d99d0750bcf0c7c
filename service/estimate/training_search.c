#include "estimate/training_search.h"

#include "estimate/training_space.h"
#include "estimate/training_update.h"

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

/* A micro-batch we chose leaves some memory free, one that was given may fill it. */
static bool fits(const struct training_space *space, const struct training_strategy *on,
                 const struct training_memory *memory)
{
    bool chosen = isnan(space->pinned->micro_batch) && on->micro_batch > 1;

    return memory->required <=
           memory->capacity * (chosen ? space->job->constants->micro_batch_memory_ratio : 1);
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
    if (!fits(space, on, &memory))
        return false;
    walk->best = step.seconds / on->batch_sequences;
    walk->plan->on = *on;
    walk->plan->memory = memory;
    walk->plan->step = step;
    walk->plan->fits = true;
    return true;
}

/* What needs least memory of the ways to divide states and of the virtual stages: most of those,
 * fewest of these. A stack may have buffers and copies that come with what it divides, so that
 * dividing less can need less: with one given, all stages are asked. */
static struct training_memory leanest(const struct training_space *space,
                                      struct training_strategy *on)
{
    struct training_values stages;
    struct training_memory least = {.required = (double)INFINITY};
    double stage = 0;

    training_space_zero(space, on, &stages);
    on->shard = isnan(space->pinned->shard) ? 0 : space->pinned->shard;
    on->virtual_stages = isnan(space->pinned->virtual_stages) ? 1 : space->pinned->virtual_stages;
    for (size_t i = stages.n; i-- > 0;) {
        on->zero_stage = stages.at[i];
        struct training_memory memory = training_memory(space->job, on);
        if (memory.required < least.required) {
            least = memory;
            stage = stages.at[i];
        }
        if (space->job->stack == TRAINING_STACK_UNSPECIFIED)
            break;
    }
    on->zero_stage = stage;
    return least;
}

/* The same on another number of replicas, but for whole micro-batches. */
static bool would_fit(const struct training_space *space, const struct training_strategy *on,
                      double data)
{
    struct training_strategy other = *on;

    other.data = data;
    struct training_memory memory = leanest(space, &other);
    return fits(space, &other, &memory);
}

/* Whether the leanest fits; what is known of fewer or more replicas may say so already. Where it
 * does not, as many replicas are asked after as leave each a micro-batch per stage: what does not
 * fit there never does, short of that. */
static bool leanest_fits(const struct training_space *space, struct training_fit *known,
                         const struct training_strategy *on)
{
    double far = floor(on->batch_sequences / (on->micro_batch * on->pipeline));

    known += (size_t)on->pipeline;
    if (known->fits_from > 0 && on->data >= known->fits_from)
        return true;
    if (on->data <= known->fails_to)
        return false;
    if (would_fit(space, on, on->data)) {
        known->fits_from = on->data;
        return true;
    }
    known->fails_to = on->data;
    if (known->fits_from == 0 && far > on->data) {
        if (would_fit(space, on, far))
            known->fits_from = far;
        else
            known->fails_to = far;
    }
    return false;
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

/* What is known of fewer replicas, for those of a row. */
static double known_overhead(const struct training_space *space, const struct training_block *block,
                             const struct training_row *row)
{
    bool streams = block->zero_3 || space->job->offload == TRAINING_OFFLOAD_PARAMETERS;

    if (!block->least)
        return 0;
    const struct training_least *known = &block->least[(size_t)row->pipeline];
    if (known->data == 0 || known->data > row->data)
        return 0;
    return known->exchange * (streams ? fmin(1, row->least_turns / known->turns) : 1) +
           known->update * known->data / row->data;
}

/* The ways to divide states that a row leaves; false where there are none. */
static bool open_field(const struct training_space *space, const struct training_group *group,
                       struct field *field, struct training_strategy *on)
{
    if (!training_space_join(space, &group->at[0], field->row, on))
        return false;
    training_space_zero(space, on, &field->stages);
    if (field->stages.n == 0)
        return false;
    training_space_shards(space, on, &field->shards);
    return true;
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
static bool try_spread(struct walk *walk, struct field *field, struct training_spread *spread,
                       struct training_strategy *on)
{
    const struct training_space *space = walk->space;
    bool settled = true;
    size_t n = 0;

    if (!spread->fit)
        spread->fit = training_space_table(walk->space, sizeof(*spread->fit));
    on->sequence_parallel = spread->on.sequence_parallel;
    on->recompute = spread->on.recompute;
    if (!leanest_fits(space, spread->fit, on))
        return false;
    set_overheads(space, field, *on);
    for (size_t i = 0; i < field->stages.n; i++)
        for (size_t j = 0; j < field->shards.n; j++) {
            on->zero_stage = field->stages.at[i];
            on->shard = field->shards.at[j];
            settled &= try_chunks(walk, field, field->overhead[n++], &spread->layer, on);
        }
    return settled;
}

/* The fastest layer first: where none of its strategies is kept out by memory alone, the rest of
 * the group are no faster. */
static void try_group(struct walk *walk, struct field *field, struct training_group *group)
{
    const struct training_space *space = walk->space;
    struct training_strategy on;

    if (!training_space_join(space, &group->at[0], field->row, &on))
        return;
    training_space_chunks(space, &on, &field->chunks);
    field->head = group->head;
    for (size_t i = 0; i < group->n; i++) {
        on.virtual_stages = field->chunks.at[field->chunks.n - 1];
        double seconds =
            training_space_floor(space->job, &on, field->row, &group->at[i].layer, group->head);
        if (hopeless(walk, (seconds + field->least_overhead) / on.batch_sequences) ||
            try_spread(walk, field, &group->at[i], &on))
            return;
    }
}

/* The group of the smallest micro-batch. */
static const struct training_group *smallest(const struct training_block *block)
{
    const struct training_group *group = &block->groups[0];

    for (size_t i = 1; i < block->n_groups; i++)
        if (block->groups[i].at[0].on.micro_batch < group->at[0].on.micro_batch)
            group = &block->groups[i];
    return group;
}

/* Whether anything of a row fits. What needs least memory has the smallest micro-batch: one of its
 * group fits if anything does. What needs least goes to `plan`, if less than what is there. */
static bool row_fits(const struct training_space *space, const struct field *field,
                     struct training_strategy *on, struct training_plan *least)
{
    const struct training_group *group = smallest(field->block);

    for (size_t i = 0; i < group->n; i++) {
        on->sequence_parallel = group->at[i].on.sequence_parallel;
        on->recompute = group->at[i].on.recompute;
        struct training_memory memory = leanest(space, on);
        if (fits(space, on, &memory))
            return true;
        if (!least || (least->on.gpu_count > 0 && memory.required >= least->memory.required))
            continue;
        least->on = *on;
        least->memory = memory;
    }
    return false;
}

/* The same, from what is known of other numbers of replicas where that says it. */
static bool row_may_fit(const struct training_space *space, const struct field *field,
                        struct training_strategy *on)
{
    struct training_fit *known = &field->block->fit[(size_t)on->pipeline];
    double data = on->data, far = floor(on->batch_sequences / (on->micro_batch * on->pipeline));

    if (known->fits_from > 0 && data >= known->fits_from)
        return true;
    if (data <= known->fails_to)
        return false;
    if (row_fits(space, field, on, NULL)) {
        known->fits_from = data;
        return true;
    }
    known->fails_to = data;
    on->data = far;
    if (known->fits_from == 0 && far > data && !row_fits(space, field, on, NULL))
        known->fails_to = far;
    on->data = data;
    return false;
}

static void try_row(struct walk *walk, struct training_block *block, const struct training_row *row)
{
    const struct training_space *space = walk->space;
    double overheads[TRAINING_VALUES_MAX];
    struct field field; /* large: its values are not to be cleared each time */
    struct training_strategy on;

    if (!block->fit) {
        block->fit = training_space_table(walk->space, sizeof(*block->fit));
        block->least = training_space_table(walk->space, sizeof(*block->least));
    }
    field.block = block;
    field.row = row;
    field.overhead = overheads;
    if (!open_field(space, smallest(block), &field, &on) || !row_may_fit(space, &field, &on))
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
    double chunks =
        isnan(space->pinned->virtual_stages) ? fmax(1, layers / p) : space->pinned->virtual_stages;

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
    struct walk walk = {space, (double)INFINITY, plan};

    *plan = (struct training_plan){.fits = false};
    plan->n_considered = training_space_size(space);
    try_last(&walk);
    for (size_t i = 0; i < space->n_blocks; i++) {
        struct training_block *block = &space->blocks[i];
        if (hopeless(&walk, block->groups[0].floor / space->gpu_count))
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

/* Whether anything of a block fits; if not, what needs least memory in *least, unless NULL. */
static bool block_fits(const struct training_space *space, struct training_block *block,
                       struct training_plan *least)
{
    const struct training_frame *frame = &space->frames[block->frame];
    struct field field; /* large: its values are not to be cleared each time */
    struct training_strategy on;

    field.block = block;
    for (size_t i = 0; i < frame->n_rows; i++) {
        field.row = &space->rows[frame->first_row + i];
        if (open_field(space, smallest(block), &field, &on) && row_fits(space, &field, &on, least))
            return true;
    }
    return false;
}

bool training_space_fits(const struct training_space *space)
{
    for (size_t i = 0; i < space->n_blocks; i++)
        if (block_fits(space, &space->blocks[i], NULL))
            return true;
    return false;
}

/* Of strategies none of which fits, the one that needs least memory. */
static void set_least(const struct training_space *space, struct training_plan *plan)
{
    for (size_t i = 0; i < space->n_blocks; i++)
        if (block_fits(space, &space->blocks[i], plan))
            return;
    training_step(space->job, &space->rates, &plan->on, &plan->step);
}

static bool search(const struct training_job *job, const struct training_strategy *pinned,
                   bool any_batch, struct training_plan *plan)
{
    struct training_space space;

    training_space_init(&space, job, pinned);
    training_space_set_count(&space, pinned->gpu_count, false);
    bool found = training_space_search(&space, plan);
    if (!found && any_batch) {
        training_space_set_count(&space, pinned->gpu_count, true);
        found = training_space_search(&space, plan);
    }
    if (found && !plan->fits)
        set_least(&space, plan);
    training_space_free(&space);
    return found;
}

bool training_search(const struct training_job *job, const struct training_strategy *pinned,
                     struct training_plan *plan)
{
    return search(job, pinned, true, plan);
}

bool training_search_within_batch(const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_plan *plan)
{
    return search(job, pinned, false, plan);
}

bool training_fits(const struct training_job *job, const struct training_strategy *pinned,
                   double gpu_count)
{
    struct training_space space;

    training_space_init(&space, job, pinned);
    training_space_set_count(&space, gpu_count, false);
    bool fit = training_space_fits(&space);
    training_space_free(&space);
    return fit;
}

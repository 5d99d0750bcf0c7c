/* training_walk.c - the search itself: through blocks, rows, groups and ways to divide states, none
 * passed over that could hold something better.
 *
 * Four bounds let strategies go without an estimate of their own. Each is a claim about the
 * estimates that tests/unit/training_space_test.c holds against all strategies of random jobs:
 *
 * 1. A step takes no less than its layers, head and wait for the pipeline (training_space_floor())
 *    plus the least that is exposed of its exchanges, plus its update (set_ways()); nor less than
 *    these with what its own layers leave exposed (nearly()), which is asked before memory is.
 * 2. Of strategies that differ in the layer alone, that with the slower layer is no faster, unless
 *    weights stream in beside the layers: slower ones then hide more of the reduction.
 * 3. With more replicas an exchange without its latency takes no less, and a divided update no less
 *    than in the ratio of the replicas (known_overhead()).
 * 4. What needs least memory of those that share something (training_lean.h) does not fit: then
 *    none of them does.
 */
#include "base/number.h"
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

/* A way to divide states, and what is sent for the update so. */
struct way {
    double stage, shard;
    struct training_exchange traffic;
    double least; /* s of a step beside its layers */
};

/* A row, and the ways to divide states on it: ZeRO stages, and where the last of them is 3 its
 * shards. */
struct field {
    struct training_block *block;
    bool may_fit, none_fits; /* whether anything does on the row; neither: not asked yet */
    const struct training_row *row;
    struct training_values stages, shards;
    double least_overhead; /* s of a step, at least, for what is sent for the update and the update
                              itself, in any of the ways */
    struct way *ways;      /* known once a layer asks for them */
    size_t n_ways;
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
               (streams(space, block) ? lesser(1, row->least_turns / known->turns) : 1) +
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
    if (!training_space_join(space, group, field->row, on))
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
        least.exchange = lesser(least.exchange, known->exchange);
        least.update = lesser(least.update, known->update);
    }
    *known = least;
}

/* What a step takes at least beside its layers. */
static struct training_least least_of(const struct training_space *space, const struct field *field,
                                      const struct training_strategy *on,
                                      const struct training_exchange *traffic)
{
    double turns = field->row->least_turns;

    return (struct training_least){
        on->data, turns, training_least_exposed(space->job, on, traffic, turns), traffic->t_update};
}

static void set_ways(const struct training_space *space, struct field *field,
                     struct training_strategy on)
{
    field->least_overhead = (double)INFINITY;
    for (size_t i = 0; i < field->stages.n; i++)
        for (size_t j = 0; j < field->shards.n; j++) {
            struct way *way = &field->ways[field->n_ways++];
            on.zero_stage = way->stage = field->stages.at[i];
            on.shard = way->shard = field->shards.at[j];
            way->traffic = training_exchange(space->job, &space->rates, &space->links, &on);
            struct training_least least = least_of(space, field, &on, &way->traffic);
            way->least = least.exchange + least.update;
            field->least_overhead = lesser(field->least_overhead, way->least);
            if (!field->block->zero_3 && !space->once)
                note_overhead(field, least);
        }
    if (field->block->zero_3 && !space->once && isnan(space->pinned->shard)) {
        /* No group that shares states is smaller than a node, or two replicas. */
        on.data = greater(2, floor(space->node / on.tensor)) / on.context;
        on.shard = 0;
        struct training_exchange traffic =
            training_exchange(space->job, &space->rates, &space->links, &on);
        note_overhead(field, least_of(space, field, &on, &traffic));
    }
}

/* Seconds per sequence of a strategy, short of the head in the wait for the pipeline: its floor,
 * what passes between the stages, and what of the traffic the passes leave exposed. */
static double nearly(const struct training_space *space, const struct field *field,
                     const struct way *way, double layer, double floor,
                     const struct training_strategy *on)
{
    const struct training_row *row = field->row;
    double turns = greater(1, on->batch_sequences / (on->data * on->micro_batch));
    double between =
        training_point_to_point(space->job, &space->rates, &space->links, on,
                                on->micro_batch * space->job->sequence_tokens / on->context);
    struct training_passes passes = {turns, row->layers * layer + row->heads * field->head, 0};

    passes.t_micro_batch = passes.t_max + between;
    struct training_exposed exposed = training_exposed(space->job, on, &way->traffic, &passes);
    return (floor + turns * between + exposed.communication + way->traffic.t_update) /
           on->batch_sequences;
}

/* Whether a spread may fit: most rows are too slow before that is asked of any. */
static bool may_fit(struct walk *walk, struct field *field, struct training_spread *spread,
                    const struct training_strategy *on)
{
    struct training_strategy leanest;

    if (!field->may_fit) {
        if (training_space_join(walk->space, training_lean_group(field->block), field->row,
                                &leanest))
            field->may_fit = training_lean_row(walk->space, field->block, &leanest);
        field->none_fits = !field->may_fit;
    }
    return field->may_fit && training_lean_spread(walk->space, spread, on);
}

/* All strategies of a spread on a row. Time is asked first, then, once, whether any of them fits.
 * False where something faster does not fit. */
static bool try_spread(struct walk *walk, struct field *field, struct training_group *group,
                       size_t spread, struct training_strategy *on)
{
    const struct training_space *space = walk->space;
    double t_layer = group->at[spread].t_layer;
    struct training_layer layer;
    bool settled = true, fitting = false;

    on->zero_stage = group->on.zero_stage;
    on->sequence_parallel = group->at[spread].sequence_parallel;
    on->recompute = group->at[spread].recompute;
    if (field->n_ways == 0)
        set_ways(space, field, *on);
    for (size_t i = 0; i < field->n_ways; i++)
        for (size_t j = field->chunks.n; j-- > 0;) {
            on->zero_stage = field->ways[i].stage;
            on->shard = field->ways[i].shard;
            on->virtual_stages = field->chunks.at[j];
            double floor = training_space_floor(space->job, on, field->row, t_layer, field->head);
            if (hopeless(walk, (floor + field->ways[i].least) / on->batch_sequences))
                break; /* with fewer virtual stages the wait for the pipeline is longer */
            if (hopeless(walk, nearly(space, field, &field->ways[i], t_layer, floor, on)))
                continue;
            if (!fitting && !may_fit(walk, field, &group->at[spread], on))
                return false;
            if (!fitting)
                layer = training_layer(space->job, &space->rates, &space->links, on);
            fitting = true;
            settled &= weigh(walk, on, &layer);
        }
    return settled;
}

/* Seconds per sequence that any strategy of a group takes at least on the row. */
static double group_floor(const struct field *field, const struct training_group *group)
{
    const struct training_row *row = field->row;
    double layer = group->at[0].t_layer, turn = row->layers * layer + row->heads * group->head;

    return turn / (row->data * group->on.micro_batch) +
           (row->wait * layer + field->least_overhead) / row->most_batch;
}

/* The fastest layer first. Where none of its strategies is kept out by memory alone, the rest of
 * the group are no faster; nor is a spread whose twin is as fast and needs no more memory. */
static void try_group(struct walk *walk, struct field *field, struct training_group *group)
{
    const struct training_space *space = walk->space;
    bool ordered = !streams(space, field->block);
    struct training_strategy on;

    if (hopeless(walk, group_floor(field, group)) ||
        !training_space_join(space, group, field->row, &on))
        return;
    training_space_chunks(space, field->row, group, &field->chunks);
    field->head = group->head;
    for (size_t i = 0; i < group->n; i++) {
        on.virtual_stages = field->chunks.at[field->chunks.n - 1];
        double seconds =
            training_space_floor(space->job, &on, field->row, group->at[i].t_layer, group->head);
        if (hopeless(walk, (seconds + field->least_overhead) / on.batch_sequences))
            return;
        if (ordered && training_lean_twin(space, group, &group->at[i]) < i)
            continue;
        if ((try_spread(walk, field, group, i, &on) && ordered) || field->none_fits)
            return;
        training_space_spread(space, group);
    }
}

static void try_row(struct walk *walk, struct training_block *block, const struct training_row *row)
{
    const struct training_space *space = walk->space;
    struct way ways[TRAINING_VALUES_MAX];
    struct field field; /* large: its values are not to be cleared each time */
    struct training_strategy on;

    if (!block->least && !space->once)
        block->least = training_space_table(walk->space, sizeof(*block->least));
    field.block = block;
    field.row = row;
    field.ways = ways;
    field.n_ways = 0;
    field.may_fit = field.none_fits = false;
    if (!open_field(space, training_lean_group(block), &field, &on))
        return;
    field.least_overhead = known_overhead(space, block, row);
    for (size_t i = 0; i < block->n_groups && !field.none_fits; i++)
        try_group(walk, &field, &block->groups[i]);
}

/* Seconds per sequence that any strategy of a row takes at least: the shortest layer and head that
 * any micro-batch gives a sequence, the least wait for the pipeline and the least overhead. */
static double row_floor(const struct training_space *space, const struct training_block *block,
                        const struct training_row *row)
{
    double least = row->layers * block->layer_each + row->heads * block->head_each;
    double rest = row->wait * block->least_layer + known_overhead(space, block, row);

    return least / row->data + rest / row->most_batch;
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

/* branch_and_bound.c - branch and bound over blocks, rows, groups and ways to shard states;
 * skips no strategy that could be better than the best one found.
 *
 * Three bounds rule out strategies without an estimate of their own. Each is a claim about the
 * estimates, which tests/unit/training_space_test.c checks against all strategies of random
 * jobs:
 *
 * 1. A step takes at least its layers, head and pipeline wait (training_space_floor()), plus the
 * least exposed communication and the optimizer step (training_shared_terms_least()). A tighter
 * bound counts the communication that the strategy's own layers do not hide (nearly()); it is
 * checked before memory is.
 * 2. If two strategies differ only in the layer, the one with the slower layer is not
 * faster, unless weights are gathered during few micro-batches: slower layers then hide more of
 * the gradient reduction (is_ordered()). This rules out spreads that use more memory for no
 * gain, and context-parallel degrees that a lower degree beats (training_space_no_leaner(),
 * training_space_spared()).
 * 3. If the strategy that needs the least memory among those that share something
 * (training/plan/lower_bound.h) does not fit, none of them fits.
 *
 * All time bounds assume no recompute where it is open, apart from the gradient reduction that it
 * may hide; the estimate takes the least recompute that leaves memory free.
 */
#include "base/minmax.h"
#include "estimate/training/plan/lower_bound.h"
#include "estimate/training/plan/shared_terms.h"

#include <math.h>

/* The search on one GPU count. */
struct search {
    struct training_space *space;
    double best;  /* seconds per sequence of the fastest strategy that fits */
    double limit; /* a strategy that takes this long or longer is not better */
    struct training_plan *plan;
    bool probing; /* try only the fastest spread of the smallest micro-batch of each row */
};

/* A row, and the ways to shard states on it. */
struct field {
    struct training_block *block;
    const struct training_grid_row *row;
    const struct training_pipe *pipe;
    struct training_shared_terms *shared;
    bool may_fit, none_fits; /* whether any strategy of the row fits; both false: not checked yet */
    double least_overhead;   /* lower bound in s of a step for gradient communication and the
                                optimizer step, over all ways */
    struct training_list chunks; /* of the current group */
    double head;
    bool slower_may_win; /* a layer of the current group that recomputes may be part of a faster
                            step */
};

/* Relative tolerance: strategies that differ only by rounding count as equal. */
static const double EQUAL = 1 - 1e-9;

/* True if the strategy cannot be the fastest. */
static bool is_pruned(const struct search *search, double seconds_per_sequence)
{
    return seconds_per_sequence >= search->limit;
}

/* Keep a strategy if it fits and is the fastest so far. False if it does not fit: the same
 * strategy with a slower layer may fit. */
static bool evaluate(struct search *search, const struct training_strategy *open)
{
    const struct training_space *space = search->space;
    struct training_strategy on = *open;
    struct training_step step;

    if (!training_lower_bound_settle(space, &on))
        return false;
    search->plan->n_weighed++;
    struct training_layer layer = training_layer(space->job, &space->rates, &space->links, &on);
    training_step_with_layer(space->job, &space->rates, &space->links, &on, &layer, &step);
    if (is_pruned(search, step.seconds / on.batch_sequences))
        return true;
    search->best = step.seconds / on.batch_sequences;
    search->limit = search->best * EQUAL;
    search->plan->on = on;
    search->plan->memory = training_memory(space->job, &on);
    search->plan->step = step;
    search->plan->fits = true;
    return true;
}

/* Lower bound in seconds per sequence, the time itself if nothing is recomputed, without the head
 * in the pipeline wait: its floor, the transfers between stages, and the communication that the
 * passes do not hide. If slower layers may win, recomputation may hide more of the reduction than
 * it takes; it makes no layer take more than twice as long, as it repeats its forward pass at most.
 */
static double nearly(const struct training_space *space, const struct field *field,
                     const struct training_state_sharding *sharding, double layer, double floor,
                     const struct training_strategy *on)
{
    const struct training_pipe *pipe = field->pipe;
    double turns = greater(1, on->batch_sequences / (on->data * on->micro_batch));
    double between =
        training_point_to_point(space->job, &space->rates, &space->links, on,
                                on->micro_batch * space->job->sequence_tokens / on->context);
    struct training_passes passes = {turns, pipe->layers * layer + pipe->heads * field->head, 0};

    passes.t_micro_batch = passes.t_max + between;
    if (field->slower_may_win)
        passes.t_max *= 2;
    struct training_exposed exposed = training_exposed(space->job, on, &sharding->traffic, &passes);
    return (floor + turns * between + exposed.communication + sharding->traffic.t_update) /
           on->batch_sequences;
}

/* Whether a spread may fit. Checked late, because most rows are ruled out as too slow first. */
static bool may_fit(struct search *search, struct field *field, struct training_spread *spread,
                    const struct training_strategy *on)
{
    struct training_strategy leanest;

    if (!field->may_fit) {
        if (training_space_join(search->space, &field->block->groups[0], field->row, &leanest))
            field->may_fit = training_lower_bound_row(search->space, field->block, &leanest);
        field->none_fits = !field->may_fit;
    }
    bool fits =
        field->may_fit && training_lower_bound_spread(search->space, field->shared, spread, on);
    field->none_fits |= field->shared->n_shardings == 0;
    return fits;
}

/* Try all strategies of a spread on a row: bound the time of each first, then check once whether
 * any of them fits. False if a faster one does not fit. */
static bool try_spread(struct search *search, struct field *field, struct training_group *group,
                       size_t spread, struct training_strategy *on)
{
    const struct training_space *space = search->space;
    double t_layer = group->at[spread].t_layer;
    bool settled = true, fitting = false;

    on->zero_stage = group->on.zero_stage;
    on->sequence_parallel = group->at[spread].sequence_parallel;
    for (size_t i = 0; i < field->shared->n_shardings; i++) {
        const struct training_state_sharding *sharding = &field->shared->shardings[i];
        double least = training_shared_terms_least(space, field->row, sharding);
        on->zero_stage = sharding->stage;
        on->shard = sharding->shard;
        for (size_t j = field->chunks.n; j-- > 0;) {
            on->virtual_stages = field->chunks.at[j];
            double floor = training_space_floor(space->job, on, field->pipe, t_layer, field->head);
            if (is_pruned(search, (floor + least) / on->batch_sequences))
                break; /* fewer virtual stages make the pipeline wait longer */
            if (is_pruned(search, nearly(space, field, sharding, t_layer, floor, on)))
                continue;
            if (!fitting && !may_fit(search, field, &group->at[spread], on))
                return false;
            fitting = true;
            settled &= evaluate(search, on);
        }
    }
    return settled;
}

/* Lower bound, in seconds per sequence, over all strategies of the spread in this row. */
static double spread_floor(const struct field *field, const struct training_group *group,
                           size_t spread, double turns)
{
    const struct training_pipe *pipe = field->pipe;
    double layer = group->at[spread].t_layer;
    double turn = pipe->layers * layer + pipe->heads * group->head;
    double seconds =
        turns * turn + training_space_wait(pipe, turns) * layer + field->least_overhead;

    return seconds / (turns * field->row->data * group->on.micro_batch);
}

/* Whether an earlier spread is as fast and needs no more memory. */
static bool is_beaten(const struct training_group *group, size_t spread)
{
    for (size_t i = 0; i < spread; i++)
        if (training_space_no_leaner(&group->at[spread], &group->at[i]))
            return true;
    return false;
}

/* Whether a slower layer never makes a strategy of the group faster. If weights are gathered
 * while the layer runs it can, because it hides more of the gradient reduction; but each
 * micro-batch adds part of the layer's time, so with enough micro-batches it cannot. */
static bool is_ordered(const struct search *search, const struct field *field,
                       const struct training_group *group, double turns)
{
    const struct training_job *job = search->space->job;
    const struct training_constants *k = job->constants;

    if (!training_space_streams(search->space, group->on.zero_stage) || !job->communication_overlap)
        return true;
    return job->offload == TRAINING_OFFLOAD_NONE && field->pipe->stages == 1 &&
           turns * lesser(1, k->x3) >= k->kdp * (1 - k->xdp);
}

/* Try the fastest layer first. If memory rules out none of its strategies, the rest of the group
 * is not faster. Spreads that another one beats are skipped. */
static void try_group(struct search *search, struct field *field, struct training_group *group)
{
    const struct training_space *space = search->space;
    double turns = field->row->turns[group->micro];
    bool ordered = is_ordered(search, field, group, turns);
    struct training_strategy on;

    if (turns == 0 ||
        (field->block->zero_3 && ordered && training_space_spared(space, field->block, group)))
        return;
    field->slower_may_win = !ordered && group->on.recompute == TRAINING_RECOMPUTE_AUTO;
    training_space_lead(space, group);
    for (size_t i = 0; i < group->n && !is_pruned(search, spread_floor(field, group, i, turns));
         i++) {
        if (i == 0) {
            training_space_join(space, group, field->row, &on);
            field->chunks = training_space_chunks(space, field->row, group);
            field->head = group->head;
        }
        if (ordered && is_beaten(group, i))
            continue;
        if ((try_spread(search, field, group, i, &on) && ordered) || field->none_fits ||
            search->probing)
            return;
        training_space_spread(space, group, ordered);
    }
}

/* The lower bound over all ways. */
static double least_of_all(const struct training_space *space, const struct field *field)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < field->shared->n_shardings; i++)
        least = lesser(
            least, training_shared_terms_least(space, field->row, &field->shared->shardings[i]));
    return least;
}

/* Lower bound, in seconds per sequence, over all strategies of a row: the shortest layer and
 * head per sequence of any micro-batch, the shortest pipeline wait and the least overhead. */
static double row_floor(const struct training_space *space, const struct training_block *block,
                        const struct training_grid_row *row, double overhead)
{
    const struct training_pipe *pipe = &space->pipes[row->pipe];
    double least = pipe->layers * block->layer_each + pipe->heads * block->head_each;

    return least / row->data + row->least_wait * block->layer_each + overhead / row->most_batch;
}

static void try_row(struct search *search, struct training_block *block,
                    const struct training_grid_row *row)
{
    struct training_space *space = search->space;
    struct field field = {.block = block,
                          .row = row,
                          .pipe = &space->pipes[row->pipe],
                          .shared = training_shared_terms_of(space, block, row)};

    field.least_overhead = least_of_all(space, &field);
    if (is_pruned(search, row_floor(space, block, row, field.least_overhead)))
        return;
    size_t n = search->probing ? 1 : block->n_groups;
    for (size_t i = 0; i < n && !field.none_fits && !cancelled(space->job->cancel); i++)
        try_group(search, &field, &block->groups[i]);
}

static void try_block(struct search *search, struct training_block *block)
{
    const struct training_space *space = search->space;
    const struct training_frame *frame = &space->frames[block->frame];
    const struct training_grid_row *row = frame->rows;
    bool no_pipeline = block->zero_3 && isnan(space->pinned->zero_stage);

    for (size_t i = 0; i < frame->n_rows && !(no_pipeline && row->pipeline > 1); i++, row++)
        if (!is_pruned(search, row_floor(space, block, row, 0)))
            try_row(search, block, row);
}

/* Search a few simple strategies first. The best of them is rarely the fastest, but close to it,
 * and with its time as a limit the full search skips most other strategies. The result is the
 * same as without the probe: the limit is loosened by the tolerance, so the first strategy of
 * equal speed replaces what the probe found. */
static void probe(struct search *search)
{
    const struct training_space *space = search->space;

    search->probing = true;
    for (size_t i = 0; i < space->n_blocks && !cancelled(space->job->cancel); i++) {
        struct training_block *block = &space->blocks[i];
        if (space->frames[block->frame].context == space->frames[0].context && !block->zero_3)
            try_block(search, block);
    }
    search->probing = false;
    search->limit = lesser(search->best / EQUAL, search->space->slowest);
}

/* Begin where the fastest strategy was on the previous GPU count, because it is often there
 * again. This saves estimates and does not change the result. */
static void try_last(struct search *search)
{
    const struct training_space *space = search->space;
    struct training_block *block = space->last_block;

    if (!block)
        return;
    const struct training_frame *frame = &space->frames[block->frame];
    for (size_t i = 0; i < frame->n_rows; i++)
        if (frame->rows[i].pipeline == space->last_pipeline)
            try_row(search, block, &frame->rows[i]);
}

/* With one degree stated, or a ZeRO stage where the software supports several, there is little left
 * to choose: published runs take 1.0 to 1.05 times as long as the plan found. The same holds for
 * fine-tuning with PyTorch: 0.98 times in the median of 11 families (tests/accuracy). */
static bool chooses_division(const struct training_space *space)
{
    const struct training_strategy *pinned = space->pinned;
    enum training_stack stack = space->job->stack;
    bool megatron = stack == TRAINING_STACK_MEGATRON || stack == TRAINING_STACK_GRAPHS;
    bool stage = !isnan(pinned->zero_stage) && !megatron;

    return space->gpu_count > 1 && isnan(pinned->tensor) && isnan(pinned->pipeline) && !stage &&
           !training_tunes_with_torch(space->job) &&
           !training_constraints_replicas_alone(space->job, pinned);
}

/* Blocks are sorted by their floors, so the search ends at the first block whose floor is not
 * below the best time found. */
bool training_space_search(struct training_space *space, struct training_plan *plan)
{
    *plan = (struct training_plan){.fits = false,
                                   .division_searched = chooses_division(space),
                                   .recompute_searched =
                                       space->pinned->recompute == TRAINING_RECOMPUTE_AUTO};
    struct search search = {space, (double)INFINITY, space->slowest, plan, false};

    if (cancelled(space->job->cancel))
        return false;
    plan->n_considered = training_space_size(space);
    if (!training_space_holds(space))
        return plan->n_considered > 0;
    training_space_arrange(space);
    try_last(&search);
    if (space->once)
        probe(&search);
    for (size_t i = 0; i < space->n_blocks; i++) {
        struct training_block *block = &space->blocks[i];
        if (is_pruned(&search, block->floor / space->gpu_count) || cancelled(space->job->cancel))
            break;
        double before = search.best;
        try_block(&search, block);
        if (search.best < before) {
            space->last_block = block;
            space->last_pipeline = plan->on.pipeline;
        }
    }
    return plan->n_considered > 0;
}

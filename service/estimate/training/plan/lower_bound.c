#include "estimate/training/plan/lower_bound.h"

#include "base/minmax.h"
#include "estimate/training/plan/least_recompute.h"
#include "estimate/training/recompute.h"

#include <math.h>

/* True if we chose the micro-batch: it should then leave some memory free. */
static bool is_chosen(const struct training_space *space, const struct training_strategy *on)
{
    return isnan(space->pinned->micro_batch) && on->micro_batch > 1;
}

/* Bytes that a strategy may use. */
static double room(const struct training_space *space, const struct training_strategy *on,
                   const struct training_memory *memory)
{
    return memory->capacity *
           (is_chosen(space, on) ? space->job->constants->micro_batch_memory_ratio : 1);
}

/* True if the strategy fits. A micro-batch chosen by us must leave some memory free; a given one
 * may fill it. */
static bool fits_memory(const struct training_space *space, const struct training_strategy *on,
                        const struct training_memory *memory)
{
    return memory->required <= room(space, on, memory);
}

/* Recomputation that we choose leaves memory free where it can: with the last byte in use, half of
 * the plans would run out of it. */
bool training_lower_bound_settle(const struct training_space *space, struct training_strategy *on)
{
    struct training_memory memory = {.capacity = space->job->gpu->memory_bytes};

    if (on->recompute == TRAINING_RECOMPUTE_AUTO) {
        double spare = space->job->constants->micro_batch_memory_ratio * memory.capacity;
        return training_recompute_settle(space->job, on, spare) ||
               training_memory(space->job, on).required <= room(space, on, &memory);
    }
    memory = training_memory(space->job, on);
    return fits_memory(space, on, &memory);
}

/* The least memory over the ways to shard states and the virtual stages. A stack may have buffers
 * and copies that depend on what it shards, so that sharding less can need less: with a stack
 * given, all stages are tried. */
static struct training_memory leanest(const struct training_space *space,
                                      struct training_strategy *on)
{
    struct training_values stages;
    struct training_memory least;
    double stage;

    training_constraints_zero(space->pinned, on, &stages);
    on->shard = isnan(space->pinned->shard) ? 0 : space->pinned->shard;
    on->virtual_stages = isnan(space->pinned->virtual_stages) ? 1 : space->pinned->virtual_stages;
    on->zero_stage = stage = stages.at[stages.n - 1];
    least = training_memory(space->job, on);
    if (space->job->stack == TRAINING_STACK_UNSPECIFIED)
        return least;
    for (size_t i = stages.n - 1; i-- > 0;) {
        on->zero_stage = stages.at[i];
        struct training_memory memory = training_memory(space->job, on);
        if (memory.required < least.required) {
            least = memory;
            stage = stages.at[i];
        }
    }
    on->zero_stage = stage;
    return least;
}

/* True if the states alone are too large. Recomputation does not affect them, except for the stage
 * with which a stack needs least. */
static bool states_too_large(const struct training_space *space, const struct training_strategy *on,
                             const struct training_memory *memory)
{
    return space->job->stack == TRAINING_STACK_UNSPECIFIED &&
           memory->states > room(space, on, memory);
}

/* True if it fits on `data` replicas, with as much recomputation as helps if that is open; if
 * `least` is not NULL, it is lowered to the least memory needed. */
static bool any_fits(const struct training_space *space, const struct training_strategy *on,
                     double data, struct training_plan *least)
{
    bool open = on->recompute == TRAINING_RECOMPUTE_AUTO;

    for (int end = open ? TRAINING_RECOMPUTE_ENDS : 1; end-- > 0;) { /* the end that keeps least
                                                                      * first */
        struct training_strategy at = *on;
        if (open)
            at = training_recompute_between(space->job, on, end, 0);
        at.data = data;
        struct training_memory memory = leanest(space, &at);
        if (fits_memory(space, &at, &memory))
            return true;
        if (!least && states_too_large(space, &at, &memory))
            return false;
        if (!least || (least->on.gpu_count > 0 && memory.required >= least->memory.required))
            continue;
        least->on = at;
        least->memory = memory;
    }
    return false;
}

/* The same, using and updating what *table records about fewer or more replicas. If nothing fits,
 * tries the number of replicas that leaves each one micro-batch per stage: what does not fit there
 * never does. */
static bool known_to_fit(struct training_space *space, const struct training_strategy *on,
                         struct training_fit **table)
{
    double far = floor(on->batch_sequences / (on->micro_batch * on->pipeline));

    if (!*table)
        *table = training_space_table(space, sizeof(**table));
    struct training_fit *known = *table + (size_t)on->pipeline;
    if (known->fits_from > 0 && on->data >= known->fits_from)
        return true;
    if (on->data <= known->fails_to)
        return false;
    if (any_fits(space, on, on->data, NULL)) {
        known->fits_from = on->data;
        return true;
    }
    known->fails_to = on->data;
    if (known->fits_from > 0 || far <= on->data)
        return false;
    if (any_fits(space, on, far, NULL))
        known->fits_from = far;
    else
        known->fails_to = far;
    return false;
}

/* The same for a spread. If this is the last number of GPUs there is no table; states that are too
 * large alone rule out the whole row instead. */
static bool spread_fits(struct training_space *space, struct training_shared_terms *shared,
                        struct training_spread *spread, const struct training_strategy *on)
{
    if (!space->once)
        return known_to_fit(space, on, &spread->fit);
    if (any_fits(space, on, on->data, NULL))
        return true;
    struct training_strategy least = training_recompute_end(on, 2);
    if (space->job->stack == TRAINING_STACK_UNSPECIFIED &&
        leanest(space, &least).states > space->job->gpu->memory_bytes)
        shared->n_shardings = 0;
    return false;
}

/* What fits with a micro-batch that leaves memory free also fits with one that fills it. With
 * temporary gradients this does not hold: with one micro-batch per step more sequences can need
 * less. */
bool training_lower_bound_spread(struct training_space *space, struct training_shared_terms *shared,
                                 struct training_spread *spread, const struct training_strategy *on)
{
    struct training_reach *full = shared->spread[spread->sequence_parallel > 0];
    struct training_reach *free = full + 1, *reach = is_chosen(space, on) ? free : full;
    double sequences = on->micro_batch / on->context;

    if (space->job->stack > TRAINING_STACK_FUSED)
        return spread_fits(space, shared, spread, on);
    if (sequences <= greater(reach->fits_to, free->fits_to))
        return true;
    if (sequences >= lesser(reach->fails_from, full->fails_from))
        return false;
    bool fits = spread_fits(space, shared, spread, on);
    *(fits ? &reach->fits_to : &reach->fails_from) = sequences;
    return fits;
}

bool training_lower_bound_row(struct training_space *space, struct training_block *block,
                              const struct training_strategy *on)
{
    return space->once || known_to_fit(space, on, &block->fit);
}

/* True if any strategy of a block fits; if not, and `least` is not NULL, *least is the one that
 * needs least memory. */
static bool block_fits(const struct training_space *space, const struct training_block *block,
                       struct training_plan *least)
{
    const struct training_frame *frame = &space->frames[block->frame];
    const struct training_grid_row *row = frame->rows;
    const struct training_group *group = &block->groups[0];
    struct training_strategy on;
    struct training_values stages;

    for (size_t i = 0; i < frame->n_rows; i++, row++) {
        if (!training_space_join(space, group, row, &on))
            continue;
        training_constraints_zero(space->pinned, &on, &stages);
        if (stages.n > 0 && any_fits(space, &on, on.data, least))
            return true;
    }
    return false;
}

bool training_space_fits(struct training_space *space)
{
    if (!training_space_holds(space))
        return false;
    training_space_arrange(space);
    for (size_t i = 0; i < space->n_blocks && !cancelled(space->job->cancel); i++)
        if (block_fits(space, &space->blocks[i], NULL))
            return true;
    return false;
}

void training_lower_bound_least(struct training_space *space, struct training_plan *plan)
{
    training_space_arrange(space);
    for (size_t i = 0; i < space->n_blocks; i++)
        if (block_fits(space, &space->blocks[i], plan))
            return;
    training_step(space->job, &space->rates, &plan->on, &plan->step);
}

#include "estimate/training/plan/search_space.h"

#include "base/minmax.h"
#include "base/sort.h"
#include "estimate/training/memory.h"

#include <math.h>
#include <string.h>

double training_space_floor(const struct training_job *job, const struct training_strategy *on,
                            const struct training_pipe *pipe, double layer, double head)
{
    double turns = greater(1, on->batch_sequences / (on->data * on->micro_batch));
    double seconds = turns * (pipe->layers * layer + pipe->heads * head);

    if (job->schedule == TRAINING_1F1B)
        seconds +=
            (on->pipeline - 1) / on->virtual_stages * job->shape.layers / on->pipeline * layer;
    return seconds;
}

static void add_spread(const struct training_strategy *on, const struct training_layer *layer,
                       struct training_group *group)
{
    struct training_spread spread = {on->sequence_parallel, layer->t_floor > 0, layer->t_total,
                                     NULL};
    size_t i = group->n++;

    for (; i > 0 && spread.t_layer < group->at[i - 1].t_layer; i--)
        group->at[i] = group->at[i - 1];
    group->at[i] = spread;
}

void *training_space_table(struct training_space *space, size_t size)
{
    return arena_alloc(&space->arena, ((size_t)space->job->shape.layers + 1) * size);
}

/* Time the fastest spread; `work` is the work of its layer. */
static void set_lead(const struct training_space *space, const struct training_layer *work,
                     struct training_group *group)
{
    struct training_head head = training_head(space->job, &space->rates, &group->on, work->tokens);

    group->lead = *work;
    training_layer_time(space->job, &space->rates, &space->links, &group->on, &group->lead);
    group->head = head.products + head.moved;
    add_spread(&group->on, &group->lead, group);
}

void training_space_lead(const struct training_space *space, struct training_group *group)
{
    if (group->n > 0)
        return;
    struct training_layer work = training_layer_work(space->job, &space->rates, &group->on);
    set_lead(space, &work, group);
}

bool training_space_streams(const struct training_space *space, double zero_stage)
{
    return zero_stage >= 3 || space->job->offload == TRAINING_OFFLOAD_PARAMETERS;
}

/* Whether another spread is faster and needs no more memory. Spreads bound by kernel launches
 * are not counted, because they may tie. */
static bool is_beaten(const struct training_group *group, const struct training_spread *spread)
{
    for (size_t i = 0; i < group->n; i++)
        if (!group->at[i].floored && training_space_no_leaner(spread, &group->at[i]))
            return true;
    return false;
}

void training_space_spread(const struct training_space *space, struct training_group *group,
                           bool ordered)
{
    struct training_strategy on = group->on;
    struct training_values shardings;

    if (group->spread && (ordered || group->all))
        return;
    if (group->spread) { /* start over */
        group->n = 0;
        add_spread(&group->on, &group->lead, group);
    }
    group->spread = true;
    group->all = !ordered;
    training_constraints_sequence_parallel(space->pinned, on.tensor, &shardings);
    for (size_t i = 1; i < shardings.n; i++) { /* the first is already added */
        struct training_spread spread = {.sequence_parallel = shardings.at[i]};
        if (ordered && is_beaten(group, &spread))
            continue;
        on.sequence_parallel = spread.sequence_parallel;
        struct training_layer layer = training_layer_work(space->job, &space->rates, &on);
        training_layer_time(space->job, &space->rates, &space->links, &on, &layer);
        add_spread(&on, &layer, group);
    }
}

static int by_floor(const void *left, const void *right)
{
    const struct training_block *a = left, *b = right;

    if (a->floor != b->floor)
        return a->floor < b->floor ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Set the times per sequence of the largest micro-batch. */
static void set_each(struct training_block *block)
{
    const struct training_group *largest = &block->groups[block->n_groups - 1];

    block->layer_each = largest->lead.t_total / largest->on.micro_batch;
    block->head_each = largest->head / largest->on.micro_batch;
}

static void add_block(struct training_space *space, const struct training_strategy *on,
                      size_t i_frame, size_t family, const struct training_layer *work)
{
    const struct training_frame *frame = &space->frames[i_frame];
    struct training_block *block = &space->blocks[space->n_blocks++];

    *block = (struct training_block){.frame = i_frame,
                                     .expert = on->expert,
                                     .zero_3 = on->zero_stage >= 3,
                                     .number = space->n_blocks,
                                     .family = family,
                                     .n_groups = frame->n_micro};
    block->groups = arena_room(&space->arena, block->n_groups * sizeof(*block->groups));
    for (size_t i = 0; i < block->n_groups; i++) {
        struct training_group *group = &block->groups[i];
        group->micro = i;
        group->n = 0;
        group->spread = false;
        group->on = *on;
        group->on.micro_batch = group->on.batch_sequences = frame->micro[i];
    }
    struct training_group *largest = &block->groups[block->n_groups - 1];
    set_lead(space, work, largest);
    set_each(block);
    /* The t * c GPUs of a stage process b sequences at once. */
    block->floor = on->tensor * on->context / on->micro_batch * space->job->shape.layers *
                   largest->lead.t_total;
}

/* Add the blocks with ZeRO 3 and with lower stages, whose layers do the same work. */
static void add_blocks(struct training_space *space, size_t i_frame, size_t i_expert)
{
    const struct training_frame *frame = &space->frames[i_frame];
    const struct training_strategy *pinned = space->pinned;
    size_t family = frame->family + 2 * i_expert;
    struct training_values shardings;

    training_constraints_sequence_parallel(pinned, frame->tensor, &shardings);
    struct training_strategy on = {.gpu_count = space->gpu_count,
                                   .tensor = frame->tensor,
                                   .pipeline = 1,
                                   .context = frame->context,
                                   .expert = space->experts.at[i_expert],
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .micro_batch = frame->micro[frame->n_micro - 1],
                                   .sequence_parallel = shardings.at[0],
                                   .recompute = pinned->recompute,
                                   .modules = pinned->modules,
                                   .part = pinned->part,
                                   .whole = pinned->whole};
    struct training_layer work = training_layer_work(space->job, &space->rates, &on);
    if (training_space_may_be(space, 0))
        add_block(space, &on, i_frame, family, &work);
    on.zero_stage = 3;
    if (training_space_may_be(space, 3))
        add_block(space, &on, i_frame, family + 1, &work);
}

static void add_frame(struct training_space *space, size_t alike, double tensor, double context)
{
    struct training_frame *frame = &space->frames[space->n_frames++];
    struct training_values micro;

    *frame = (struct training_frame){
        .tensor = tensor, .context = context, .alike = alike, .family = space->n_families};
    training_constraints_micro_batch(space->job, space->pinned, context, &micro);
    frame->n_micro = micro.n;
    frame->micro = memcpy(arena_room(&space->arena, micro.n * sizeof(double)), micro.at,
                          micro.n * sizeof(double));
}

static void set_frames(struct training_space *space)
{
    struct training_values tensor, context, shardings;

    arena_free(&space->arena);
    space->n_frames = space->n_blocks = space->n_families = 0;
    space->arranged = false;
    space->last_block = NULL;
    training_constraints_tensor(space->job, space->pinned, space->node, &tensor);
    training_constraints_context(space->job, space->pinned, &context);
    space->frames = arena_room(&space->arena, (tensor.n * context.n + 1) * sizeof(*space->frames));
    for (size_t i = 0; i < tensor.n; i++, space->n_families += 2 * space->experts.n) {
        training_constraints_sequence_parallel(space->pinned, tensor.at[i], &shardings);
        for (size_t j = 0; j < context.n; j++)
            add_frame(space, shardings.n, tensor.at[i], context.at[j]);
    }
    space->families =
        arena_alloc(&space->arena, (space->n_families + 1) * sizeof(*space->families));
}

/* Whether no spread of a group is bound by kernel launches; with recompute a layer has a third
 * more of them. */
static bool is_free(const struct training_space *space, struct training_group *group)
{
    training_space_lead(space, group);
    return 3 * group->lead.t_total > 4 * training_layer_floor(space->job, group->on.tensor);
}

/* Whether a lower context-parallel degree does not communicate more slowly: a higher degree may
 * cross nodes. */
static bool sends_less(const struct training_space *space, double tensor, double fewer, double more)
{
    return fewer == 1 || collective_rate(&space->links, tensor * fewer) >=
                             collective_rate(&space->links, tensor * more);
}

bool training_space_spared(const struct training_space *space, const struct training_block *block,
                           const struct training_group *group)
{
    const struct training_strategy *on = &group->on;

    if (!isnan(space->pinned->data))
        return false;
    for (const struct training_block *less = block->before; less; less = less->before) {
        double fewer = space->frames[less->frame].context;
        if (!training_divides(fewer, on->context) ||
            !sends_less(space, on->tensor, fewer, on->context))
            continue;
        for (size_t i = 0; i < less->n_groups; i++)
            if (less->groups[i].on.micro_batch * on->context == on->micro_batch * fewer &&
                is_free(space, &less->groups[i]))
                return true;
    }
    return false;
}

/* Drop the groups that a lower context-parallel degree beats; never the smallest, which decides
 * what fits. */
static void spare_groups(const struct training_space *space, struct training_block *block)
{
    size_t n = 1;

    if (training_space_streams(space, block->zero_3 ? 3 : 0))
        return;
    for (size_t i = 1; i < block->n_groups; i++)
        if (!training_space_spared(space, block, &block->groups[i]))
            block->groups[n++] = block->groups[i];
    if (n == block->n_groups)
        return;
    block->n_groups = n;
    training_space_lead(space, &block->groups[n - 1]);
    set_each(block);
}

void training_space_arrange(struct training_space *space)
{
    size_t most = 2 * space->n_frames * space->experts.n;

    if (space->arranged)
        return;
    space->arranged = true;
    space->blocks = arena_room(&space->arena, (most + 1) * sizeof(*space->blocks));
    for (size_t i = 0; i < space->n_frames; i++)
        for (size_t j = 0; j < space->experts.n; j++)
            add_blocks(space, i, j);
    sort_items(space->blocks, space->n_blocks, sizeof(*space->blocks), by_floor);
    for (size_t i = 0; i < space->n_blocks; i++) {
        struct training_block *block = &space->blocks[i];
        block->before = space->families[block->family].last;
        space->families[block->family].last = block;
        spare_groups(space, block);
    }
}

void training_space_init(struct training_space *space, const struct training_job *job,
                         const struct training_strategy *pinned)
{
    struct training_values experts;

    *space = (struct training_space){
        .job = job, .pinned = pinned, .rates = training_rates(job), .slowest = (double)INFINITY};
    space->states = training_least_bytes(job);
    training_constraints_expert(space->job, space->pinned, &experts);
    space->experts = training_values_keep(&experts, &space->lasting);
    space->chunks =
        arena_alloc(&space->lasting, ((size_t)job->shape.layers + 1) * sizeof(*space->chunks));
}

void training_space_free(struct training_space *space)
{
    arena_free(&space->arena);
    arena_free(&space->lasting);
    arena_free(&space->count_arena);
}

void training_space_set_count(struct training_space *space, double gpu_count, bool any_batch)
{
    double node = lesser(space->job->gpus_per_node, gpu_count);

    space->gpu_count = gpu_count;
    space->any_batch = any_batch;
    if (node != space->node) {
        space->node = node;
        space->links = training_links(space->job, gpu_count);
        set_frames(space);
    }
    for (size_t i = 0; i < space->n_families; i++)
        space->families[i].shared = NULL;
    training_grid_set(space);
}

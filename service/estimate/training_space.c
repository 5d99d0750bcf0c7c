#include "estimate/training_space.h"

#include "base/number.h"
#include "base/sort.h"
#include "estimate/training_memory.h"

#include <math.h>
#include <string.h>

/* Whether the stage may be below 3, and 3. */
static bool may_be_below_3(const struct training_space *space)
{
    return !(space->pinned->zero_stage >= 3);
}

static bool may_be_3(const struct training_space *space)
{
    return !(space->pinned->zero_stage < 3);
}

double training_space_floor(const struct training_job *job, const struct training_strategy *on,
                            const struct training_row *row, double layer, double head)
{
    double turns = greater(1, on->batch_sequences / (on->data * on->micro_batch));
    double seconds = turns * (row->layers * layer + row->heads * head);

    if (job->schedule == TRAINING_1F1B)
        seconds +=
            (on->pipeline - 1) / on->virtual_stages * job->shape.layers / on->pipeline * layer;
    return seconds;
}

/* What the spreads of a frame differ in. */
struct alike {
    struct training_values sequence_parallel, recompute;
};

static size_t choices(const struct training_space *space, double tensor, struct alike *alike)
{
    training_legal_recompute(space->pinned, &alike->recompute);
    training_legal_sequence_parallel(space->pinned, tensor, &alike->sequence_parallel);
    return alike->recompute.n * alike->sequence_parallel.n;
}

static void add_spread(const struct training_strategy *on, double layer,
                       struct training_group *group)
{
    struct training_spread spread = {on->sequence_parallel, on->recompute, layer, NULL};
    size_t i = group->n++;

    for (; i > 0 && spread.t_layer < group->at[i - 1].t_layer; i--)
        group->at[i] = group->at[i - 1];
    group->at[i] = spread;
}

void *training_space_table(struct training_space *space, size_t size)
{
    return arena_alloc(&space->arena, ((size_t)space->job->shape.layers + 1) * size);
}

void training_space_spread(const struct training_space *space, struct training_group *group)
{
    struct training_strategy on = group->on;
    struct alike alike;

    if (group->spread)
        return;
    group->spread = true;
    choices(space, on.tensor, &alike);
    for (size_t i = 0; i < alike.sequence_parallel.n; i++) {
        on.sequence_parallel = alike.sequence_parallel.at[i];
        struct training_layer work = training_layer_work(space->job, &space->rates, &on);
        for (size_t j = i == 0; j < alike.recompute.n; j++) { /* that of both firsts is there */
            struct training_layer layer = work;
            on.recompute = (enum training_recompute)alike.recompute.at[j];
            training_layer_time(space->job, &space->rates, &space->links, &on, &layer);
            add_spread(&on, layer.t_total, group);
        }
    }
}

/* What is asked of every group, for the strategy with its fastest layer. */
static void set_group(const struct training_space *space, const struct training_strategy *on,
                      struct training_group *group)
{
    struct training_layer layer = training_layer(space->job, &space->rates, &space->links, on);
    struct training_head head = training_head(space->job, &space->rates, on, layer.tokens);

    group->on = *on;
    group->head = head.products + head.moved;
    add_spread(on, layer.t_total, group);
    /* t c GPUs of a stage work on b sequences at once. */
    group->floor =
        on->tensor * on->context / on->micro_batch * space->job->shape.layers * layer.t_total;
}

static int by_floor(const void *left, const void *right)
{
    const struct training_block *a = left, *b = right;

    if (a->floor != b->floor)
        return a->floor < b->floor ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void add_block(struct training_space *space, size_t i_frame, const struct alike *alike,
                      double expert, bool zero_3)
{
    const struct training_frame *frame = &space->frames[i_frame];
    struct training_block *block = &space->blocks[space->n_blocks++];
    struct training_strategy on = {.gpu_count = space->gpu_count,
                                   .tensor = frame->tensor,
                                   .pipeline = 1,
                                   .context = frame->context,
                                   .expert = expert,
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .zero_stage = zero_3 ? 3 : 0,
                                   .sequence_parallel = alike->sequence_parallel.at[0],
                                   .recompute = (enum training_recompute)alike->recompute.at[0]};

    *block = (struct training_block){.frame = i_frame,
                                     .expert = expert,
                                     .zero_3 = zero_3,
                                     .number = space->n_blocks,
                                     .n_groups = frame->n_micro,
                                     .floor = (double)INFINITY,
                                     .least_layer = (double)INFINITY,
                                     .layer_each = (double)INFINITY,
                                     .head_each = (double)INFINITY};
    block->groups = arena_alloc(&space->arena, block->n_groups * sizeof(*block->groups));
    for (size_t i = 0; i < block->n_groups; i++) {
        on.micro_batch = on.batch_sequences = frame->micro[i];
        block->groups[i].micro = i;
        set_group(space, &on, &block->groups[i]);
        double layer = block->groups[i].at[0].t_layer, head = block->groups[i].head;
        block->layer_each = lesser(block->layer_each, layer / on.micro_batch);
        block->head_each = lesser(block->head_each, head / on.micro_batch);
        block->least_layer = lesser(block->least_layer, layer);
        block->floor = lesser(block->floor, block->groups[i].floor);
    }
}

static void add_frame(struct training_space *space, size_t alike, double tensor, double context)
{
    struct training_frame *frame = &space->frames[space->n_frames++];
    struct training_values micro;

    *frame = (struct training_frame){.tensor = tensor, .context = context, .alike = alike};
    training_legal_micro_batch(space->job, space->pinned, context, &micro);
    frame->n_micro = micro.n;
    if (micro.n > space->most_micro) {
        space->most_micro = micro.n;
        space->room_rows = 0; /* each needs more room */
    }
    frame->micro = memcpy(arena_room(&space->arena, micro.n * sizeof(double)), micro.at,
                          micro.n * sizeof(double));
}

static void set_frames(struct training_space *space)
{
    struct training_values tensor, context;
    struct alike alike;

    arena_free(&space->arena);
    space->n_frames = space->n_blocks = 0;
    space->arranged = false;
    space->last_block = NULL;
    training_legal_tensor(space->job, space->pinned, space->node, &tensor);
    training_legal_context(space->job, space->pinned, &context);
    space->frames = arena_room(&space->arena, (tensor.n * context.n + 1) * sizeof(*space->frames));
    for (size_t i = 0; i < tensor.n; i++)
        for (size_t j = 0; j < context.n; j++)
            add_frame(space, choices(space, tensor.at[i], &alike), tensor.at[i], context.at[j]);
}

void training_space_arrange(struct training_space *space)
{
    size_t most = 2 * space->n_frames * space->experts.n;
    struct alike alike;

    if (space->arranged)
        return;
    space->arranged = true;
    space->blocks = arena_room(&space->arena, (most + 1) * sizeof(*space->blocks));
    for (size_t i = 0; i < space->n_frames; i++) {
        choices(space, space->frames[i].tensor, &alike);
        for (size_t j = 0; j < space->experts.n; j++) {
            if (may_be_below_3(space))
                add_block(space, i, &alike, space->experts.at[j], false);
            if (may_be_3(space))
                add_block(space, i, &alike, space->experts.at[j], true);
        }
    }
    sort_items(space->blocks, space->n_blocks, sizeof(*space->blocks), by_floor);
}

/* The choices of virtual stages on p pipeline stages, looked for once. */
static struct training_chunks chunks_of(struct training_space *space, size_t p)
{
    struct training_chunks *chunks = &space->chunks[p];
    size_t layers = (size_t)space->job->shape.layers;
    /* Where layers do not divide, embedding and head take a layer's place each. */
    size_t places = layers % p == 0 ? layers : layers + 2, each = places / p;
    struct training_values divisors;

    /* ZB-H1 is not interleaved. */
    if (chunks->n > 0 || p < 2 || each * p != places ||
        space->job->schedule == TRAINING_ZERO_BUBBLE)
        return *chunks;
    training_values_divisors(&divisors, (double)each);
    size_t size = divisors.n * sizeof(double);
    chunks->at = memcpy(arena_room(&space->lasting, size), divisors.at, size);
    chunks->n = divisors.n;
    return *chunks;
}

void training_space_init(struct training_space *space, const struct training_job *job,
                         const struct training_strategy *pinned)
{
    *space = (struct training_space){.job = job, .pinned = pinned, .rates = training_rates(job)};
    space->states = training_least_bytes(job);
    training_legal_expert(space->job, space->pinned, &space->experts);
    space->chunks =
        arena_alloc(&space->lasting, ((size_t)job->shape.layers + 1) * sizeof(*space->chunks));
}

void training_space_free(struct training_space *space)
{
    arena_free(&space->arena);
    arena_free(&space->lasting);
    arena_free(&space->row_arena);
}

bool training_space_holds(const struct training_space *space)
{
    return space->states <= space->gpu_count * space->job->gpu->memory_bytes;
}

/* How many micro-batches a step has, of so many sequences at once; 0 where they do not come out
 * whole, or where the batch outgrows the default one although not `any_batch`. */
static double turns_of(const struct training_space *space, double at_once)
{
    const struct training_job *job = space->job;

    if (!isnan(job->batch_sequences))
        return training_divides(at_once, job->batch_sequences) ? job->batch_sequences / at_once : 0;
    double turns = round_up(job->batch_default / at_once);
    bool outgrown = turns * at_once > TRAINING_BATCH_GROWTH_MAX * job->batch_default;
    return outgrown && !space->any_batch ? 0 : turns;
}

/* Whether micro-batches can take turns: as many as whole rounds of the pipeline. */
static bool interleaves(const struct training_row *row, double turns)
{
    return row->chunks.n > 1 && training_divides(row->pipeline, turns);
}

/* Count in the micro-batches that come out whole. */
static void set_micro_batches(const struct training_space *space,
                              const struct training_frame *frame, struct training_row *row)
{
    for (size_t i = 0; i < frame->n_micro; i++) {
        double at_once = row->data * frame->micro[i], turns = turns_of(space, at_once);
        row->turns[i] = turns;
        if (turns == 0)
            continue;
        row->most_batch = greater(row->most_batch, turns * at_once);
        row->least_turns = lesser(row->least_turns, turns);
        row->n_schedules += interleaves(row, turns) ? row->chunks.n : 1;
    }
}

static void set_stages(struct training_space *space, struct training_row *row)
{
    bool given = !isnan(space->pinned->virtual_stages);
    struct training_strategy on = {.pipeline = row->pipeline,
                                   .virtual_stages = given ? space->pinned->virtual_stages : 1};

    training_slowest_stage(&on, space->job->shape.layers, &row->layers, &row->heads);
    if (!given)
        row->chunks = chunks_of(space, (size_t)row->pipeline);
    if (row->chunks.n > 0)
        on.virtual_stages = row->chunks.at[row->chunks.n - 1];
    if (space->job->schedule == TRAINING_1F1B)
        row->wait =
            (row->pipeline - 1) / on.virtual_stages * space->job->shape.layers / row->pipeline;
}

/* Keep a row where some micro-batch comes out whole. */
static void add_row(struct training_space *space, const struct training_frame *frame,
                    double pipeline, double data)
{
    struct training_row row = {.pipeline = pipeline, .data = data, .least_turns = (double)INFINITY};

    row.turns = &space->turns[space->n_rows * space->most_micro];

    if (!isnan(space->pinned->data) && data != space->pinned->data)
        return;
    set_stages(space, &row);
    set_micro_batches(space, frame, &row);
    if (row.n_schedules == 0)
        return;
    space->rows[space->n_rows++] = row;
}

/* The pipelines that divide what tensor and context parallelism leave. */
static void set_rows(struct training_space *space, struct training_frame *frame,
                     const struct training_values *pipelines)
{
    double rest = space->gpu_count / (frame->tensor * frame->context);

    frame->first_row = space->n_rows;
    if (training_divides(frame->tensor * frame->context, space->gpu_count))
        for (size_t i = 0; i < pipelines->n && pipelines->at[i] <= rest; i++)
            if (training_divides(pipelines->at[i], rest))
                add_row(space, frame, pipelines->at[i], rest / pipelines->at[i]);
    frame->n_rows = space->n_rows - frame->first_row;
}

/* Start the rows; there will be at most so many. */
static void make_room(struct training_space *space, size_t rows)
{
    space->n_rows = 0;
    if (rows <= space->room_rows)
        return;
    arena_free(&space->row_arena);
    space->room_rows = 2 * rows;
    space->rows = arena_room(&space->row_arena, space->room_rows * sizeof(*space->rows));
    space->turns =
        arena_room(&space->row_arena, space->room_rows * space->most_micro * sizeof(*space->turns));
}

void training_space_set_count(struct training_space *space, double gpu_count, bool any_batch)
{
    double node = lesser(space->job->gpus_per_node, gpu_count);
    struct training_values pipelines;

    space->gpu_count = gpu_count;
    space->any_batch = any_batch;
    if (node != space->node) {
        space->node = node;
        space->links = training_links(space->job, gpu_count);
        set_frames(space);
    }
    training_values_divisors(&space->divisors, gpu_count);
    pipelines.n = 0;
    if (space->pinned->pipeline <= space->job->shape.layers)
        training_values_add(&pipelines, space->pinned->pipeline);
    for (size_t i = 0; isnan(space->pinned->pipeline) && i < space->divisors.n; i++)
        if (space->divisors.at[i] <= space->job->shape.layers)
            training_values_add(&pipelines, space->divisors.at[i]);
    make_room(space, space->n_frames * pipelines.n);
    for (size_t i = 0; i < space->n_frames; i++)
        set_rows(space, &space->frames[i], &pipelines);
}

bool training_space_join(const struct training_space *space, const struct training_group *group,
                         const struct training_row *row, struct training_strategy *on)
{
    double turns = row->turns[group->micro];

    if (turns == 0)
        return false;
    *on = group->on;
    on->gpu_count = space->gpu_count;
    on->pipeline = row->pipeline;
    on->data = row->data;
    on->batch_sequences = turns * (row->data * on->micro_batch);
    return training_divides(on->expert, on->tensor * on->context * on->data);
}

void training_space_shards(const struct training_space *space, const struct training_strategy *on,
                           struct training_values *shards)
{
    double replicas = on->data * on->context;

    if (training_values_pinned(shards, space->pinned->shard)) {
        if (space->pinned->shard > 1 && !training_divides(space->pinned->shard, replicas))
            shards->n = 0;
        return;
    }
    training_values_add(shards, 0);
    if (on->zero_stage < 3 || !training_divides(on->tensor, space->node))
        return;
    double node = space->node / on->tensor; /* replicas in a node */
    for (size_t i = 0; i < space->divisors.n; i++) {
        double shard = space->divisors.at[i] * node;
        if (shard > replicas / 2)
            return;
        if (shard > 1 && training_divides(shard, replicas))
            training_values_add(shards, shard);
    }
}

void training_space_chunks(const struct training_space *space, const struct training_row *row,
                           const struct training_group *group, struct training_values *chunks)
{
    if (training_values_pinned(chunks, space->pinned->virtual_stages))
        return;
    if (!interleaves(row, row->turns[group->micro])) {
        training_values_add(chunks, 1);
        return;
    }
    chunks->n = row->chunks.n;
    memcpy(chunks->at, row->chunks.at, chunks->n * sizeof(double));
}

/* Ways of ZeRO and hybrid sharding that a row leaves. */
static size_t ways_to_shard(const struct training_space *space, struct training_strategy on)
{
    bool no_3 = on.pipeline > 1 && isnan(space->pinned->zero_stage);
    struct training_values stages, shards;
    size_t n = 0;

    for (on.zero_stage = 0; on.zero_stage <= (no_3 ? 0 : 3); on.zero_stage += 3) {
        if (!(on.zero_stage >= 3 ? may_be_3(space) : may_be_below_3(space)))
            continue;
        training_legal_zero(space->pinned, &on, &stages);
        if (stages.n == 0)
            continue;
        training_space_shards(space, &on, &shards);
        n += stages.n * shards.n;
    }
    return n;
}

static size_t row_size(const struct training_space *space, const struct training_frame *frame,
                       const struct training_row *row)
{
    struct training_strategy on = {.gpu_count = space->gpu_count,
                                   .tensor = frame->tensor,
                                   .context = frame->context,
                                   .pipeline = row->pipeline,
                                   .data = row->data};
    size_t experts = 0;

    for (size_t i = 0; i < space->experts.n; i++)
        experts += training_divides(space->experts.at[i], on.tensor * on.context * on.data);
    return frame->alike * experts * row->n_schedules * ways_to_shard(space, on);
}

size_t training_space_size(const struct training_space *space)
{
    size_t size = 0;

    for (size_t i = 0; i < space->n_frames; i++) {
        const struct training_frame *frame = &space->frames[i];
        for (size_t j = 0; j < frame->n_rows; j++)
            size += row_size(space, frame, &space->rows[frame->first_row + j]);
    }
    return size;
}

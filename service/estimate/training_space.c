#include "estimate/training_space.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A piece of the sequence below this keeps no GPU busy; sequences are not cut finer. */
static const double CONTEXT_TOKENS_MIN = 1024;

static void add(struct training_values *values, double value)
{
    if (values->n < TRAINING_VALUES_MAX)
        values->at[values->n++] = value;
}

/* Start the values; true where the only one is what the caller pinned. */
static bool pinned_only(struct training_values *values, double pinned)
{
    values->n = 0;
    if (isnan(pinned))
        return false;
    add(values, pinned);
    return true;
}

static void tensor_values(const struct training_space *space, struct training_values *values)
{
    if (pinned_only(values, space->pinned->tensor))
        return;
    for (double t = 1; t <= space->node; t++)
        if (training_divides(t, space->node) && training_divides(t, space->job->shape.heads))
            add(values, t);
}

static void context_values(const struct training_space *space, struct training_values *values)
{
    double sequence = space->job->sequence_tokens;

    if (pinned_only(values, space->pinned->context))
        return;
    add(values, 1);
    for (double c = 2; sequence / c >= CONTEXT_TOKENS_MIN; c++)
        if (training_divides(c, sequence))
            add(values, c);
}

static void micro_batch_values(const struct training_space *space, double context,
                               struct training_values *values)
{
    const struct training_job *job = space->job;
    bool open = isnan(job->batch_sequences);
    double most = fmin(open ? job->batch_default : job->batch_sequences,
                       job->constants->micro_batch_tokens_max * context / job->sequence_tokens);

    if (pinned_only(values, space->pinned->micro_batch))
        return;
    add(values, 1);
    for (double b = 2; b <= most; b = open ? 2 * b : b + 1)
        if (open || training_divides(b, job->batch_sequences))
            add(values, b);
}

static void expert_values(const struct training_space *space, struct training_values *values)
{
    if (pinned_only(values, space->pinned->expert))
        return;
    add(values, 1);
    for (double e = 2; e <= space->job->shape.experts; e++)
        if (training_divides(e, space->job->shape.experts))
            add(values, e);
}

static void recompute_values(const struct training_space *space, struct training_values *values)
{
    enum training_recompute pinned = space->pinned->recompute;

    if (pinned_only(values, pinned == TRAINING_RECOMPUTE_AUTO ? (double)NAN : (double)pinned))
        return;
    for (int r = 0; r < TRAINING_RECOMPUTES; r++)
        add(values, r);
}

/* Without tensor parallelism there is nothing for it to divide. */
static void sequence_parallel_values(const struct training_space *space, double tensor,
                                     struct training_values *values)
{
    if (pinned_only(values, tensor > 1 ? space->pinned->sequence_parallel : 0))
        return;
    add(values, 1);
    add(values, 0);
}

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
                            const struct training_row *row, const struct training_layer *layer,
                            double head)
{
    double turns = fmax(1, on->batch_sequences / (on->data * on->micro_batch));
    double seconds = turns * (row->layers * layer->t_total + row->heads * head);

    if (job->schedule == TRAINING_1F1B)
        seconds += (on->pipeline - 1) / on->virtual_stages * job->shape.layers / on->pipeline *
                   layer->t_total;
    return seconds;
}

/* What the spreads of a frame differ in. */
struct alike {
    struct training_values sequence_parallel, recompute;
};

static void add_spread(const struct training_space *space, const struct training_strategy *on,
                       struct training_group *group)
{
    struct training_spread spread = {
        .on = *on,
        .layer = training_layer(space->job, &space->rates, &space->links, on),
    };
    size_t i = group->n++;

    for (; i > 0 && spread.layer.t_total < group->at[i - 1].layer.t_total; i--)
        group->at[i] = group->at[i - 1];
    group->at[i] = spread;
}

void *training_space_table(struct training_space *space, size_t size)
{
    return arena_alloc(&space->arena, ((size_t)space->job->shape.layers + 1) * size);
}

static void set_group(const struct training_space *space, const struct alike *alike,
                      struct training_strategy *on, struct training_group *group)
{
    for (size_t i = 0; i < alike->sequence_parallel.n; i++)
        for (size_t j = 0; j < alike->recompute.n; j++) {
            on->sequence_parallel = alike->sequence_parallel.at[i];
            on->recompute = (enum training_recompute)alike->recompute.at[j];
            add_spread(space, on, group);
        }
    struct training_step step;
    training_step_with_layer(space->job, &space->rates, &space->links, on, &group->at[0].layer,
                             &step);
    group->head = step.t_head;
    /* t c GPUs of a stage work on b sequences at once. */
    group->floor = on->tensor * on->context / on->micro_batch * space->job->shape.layers *
                   group->at[0].layer.t_total;
}

static int by_group_floor(const void *a, const void *b)
{
    double left = ((const struct training_group *)a)->floor;
    double right = ((const struct training_group *)b)->floor;

    return (left > right) - (left < right);
}

static int by_block_floor(const void *a, const void *b)
{
    double left = ((const struct training_block *)a)->groups->floor;
    double right = ((const struct training_block *)b)->groups->floor;

    return (left > right) - (left < right);
}

static void add_block(struct training_space *space, const struct alike *alike, double expert,
                      bool zero_3)
{
    const struct training_frame *frame = &space->frames[space->n_frames - 1];
    struct training_block *block = &space->blocks[space->n_blocks++];
    struct training_strategy on = {.gpu_count = space->gpu_count,
                                   .tensor = frame->tensor,
                                   .pipeline = 1,
                                   .context = frame->context,
                                   .expert = expert,
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .zero_stage = zero_3 ? 3 : 0};

    *block = (struct training_block){.frame = space->n_frames - 1,
                                     .expert = expert,
                                     .zero_3 = zero_3,
                                     .n_groups = frame->n_micro};
    block->groups = arena_alloc(&space->arena, block->n_groups * sizeof(*block->groups));
    for (size_t i = 0; i < block->n_groups; i++) {
        on.micro_batch = on.batch_sequences = frame->micro[i];
        set_group(space, alike, &on, &block->groups[i]);
        double least = block->groups[i].at[0].layer.t_total;
        block->least_layer = i > 0 ? fmin(block->least_layer, least) : least;
    }
    qsort(block->groups, block->n_groups, sizeof(*block->groups), by_group_floor);
}

static void add_frame(struct training_space *space, const struct alike *alike, double tensor,
                      double context)
{
    struct training_frame *frame = &space->frames[space->n_frames++];
    struct training_values micro;

    *frame = (struct training_frame){.tensor = tensor, .context = context};
    frame->alike = alike->sequence_parallel.n * alike->recompute.n;
    micro_batch_values(space, context, &micro);
    frame->n_micro = micro.n;
    frame->micro = memcpy(arena_alloc(&space->arena, micro.n * sizeof(double)), micro.at,
                          micro.n * sizeof(double));
    for (size_t i = 0; i < space->experts.n; i++) {
        if (may_be_below_3(space))
            add_block(space, alike, space->experts.at[i], false);
        if (may_be_3(space))
            add_block(space, alike, space->experts.at[i], true);
    }
}

/* Everything that does not depend on how many nodes there are. */
static void arrange(struct training_space *space)
{
    struct training_values tensor, context;
    struct alike alike;

    arena_free(&space->arena);
    space->n_frames = space->n_blocks = 0;
    space->last_block = NULL;
    tensor_values(space, &tensor);
    context_values(space, &context);
    recompute_values(space, &alike.recompute);
    size_t frames = tensor.n * context.n;
    space->frames = arena_alloc(&space->arena, (frames + 1) * sizeof(*space->frames));
    space->blocks =
        arena_alloc(&space->arena, (2 * frames * space->experts.n + 1) * sizeof(*space->blocks));
    for (size_t i = 0; i < tensor.n; i++) {
        sequence_parallel_values(space, tensor.at[i], &alike.sequence_parallel);
        for (size_t j = 0; j < context.n; j++)
            add_frame(space, &alike, tensor.at[i], context.at[j]);
    }
    qsort(space->blocks, space->n_blocks, sizeof(*space->blocks), by_block_floor);
}

static void set_divisors(struct training_values *values, double whole)
{
    size_t n;

    values->n = 0;
    for (double d = 1; d * d <= whole; d++)
        if (training_divides(d, whole))
            add(values, d);
    n = values->n;
    for (size_t i = n; i-- > 0;)
        if (values->at[i] * values->at[i] != whole)
            add(values, whole / values->at[i]);
}

void training_space_init(struct training_space *space, const struct training_job *job,
                         const struct training_strategy *pinned)
{
    size_t layers = (size_t)job->shape.layers;
    struct training_values chunks;

    *space = (struct training_space){.job = job, .pinned = pinned, .rates = training_rates(job)};
    space->prompt = *job;
    space->prompt_constants = *job->constants;
    space->prompt_constants.al = 0;
    space->prompt.constants = &space->prompt_constants;
    expert_values(space, &space->experts);
    space->chunks = mem_alloc((layers + 1) * sizeof(*space->chunks));
    for (size_t p = 1; p <= layers; p++)
        if (layers % p == 0 && p > 1) {
            set_divisors(&chunks, (double)(layers / p));
            space->chunks[p] = chunks.n;
        }
}

void training_space_free(struct training_space *space)
{
    arena_free(&space->arena);
    free(space->chunks);
    free(space->rows);
}

bool training_space_set_batch(const struct training_job *job, bool any_batch,
                              struct training_strategy *on)
{
    double at_once = on->data * on->micro_batch;

    if (!isnan(job->batch_sequences)) {
        on->batch_sequences = job->batch_sequences;
        return training_divides(at_once, job->batch_sequences);
    }
    on->batch_sequences = ceil(job->batch_default / at_once) * at_once;
    return any_batch || on->batch_sequences <= TRAINING_BATCH_GROWTH_MAX * job->batch_default;
}

/* Keep a row where some micro-batch comes out whole. */
static void add_row(struct training_space *space, const struct training_frame *frame,
                    double pipeline, double data)
{
    struct training_row row = {.pipeline = pipeline, .data = data, .least_turns = (double)INFINITY};
    struct training_strategy on = {
        .data = data,
        .pipeline = pipeline,
        .virtual_stages = isnan(space->pinned->virtual_stages) ? 1 : space->pinned->virtual_stages};

    if (!isnan(space->pinned->data) && data != space->pinned->data)
        return;
    for (size_t i = 0; i < frame->n_micro; i++) {
        on.micro_batch = frame->micro[i];
        if (!training_space_set_batch(space->job, space->any_batch, &on))
            continue;
        row.most_batch = fmax(row.most_batch, on.batch_sequences);
        row.least_turns = fmin(row.least_turns, on.batch_sequences / (data * on.micro_batch));
    }
    if (row.most_batch == 0)
        return;
    training_slowest_stage(&on, space->job->shape.layers, &row.layers, &row.heads);
    if (space->n_rows == space->room_rows) {
        space->room_rows = 2 * space->room_rows + 64;
        space->rows = mem_resize(space->rows, space->room_rows * sizeof(*space->rows));
    }
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

void training_space_set_count(struct training_space *space, double gpu_count, bool any_batch)
{
    double node = fmin(space->job->gpus_per_node, gpu_count);
    struct training_values pipelines;

    space->gpu_count = gpu_count;
    space->any_batch = any_batch;
    if (node != space->node) {
        space->node = node;
        space->links = training_links(space->job, gpu_count);
        arrange(space);
    }
    set_divisors(&space->divisors, gpu_count);
    if (!pinned_only(&pipelines, space->pinned->pipeline))
        for (size_t i = 0; i < space->divisors.n; i++)
            if (space->divisors.at[i] <= space->job->shape.layers)
                add(&pipelines, space->divisors.at[i]);
    space->n_rows = 0;
    for (size_t i = 0; i < space->n_frames; i++)
        set_rows(space, &space->frames[i], &pipelines);
}

bool training_space_join(const struct training_space *space, const struct training_spread *spread,
                         const struct training_row *row, struct training_strategy *on)
{
    *on = spread->on;
    on->gpu_count = space->gpu_count;
    on->pipeline = row->pipeline;
    on->data = row->data;
    return training_divides(on->expert, on->tensor * on->context * on->data) &&
           training_space_set_batch(space->job, space->any_batch, on);
}

void training_space_zero(const struct training_space *space, const struct training_strategy *on,
                         struct training_values *stages)
{
    if (pinned_only(stages, space->pinned->zero_stage))
        return;
    if (on->zero_stage >= 3) {
        if (on->data * on->context > 1 && on->pipeline == 1)
            add(stages, 3);
        return;
    }
    add(stages, 0);
    if (on->data * on->context == 1)
        return;
    add(stages, 1);
    if (on->pipeline == 1)
        add(stages, 2);
}

void training_space_shards(const struct training_space *space, const struct training_strategy *on,
                           struct training_values *shards)
{
    double replicas = on->data * on->context;

    if (pinned_only(shards, space->pinned->shard))
        return;
    add(shards, 0);
    if (on->zero_stage < 3 || !training_divides(on->tensor, space->node))
        return;
    double node = space->node / on->tensor; /* replicas in a node */
    for (size_t i = 0; i < space->divisors.n; i++) {
        double shard = space->divisors.at[i] * node;
        if (shard > replicas / 2)
            return;
        if (shard > 1 && training_divides(shard, replicas))
            add(shards, shard);
    }
}

/* Whether micro-batches can take turns: as many as whole rounds of the pipeline. */
static bool interleaves(const struct training_space *space, const struct training_strategy *on)
{
    double micro_batches = on->batch_sequences / (on->data * on->micro_batch);

    return on->pipeline > 1 && training_divides(on->pipeline, space->job->shape.layers) &&
           training_divides(on->pipeline, micro_batches);
}

void training_space_chunks(const struct training_space *space, const struct training_strategy *on,
                           struct training_values *chunks)
{
    double layers = space->job->shape.layers / on->pipeline;

    if (pinned_only(chunks, space->pinned->virtual_stages))
        return;
    add(chunks, 1);
    if (!interleaves(space, on))
        return;
    for (double v = 2; v <= layers; v++)
        if (training_divides(v, layers))
            add(chunks, v);
}

/* Ways of ZeRO and hybrid sharding that a row leaves. */
static size_t ways_to_shard(const struct training_space *space, struct training_strategy on)
{
    struct training_values stages, shards;
    size_t n = 0;

    for (on.zero_stage = 0; on.zero_stage <= 3; on.zero_stage += 3) {
        if (!(on.zero_stage >= 3 ? may_be_3(space) : may_be_below_3(space)))
            continue;
        training_space_zero(space, &on, &stages);
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
    size_t schedules = 0, experts = 0;

    for (size_t i = 0; i < frame->n_micro; i++) {
        on.micro_batch = frame->micro[i];
        if (training_space_set_batch(space->job, space->any_batch, &on))
            schedules += interleaves(space, &on) && isnan(space->pinned->virtual_stages)
                             ? space->chunks[(size_t)row->pipeline]
                             : 1;
    }
    for (size_t i = 0; i < space->experts.n; i++)
        experts += training_divides(space->experts.at[i], on.tensor * on.context * on.data);
    return frame->alike * experts * schedules * ways_to_shard(space, on);
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

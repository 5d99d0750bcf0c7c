/* grid.c - the ways to divide a number of GPUs: pipelines, replicas and micro-batches that divide
 * evenly, and the number of strategies. */
#include "estimate/training/plan/search_space.h"

#include "base/minmax.h"

#include <math.h>

/* The choices of virtual stages on p pipeline stages, computed once. */
static struct training_list chunks_of(struct training_space *space, size_t p)
{
    struct training_list *chunks = &space->chunks[p];
    size_t layers = (size_t)space->job->shape.layers;
    /* If the layers are not divisible, embedding and head take the place of a layer each, and
     * remaining places stay empty: DeepSeek-V3's 61 layers make 16 parts of 4 places
     * (Megatron-Bridge v0.4.0, scripts/performance/configs/deepseek, pp_layout). */
    size_t each = layers % p == 0 ? layers / p : (layers + 2 + p - 1) / p;
    struct training_values divisors;

    /* ZB-H1 and DualPipe are not interleaved. */
    if (chunks->n > 0 || p < 2 || space->job->schedule != TRAINING_1F1B)
        return *chunks;
    training_values_divisors(&divisors, (double)each);
    while ((size_t)divisors.at[divisors.n - 1] * p > layers + 2) /* a part with nothing in it */
        divisors.n--;
    return *chunks = training_values_keep(&divisors, &space->lasting);
}

bool training_space_holds(const struct training_space *space)
{
    return space->states <= space->gpu_count * space->job->gpu->memory_bytes;
}

/* Micro-batches per step, with n sequences at a time; 0 if not whole, or if the batch exceeds the
 * default although not `any_batch`. */
static double turns_of(const struct training_space *space, double at_once)
{
    const struct training_job *job = space->job;

    if (!isnan(job->batch_sequences))
        return training_divides(at_once, job->batch_sequences) ? job->batch_sequences / at_once : 0;
    double most = TRAINING_BATCH_GROWTH_MAX * job->batch_default;
    if (at_once > most && !space->any_batch)
        return 0;
    double turns = round_up(job->batch_default / at_once);
    return turns * at_once > most && !space->any_batch ? 0 : turns;
}

/* True if micro-batches can be interleaved: a multiple of the pipeline stages. */
static bool interleaves(const struct training_pipe *pipe, double turns)
{
    return pipe->chunks.n > 1 && training_divides(pipe->stages, turns);
}

double training_space_wait(const struct training_pipe *pipe, double turns)
{
    return interleaves(pipe, turns) ? pipe->turns_wait : pipe->wait;
}

/* Count the micro-batches that divide the batch evenly. */
static void set_micro_batches(const struct training_space *space,
                              const struct training_frame *frame, struct training_grid_row *row)
{
    const struct training_pipe *pipe = &space->pipes[row->pipe];

    for (size_t i = 0; i < frame->n_micro; i++) {
        double at_once = row->data * frame->micro[i], turns = turns_of(space, at_once);
        row->turns[i] = turns;
        if (turns == 0)
            continue;
        row->most_batch = greater(row->most_batch, turns * at_once);
        row->least_turns = lesser(row->least_turns, turns);
        bool whole = interleaves(pipe, turns);
        double wait = whole ? pipe->turns_wait : pipe->wait;
        row->least_wait = lesser(row->least_wait, wait / (turns * row->data));
        row->n_schedules += whole ? pipe->chunks.n : 1;
    }
}

/* Keep a row if some micro-batch divides evenly. */
static void add_row(struct training_space *space, struct training_frame *frame, size_t pipe,
                    double data, double *turns)
{
    struct training_grid_row *row = &frame->rows[frame->n_rows];

    if (!isnan(space->pinned->data) && data != space->pinned->data)
        return;
    *row = (struct training_grid_row){.pipe = pipe,
                                      .pipeline = space->pipes[pipe].stages,
                                      .data = data,
                                      .least_turns = (double)INFINITY,
                                      .least_wait = (double)INFINITY,
                                      .turns = turns};
    set_micro_batches(space, frame, row);
    frame->n_rows += row->n_schedules > 0;
}

/* The pipelines that divide the GPUs left by tensor and context parallelism. */
static void set_rows(struct training_space *space, struct training_frame *frame)
{
    double rest = space->gpu_count / (frame->tensor * frame->context);
    double *turns =
        arena_room(&space->count_arena, space->n_pipes * frame->n_micro * sizeof(*turns));

    frame->n_rows = 0;
    frame->rows = arena_room(&space->count_arena, space->n_pipes * sizeof(*frame->rows));
    if (!training_divides(frame->tensor * frame->context, space->gpu_count))
        return;
    for (size_t i = 0; i < space->n_pipes && space->pipes[i].stages <= rest; i++)
        if (training_divides(space->pipes[i].stages, rest))
            add_row(space, frame, i, rest / space->pipes[i].stages,
                    &turns[frame->n_rows * frame->n_micro]);
}

static void add_pipe(struct training_space *space, double stages)
{
    double pinned = space->pinned->virtual_stages, layers = space->job->shape.layers;
    struct training_pipe *pipe = &space->pipes[space->n_pipes];
    struct training_strategy on = {.pipeline = stages,
                                   .virtual_stages = isnan(pinned) ? 1 : pinned};

    if (stages > layers || !training_pairs(space->job, stages))
        return;
    space->n_pipes++;
    *pipe = (struct training_pipe){.stages = stages};
    training_slowest_stage(&on, layers, &pipe->layers, &pipe->heads);
    if (isnan(pinned))
        pipe->chunks = chunks_of(space, (size_t)stages);
    if (space->job->schedule != TRAINING_1F1B)
        return;
    pipe->wait = (stages - 1) / on.virtual_stages * layers / stages;
    if (pipe->chunks.n > 0)
        pipe->turns_wait = (stages - 1) / pipe->chunks.at[pipe->chunks.n - 1] * layers / stages;
}

/* Whether the model is so small that nobody makes a pipeline of it: one is for what does not fit a
 * GPU, which data parallelism scales (Narayanan et al. 2021, arXiv 2104.04473, takeaway 2). Half of
 * the memory is left to activations, and the batch must have a sequence for each GPU. */
static bool needs_no_pipeline(const struct training_space *space)
{
    const struct training_strategy *pinned = space->pinned;
    const struct training_job *job = space->job;

    return 2 * space->states <= job->gpu->memory_bytes && job->schedule == TRAINING_1F1B &&
           job->sequence_tokens <= job->constants->micro_batch_tokens_max && isnan(pinned->data) &&
           isnan(pinned->virtual_stages) && turns_of(space, space->gpu_count) > 0;
}

void training_grid_set(struct training_space *space)
{
    double pinned = space->pinned->pipeline;
    struct training_values divisors;
    size_t room;

    arena_free(&space->count_arena);
    training_values_divisors(&divisors, space->gpu_count);
    space->divisors = training_values_keep(&divisors, &space->count_arena);
    room = (divisors.n + 1) * sizeof(*space->pipes);
    space->pipes = arena_room(&space->count_arena, room);
    space->n_pipes = 0;
    if (!isnan(pinned))
        add_pipe(space, pinned);
    bool alone =
        training_constraints_replicas_alone(space->job, space->pinned) || needs_no_pipeline(space);
    /* The first divisor is 1; for less than one GPU there is none. */
    size_t most = alone && space->divisors.n > 1 ? 1 : space->divisors.n;
    for (size_t i = 0; isnan(pinned) && i < most; i++)
        add_pipe(space, space->divisors.at[i]);
    for (size_t i = 0; i < space->n_frames; i++)
        set_rows(space, &space->frames[i]);
}

bool training_space_join(const struct training_space *space, const struct training_group *group,
                         const struct training_grid_row *row, struct training_strategy *on)
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
    /* A pinned ZeRO 3 means all replicas. */
    if (on->zero_stage < 3 || space->pinned->zero_stage >= 3 ||
        !training_divides(on->tensor, space->node))
        return;
    double node = space->node / on->tensor; /* replicas per node */
    for (size_t i = 0; i < space->divisors.n; i++) {
        double shard = space->divisors.at[i] * node;
        if (shard > replicas / 2)
            return;
        if (shard > 1 && training_divides(shard, replicas))
            training_values_add(shards, shard);
    }
}

struct training_list training_space_chunks(const struct training_space *space,
                                           const struct training_grid_row *row,
                                           const struct training_group *group)
{
    static const double one = 1;
    const struct training_pipe *pipe = &space->pipes[row->pipe];

    if (!isnan(space->pinned->virtual_stages))
        return (struct training_list){&space->pinned->virtual_stages, 1};
    return interleaves(pipe, row->turns[group->micro]) ? pipe->chunks
                                                       : (struct training_list){&one, 1};
}

/* Number of choices of ZeRO stage and hybrid sharding. */
static size_t ways_to_shard(const struct training_space *space, struct training_strategy *on)
{
    bool no_3 = on->pipeline > 1 && isnan(space->pinned->zero_stage);
    struct training_values stages, shards;
    size_t n = 0;

    for (on->zero_stage = 0; on->zero_stage <= (no_3 ? 0 : 3); on->zero_stage += 3) {
        if (!training_space_may_be(space, on->zero_stage))
            continue;
        training_constraints_zero(space->pinned, on, &stages);
        if (stages.n == 0)
            continue;
        training_space_shards(space, on, &shards);
        n += stages.n * shards.n;
    }
    return n;
}

/* Number of choices for experts and states, the same for every context degree. */
static size_t shardings(const struct training_space *space, const struct training_frame *frame,
                        const struct training_grid_row *row)
{
    struct training_pipe *pipe = &space->pipes[row->pipe];
    size_t experts = 0;

    if (pipe->tensor == frame->tensor)
        return pipe->n_shardings;
    struct training_strategy on = {.tensor = frame->tensor,
                                   .context = frame->context,
                                   .pipeline = row->pipeline,
                                   .data = row->data};
    for (size_t i = 0; i < space->experts.n; i++)
        experts += training_divides(space->experts.at[i], on.tensor * on.context * on.data);
    pipe->tensor = frame->tensor;
    return pipe->n_shardings = experts * ways_to_shard(space, &on);
}

size_t training_space_size(const struct training_space *space)
{
    size_t size = 0;

    for (size_t i = 0; i < space->n_frames; i++) {
        const struct training_frame *frame = &space->frames[i];
        for (size_t j = 0; j < frame->n_rows; j++)
            size += frame->alike * frame->rows[j].n_schedules *
                    shardings(space, frame, &frame->rows[j]);
    }
    return size;
}

#include "estimate/inference/memory.h"

#include "base/units.h"
#include "estimate/inference/gguf.h"

#include <math.h>

double memory_nominal_bytes(enum number format)
{
    static const double bytes[NUMBER_COUNT] = {
        [NUMBER_FP32] = 4,       [NUMBER_FP16] = 2,       [NUMBER_BF16] = 2,
        [NUMBER_FP8] = 1,        [NUMBER_INT8] = 1,       [NUMBER_INT4] = 0.5,
        [NUMBER_FP4] = 0.5,      [NUMBER_NF4] = 0.5,      [NUMBER_Q8_0] = 1,
        [NUMBER_Q6_K] = 0.75,    [NUMBER_Q5_K_M] = 0.625, [NUMBER_Q4_K_M] = 0.5,
        [NUMBER_Q3_K_M] = 0.375, [NUMBER_Q2_K] = 0.25,
    };

    return bytes[format];
}

enum number memory_kernel_format(enum number format)
{
    if (format < NUMBER_NF4)
        return format;
    return format == NUMBER_Q8_0 ? NUMBER_INT8 : NUMBER_INT4;
}

/* A known average applies to every part. */
static void set_average(struct weight_bytes *bytes, double average)
{
    bytes->body = bytes->attention = bytes->head = bytes->table = bytes->rest = average;
}

static void set_mixed(struct weight_bytes *bytes, const struct gguf_bytes *mixed)
{
    bytes->body = mixed->body;
    bytes->attention = mixed->attention;
    bytes->head = mixed->head;
    bytes->table = mixed->table;
    bytes->rest = mixed->rest;
}

/* llama.cpp stores the experts of an fp4 mixture as MXFP4 and everything else as Q8_0. */
static void set_bytes(struct weight_bytes *bytes, const struct memory_constants *constants,
                      const struct model_shape *shape, enum number format, bool gguf)
{
    bool experts_only = format == NUMBER_FP4 && shape->moe;

    bytes->body = bytes->attention = constants->bytes[format];
    bytes->head = fmax(constants->bytes_head, format == NUMBER_FP32 ? bytes->body : 0);
    if (experts_only && gguf) {
        bytes->body = constants->bytes_gguf_mxfp4;
        bytes->attention = bytes->head = constants->bytes[NUMBER_Q8_0];
    } else if (experts_only) {
        bytes->attention = constants->bytes_attention_fp4_moe;
    }
    bytes->table = bytes->rest = bytes->head;
}

static void set_parts(struct weight_bytes *bytes, const struct model_shape *shape, bool host)
{
    double entries = shape->vocab * shape->hidden;
    double head = entries * bytes->head, table = shape->tied ? 0 : entries * bytes->table;
    double dense = shape->layers * shape->attention_weights * bytes->attention +
                   shape->dense_ffn_weights * bytes->body;

    bytes->fixed = dense + head;
    bytes->expert = shape->moe_layers * shape->expert_weights * bytes->body;
    bytes->all_layers = dense + shape->experts * bytes->expert;
    bytes->embeddings = head + table; /* tied: only one matrix */
    bytes->host = host ? table : 0;
}

struct weight_bytes memory_weight_bytes(const struct memory_constants *constants,
                                        const struct model_shape *shape, enum number format,
                                        bool gguf, double checkpoint)
{
    struct weight_bytes bytes = {0};
    enum number read = format;

    if (gguf && format == NUMBER_INT4)
        read = NUMBER_Q4_K_M;
    else if (gguf && format == NUMBER_INT8)
        read = NUMBER_Q8_0;
    set_bytes(&bytes, constants, shape, read, gguf);
    bytes.frozen = shape->frozen_weights * bytes.head;
    if (!isnan(checkpoint)) {
        set_average(&bytes, checkpoint);
    } else if (read == NUMBER_Q8_0) {
        set_average(&bytes, constants->bytes[read]);
    } else if (gguf_is_mixed(read)) {
        struct gguf_bytes mixed = gguf_bytes_of(shape, read);
        set_mixed(&bytes, &mixed);
    }
    bytes.small = (shape->small_weights + shape->router_weights) * bytes.rest;
    set_parts(&bytes, shape, gguf);
    return bytes;
}

double memory_weights_total(const struct weight_bytes *weights)
{
    return weights->all_layers + weights->embeddings + weights->small + weights->frozen;
}

double memory_kv_bytes(const struct memory_constants *constants, enum number format)
{
    switch (format) {
    case NUMBER_FP32:
        return 2 * constants->kv_bytes_16bit;
    case NUMBER_FP8:
    case NUMBER_INT8:
        return constants->kv_bytes_8bit;
    case NUMBER_INT4:
    case NUMBER_FP4:
        return constants->kv_bytes_8bit / 2;
    default:
        return constants->kv_bytes_16bit;
    }
}

double memory_kv_bytes_per_token(const struct model_shape *shape, double kv_bytes)
{
    return shape->full_layers * (shape->kv_elements * kv_bytes + shape->index_key_bytes);
}

double memory_kv_window_bytes(const struct model_shape *shape, double kv_bytes, double tokens)
{
    return shape->sliding_layers * fmin(tokens, shape->window) * shape->kv_elements * kv_bytes;
}

double memory_kv_bytes_per_request(const struct model_shape *shape, double kv_bytes, double tokens)
{
    return memory_kv_bytes_per_token(shape, kv_bytes) * tokens +
           memory_kv_window_bytes(shape, kv_bytes, tokens);
}

double memory_state_bytes(const struct memory_constants *constants, const struct model_shape *shape)
{
    return shape->linear_layers * shape->recurrent_state_elements * constants->state_bytes;
}

/* Per GPU: experts are sharded over all GPUs, the rest within each attention group, a vision tower
 * not at all. If each stage is one GPU, both embedding and head are counted. */
static double weights_per_gpu(const struct memory_job *job)
{
    const struct weight_bytes *weights = job->weights;
    double group = job->tensor / job->attention_data;
    double experts = job->shape->experts * weights->expert;
    double shared = (weights->all_layers - experts) / job->pipeline + weights->embeddings;

    return (shared - weights->host) / group +
           fmax(1, job->expert_copies) * experts / (job->tensor * job->pipeline) + weights->frozen;
}

static void set_room(struct kv_pool *pool, const struct memory_constants *constants,
                     const struct memory_job *job)
{
    bool split = job->tensor * job->pipeline > 1;
    double group = job->tensor / job->attention_data;

    pool->capacity = job->gpu->memory_bytes;
    pool->adapters = job->adapter_bytes / (group * job->pipeline);
    pool->weights =
        weights_per_gpu(job) * (1 + job->draft_share) * (1 + job->seen.weights) + pool->adapters;
    pool->reserve = constants->reserve_bytes;
    pool->workspace = workspace_needed(job->shape, job->engine,
                                       workspace_pass_tokens(job->engine, job->pass_tokens),
                                       job->request_tokens, group, fmax(1, job->gathered));
    pool->rest = pool->workspace + job->weights->small / job->pipeline +
                 (split ? constants->context_split_gib : constants->context_gib) * GIB;
    pool->bytes = fmin(job->utilization * (pool->capacity - pool->weights - pool->reserve),
                       pool->capacity - pool->weights - pool->rest);
    pool->seen = fmin(job->seen.cache, pool->capacity - pool->weights - pool->bytes);
    pool->bytes += pool->seen;
}

/* MLA's latent is replicated on every GPU; heads are sharded up to their number. */
static double shards(const struct memory_job *job)
{
    return job->shape->mla ? 1 : fmin(job->tensor / job->attention_data, job->shape->kv_heads);
}

struct kv_pool memory_kv_pool(const struct memory_constants *constants,
                              const struct memory_job *job)
{
    double data = job->attention_data, tokens = job->request_tokens;
    double block = job->engine->block_tokens, paged = ceil(tokens / block) * block;
    struct kv_pool pool = {.shards = shards(job), .block_tokens = block};
    double share = pool.shards * job->pipeline;

    set_room(&pool, constants, job);
    double room = fmax(0, pool.bytes);
    pool.state = memory_state_bytes(constants, job->shape) / (job->tensor / data * job->pipeline);
    pool.bytes_per_token = memory_kv_bytes_per_token(job->shape, job->kv_bytes) / share;
    pool.bytes_per_request =
        memory_kv_bytes_per_request(job->shape, job->kv_bytes, tokens) / share + pool.state;
    pool.tokens = data * room / pool.bytes_per_token;
    pool.requests_unbounded = pool.tokens / tokens;
    pool.requests = room > 0 ? data * room / pool.bytes_per_request : 0;
    pool.bytes_paged =
        memory_kv_bytes_per_request(job->shape, job->kv_bytes, paged) / share + pool.state;
    if (job->longest_tokens > tokens)
        pool.bytes_longest =
            memory_kv_bytes_per_request(job->shape, job->kv_bytes,
                                        ceil(job->longest_tokens / block) * block) /
                share +
            pool.state;
    pool.held = room > 0 ? data * floor(room / pool.bytes_paged) : 0;
    return pool;
}

double memory_needed(const struct kv_pool *pool, double requests, double utilization)
{
    double cache = fmax(requests * pool->bytes_paged, pool->bytes_longest) - pool->seen;

    return pool->weights + fmax(pool->reserve + cache / utilization, pool->rest + cache);
}

double memory_max_context(const struct kv_pool *pool, const struct model_shape *shape,
                          double kv_bytes, double pipeline)
{
    double limit = shape->max_tokens > 0 ? shape->max_tokens : (double)NAN;
    double per_layer =
        (shape->kv_elements * kv_bytes + shape->index_key_bytes) / (pool->shards * pipeline);
    double room = fmax(0, pool->bytes - pool->state) / per_layer; /* in tokens times layers */
    double layers = shape->full_layers + shape->sliding_layers, block = pool->block_tokens;

    if (room < layers * shape->window || shape->sliding_layers <= 0)
        return fmin(floor(room / layers / block) * block, limit);
    room -= shape->sliding_layers * shape->window;
    return shape->full_layers > 0 ? fmin(floor(room / shape->full_layers / block) * block, limit)
                                  : limit;
}

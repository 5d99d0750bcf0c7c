#include "estimate/inference_memory.h"

#include <math.h>

double memory_nominal_bytes(enum number format)
{
    static const double bytes[NUMBER_COUNT] = {
        [NUMBER_FP32] = 4, [NUMBER_FP16] = 2,   [NUMBER_BF16] = 2,  [NUMBER_FP8] = 1,
        [NUMBER_INT8] = 1, [NUMBER_INT4] = 0.5, [NUMBER_FP4] = 0.5,
    };

    return bytes[format];
}

static double bytes_per_weight(const struct memory_constants *constants, enum number format)
{
    switch (format) {
    case NUMBER_FP8:
        return constants->bytes_fp8;
    case NUMBER_INT8:
        return constants->bytes_int8;
    case NUMBER_INT4:
        return constants->bytes_int4;
    case NUMBER_FP4:
        return constants->bytes_fp4;
    case NUMBER_FP32:
        return 2 * constants->bytes_16bit;
    default:
        return constants->bytes_16bit;
    }
}

static void set_bytes(struct weight_bytes *bytes, const struct memory_constants *constants,
                      const struct shape *shape, enum number format)
{
    bytes->body = bytes->attention = bytes_per_weight(constants, format);
    bytes->head = fmax(constants->bytes_head, format == NUMBER_FP32 ? bytes->body : 0);
    if (format == NUMBER_FP4 && shape->moe)
        bytes->attention = constants->bytes_attention_fp4_moe;
}

struct weight_bytes memory_weight_bytes(const struct memory_constants *constants,
                                        const struct shape *shape, enum number format, bool gguf,
                                        double checkpoint)
{
    struct weight_bytes bytes = {0};
    double table = shape->vocab * shape->hidden;

    if (isnan(checkpoint) && gguf && format == NUMBER_INT4)
        checkpoint = (constants->bytes_gguf_low + constants->bytes_gguf_high) / 2;
    set_bytes(&bytes, constants, shape, format);
    if (!isnan(checkpoint)) /* what is known of the whole holds for every part */
        bytes.body = bytes.attention = bytes.head = checkpoint;
    double dense = shape->layers * shape->attention_weights * bytes.attention +
                   shape->dense_ffn_weights * bytes.body;
    bytes.fixed = dense + table * bytes.head;
    bytes.expert = shape->moe_layers * shape->expert_weights * bytes.body;
    bytes.all_layers = dense + shape->experts * bytes.expert;
    bytes.embeddings = (shape->tied ? 1 : 2) * table * bytes.head; /* tied: one matrix */
    return bytes;
}

double memory_weights_total(const struct weight_bytes *weights)
{
    return weights->all_layers + weights->embeddings;
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

double memory_kv_bytes_per_token(const struct shape *shape, double kv_bytes)
{
    return shape->full_layers * shape->kv_elements * kv_bytes;
}

double memory_kv_window_bytes(const struct shape *shape, double kv_bytes, double tokens)
{
    return shape->sliding_layers * fmin(tokens, shape->window) * shape->kv_elements * kv_bytes;
}

double memory_kv_bytes_per_request(const struct shape *shape, double kv_bytes, double tokens)
{
    return memory_kv_bytes_per_token(shape, kv_bytes) * tokens +
           memory_kv_window_bytes(shape, kv_bytes, tokens);
}

struct kv_pool memory_kv_pool(const struct memory_constants *constants, const struct shape *shape,
                              const struct gpu *gpu, const struct weight_bytes *weights,
                              double kv_bytes, double tensor, double pipeline,
                              double request_tokens, double utilization)
{
    struct kv_pool pool = {0};

    pool.capacity = gpu->memory_bytes;
    pool.weights = weights->all_layers / (tensor * pipeline) + weights->embeddings / tensor;
    pool.reserve = constants->reserve_bytes;
    pool.bytes = utilization * (pool.capacity - pool.weights - pool.reserve);
    /* The latent of MLA is the same on every GPU; heads are split until they run out. */
    pool.shards = shape->mla ? 1 : fmin(tensor, shape->kv_heads);
    double share = pool.shards * pipeline, room = fmax(0, pool.bytes);
    pool.bytes_per_token = memory_kv_bytes_per_token(shape, kv_bytes) / share;
    pool.bytes_per_request = memory_kv_bytes_per_request(shape, kv_bytes, request_tokens) / share;
    pool.tokens = room / pool.bytes_per_token;
    pool.requests_unbounded = pool.tokens / request_tokens;
    pool.requests = room > 0 ? room / pool.bytes_per_request : 0;
    return pool;
}

double memory_max_context(const struct kv_pool *pool, const struct shape *shape, double kv_bytes,
                          double pipeline)
{
    double limit = shape->max_tokens > 0 ? shape->max_tokens : (double)NAN;
    double per_layer = shape->kv_elements * kv_bytes / (pool->shards * pipeline);
    double room = fmax(0, pool->bytes) / per_layer; /* tokens times layers */
    double layers = shape->full_layers + shape->sliding_layers;

    if (room < layers * shape->window || shape->sliding_layers <= 0)
        return fmin(floor(room / layers), limit);
    room -= shape->sliding_layers * shape->window;
    return shape->full_layers > 0 ? fmin(floor(room / shape->full_layers), limit) : limit;
}

/* kv.c - what the KV cache of a request takes, how many find room, and the
 * longest that does. */
#include "base/units.h"
#include "estimate/inference/explain/context.h"

#include <math.h>

static double kv_bytes(const struct inference_ground *g)
{
    return memory_kv_bytes(&g->constants->memory, g->job->kv_format);
}

/* Bytes of a request of that length in the layers with a cache, each element once. */
static double whole_bytes(const struct inference_ground *g, double tokens)
{
    return memory_kv_bytes_per_request(g->shape, kv_bytes(g), tokens);
}

static struct explain_term length_of(const struct inference_ground *g)
{
    return (struct explain_term){"request_tokens", g->job->input_tokens + g->job->output_tokens,
                                 "tokens"};
}

static struct explain_term elements_of(const struct inference_ground *g)
{
    return (struct explain_term){"kv_elements", g->shape->kv_elements, "elements"};
}

static struct explain_term width_of(const struct inference_ground *g)
{
    return (struct explain_term){"kv_bytes", kv_bytes(g), "B"};
}

static struct explain_term state_of(const struct inference_ground *g)
{
    return (struct explain_term){"state_bytes", memory_state_bytes(&g->constants->memory, g->shape),
                                 "B"};
}

static struct explain_term per_token(const struct inference_ground *g)
{
    return (struct explain_term){"kv_cache_bytes_per_token",
                                 memory_kv_bytes_per_token(g->shape, kv_bytes(g)), "bytes"};
}

/* Of one token, and what stops growing with them. */
static void explain_layers(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    double window = memory_kv_window_bytes(s, kv_bytes(g), length_of(g).value);

    EXPLAIN(g->to, "request_tokens", length_of(g).value, "tokens", "input_tokens + output_tokens",
            "memory is kept for a request at its full length",
            {"input_tokens", g->job->input_tokens, "tokens"},
            {"output_tokens", g->job->output_tokens, "tokens"});
    EXPLAIN(g->to, "kv_cache_bytes_per_token", per_token(g).value, "bytes",
            "full_layers x kv_elements x kv_bytes",
            inference_explain_source(g, "model bytes_per_kv_element",
                                     "KV cache as in Pope et al., arXiv 2211.05102"),
            {"full_layers", s->full_layers, "layers"}, elements_of(g), width_of(g));
    EXPLAIN(g->to, "kv_cache_window_gib_per_request", window / GIB, "GiB",
            "sliding_layers x min(request_tokens, window) x kv_elements x kv_bytes / 1073741824",
            inference_explain_source(g, "model bytes_per_kv_element",
                                     "layers that look back no further than a window"),
            {"sliding_layers", s->sliding_layers, "layers"}, length_of(g),
            {"window", s->window, "tokens"}, elements_of(g), width_of(g));
    EXPLAIN(g->to, "state_bytes", state_of(g).value, "B",
            "linear_layers x state_elements x bytes_per_state_element",
            inference_explain_source(g, "model bytes_per_state_element",
                                     "layers that keep a state in place of a cache"),
            {"linear_layers", s->linear_layers, "layers"},
            {"state_elements", s->state_elements, "elements"},
            {"bytes_per_state_element", g->constants->memory.state_bytes, "B"});
}

static void explain_request(const struct inference_ground *g)
{
    double tokens = length_of(g).value;
    double window = memory_kv_window_bytes(g->shape, kv_bytes(g), tokens);

    EXPLAIN(g->to, "kv_cache_bytes_per_request", whole_bytes(g, tokens) + state_of(g).value, "B",
            "kv_cache_bytes_per_token x request_tokens + kv_cache_window_gib_per_request x "
            "1073741824 + state_bytes",
            "one request at full length", per_token(g), length_of(g),
            {"kv_cache_window_gib_per_request", window / GIB, "GiB"}, state_of(g));
    EXPLAIN(g->to, "kv_cache_gib",
            g->plan->sized_requests * (whole_bytes(g, tokens) + state_of(g).value) / GIB, "GiB",
            "requests_reckoned x kv_cache_bytes_per_request / 1073741824",
            "over all GPUs of a replica, each element once",
            {"requests_reckoned", g->plan->sized_requests, "requests"},
            {"kv_cache_bytes_per_request", whole_bytes(g, tokens) + state_of(g).value, "B"});
}

/* The same on one of the GPUs it is split over. */
static void explain_gpu(const struct inference_ground *g)
{
    const struct kv_pool *pool = &g->inference->pool;
    const struct explain_term shards = {"kv_shards", pool->shards, "GPUs"},
                              stages = {"pipeline_parallel", g->job->pipeline, "stages"},
                              together = {"attention_gpus", g->inference->attention_gpus, "GPUs"};
    bool latent = g->shape->mla;

    EXPLAIN(g->to, "kv_shards", pool->shards, "GPUs",
            latent ? "1" : "min(attention_gpus, kv_heads)",
            inference_explain_source(g, "model",
                                     latent ? "the latent of MLA is the same on every GPU"
                                            : "heads are split over the GPUs until they run out"),
            together, {"kv_heads", g->shape->kv_heads, "heads"});
    EXPLAIN(g->to, "gpu_bytes_per_token", pool->bytes_per_token, "B",
            "kv_cache_bytes_per_token / (kv_shards x pipeline_parallel)", "of a token on one GPU",
            per_token(g), shards, stages);
    EXPLAIN(
        g->to, "gpu_bytes_per_request", pool->bytes_per_request, "B",
        "(kv_cache_bytes_per_request - state_bytes) / (kv_shards x pipeline_parallel) + "
        "state_bytes / (attention_gpus x pipeline_parallel)",
        "of a request on one GPU",
        {"kv_cache_bytes_per_request", whole_bytes(g, length_of(g).value) + state_of(g).value, "B"},
        state_of(g), shards, stages, together);
}

/* The same in whole blocks, as the cache is handed out. */
static void explain_paged(const struct inference_ground *g)
{
    const struct kv_pool *pool = &g->inference->pool;
    const struct shape *s = g->shape;
    double block = pool->block_tokens, paged = ceil(length_of(g).value / block) * block;

    EXPLAIN(g->to, "paged_tokens", paged, "tokens",
            "ceil(request_tokens / block_tokens) x block_tokens",
            inference_explain_source(g, "kv_block_tokens", "the cache is handed out in blocks"),
            length_of(g), {"block_tokens", block, "tokens"});
    EXPLAIN(g->to, "gpu_bytes_paged", pool->bytes_paged, "B",
            "(full_layers x paged_tokens + sliding_layers x min(paged_tokens, window)) x "
            "kv_elements x kv_bytes / (kv_shards x pipeline_parallel) + state_bytes / "
            "(attention_gpus x pipeline_parallel)",
            "of a request on one GPU, in whole blocks", {"full_layers", s->full_layers, "layers"},
            {"paged_tokens", paged, "tokens"}, {"sliding_layers", s->sliding_layers, "layers"},
            {"window", s->window, "tokens"}, elements_of(g), width_of(g),
            {"kv_shards", pool->shards, "GPUs"}, {"pipeline_parallel", g->job->pipeline, "stages"},
            state_of(g), {"attention_gpus", g->inference->attention_gpus, "GPUs"});
}

/* The cache of the requests that memory is reckoned for. */
static void explain_taken(const struct inference_ground *g)
{
    const struct kv_pool *pool = &g->inference->pool;
    const struct explain_term requests = {"requests_of_group", g->plan->group_requests, "requests"};

    EXPLAIN(g->to, "kv_cache", requests.value * pool->bytes_per_request / GIB, "GiB",
            "requests_of_group x gpu_bytes_per_request / 1073741824", "on one GPU", requests,
            {"gpu_bytes_per_request", pool->bytes_per_request, "B"});
    EXPLAIN(g->to, "kv_cache_paged", requests.value * pool->bytes_paged / GIB, "GiB",
            "requests_of_group x gpu_bytes_paged / 1073741824", "on one GPU, in whole blocks",
            requests, {"gpu_bytes_paged", pool->bytes_paged, "B"});
}

static double or_unknown(double value)
{
    return isfinite(value) ? value : (double)NAN;
}

/* Without any cache there is no end to the requests that find room. */
static void explain_held(const struct inference_ground *g)
{
    const struct kv_pool *pool = &g->inference->pool;
    const struct explain_term groups = {"attention_groups", g->job->attention_data, "groups"},
                              room = {"pool_gib", pool->bytes / GIB, "GiB"};

    EXPLAIN(g->to, "requests_held", or_unknown(pool->requests), "requests",
            "attention_groups x max(0, pool_gib) x 1073741824 / gpu_bytes_per_request",
            "requests at full length that the KV cache of a replica holds", groups, room,
            {"gpu_bytes_per_request", pool->bytes_per_request, "B"});
    EXPLAIN(g->to, "max_concurrent_requests", or_unknown(pool->held), "requests",
            "attention_groups x floor(max(0, pool_gib) x 1073741824 / gpu_bytes_paged)",
            "whole requests in whole blocks", groups, room,
            {"gpu_bytes_paged", pool->bytes_paged, "B"});
}

/* The longest single request: windows stop growing, the other layers share what they leave. */
static void explain_longest(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    const struct kv_pool *pool = &g->inference->pool;
    double longest = memory_max_context(pool, s, kv_bytes(g), g->job->pipeline);
    double per_layer = s->kv_elements * kv_bytes(g) / (pool->shards * g->job->pipeline);
    double room = fmax(0, pool->bytes - pool->state) / per_layer;
    double layers = s->full_layers + s->sliding_layers;
    bool within = room < layers * s->window || s->sliding_layers <= 0, full = s->full_layers > 0;
    const char *tokens =
        within ? "floor(room / layers / block_tokens) x block_tokens"
        : full ? "floor((room - sliding_layers x window) / full_layers / block_tokens) x "
                 "block_tokens"
               : "longest";

    if (!isfinite(longest) || !isfinite(room))
        return;
    EXPLAIN(g->to, "room", room, "tokens",
            "max(0, pool_gib x 1073741824 - state_on_gpu) x kv_shards x pipeline_parallel / "
            "(kv_elements x kv_bytes)",
            "tokens of one layer each that the KV cache holds",
            {"pool_gib", pool->bytes / GIB, "GiB"}, {"state_on_gpu", pool->state, "B"},
            {"kv_shards", pool->shards, "GPUs"}, {"pipeline_parallel", g->job->pipeline, "stages"},
            elements_of(g), width_of(g));
    EXPLAIN(g->to, "max_context_tokens", longest, "tokens",
            s->max_tokens > 0 && (within || full)
                ? arena_print(g->to->arena, "min(%s, longest)", tokens)
                : tokens,
            inference_explain_source(g, "model", "at most what the model is made for"),
            {"room", room, "tokens"}, {"layers", layers, "layers"},
            {"full_layers", s->full_layers, "layers"},
            {"sliding_layers", s->sliding_layers, "layers"}, {"window", s->window, "tokens"},
            {"block_tokens", pool->block_tokens, "tokens"},
            {"longest", s->max_tokens > 0 ? s->max_tokens : (double)NAN, "tokens"});
}

void inference_explain_kv(const struct inference_ground *g)
{
    explain_layers(g);
    explain_request(g);
    explain_gpu(g);
    explain_paged(g);
    explain_taken(g);
    explain_held(g);
    explain_longest(g);
}

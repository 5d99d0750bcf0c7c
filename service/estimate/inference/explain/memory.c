/* memory.c - what a GPU holds: weights, what is set aside, and the cache of the
 * requests in flight. */
#include "base/units.h"
#include "estimate/inference/explain/context.h"

#include <math.h>

static struct explain_term experts_of(const struct inference_ground *g)
{
    return (struct explain_term){"experts", g->shape->experts, "experts"};
}

static struct explain_term expert_bytes(const struct inference_ground *g)
{
    return (struct explain_term){"expert_bytes", g->inference->bytes.expert, "B"};
}

static struct explain_term stages_of(const struct inference_ground *g)
{
    return (struct explain_term){"pipeline_parallel", g->job->pipeline, "stages"};
}

static struct explain_term small_of(const struct inference_ground *g)
{
    return (struct explain_term){"small_bytes", g->inference->bytes.small, "B"};
}

static struct explain_term share_of(const struct inference_ground *g)
{
    return (struct explain_term){"memory_utilization", g->job->memory_utilization, ""};
}

/* GPUs of a layer that attend together: all of them, unless groups attend on their own. */
static void explain_groups(const struct inference_ground *g)
{
    EXPLAIN(g->to, "attention_gpus", g->inference->attention_gpus, "GPUs",
            "tensor_parallel / attention_groups", "GPUs of a layer that attend together",
            {"tensor_parallel", g->job->tensor, "GPUs"},
            {"attention_groups", g->job->attention_data, "groups"});
}

/* ---- weights as stored */

static void explain_layers(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    const struct weight_bytes *b = &g->inference->bytes;
    const struct explain_term layers = {"layers", s->layers, "layers"},
                              attention = {"attention_weights", s->attention_weights, "weights"},
                              ffn = {"ffn_weights", s->dense_ffn_weights, "weights"},
                              of_body = {"body_bytes", b->body, "B"},
                              of_attention = {"attention_bytes", b->attention, "B"};

    EXPLAIN(g->to, "expert_bytes", b->expert, "B", "moe_layers x expert_weights x body_bytes",
            inference_explain_source(g, "model bytes_per_weight",
                                     "one expert in every layer that has experts"),
            {"moe_layers", s->moe_layers, "layers"},
            {"expert_weights", s->expert_weights, "weights"}, of_body);
    EXPLAIN(g->to, "layer_bytes", b->all_layers, "B",
            "layers x attention_weights x attention_bytes + ffn_weights x body_bytes + experts x "
            "expert_bytes",
            inference_explain_source(g, "model bytes_per_weight",
                                     "or bytes_per_weight where it is given"),
            layers, attention, of_attention, ffn, of_body, experts_of(g), expert_bytes(g));
    EXPLAIN(g->to, "fixed_bytes", b->fixed, "B",
            "layers x attention_weights x attention_bytes + ffn_weights x body_bytes + vocabulary "
            "x width x head_bytes",
            inference_explain_source(g, "model bytes_per_weight",
                                     "read in every step, whichever experts are chosen"),
            layers, attention, of_attention, ffn, of_body, {"vocabulary", s->vocab, ""},
            {"width", s->hidden, ""}, {"head_bytes", b->head, "B"});
}

/* Embedding and head, and what beside the matrices of the layers is stored. */
static void explain_others(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    const struct weight_bytes *b = &g->inference->bytes;
    const struct memory_constants *c = &g->constants->memory;
    const struct explain_term vocabulary = {"vocabulary", s->vocab, ""},
                              width = {"width", s->hidden, ""}, head = {"head_bytes", b->head, "B"};
    bool wide = g->job->weight_format == NUMBER_FP32;

    EXPLAIN(g->to, "embedding_bytes", b->embeddings, "B",
            "matrices x vocabulary x width x head_bytes",
            inference_explain_source(g, "model bytes_per_weight",
                                     "embedding and head: one matrix where they are tied"),
            {"matrices", s->tied ? 1 : 2, ""}, vocabulary, width, head);
    EXPLAIN(g->to, "host_bytes", b->host, "B",
            b->host > 0 ? "vocabulary x width x head_bytes" : "0",
            "llama.cpp looks embeddings up on the host, where they are not the head too",
            vocabulary, width, head);
    EXPLAIN(g->to, "small_bytes", b->small, "B", "(small_weights + router_weights) x head_bytes",
            inference_explain_source(g, "model", "norms, biases and routers"),
            {"small_weights", s->small_weights, "weights"},
            {"router_weights", s->router_weights, "weights"}, head);
    EXPLAIN(g->to, "frozen_bytes", b->frozen, "B", "frozen_weights x frozen_width",
            inference_explain_source(g, "model", "vision tower and projector, in 16 bit"),
            {"frozen_weights", s->frozen_weights, "weights"},
            {"frozen_width", fmax(c->bytes_head, wide ? c->bytes[NUMBER_FP32] : 0), "B"});
}

static void explain_weights(const struct inference_ground *g)
{
    const struct weight_bytes *b = &g->inference->bytes;
    const struct explain_term layers = {"layer_bytes", b->all_layers, "B"},
                              embeddings = {"embedding_bytes", b->embeddings, "B"},
                              frozen = {"frozen_bytes", b->frozen, "B"};
    const struct speculation *ahead = &g->job->speculation;

    EXPLAIN(g->to, "weights_gib", memory_weights_total(b) / GIB, "GiB",
            "(layer_bytes + embedding_bytes + small_bytes + frozen_bytes) / 1073741824",
            "one replica, over all its GPUs", layers, embeddings, small_of(g), frozen);
    EXPLAIN(g->to, "weights", g->inference->pool.weights / GIB, "GiB",
            "(1 + draft_share) x (((layer_bytes - experts x expert_bytes) / pipeline_parallel + "
            "embedding_bytes - "
            "host_bytes) / attention_gpus + experts x expert_bytes / (tensor_parallel x "
            "pipeline_parallel) + frozen_bytes) / 1073741824",
            "on a GPU: experts are spread over all of them, the rest over those that attend "
            "together, a vision tower over none; a draft that guesses ahead takes its share of "
            "them besides (its cost of guessing one token)",
            {"draft_share", ahead->tokens > 0 ? ahead->draft_cost : 0, ""}, layers, experts_of(g),
            expert_bytes(g), stages_of(g), embeddings, {"host_bytes", b->host, "B"},
            {"attention_gpus", g->inference->attention_gpus, "GPUs"},
            {"tensor_parallel", g->job->tensor, "GPUs"}, frozen);
}

/* ---- what is set aside, and what is known of its use */

/* The most that attention, FFN or logits of a pass hold at once. */
static void explain_workspace(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    const struct memory_engine *engine = &g->constants->engine_memory[g->job->engine];
    const char *shared = engine->score_bytes > 0 && s->kv_heads < s->heads
                             ? " + heads x (key_width + value_width)"
                             : "";
    const char *of_experts = "top_k x (matrices x expert_width / attention_gpus + 2 x "
                             "expert_hidden) + matrices x shared_width / attention_gpus";
    const char *of_dense = "matrices x ffn_width / attention_gpus";
    struct arena *arena = g->to->arena;
    const char *ffn = !s->moe ? of_dense
                      : s->dense_layers > 0
                          ? arena_print(arena, "max(%s, %s)", of_dense, of_experts)
                          : of_experts;

    EXPLAIN(
        g->to, "workspace_bytes", g->inference->pool.workspace, "B",
        arena_print(arena,
                    "pass_tokens x max(4 x width + max((2 x (heads x key_width + kv_elements + "
                    "heads x value_width%s) + score_bytes x heads x request_tokens) / "
                    "attention_gpus, 2 x (%s)), %s)",
                    shared, ffn, engine->score_bytes > 0 ? "4 x vocabulary / attention_gpus" : "0"),
        inference_explain_source(g, "model max_pass_tokens attention_score_bytes",
                                 "the most that attention, FFN or logits of a pass hold at once, "
                                 "in 16 bit but for scores and logits"),
        {"pass_tokens", engine->pass_tokens, "tokens"}, {"width", s->hidden, ""},
        {"heads", s->heads, "heads"}, {"key_width", s->prefill_key_dim, ""},
        {"kv_elements", s->kv_elements, "elements"}, {"value_width", s->value_dim, ""},
        {"score_bytes", engine->score_bytes, "B"},
        {"request_tokens", g->job->input_tokens + g->job->output_tokens, "tokens"},
        {"attention_gpus", g->inference->attention_gpus, "GPUs"}, {"matrices", s->ffn_matrices, ""},
        {"ffn_width", s->ffn_width, ""}, {"top_k", s->top_k, "experts"},
        {"expert_width", s->expert_width, ""}, {"expert_hidden", s->expert_hidden, ""},
        {"shared_width", s->shared_width, ""}, {"vocabulary", s->vocab, ""});
}

static void explain_set_aside(const struct inference_ground *g)
{
    const struct kv_pool *pool = &g->inference->pool;
    const struct memory_constants *c = &g->constants->memory;
    bool split = g->job->tensor * g->job->pipeline > 1;

    explain_workspace(g);
    EXPLAIN(g->to, "rest_gib", pool->rest / GIB, "GiB",
            "(workspace_bytes + small_bytes / pipeline_parallel) / 1073741824 + non_torch_memory",
            inference_explain_source(g, "non_torch_memory_gib",
                                     "what is known to be needed beside weights and cache: a pass, "
                                     "norms, driver and collectives"),
            {"workspace_bytes", pool->workspace, "B"}, small_of(g), stages_of(g),
            {"non_torch_memory", split ? c->context_split_gib : c->context_gib, "GiB"});
    EXPLAIN(g->to, "overhead", pool->reserve / GIB, "GiB", "reserve / 1073741824",
            inference_explain_source(g, "reserve", "what is set aside on each GPU"),
            {"reserve", pool->reserve, "B"});
    EXPLAIN(g->to, "memory_capacity_gib", pool->capacity / GIB, "GiB", "memory / 1073741824",
            inference_explain_source(g, "gpu", "what the driver reports, where that is known"),
            {"memory", pool->capacity, "B"});
}

/* ---- the balance */

static void explain_pool(const struct inference_ground *g)
{
    const struct kv_pool *pool = &g->inference->pool;

    EXPLAIN(g->to, "pool_gib", pool->bytes / GIB, "GiB",
            "min(memory_utilization x (memory_capacity_gib - weights - overhead), "
            "memory_capacity_gib - weights - rest_gib)",
            inference_explain_source(g, "memory_utilization",
                                     "what the KV cache may take on each GPU: its share of what "
                                     "weights and reserve leave, no more than is there; negative: "
                                     "the weights do not fit"),
            share_of(g), {"memory_capacity_gib", pool->capacity / GIB, "GiB"},
            {"weights", pool->weights / GIB, "GiB"}, {"overhead", pool->reserve / GIB, "GiB"},
            {"rest_gib", pool->rest / GIB, "GiB"});
}

/* Number of requests the memory figures assume. */
static void explain_reckoned(const struct inference_ground *g)
{
    const struct serving_plan *plan = g->plan;
    const struct serving_request *request = g->request;
    bool spread = request->load == SERVING_CONCURRENT;
    const char *formula = "batch_size_p95", *source = "the load exceeded 5 times of 100";

    if (isnan(plan->batch_p95) && plan->fits) {
        formula = "requests_running";
        source = "the load is not carried: as many as the cache holds";
    } else if (isnan(plan->batch_p95) && request->load == SERVING_RATE) {
        formula = "1";
        source = "how many would be in flight is not known: one request";
    } else if (isnan(plan->batch_p95)) {
        formula = "ceil(requests_stated / over_replicas)";
        source = "the load as stated";
    }
    EXPLAIN(g->to, "requests_reckoned", plan->sized_requests, "requests", formula, source,
            {"batch_size_p95", plan->batch_p95, "requests"},
            {"requests_running", plan->mean.batch, "requests"},
            {"requests_stated", request->amount, "requests"},
            {"over_replicas", spread ? plan->design.replicas : 1, "replicas"});
}

/* Groups that attend on their own hold a share of them each. */
static void explain_group(const struct inference_ground *g)
{
    bool whole = !isnan(g->plan->batch_p95) || !g->plan->fits;

    EXPLAIN(g->to, "requests_of_group", g->plan->group_requests, "requests",
            whole ? "ceil(requests_reckoned / attention_groups)"
                  : "requests_reckoned / attention_groups",
            "of these, what a GPU holds a share of",
            {"requests_reckoned", g->plan->sized_requests, "requests"},
            {"attention_groups", g->job->attention_data, "groups"});
}

static void explain_balance(const struct inference_ground *g)
{
    const struct serving_plan *plan = g->plan;
    const struct kv_pool *pool = &g->inference->pool;
    double cache = plan->group_requests * pool->bytes_per_request / GIB,
           paged = plan->group_requests * pool->bytes_paged / GIB;
    const struct explain_term weights = {"weights", pool->weights / GIB, "GiB"},
                              overhead = {"overhead", pool->reserve / GIB, "GiB"},
                              capacity = {"memory_capacity_gib", pool->capacity / GIB, "GiB"};

    EXPLAIN(g->to, "unused", (pool->capacity - pool->weights - pool->reserve) / GIB - cache, "GiB",
            "memory_capacity_gib - weights - kv_cache - overhead",
            "what is left; negative: what is missing", capacity, weights,
            {"kv_cache", cache, "GiB"}, overhead);
    EXPLAIN(g->to, "memory_per_gpu_gib", plan->memory_needed_bytes / GIB, "GiB",
            "weights + max(overhead + kv_cache_paged / memory_utilization, rest_gib + "
            "kv_cache_paged)",
            inference_explain_source(g, "memory_utilization",
                                     "of what weights and reserve leave, the cache may take that "
                                     "share; or as given"),
            weights, overhead, {"kv_cache_paged", paged, "GiB"}, share_of(g),
            {"rest_gib", pool->rest / GIB, "GiB"});
    EXPLAIN(g->to, "memory_shortfall_gib", plan->memory_shortfall_bytes / GIB, "GiB",
            "max(0, memory_per_gpu_gib - memory_capacity_gib)", "0 where it fits",
            {"memory_per_gpu_gib", plan->memory_needed_bytes / GIB, "GiB"}, capacity);
}

void inference_explain_memory(const struct inference_ground *g)
{
    explain_groups(g);
    explain_layers(g);
    explain_others(g);
    explain_weights(g);
    explain_set_aside(g);
    explain_pool(g);
    explain_reckoned(g);
    explain_group(g);
    inference_explain_kv(g);
    explain_balance(g);
}

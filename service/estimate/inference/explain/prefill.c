/* prefill.c - reading a prompt: what each costs, and what a pass costs however
 * many it reads. */
#include "estimate/inference/explain/context.h"

#include <math.h>

static bool is_llama(const struct inference_ground *g)
{
    return g->job->engine == ENGINE_LLAMA_CPP;
}

static struct explain_term tokens_of(const struct inference_ground *g)
{
    return (struct explain_term){"prompt_tokens", g->job->input_tokens * (1 - g->job->cached_ratio),
                                 "tokens"};
}

static struct explain_term tensor_of(const struct inference_ground *g)
{
    return (struct explain_term){"tensor_parallel", g->job->tensor, "GPUs"};
}

/* Weights that a token meets, without and with the output head. */
static void explain_active(const struct inference_ground *g)
{
    const struct shape *s = g->shape;

    EXPLAIN(g->to, "body_weights", g->inference->body_weights, "weights",
            "layers x attention_weights + ffn_weights + moe_layers x top_k x expert_weights",
            inference_explain_source(g, "model", "that one token meets, without the output head"),
            {"layers", s->layers, "layers"}, {"attention_weights", s->attention_weights, "weights"},
            {"ffn_weights", s->dense_ffn_weights, "weights"},
            {"moe_layers", s->moe_layers, "layers"}, {"top_k", s->top_k, "experts"},
            {"expert_weights", s->expert_weights, "weights"});
    EXPLAIN(g->to, "active_weights", g->inference->active_weights, "weights",
            "body_weights + vocabulary x width",
            inference_explain_source(g, "model", "with the output head"),
            {"body_weights", g->inference->body_weights, "weights"}, {"vocabulary", s->vocab, ""},
            {"width", s->hidden, ""});
}

static void explain_products(const struct inference_ground *g)
{
    EXPLAIN(g->to, "prompt_tokens", tokens_of(g).value, "tokens",
            "input_tokens x (1 - prefix_cache_ratio)", "what the prefix cache does not hold",
            {"input_tokens", g->job->input_tokens, "tokens"},
            {"prefix_cache_ratio", g->job->cached_ratio, ""});
    EXPLAIN(g->to, "prefill_products", g->inference->prefill.gemm, "s",
            "2 x body_weights x prompt_tokens / (tensor_parallel x gemm_share x peak)",
            inference_explain_source(g, "gpu", "a product and a sum for every weight and token"),
            {"body_weights", g->inference->body_weights, "weights"}, tokens_of(g), tensor_of(g),
            {"gemm_share", g->inference->gemm_share, ""}, {"peak", g->inference->peak, "FLOP/s"});
}

/* Causal: half of the square, of keys and of values. */
static void explain_attention(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    const char *share = is_llama(g) ? "l_attn" : "e_attn";

    EXPLAIN(g->to, "prefill_attention", g->inference->prefill.attention, "s",
            arena_print(g->to->arena,
                        "heads x (key_width + value_width) x (full_layers x (input_tokens x "
                        "input_tokens - cached_tokens x cached_tokens) + sliding_layers x 2 x "
                        "prompt_tokens x min(input_tokens, window)) / (tensor_parallel x %s x "
                        "peak_16bit)",
                        share),
            inference_explain_source(g, arena_print(g->to->arena, "gpu model %s", share),
                                     "causal: half of the square, a product and a sum each; what "
                                     "the prefix cache holds is attended to, not computed"),
            {"heads", s->heads, "heads"}, {"key_width", s->prefill_key_dim, ""},
            {"value_width", s->prefill_value_dim, ""}, {"full_layers", s->full_layers, "layers"},
            {"input_tokens", g->job->input_tokens, "tokens"},
            {"cached_tokens", g->job->input_tokens * g->job->cached_ratio, "tokens"},
            {"sliding_layers", s->sliding_layers, "layers"}, tokens_of(g),
            {"window", s->window, "tokens"}, tensor_of(g),
            {share, is_llama(g) ? g->constants->l_attn : g->constants->e_attn, ""},
            {"peak_16bit", g->inference->peak_16bit, "FLOP/s"});
}

/* All experts are read, and what every group that attends on its own has. */
#define PASS                                                                               \
    "((layer_bytes - experts x expert_bytes) / attention_gpus + experts x expert_bytes / " \
    "tensor_parallel) / (weight_share x bandwidth)"

/* What a pass takes however many prompts it reads. */
static void explain_pass(const struct inference_ground *g)
{
    const struct prefill *p = &g->inference->prefill;
    const struct inference_constants *c = g->constants;

    EXPLAIN(g->to, "prefill_weights", p->weights, "s",
            is_llama(g) ? PASS " x max(1, ceil(prompt_tokens / prefill_chunk_tokens))" : PASS,
            inference_explain_source(g, is_llama(g) ? "gpu prefill_chunk_tokens" : "gpu",
                                     "all weights of all layers are read"),
            {"layer_bytes", g->inference->bytes.all_layers, "B"},
            {"experts", g->shape->experts, "experts"},
            {"expert_bytes", g->inference->bytes.expert, "B"},
            {"attention_gpus", g->inference->attention_gpus, "GPUs"}, tensor_of(g),
            {"weight_share", g->inference->weight_share, ""},
            {"bandwidth", g->job->gpu->memory_bandwidth, "B/s"}, tokens_of(g),
            {"prefill_chunk_tokens", c->prefill_chunk_tokens, "tokens"});
    EXPLAIN(g->to, "prefill_launches", p->launch, "s",
            g->shape->mla ? "(c_pre x layers x (o_engine + o_mla) + moe_layers x o_moe) x 1e-6"
                          : "(c_pre x layers x o_engine + moe_layers x o_moe) x 1e-6",
            inference_explain_source(g, "model c_pre o_engine o_mla o_moe", "kernels started"),
            {"c_pre", c->c_pre, ""}, {"layers", g->shape->layers, "layers"},
            {"o_engine", c->o_engine_us[g->job->engine], "us"}, {"o_mla", c->o_mla_us, "us"},
            {"moe_layers", g->shape->moe_layers, "layers"}, {"o_moe", c->o_moe_us, "us"});
    EXPLAIN(g->to, "prefill_pass", p->fixed, "s", "prefill_weights + prefill_launches",
            "what a pass takes however many prompts it reads", {"prefill_weights", p->weights, "s"},
            {"prefill_launches", p->launch, "s"});
}

/* One prompt keeps one group busy, but for the experts. */
static void explain_alone(const struct inference_ground *g)
{
    const struct prefill *p = &g->inference->prefill;
    const struct shape *s = g->shape;

    EXPLAIN(g->to, "prefill_alone", p->one - p->marginal - p->fixed - p->transfer, "s",
            "(attention_groups - 1) x (prefill_products x (1 - moe_layers x top_k x expert_weights "
            "/ body_weights) + prefill_attention)",
            "a prompt is read by one of the groups that attend on their own, but for its experts",
            {"attention_groups", g->job->attention_data, "groups"},
            {"prefill_products", p->gemm, "s"}, {"moe_layers", s->moe_layers, "layers"},
            {"top_k", s->top_k, "experts"}, {"expert_weights", s->expert_weights, "weights"},
            {"body_weights", g->inference->body_weights, "weights"},
            {"prefill_attention", p->attention, "s"});
}

void inference_explain_prefill(const struct inference_ground *g)
{
    const struct prefill *p = &g->inference->prefill;
    bool groups = g->job->attention_data > 1;

    explain_active(g);
    explain_products(g);
    explain_attention(g);
    inference_explain_volume(g, "prefill_all_reduce", p->all_reduce, tokens_of(g));
    EXPLAIN(g->to, "prefill_prompt", p->marginal, "s",
            "prefill_products + prefill_attention + prefill_all_reduce", "what each prompt adds",
            {"prefill_products", p->gemm, "s"}, {"prefill_attention", p->attention, "s"},
            {"prefill_all_reduce", p->all_reduce, "s"});
    explain_pass(g);
    inference_explain_transfer(g, "prefill_transfer", p->transfer, tokens_of(g));
    if (groups)
        explain_alone(g);
    EXPLAIN(g->to, "prefill_seconds", p->one, "s",
            groups ? "prefill_prompt + prefill_alone + prefill_pass + prefill_transfer"
                   : "prefill_prompt + prefill_pass + prefill_transfer",
            "one prompt with nothing else to do", {"prefill_prompt", p->marginal, "s"},
            {"prefill_alone", p->one - p->marginal - p->fixed - p->transfer, "s"},
            {"prefill_pass", p->fixed, "s"}, {"prefill_transfer", p->transfer, "s"});
}

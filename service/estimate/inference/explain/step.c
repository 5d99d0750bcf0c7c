/* step.c - the lines of a decode step at the mean of the load, and the rates they
 * are over. The terms are those of Pope et al., arXiv 2211.05102, and of Roofline
 * (Williams et al., CACM 52(4), 2009): bytes over bandwidth, FLOP over peak, each a fitted share.
 */
#include "estimate/inference/explain/context.h"

#include <math.h>

static double in_step(const struct inference_ground *g)
{
    double batch = g->at[FLIGHT_MEAN].batch;

    return g->job->static_batching ? batch : fmax(1, batch / g->job->pipeline);
}

static struct explain_term requests_of(const struct inference_ground *g)
{
    return (struct explain_term){"requests_in_step", in_step(g), "requests"};
}

/* Of each request the last one, and what was guessed ahead of it. */
static struct explain_term tokens_of(const struct inference_ground *g)
{
    return (struct explain_term){"tokens_in_step", in_step(g) * (1 + g->job->speculation.tokens),
                                 "tokens"};
}

static struct explain_term tensor_of(const struct inference_ground *g)
{
    return (struct explain_term){"tensor_parallel", g->job->tensor, "GPUs"};
}

/* Shares of the bandwidth. */
static void explain_memory_shares(const struct inference_ground *g)
{
    const struct inference_constants *c = g->constants;
    bool hbm = gpu_is_hbm(g->job->gpu), llama = g->job->engine == ENGINE_LLAMA_CPP;
    const struct explain_term share = {"memory_share", g->inference->memory_share, ""};
    enum number kernels = memory_kernel_format(g->job->weight_format);
    const char *widened = "memory_share";

    if (hbm && (llama || kernels == NUMBER_INT4))
        widened = "memory_share x f_wo";
    else if (hbm && (kernels == NUMBER_INT8 ||
                     (kernels == NUMBER_FP4 && !inference_native(g->job->gpu, NUMBER_FP4))))
        widened = "memory_share x sqrt(f_wo)";
    EXPLAIN(g->to, "memory_share", share.value, "ratio", hbm ? "e_mem" : "e_mem x f_gddr",
            inference_explain_source(g, hbm ? "e_mem" : "e_mem f_gddr",
                                     "achieved of the memory bandwidth"),
            {"e_mem", c->e_mem, ""}, {"f_gddr", c->f_gddr, ""});
    EXPLAIN(g->to, "weight_share", g->inference->weight_share, "ratio", widened,
            inference_explain_source(
                g, "f_wo",
                "achieved of it in reading weights, which kernels widen "
                "where they are int4, int8, GGUF or fp4 without arithmetic for it"),
            share, {"f_wo", c->f_wo, ""});
}

/* Share of the peak: each factor where it applies. */
static void explain_gemm_share(const struct inference_ground *g)
{
    const struct inference_constants *c = g->constants;
    enum number format = g->job->weight_format;
    const struct factor {
        bool applies;
        struct explain_term term;
    } factors[] = {
        {g->shape->moe, {"e_moe", c->e_moe, ""}},
        {!g->shape->moe, {"e_gemm", c->e_gemm, ""}},
        {format == NUMBER_FP8, {"f_fp8", c->f_fp8, ""}},
        {format == NUMBER_FP4, {"f_fp4", c->f_fp4, ""}},
        {g->job->engine == ENGINE_LLAMA_CPP, {"l_gemm", c->l_gemm, ""}},
        {gpu_is_amd(g->job->gpu), {"f_amd", c->f_amd, ""}},
    };
    struct explain_term terms[sizeof(factors) / sizeof(factors[0])];
    const char *formula = "", *pages = "";
    size_t n = 0;

    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
        if (factors[i].applies) {
            const char *name = factors[i].term.name;
            formula = arena_print(g->to->arena, "%s%s%s", formula, n ? " x " : "", name);
            pages = arena_print(g->to->arena, "%s%s%s", pages, n ? " " : "", name);
            terms[n++] = factors[i].term;
        }
    struct explanation row = {.key = "gemm_share",
                              .value = g->inference->gemm_share,
                              .unit = "ratio",
                              .formula = formula,
                              .source =
                                  inference_explain_source(g, pages, "achieved of the dense peak")};
    explain_add(g->to, row, terms, n);
}

static void explain_tokens(const struct inference_ground *g)
{
    EXPLAIN(g->to, "tokens_in_step", tokens_of(g).value, "tokens",
            "requests_in_step x (1 + tokens_ahead)",
            "of each request the last one written, and what is guessed ahead of it", requests_of(g),
            {"tokens_ahead", g->job->speculation.tokens, ""});
}

static void explain_weight_reads(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    double distinct = inference_distinct_experts(s, tokens_of(g).value);

    if (s->moe)
        EXPLAIN(
            g->to, "distinct_experts", distinct, "experts",
            "experts x (1 - pow(1 - top_k / experts, tokens_in_step))",
            "experts of a layer that at least one token is sent to, each expert being as likely: "
            "a token passes by one of them with probability 1 - top_k / experts",
            {"experts", s->experts, "experts"}, {"top_k", s->top_k, "experts"}, tokens_of(g));
    EXPLAIN(g->to, inference_explain_line(g, "weight_reads"), g->at[FLIGHT_MEAN].step.weights, "s",
            s->moe ? "(fixed_bytes / attention_gpus + distinct_experts x expert_bytes / "
                     "tensor_parallel) / (weight_share x bandwidth)"
                   : "fixed_bytes / attention_gpus / (weight_share x bandwidth)",
            inference_explain_source(g, "gpu", "each weight that is needed is read once a step"),
            {"fixed_bytes", g->inference->bytes.fixed, "B"},
            {"attention_gpus", g->inference->attention_gpus, "GPUs"},
            {"distinct_experts", distinct, "experts"},
            {"expert_bytes", g->inference->bytes.expert, "B"}, tensor_of(g),
            {"weight_share", g->inference->weight_share, ""},
            {"bandwidth", g->job->gpu->memory_bandwidth, "B/s"});
}

static void explain_cache_reads(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    double element = memory_kv_bytes(&g->constants->memory, g->job->kv_format);
    double context = inference_context(g->job);
    double bytes = memory_kv_bytes_per_request(s, element, context);

    EXPLAIN(g->to, "context", context, "tokens", "input_tokens + output_tokens / 2",
            "of a request while it is written, on average",
            {"input_tokens", g->job->input_tokens, "tokens"},
            {"output_tokens", g->job->output_tokens, "tokens"});
    EXPLAIN(g->to, "context_bytes", bytes, "B",
            "(full_layers x context + sliding_layers x min(context, window)) x kv_elements x "
            "kv_bytes",
            inference_explain_source(g, "model bytes_per_kv_element",
                                     "KV cache of one request at that length"),
            {"full_layers", s->full_layers, "layers"}, {"context", context, "tokens"},
            {"sliding_layers", s->sliding_layers, "layers"}, {"window", s->window, "tokens"},
            {"kv_elements", s->kv_elements, "elements"}, {"kv_bytes", element, "B"});
    EXPLAIN(g->to, inference_explain_line(g, "kv_cache_reads"), g->at[FLIGHT_MEAN].step.kv_cache,
            "s",
            "requests_in_step / attention_groups x context_bytes / (kv_shards x memory_share x "
            "bandwidth)",
            inference_explain_source(g, "gpu", "the cache of each request is read once a step"),
            requests_of(g), {"attention_groups", g->job->attention_data, "groups"},
            {"context_bytes", bytes, "B"}, {"kv_shards", g->inference->pool.shards, "GPUs"},
            {"memory_share", g->inference->memory_share, ""},
            {"bandwidth", g->job->gpu->memory_bandwidth, "B/s"});
}

static void explain_products(const struct inference_ground *g)
{
    const struct shape *s = g->shape;

    EXPLAIN(g->to, inference_explain_line(g, "compute"), g->at[FLIGHT_MEAN].step.gemm, "s",
            "2 x active_weights x tokens_in_step / (tensor_parallel x gemm_share x peak)",
            inference_explain_source(g, "gpu",
                                     "a product and a sum for every weight that a token meets; "
                                     "the peak for weights of that format, else of 16 bit"),
            {"active_weights", g->inference->active_weights, "weights"}, tokens_of(g), tensor_of(g),
            {"gemm_share", g->inference->gemm_share, ""}, {"peak", g->inference->peak, "FLOP/s"});
    EXPLAIN(g->to, inference_explain_line(g, "attention"), g->at[FLIGHT_MEAN].step.attention, "s",
            "2 x tokens_in_step x heads x head_work x context x layers / (tensor_parallel x "
            "e_attn x peak_16bit)",
            inference_explain_source(g, "gpu model e_attn",
                                     "head_work: keys and values of a head, or of the latent"),
            tokens_of(g), {"heads", s->heads, "heads"}, {"head_work", s->decode_head_work, ""},
            {"context", inference_context(g->job), "tokens"}, {"layers", s->layers, "layers"},
            tensor_of(g), {"e_attn", g->constants->e_attn, ""},
            {"peak_16bit", g->inference->peak_16bit, "FLOP/s"});
}

static void explain_overhead(const struct inference_ground *g)
{
    const struct inference_constants *c = g->constants;
    const struct step *step = &g->at[FLIGHT_MEAN].step;
    bool sglang = g->job->engine == ENGINE_SGLANG;

    EXPLAIN(g->to, "launches", step->launch, "s",
            g->shape->mla ? "(layers x (o_engine + o_mla) + moe_layers x o_moe) x 1e-6"
                          : "(layers x o_engine + moe_layers x o_moe) x 1e-6",
            inference_explain_source(g, "model o_engine o_mla o_moe",
                                     "kernels started, layer by layer"),
            {"layers", g->shape->layers, "layers"},
            {"o_engine", c->o_engine_us[g->job->engine], "us"}, {"o_mla", c->o_mla_us, "us"},
            {"moe_layers", g->shape->moe_layers, "layers"}, {"o_moe", c->o_moe_us, "us"});
    EXPLAIN(g->to, "request_overhead", step->requests, "s",
            sglang ? "tokens_in_step / attention_groups x (b_req + b_sglang) x 1e-6"
                   : "tokens_in_step / attention_groups x b_req x 1e-6",
            inference_explain_source(g, sglang ? "b_req b_sglang" : "b_req",
                                     "sampling and scheduling of each request"),
            tokens_of(g), {"attention_groups", g->job->attention_data, "groups"},
            {"b_req", c->b_req_us, "us"}, {"b_sglang", c->b_sglang_us, "us"});
    EXPLAIN(g->to, inference_explain_line(g, "launch_overhead"), step->launch + step->requests, "s",
            "launches + request_overhead", "what the engine does besides",
            {"launches", step->launch, "s"}, {"request_overhead", step->requests, "s"});
}

/* The lines of time: a step's over the tokens of a request that it writes. */
static void explain_per_token(const struct inference_ground *g)
{
    const struct step *step = &g->at[FLIGHT_MEAN].step;
    double each = inference_tokens_per_step(&g->job->speculation);
    const struct line {
        const char *key;
        double seconds;
    } lines[] = {
        {"weight_reads", step->weights},
        {"kv_cache_reads", step->kv_cache},
        {"compute", step->gemm},
        {"attention", step->attention},
        {"tensor_parallel_communication", step->all_reduce_latency + step->all_reduce_volume},
        {"pipeline_communication", step->transfer},
        {"launch_overhead", step->launch + step->requests},
        {"draft", step->draft},
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const char *whole = inference_explain_line(g, lines[i].key);
        EXPLAIN(g->to, lines[i].key, lines[i].seconds / each, "s",
                arena_print(g->to->arena, "%s / tokens_per_step", whole),
                "of a step, over the tokens of a request that it writes",
                {whole, lines[i].seconds, "s"}, {"tokens_per_step", each, "tokens"});
    }
}

/* What guessing ahead costs, and how many tokens of a request it makes of a step. */
static void explain_speculation(const struct inference_ground *g)
{
    const struct speculation *ahead = &g->job->speculation;
    struct inference plain = *g->inference;
    const struct explain_term tokens = {"tokens_ahead", ahead->tokens, ""},
                              right = {"acceptance", ahead->acceptance, ""};

    EXPLAIN(g->to, "tokens_per_step", inference_tokens_per_step(ahead), "tokens",
            ahead->acceptance >= 1 ? "1 + tokens_ahead"
                                   : "(1 - pow(acceptance, tokens_ahead + 1)) / (1 - acceptance)",
            "Leviathan et al., arXiv 2211.17192, equation 1; 1 where nothing is guessed ahead",
            tokens, right);
    if (ahead->tokens <= 0)
        return;
    plain.job.speculation.tokens = 0;
    double pass = inference_step(&plain, in_step(g), inference_context(g->job)).total;
    EXPLAIN(g->to, inference_explain_line(g, "draft"), g->at[FLIGHT_MEAN].step.draft, "s",
            "tokens_ahead x draft_cost x plain_step",
            "each guess costs a share of a step without any", tokens,
            {"draft_cost", ahead->draft_cost, ""}, {"plain_step", pass, "s"});
    explain_per_token(g);
}

void inference_explain_step(const struct inference_ground *g)
{
    explain_memory_shares(g);
    explain_gemm_share(g);
    explain_tokens(g);
    explain_weight_reads(g);
    explain_cache_reads(g);
    explain_products(g);
    inference_explain_traffic(g, tokens_of(g));
    inference_explain_transfer(g, inference_explain_line(g, "pipeline_communication"),
                               g->at[FLIGHT_MEAN].step.transfer, tokens_of(g));
    explain_overhead(g);
    explain_speculation(g);
}

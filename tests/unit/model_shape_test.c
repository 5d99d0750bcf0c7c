/* What a shape counts, by family of models, and that its weights add up to the published totals. */
#include "estimate/figures/model_shape.h"

#include "catalog/catalog.h"
#include "fixture.h"
#include "tap.h"

#include <stdlib.h>

static struct catalog *catalog;

static struct model_shape shape_named(const char *slug)
{
    const struct model *model = catalog_model(catalog, slug);

    if (!model) {
        printf("Bail out! the catalogue has no %s\n", slug);
        exit(1);
    }
    return model_shape_of(model);
}

static void exact(double got, double want, const char *what)
{
    ok(got == want, "%s: %.0f, want %.0f", what, got, want);
}

static void attention_kinds(void)
{
    struct model_shape gqa = shape_named("llama-2-70b"), mha = shape_named("llama-1-65b");
    struct model_shape mqa = shape_named("falcon-7b"), mla = shape_named("deepseek-v2-lite");

    exact(gqa.attention_weights, 2 * 8192.0 * 8192 + 2 * 8192.0 * 1024,
          "GQA: queries and output, "
          "8 KV heads");
    exact(gqa.kv_elements * gqa.full_layers * 2, 327680, "GQA: KV bytes per token");
    exact(mha.attention_weights, 4 * 8192.0 * 8192, "MHA: four square matrices");
    exact(mha.kv_elements * mha.full_layers * 2, 2621440, "MHA: KV bytes per token");
    exact(mqa.kv_elements, 128, "MQA: one head of keys and values");
    exact(mqa.all_reduces, 1, "parallel attention and FFN: one all-reduce per layer");
    exact(gqa.all_reduces, 2, "else two");
    ok(mla.mla && !gqa.mla, "latent attention is told apart");
    exact(mla.kv_elements, 576, "MLA: latent and rotary part");
    exact(mla.attention_weights,
          2048.0 * 16 * 192 + 2048.0 * 576 + 512.0 * 16 * 256 + 16 * 128.0 * 2048,
          "MLA without a query latent");
    exact(mla.decode_head_work, 2 * 512 + 64, "MLA: absorbed");
    exact(mla.prefill_key_dim, 128 + 64, "MLA: keys in training and prefill, with position");
    exact(mla.prefill_value_dim, 128, "MLA: values in training and prefill");
    ok(!mla.uneven && !gqa.uneven, "one kind of attention in all layers");
    ok(shape_named("qwen3-next-80b-a3b").uneven && shape_named("gemma-4-26b-a4b").uneven,
       "linear attention, and other heads where a window slides, are kinds of their own");
    exact(shape_named("gemma-7b").kv_elements, 2 * 16 * 256.0, "head size is as given, not h/a");
}

static void expert_kinds(void)
{
    struct model_shape mixtral = shape_named("mixtral-8x7b-v0.1"), r1 = shape_named("deepseek-r1");
    struct model_shape scout = shape_named("llama-4-scout-17b-16e-instruct");
    struct model_shape maverick = shape_named("llama-4-maverick-17b-128e-instruct");

    exact(mixtral.expert_weights, 3 * 4096.0 * 14336, "one expert, three matrices");
    exact(mixtral.dense_ffn_weights, 0, "all FFN weights are in the experts");
    exact(r1.dense_layers, 3, "leading dense layers");
    exact(r1.dense_ffn_weights, 3 * 3 * 7168.0 * 18432 + 58 * 3 * 7168.0 * 2048,
          "with the shared experts");
    exact(maverick.moe_layers, 24, "every other layer has experts");
    exact(maverick.dense_ffn_weights, 24 * 3 * 5120.0 * 16384 + 24 * 3 * 5120.0 * 8192,
          "the others are dense, and wider");
    exact(scout.dense_layers, 0, "or every layer");
    exact(shape_named("gemma-4-26b-a4b").dense_ffn_weights, 30 * 3 * 2816.0 * 2112,
          "a dense FFN in addition to the experts");
    exact(shape_named("qwen3-30b-a3b").dense_ffn_weights, 0, "an unused width is not counted");
}

static void cache_kinds(void)
{
    struct model_shape oss = shape_named("gpt-oss-20b"), next = shape_named("qwen3-next-80b-a3b");
    struct model_shape mistral = shape_named("mistral-7b-v0.1"),
                       mimo = shape_named("mimo-v2-flash");
    struct model_shape gemma = shape_named("gemma-4-26b-a4b"),
                       wide = shape_named("phi-4-mini-instruct");

    ok(oss.full_layers == 12 && oss.sliding_layers == 12 && oss.window == 128, "half slide");
    ok(mistral.full_layers == 0 && mistral.sliding_layers == 32, "all slide");
    ok(wide.full_layers == 32 && wide.sliding_layers == 0, "a window longer than the context "
                                                           "is none");
    ok(next.full_layers == 12 && next.sliding_layers == 0, "linear layers cache nothing per token");
    exact(mimo.full_layers * mimo.kv_elements * 2, 23040, "values narrower than keys");
    ok(mimo.prefill_key_dim == 192 && mimo.prefill_value_dim == 128, "keys 192, values 128");
    exact(gemma.full_layers * gemma.kv_elements * 2, 20480, "other heads in the global layers");
}

/* Every matrix the shape knows of: norms, biases and positions aside. */
static double weights_of(const struct model_shape *s, double experts)
{
    return s->layers * s->attention_weights + s->dense_ffn_weights + s->router_weights +
           s->moe_layers * experts * s->expert_weights + s->vocab * s->hidden * (s->tied ? 1 : 2);
}

/* BERT's biases, which are more of it than of larger models, and the matrix that pools its result.
 */
static double bert_rest(const struct model *model)
{
    double h = model->hidden;

    return h * h + h + model->n_layers * (5 * h + model->intermediate);
}

/* GPT-2, GPT-3, OPT, BERT and XLM-RoBERTa learn a vector for each position, OPT and XLM-RoBERTa two
 * more. */
static double learned_positions(const struct model *model)
{
    bool opt = strcmp(model->model_type, "opt") == 0;
    bool gpt = strcmp(model->model_type, "gpt2") == 0 || strcmp(model->model_type, "gpt3") == 0;
    bool bert = strcmp(model->model_type, "bert") == 0;
    bool roberta = strcmp(model->model_type, "xlm-roberta") == 0;
    double rest = bert || roberta ? bert_rest(model) : 0;

    if (opt || roberta)
        return (model->max_position + 2) * model->hidden + rest;
    return gpt || bert ? model->max_position * model->hidden + rest : 0;
}

/* What the matrices leave of the exact total: norms, biases, sinks. The most is in the smallest
 * model with biases everywhere, GPT-2 (0.097 %). Attention of hybrid models is the mean the total
 * leaves, so that nothing remains. */
static void totals(void)
{
    size_t within = 0, good = 0, exactly = 0;

    for (size_t i = 0; i < catalog->n_models; i++) {
        const struct model *model = &catalog->models[i];
        struct model_shape s = model_shape_of(model);
        double sum = weights_of(&s, s.experts);
        double left = (model->params_total - sum - learned_positions(model)) / model->params_total;
        good += isfinite(left) && s.attention_weights > 0 && s.kv_elements > 0;
        within += left > -1e-9 && left < 0.001;
        exactly += fabs(sum + s.small_weights - model->params_total) < 0.5;
        if (!(left > -1e-9 && left < 0.001))
            printf("# %s: %.4f %%\n", model->slug, 100 * left);
    }
    ok(good == catalog->n_models, "all %zu models have a shape", catalog->n_models);
    ok(within == catalog->n_models, "norms and biases are under 0.1 %% of %zu models", within);
    ok(exactly == catalog->n_models, "with them %zu add up to the parameter", exactly);
}

/* GPT-OSS has biases in its experts; a token meets only those of the experts it passes. */
static double idle_biases(const struct model *model, const struct model_shape *s)
{
    bool biased = strcmp(model->model_type, "gpt_oss") == 0;

    return biased ? s->moe_layers * (s->experts - s->top_k) * (2 * s->expert_width + s->hidden) : 0;
}

/* Weights one token meets. */
static void active_totals(void)
{
    size_t within = 0;

    for (size_t i = 0; i < catalog->n_models; i++) {
        const struct model *model = &catalog->models[i];
        struct model_shape s = model_shape_of(model);
        double small = s.small_weights - idle_biases(model, &s);
        double active = weights_of(&s, s.top_k) + small - model->params_active;
        within += fabs(active) < 0.5;
        if (fabs(active) >= 0.5)
            printf("# %s: %.0f\n", model->slug, active);
    }
    ok(within == catalog->n_models, "active weights add up to the parameter for %zu", within);
}

/* Nemotron 3 Super (NVIDIA, 2026) by its config.json: 88 blocks, of which 40 hold a state, 8
 * attend and 40 have experts that work in 1024 of 4096 dimensions. */
static void latent_experts(void)
{
    double h = 4096, mixed = 8192 + 2 * 8 * 128, e = 2.0 * 1024 * 2688;
    double state = h * (8192 + mixed + 128) + 5 * mixed + 3 * 128 + 8192 + 8192 * h + h;
    double attention = 2 * h * 4096 + 2 * h * 256 + h;
    double around = 2 * h * 5376 + 2 * h * 1024 + 512 * h;
    struct model super = {.model_type = "nemotron_h",
                          .n_layers = 88,
                          .hidden = h,
                          .n_heads = 32,
                          .n_kv_heads = 2,
                          .head_dim = 128,
                          .vocab = 131072,
                          .n_experts = 512,
                          .top_k = 22,
                          .n_shared_experts = 2,
                          .moe_intermediate = 2688,
                          .moe_latent = 1024,
                          .n_moe_layers = 40,
                          .n_full_layers = 8,
                          .n_linear_layers = 40,
                          .kv_bytes_per_token_bf16 = 8192};

    super.params_total =
        40 * state + 8 * attention + 40 * (around + 512 * e) + 2 * super.vocab * h + h;
    struct model_shape s = model_shape_of(&super);
    exact(s.layers, 48, "an attention or state block and an FFN are a layer");
    exact(s.moe_layers, 40, "of which most have experts");
    exact(s.expert_hidden, 1024, "experts work in their latent");
    exact(s.expert_weights, e, "and are as large as that makes them");
    exact(s.dense_ffn_weights, 40 * (2 * h * 5376 + 2 * h * 1024),
          "into the latent and back, and the shared expert");
    exact(s.ffn_width, 0, "the other layers have no FFN");
    exact(weights_of(&s, 512) + s.small_weights, super.params_total, "all add up");
    exact(shape_named("mixtral-8x7b-v0.1").expert_hidden, h, "others work in the model's width");
}

/* Nemotron-H 8B: 24 of 28 pairs have an FFN. */
static void single_blocks(void)
{
    struct model model = {.model_type = "nemotron_h",
                          .n_layers = 52,
                          .hidden = 4096,
                          .n_heads = 32,
                          .n_kv_heads = 8,
                          .head_dim = 128,
                          .vocab = 131072,
                          .intermediate = 21504,
                          .n_dense_layers = 24,
                          .n_full_layers = 4,
                          .n_linear_layers = 24,
                          .params_total = 8100852736,
                          .params_frozen = 3e8};
    struct model_shape s = model_shape_of(&model);

    exact(s.layers, 28, "52 blocks are 28 layers");
    exact(s.dense_ffn_weights, 24 * 2 * 4096.0 * 21504, "24 FFNs");
    exact(s.full_layers, 4, "4 of them attend");
    exact(weights_of(&s, 0) + s.small_weights, 8100852736, "all add up");
    exact(s.frozen_weights, 3e8, "a vision tower is counted separately");
    exact(shape_named("llama-2-7b").frozen_weights, 0, "where there is one");
}

static void without_totals(void)
{
    struct model model = *catalog_model(catalog, "qwen3-next-80b-a3b");

    model.params_total = model.params_active = model.kv_bytes_per_token_bf16 = (double)NAN;
    struct model_shape s = model_shape_of(&model);
    exact(s.attention_weights, 2 * 2048.0 * 16 * 256 + 2 * 2048.0 * 2 * 256,
          "without an exact total every layer counts as full attention");
    model.n_full_layers = model.n_sliding_layers = model.n_linear_layers = (double)NAN;
    s = model_shape_of(&model);
    exact(s.full_layers, 48, "and without kinds of layers all of them cache");
}

static void formats(void)
{
    struct model model = *catalog_model(catalog, "deepseek-v3");

    ok(model_shape_of(&model).block_scaled, "published in FP8 with a scale per block");
    model.scale_block_size = 0;
    ok(!model_shape_of(&model).block_scaled, "or without");
    ok(shape_named("qwen3-235b-a22b").block_scaled, "converted as DeepSeek's");
    ok(shape_named("qwen3-32b").block_scaled, "Qwen converts dense models so too");
    ok(!shape_named("llama-3.1-70b").block_scaled, "others do not");
    ok(shape_named("deepseek-v3.2").indexed && !shape_named("deepseek-v3").indexed,
       "only sparse attention has an indexer");
}

static void typical(void)
{
    static const double counts[] = {3.5e8, 1e9, 3e9, 7e9, 8e9, 13e9, 34e9, 70e9, 175e9, 405e9};
    struct model model;

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        model_shape_typical(counts[i], &model);
        struct model_shape s = model_shape_of(&model);
        double total = weights_of(&s, 0) / counts[i] - 1;
        ok(fabs(total) < 0.005 && model.params_total == counts[i] &&
               fmod(s.heads, s.kv_heads) == 0 && s.heads * s.head_dim == s.hidden,
           "typical shape of %g: off by %.2f %%", counts[i], 100 * total);
    }
    model_shape_typical(70e9, &model);
    struct model_shape s = model_shape_of(&model);
    ok(s.layers == 80 && s.hidden == 8192 && s.kv_elements * s.full_layers * 2 == 327680,
       "a typical 70B has the depth, width and cache of the Llamas");
    model_shape_typical(1e6, &model);
    s = model_shape_of(&model);
    ok(fabs(weights_of(&s, 0) / 1e6 - 1) < 0.02 && s.ffn_width >= 1, "even a million weights");
}

int main(void)
{
    catalog = fixture_catalog();
    attention_kinds();
    expert_kinds();
    cache_kinds();
    totals();
    active_totals();
    latent_experts();
    single_blocks();
    without_totals();
    formats();
    typical();
    catalog_free(catalog);
    return tap_done();
}

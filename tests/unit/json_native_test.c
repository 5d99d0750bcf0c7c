/* In which format a config.json says its weights are published. */
#include "json/body.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

#define SIZES                                                                 \
    "\"hidden_size\":1024,\"num_hidden_layers\":2,\"num_attention_heads\":8," \
    "\"vocab_size\":1000,\"intermediate_size\":2048,\"max_position_embeddings\":4096,"

#define EXPERTS "\"n_routed_experts\":8,\"num_experts_per_tok\":2,\"moe_intermediate_size\":512,"

static const struct {
    const char *name, *text, *dtype;
    double attention, ffn, expert, block, scale;
} cases[] = {
    {"bfloat16", "{\"model_type\":\"llama\"," SIZES "\"torch_dtype\":\"bfloat16\"}", "bf16", 2, 2,
     NAN, 0, 0},
    {"float16 of transformers 5", "{\"model_type\":\"llama\"," SIZES "\"dtype\":\"float16\"}",
     "fp16", 2, 2, NAN, 0, 0},
    {"nothing said", "{\"model_type\":\"llama\"," SIZES "\"tie_word_embeddings\":false}", NULL, NAN,
     NAN, NAN, 0, 0},
    {"a method that is not known",
     "{\"model_type\":\"llama\"," SIZES
     "\"torch_dtype\":\"bfloat16\",\"quantization_config\":{\"quant_method\":\"bitnet\"}}",
     NULL, NAN, NAN, NAN, 0, 0},
    {"fp8 in squares",
     "{\"model_type\":\"deepseek_v3\"," SIZES EXPERTS
     "\"n_shared_experts\":1,\"quantization_config\":{\"quant_method\":\"fp8\","
     "\"weight_block_size\":[128,128]}}",
     "fp8", 1, 1, 1, 16384, 4},
    {"fp8 but for attention, by name of each layer",
     "{\"model_type\":\"deepseek_v3\"," SIZES EXPERTS
     "\"quantization_config\":{\"quant_method\":\"fp8\",\"modules_to_not_convert\":["
     "\"model.layers.0.self_attn\",\"model.layers.1.self_attn\"]}}",
     "fp8", 2, 1, 1, 0, 0},
    {"fp8 but for attention of one layer",
     "{\"model_type\":\"deepseek_v3\"," SIZES EXPERTS
     "\"quantization_config\":{\"quant_method\":\"fp8\",\"modules_to_not_convert\":["
     "\"model.layers.0.self_attn\"]}}",
     "fp8", 1, 1, 1, 0, 0},
    {"int4 experts alone",
     "{\"model_type\":\"kimi_k2\"," SIZES EXPERTS
     "\"n_shared_experts\":1,\"quantization_config\":{\"quant_method\":\"compressed-tensors\","
     "\"config_groups\":{\"group_0\":{\"weights\":{\"num_bits\":4,\"type\":\"int\","
     "\"group_size\":32}}},\"ignore\":[\"lm_head\",\"re:.*self_attn.*\","
     "\"re:.*shared_experts.*\"]}}",
     "int4", 2, 2, 0.5, 32, 2},
    {"NVFP4",
     "{\"model_type\":\"llama\"," SIZES
     "\"quantization_config\":{\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\"}}",
     "fp4", 0.5, 0.5, NAN, 16, 1},
};

static const struct model *read_text(const char *text, size_t n, struct arena *arena)
{
    const struct model *model = NULL;
    struct err err = {0};

    ok(json_read_model(text, n, arena, &model, &err), "it is read: %s", err.text);
    return model;
}

static void is_bytes(double got, double wanted, const char *name, const char *of)
{
    if (isnan(wanted))
        ok(isnan(got), "%s: %s unknown", name, of);
    else
        is_near(got, wanted, 0, "%s: %s", name, of);
}

static void is_text(const char *got, const char *wanted, const char *name)
{
    is_str(got ? got : "", wanted ? wanted : "", "%s", name);
}

static void formats(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena = {0};
        const struct model *m = read_text(cases[i].text, strlen(cases[i].text), &arena);
        const char *name = cases[i].name;
        if (m) {
            is_text(m->native_dtype, cases[i].dtype, name);
            is_bytes(m->native_attention_bytes, cases[i].attention, name, "attention");
            is_bytes(m->native_ffn_bytes, cases[i].ffn, name, "FFN");
            is_bytes(m->native_expert_bytes, cases[i].expert, name, "experts");
            is_bytes(m->native_embedding_bytes, cases[i].dtype ? 2 : (double)NAN, name,
                     "embeddings");
            is_bytes(m->scale_block_size, cases[i].block, name, "block");
            is_bytes(m->scale_bytes, cases[i].scale, name, "scale");
        }
        arena_free(&arena);
    }
}

static void published_files(void)
{
    static const struct {
        const char *file, *dtype;
        double attention, expert, index_heads, top_k;
        const char *state;
    } rows[] = {
        {"DeepSeek-V3.2", "fp8", 1, 1, 64, 2048, NULL},
        {"gpt-oss-20b", "fp4", 2, 0.5, 0, 0, NULL},
        {"Qwen3.5-35B-A3B", "bf16", 2, 2, 0, 0, "fp32"},
    };
    static char bytes[64 * 1024];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct arena arena = {0};
        char path[128];
        snprintf(path, sizeof(path), "tests/api/hf-configs/%s.config.json", rows[i].file);
        FILE *file = fopen(path, "r");
        size_t n = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
        const struct model *m = read_text(bytes, n, &arena);
        if (file)
            fclose(file);
        if (m) {
            is_text(m->native_dtype, rows[i].dtype, rows[i].file);
            is_bytes(m->native_attention_bytes, rows[i].attention, rows[i].file, "attention");
            is_bytes(m->native_expert_bytes, rows[i].expert, rows[i].file, "experts");
            is_bytes(m->n_index_heads, rows[i].index_heads, rows[i].file, "heads of the indexer");
            is_bytes(m->index_top_k, rows[i].top_k, rows[i].file, "tokens it chooses");
            is_text(m->recurrent_state_dtype, rows[i].state, rows[i].file);
        }
        arena_free(&arena);
    }
}

int main(void)
{
    formats();
    published_files();
    return tap_done();
}

/* A config.json of every family against what its checkpoint's header adds up to. */
#include "json/body.h"

#include "tap.h"

#include <jansson.h>
#include <stdlib.h>

/* Reads a whole file; NULL where there is none. */
static char *slurp(const char *path, size_t *n)
{
    FILE *file = fopen(path, "r");
    char *bytes = malloc(64 * 1024);

    *n = file && bytes ? fread(bytes, 1, 64 * 1024, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static const struct model *read_text(const char *text, struct arena *arena, struct err *err)
{
    const struct model *model = NULL;

    *err = (struct err){0};
    if (!json_read_model(text, strlen(text), arena, &model, err))
        printf("# %s\n", err->text);
    return model;
}

/* The figures are those of Hugging Face's safetensors headers and of the layers' own count. */
static void published_files(void)
{
    static const struct {
        const char *file, *attention;
        double total, active, kv_bytes, full, sliding, linear, moe;
    } rows[] = {
        {"DeepSeek-V3.2", "MLA", 671026419200, 37552297472, 70272, 61, 0, 0, 58},
        {"DeepSeek-V3", "MLA", 671026419200, 37552297472, 70272, 61, 0, 0, 58},
        {"GLM-5", "MLA", 743180209920, 41053720320, 89856, 78, 0, 0, 75},
        {"Kimi-K2-Instruct", "MLA", 1026408232448, 32861500928, 70272, 61, 0, 0, 60},
        {"Llama-2-70b-hf", "GQA", 68976648192, 68976648192, 327680, 80, 0, 0, 0},
        {"Llama-2-7b-hf", "MHA", 6738415616, 6738415616, 524288, 32, 0, 0, 0},
        {"Llama-4-Scout-17B-16E-Instruct", "GQA", 107769861120, 17172894720, 196608, 12, 36, 0, 48},
        {"Meta-Llama-3.1-70B", "GQA", 70553706496, 70553706496, 327680, 80, 0, 0, 0},
        {"MiMo-V2-Flash", "GQA", 308778766336, 15445921792, 23040, 9, 39, 0, 47},
        {"Mistral-7B-Instruct-v0.3", "GQA", 7248023552, 7248023552, 131072, 32, 0, 0, 0},
        {"Mixtral-8x7B-v0.1", "GQA", 46702792704, 12879925248, 131072, 32, 0, 0, 32},
        {"Phi-3-mini-4k-instruct", "MHA", 3821079552, 3821079552, 393216, 0, 32, 0, 0},
        {"Qwen2-72B-Instruct", "GQA", 72706203648, 72706203648, 327680, 80, 0, 0, 0},
        {"Qwen3-0.6B", "GQA", 596049920, 596049920, 114688, 28, 0, 0, 0},
        {"Qwen3-30B-A3B", "GQA", 30532122624, 3353032704, 98304, 48, 0, 0, 48},
        {"Qwen3-Next-80B-A3B-Instruct", "GQA", 79674391296, 3874929408, 24576, 12, 0, 36, 48},
        {"Qwen3.5-35B-A3B", "GQA", 34660610688, 3454988928, 20480, 10, 0, 30, 40},
        {"gemma-4-26B-A4B", "GQA", 25233053440, 3822442240, 20480, 5, 25, 0, 30},
        {"gpt-oss-20b", "GQA", 20914757184, 4187440704, 49152, 12, 12, 0, 24},
        {"gpt2", "MHA", 124439808, 124439808, 36864, 12, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct arena arena = {0};
        struct err err = {0};
        const struct model *m = NULL;
        char path[128];
        size_t n;
        snprintf(path, sizeof(path), "tests/api/hf-configs/%s.config.json", rows[i].file);
        char *bytes = slurp(path, &n);
        ok(json_read_model(bytes, n, &arena, &m, &err), "%s is read: %s", rows[i].file, err.text);
        if (m) {
            is_near(m->params_total, rows[i].total, 0, "%s parameters", rows[i].file);
            is_near(m->params_active, rows[i].active, 0, "%s active", rows[i].file);
            is_near(m->kv_bytes_per_token_bf16, rows[i].kv_bytes, 0, "%s KV", rows[i].file);
            is_near(m->n_full_layers, rows[i].full, 0, "%s full layers", rows[i].file);
            is_near(m->n_sliding_layers, rows[i].sliding, 0, "%s sliding", rows[i].file);
            is_near(m->n_linear_layers, rows[i].linear, 0, "%s linear", rows[i].file);
            is_near(m->n_moe_layers, rows[i].moe, 0, "%s MoE layers", rows[i].file);
            is_str(m->attention, rows[i].attention, "%s attention", rows[i].file);
        }
        free(bytes);
        arena_free(&arena);
    }
}

/* The members that make the size, under the names each family uses. */
static const struct {
    const char *name;
    double total;
    const char *text;
} configs[] = {
    {"opt-1.3b", 1315758080,
     "{\"model_type\":\"opt\",\"num_hidden_layers\":24,\"hidden_size\":2048,"
     "\"num_attention_heads\":32,\"ffn_dim\":8192,\"vocab_size\":50272,"
     "\"max_position_embeddings\":2048,\"word_embed_proj_dim\":2048}"},
    {"opt-350m", 331196416,
     "{\"model_type\":\"opt\",\"num_hidden_layers\":24,\"hidden_size\":1024,"
     "\"num_attention_heads\":16,\"ffn_dim\":4096,\"vocab_size\":50272,"
     "\"max_position_embeddings\":2048,\"word_embed_proj_dim\":512,"
     "\"do_layer_norm_before\":false}"},
    {"bloom-7b1", 7069016064,
     "{\"model_type\":\"bloom\",\"n_layer\":30,\"n_embed\":4096,"
     "\"num_attention_heads\":32,\"vocab_size\":250880,\"seq_length\":2048}"},
    {"falcon-7b", 6921720704,
     "{\"model_type\":\"falcon\",\"num_hidden_layers\":32,\"hidden_size\":4544,"
     "\"num_attention_heads\":71,\"num_kv_heads\":71,\"multi_query\":true,"
     "\"new_decoder_architecture\":false,\"parallel_attn\":true,\"bias\":false,"
     "\"alibi\":false,\"vocab_size\":65024}"},
    {"falcon-40b", 41303293952,
     "{\"model_type\":\"falcon\",\"num_hidden_layers\":60,\"hidden_size\":8192,"
     "\"num_attention_heads\":128,\"num_kv_heads\":8,\"multi_query\":true,"
     "\"new_decoder_architecture\":true,\"parallel_attn\":true,\"bias\":false,"
     "\"vocab_size\":65024}"},
    {"gpt-j-6b", 6050882784,
     "{\"model_type\":\"gptj\",\"n_layer\":28,\"n_embd\":4096,\"n_head\":16,"
     "\"n_inner\":null,\"n_positions\":2048,\"vocab_size\":50400,"
     "\"tie_word_embeddings\":false}"},
    {"pythia-1.4b", 1414647808,
     "{\"model_type\":\"gpt_neox\",\"num_hidden_layers\":24,\"hidden_size\":2048,"
     "\"num_attention_heads\":16,\"intermediate_size\":8192,"
     "\"use_parallel_residual\":true,\"max_position_embeddings\":2048,"
     "\"vocab_size\":50304,\"tie_word_embeddings\":false}"},
    {"phi-2", 2779683840,
     "{\"model_type\":\"phi\",\"num_hidden_layers\":32,\"hidden_size\":2560,"
     "\"num_attention_heads\":32,\"num_key_value_heads\":32,"
     "\"intermediate_size\":10240,\"qk_layernorm\":false,\"vocab_size\":51200,"
     "\"max_position_embeddings\":2048,\"tie_word_embeddings\":false}"},
    {"gemma-2b", 2506172416,
     "{\"model_type\":\"gemma\",\"num_hidden_layers\":18,\"hidden_size\":2048,"
     "\"num_attention_heads\":8,\"num_key_value_heads\":1,\"head_dim\":256,"
     "\"intermediate_size\":16384,\"vocab_size\":256000,"
     "\"max_position_embeddings\":8192}"},
    {"gemma-3-4b", 3880263168,
     "{\"model_type\":\"gemma3\",\"text_config\":{\"hidden_size\":2560,"
     "\"intermediate_size\":10240,\"model_type\":\"gemma3_text\","
     "\"num_hidden_layers\":34,\"sliding_window\":1024},"
     "\"vision_config\":{\"hidden_size\":1152}}"},
    {"gemma-3-1b", 999885952,
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":26,\"hidden_size\":1152,"
     "\"num_attention_heads\":4,\"num_key_value_heads\":1,\"head_dim\":256,"
     "\"intermediate_size\":6912,\"vocab_size\":262144,"
     "\"max_position_embeddings\":32768,\"sliding_window\":512,"
     "\"sliding_window_pattern\":6}"},
    {"OLMo-2-7B", 7298617344,
     "{\"model_type\":\"olmo2\",\"num_hidden_layers\":32,\"hidden_size\":4096,"
     "\"num_attention_heads\":32,\"num_key_value_heads\":32,"
     "\"intermediate_size\":11008,\"vocab_size\":100352,"
     "\"max_position_embeddings\":4096,\"tie_word_embeddings\":false}"},
    {"Command R", 34980831232,
     "{\"model_type\":\"cohere\",\"num_hidden_layers\":40,\"hidden_size\":8192,"
     "\"num_attention_heads\":64,\"num_key_value_heads\":64,"
     "\"intermediate_size\":22528,\"use_qk_norm\":false,\"vocab_size\":256000,"
     "\"max_position_embeddings\":131072}"},
    {"starcoder", 15517456384,
     "{\"model_type\":\"gpt_bigcode\",\"n_layer\":40,\"n_embd\":6144,\"n_head\":48,"
     "\"n_inner\":24576,\"multi_query\":true,\"n_positions\":8192,"
     "\"vocab_size\":49152}"},
    {"starcoder2-3b", 3030371328,
     "{\"model_type\":\"starcoder2\",\"num_hidden_layers\":30,\"hidden_size\":3072,"
     "\"num_attention_heads\":24,\"num_key_value_heads\":2,"
     "\"intermediate_size\":12288,\"use_bias\":true,\"vocab_size\":49152,"
     "\"max_position_embeddings\":16384,\"sliding_window\":4096}"},
    {"mpt-7b", 6649286656,
     "{\"model_type\":\"mpt\",\"d_model\":4096,\"n_heads\":32,\"n_layers\":32,"
     "\"expansion_ratio\":4,\"no_bias\":true,\"max_seq_len\":2048,"
     "\"vocab_size\":50432}"},
    {"DBRX", 131596523520,
     "{\"model_type\":\"dbrx\",\"d_model\":6144,\"n_heads\":48,\"n_layers\":40,"
     "\"max_seq_len\":32768,\"vocab_size\":100352,\"tie_word_embeddings\":false,"
     "\"attn_config\":{\"kv_n_heads\":8},\"ffn_config\":{\"ffn_hidden_size\":10752,"
     "\"moe_num_experts\":16,\"moe_top_k\":4}}"},
    {"chatglm3-6b", 6243584000,
     "{\"model_type\":\"chatglm\",\"num_layers\":28,\"hidden_size\":4096,"
     "\"num_attention_heads\":32,\"multi_query_attention\":true,"
     "\"multi_query_group_num\":2,\"kv_channels\":128,\"ffn_hidden_size\":13696,"
     "\"add_qkv_bias\":true,\"add_bias_linear\":false,\"padded_vocab_size\":65024,"
     "\"seq_length\":8192,\"tie_word_embeddings\":false}"},
    {"Qwen-7B", 7721324544,
     "{\"model_type\":\"qwen\",\"num_hidden_layers\":32,\"hidden_size\":4096,"
     "\"num_attention_heads\":32,\"kv_channels\":128,\"intermediate_size\":22016,"
     "\"no_bias\":true,\"vocab_size\":151936,\"seq_length\":8192,"
     "\"max_position_embeddings\":8192,\"tie_word_embeddings\":false}"},
    {"Qwen1.5-MoE-A2.7B", 14315784192,
     "{\"model_type\":\"qwen2_moe\",\"num_hidden_layers\":24,\"hidden_size\":2048,"
     "\"num_attention_heads\":16,\"num_key_value_heads\":16,"
     "\"intermediate_size\":5632,\"moe_intermediate_size\":1408,"
     "\"shared_expert_intermediate_size\":5632,\"num_experts\":60,"
     "\"num_experts_per_tok\":4,\"decoder_sparse_step\":1,\"vocab_size\":151936,"
     "\"max_position_embeddings\":8192,\"sliding_window\":32768,"
     "\"use_sliding_window\":false,\"tie_word_embeddings\":false}"},
    {"DeepSeek-V2-Lite", 15706484224,
     "{\"model_type\":\"deepseek_v2\",\"num_hidden_layers\":27,\"hidden_size\":2048,"
     "\"num_attention_heads\":16,\"num_key_value_heads\":16,"
     "\"intermediate_size\":10944,\"moe_intermediate_size\":1408,"
     "\"n_routed_experts\":64,\"n_shared_experts\":2,\"num_experts_per_tok\":6,"
     "\"first_k_dense_replace\":1,\"moe_layer_freq\":1,\"kv_lora_rank\":512,"
     "\"q_lora_rank\":null,\"qk_nope_head_dim\":128,\"qk_rope_head_dim\":64,"
     "\"v_head_dim\":128,\"vocab_size\":102400,\"max_position_embeddings\":163840}"},
    {"MiniMax-M2.5", 228689764864,
     "{\"model_type\":\"minimax_m2\",\"num_hidden_layers\":62,\"hidden_size\":3072,"
     "\"num_attention_heads\":48,\"num_key_value_heads\":8,\"head_dim\":128,"
     "\"intermediate_size\":1536,\"num_local_experts\":256,"
     "\"num_experts_per_tok\":8,\"use_qk_norm\":true,\"vocab_size\":200064,"
     "\"max_position_embeddings\":196608,\"tie_word_embeddings\":false}"},
    {"Llama-4-Maverick", 400711848960,
     "{\"model_type\":\"llama4\",\"text_config\":{\"model_type\":\"llama4_text\","
     "\"num_hidden_layers\":48,\"hidden_size\":5120,\"num_attention_heads\":40,"
     "\"num_key_value_heads\":8,\"head_dim\":128,\"intermediate_size\":8192,"
     "\"intermediate_size_mlp\":16384,\"num_local_experts\":128,"
     "\"num_experts_per_tok\":1,\"interleave_moe_layer_step\":2,"
     "\"attention_chunk_size\":8192,\"vocab_size\":202048,"
     "\"max_position_embeddings\":1048576}}"},
    {"Qwen3.5-27B", 26895998464,
     "{\"model_type\":\"qwen3_5\",\"text_config\":{\"model_type\":\"qwen3_5_text\","
     "\"num_hidden_layers\":64,\"hidden_size\":5120,\"num_attention_heads\":24,"
     "\"num_key_value_heads\":4,\"head_dim\":256,\"intermediate_size\":17408,"
     "\"full_attention_interval\":4,\"linear_num_key_heads\":16,"
     "\"linear_num_value_heads\":48,\"linear_key_head_dim\":128,"
     "\"linear_value_head_dim\":128,\"linear_conv_kernel_dim\":4,"
     "\"vocab_size\":248320,\"max_position_embeddings\":262144},"
     "\"tie_word_embeddings\":false}"},
    {"Qwen2.5-0.5B", 494032768,
     "{\"model_type\":\"qwen2\",\"num_hidden_layers\":24,\"hidden_size\":896,"
     "\"num_attention_heads\":14,\"num_key_value_heads\":2,"
     "\"intermediate_size\":4864,\"vocab_size\":151936,"
     "\"max_position_embeddings\":32768,\"sliding_window\":32768,"
     "\"use_sliding_window\":false,\"max_window_layers\":24,"
     "\"tie_word_embeddings\":true}"},
    {"phi-4-mini", 3836021760,
     "{\"model_type\":\"phi3\",\"num_hidden_layers\":32,\"hidden_size\":3072,"
     "\"num_attention_heads\":24,\"num_key_value_heads\":8,"
     "\"intermediate_size\":8192,\"vocab_size\":200064,"
     "\"max_position_embeddings\":131072,\"sliding_window\":262144,"
     "\"tie_word_embeddings\":true}"},
};

static void families(void)
{
    for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
        struct arena arena = {0};
        struct err err;
        const struct model *m = read_text(configs[i].text, &arena, &err);
        ok(m, "%s is read", configs[i].name);
        if (m)
            is_near(m->params_total, configs[i].total, 0, "%s parameters", configs[i].name);
        arena_free(&arena);
    }
}

/* One model of tests/api/families.json: its config, and what its source says it counts. */
static void family(const json_t *row)
{
    static const char *const kinds[] = {"full", "sliding", "without softmax", "with experts"};
    const char *name = json_string_value(json_object_get(row, "name"));
    const json_t *active = json_object_get(row, "active"), *layers = json_object_get(row, "layers");
    char *text = json_dumps(json_object_get(row, "config"), JSON_COMPACT);
    struct arena arena = {0};
    struct err err;
    const struct model *m = read_text(text, &arena, &err);

    ok(m, "%s is read", name);
    if (m) {
        const double counts[] = {m->n_full_layers, m->n_sliding_layers, m->n_linear_layers,
                                 m->n_moe_layers};
        is_near(m->params_total, json_number_value(json_object_get(row, "parameters")), 0,
                "%s parameters", name);
        is_near(m->params_frozen, json_number_value(json_object_get(row, "frozen")), 0, "%s frozen",
                name);
        if (active)
            is_near(m->params_active, json_number_value(active), 0, "%s active", name);
        is_near(m->n_dense_layers, json_number_value(json_object_get(row, "dense")), 0,
                "%s blocks that are an FFN", name);
        for (size_t i = 0; i < json_array_size(layers); i++)
            is_near(counts[i], json_number_value(json_array_get(layers, i)), 0, "%s layers %s",
                    name, kinds[i]);
    }
    free(text);
    arena_free(&arena);
}

static void families_file(void)
{
    size_t i;
    json_t *row, *rows = json_load_file("tests/api/families.json", 0, NULL);

    ok(json_array_size(rows) > 40, "there are families of which the counts are known");
    json_array_foreach(rows, i, row)
    {
        family(row);
    }
    json_decref(rows);
}

#define BASE "\"model_type\":\"llama\",\"vocab_size\":32000,\"hidden_size\":4096,"
#define WHOLE BASE "\"num_hidden_layers\":32,\"num_attention_heads\":32,"

#define NEMOTRON                                                            \
    "{\"model_type\":\"nemotron_h\",\"vocab_size\":100,\"hidden_size\":64," \
    "\"num_hidden_layers\":4,\"num_attention_heads\":4,\"intermediate_size\":128,"

static const struct {
    const char *text, *field, *rule;
} refused[] = {
    {"{" BASE "\"num_attention_heads\":32}", "#/num_hidden_layers", "missing_parameter"},
    {"{\"model_type\":\"llama\"}", "#/num_hidden_layers", "missing_parameter"},
    {"{" BASE "\"num_hidden_layers\":0,\"num_attention_heads\":32}", "#/num_hidden_layers",
     "out_of_range"},
    {"{" BASE "\"num_hidden_layers\":-4,\"num_attention_heads\":32}", "#/num_hidden_layers",
     "out_of_range"},
    {"{" BASE "\"num_hidden_layers\":1e9,\"num_attention_heads\":32}", "#/num_hidden_layers",
     "out_of_range"},
    {"{" BASE "\"num_hidden_layers\":\"32\",\"num_attention_heads\":32}", "#/num_hidden_layers",
     "wrong_type"},
    {"{" BASE "\"num_hidden_layers\":32.5,\"num_attention_heads\":32}", "#/num_hidden_layers",
     "not_whole"},
    {"{" BASE "\"n_layer\":true,\"num_attention_heads\":32}", "#/n_layer", "wrong_type"},
    {"{" WHOLE "\"num_key_value_heads\":7}", "#/num_key_value_heads", "contradiction"},
    {"{" BASE "\"num_hidden_layers\":32,\"num_attention_heads\":33}", "#/num_attention_heads",
     "contradiction"},
    {"{" WHOLE "\"tie_word_embeddings\":\"false\"}", "#/tie_word_embeddings", "wrong_type"},
    {"{" WHOLE "\"num_local_experts\":8}", "#/num_experts_per_tok", "contradiction"},
    {"{" WHOLE "\"num_local_experts\":8,\"num_experts_per_tok\":9}", "#/num_experts_per_tok",
     "contradiction"},
    {"{" WHOLE "\"kv_lora_rank\":512}", "#/qk_nope_head_dim", "contradiction"},
    {"{" WHOLE "\"layer_types\":[\"full_attention\"]}", "#/layer_types", "contradiction"},
    {"{" WHOLE "\"layer_types\":{}}", "#/layer_types", "wrong_type"},
    {"{" BASE "\"num_attention_heads\":32,\"num_hidden_layers\":1,"
     "\"layer_types\":[\"mamba\"]}",
     "#/layer_types", "unknown_choice"},
    {"{" BASE "\"num_attention_heads\":32,\"num_hidden_layers\":1,"
     "\"layer_types\":[\"linear_attention\"]}",
     "#/linear_num_key_heads", "missing_parameter"},
    {"{" WHOLE "\"ssm_state_size\":128}", "#/ssm_state_size", "unknown_choice"},
    {"{\"model_type\":\"t5\"}", "#/model_type", "unknown_choice"},
    {"{\"model_type\":\"nemotron-nas\"}", "#/model_type", "unknown_choice"},
    {"{\"text_config\":{\"model_type\":\"gemma3n_text\"}}", "#/text_config/model_type",
     "unknown_choice"},
    {"{" WHOLE "\"block_configs\":[]}", "#/block_configs", "unknown_choice"},
    {"{" WHOLE "\"num_kv_shared_layers\":4}", "#/num_kv_shared_layers", "unknown_choice"},
    {"{" WHOLE "\"sliding_window_pattern\":\"LLX\"}", "#/sliding_window_pattern", "unknown_choice"},
    {"{" WHOLE "\"attn_type_list\":[1]}", "#/attn_type_list", "contradiction"},
    {NEMOTRON "\"hybrid_override_pattern\":\"M-*\"}", "#/hybrid_override_pattern", "contradiction"},
    {NEMOTRON "\"hybrid_override_pattern\":\"M-*Q\"}", "#/hybrid_override_pattern",
     "unknown_choice"},
    {NEMOTRON "\"layers_block_type\":[\"mamba\",\"conv\"]}", "#/layers_block_type",
     "unknown_choice"},
    {NEMOTRON "\"hybrid_override_pattern\":\"M-*-\"}", "#/ssm_state_size", "missing_parameter"},
    {"{" WHOLE "\"is_encoder_decoder\":true}", "#/is_encoder_decoder", "unknown_choice"},
    {"{\"text_config\":{" BASE "\"num_attention_heads\":32}}", "#/text_config/num_hidden_layers",
     "missing_parameter"},
    {"{\"text_config\":[]}", "#/text_config", "wrong_type"},
    {"{\"model_type\":\"dbrx\",\"d_model\":64,\"n_layers\":2,\"n_heads\":4,"
     "\"vocab_size\":100,\"attn_config\":{\"kv_n_heads\":\"2\"}}",
     "#/attn_config/kv_n_heads", "wrong_type"},
    {"{\"model_type\":7," WHOLE "\"x\":1}", "", ""},
    {"{\"num_hidden_layers\":1000,\"hidden_size\":1000000,\"num_attention_heads\":1000,"
     "\"vocab_size\":32000,\"intermediate_size\":100000000}",
     "#", "out_of_range"},
    {"{" WHOLE "\"vision_config\":{\"hidden_size\":100000000,\"depth\":1,\"patch_size\":1}}", "#",
     "out_of_range"},
};

static void refusals(void)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct arena arena = {0};
        struct err err = {0};
        const struct model *m = NULL;
        ok(!json_read_model(refused[i].text, strlen(refused[i].text), &arena, &m, &err),
           "refused: %s", refused[i].text);
        if (refused[i].field[0]) {
            is_str(err.culprits[0].field, refused[i].field, "it names the member");
            is_str(err.culprits[0].rule, refused[i].rule, "and the rule");
        } else {
            ok(err.code == ERR_MALFORMED, "a member given twice is malformed");
        }
        arena_free(&arena);
    }
}

/* LLaVA's text_config leaves out every size: its class has them, which is said. */
static void class_defaults(void)
{
    struct arena arena = {0};
    struct err err;
    const struct model *m = read_text("{\"model_type\":\"llava\",\"text_config\":{"
                                      "\"model_type\":\"llama\",\"vocab_size\":32064}}",
                                      &arena, &err);

    ok(m && m->n_layers == 32 && m->params_total == 6738939904, "the sizes of the class");
    ok(m && m->note && strstr(m->note, "defaults of its class"), "and that is said");
    arena_free(&arena);
}

/* A tower nobody knows is estimated, and that is said; one that is known is counted. */
static void towers(void)
{
    static const char with[] = "{" WHOLE "\"intermediate_size\":11008,\"vision_config\":{"
                               "\"model_type\":\"%s\",\"hidden_size\":1024,"
                               "\"num_hidden_layers\":24,\"intermediate_size\":4096,"
                               "\"patch_size\":14,\"image_size\":%s}}";
    struct arena arena = {0};
    struct err err;
    const struct model *known =
        read_text(arena_print(&arena, with, "clip_vision_model", "336"), &arena, &err);
    const struct model *guess =
        read_text(arena_print(&arena, with, "unheard_of", "336"), &arena, &err);
    const struct model *pairs =
        read_text(arena_print(&arena, with, "clip_vision_model", "[336,336]"), &arena, &err);
    const struct model *odd =
        read_text(arena_print(&arena, with, "clip_vision_model", "\"wide\""), &arena, &err);

    ok(known && guess && odd && pairs, "all are read");
    if (known && guess && odd && pairs) {
        is_near(pairs->params_frozen, 324487168, 0, "sides may be a list");
        is_near(known->params_frozen, 324487168, 0, "CLIP ViT-L/14 and two linear layers");
        ok(known->note && strstr(known->note, "324487168 weights, count as frozen"), "said");
        ok(!strstr(known->note, "estimated"), "and it is no estimate");
        is_near(guess->params_frozen, 324487168, 5e6, "an unknown tower is about the same");
        ok(guess->note && strstr(guess->note, "estimated"), "and is called an estimate");
        ok(odd->params_frozen > 0, "what cannot be read of a tower refuses nothing");
        is_near(known->params_total, 6738415616.0, 0, "and is none of the text model's weights");
    }
    arena_free(&arena);
}

static void every_culprit_at_once(void)
{
    struct arena arena = {0};
    struct err err;

    ok(!read_text("{\"model_type\":\"llama\",\"hidden_size\":\"x\",\"vocab_size\":-1}", &arena,
                  &err),
       "two bad members");
    ok(err.n_culprits == 2, "are both named");
    arena_free(&arena);
}

static void what_is_said(void)
{
    struct arena arena = {0};
    struct err err;
    const struct model *m = read_text("{\"model_type\":\"unheard_of\",\"vocab_size\":32000,"
                                      "\"hidden_size\":4096,\"num_hidden_layers\":32,"
                                      "\"num_attention_heads\":32,\"intermediate_size\":11008,"
                                      "\"unknown_key\":{\"a\":[1,2]},\"vision_config\":{}}",
                                      &arena, &err);

    ok(m, "an unknown family is counted");
    if (m) {
        is_near(m->params_total, 6738415616.0, 0, "as Llama is");
        ok(m->note && strstr(m->note, "unheard_of"), "and that is said");
        ok(m->note && strstr(m->note, "vision tower is not counted"), "and so is what is left out");
        is_near(m->params_frozen, 0, 0, "a tower without sizes counts nothing");
        is_str(m->name, "unheard_of", "it is named by its type");
    }
    m = read_text("{\"_name_or_path\":\"org/My_Model 7B\"," WHOLE "\"intermediate_size\":11008}",
                  &arena, &err);
    ok(m, "a named one is read");
    if (m) {
        is_str(m->slug, "my-model-7b", "its slug");
        is_str(m->hf_id, "org/My_Model 7B", "its place on the hub");
        ok(!m->note, "nothing to say of a known family");
    }
    arena_free(&arena);
}

int main(void)
{
    json_init();
    published_files();
    families();
    families_file();
    refusals();
    class_defaults();
    towers();
    every_culprit_at_once();
    what_is_said();
    return tap_done();
}

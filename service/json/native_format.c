/* The layouts of quantization_config are those of transformers (fp8, mxfp4, awq, gptq, auto-round,
 * bitsandbytes, fbgemm_fp8), of the compressed-tensors library and of NVIDIA's ModelOpt. */
#include "json/native_format.h"

#include <math.h>
#include <string.h>

struct quantization {
    const struct config *config;
    struct place place;   /* the quantization_config */
    const json_t *except; /* modules kept in 16 bits */
};

static const char *text(const struct place *place, const char *names)
{
    const char *name;
    const char *value = json_string_value(json_member_find(place, names, &name));

    return value ? value : "";
}

static double number(const struct place *place, const char *names)
{
    const char *name;
    const json_t *value = json_member_find(place, names, &name);

    return json_is_number(value) ? json_number_value(value) : 0;
}

/* In the whole config or in its text model. */
static const json_t *find(const struct config *config, const char *names)
{
    const char *name;
    const json_t *value = json_member_find(&config->place, names, &name);

    return value ? value : json_member_find(&config->outer, names, &name);
}

/* True if modules with that name are excluded in every layer, by a pattern or one by one. */
static bool excepted(const struct quantization *q, const char *word)
{
    double n = 0;

    for (size_t i = 0; i < json_array_size(q->except); i++) {
        const char *module = json_string_value(json_array_get(q->except, i));
        if (!module || !strstr(module, word))
            continue;
        if (strchr(module, '*'))
            return true;
        n++;
    }
    return n >= q->config->n_layers;
}

/* Set the weights to `bytes` each, except excluded modules, with a scale per block. */
static void set_narrow(const struct quantization *q, struct model *m, const char *dtype,
                       double bytes, double block, double scale)
{
    m->native_dtype = dtype;
    m->native_attention_bytes = excepted(q, "attn") ? 2 : bytes;
    m->native_ffn_bytes = excepted(q, "shared_expert") ? 2 : bytes;
    m->native_expert_bytes = bytes;
    m->scale_block_size = block;
    m->scale_bytes = block > 0 ? scale : 0;
}

/* DeepSeek's format: one 32-bit scale per square block of weights. */
static void read_fp8(const struct quantization *q, struct model *m)
{
    const char *name;
    const json_t *block = json_member_find(&q->place, "weight_block_size", &name);
    double rows = json_number_value(json_array_get(block, 0));
    double columns = json_number_value(json_array_get(block, 1));

    set_narrow(q, m, "fp8", 1, rows > 0 && columns > 0 ? rows * columns : 0, 4);
}

static void read_compressed_tensors(const struct quantization *q, struct model *m)
{
    double bits = number(&q->place, "config_groups/group_0/weights/num_bits");
    const char *type = text(&q->place, "config_groups/group_0/weights/type");
    double group = fmax(0, number(&q->place, "config_groups/group_0/weights/group_size"));

    if (bits == 4 && strcmp(type, "int") == 0)
        set_narrow(q, m, "int4", 0.5, group, 2);
    else if (bits == 4 && strcmp(type, "float") == 0)
        set_narrow(q, m, "fp4", 0.5, group, 1);
    else if (bits == 8 && strcmp(type, "float") == 0)
        set_narrow(q, m, "fp8", 1, group, 2);
}

static void read_modelopt(const struct quantization *q, struct model *m)
{
    const char *algorithm = text(&q->place, "quant_algo");

    if (strcmp(algorithm, "NVFP4") == 0)
        set_narrow(q, m, "fp4", 0.5, 16, 1);
    else if (strcmp(algorithm, "FP8") == 0)
        set_narrow(q, m, "fp8", 1, 0, 0);
}

/* MXFP4 of the Open Compute Project: 32 weights share an 8-bit exponent. Used for experts. */
static void read_mxfp4(const struct quantization *q, struct model *m)
{
    set_narrow(q, m, "fp4", 0.5, 32, 1);
    m->native_attention_bytes = m->native_ffn_bytes = 2;
}

/* AWQ, GPTQ and AutoRound: a 16-bit scale per group, none for a group_size of -1. */
static void read_groups(const struct quantization *q, struct model *m)
{
    if (number(&q->place, "bits w_bit") == 4)
        set_narrow(q, m, "int4", 0.5, fmax(0, number(&q->place, "group_size q_group_size")), 2);
}

/* NF4 and FP4 of bitsandbytes: 64 weights share a scale, which is stored in 8 bits. */
static void read_bitsandbytes(const struct quantization *q, struct model *m)
{
    const char *name;

    if (json_is_true(json_member_find(&q->place, "load_in_4bit _load_in_4bit", &name)))
        set_narrow(q, m, "int4", 0.5, 64, 1);
}

static void read_quantization(const struct config *config, const json_t *object, struct model *m)
{
    static const struct {
        const char *method;
        void (*read)(const struct quantization *q, struct model *m);
    } methods[] = {
        {"fp8", read_fp8},
        {"mxfp4", read_mxfp4},
        {"compressed-tensors", read_compressed_tensors},
        {"modelopt", read_modelopt},
        {"awq", read_groups},
        {"gptq", read_groups},
        {"auto-round", read_groups},
        {"bitsandbytes", read_bitsandbytes},
        {"fbgemm_fp8", read_fp8},
    };
    struct quantization q = {.config = config, .place = config->place};
    const char *name;

    q.place.object = object;
    q.except = json_member_find(&q.place, "modules_to_not_convert ignored_layers ignore", &name);
    const char *method = text(&q.place, "quant_method");
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (strcmp(method, methods[i].method) == 0)
            methods[i].read(&q, m);
}

/* Converts bfloat16 to bf16 and so on; NULL for an unknown name. */
static const char *short_name(const char *dtype)
{
    static const char *const names[][2] = {
        {"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}};

    for (size_t i = 0; dtype && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(dtype, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static void read_plain(const struct config *config, struct model *m)
{
    const char *dtype = short_name(json_string_value(find(config, "torch_dtype dtype")));

    if (!dtype || strcmp(dtype, "fp32") == 0)
        return;
    m->native_dtype = dtype;
    m->native_attention_bytes = m->native_ffn_bytes = m->native_expert_bytes = 2;
}

void native_format_read(const struct config *config, struct model *m)
{
    const json_t *quantization = find(config, "quantization_config");

    m->native_attention_bytes = m->native_ffn_bytes = (double)NAN;
    m->native_expert_bytes = m->native_embedding_bytes = (double)NAN;
    if (json_is_object(quantization))
        read_quantization(config, quantization, m);
    else
        read_plain(config, m);
    if (m->native_dtype)
        m->native_embedding_bytes = 2;
    if (m->n_experts <= 0)
        m->native_expert_bytes = (double)NAN;
    if (m->n_shared_experts <= 0 && m->intermediate <= 0)
        m->native_ffn_bytes = (double)NAN;
    if (m->n_linear_layers > 0)
        m->recurrent_state_dtype =
            short_name(json_string_value(find(config, "mamba_ssm_dtype mamba_ssm_cache_dtype")));
}

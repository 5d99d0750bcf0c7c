/* lookup.c - looks up the names of a request in the catalogue. */
#include "api/resource/context.h"

#include "base/spelling.h"
#include "base/text.h"
#include "catalog/region.h"
#include "estimate/figures/model_shape.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Known slugs that may be meant by what was typed. */
struct choice {
    const char *names[CATALOG_ALIKE_MAX];
    size_t n;
};

static const char *print_choice(struct arena *arena, const struct choice *choice)
{
    const char *list = choice->names[0];

    for (size_t i = 1; i < choice->n; i++)
        list = arena_print(arena, "%s, %s", list, choice->names[i]);
    return list;
}

static bool unknown_name(struct request_context *context, const char *parameter, const char *what,
                         const char *typed, const struct choice *choice, struct err *err)
{
    bool is_gpu = strcmp(what, "GPU") == 0;
    const char *list = is_gpu ? "/v1/gpus lists them" : "/v1/models lists them";
    const char *names = print_choice(context->arena, choice);
    const char *advice =
        choice->n == 1 ? arena_print(context->arena, "; did you mean %s? %s", names, list)
        : choice->n > 1
            ? arena_print(context->arena, "; could be any of %s: enter one; %s", names, list)
        : is_gpu ? "; /v1/gpus lists them"
                 : "; /v1/models lists them, any other is described by parameters or, in a "
                   "POST, by model_config";

    if (fields_find(context->inputs.fields, parameter))
        return err_add(err, parameter, typed, "unknown_name", "no %s is called %s%s", what, typed,
                       advice);
    /* the name is in the path */
    return err_set(err, ERR_NOT_FOUND, "there is no %s %s%s", what, typed, advice);
}

static bool is_required(const struct request_context *context, const char *parameter)
{
    return strcmp(fields_find(context->inputs.fields, parameter)->fallback, "required") == 0;
}

/* The GPU in "8xH100" or "8 x H100"; NULL if no count is before it. */
static const char *behind_count(const char *typed)
{
    size_t n = strspn(typed, "0123456789");
    const char *p = typed + n + strspn(typed + n, " ");

    return n && (*p == 'x' || *p == 'X') && p[1] ? p + 1 + strspn(p + 1, " ") : NULL;
}

bool lookup_gpu(struct request_context *context, const char *parameter, const char *slug,
                const struct gpu **gpu, struct err *err)
{
    struct choice choice;

    *gpu = catalog_gpu(context->catalog, slug);
    if (*gpu)
        return true;
    if (strchr(slug, ',') && fields_find(context->inputs.fields, parameter))
        return err_add(err, parameter, slug, "several_names",
                       "takes one GPU, and several are given: ask once for each%s",
                       is_required(context, parameter) ? "" : ", or without it for all");
    const char *counted = behind_count(slug);
    choice.n = catalog_gpus_alike(context->catalog, counted ? counted : slug, choice.names);
    if (counted && catalog_gpu(context->catalog, counted))
        choice = (struct choice){{counted}, 1};
    if (counted && choice.n && fields_find(context->inputs.fields, "gpu_count"))
        return err_add(err, parameter, slug, "unknown_name",
                       "takes the GPU alone: send %s=%s%s and gpu_count=%.*s", parameter,
                       print_choice(context->arena, &choice), choice.n > 1 ? " (one of them)" : "",
                       (int)strspn(slug, "0123456789"), slug);
    return unknown_name(context, parameter, "GPU", slug, &choice, err);
}

const char *lookup_gpu_slug(struct request_context *context, const char *typed)
{
    const struct gpu *gpu = catalog_gpu_meant(context->catalog, typed);

    return gpu ? gpu->slug : typed;
}

void lookup_gpu_slugs(struct request_context *context)
{
    const struct fields fields = context->inputs.fields;

    for (size_t i = 0; i < fields.n; i++) {
        const struct field *field = &fields.at[i];
        size_t skip = field->length < 3 ? 0 : field->length - 3;
        if (field->type != FIELD_TEXT || strcmp(field->name + skip, "gpu") != 0)
            continue;
        const char *text = field_text(field, context->inputs.values), *slugs = "";
        if (!text)
            continue;
        for (size_t n; *text; text += n + (text[n] == ',')) {
            n = strcspn(text, ",");
            slugs = arena_print(
                context->arena, "%s%s%s", slugs, *slugs ? "," : "",
                lookup_gpu_slug(context, arena_print(context->arena, "%.*s", (int)n, text)));
        }
        field_set_text(field, context->inputs.values, slugs);
    }
}

static bool typical_model(struct request_context *context, double parameters,
                          const struct model **model)
{
    struct model *typical = arena_alloc(context->arena, sizeof(*typical));

    model_shape_typical(parameters, typical);
    *model = typical;
    context_warn(context, "typical_shape",
                 "only the number of parameters was given: a typical dense shape of %.0f layers "
                 "of width %.0f is assumed; for the exact shape name a model or send its "
                 "config.json",
                 typical->n_layers, typical->hidden);
    return true;
}

bool lookup_model_named(struct request_context *context, const char *parameter, const char *typed,
                        const struct model **model, struct err *err)
{
    struct choice choice;
    bool tuned;

    *model = catalog_model_meant(context->catalog, typed, &tuned);
    if (*model && tuned)
        context_warn(context, "model_tuning",
                     "the catalogue has no %s: the shape of %s is used, which tuning does not "
                     "change",
                     typed, (*model)->slug);
    if (*model)
        return true;
    choice.n = catalog_models_alike(context->catalog, typed, choice.names);
    return unknown_name(context, parameter, "model", typed, &choice, err);
}

bool lookup_model(struct request_context *context, const char *slug, double parameters,
                  const struct model **model, struct err *err)
{
    int given = (slug != NULL) + !isnan(parameters) + (context->model_config != NULL);

    if (given != 1)
        return err_add(err, "model", slug ? slug : "",
                       given ? "contradiction" : "missing_parameter",
                       given ? "give only one of model, parameters and model_config"
                             : "is required: a model from /v1/models, or parameters, or, in a "
                               "POST, model_config");
    if (context->model_config) {
        *model = context->model_config;
        if (context->model_config->note)
            context_warn(context, "model_config", "%s", context->model_config->note);
        return true;
    }
    if (!slug)
        return typical_model(context, parameters, model);
    return lookup_model_named(context, "model", slug, model, err);
}

static const char *name_given(const struct request_context *context, const char *name)
{
    const struct field *field = fields_find(context->inputs.fields, name);
    const char *text =
        field && field_is_text(field) ? field_text(field, context->inputs.values) : NULL;

    return text && text[0] ? text : NULL;
}

static bool is_refused(const struct err *err, const char *name)
{
    for (size_t i = 0; i < err->n_culprits; i++)
        if (strcmp(err->culprits[i].field, name) == 0)
            return true;
    return false;
}

/* Refuse the model if it is unknown or, where every question is about one, missing. */
static bool check_model(struct request_context *context, struct err *err)
{
    const struct field *parameters = fields_find(context->inputs.fields, "parameters");
    const char *typed = name_given(context, "model");
    const struct model *model;
    bool tuned;

    if (is_refused(err, "model") || is_refused(err, "parameters"))
        return true;
    if (typed)
        return catalog_model_meant(context->catalog, typed, &tuned) ||
               lookup_model_named(context, "model", typed, &model, err);
    return !context->resource->needs_model || context->model_config || !parameters ||
           !isnan(field_number(parameters, context->inputs.values)) ||
           lookup_model(context, NULL, (double)NAN, &model, err);
}

bool lookup_names(struct request_context *context, struct err *err)
{
    const char *gpus = is_refused(err, "gpu") ? NULL : name_given(context, "gpu");
    const char *provider = name_given(context, "provider");
    const struct gpu *gpu;
    const char *typed;
    bool good = true;

    while ((typed = arena_next_item(context->arena, &gpus)))
        good = (!typed[0] || lookup_gpu(context, "gpu", typed, &gpu, err)) && good;
    good = check_model(context, err) && good;
    return (!provider || is_refused(err, "provider") ||
            lookup_check_provider(context, "provider", provider, err)) &&
           good;
}

/* Countries as people also call them. */
static const struct {
    const char *name, *letters;
} called_too[] = {{"UK", "GB"},      {"Great Britain", "GB"},
                  {"Britain", "GB"}, {"England", "GB"},
                  {"USA", "US"},     {"U.S.", "US"},
                  {"America", "US"}, {"Holland", "NL"},
                  {"Korea", "KR"},   {"Republic of Korea", "KR"},
                  {"UAE", "AE"},     {"Emirates", "AE"},
                  {"Czechia", "CZ"}, {"Turkey", "TR"}};

const char *lookup_country(const struct request_context *context, const char *name)
{
    const struct catalog *catalog = context->catalog;

    for (size_t i = 0; i < sizeof(called_too) / sizeof(called_too[0]); i++)
        if (strcasecmp(called_too[i].name, name) == 0)
            return called_too[i].letters;
    for (size_t i = 0; i < catalog->n_assumptions; i++) {
        const struct assumption *row = &catalog->assumptions[i];
        const char *called = strrchr(row->applies_to, ';');
        if (strcmp(row->key, "grid_carbon_g_per_kwh") != 0 || !called ||
            strcasecmp(called + strspn(called, "; "), name) != 0)
            continue;
        char *letters = arena_alloc(context->arena, strlen(row->scope) + 1);
        for (size_t k = 0; row->scope[k]; k++)
            letters[k] = (char)toupper((unsigned char)row->scope[k]);
        return letters;
    }
    return NULL;
}

bool lookup_region(struct request_context *context, const char *region)
{
    if (!region || !region[0] || region_is_known(context->catalog, region))
        return true;
    const char *country = lookup_country(context, region);
    context_warn(context, "no_price",
                 "no offer is in a region called %s%s%s: write a region as its provider does "
                 "(/v1/offers lists them), a country as its two letters, such as DE, or europe, "
                 "eu, us or asia",
                 region, country ? "; did you mean " : "", country ? country : "");
    return false;
}

void lookup_check_country(struct request_context *context, const char *country, struct err *err)
{
    const char *letters = country ? lookup_country(context, country) : NULL;

    if (country && (strlen(country) != 2 || !isalpha((unsigned char)country[0]) ||
                    !isalpha((unsigned char)country[1])))
        context_refuse(context, err, "country", "unknown_name",
                       "is not the two-letter code of a country, such as %s",
                       letters ? letters : "DE");
}

bool lookup_check_provider(struct request_context *context, const char *parameter,
                           const char *provider, struct err *err)
{
    for (size_t i = 0; i < context->catalog->n_providers; i++)
        if (text_in_list(provider, context->catalog->providers[i].slug))
            return true;
    for (size_t i = 0; i < context->catalog->n_quoted; i++)
        if (text_in_list(provider, context->catalog->quoted[i]->provider))
            return true;
    const char *nearest = catalog_nearest_provider(context->catalog, provider);
    return context_refuse(context, err, parameter, "unknown_name", "no provider has that name%s%s",
                          nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static bool check_discount(struct request_context *context, const char *before, const char *item,
                           struct err *err)
{
    const char *colon = strchr(item, ':');
    double discount;

    if (!colon || !text_number(colon + 1, &discount) || !(discount >= 0 && discount <= 1))
        return context_refuse(context, err, "provider_discounts", "not_a_list",
                              "must be providers and ratios from 0 to 1, such as aws:0.3; %s is "
                              "not",
                              item);
    const char *provider = arena_print(context->arena, "%.*s", (int)(colon - item), item);
    if (!isnan(text_figure_in_list(before, provider)))
        return context_refuse(context, err, "provider_discounts", "contradiction", "names %s twice",
                              provider);
    return lookup_check_provider(context, "provider_discounts", provider, err);
}

bool lookup_check_discounts(struct request_context *context, const char *list, struct err *err)
{
    bool good = true;

    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ",");
        const char *before = arena_print(context->arena, "%.*s", (int)(p - list), list);
        const char *item = arena_print(context->arena, "%.*s", (int)n, p);
        good = check_discount(context, before, item, err) && good;
        p += n + (p[n] == ',');
    }
    return good;
}

/* What vendors, engines and clouds call our choices. */
static const struct {
    const char *elsewhere, *here;
} choices_elsewhere[] = {
    {"nvfp4 mxfp4 fp4_e2m1 e2m1", "fp4"},
    {"mxfp8 fp8_e4m3 fp8_e5m2 e4m3 e5m2 float8", "fp8"},
    {"awq gptq w4a16 4bit 4_bit", "int4"},
    {"w8a8 smoothquant 8bit 8_bit", "int8"},
    {"half float16 16bit", "fp16"},
    {"bfloat16", "bf16"},
    {"float32 float single", "fp32"},
    {"gguf q4 q4_k q4_k_s q4_0 q4_1 q4_k_xl ud_q4_k_xl iq4_xs iq4_nl", "q4_k_m"},
    {"q5 q5_k q5_k_s q5_0 q5_1 q5_k_xl", "q5_k_m"},
    {"q3 q3_k q3_k_s q3_k_l iq3_s iq3_m", "q3_k_m"},
    {"q8 q8_0", "int8"}, /* llama.cpp's formats of a KV cache */
    {"q4 q4_0", "int4"},
    {"trt trtllm trt_llm tensorrt", "tensorrt_llm"},
    {"llama.cpp llamacpp llama_server ollama lmstudio lm_studio koboldcpp ik_llama.cpp",
     "llama_cpp"},
    {"gpt_fast exllama exllamav2 exllamav3 mlc mlc_llm tinychat lmdeploy turbomind optimum_habana",
     "compiled"},
    {"atom tgi text_generation_inference deepspeed_mii vllm_ascend vllm_gaudi", "vllm"},
    {"mindie", "unspecified"},
    {"nemo mcore megatron_lm megatron_bridge", "megatron"},
    {"torchtitan fsdp2 pytorch", "fsdp"},
    {"maxtext", "jax"},
    {"sft full_finetuning finetune", "full"},
    {"on_premises on_premise on_prem onprem own own_site local", "own_room"},
    {"buy bought purchase purchased own on_premises on_prem capex", "owned"},
    {"on_demand ondemand payg pay_as_you_go rent rented hourly", "on_demand"},
    {"preemptible interruptible", "spot"},
    {"reserved committed 1yr 1y one_year", "reserved_1yr"},
    {"3yr 3y three_years", "reserved_3yr"},
};

const char *lookup_choice_meant(const char *choices, const char *typed)
{
    enum { NAME_MAX_SIZE = 32 };
    char name[NAME_MAX_SIZE];
    size_t n = 0;

    for (; n < NAME_MAX_SIZE - 1 && typed[n]; n++)
        name[n] =
            (char)(typed[n] == '-' || typed[n] == ' ' ? '_' : tolower((unsigned char)typed[n]));
    name[n] = '\0';
    for (size_t i = 0; i < sizeof(choices_elsewhere) / sizeof(choices_elsewhere[0]); i++)
        if (spelling_is_called(name, choices_elsewhere[i].elsewhere, true) &&
            text_in_words(choices, choices_elsewhere[i].here))
            return choices_elsewhere[i].here;
    return NULL;
}

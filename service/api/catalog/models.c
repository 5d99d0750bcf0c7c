/* models.c - /v1/models and /v1/models/{model}: the shapes of language models; a posted config.json
 * is answered as one. */
#include "api/routes/resources.h"

#include "base/spelling.h"
#include "base/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define TABLE models_in
#define TABLE_FILE "api/catalog/models_in.def"
#include "base/field/table.h"

#define TABLE model_row
#define TABLE_FILE "api/catalog/model_row.def"
#include "base/field/table.h"

static void fill(struct model_row *row, const struct model *model)
{
    row->model = model->slug;
    row->name = model->name;
    row->aliases = text_given(model->aliases);
    row->hf_id = text_given(model->hf_id);
    row->model_type = text_given(model->model_type);
    row->attention = model->attention;
    row->sliding_pattern = text_given(model->sliding_pattern);
    row->note = text_given(model->note);
    row->source = model->source;
    row->source_date = text_given(model->source_date);

    row->parameters = model->params_total;
    row->active_parameters = model->params_active;
    row->frozen_parameters = model->params_frozen;
    row->kv_cache_bytes_per_token = model->kv_bytes_per_token_bf16;
    row->layer_count = model->n_layers;
    row->hidden_size = model->hidden;
    row->head_count = model->n_heads;
    row->kv_head_count = model->n_kv_heads;
    row->head_dim = model->head_dim;
    row->intermediate_size = model->intermediate;
    row->gated_ffn = model->gated;
    row->vocabulary_size = model->vocab;
    row->tied_embeddings = model->tied;
    row->max_position_tokens = model->max_position > 0 ? model->max_position : (double)NAN;
    row->all_reduces_per_layer = model->n_all_reduces;

    row->expert_count = model->n_experts;
    row->experts_per_token = model->top_k;
    row->shared_expert_count = model->n_shared_experts;
    row->expert_intermediate_size = model->moe_intermediate;
    row->expert_layer_count = model->n_moe_layers;
    row->expert_latent_size = model->moe_latent;
    row->first_dense_layer_count = model->first_dense_layers;
    row->dense_layer_count = model->n_dense_layers;

    row->q_lora_rank = model->q_lora_rank;
    row->kv_lora_rank = model->kv_lora_rank;
    row->qk_nope_head_dim = model->qk_nope_head_dim;
    row->qk_rope_head_dim = model->qk_rope_head_dim;
    row->v_head_dim = model->v_head_dim;
    row->full_layer_count = model->n_full_layers;
    row->sliding_layer_count = model->n_sliding_layers;
    row->linear_layer_count = model->n_linear_layers;
    row->sliding_window_tokens = model->sliding_window;
    row->linear_state_elements = model->linear_state_elements;
    row->index_head_count = model->n_index_heads;
    row->index_head_dim = model->index_head_dim;
    row->index_top_k_tokens = model->index_top_k;
    row->recurrent_state_dtype = text_given(model->recurrent_state_dtype);
    row->encoder = model->encoder;
    row->reads_only = model->reads_only;
    row->native_dtype = text_given(model->native_dtype);
    row->native_attention_bytes_per_parameter = model->native_attention_bytes;
    row->native_ffn_bytes_per_parameter = model->native_ffn_bytes;
    row->native_expert_bytes_per_parameter = model->native_expert_bytes;
    row->native_embedding_bytes_per_parameter = model->native_embedding_bytes;
    row->scale_block_size = model->scale_block_size;
    row->scale_bytes = model->scale_bytes;
}

static bool contains(const struct model *model, const char *q)
{
    return strcasestr(model->slug, q) || strcasestr(model->name, q) ||
           (model->hf_id && strcasestr(model->hf_id, q)) ||
           (model->aliases && strcasestr(model->aliases, q));
}

static bool wanted(const struct models_in *in, const struct model *model)
{
    return (!in->q || contains(model, in->q)) &&
           (!in->model_type || strcasecmp(in->model_type, model->model_type) == 0) &&
           (!in->attention || strcmp(in->attention, model->attention) == 0) &&
           (isnan(in->mixture_of_experts) ||
            (in->mixture_of_experts == 1) == model_is_moe(model)) &&
           !(model->params_total < in->min_parameters) &&
           !(model->params_total > in->max_parameters) &&
           !(model->max_position < in->min_max_position_tokens);
}

/* Refuse an architecture that no model has, rather than answering with an empty list. */
static bool check_model_type(struct request_context *context, const char *typed, struct err *err)
{
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; typed && i < context->catalog->n_models; i++)
        spelling_try(&near, context->catalog->models[i].model_type);
    if (!typed || near.distance == 0)
        return true;
    const char *best = spelling_meant(&near);
    return context_refuse(context, err, "model_type", "unknown_name",
                          "no model is of that type%s%s%s", best ? "; did you mean " : "",
                          best ? best : "", best ? "?" : "");
}

static bool answer_models(struct request_context *context, void *input, struct err *err)
{
    const struct models_in *in = input;
    const struct catalog *catalog = context->catalog;
    struct model_row *rows = arena_alloc(context->arena, catalog->n_models * sizeof(*rows));
    size_t n = 0;

    check_model_type(context, in->model_type, err);
    if (in->min_parameters > in->max_parameters)
        context_refuse(context, err, "max_parameters", "contradiction",
                       "is less than min_parameters");
    if (err->n_culprits)
        return false;
    for (size_t i = 0; i < catalog->n_models; i++)
        if (wanted(in, &catalog->models[i]))
            fill(&rows[n++], &catalog->models[i]);
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource models_resource = {
    .name = "models",
    .headline = "model",
    .summary = "The language models in the catalogue",
    .in = &models_in_fields,
    .in_size = sizeof(struct models_in),
    .tables = {{"rows", "model", &model_row_fields, NULL, "One model each"}},
    .answer = answer_models,
};

static bool answer_model(struct request_context *context, void *input, struct err *err)
{
    struct model_row *row = arena_alloc(context->arena, sizeof(*row));
    const struct model *model;

    (void)input;
    if (!lookup_model(context, context->path_name, (double)NAN, &model, err))
        return false;
    fill(row, model);
    context_values(context, row);
    return true;
}

/* Its only input is the name, or the body. */
static const struct fields no_fields = {0};

const struct resource model_resource = {
    .name = "model",
    .headline = "parameters",
    .summary = "One language model: shape, parameters, KV cache per token",
    .in = &no_fields,
    .out = &model_row_fields,
    .body_is_model = true,
    .answer = answer_model,
};

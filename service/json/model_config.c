#include "json/model_config.h"

#include "json/layers.h"
#include "json/weights.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The largest open models have 1e12 weights; beyond this something is mistyped. */
static const double PARAMS_MAX_SANE = 1e15;

static double known(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static bool refuse(const struct config *config, const char *name, const char *sentence)
{
    return member_refuse(&config->place, name, NULL, "contradiction", "%s", sentence);
}

/* Layers that keep a state instead of keys and values, and encoders, are no decoders we count. */
static bool check_kind(const struct config *config)
{
    const char *name;
    const json_t *state = member_find(
        &config->place,
        "ssm_state_size state_size mamba_d_state mamba_d_ssm hybrid_override_pattern", &name);

    if (state)
        return member_refuse(&config->place, name, state, "unknown_choice",
                             "state-space layers cannot be counted here");
    if (config->encoder_decoder == 1)
        return member_refuse(&config->place, "is_encoder_decoder", NULL, "unknown_choice",
                             "only decoders can be counted here");
    return true;
}

static bool set_heads(const struct config *config, struct model *m)
{
    bool one = config->multi_query == 1 && config->new_falcon != 1;

    m->n_heads = config->n_heads;
    m->n_kv_heads = one ? 1 : known(config->n_kv_heads, m->n_heads);
    m->head_dim = known(config->head_dim, config->hidden / m->n_heads);
    if (m->kv_lora_rank > 0)
        m->head_dim = m->qk_nope_head_dim;
    if (m->head_dim != floor(m->head_dim))
        return refuse(config, "num_attention_heads",
                      "must divide hidden_size where head_dim is not given");
    if (fmod(m->n_heads, m->n_kv_heads) != 0)
        return refuse(config, "num_key_value_heads", "must divide num_attention_heads");
    m->attention = m->kv_lora_rank > 0           ? "MLA"
                   : m->n_kv_heads == m->n_heads ? "MHA"
                   : m->n_kv_heads == 1          ? "MQA"
                                                 : "GQA";
    return true;
}

static bool set_latent(const struct config *config, struct model *m)
{
    m->q_lora_rank = known(config->q_lora_rank, 0);
    m->kv_lora_rank = known(config->kv_lora_rank, 0);
    m->v_head_dim = known(config->v_head_dim, 0);
    if (m->kv_lora_rank <= 0)
        return true;
    m->qk_nope_head_dim = known(config->qk_nope_head_dim, 0);
    m->qk_rope_head_dim = known(config->qk_rope_head_dim, 0);
    if (m->qk_nope_head_dim <= 0)
        return refuse(config, "qk_nope_head_dim", "must be given beside kv_lora_rank");
    if (isnan(config->qk_rope_head_dim))
        return refuse(config, "qk_rope_head_dim", "must be given beside kv_lora_rank");
    if (m->v_head_dim <= 0)
        return refuse(config, "v_head_dim", "must be given beside kv_lora_rank");
    return true;
}

static double shared_experts(const struct config *config, double width)
{
    if (config_has(config, SHARED_EXPERT))
        return 1;
    if (config->shared_width > 0)
        return config->shared_width / width;
    return known(config->n_shared, 0);
}

static bool set_experts(const struct config *config, struct model *m)
{
    if (!(config->n_experts > 0) || config->experts_on == 0)
        return true;
    m->n_experts = config->n_experts;
    m->top_k = known(config->top_k, 0);
    m->moe_intermediate =
        config->expert_width > 0 ? config->expert_width : known(config->plain_width, 0);
    if (m->top_k < 1 || m->top_k > m->n_experts)
        return refuse(config, "num_experts_per_tok",
                      "must be from 1 to the number of experts, which is given");
    if (m->moe_intermediate < 1)
        return refuse(config, "moe_intermediate_size", "is missing: there are experts");
    m->n_shared_experts = shared_experts(config, m->moe_intermediate);
    return true;
}

/* Four times the width where neither FFN nor experts have a size of their own, as GPT-2 has it. */
static void set_ffn(const struct config *config, struct model *m)
{
    double usual = m->n_experts > 0 ? 0 : known(config->expansion, 4) * m->hidden;

    m->intermediate = known(config->intermediate, usual);
    if (config_has(config, HALF_WIDTH))
        m->intermediate = floor(m->intermediate / 2);
    m->gated = !config_has(config, PLAIN_FFN);
    m->n_all_reduces = config_has(config, PARALLEL) ? 1 : 2;
}

static bool check_linear(const struct config *config, const struct layers *layers)
{
    static const char *const names[] = {"linear_num_key_heads", "linear_num_value_heads",
                                        "linear_key_head_dim", "linear_value_head_dim",
                                        "linear_conv_kernel_dim"};
    const double values[] = {config->linear_key_heads, config->linear_value_heads,
                             config->linear_key_dim, config->linear_value_dim,
                             config->linear_kernel};
    bool good = true;

    for (size_t i = 0; layers->linear > 0 && i < 5; i++)
        if (isnan(values[i]))
            good = member_refuse(&config->place, names[i], NULL, "missing_parameter",
                                 "is missing: there are layers with linear attention");
    return good;
}

static void set_layers(const struct config *config, const struct layers *layers, struct model *m)
{
    m->n_full_layers = layers->full;
    m->n_sliding_layers = layers->sliding;
    m->n_linear_layers = layers->linear;
    m->sliding_window = layers->sliding > 0 ? layers->window : 0;
    m->n_moe_layers = layers->experts;
    m->first_dense_layers = layers->experts > 0 ? layers->dense_first : 0;
    if (layers->sliding > 0)
        m->sliding_pattern = arena_print(config->place.arena, "%.0f of %.0f layers sliding",
                                         layers->sliding, m->n_layers);
}

/* A model without experts in any layer has none; one with a dense layer needs its width. */
static bool check_ffn(const struct config *config, const struct model *m)
{
    if (m->n_experts > 0 && m->n_moe_layers <= 0)
        return refuse(config, "num_experts", "there are experts, but no layer has them");
    if (m->intermediate <= 0 && m->n_moe_layers < m->n_layers)
        return refuse(config, "intermediate_size", "is missing: some layers have no experts");
    return true;
}

static const char *slug_of(const char *name, struct arena *arena)
{
    char *slug = arena_alloc(arena, strlen(name) + 1);

    for (size_t i = 0; name[i]; i++) {
        bool plain = isalnum((unsigned char)name[i]) || name[i] == '.';
        slug[i] = plain ? (char)tolower((unsigned char)name[i]) : '-';
    }
    return slug;
}

/* The config's own path on the hub, where it still bears one: owner/name. */
static void set_names(const struct config *config, struct model *m)
{
    const char *path = config->name && config->name[0] ? config->name : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;

    m->model_type = config->type ? config->type : "";
    m->name = slash && slash[1] ? slash + 1 : path ? path : m->model_type;
    if (!m->name[0])
        m->name = "config.json";
    m->slug = slug_of(m->name, config->place.arena);
    m->hf_id = slash && slash != path && strchr(path, '/') == slash && path[0] != '.' ? path : "";
    m->source = "the config.json that was sent";
}

static void add_note(struct model *m, struct arena *arena, const char *sentence)
{
    m->note = m->note ? arena_print(arena, "%s; %s", m->note, sentence) : sentence;
}

static void set_notes(const struct config *config, struct model *m)
{
    struct arena *arena = config->place.arena;
    const char *name;

    if (!config->family)
        add_note(m, arena,
                 arena_print(arena,
                             "model_type %s is not known here: counted as a decoder without biases "
                             "and with gated FFNs, as Llama is",
                             config->type ? config->type : "is missing and"));
    if (config->multimodal)
        add_note(m, arena, "text model only: the vision or audio tower is not counted");
    if (member_find(&config->place, "index_n_heads index_topk", &name))
        add_note(m, arena, "the indexer of sparse attention is not counted");
    if (config->predict_layers > 0)
        add_note(m, arena, "layers that predict further tokens are not counted");
    if (config->embeddings_per_layer > 0)
        add_note(m, arena, "embeddings per layer are not counted");
}

static bool check_total(const struct config *config, const struct model *m)
{
    if (m->params_total <= PARAMS_MAX_SANE)
        return true;
    return err_add(config->place.err, config->place.pointer, "", "out_of_range",
                   "these sizes make %.3g parameters, more than any model has", m->params_total);
}

static bool fill(const struct config *config, struct model *m)
{
    struct layers layers;

    m->n_layers = config->n_layers;
    m->hidden = config->hidden;
    m->vocab = config->vocab;
    m->max_position = known(config->max_position, 0);
    m->tied = known(config->tied, config_has(config, TIED)) != 0;
    if (!set_latent(config, m) || !set_heads(config, m) || !set_experts(config, m))
        return false;
    set_ffn(config, m);
    if (!layers_count(config, m->n_kv_heads, m->head_dim, &layers) ||
        !check_linear(config, &layers))
        return false;
    set_layers(config, &layers, m);
    if (!check_ffn(config, m))
        return false;
    weights_count(config, &layers, m);
    return check_total(config, m);
}

bool model_config_read(const struct place *place, const struct model **model)
{
    struct model *m = arena_alloc(place->arena, sizeof(*m));
    struct config config;

    if (!config_read(place, &config) || !check_kind(&config) || !fill(&config, m))
        return false;
    set_names(&config, m);
    set_notes(&config, m);
    *model = m;
    return true;
}

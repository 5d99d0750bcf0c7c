#include "json/model_config.h"

#include "base/number.h"
#include "json/layers.h"
#include "json/native_format.h"
#include "json/recurrent_state.h"
#include "json/tower.h"
#include "json/weights.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The largest open models have 1e12 weights; far above that the config has an error. */
static const double PARAMS_MAX_SANE = 1e15;

static bool refuse(const struct config *config, const char *name, const char *sentence)
{
    return json_member_refuse(&config->place, name, NULL, "contradiction", "%s", sentence);
}

/* Layers with a state instead of keys and values, and encoders, are not supported decoders. */
static bool check_kind(const struct config *config)
{
    static const char states[] = "ssm_state_size state_size mamba_d_state mamba_d_ssm "
                                 "hybrid_override_pattern layers_block_type";
    const char *name;
    bool hybrid = config->family && config->family->mixer != GATED_DELTA;
    const json_t *state = hybrid ? NULL : json_member_find(&config->place, states, &name);
    const json_t *uneven = json_member_find(&config->place, "block_configs", &name);

    if (uneven)
        return json_member_refuse(&config->place, name, uneven, "unknown_choice",
                                  "layers of different sizes cannot be counted here");
    if (config->embeddings_per_layer > 0 || config->shared_caches > 0)
        return json_member_refuse(&config->place,
                                  config->shared_caches > 0 ? "num_kv_shared_layers"
                                                            : "hidden_size_per_layer_input",
                                  NULL, "unknown_choice",
                                  "layers with embeddings of their own or the keys of other layers "
                                  "cannot be counted here");
    if (state)
        return json_member_refuse(&config->place, name, state, "unknown_choice",
                                  "state-space layers cannot be counted here");
    if (config->encoder_decoder == 1)
        return json_member_refuse(&config->place, "is_encoder_decoder", NULL, "unknown_choice",
                                  "only decoders can be counted here");
    return true;
}

static bool set_heads(const struct config *config, struct model *m)
{
    bool single = config->multi_query == 1 && config->new_falcon != 1; /* one key-value head */

    m->n_heads = config->n_heads;
    m->n_kv_heads = single ? 1 : number_or(config->n_kv_heads, m->n_heads);
    m->head_dim = number_or(config->head_dim, config->hidden / m->n_heads);
    if (m->kv_lora_rank > 0)
        m->head_dim = m->qk_nope_head_dim;
    if (m->head_dim != floor(m->head_dim))
        return refuse(config, "num_attention_heads",
                      "must divide hidden_size if head_dim is not given");
    if (fmod(m->n_heads, m->n_kv_heads) != 0)
        return refuse(config, "num_key_value_heads", "must divide num_attention_heads");
    m->attention = m->kv_lora_rank > 0           ? "MLA"
                   : m->n_kv_heads == m->n_heads ? "MHA"
                   : m->n_kv_heads == 1          ? "MQA"
                                                 : "GQA";
    return true;
}

/* The ranks and head sizes of multi-head latent attention. */
static bool set_latent(const struct config *config, struct model *m)
{
    static const char sentence[] = "must be given together with kv_lora_rank";

    m->q_lora_rank = number_or(config->q_lora_rank, 0);
    m->kv_lora_rank = number_or(config->kv_lora_rank, 0);
    m->v_head_dim = number_or(config->v_head_dim, 0);
    if (m->kv_lora_rank <= 0)
        return true;
    m->qk_nope_head_dim = number_or(config->qk_nope_head_dim, 0);
    m->qk_rope_head_dim = number_or(config->qk_rope_head_dim, 0);
    if (m->qk_nope_head_dim <= 0)
        return refuse(config, "qk_nope_head_dim", sentence);
    if (isnan(config->qk_rope_head_dim))
        return refuse(config, "qk_rope_head_dim", sentence);
    if (m->v_head_dim <= 0)
        return refuse(config, "v_head_dim", sentence);
    return true;
}

static double shared_experts(const struct config *config, double width)
{
    if (config_has(config, SHARED_EXPERT))
        return 1;
    if (config->shared_width > 0)
        return config->shared_width / width;
    return number_or(config->n_shared, 0);
}

static bool set_experts(const struct config *config, struct model *m)
{
    if (!(config->n_experts > 0) || config->experts_on == 0)
        return true;
    m->n_experts = config->n_experts;
    m->top_k = number_or(config->top_k, 0);
    m->moe_intermediate =
        config->expert_width > 0 ? config->expert_width : number_or(config->plain_width, 0);
    if (m->top_k < 1 || m->top_k > m->n_experts)
        return refuse(config, "num_experts_per_tok",
                      "must be from 1 to the number of experts, which is given");
    if (m->moe_intermediate < 1)
        return refuse(config, "moe_intermediate_size", "is required with experts");
    m->moe_latent = number_or(config->moe_latent, 0);
    m->n_shared_experts = shared_experts(config, m->moe_intermediate);
    return true;
}

/* Without a stated size, an FFN is four times as wide as the model, as in GPT-2; a model of experts
 * then has no dense FFN. */
static void set_ffn(const struct config *config, struct model *m)
{
    double usual = m->n_experts > 0 ? 0 : number_or(config->expansion, 4) * m->hidden;

    m->intermediate = number_or(config->intermediate, usual);
    if (m->n_experts <= 0 &&
        config->shared_width > 0) /* Granite 4: the shared expert is the only one */
        m->intermediate = config->shared_width;
    if (config_has(config, HALF_WIDTH))
        m->intermediate = floor(m->intermediate / 2);
    m->gated = !config_has(config, PLAIN_FFN);
    m->n_all_reduces = config_has(config, PARALLEL) ? 1 : 2;
}

/* Refuse a config with layers without softmax attention that lacks one of their sizes. */
static bool check_linear(const struct config *config, const struct layers *layers)
{
    const struct {
        const char *name;
        double value;
        unsigned mixers;
    } needed[] = {
        {"linear_num_key_heads", config->linear_key_heads, 1 << GATED_DELTA},
        {"linear_num_value_heads", config->linear_value_heads, 1 << GATED_DELTA},
        {"linear_key_head_dim", config->linear_key_dim, 1 << GATED_DELTA},
        {"linear_value_head_dim", config->linear_value_dim, 1 << GATED_DELTA},
        {"linear_conv_kernel_dim", config->linear_kernel, 1 << GATED_DELTA},
        {"mamba_expand", config->state_expand, 1 << MAMBA_1},
        {"ssm_state_size", config->state_size, 1 << MAMBA_1 | 1 << MAMBA_2},
        {"conv_kernel", config->state_kernel, 1 << MAMBA_1 | 1 << MAMBA_2},
        {"mamba_num_heads", config->state_heads, 1 << MAMBA_2},
        {"mamba_head_dim", config->state_head_dim, 1 << MAMBA_2},
        {"n_groups", config->state_groups, 1 << MAMBA_2},
    };
    enum mixer mixer = config->family ? config->family->mixer : GATED_DELTA;
    bool good = true;

    for (size_t i = 0; layers->linear > 0 && i < sizeof(needed) / sizeof(needed[0]); i++)
        if (needed[i].mixers & 1U << mixer && isnan(needed[i].value))
            good = json_member_refuse(&config->place, needed[i].name, NULL, "missing_parameter",
                                      "is required with layers without softmax attention");
    return good;
}

static void set_layers(const struct config *config, const struct layers *layers, struct model *m)
{
    m->n_full_layers = layers->full;
    m->n_sliding_layers = layers->sliding;
    m->n_linear_layers = layers->linear;
    m->linear_state_elements = layers->linear > 0 ? recurrent_state_elements(config, m) : 0;
    m->sliding_window = layers->sliding > 0 ? layers->window : 0;
    m->n_moe_layers = layers->experts;
    m->first_dense_layers = layers->experts > 0 ? layers->dense_first : 0;
    if (config_has(config, SINGLE_BLOCKS)) {
        m->n_dense_layers = layers->dense;
        m->intermediate = layers->dense > 0 ? m->intermediate : 0;
    }
    if (layers->sliding > 0)
        m->sliding_pattern = arena_print(config->place.arena, "%.0f of %.0f layers sliding",
                                         layers->sliding, m->n_layers);
}

/* Checks that the experts are used in some layer, and that dense layers have a width. */
static bool check_ffn(const struct config *config, const struct layers *layers,
                      const struct model *m)
{
    if (m->n_experts > 0 && m->n_moe_layers <= 0)
        return refuse(config, "num_experts", "there are experts, but no layer has them");
    if (m->intermediate <= 0 && layers->dense > 0)
        return refuse(config, "intermediate_size", "is required if some layers have no experts");
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

/* The names of the model; hf_id is the config's own path on the hub if it has the form owner/name.
 */
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

/* Note what of the vision and audio encoders is counted. */
static void note_tower(const struct config *config, const struct tower *tower, struct model *m)
{
    struct arena *arena = config->place.arena;
    const char *name;

    if (tower->weights > 0)
        add_note(m, arena,
                 arena_print(arena,
                             "parameters are those of the text model; its vision tower and "
                             "projector, %s%.0f weights, count as frozen: in memory, not trained",
                             tower->guessed ? "estimated at " : "", tower->weights));
    else if (tower->there)
        add_note(m, arena,
                 "text model only: the vision tower is not counted, as the config does not state "
                 "its sizes");
    if (json_member_find(&config->outer, "audio_config thinker_config/audio_config", &name))
        add_note(m, arena, "text model only: the audio tower is not counted");
}

/* Note a quantisation whose format is not known here. */
static void note_format(const struct config *config, struct model *m)
{
    static const char NAME[] = "quantization_config";
    const char *name;
    const json_t *quantization = json_member_find(&config->place, NAME, &name);

    if (!quantization)
        quantization = json_member_find(&config->outer, NAME, &name);
    if (!json_is_object(quantization) || m->native_dtype)
        return;
    const char *method = json_string_value(json_object_get(quantization, "quant_method"));
    add_note(m, config->place.arena,
             arena_print(config->place.arena,
                         "the format of its quantization_config%s%.40s is unknown here: 16 bit is "
                         "assumed unless weight_dtype or bytes_per_weight is given",
                         method ? ", " : "", method ? method : ""));
}

static void set_notes(const struct config *config, const struct tower *tower, struct model *m)
{
    struct arena *arena = config->place.arena;
    const char *name;

    if (!config->family)
        add_note(m, arena,
                 arena_print(arena,
                             "model_type %s is unknown: counted as a decoder without biases and "
                             "with gated FFNs, as Llama is",
                             config->type ? config->type : "is missing and"));
    if (config->defaults)
        add_note(m, arena, "sizes missing from its text_config are the defaults of its class");
    if (config->cross_layers)
        add_note(m, arena,
                 arena_print(arena, "%zu of the layers attend to images, not to the text",
                             json_array_size(config->cross_layers)));
    note_tower(config, tower, m);
    note_format(config, m);
    if (json_member_find(&config->place, "index_n_heads index_topk", &name))
        add_note(m, arena, "the indexer of sparse attention is not counted");
    if (config->predict_layers > 0)
        add_note(m, arena, "layers that predict further tokens are not counted");
}

/* The indexer of sparse attention; its sizes mean something only together. */
static void set_indexer(const struct config *config, struct model *m)
{
    if (!(config->index_heads > 0 && config->index_head_dim > 0 && config->index_top_k > 0))
        return;
    m->n_index_heads = config->index_heads;
    m->index_head_dim = config->index_head_dim;
    m->index_top_k = config->index_top_k;
}

static bool check_total(const struct config *config, const struct model *m)
{
    double all = m->params_total + m->params_frozen;

    if (all <= PARAMS_MAX_SANE)
        return true;
    return err_add(config->place.err, config->place.pointer, "", "out_of_range",
                   "these sizes make %.3g parameters, more than any model has", all);
}

static bool fill(const struct config *config, struct tower *tower, struct model *m)
{
    struct layers layers;

    m->n_layers = config->n_layers;
    m->hidden = config->hidden;
    m->vocab = config->vocab;
    m->max_position = number_or(config->max_position, 0);
    if (config_has(config, ENCODER) && config_has(config, TWO_MORE_POSITIONS))
        m->max_position -= 2; /* RoBERTa's positions begin after that of padding */
    m->tied = number_or(config->tied, config_has(config, TIED)) != 0;
    if (!set_latent(config, m) || !set_heads(config, m) || !set_experts(config, m))
        return false;
    set_ffn(config, m);
    if (!layers_count(config, m->n_kv_heads, m->head_dim, &layers) ||
        !check_linear(config, &layers))
        return false;
    set_layers(config, &layers, m);
    if (!check_ffn(config, &layers, m))
        return false;
    weights_count(config, &layers, m);
    tower_count(config, m->hidden, tower);
    m->params_frozen = tower->weights;
    set_indexer(config, m);
    native_format_read(config, m);
    return check_total(config, m);
}

bool model_config_read(const struct place *place, const struct model **model)
{
    struct model *m = arena_alloc(place->arena, sizeof(*m));
    struct config config;
    struct tower tower;

    if (!config_read(place, &config) || !check_kind(&config) || !fill(&config, &tower, m))
        return false;
    set_names(&config, m);
    set_notes(&config, &tower, m);
    *model = m;
    return true;
}

#include "json/config.h"

#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum kind { KIND_COUNT, KIND_FLAG, KIND_LIST };

/* One row of config.def. */
static const struct key {
    enum kind kind;
    const char *names;
    size_t offset;
    double min, max;
} keys[] = {
#define COUNT(member, min, max, names) \
    {KIND_COUNT, names, offsetof(struct config, member), min, max},
#define FLAG(member, names) {KIND_FLAG, names, offsetof(struct config, member), 0, 1},
#define LIST(member, names) {KIND_LIST, names, offsetof(struct config, member), 0, 0},
#include "json/config.def"
#undef COUNT
#undef FLAG
#undef LIST
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static double *number_at(struct config *config, size_t offset)
{
    return (void *)((char *)config + offset);
}

static bool read_key(const struct place *place, const struct key *key, struct config *config)
{
    void *member = (char *)config + key->offset;

    switch (key->kind) {
    case KIND_COUNT:
        return json_member_count(place, key->names, key->min, key->max, member);
    case KIND_FLAG:
        return json_member_flag(place, key->names, member);
    default:
        return json_member_list(place, key->names, member);
    }
}

/* All numbers become unknown; the three named here are read by functions of their own, not by a row
 * of config.def. */
static void clear(struct config *config)
{
    *config = (struct config){
        .moe_every = (double)NAN, .pattern = (double)NAN, .state_rank = (double)NAN};
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].kind != KIND_LIST)
            *number_at(config, keys[i].offset) = (double)NAN;
}

/* Descend into the text model of a multimodal one. */
static bool find_text_model(const struct place *outer, struct place *place)
{
    const char *name;
    const json_t *inner = json_member_find(
        outer, "text_config llm_config language_config thinker_config/text_config", &name);

    *place = *outer;
    if (!inner)
        return true;
    if (!json_is_object(inner))
        return json_member_refuse(outer, name, inner, "wrong_type", "must be an object");
    place->object = inner;
    place->pointer = arena_print(outer->arena, "%s/%s", outer->pointer, name);
    return true;
}

static bool read_moe_layers(const struct place *place, struct config *config)
{
    const char *name;
    const json_t *value = json_member_find(place, "moe_layer_freq", &name);

    if (json_is_array(value))
        return json_member_list(place, name, &config->moe_pattern);
    return json_member_count(place, "moe_layer_freq", 0, 1e4, &config->moe_every);
}

/* Which layers have no window: every n-th, or by a string of letters, as in EXAONE's configs. */
static bool read_pattern(const struct place *place, struct config *config)
{
    static const char names[] =
        "sliding_window_pattern _sliding_window_pattern no_rope_layer_interval";
    const char *name;
    const json_t *value = json_member_find(place, names, &name);

    if (!json_is_string(value))
        return json_member_count(place, names, 0, 1e4, &config->pattern);
    if (!json_member_text(place, name, &config->window_letters))
        return false;
    if (config->window_letters[0] && !config->window_letters[strspn(config->window_letters, "LG")])
        return true;
    return json_member_refuse(place, name, value, "unknown_choice",
                              "must be letters L and G, for layers with a window and without");
}

/* The rank of a Mamba layer's time step; a word, such as "auto", leaves it to the layer's default.
 */
static bool read_state_rank(const struct place *place, struct config *config)
{
    const char *name;

    if (json_is_string(json_member_find(place, "mamba_dt_rank", &name)))
        return true;
    return json_member_count(place, "mamba_dt_rank", 1, 1e6, &config->state_rank);
}

/* The block types as letters, as in NVIDIA's configs, or as a list of words. */
static bool read_blocks(const struct place *place, struct config *config)
{
    static const char *const words[] = {"mamba", "attention", "mlp", "moe"};
    static const char letters[] = "M*-E"; /* in the order of `words` */
    const size_t n_words = sizeof(words) / sizeof(words[0]);
    size_t n = json_array_size(config->block_types);
    char *blocks = arena_alloc(place->arena, n + 1);

    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(config->block_types, i);
        const char *word = json_string_value(item);
        size_t kind = 0;
        while (kind < n_words && !(word && strcmp(word, words[kind]) == 0))
            kind++;
        if (kind == n_words)
            return json_member_refuse(place, "layers_block_type", item, "unknown_choice",
                                      "must list mamba, attention, mlp or moe");
        blocks[i] = letters[kind];
    }
    if (n > 0)
        config->blocks = blocks;
    else if (!json_member_text(place, "hybrid_override_pattern", &config->blocks))
        return false;
    if (!config->blocks || !config->blocks[strspn(config->blocks, letters)])
        return true;
    return json_member_refuse(place, "hybrid_override_pattern", NULL, "unknown_choice",
                              "must be made of M, *, - and E");
}

/* Published configs omit sizes that are defaults of their class in transformers: Gemma 3's, and
 * nested text models (LLaVA's). */
static const struct {
    const char *types;
    size_t offset;
    double value;
    bool nested; /* only if the text_config of another model states no sizes at all */
} class_defaults[] = {
    {"llama mistral", offsetof(struct config, n_layers), 32, true},
    {"llama mistral", offsetof(struct config, hidden), 4096, true},
    {"llama mistral", offsetof(struct config, n_heads), 32, true},
    {"llama mistral", offsetof(struct config, vocab), 32000, true},
    {"llama", offsetof(struct config, intermediate), 11008, true},
    {"mistral", offsetof(struct config, intermediate), 14336, true},
    {"mistral", offsetof(struct config, n_kv_heads), 8, true},
    {"stablelm", offsetof(struct config, parallel), 0, false},
    {"gemma3 gemma3_text", offsetof(struct config, n_heads), 8, false},
    {"gemma3 gemma3_text", offsetof(struct config, n_kv_heads), 4, false},
    {"gemma3 gemma3_text", offsetof(struct config, head_dim), 256, false},
    {"gemma3 gemma3_text", offsetof(struct config, vocab), 262208, false},
    {"gemma3 gemma3_text", offsetof(struct config, max_position), 131072, false},
    {"gemma3 gemma3_text", offsetof(struct config, window), 4096, false},
};

static void add_class_defaults(struct config *config)
{
    bool nested = config->place.object != config->outer.object && isnan(config->hidden) &&
                  isnan(config->n_layers) && isnan(config->n_heads);

    for (size_t i = 0; i < sizeof(class_defaults) / sizeof(class_defaults[0]); i++) {
        double *member = number_at(config, class_defaults[i].offset);
        if (isnan(*member) && config->type && (nested || !class_defaults[i].nested) &&
            text_in_words(class_defaults[i].types, config->type)) {
            *member = class_defaults[i].value;
            config->defaults |= class_defaults[i].nested;
        }
    }
}

static void set(unsigned *traits, unsigned which, bool on)
{
    *traits = on ? *traits | which : *traits & ~which;
}

/* Correct the family's biases by the config's members. Families with biases on q, k and v only
 * have them whatever attention_bias says. */
static void correct_biases(const struct config *config, unsigned *traits)
{
    bool fixed = (*traits & (QKV_BIAS | OUTPUT_BIAS)) == QKV_BIAS;

    if (!isnan(config->attention_bias) && !fixed) {
        set(traits, QKV_BIAS, config->attention_bias != 0);
        set(traits, OUTPUT_BIAS, config->attention_bias != 0 && !(*traits & QKV_ONLY));
    }
    if (!isnan(config->all_bias) && *traits & PLAIN_FFN)
        set(traits, QKV_BIAS | OUTPUT_BIAS | FFN_BIAS, config->all_bias != 0);
    if (!isnan(config->ffn_bias))
        set(traits, FFN_BIAS, config->ffn_bias != 0);
    if (!isnan(config->head_bias))
        set(traits, HEAD_BIAS, config->head_bias != 0);
    if (config->no_bias == 1 && *traits & LAYER_NORM) /* MPT: no biases anywhere */
        set(traits, QKV_BIAS | OUTPUT_BIAS | FFN_BIAS | LAYER_NORM, false);
}

/* The family's traits, corrected by the config. */
static unsigned traits_of(const struct config *config)
{
    unsigned traits = config->family ? config->family->traits : 0;

    correct_biases(config, &traits);
    if (config->parallel == 0)
        set(&traits, PARALLEL | ONE_NORM, false);
    if (config->parallel == 1)
        set(&traits, PARALLEL, true);
    if (config->new_falcon == 1) /* separate norms for attention and FFN */
        set(&traits, ONE_NORM, false);
    if (config->key_norm == 0 || (traits & KEY_NORM_ASKED && config->key_norm != 1))
        set(&traits, KEY_NORM | WIDE_KEY_NORM, false);
    return traits;
}

static bool require(const struct config *config, double value, const char *name)
{
    if (!isnan(value))
        return true;
    return json_member_refuse(&config->place, name, NULL, "missing_parameter",
                              "is missing: a config.json must state it");
}

static bool check_required(const struct config *config)
{
    bool good = require(config, config->n_layers, "num_hidden_layers");

    good &= require(config, config->hidden, "hidden_size");
    good &= require(config, config->n_heads, "num_attention_heads");
    good &= require(config, config->vocab, "vocab_size");
    if (config_has(config, POSITIONS))
        good &= require(config, config->max_position, "max_position_embeddings");
    return good;
}

/* Refuse types known to be counted wrongly: a guess would mislead. */
static bool check_counted(const struct config *config)
{
    if (!config->family || !config->family->refusal)
        return true;
    return json_member_refuse(&config->place, "model_type", NULL, "unknown_choice", "%s: %s",
                              config->type, config->family->refusal);
}

/* Members that only the outer object of a multimodal model has. */
static bool read_outer(const struct place *outer, struct config *config)
{
    bool good = true;

    if (isnan(config->tied))
        good &= json_member_flag(outer, "tie_word_embeddings", &config->tied);
    good &= json_member_text(outer, "_name_or_path", &config->name);
    return good;
}

/* The text model's own type determines the family; the outer name is shown if it means the same. */
static bool read_type(const struct place *outer, struct config *config)
{
    const char *outer_type = NULL;

    if (!json_member_text(&config->place, "model_type", &config->type) ||
        !json_member_text(outer, "model_type", &outer_type))
        return false;
    config->family = config->type ? family_find(config->type) : NULL;
    if (!outer_type)
        return true;
    const struct family *family = family_find(outer_type);
    if (!config->family || config->family == family) {
        config->family = family;
        config->type = outer_type;
    }
    return true;
}

bool config_read(const struct place *outer, struct config *config)
{
    bool good = true;

    clear(config);
    config->outer = *outer;
    if (!find_text_model(outer, &config->place) || !read_type(outer, config) ||
        !check_counted(config))
        return false;
    for (size_t i = 0; i < KEYS; i++)
        good &= read_key(&config->place, &keys[i], config);
    good &= read_moe_layers(&config->place, config);
    good &= read_pattern(&config->place, config);
    good &= read_state_rank(&config->place, config);
    good &= read_blocks(&config->place, config);
    good &= read_outer(outer, config);
    if (!good)
        return false;
    add_class_defaults(config);
    config->traits = traits_of(config);
    return check_required(config);
}

bool config_has(const struct config *config, enum trait trait)
{
    return config->traits & trait;
}

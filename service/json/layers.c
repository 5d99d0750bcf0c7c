#include "json/layers.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* Window of sliding layers, in tokens; 0 if windows are off or as long as the longest sequence. */
static double window_of(const struct config *config)
{
    double window = number_or(config->window, 0);

    if (config->windowed == 0 || (config_has(config, WINDOW_ASKED) && config->windowed != 1))
        return 0;
    if (window <= 0 && config_has(config, CHUNKED))
        window = number_or(config->chunk, 0);
    return window >= config->max_position ? 0 : window;
}

/* Checks that a list has one item per layer; true if there is no list. */
static bool check_length(const struct config *config, const json_t *list, const char *name)
{
    size_t n = list ? json_array_size(list) : 0;

    if (!list || (double)n == config->n_layers)
        return true;
    return json_member_refuse(&config->place, name, list, "contradiction",
                              "lists %zu layers where there are %.0f", n, config->n_layers);
}

static bool check_pattern(const struct config *config, const json_t *list, const char *name)
{
    size_t i;
    json_t *item;

    if (!check_length(config, list, name))
        return false;
    json_array_foreach(list, i, item)
    {
        if (!json_is_number(item))
            return json_member_refuse(&config->place, name, item, "wrong_type",
                                      "must list 0 or 1 for each layer");
    }
    return true;
}

static bool item_is(const json_t *list, size_t i, const char *words[2])
{
    const char *text = json_string_value(json_array_get(list, i));

    return text && (strcmp(text, words[0]) == 0 || strcmp(text, words[1]) == 0);
}

static const char *full_words[2] = {"full_attention", "attention"};
static const char *sliding_words[2] = {"sliding_attention", "chunked_attention"};
static const char *linear_words[2] = {"linear_attention", "linear_attention"};
static const char *state_words[2] = {"linear_attention", "mamba"};
static const char *expert_words[2] = {"sparse", "moe"};

/* Layers called mamba are supported only if their contents are known. */
static bool is_linear_word(const struct config *config, size_t i)
{
    bool states =
        config->family && (config->family->mixer == MAMBA_1 || config->family->mixer == MAMBA_2);

    return item_is(config->layer_types, i, states ? state_words : linear_words);
}

static bool check_layer_types(const struct config *config)
{
    const json_t *list = config->layer_types;

    if (!check_length(config, list, "layer_types"))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!item_is(list, i, full_words) && !item_is(list, i, sliding_words) &&
            !is_linear_word(config, i))
            return json_member_refuse(
                &config->place, "layer_types", json_array_get(list, i), "unknown_choice",
                "layers of this kind cannot be counted; full_attention, "
                "sliding_attention, chunked_attention and linear_attention can");
    return true;
}

static bool check_dense_layers(const struct config *config)
{
    if ((double)json_array_size(config->dense_layers) <= config->n_layers)
        return true;
    return json_member_refuse(&config->place, "mlp_only_layers", config->dense_layers,
                              "contradiction", "lists more layers than there are");
}

static bool check_blocks(const struct config *config)
{
    bool needed = config_has(config, SINGLE_BLOCKS);
    size_t n = config->blocks ? strlen(config->blocks) : 0;

    if (!needed || (double)n == config->n_layers)
        return true;
    return json_member_refuse(&config->place, "hybrid_override_pattern", NULL, "contradiction",
                              "must have a letter for each of the %.0f layers", config->n_layers);
}

static bool check_lists(const struct config *config)
{
    return check_dense_layers(config) && check_layer_types(config) &&
           check_pattern(config, config->hybrid_pattern, "hybrid_layer_pattern") &&
           check_pattern(config, config->moe_pattern, "moe_layer_freq") &&
           check_pattern(config, config->attention_kinds, "attn_type_list") &&
           check_length(config, config->ffn_types, "mlp_layer_types") && check_blocks(config);
}

static bool every(double i, double n)
{
    return n > 0 && fmod(i + 1, n) == 0;
}

static bool in_list(const json_t *list, size_t i)
{
    size_t at;
    json_t *item;

    json_array_foreach(list, at, item)
    {
        if (json_number_value(item) == (double)i)
            return true;
    }
    return false;
}

/* Hybrid families list the layers with attention; the others have a state. */
static bool is_state(const struct config *config, size_t i)
{
    if (config->attention_kinds)
        return json_number_value(json_array_get(config->attention_kinds, i)) == 0;
    if (config->attention_layers)
        return !in_list(config->attention_layers, i);
    return config->attention_period > 0 &&
           fmod((double)i, config->attention_period) != number_or(config->attention_offset, 0);
}

static bool is_linear(const struct config *config, size_t i)
{
    if (config->layer_types)
        return is_linear_word(config, i);
    if (config->family && config->family->mixer != GATED_DELTA)
        return is_state(config, i);
    return !isnan(config->linear_value_heads) && config->full_interval > 0 &&
           !every((double)i, config->full_interval);
}

/* True if the layer has a window when windows are enabled. */
static bool is_sliding(const struct config *config, size_t i)
{
    double pattern = config->pattern > 0 ? config->pattern : 0;

    if (config->layer_types)
        return item_is(config->layer_types, i, sliding_words);
    if (config->hybrid_pattern)
        return json_number_value(json_array_get(config->hybrid_pattern, i)) != 0;
    if (config->window_letters)
        return config->window_letters[i % strlen(config->window_letters)] == 'L';
    if (config_has(config, WINDOW_ASKED))
        return (double)i >= number_or(config->window_after, 0);
    if (pattern <= 0 && config->family)
        pattern = config->family->pattern;
    return !every((double)i, pattern);
}

static bool has_experts(const struct config *config, size_t i)
{
    if (config->ffn_types)
        return item_is(config->ffn_types, i, expert_words);
    if (config->moe_pattern)
        return json_number_value(json_array_get(config->moe_pattern, i)) != 0;
    if ((double)i < config->first_dense || in_list(config->dense_layers, i))
        return false;
    if (config->moe_every > 1 && fmod((double)i, config->moe_every) != 0)
        return false;
    if (config->expert_period > 1)
        return fmod((double)i, config->expert_period) == number_or(config->expert_offset, 0);
    return !(config->sparse_step > 1) || every((double)i, config->sparse_step);
}

static void set_heads(const struct config *config, double kv, double dim, struct layers *layers)
{
    double value_dim = number_or(config->v_head_dim, dim);
    struct heads plain = {kv, dim, value_dim, false};

    layers->wide = layers->narrow = plain;
    layers->wide.kv = number_or(config->full_kv_heads, kv);
    layers->wide.dim = number_or(config->full_head_dim, dim);
    if (!isnan(config->full_head_dim))
        layers->wide.value_dim = layers->wide.dim;
    layers->wide.value_is_key = config->value_is_key == 1;
    layers->narrow.kv = number_or(config->sliding_kv_heads, kv);
    layers->narrow.dim = number_or(config->sliding_head_dim, dim);
    layers->narrow.value_dim = number_or(config->sliding_v_head_dim, value_dim);
}

/* Every n-th layer has keys and values, which the following layers reuse (cross-layer attention,
 * arXiv 2405.12981). */
static double borrowing(const struct config *config, double full)
{
    double each = config->shares_caches == 1 ? number_or(config->cache_sharing, 1) : 1;

    return full - ceil(full / each);
}

/* For models in which each layer is a single block. */
static void count_blocks(const struct config *config, struct layers *layers)
{
    for (const char *p = config->blocks; *p; p++) {
        layers->linear += *p == 'M';
        layers->full += *p == '*';
        layers->dense += *p == '-';
        layers->experts += *p == 'E';
    }
}

/* For models in which each layer has attention or its replacement, and an FFN. */
static void count_pairs(const struct config *config, struct layers *layers)
{
    bool moe = config->n_experts > 0 && config->experts_on != 0;

    for (size_t i = 0; (double)i < config->n_layers; i++) {
        if (is_linear(config, i))
            layers->linear++;
        else if (layers->window > 0 && is_sliding(config, i))
            layers->sliding++;
        else
            layers->full++;
        if (moe && has_experts(config, i))
            layers->experts++;
        else if (layers->experts <= 0)
            layers->dense_first++;
    }
    layers->dense = config->n_layers - layers->experts;
}

bool layers_count(const struct config *config, double kv_heads, double head_dim,
                  struct layers *layers)
{
    if (!check_lists(config))
        return false;
    *layers = (struct layers){.window = window_of(config)};
    if (config_has(config, SINGLE_BLOCKS))
        count_blocks(config, layers);
    else
        count_pairs(config, layers);
    layers->borrowing = borrowing(config, layers->full);
    set_heads(config, kv_heads, head_dim, layers);
    return true;
}

#include "json/tower.h"

#include "base/text.h"

#include <math.h>

enum feature {
    PATCH_BIAS = 1 << 0,
    CLASS_TOKEN = 1 << 1,
    GRID = 1 << 2,        /* a learned position per patch of an image */
    NORM_BEFORE = 1 << 3, /* before the first layer */
    NORM_AFTER = 1 << 4,  /* after the last layer */
    PLAIN_NORM = 1 << 5,  /* norms have no bias */
    NO_QKV_BIAS = 1 << 6, /* nor bias on the output of attention */
    NO_MLP_BIAS = 1 << 7,
    GATE = 1 << 8,        /* three matrices per MLP */
    LAYER_SCALE = 1 << 9, /* attention and MLP are each scaled by a vector */
    POOLED = 1 << 10,     /* attention pools the patches, unless vision_use_head is false */
    FRAMES = 1 << 11,     /* a patch spans two frames */
    TILES = 1 << 12,      /* Llama 3.2: images in tiles, and gated layers */
    GEMMA_4 = 1 << 13,    /* four norms per layer, normalised heads, positions by row and column */
};

static const struct kind {
    const char *types; /* values of model_type */
    unsigned features;
} kinds[] = {
    {"clip_vision_model", CLASS_TOKEN | GRID | NORM_BEFORE | NORM_AFTER},
    {"siglip_vision_model siglip", PATCH_BIAS | GRID | NORM_AFTER | POOLED},
    {"pixtral", NORM_BEFORE | PLAIN_NORM | NO_QKV_BIAS | NO_MLP_BIAS | GATE},
    {"qwen2_vl", FRAMES},
    {"qwen2_5_vl", FRAMES | PLAIN_NORM | GATE},
    {"qwen3_vl qwen3_vl_moe qwen3_5 qwen3_5_moe", FRAMES | PATCH_BIAS},
    {"llama4_vision_model", CLASS_TOKEN | GRID | NORM_BEFORE | NORM_AFTER},
    {"mllama_vision_model", CLASS_TOKEN | GRID | NORM_BEFORE | NORM_AFTER | NO_QKV_BIAS | TILES},
    {"intern_vit_6b internvl_vision", PATCH_BIAS | CLASS_TOKEN | GRID | LAYER_SCALE},
    {"gemma4_vision", PLAIN_NORM | NO_QKV_BIAS | NO_MLP_BIAS | GATE | GEMMA_4},
};

static const struct kind unknown_kind = {"", PATCH_BIAS | GRID | NORM_AFTER};

/* The dimensions of a vision transformer. */
struct vit {
    const struct place *place;
    const char *type;
    unsigned features;
    double width, layers, mlp, patch, channels, image;
};

/* A whole number of at least 1 (the first if it is a list), else `otherwise`. */
static double number(const struct place *place, const char *names, double otherwise)
{
    const char *name;
    const json_t *member = json_member_find(place, names, &name);
    double value = json_number_value(json_is_array(member) ? json_array_get(member, 0) : member);

    return value >= 1 && value < 1e9 && value == floor(value) ? value : otherwise;
}

static bool flag(const struct place *place, const char *names, bool otherwise)
{
    const char *name;
    const json_t *value = json_member_find(place, names, &name);

    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static double items(const struct place *place, const char *names)
{
    const char *name;

    return (double)json_array_size(json_member_find(place, names, &name));
}

static const char *type_of(const struct place *place)
{
    const char *name;
    const char *type = json_string_value(json_member_find(place, "model_type", &name));

    return type ? type : "";
}

static bool has(const struct vit *vit, enum feature feature)
{
    return vit->features & feature;
}

static double where(const struct vit *vit, enum feature feature, double weights)
{
    return has(vit, feature) ? weights : 0;
}

static double norm(const struct vit *vit, double width)
{
    return has(vit, PLAIN_NORM) ? width : 2 * width;
}

/* Some Qwen towers have no type of their own; the model's type then applies. */
static void set_kind(const struct config *config, struct vit *vit, bool *guessed)
{
    const char *name;
    const struct kind *kind = &unknown_kind;

    vit->type = type_of(vit->place);
    if (!vit->type[0])
        vit->type = type_of(&config->outer);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (text_in_words(kinds[i].types, vit->type))
            kind = &kinds[i];
    vit->features = kind->features;
    if (!flag(vit->place, "vision_use_head", true))
        vit->features &= ~(unsigned)POOLED;
    *guessed =
        kind == &unknown_kind ||
        json_is_true(json_member_find(vit->place, "qk_normalization use_clipped_linears", &name));
}

/* Pixtral's published configs rely on defaults of its class. */
static bool set_sizes(struct vit *vit)
{
    const struct place *place = vit->place;
    bool pixtral = text_in_words("pixtral", vit->type);

    vit->width = number(place, "embed_dim hidden_size vt_hidden_size width", pixtral ? 1024 : 0);
    vit->layers = number(place, "depth num_hidden_layers vt_num_hidden_layers", pixtral ? 24 : 0);
    vit->mlp = number(place, "intermediate_size vt_intermediate_size", pixtral ? 4096 : 0);
    if (vit->mlp <= 0)
        vit->mlp = number(place, "mlp_ratio", 4) * vit->width;
    vit->patch = number(place, "patch_size spatial_patch_size", pixtral ? 16 : 0);
    vit->channels = number(place, "num_channels in_channels in_chans", 3);
    vit->image = number(place, "image_size", 0);
    return vit->width > 0 && vit->layers > 0 && vit->patch > 0;
}

static double patches(const struct vit *vit)
{
    double side = floor(vit->image / vit->patch);

    return side * side;
}

static double embedding(const struct vit *vit)
{
    double frames = has(vit, FRAMES) ? number(vit->place, "temporal_patch_size", 2) : 1;
    double grid = patches(vit) + where(vit, CLASS_TOKEN, 1);
    double given = number(vit->place, "num_position_embeddings", 0);

    return vit->channels * vit->patch * vit->patch * frames * vit->width +
           where(vit, PATCH_BIAS, vit->width) + where(vit, CLASS_TOKEN, vit->width) +
           (given > 0 ? given : where(vit, GRID, grid)) * vit->width +
           where(vit, GEMMA_4, 2 * number(vit->place, "position_embedding_size", 0) * vit->width);
}

static double layer(const struct vit *vit)
{
    double w = vit->width, f = vit->mlp, gates = has(vit, GATE) ? 2 : 1;
    double head = number(vit->place, "head_dim", 0);

    return 4 * w * w + (has(vit, NO_QKV_BIAS) ? 0 : 4 * w) + (gates + 1) * w * f +
           (has(vit, NO_MLP_BIAS) ? 0 : gates * f + w) + 2 * norm(vit, w) +
           where(vit, LAYER_SCALE, 2 * w) + where(vit, GEMMA_4, 2 * norm(vit, w) + 2 * head);
}

/* Attention pooling (SigLIP): a query, its attention, a norm and an MLP. */
static double pool(const struct vit *vit)
{
    double w = vit->width;

    return w + 4 * w * w + 4 * w + norm(vit, w) + 2 * w * vit->mlp + vit->mlp + w;
}

/* Llama 3.2 Vision: embeddings for each tile and each aspect ratio, a gate on each of these three,
 * and further layers with two gates each. */
static double tiles(const struct vit *vit)
{
    double shapes = items(vit->place, "supported_aspect_ratios") + 1;
    double most = number(vit->place, "max_num_tiles", 4), grid = patches(vit) + 1;
    double global = number(vit->place, "num_global_layers", 0);

    return shapes * most * (grid + 2) * vit->width + 3 + global * (layer(vit) + 2);
}

static double tower(const struct vit *vit)
{
    double ends = (has(vit, NORM_BEFORE) ? 1 : 0) + (has(vit, NORM_AFTER) ? 1 : 0);

    return embedding(vit) + vit->layers * layer(vit) + ends * norm(vit, vit->width) +
           where(vit, POOLED, pool(vit)) + where(vit, TILES, tiles(vit));
}

/* Four patches become one token of the text model; Qwen 3 also merges features of inner layers. */
static double merger(const struct vit *vit, double hidden)
{
    double merge = number(vit->place, "spatial_merge_size", 2), four = merge * merge * vit->width;
    double mlp = four * four + four + four * hidden + hidden;

    return norm(vit, vit->width) + mlp +
           items(vit->place, "deepstack_visual_indexes") * (norm(vit, four) + mlp);
}

/* Llama 4: an MLP over shuffled pixels, and a projection. */
static double shuffle(const struct vit *vit, double hidden)
{
    double in = number(vit->place, "projector_input_dim", 4096);
    double out = number(vit->place, "projector_output_dim", 4096);

    return vit->mlp * in + out * out + number(vit->place, "vision_output_dim", out) * hidden;
}

/* From the tower's width to the text model's, by the type of the whole model. */
static double projector(const struct config *config, const struct vit *vit, double hidden)
{
    const char *type = type_of(&config->outer);
    double w = vit->width, two = w * hidden + hidden + hidden * hidden + hidden;
    double four = 4 * w;

    if (has(vit, FRAMES))
        return merger(vit, hidden);
    if (text_in_words("llama4", type))
        return shuffle(vit, hidden);
    if (text_in_words("mllama", type))
        return number(vit->place, "vision_output_dim", w) * hidden + hidden;
    if (text_in_words("gemma3", type))
        return w + w * hidden;
    if (text_in_words("gemma4", type))
        return w * hidden;
    if (text_in_words("paligemma", type))
        return w * hidden + hidden;
    if (text_in_words("mistral3", type))
        return w + four * w + w * hidden + hidden * hidden;
    if (text_in_words("internvl_chat internvl", type))
        return 2 * four + four * hidden + hidden + hidden * hidden + hidden;
    if (text_in_words("llava_next llava_onevision llava_next_video",
                      type)) /* and a token that marks
                              * the end of a row */
        return two + hidden;
    return two;
}

/* Without an encoder (Fuyu): the pixels of a patch are projected directly into the text model. */
static double patches_alone(const struct config *config, double hidden)
{
    double patch = number(&config->outer, "patch_size", 30);

    return number(&config->outer, "num_channels", 3) * patch * patch * hidden + hidden;
}

void tower_count(const struct config *config, double hidden, struct tower *out)
{
    const char *name;
    const json_t *object =
        json_member_find(&config->outer, "vision_config thinker_config/vision_config", &name);
    struct place place = config->outer;
    struct vit vit = {.place = &place};

    *out = (struct tower){.there = object != NULL};
    if (text_in_words("fuyu", type_of(&config->outer)))
        *out = (struct tower){true, false, patches_alone(config, hidden)};
    if (!object)
        return;
    place.object = object;
    set_kind(config, &vit, &out->guessed);
    if (set_sizes(&vit))
        out->weights = tower(&vit) + projector(config, &vit, hidden);
}

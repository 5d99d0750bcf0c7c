#include "estimate/training/recompute.h"

#include <stdio.h>
#include <string.h>

static const char *const modules[TRAINING_MODULES] = {
    [TRAINING_CORE_ATTENTION] = "core_attn",
    [TRAINING_LAYERNORM] = "layernorm",
    [TRAINING_MOE_ACTIVATION] = "moe_act",
    [TRAINING_MLA_UP_PROJECTION] = "mla_up_proj",
    [TRAINING_MLP] = "mlp",
    [TRAINING_MOE] = "moe",
    [TRAINING_SHARED_EXPERTS] = "shared_experts",
};

static int find(const char *name, size_t length)
{
    for (int i = 0; i < TRAINING_MODULES; i++)
        if (strlen(modules[i]) == length && memcmp(modules[i], name, length) == 0)
            return i;
    return -1;
}

bool training_modules_read(const char *list, unsigned *found)
{
    *found = 0;
    for (const char *at = list; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        int module = find(at, length);
        if (module < 0)
            return false;
        *found |= 1U << module;
        at += length;
    }
    return *found != 0;
}

void training_modules_print(unsigned on, char *to, size_t size)
{
    size_t n = 0;

    to[0] = '\0';
    for (int i = 0; i < TRAINING_MODULES; i++)
        if (training_module_in(on, (enum training_module)i) && n < size)
            n += (size_t)snprintf(to + n, size - n, "%s%s", n ? "," : "", modules[i]);
}

unsigned training_light_modules(const struct training_job *job)
{
    if (job->stack == TRAINING_STACK_FSDP)
        return 0;
    return 1U << TRAINING_LAYERNORM | (job->shape.moe ? 1U << TRAINING_MOE_ACTIVATION : 0) |
           (job->shape.mla ? 1U << TRAINING_MLA_UP_PROJECTION : 0) |
           (job->flash_attention ? 0 : 1U << TRAINING_CORE_ATTENTION);
}

/* Weights multiplied with a token in those modules, averaged over the layers. */
static double weights_of(const struct model_shape *shape, unsigned on)
{
    double sparse = shape->moe_layers / shape->layers, dense = shape->dense_layers / shape->layers;
    double shared = sparse * shape->ffn_matrices * shape->hidden * shape->shared_width, weights = 0;

    if (training_module_in(on, TRAINING_MLP))
        weights += dense * shape->ffn_matrices * shape->hidden * shape->ffn_width;
    if (training_module_in(on, TRAINING_MOE))
        weights += sparse * shape->top_k * shape->expert_weights + shared;
    else if (training_module_in(on, TRAINING_SHARED_EXPERTS))
        weights += shared;
    if (training_module_in(on, TRAINING_MLA_UP_PROJECTION) && shape->mla)
        weights += shape->heads * (shape->prefill_key_dim + shape->prefill_value_dim) *
                   shape->kv_lora_rank;
    return weights;
}

/* Elements moved per token by norms and gates of those modules, as a fraction of the layer's. */
static double moved_by(const struct model_shape *shape, unsigned on)
{
    double sparse = shape->moe_layers / shape->layers, h = shape->hidden;
    double gate = shape->ffn_matrices * (1 - sparse) * shape->ffn_width;
    double expert_gate =
        shape->ffn_matrices * sparse * (shape->expert_width * shape->top_k + shape->shared_width);
    double all = 10 * h + 2 * (shape->heads + shape->kv_heads) * shape->prefill_key_dim + gate +
                 expert_gate + 4 * sparse * shape->top_k * h;
    double moved = 0;

    if (training_module_in(on, TRAINING_LAYERNORM))
        moved += 4 * h;
    if (training_module_in(on, TRAINING_MLP))
        moved += gate;
    if (training_module_in(on, TRAINING_MOE))
        moved += expert_gate + 4 * sparse * shape->top_k * h;
    else if (training_module_in(on, TRAINING_MOE_ACTIVATION))
        moved += expert_gate;
    return moved / all;
}

struct training_again training_modules_again(const struct model_shape *shape, unsigned on)
{
    return (struct training_again){.products = weights_of(shape, on) /
                                               (training_active_weights(shape) / shape->layers),
                                   .elementwise = moved_by(shape, on),
                                   .attention = training_module_in(on, TRAINING_CORE_ATTENTION)};
}

struct training_strategy training_recompute_end(const struct training_strategy *on, int end)
{
    struct training_strategy at = *on;

    at.part = end == 1;
    at.whole = end == 2;
    at.recompute = end == 0          ? TRAINING_RECOMPUTE_NONE
                   : end == 2        ? TRAINING_RECOMPUTE_FULL
                   : at.modules == 0 ? TRAINING_RECOMPUTE_SELECTIVE
                                     : TRAINING_RECOMPUTE_PARTIAL;
    return at;
}

struct training_strategy training_recompute_between(const struct training_job *job,
                                                    const struct training_strategy *on, int end,
                                                    double share)
{
    struct training_strategy at = *on;

    at.modules = training_light_modules(job);
    if (share <= 0 || share >= 1)
        return training_recompute_end(&at, end + (share >= 1));
    at.recompute = TRAINING_RECOMPUTE_PARTIAL;
    at.part = end == 0 ? share : 1 - share;
    at.whole = end == 0 ? 0 : share;
    return at;
}

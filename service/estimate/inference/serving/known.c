#include "estimate/inference/serving/known.h"

struct serving_known {
    struct arena *arena;
    struct serving_variant *variants; /* a handful */
};

struct serving_known *serving_known_new(struct arena *arena)
{
    struct serving_known *known = arena_alloc(arena, sizeof(*known));

    known->arena = arena;
    return known;
}

static void fill(const struct serving_request *request, struct serving_variant *variant)
{
    variant->pass_tokens = request->job.pass_tokens;
    variant->separate_prefill = request->job.separate_prefill;
    variant->unsplit = inference_unsharded(request->constants, &request->job);
    variant->n_splits = serving_splits(request, variant->splits);
}

struct serving_variant *serving_variant_of(const struct serving_request *request,
                                           struct serving_variant *own)
{
    struct serving_known *known = request->known;

    if (!known) {
        fill(request, own);
        return own;
    }
    for (struct serving_variant *variant = known->variants; variant; variant = variant->next)
        if (variant->pass_tokens == request->job.pass_tokens &&
            variant->separate_prefill == request->job.separate_prefill)
            return variant;
    struct serving_variant *variant = arena_alloc(known->arena, sizeof(*variant));
    fill(request, variant);
    variant->next = known->variants;
    known->variants = variant;
    return variant;
}

struct serving_known_design *serving_known_design(const struct serving_request *request,
                                                  struct serving_variant *variant,
                                                  const struct serving_split *split,
                                                  double pipeline)
{
    struct serving_known_design **at = &variant->designs[split - variant->splits];

    if (!request->known)
        return NULL;
    while (*at && (*at)->pipeline != pipeline)
        at = &(*at)->next;
    if (!*at) {
        *at = arena_alloc(request->known->arena, sizeof(**at));
        (*at)->pipeline = pipeline;
    }
    return *at;
}

void serving_known_keep(const struct serving_request *request, struct serving_known_design *design,
                        const struct serving_replica *replica)
{
    struct serving_replica *kept = arena_room(request->known->arena, sizeof(*kept));

    *kept = *replica;
    design->sized = kept;
}

#include "estimate/inference/serving/design_cache.h"

struct design_cache {
    struct arena *arena;
    struct serving_variant *variants; /* a handful */
};

struct design_cache *design_cache_new(struct arena *arena)
{
    struct design_cache *cache = arena_alloc(arena, sizeof(*cache));

    cache->arena = arena;
    return cache;
}

static void fill(const struct serving_request *request, struct serving_variant *variant)
{
    variant->pass_tokens = request->job.pass_tokens;
    variant->separate_prefill = request->job.separate_prefill;
    variant->unsplit = inference_unsharded(request->constants, &request->job);
    variant->n_splits = serving_splits(request, variant->splits);
}

struct serving_variant *design_cache_variant(const struct serving_request *request,
                                             struct serving_variant *own)
{
    struct design_cache *cache = request->cache;

    if (!cache) {
        fill(request, own);
        return own;
    }
    for (struct serving_variant *variant = cache->variants; variant; variant = variant->next)
        if (variant->pass_tokens == request->job.pass_tokens &&
            variant->separate_prefill == request->job.separate_prefill)
            return variant;
    struct serving_variant *variant = arena_alloc(cache->arena, sizeof(*variant));
    fill(request, variant);
    variant->next = cache->variants;
    cache->variants = variant;
    return variant;
}

struct design_cache_entry *design_cache_entry(const struct serving_request *request,
                                              struct serving_variant *variant,
                                              const struct serving_split *split, double pipeline)
{
    struct design_cache_entry **at = &variant->designs[split - variant->splits];

    if (!request->cache)
        return NULL;
    while (*at && (*at)->pipeline != pipeline)
        at = &(*at)->next;
    if (!*at) {
        *at = arena_alloc(request->cache->arena, sizeof(**at));
        (*at)->pipeline = pipeline;
    }
    return *at;
}

void design_cache_put(const struct serving_request *request, struct design_cache_entry *design,
                      const struct serving_replica *replica)
{
    struct serving_replica *kept = arena_room(request->cache->arena, sizeof(*kept));

    *kept = *replica;
    design->sized = kept;
}

#include "estimate/inference/serving/known.h"

struct serving_known {
    struct arena *arena;
    struct serving_way *ways; /* a handful */
};

struct serving_known *serving_known_new(struct arena *arena)
{
    struct serving_known *known = arena_alloc(arena, sizeof(*known));

    known->arena = arena;
    return known;
}

static void fill(const struct serving_request *request, struct serving_way *way)
{
    way->pass_tokens = request->job.pass_tokens;
    way->separate_prefill = request->job.separate_prefill;
    way->unsplit = inference_unsharded(request->constants, &request->job);
    way->n_splits = serving_splits(request, way->splits);
}

struct serving_way *serving_way_of(const struct serving_request *request, struct serving_way *own)
{
    struct serving_known *known = request->known;

    if (!known) {
        fill(request, own);
        return own;
    }
    for (struct serving_way *way = known->ways; way; way = way->next)
        if (way->pass_tokens == request->job.pass_tokens &&
            way->separate_prefill == request->job.separate_prefill)
            return way;
    struct serving_way *way = arena_alloc(known->arena, sizeof(*way));
    fill(request, way);
    way->next = known->ways;
    known->ways = way;
    return way;
}

struct serving_known_design *serving_known_design(const struct serving_request *request,
                                                  struct serving_way *way,
                                                  const struct serving_split *split,
                                                  double pipeline)
{
    struct serving_known_design **at = &way->designs[split - way->splits];

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

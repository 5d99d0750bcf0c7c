/* pools_parse.c - the parameter pools: models, their shares of the load, and their GPUs. */
#include "api/inference/pools.h"

#include "base/text.h"
#include "catalog/catalog.h"

#include <math.h>
#include <string.h>

static const char NAME[] = "pools";

static const double SHARE_MOST = 1e12;

/* The text up to the next colon; NULL at the end. */
static const char *part(struct arena *arena, const char **at)
{
    size_t n = strcspn(*at, ":");
    const char *text = n ? arena_print(arena, "%.*s", (int)n, *at) : NULL;

    *at += n + ((*at)[n] == ':');
    return text;
}

/* "llama-3.1-8b:0.8" or "llama-3.1-8b:0.8:l40s" */
static bool read_pool(struct request_context *context, const char *item,
                      struct inference_pool *pool, struct err *err)
{
    const char *at = item;
    const char *model = part(context->arena, &at), *share = part(context->arena, &at);
    const char *gpu = part(context->arena, &at);

    *pool = (struct inference_pool){.share = (double)NAN};
    if (!model || !share || !text_number(share, &pool->share) || !(pool->share > 0) ||
        pool->share > SHARE_MOST || *at || item[strlen(item) - 1] == ':')
        return context_refuse(context, err, NAME, "not_a_list",
                              "must be model, share of requests and, if you like, GPU of each "
                              "pool, such as llama-3.1-8b:0.8:l40s,llama-3.1-70b:0.2; %s is not",
                              *item ? item : "an empty item");
    bool good = lookup_model_named(context, NAME, model, &pool->model, err);
    return (!gpu || lookup_gpu(context, NAME, gpu, &pool->gpu, err)) && good;
}

static bool check_twice(struct request_context *context, const struct inference_pool *pools,
                        size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (pools[n].model && pools[i].model == pools[n].model)
            return context_refuse(context, err, NAME, "contradiction", "names %s twice",
                                  pools[n].model->slug);
    return true;
}

static void share_out(struct inference_pool *pools, size_t n)
{
    double all = 0;

    for (size_t i = 0; i < n; i++)
        all += pools[i].share;
    for (size_t i = 0; i < n; i++)
        pools[i].share /= all;
}

bool inference_pools_read(struct request_context *context, const struct inference_pools_in *in,
                          struct inference_pool **pools, size_t *n, struct err *err)
{
    const struct gpu *usual = NULL;
    bool good = !in->gpu || lookup_gpu(context, "gpu", in->gpu, &usual, err);

    *pools = arena_alloc(context->arena, INFERENCE_POOLS_MOST * sizeof(**pools));
    *n = 0;
    for (const char *p = in->pools; *p;) {
        size_t length = strcspn(p, ",");
        struct inference_pool *pool = &(*pools)[*n];
        if (*n == INFERENCE_POOLS_MOST)
            return context_refuse(context, err, NAME, "too_many", "names more than %d models",
                                  INFERENCE_POOLS_MOST);
        if (!read_pool(context, arena_print(context->arena, "%.*s", (int)length, p), pool, err) ||
            !check_twice(context, *pools, *n, err))
            return false;
        if (!pool->gpu)
            pool->gpu = usual;
        ++*n;
        p += length + (p[length] == ',');
    }
    share_out(*pools, *n);
    return good;
}

/* lookup.c - the names of a request looked up in the catalogue. */
#include "api/resource/context.h"

#include "estimate/figures/model_shape.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static bool unknown_name(struct request_context *context, const char *parameter, const char *what,
                         const char *typed, const char *nearest, const char *list, struct err *err)
{
    const struct field *field = fields_find(context->inputs.fields, parameter);

    if (!field) /* a name in the path */
        return err_set(err, ERR_NOT_FOUND, "there is no %s %s%s%s; %s lists them", what, typed,
                       nearest ? "; did you mean " : "", nearest ? nearest : "", list);
    if (nearest)
        return err_add(err, parameter, typed, "unknown_name",
                       "no %s of that name; did you mean %s? %s lists them", what, nearest, list);
    return err_add(err, parameter, typed, "unknown_name", "no %s of that name; %s lists them", what,
                   list);
}

/* The GPUs a name is the beginning of, as a100 is of six, with commas; NULL for fewer than two. */
static const char *variants(struct request_context *context, const char *typed)
{
    size_t length = strlen(typed), n = 0;
    const char *list = NULL;

    for (size_t i = 0; i < context->catalog->n_gpus; i++) {
        const char *slug = context->catalog->gpus[i].slug;
        if (strncasecmp(slug, typed, length) != 0 || slug[length] != '-')
            continue;
        list = list ? arena_print(context->arena, "%s, %s", list, slug) : slug;
        n++;
    }
    return n > 1 ? list : NULL;
}

bool lookup_gpu(struct request_context *context, const char *parameter, const char *slug,
                const struct gpu **gpu, struct err *err)
{
    *gpu = catalog_gpu(context->catalog, slug);
    if (*gpu)
        return true;
    const char *choice = variants(context, slug);
    if (choice && fields_find(context->inputs.fields, parameter))
        return err_add(err, parameter, slug, "unknown_name",
                       "could be any of %s: enter one; /v1/gpus lists them", choice);
    if (choice)
        return err_set(err, ERR_NOT_FOUND, "GPU %s could be any of %s: enter one", slug, choice);
    return unknown_name(context, parameter, "GPU", slug,
                        catalog_nearest_gpu(context->catalog, slug), "/v1/gpus", err);
}

static bool typical_model(struct request_context *context, double parameters,
                          const struct model **model)
{
    struct model *typical = arena_alloc(context->arena, sizeof(*typical));

    model_shape_typical(parameters, typical);
    *model = typical;
    context_warn(context, "typical_shape",
                 "only the number of parameters was given: a typical dense shape of %.0f layers "
                 "of width %.0f is assumed; for the exact shape name a model or send its "
                 "config.json",
                 typical->n_layers, typical->hidden);
    return true;
}

bool lookup_model(struct request_context *context, const char *slug, double parameters,
                  const struct model **model, struct err *err)
{
    int given = (slug != NULL) + !isnan(parameters) + (context->model_config != NULL);

    if (given != 1)
        return err_add(err, "model", slug ? slug : "",
                       given ? "contradiction" : "missing_parameter",
                       given ? "give only one of model, parameters and model_config"
                             : "is required: a model from /v1/models, or parameters, or, in a "
                               "POST, model_config");
    if (context->model_config) {
        *model = context->model_config;
        if (context->model_config->note)
            context_warn(context, "model_config", "%s", context->model_config->note);
        return true;
    }
    if (!slug)
        return typical_model(context, parameters, model);
    *model = catalog_model(context->catalog, slug);
    if (*model)
        return true;
    return unknown_name(context, "model", "model", slug,
                        catalog_nearest_model(context->catalog, slug), "/v1/models", err);
}

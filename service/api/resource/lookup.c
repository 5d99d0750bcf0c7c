/* lookup.c - the names of a request looked up in the catalogue. */
#include "api/resource/call.h"

#include "estimate/figures/model_shape.h"

#include <math.h>
#include <string.h>

static bool unknown_name(struct call *call, const char *parameter, const char *what,
                         const char *typed, const char *nearest, const char *list, struct err *err)
{
    const struct field *field = fields_find(call->inputs.fields, parameter);

    if (!field) /* a name in the path */
        return err_set(err, ERR_NOT_FOUND, "no %s is called %s%s%s; %s lists them", what, typed,
                       nearest ? "; did you mean " : "", nearest ? nearest : "", list);
    if (nearest)
        return err_add(err, parameter, typed, "unknown_name",
                       "no %s of that name; did you mean %s? %s lists them", what, nearest, list);
    return err_add(err, parameter, typed, "unknown_name", "no %s of that name; %s lists them", what,
                   list);
}

bool call_gpu(struct call *call, const char *parameter, const char *slug, const struct gpu **gpu,
              struct err *err)
{
    *gpu = catalog_gpu(call->catalog, slug);
    if (*gpu)
        return true;
    return unknown_name(call, parameter, "GPU", slug, catalog_nearest_gpu(call->catalog, slug),
                        "/v1/gpus", err);
}

static bool typical_model(struct call *call, double parameters, const struct model **model)
{
    struct model *typical = arena_alloc(call->arena, sizeof(*typical));

    shape_typical(parameters, typical);
    *model = typical;
    call_warn(call, "typical_shape",
              "only the number of parameters was given: a typical dense shape of %.0f layers of "
              "width %.0f is assumed; name a model or send its config.json for its own",
              typical->n_layers, typical->hidden);
    return true;
}

bool call_model(struct call *call, const char *slug, double parameters, const struct model **model,
                struct err *err)
{
    int given = (slug != NULL) + !isnan(parameters) + (call->model_config != NULL);

    if (given != 1)
        return err_add(err, "model", slug ? slug : "",
                       given ? "contradiction" : "missing_parameter",
                       given ? "give only one of model, parameters and model_config"
                             : "is required: a model of /v1/models, or parameters, or, in a POST, "
                               "model_config");
    if (call->model_config) {
        *model = call->model_config;
        if (call->model_config->note)
            call_warn(call, "model_config", "%s", call->model_config->note);
        return true;
    }
    if (!slug)
        return typical_model(call, parameters, model);
    *model = catalog_model(call->catalog, slug);
    if (*model)
        return true;
    return unknown_name(call, "model", "model", slug, catalog_nearest_model(call->catalog, slug),
                        "/v1/models", err);
}

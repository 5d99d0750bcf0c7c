/* index.c - /v1: the available questions, and the size of the catalogue. */
#include "api/routes/resources.h"
#include "api/routes/routes.h"
#include "catalog/currency.h"

#define TABLE index_out
#define TABLE_FILE "api/index_out.def"
#include "base/field/table.h"

#define TABLE index_path
#define TABLE_FILE "api/index_path.def"
#include "base/field/table.h"

static void add_paths(struct request_context *context)
{
    struct index_path *rows = arena_alloc(context->arena, n_routes * sizeof(*rows));

    for (size_t i = 0; i < n_routes; i++)
        rows[i] = (struct index_path){routes[i].path,
                                      routes[i].post ? "GET HEAD POST OPTIONS" : "GET HEAD OPTIONS",
                                      routes[i].resource->headline, routes[i].resource->summary};
    context_table(context, "paths", rows, n_routes, sizeof(*rows));
}

/* Count each price once, regardless of its versions. */
static size_t count_hardware(const struct request_context *context)
{
    size_t n = 0;

    for (size_t i = 0; i < context->catalog->n_hardware; i++)
        n += catalog_hardware_current(&context->catalog->hardware[i], context->as_of);
    return n;
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct index_out *out = arena_alloc(context->arena, sizeof(*out));
    const struct catalog *catalog = context->catalog;

    (void)input;
    (void)err;
    *out = (struct index_out){(double)catalog->n_gpus,
                              (double)catalog->n_models,
                              (double)catalog->n_offers,
                              (double)count_hardware(context),
                              (double)catalog->n_assumptions,
                              (double)catalog->n_rates,
                              catalog_currencies(catalog, context->as_of, context->arena)};
    context_values(context, out);
    add_paths(context);
    answer_link(&context->answer, "openapi", "/openapi.json");
    answer_link(&context->answer, "docs", "/docs");
    return true;
}

static const struct fields no_fields = {0};

const struct resource index_resource = {
    .name = "index",
    .headline = "catalog_version",
    .summary = "Which questions the API answers, and the size of the catalogue",
    .in = &no_fields,
    .out = &index_out_fields,
    .tables = {{"paths", "path", &index_path_fields, NULL, "One path each"}},
    .answer = answer,
};

/* index.c - /v1: what there is to ask, and how much the catalogue knows. */
#include "api/routes/resources.h"
#include "api/routes/routes.h"
#include "catalog/currency.h"

#define TABLE index_out
#define TABLE_FILE "api/index_out.def"
#include "base/field/table.h"

#define TABLE index_path
#define TABLE_FILE "api/index_path.def"
#include "base/field/table.h"

static void add_paths(struct call *call)
{
    struct index_path *rows = arena_alloc(call->arena, n_routes * sizeof(*rows));

    for (size_t i = 0; i < n_routes; i++)
        rows[i] = (struct index_path){routes[i].path,
                                      routes[i].post ? "GET HEAD POST OPTIONS" : "GET HEAD OPTIONS",
                                      routes[i].resource->headline, routes[i].resource->summary};
    call_table(call, "paths", rows, n_routes, sizeof(*rows));
}

/* Each price once, not each of its versions. */
static size_t count_hardware(const struct call *call)
{
    size_t n = 0;

    for (size_t i = 0; i < call->catalog->n_hardware; i++)
        n += hardware_current(&call->catalog->hardware[i], call->as_of);
    return n;
}

static bool answer(struct call *call, void *input, struct err *err)
{
    struct index_out *out = arena_alloc(call->arena, sizeof(*out));
    const struct catalog *catalog = call->catalog;

    (void)input;
    (void)err;
    *out = (struct index_out){(double)catalog->n_gpus,
                              (double)catalog->n_models,
                              (double)catalog->n_offers,
                              (double)count_hardware(call),
                              (double)catalog->n_assumptions,
                              (double)catalog->n_rates,
                              catalog_currencies(catalog, call->as_of, call->arena)};
    call_values(call, out);
    add_paths(call);
    answer_link(&call->answer, "openapi", "/openapi.json");
    answer_link(&call->answer, "docs", "/docs");
    return true;
}

static const struct fields no_fields = {0};

const struct resource index_resource = {
    .name = "index",
    .headline = "catalog_version",
    .summary = "What there is to ask, and how much the catalogue knows",
    .in = &no_fields,
    .out = &index_out_fields,
    .tables = {{"paths", "path", &index_path_fields, NULL, "One path each"}},
    .answer = answer,
};

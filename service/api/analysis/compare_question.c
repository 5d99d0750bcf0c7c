/* compare_question.c - reads an address contained in a request, and answers it as if it had been
 * requested. */
#include "api/analysis/compare.h"

#include "api/resource/query.h"
#include "api/routes/resources.h"
#include "api/routes/routes.h"

#include <string.h>

/* The resources that can be compared, and the figure to attribute if the headline is a cost without
 * a price. */
static const struct {
    const struct resource *of;
    const char *otherwise;
} comparable[] = {
    {&training_plan_resource, "days"},
    {&inference_sizing_resource, "cost_per_hour"},
    {&break_even_resource, "rent_total_cost"},
    {&gpu_resource, "memory_bandwidth_gb_per_second"},
};

const char *compare_otherwise(const struct resource *resource)
{
    for (size_t i = 0; i < sizeof(comparable) / sizeof(comparable[0]); i++)
        if (comparable[i].of == resource)
            return comparable[i].otherwise;
    return NULL;
}

/* The path of an address, without format suffix. */
static const char *path_of(struct request_context *context, const char *address)
{
    size_t n = strcspn(address, "?");
    char *path = memcpy(arena_alloc(context->arena, n + 1), address, n);
    enum format format;

    route_take_suffix(path, &format);
    return path;
}

static bool find_resource(struct request_context *context, const char *name, const char *address,
                          struct request_context *read, struct err *err)
{
    const char *path = path_of(context, address), *slug;
    const struct route *route = route_find(path, &slug);
    const char *nearest = route ? NULL : route_nearest(path);

    if (strncmp(address, "/v1/", 4) != 0)
        return context_refuse(context, err, name, "not_an_address",
                              "must be the path and query of an answer of this service, such as "
                              "/v1/break-even?gpu=h100-sxm5-80gb, percent-encoded");
    if (!route)
        return context_refuse(context, err, name, "unknown_path",
                              "nothing exists at this address%s%s",
                              nearest ? "; did you mean " : "", nearest ? nearest : "");
    read->resource = route->resource;
    if (slug)
        read->path_name = arena_part(context->arena, slug, strcspn(slug, "/"));
    if (!compare_otherwise(route->resource))
        return context_refuse(
            context, err, name, "not_comparable",
            "must be an address under /v1/training-plan, /v1/inference-sizing, "
            "/v1/break-even or /v1/gpus/{gpu}; to compare two rows of a list, take their links");
    return true;
}

/* Report a question's errors under the parameter that contains it. */
static bool blame(const char *name, const struct err *from, struct err *err)
{
    if (!from->n_culprits)
        return err_set(err, from->code, "%s: %s", name, from->text);
    for (size_t i = 0; i < from->n_culprits; i++) {
        const struct culprit *culprit = &from->culprits[i];
        size_t at = err->n_culprits;
        err_add(err, name, culprit->value, culprit->rule, "%s: %s", culprit->field, culprit->text);
        if (err->n_culprits > at) {
            err->culprits[at].min = culprit->min;
            err->culprits[at].max = culprit->max;
        }
    }
    return false;
}

bool compare_read(struct request_context *context, const char *name, const char *address,
                  struct request_context **question, struct err *err)
{
    struct request_context *read = arena_alloc(context->arena, sizeof(*read));
    struct params *params = arena_alloc(context->arena, sizeof(*params));
    const char *query = strchr(address, '?');
    struct err wrong = {0};

    *read = (struct request_context){.request = context->request,
                                     .catalog = context->catalog,
                                     .arena = context->arena,
                                     .parallel = context->parallel,
                                     .cancel = context->cancel,
                                     .today = context->today,
                                     .as_of = context->as_of,
                                     .currency = context->currency};
    *question = read;
    if (!find_resource(context, name, address, read, err))
        return false;
    if (!params_read_query(params, query ? query + 1 : "", context->arena, &wrong) ||
        !query_decode(read, params, &wrong) || !query_check(read, &wrong))
        return blame(name, &wrong, err);
    read->common.explain = 0;
    query_start(read);
    return true;
}

struct request_context *compare_answer(struct request_context *context, const char *name,
                                       const struct request_context *question, struct err *err)
{
    struct request_context *again = context_again(question, question->resource, context->arena);
    struct err wrong = {0};

    if (cancelled(context->cancel))
        return NULL;
    if (again->resource->answer(again, again->inputs.values, &wrong))
        return again;
    blame(name, &wrong, err);
    return NULL;
}

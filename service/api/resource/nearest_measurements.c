#include "api/resource/nearest_measurements.h"

#include "base/text.h"

#include <math.h>

#define TABLE nearest_row
#define TABLE_FILE "api/resource/nearest_measurement.def"
#include "base/field/table.h"
const struct fields nearest_measurement_fields = FIELDS_INIT(nearest_row_rows);

enum { DIFFERENCE_MAX = 256 };

static struct nearest_row row_of(struct request_context *context, const struct evidence *evidence,
                                 const struct nearest_features *asked,
                                 const struct nearest_run *nearest)
{
    const struct measurement *run = &evidence->runs[nearest->features->run];
    const struct evidence_estimate *estimate = &evidence->estimates[nearest->features->run];
    char *difference = arena_alloc(context->arena, DIFFERENCE_MAX);

    nearest_describe(asked, nearest->features, difference, DIFFERENCE_MAX);
    return (struct nearest_row){
        .id = run->id,
        .difference = difference,
        .distance = nearest->distance,
        .model = text_given(run->model),
        .gpu = run->gpu,
        .gpu_count = evidence_gpus(run),
        .engine = text_given(evidence_software(run)),
        .precision = text_given(evidence_precision(run)),
        .quantity = evidence_quantity(run),
        .measured = run->measured,
        .estimated = estimate->middle,
        .ratio = estimate->middle / run->measured,
        .inside = run->measured >= estimate->low && run->measured <= estimate->high,
        .published = text_given(run->published),
        .source_url = run->url,
    };
}

bool nearest_measurements_answer(struct request_context *context,
                                 const struct nearest_features *asked)
{
    const struct evidence *evidence = evidence_of(context->catalog, context->arena);
    struct nearest_run found[NEAREST_MAX];
    size_t n = nearest_find(evidence, asked, found, NEAREST_MAX);
    struct nearest_row *rows = arena_alloc(context->arena, (n + 1) * sizeof(*rows));

    for (size_t i = 0; i < n; i++)
        rows[i] = row_of(context, evidence, asked, &found[i]);
    context_table(context, "nearest_measurements", rows, n, sizeof(*rows));
    bool far = nearest_is_far(found, n);
    if (far)
        context_warn(context, "no_near_measurement",
                     "no published run is similar to this: %s; measure a step or a token "
                     "yourself before you rely on it",
                     n ? rows[0].difference : "nothing similar was published");
    return far;
}

struct nearest_words nearest_measurements_words(struct request_context *context,
                                                const struct evidence *evidence,
                                                const struct nearest_features *asked)
{
    struct nearest_run found = {0};
    size_t n = nearest_find(evidence, asked, &found, 1);
    char *difference = arena_alloc(context->arena, DIFFERENCE_MAX);

    if (n == 0)
        return (struct nearest_words){.distance = (double)NAN};
    nearest_describe(asked, found.features, difference, DIFFERENCE_MAX);
    return (struct nearest_words){evidence->runs[found.features->run].id, difference,
                                  found.distance, !nearest_is_far(&found, n)};
}

void nearest_measurements_warn(struct request_context *context, size_t n_far, size_t n,
                               bool first_is_far)
{
    if (n_far == 0)
        return;
    context_warn(context, "no_near_measurement",
                 "no published run is similar to %s: see nearest_measurement_difference, and "
                 "measure a run yourself before you rely on them",
                 n_far == n && n > 1
                     ? arena_print(context->arena, "any of the %zu options listed", n)
                     : arena_print(context->arena, "%zu of the %zu options listed%s", n_far, n,
                                   first_is_far ? ", the first of them included" : ""));
}

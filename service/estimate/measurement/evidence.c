#include "estimate/measurement/evidence.h"

#include "estimate/measurement/nearest.h"
#include "estimate/measurement/own_run.h"

#include <math.h>
#include <string.h>

static const struct evidence none;
static const char memo_key;

/* Everything the estimates depend on. */
struct basis {
    const struct catalog *catalog;
    struct training_constants training;
    struct inference_constants inference;
    struct training_calendar calendar;
    double goodput, memory_utilization;
};

static const struct evidence_estimate unknown = {(double)NAN, (double)NAN, (double)NAN, 0};

/* A whole run is planned from model, GPUs and tokens, with the usual goodput and calendar. */
static struct evidence_estimate estimate_training(const struct basis *basis,
                                                  const struct measurement *measured,
                                                  struct nearest_features *features)
{
    struct training_goal goal = {.tokens = measured->tokens,
                                 .goodput = basis->goodput,
                                 .model_flops_utilization = (double)NAN,
                                 .deadline_days = (double)NAN,
                                 .budget = (double)NAN,
                                 .price_per_gpu_hour = (double)NAN};
    struct training_run run;
    struct training_plan plan;
    struct err err = {0};

    if (!training_run_read(measured, basis->catalog, &basis->training, &run, &err) ||
        !training_search(&run.job, &run.pinned, &plan))
        return unknown;
    goal.calendar =
        run.job.shape.moe ? training_calendar_of_mixture(basis->calendar) : basis->calendar;
    struct training_totals totals = training_totals(&run.job, &plan, &goal);
    if (strcmp(measured->kind, "whole_run") == 0)
        return (struct evidence_estimate){totals.gpu_hours, totals.gpu_hours_low,
                                          totals.gpu_hours_high, 0};
    *features = nearest_of_training(&run.job, &plan.on);
    return (struct evidence_estimate){totals.step_seconds, totals.step_seconds_low,
                                      totals.step_seconds_high, 0};
}

static struct evidence_estimate estimate_inference(const struct basis *basis,
                                                   const struct measurement *measured,
                                                   struct nearest_features *features)
{
    const struct gpu *gpu = catalog_gpu(basis->catalog, measured->gpu);
    const struct model *model = catalog_model(basis->catalog, measured->model);
    struct inference_run run;
    struct err err = {0};

    if (!gpu || !model)
        return unknown;
    struct model_shape shape = model_shape_of(model);
    if (!inference_run_read(measured, gpu, &shape, basis->memory_utilization, &run, &err))
        return unknown;
    struct inference inference = inference_of(&basis->inference, &run.job);
    double seconds = inference_run_seconds(&inference, &run);
    double factor = inference_run_interval(&inference, &run);
    if (run.kind != INFERENCE_RUN_OFFLINE && run.kind != INFERENCE_RUN_PREFILL)
        *features =
            nearest_of_inference(&run.job, run.kind == INFERENCE_RUN_STREAM ? 1 : run.concurrency);
    return (struct evidence_estimate){seconds, seconds / factor, seconds * factor, 0};
}

static bool is_training(const struct measurement *run)
{
    return strcmp(run->kind, "training") == 0 || strcmp(run->kind, "whole_run") == 0;
}

static bool basis_of(const struct catalog *catalog, struct basis *basis)
{
    const struct assumption *calendar = catalog_assumption(catalog, "calendar_ratio", "");
    struct err err = {0};

    basis->catalog = catalog;
    basis->goodput = catalog_default(catalog, "goodput", "");
    basis->memory_utilization = catalog_default(catalog, "pool", "");
    if (calendar)
        basis->calendar =
            (struct training_calendar){calendar->value, calendar->low, calendar->high};
    return training_constants_fill(catalog, &basis->training, &err) &&
           inference_constants_load(catalog, &basis->inference, &err);
}

static const struct evidence_own *work_out_own(const struct basis *basis, struct arena *arena)
{
    const struct catalog *catalog = basis->catalog;
    struct own_run_basis own_basis = {&basis->training, &basis->inference,
                                      basis->memory_utilization};
    struct evidence_own *own = arena_alloc(arena, (catalog->n_own_runs + 1) * sizeof(*own));

    for (size_t i = 0; i < catalog->n_own_runs; i++)
        own[i] = own_run_estimate(catalog, &own_basis, &catalog->own_runs[i]);
    return own;
}

static void estimate_runs(const struct basis *basis, struct evidence_estimate *estimates,
                          struct nearest_features *features)
{
    const struct catalog *catalog = basis->catalog;

    for (size_t i = 0; i < catalog->n_measurements; i++) {
        const struct measurement *run = &catalog->measurements[i];
        features[i] = nearest_of_nothing();
        estimates[i] = is_training(run) ? estimate_training(basis, run, &features[i])
                                        : estimate_inference(basis, run, &features[i]);
        features[i].run = i;
    }
    nearest_sort(features, catalog->n_measurements);
}

/* What the former catalogue says of its published runs, if the estimates for them rest on the same
 * rows as in the new one; else NULL. */
static const struct evidence *unchanged(const struct catalog *catalog, const struct catalog *former)
{
    bool same = former && former->runs_stamp && catalog->runs_stamp &&
                strcmp(former->runs_stamp, catalog->runs_stamp) == 0 &&
                strcmp(former->figures_stamp, catalog->figures_stamp) == 0;

    return same ? catalog_memo_get(former, &memo_key) : NULL;
}

/* The names are those of the catalogue's own GPUs, since the former catalogue will be freed. */
static void copy_runs(const struct catalog *catalog, const struct evidence *former,
                      struct evidence_estimate *estimates, struct nearest_features *features)
{
    memcpy(estimates, former->estimates, former->n * sizeof(*estimates));
    memcpy(features, former->features, former->n * sizeof(*features));
    for (size_t i = 0; i < former->n; i++) {
        const struct gpu *gpu = features[i].gpu ? catalog_gpu(catalog, features[i].gpu) : NULL;
        features[i].gpu = gpu ? gpu->slug : NULL;
        features[i].architecture = gpu ? gpu->architecture : NULL;
    }
}

/* NULL if the catalogue lacks constants: it is then refused as a whole. */
static const struct evidence *work_out(const struct catalog *catalog, const struct catalog *former,
                                       struct arena *arena)
{
    struct evidence *evidence = arena_alloc(arena, sizeof(*evidence));
    struct evidence_estimate *estimates =
        arena_alloc(arena, (catalog->n_measurements + 1) * sizeof(*estimates));
    struct nearest_features *features =
        arena_alloc(arena, (catalog->n_measurements + 1) * sizeof(*features));
    const struct evidence *kept = unchanged(catalog, former);
    struct basis basis;

    if (!basis_of(catalog, &basis))
        return NULL;
    if (kept)
        copy_runs(catalog, kept, estimates, features);
    else
        estimate_runs(&basis, estimates, features);
    *evidence = (struct evidence){
        catalog->measurements,       estimates,           features, catalog->n_measurements,
        work_out_own(&basis, arena), catalog->n_own_runs,
    };
    return evidence;
}

void evidence_memoize(struct catalog *catalog, const struct catalog *former)
{
    const struct evidence *evidence = work_out(catalog, former, &catalog->arena);

    if (evidence)
        catalog_memo_put(catalog, &memo_key, evidence);
}

const struct evidence *evidence_of(const struct catalog *catalog, struct arena *arena)
{
    if (catalog->origin)
        catalog = catalog->origin;
    const struct evidence *of =
        catalog->now ? work_out(catalog, NULL, arena) : catalog_memo_get(catalog, &memo_key);

    return of ? of : &none;
}

const char *evidence_software(const struct measurement *run)
{
    return run->engine[0] ? run->engine : run->stack;
}

const char *evidence_precision(const struct measurement *run)
{
    return run->weight_dtype[0] ? run->weight_dtype : run->precision;
}

double evidence_gpus(const struct measurement *run)
{
    return isnan(run->gpu_count) ? run->tensor_parallel * run->pipeline_parallel : run->gpu_count;
}

const char *evidence_quantity(const struct measurement *run)
{
    return strcmp(run->kind, "training") == 0    ? "step_seconds"
           : strcmp(run->kind, "whole_run") == 0 ? "gpu_hours"
           : strcmp(run->kind, "static") == 0    ? "batch_seconds"
           : strcmp(run->kind, "prefill") == 0   ? "prefill_seconds"
                                                 : "time_per_output_token_seconds";
}

const char *evidence_unit(const struct measurement *run)
{
    return strcmp(run->kind, "whole_run") == 0 ? "GPU-hours" : "s";
}

#include "estimate/measurement/own_run.h"

#include "base/number.h"
#include "base/units.h"
#include "estimate/measurement/bound.h"
#include "estimate/training/plan/cost.h"

#include <math.h>
#include <string.h>

bool own_run_is_training(const struct measurement *run)
{
    return strcmp(run->kind, "training") == 0;
}

/* What its measured memory counts. */
static enum training_memory_kind memory_kind_of(const struct measurement *run)
{
    return run->memory_kind[0] ? (enum training_memory_kind)training_memory_find(run->memory_kind)
                               : TRAINING_MEMORY_ALLOCATED;
}

double own_run_memory(const struct evidence_own *own)
{
    return own->run->memory_gib > 0 && own->memory_estimated > 0 ? own->memory_estimated : 0;
}

static void estimate_training(const struct catalog *catalog, const struct own_run_basis *basis,
                              struct evidence_own *own)
{
    struct training_goal goal = {.goodput = 1,
                                 .model_flops_utilization = (double)NAN,
                                 .deadline_days = (double)NAN,
                                 .budget = (double)NAN,
                                 .price_per_gpu_hour = (double)NAN};
    struct training_run run;
    struct training_plan plan;
    struct err err = {0};

    if (!training_run_read(own->run, catalog, basis->training, &run, &err))
        return;
    /* As in today's plans; published runs state it. */
    run.job.chunked_loss = training_compiles_loss(&run.job);
    if (!training_search(&run.job, &run.pinned, &plan))
        return;
    double tokens = plan.on.batch_sequences * run.job.sequence_tokens;
    struct training_totals totals = training_totals(&run.job, &plan, &goal);
    own->estimated = plan.step.seconds;
    own->low = totals.step_seconds_low;
    own->high = totals.step_seconds_high;
    own->least = training_hours_at_peak(&run.job, plan.on.gpu_count, tokens) * SECONDS_PER_HOUR;
    own->features = nearest_of_training(&run.job, &plan.on);
    own->parts = carry_parts_of_step(&plan.step);
    own->memory_estimated = training_memory_of(&plan.memory, memory_kind_of(own->run));
    own->least_bytes = bound_training_bytes(&run.job, plan.on.gpu_count);
    own->capacity_bytes = run.gpu.memory_bytes;
}

bool own_run_inference(const struct catalog *catalog, const struct own_run_basis *basis,
                       const struct measurement *run, struct inference_run *read,
                       struct inference *inference)
{
    const struct gpu *gpu = catalog_gpu(catalog, run->gpu);
    const struct model *model = catalog_model(catalog, run->model);
    struct err err = {0};

    if (!gpu || !model)
        return false;
    struct model_shape shape = model_shape_of(model);
    if (!inference_run_read(run, gpu, &shape, basis->memory_utilization, read, &err))
        return false;
    *inference = inference_of(basis->inference, &read->job);
    return true;
}

/* What the engine held beyond the estimate, which is left with the weights that it held. */
static struct memory_seen seen_by(const struct measurement *run, const struct inference_run *read,
                                  struct inference *inference)
{
    struct memory_seen seen = {
        run->weights_gib * GIB / (inference->pool.weights - inference->pool.adapters) - 1,
        (double)NAN};
    struct inference_job job = read->job;

    if (isnan(run->kv_cache_tokens))
        return seen;
    job.seen.weights = number_or(seen.weights, 0);
    struct inference with = inference_of(inference->constants, &job);
    seen.cache = run->kv_cache_tokens * with.pool.bytes_per_token - with.pool.bytes;
    return seen;
}

static void estimate_inference(const struct catalog *catalog, const struct own_run_basis *basis,
                               struct evidence_own *own)
{
    struct inference_run run;
    struct inference inference;

    if (!own_run_inference(catalog, basis, own->run, &run, &inference))
        return;
    const struct gpu *gpu = run.job.gpu;
    struct served served = inference_serve(&inference, run.concurrency);
    double factor = inference_run_interval(&inference, &run);
    own->estimated = served.tpot;
    own->low = served.tpot / factor;
    own->high = served.tpot * factor;
    own->least = bound_token_seconds(&inference, served.batch);
    own->first_estimated = served.ttft;
    own->first_least = bound_first_token_seconds(&inference);
    own->least_bytes = bound_weights_per_gpu(&inference);
    own->capacity_bytes = gpu->memory_bytes;
    own->features = nearest_of_inference(&run.job, run.concurrency);
    own->parts = carry_parts_of_serving(&served);
    own->seen = seen_by(own->run, &run, &inference);
}

struct evidence_own own_run_estimate(const struct catalog *catalog,
                                     const struct own_run_basis *basis,
                                     const struct measurement *run)
{
    double unknown = (double)NAN;
    struct evidence_own own = {run,
                               unknown,
                               unknown,
                               unknown,
                               unknown,
                               unknown,
                               unknown,
                               unknown,
                               unknown,
                               unknown,
                               nearest_of_nothing(),
                               {{0}},
                               {unknown, unknown}};

    if (own_run_is_training(run))
        estimate_training(catalog, basis, &own);
    else
        estimate_inference(catalog, basis, &own);
    return own;
}

bool own_run_judge(const struct catalog *catalog, const struct measurement *run,
                   struct evidence_own *judged, struct err *err)
{
    struct training_constants training;
    struct inference_constants inference;

    if (!training_constants_fill(catalog, &training, err) ||
        !inference_constants_load(catalog, &inference, err))
        return false;
    struct own_run_basis basis = {&training, &inference, catalog_default(catalog, "pool", "")};
    *judged = own_run_estimate(catalog, &basis, run);
    return true;
}

#include "estimate/inference/serving/search.h"

#include "estimate/inference/serving/disaggregation.h"
#include "estimate/inference/serving/design_cache.h"
#include "estimate/inference/serving/pools.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/routing.h"

#include <math.h>

static const double ALIKE = 0.05;

struct search {
    const struct serving_request *request;
    struct serving_variant *variant;
    struct serving_plan best, nearest; /* the nearest design if none meets every limit */
    bool found, tried;
    bool puts_off; /* defer evaluation until the last design of a size is known */
    struct serving_replica replica;
    struct serving_design design; /* the deferred design */
    const struct serving_design
        *to_beat; /* best design so far (evaluated or deferred), NULL if none */
};

bool serving_meets(const struct serving_plan *plan)
{
    return plan->fits && plan->meets_load && plan->meets_limits && isfinite(plan->mean.tpot);
}

/* Fewer GPUs first, then fewer stages (the fit has no runs with stages); negative if a has
 * fewer. */
static int compare(const struct serving_design *a, const struct serving_design *b)
{
    int gpus = (a->gpu_count > b->gpu_count) - (a->gpu_count < b->gpu_count);

    return gpus ? gpus : (a->pipeline > b->pipeline) - (a->pipeline < b->pipeline);
}

/* Number of features a design uses: tensor, attention data and pipeline parallelism, separate
 * prefill, replicas larger than a link domain. Fewer are simpler to run; of such replicas, as a
 * fault stops a whole one, the smaller (AMD's wide-ep-deepseek, see splits.c). */
static double dimensions(const struct inference_job *job, const struct serving_design *design)
{
    double groups = fmax(1, design->attention_data);
    double within = fmax(job->gpus_per_node, inference_link_domain(job->gpu, job->bridged));
    double size = design->tensor * design->pipeline, across = size > within ? 2 - within / size : 0;

    return (design->tensor > groups) + (groups > 1) + (design->pipeline > 1) +
           (design->prefill_replicas > 0) + across;
}

double serving_complexity(const struct inference_job *job, const struct serving_design *design)
{
    const double kinds = 8; /* larger than the number of dimensions */

    return (design->pipeline - 1) * kinds + dimensions(job, design);
}

/* At equal numbers of GPUs and stages the simpler design wins, then the faster. */
static bool better(const struct serving_plan *a, const struct serving_plan *b)
{
    double slower = a->kept.latency / b->kept.latency;
    double more =
        dimensions(&a->inference.job, &a->design) - dimensions(&b->inference.job, &b->design);
    int order = compare(&a->design, &b->design);

    if (order)
        return order < 0;
    if (more != 0)
        return more < 0;
    if (fabs(slower - 1) > 1e-9)
        return slower < 1;
    if (a->design.tensor != b->design.tensor)
        return a->design.tensor < b->design.tensor;
    return a->design.attention_data < b->design.attention_data;
}

/* 0: does not fit in memory, 1: too slow even for one request, 2: does not carry the load, 3: meets
 * it.
 */
static int rank(const struct serving_plan *plan)
{
    bool alone = plan->limited_requests_per_second > 0;

    return !plan->fits ? 0 : !alone ? 1 : !plan->meets_load ? 2 : 3;
}

bool serving_nearer(const struct serving_plan *a, const struct serving_plan *b)
{
    int of_a = rank(a), of_b = rank(b);

    if (of_a != of_b)
        return of_a > of_b;
    if (of_a == 0)
        return a->memory_shortfall_bytes < b->memory_shortfall_bytes;
    if (of_a == 1) { /* the fastest for a single request, or fewer GPUs at about the same speed */
        double slower = a->lone.request_seconds / b->lone.request_seconds;
        if (fabs(slower - 1) > ALIKE)
            return slower < 1;
        return a->design.gpu_count < b->design.gpu_count;
    }
    return a->limited_requests_per_second > b->limited_requests_per_second;
}

static void keep(struct search *search, const struct serving_plan *plan)
{
    if (serving_meets(plan)) {
        if (!search->found || better(plan, &search->best))
            search->best = *plan;
        search->found = true;
        search->to_beat = &search->best.design;
    } else if (!search->tried || serving_nearer(plan, &search->nearest)) {
        search->nearest = *plan;
        search->tried = true;
    }
}

/* Decode replicas for a pinned number of GPUs. */
static double replicas_of(const struct serving_request *request,
                          const struct serving_replica *replica)
{
    const struct inference_job *job = &replica->inference.job;
    double all = request->pinned.gpu_count / (job->tensor * job->pipeline);

    if (!job->separate_prefill)
        return all;
    if (!isnan(request->pinned.prefill_replicas))
        return all - request->pinned.prefill_replicas;
    return replica->fits ? serving_decode_replicas(request, replica, all) : fmax(1, all - 1);
}

double serving_replicas(const struct serving_request *request,
                        const struct serving_replica *replica)
{
    if (!isnan(request->pinned.replicas))
        return request->pinned.replicas;
    if (!isnan(request->pinned.gpu_count))
        return replicas_of(request, replica);
    double needed = serving_replicas_needed(request, replica);
    return isnan(needed) ? 1 : needed + request->spare_replicas;
}

/* Correct the plain replica for that many GPUs and return how many are needed then. */
static bool correct(const struct serving_request *request, const struct serving_replica *plain,
                    const struct serving_design *design, struct serving_replica *replica,
                    double *needed)
{
    *replica = *plain;
    if (!serving_replica_correct(request, design, replica))
        return false;
    serving_replica_limit(request, replica);
    serving_replica_size(replica);
    *needed = serving_replicas(request, replica);
    return true;
}

static void seek_fewest(const struct serving_request *request, struct serving_design *design,
                        struct serving_replica *replica)
{
    enum { TRIES = 16 };
    const struct serving_replica plain = *replica;
    bool stated = !isnan(request->pinned.replicas) || !isnan(request->pinned.gpu_count);
    double low = 0, high = (double)INFINITY, needed;

    for (int i = 0; i < TRIES && correct(request, &plain, design, replica, &needed); i++) {
        if (stated || (needed <= design->replicas && design->replicas <= low + 1))
            return;
        if (needed <= design->replicas)
            high = design->replicas;
        else
            low = design->replicas;
        if (high <= low + 1)
            break;
        design->replicas = fmax(low + 1, fmin(needed, high - 1));
    }
    if (isfinite(high)) {
        design->replicas = high;
        (void)correct(request, &plain, design, replica, &needed);
    }
}

void serving_replicas_correct(const struct serving_request *request, struct serving_design *design,
                              struct serving_replica *replica)
{
    if (request->residuals.correct)
        seek_fewest(request, design, replica);
}

static void evaluate(struct search *search, struct serving_replica *replica,
                     const struct serving_design *design)
{
    struct serving_plan plan;

    serving_replica_route(search->request, design->replicas, replica);
    serving_replica_finish(replica);
    serving_evaluate_with(search->request, replica, design, &plan);
    keep(search, &plan);
}

/* A deferred design is only sized for the load; evaluated, it should meet the limits. */
static void settle(struct search *search)
{
    if (search->to_beat == &search->design)
        evaluate(search, &search->replica, &search->design);
}

/* A design that is not beaten is deferred until no better one can come; it is evaluated when
 * another of the same size has to be compared by latency. */
static void put_off(struct search *search, const struct serving_replica *replica,
                    const struct serving_design *design)
{
    if (!serving_keeps_some(search->request, replica))
        return; /* it breaks a limit with one request, or does not fit in memory */
    if (search->to_beat && compare(design, search->to_beat) == 0)
        settle(search);
    else
        search->found = false;
    search->replica = *replica;
    search->design = *design;
    search->to_beat = &search->design;
}

/* True if a lower bound of the replicas needed already takes more GPUs than the best design. */
static bool is_beaten(const struct search *search, const struct serving_replica *replica)
{
    const struct serving_request *request = search->request;
    const struct inference_job *job = &replica->inference.job;

    if (!search->to_beat || !search->puts_off || !replica->fits || request->load != SERVING_RATE)
        return false;
    bool sized = replica->mean_within > 0 && !serving_routes(request);
    double in_flight = sized ? replica->mean_within : replica->batch_within;
    double most = serving_rate_most_sized(request, &replica->inference, in_flight);
    double fewest = fmax(1, ceil(request->amount * request->peak_ratio / most));
    struct serving_design least = {.tensor = job->tensor, .pipeline = job->pipeline};
    least.replicas = fewest + request->spare_replicas;
    double prefill = serving_pools_prefill_least(request, &replica->inference);
    if (prefill > 0)
        least.gpu_count = job->tensor * job->pipeline * (least.replicas + prefill);
    else if (!serving_set_prefill(request, replica, &least))
        return false;
    return compare(&least, search->to_beat) > 0;
}

/* The largest number of replicas, without spare ones, at which a design is not yet beaten. */
static double most_replicas(const struct search *search, const struct inference *inference)
{
    double gpus = inference->job.tensor * inference->job.pipeline;
    struct serving_design most = {.pipeline = inference->job.pipeline};
    double whole = floor(search->to_beat->gpu_count / gpus);

    most.gpu_count = gpus * whole;
    if (compare(&most, search->to_beat) > 0)
        whole--;
    return whole - search->request->spare_replicas -
           serving_pools_prefill_least(search->request, inference);
}

/* Whether the most replicas that are not beaten would break a limit, which they do the less the
 * fewer requests each has: then the rate within the limits need not be sought. */
static bool is_too_late(const struct search *search, const struct serving_replica *replica)
{
    const struct serving_request *request = search->request;
    const struct inference *inference = &replica->inference;

    if (!search->to_beat || !search->puts_off || !replica->fits || !serving_is_open(inference) ||
        !serving_limited(&request->limits))
        return false;
    double replicas = most_replicas(search, inference);
    if (!(replicas >= 1))
        return false;
    double rate = request->amount * request->peak_ratio / replicas;
    return serving_breaks(request, inference, rate, replicas);
}

/* What the two bounds cost as a fraction of sizing a replica within limits. */
static const double BEATEN_COST = 0.01, TOO_LATE_COST = 0.1;

/* Size a replica that no earlier search did; false if it would be beaten. One that bounds refused
 * until they cost as much is sized all the same, for the searches to come. */
static bool size(const struct search *search, struct design_cache_entry *entry,
                 const struct serving_design *design, struct serving_replica *replica)
{
    bool due = entry && entry->spent >= 1;

    serving_replica_of(&search->variant->unsplit, design, replica);
    bool beaten = !due && is_beaten(search, replica);
    if (beaten || (!due && is_too_late(search, replica))) {
        if (entry)
            entry->spent += beaten ? BEATEN_COST : TOO_LATE_COST;
        return false;
    }
    double held = replica->batch_within;
    if (serving_routes(search->request)) { /* sized when their number is known */
        (void)serving_replica_alone(search->request, replica);
    } else {
        serving_replica_limit(search->request, replica);
        if (!entry && replica->mean_within < held && is_beaten(search, replica))
            return false;
        serving_replica_size(replica);
    }
    if (entry)
        design_cache_put(search->request, entry, replica);
    return true;
}

/* Try one sharding; false if memory rules it out. */
static bool consider(struct search *search, const struct serving_split *split, double pipeline)
{
    struct design_cache_entry *entry =
        design_cache_entry(search->request, search->variant, split, pipeline);
    struct serving_design design = {
        .tensor = split->tensor, .attention_data = split->attention_data, .pipeline = pipeline};
    double gpus = split->tensor * pipeline;
    struct serving_replica replica;

    if (!isnan(search->request->pinned.gpu_count) &&
        fmod(search->request->pinned.gpu_count, gpus) != 0)
        return true;
    if (entry && entry->sized)
        replica = *entry->sized;
    else if (!size(search, entry, &design, &replica))
        return true; /* it does fit */
    if (search->request->job.separate_prefill && is_beaten(search, &replica))
        return replica.fits;
    design.replicas = serving_replicas(search->request, &replica);
    serving_replicas_correct(search->request, &design, &replica);
    if (!serving_set_prefill(search->request, &replica, &design))
        return true;
    if (design.gpu_count > SERVING_GPUS_MAX)
        return true;
    if (search->to_beat && compare(&design, search->to_beat) > 0)
        return replica.fits;
    if (search->puts_off)
        put_off(search, &replica, &design);
    else
        evaluate(search, &replica, &design);
    return replica.fits;
}

/* Add stages only while a replica has at most `connected_most` GPUs, while it fills at most one
 * node or does not fit yet, and while a single replica can still be better than the best. */
static bool is_enough(const struct search *search, double tensor, double stages, bool fitted)
{
    struct serving_design one = {.pipeline = stages, .gpu_count = tensor * stages};
    double most = search->request->connected_most;

    return (most > 0 && one.gpu_count > most) ||
           (one.gpu_count > search->request->job.gpus_per_node && fitted) ||
           (search->to_beat && compare(&one, search->to_beat) > 0);
}

static void try_stages(struct search *search, const struct serving_split *split)
{
    const struct inference_job *job = &search->request->job;
    bool fitted = false;

    if (!isnan(search->request->pinned.pipeline)) {
        if (!is_enough(search, split->tensor, search->request->pinned.pipeline, false))
            consider(search, split, search->request->pinned.pipeline);
        return;
    }
    for (double p = 1; p <= job->shape.layers; p++) {
        if (is_enough(search, split->tensor, p, fitted))
            break;
        if (serving_suits_nodes(search->request, split->tensor, p))
            fitted |= consider(search, split, p);
    }
}

/* In order of candidates: on a tie for nearest the first one stays. */
static void try_all(struct search *search)
{
    for (size_t i = 0; i < search->variant->n_splits; i++)
        try_stages(search, &search->variant->splits[i]);
}

/* Try fewer pipeline stages first: at equal GPU count, deeper pipelines are then pruned before
 * sizing. */
static void try_by_stages(struct search *search)
{
    const struct serving_request *request = search->request;
    bool fitted[SERVING_SPLITS_MAX] = {false}, more = true;

    for (double p = 1; more && p <= request->job.shape.layers; p++) {
        more = false;
        for (size_t i = 0; i < search->variant->n_splits; i++) {
            const struct serving_split *split = &search->variant->splits[i];
            if (is_enough(search, split->tensor, p, fitted[i]))
                continue;
            more = true;
            if (serving_suits_nodes(request, split->tensor, p))
                fitted[i] |= consider(search, split, p);
        }
    }
}

/* Why a replica cannot be smaller: the limit that the next smaller one breaks. */
static enum serving_limit why_no_smaller(const struct search *search)
{
    const struct serving_design *best = &search->best.design;
    const struct serving_split *splits = search->variant->splits;
    struct serving_design smaller = {0};
    struct serving_replica replica;
    struct serving_plan plan;

    for (size_t i = 0; i < search->variant->n_splits; i++)
        for (double t = splits[i].tensor, p = best->pipeline; p >= 1; p--)
            if (t * p < best->gpu_count && t * p > smaller.gpu_count &&
                serving_suits_nodes(search->request, t, p))
                smaller = (struct serving_design){.tensor = t,
                                                  .attention_data = splits[i].attention_data,
                                                  .pipeline = p,
                                                  .replicas = 1,
                                                  .gpu_count = t * p};
    if (smaller.gpu_count < 1)
        return SERVING_NOTHING;
    serving_replica_of(&search->variant->unsplit, &smaller, &replica);
    (void)serving_replica_correct(search->request, &smaller, &replica);
    serving_replica_limit(search->request, &replica);
    serving_replica_finish(&replica);
    (void)serving_set_prefill(search->request, &replica, &smaller);
    serving_evaluate_with(search->request, &replica, &smaller, &plan);
    return plan.binding;
}

static void begin(struct search *search, const struct serving_request *request,
                  struct serving_variant *own)
{
    *search = (struct search){.request = request, .variant = design_cache_variant(request, own)};
}

/* Open numbers of replicas are set to what should suffice, so that the smallest design is known
 * before any is evaluated. If it does not suffice after all, every design is evaluated; likewise if
 * measured runs may make a design faster than the bounds used for pruning. */
bool serving_search_below(const struct serving_request *request, double below,
                          struct serving_plan *plan)
{
    const struct serving_design *pinned = &request->pinned;
    const struct serving_design bound = {.gpu_count = below - 1, .pipeline = (double)INFINITY};
    const struct serving_design *bounded = isfinite(below) ? &bound : NULL;
    struct serving_variant own;
    struct search search;

    begin(&search, request, &own);
    search.to_beat = bounded;
    search.puts_off = isnan(pinned->replicas) && isnan(pinned->gpu_count) &&
                      request->load != SERVING_BATCH && !request->residuals.correct;
    if (search.puts_off) {
        if (isnan(pinned->pipeline))
            try_by_stages(&search);
        else
            try_all(&search);
        settle(&search);
    }
    if (!search.found && (!bounded || !search.puts_off || search.to_beat != bounded)) {
        search.puts_off = search.tried = false;
        search.to_beat = bounded;
        try_all(&search);
    }
    if (search.found || !bounded)
        *plan = search.found ? search.best : search.nearest;
    if (search.found && plan->design.replicas == 1 && !request->listed)
        plan->binding = why_no_smaller(&search);
    return search.found;
}

void serving_search_nearest(const struct serving_request *request, struct serving_plan *plan)
{
    struct serving_variant own;
    struct search search;

    begin(&search, request, &own);
    try_all(&search);
    *plan = search.found ? search.best : search.nearest;
}

bool serving_is_stated(const struct serving_design *pinned)
{
    return !isnan(pinned->gpu_count) || (!isnan(pinned->tensor) && !isnan(pinned->replicas));
}

#include "estimate/inference/serving/serving.h"

#include "base/units.h"
#include "estimate/inference/communication.h"
#include "estimate/inference/serving/disaggregation.h"
#include "estimate/inference/serving/pools.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/routing.h"

#include <math.h>

double serving_requests_per_minute(double daily_users, double requests_per_user_per_day)
{
    return daily_users * requests_per_user_per_day / (SECONDS_PER_DAY / SECONDS_PER_MINUTE);
}

void serving_set_load(struct serving_request *request, double batch, double concurrent,
                      double requests_per_minute, double tokens_per_day)
{
    const struct inference_job *job = &request->job;
    double per_request = job->input_tokens + (job->writes_nothing ? 0 : job->output_tokens);

    request->load_stated = true;
    request->load = SERVING_RATE;
    if (!isnan(requests_per_minute)) {
        request->amount = requests_per_minute / SECONDS_PER_MINUTE;
    } else if (!isnan(tokens_per_day)) {
        request->amount = tokens_per_day / per_request / SECONDS_PER_DAY;
    } else if (!isnan(batch)) {
        request->load = SERVING_BATCH;
        request->amount = batch;
    } else {
        request->load = SERVING_CONCURRENT;
        request->load_stated = !isnan(concurrent);
        request->amount = request->load_stated ? concurrent : 1;
    }
    request->job.open_arrivals = request->load == SERVING_RATE;
    request->job.in_step =
        !request->job.open_arrivals && request->job.input_cv == 0 && request->job.output_cv == 0;
}

/* The lesser; NAN if either is, unlike fmin(). */
static double lesser(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : fmin(a, b);
}

static struct range range_of(double middle, double factor)
{
    return (struct range){middle, middle / factor, middle * factor};
}

/* In flight per replica: mean, and 95th percentile. */
static void set_batches(const struct serving_request *request, struct serving_plan *plan)
{
    plan->batch = serving_in_flight(request, &plan->inference, plan->design.replicas);
    if (request->load == SERVING_BATCH)
        plan->batch_p95 = plan->batch;
    else if (request->load == SERVING_CONCURRENT)
        plan->batch_p95 = ceil(plan->batch);
    else
        plan->batch_p95 = isnan(plan->batch)
                              ? plan->batch
                              : queue_routed_quantile(SERVING_TAIL_SHARE, plan->batch,
                                                      plan->inference.job.routed);
}

/* The capacity of replicas that only read is what they read when busy all of the time, as that of
 * the others is with a full cache. */
static void set_capacity(const struct serving_request *request,
                         const struct serving_replica *replica, struct serving_plan *plan)
{
    double replicas = plan->design.replicas;
    double prompts = serving_prompt_rate(&plan->inference, &plan->design);
    double busy = plan->inference.constants->prefill_utilization;
    double most = request->load == SERVING_RATE ? prompts / busy : prompts;

    plan->capacity_requests_per_second = lesser(replicas * replica->rate, most);
    plan->capacity_tokens_per_second =
        plan->capacity_requests_per_second * plan->inference.job.output_tokens;
    prompts *= serving_reading_most(request, &plan->inference) / busy;
    plan->limited_requests_per_second = lesser(replicas * replica->rate_within, prompts);
    plan->binding = prompts < replicas * replica->rate_within ? SERVING_PROMPTS : replica->limit;
}

/* With the same relative interval as the mean request at that load. */
static struct range like_request(const struct serving_plan *plan, double middle)
{
    const struct served *mean = &plan->mean;
    const struct range *token = &plan->tpot;
    double rest = (mean->request_seconds - mean->ttft) / token->middle;

    return (struct range){middle,
                          middle * (plan->ttft.low + rest * token->low) / mean->request_seconds,
                          middle * (plan->ttft.high + rest * token->high) / mean->request_seconds};
}

/* Requests per second that arrive at random at a replica and are carried; NAN otherwise. */
static double carried_rate(const struct serving_request *request, const struct serving_plan *plan)
{
    if (request->load != SERVING_RATE || !inference_mixes_arrivals(&plan->inference.job) ||
        isnan(plan->batch))
        return (double)NAN;
    return request->amount * request->peak_ratio / plan->design.replicas;
}

/* Clients of a fixed number, whose prompts are read by replicas of a known number. */
static bool prefill_decides(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return job->separate_prefill && !job->open_arrivals && inference_knows_readers(job);
}

static void set_ranges(const struct serving_request *request, struct serving_plan *plan)
{
    const struct inference *inference = &plan->inference;
    double token = inference_load_interval(inference, plan->batch),
           prompt = inference_interval(inference, inference_prefill_interval(inference)), low, high;
    double rate = carried_rate(request, plan);

    inference_ttft_range(inference, &low, &high);
    if (inference->job.static_batching) {
        low = 1 / prompt;
        high = prompt;
    }
    plan->sway = (struct sway){1, 1, 1, 1, 1, 1, 1};
    if (!isnan(rate) && !request->listed)
        plan->sway =
            sway_of(inference, &plan->mean, rate, serving_most_in_flight(inference), token);
    if (prefill_decides(inference) && !request->listed)
        plan->sway = sway_of_readers(inference, &plan->mean, low, high);
    if (plan->latency.ttft_p95_least > 0) {
        plan->sway.slots_low = plan->latency.ttft_p95_least / plan->latency.ttft_p95;
        plan->sway.slots_high = plan->latency.ttft_p95_most / plan->latency.ttft_p95;
    }
    plan->prefill = range_of(inference->prefill.one, prompt);
    double each = latency_token(&plan->latency, plan->mean.tpot);
    plan->tpot = (struct range){each, each / token * plan->sway.token_low,
                                each * token * plan->sway.token_high};
    low *= plan->sway.first_low;
    high *= plan->sway.first_high;
    plan->ttft = (struct range){plan->mean.ttft, plan->mean.ttft * low, plan->mean.ttft * high};
    plan->latency_p50 = like_request(plan, plan->latency.p50);
    plan->latency_p95 = like_request(plan, plan->latency.p95);
    plan->ttft_p95 =
        (struct range){plan->latency.ttft_p95, plan->latency.ttft_p95 * low * plan->sway.slots_low,
                       plan->latency.ttft_p95 * high * plan->sway.slots_high};
}

/* The most the design can write when nobody waits for an answer; GPUs that only read prompts are
 * busy all of the time. */
static void set_offline(const struct serving_replica *replica, struct serving_plan *plan)
{
    const struct inference *inference = &plan->inference;
    double read = serving_prompt_rate(inference, &plan->design) /
                  inference->constants->prefill_utilization * inference->job.output_tokens;

    plan->offline_tokens_per_second = range_of(fmin(plan->design.replicas * replica->offline, read),
                                               inference_offline_interval(inference));
}

/* Output: from the load if that is a rate, else from the requests in flight. */
static void set_output(const struct serving_request *request, struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;
    double u = inference_load_interval(&plan->inference, plan->batch);
    double capacity = plan->capacity_tokens_per_second, written, low, high;

    if (request->load == SERVING_RATE) {
        double asked = request->amount * job->output_tokens;
        written = lesser(asked, capacity);
        low = lesser(asked, capacity / u);
        high = lesser(asked, capacity * u);
    } else {
        double read = serving_prompt_rate(&plan->inference, &plan->design) * job->output_tokens;
        written = lesser(plan->design.replicas * plan->mean.output_tokens_per_second, read);
        low = written / u;
        high = written * u;
    }
    plan->output_tokens_per_second = (struct range){written, low, high};
    plan->requests_per_second = written / job->output_tokens;
    plan->utilization = lesser(1, written / capacity);
    plan->user_tokens_per_second = 1 / plan->tpot.middle;
    plan->replica_tokens_per_second = written / plan->design.replicas;
    plan->prefill_tokens_per_second = job->input_tokens / plan->inference.prefill.one;
}

static struct gap gap_of(double needed, double available, const char *unit)
{
    return (struct gap){needed, available, fabs(needed - available), unit};
}

/* Memory per GPU for the requests in flight; the cache may use only its fraction of what weights
 * and reserve leave. */
static void set_memory(const struct serving_request *request, struct serving_plan *plan)
{
    const struct kv_pool *pool = &plan->inference.pool;
    double n = plan->batch_p95, groups = plan->inference.job.attention_data;
    bool full = isnan(n) && plan->fits; /* no whole number */

    if (isnan(n))
        n = plan->fits ? plan->mean.batch
            : request->load == SERVING_RATE
                ? 1
                : ceil(request->amount /
                       (request->load == SERVING_CONCURRENT ? plan->design.replicas : 1));
    plan->sized_requests = n;
    plan->group_requests = full ? n / groups : ceil(n / groups);
    plan->memory_needed_bytes =
        memory_needed(pool, plan->group_requests, plan->inference.job.memory_utilization);
    plan->memory_shortfall_bytes = fmax(0, plan->memory_needed_bytes - pool->capacity);
}

static struct gap memory_gap(const struct serving_plan *plan)
{
    return gap_of(plan->memory_needed_bytes / GIB, plan->inference.pool.capacity / GIB, "GiB");
}

/* The memory a GPU would need for the weights to stay within the engine's share of it. */
static void set_crowded(struct serving_plan *plan)
{
    const struct kv_pool *pool = &plan->inference.pool;

    plan->binding = SERVING_WEIGHTS;
    plan->memory_needed_bytes =
        fmax(plan->memory_needed_bytes,
             (pool->weights + pool->reserve) / plan->inference.job.memory_utilization);
    plan->memory_shortfall_bytes = plan->memory_needed_bytes - pool->capacity;
}

/* A replica that cannot run: only its memory is known. */
static void set_unfit(const struct serving_request *request, struct serving_plan *plan)
{
    struct range unknown = {(double)NAN, (double)NAN, (double)NAN};

    plan->binding = plan->inference.pool.bytes > 0 ? SERVING_CACHE : SERVING_WEIGHTS;
    plan->batch = plan->batch_p95 = plan->lone.request_seconds = (double)NAN;
    plan->prefill = plan->ttft = plan->tpot = unknown;
    plan->latency_p50 = plan->latency_p95 = plan->ttft_p95 = unknown;
    plan->output_tokens_per_second = plan->offline_tokens_per_second = unknown;
    plan->user_tokens_per_second = plan->replica_tokens_per_second = (double)NAN;
    plan->prefill_tokens_per_second = plan->utilization = (double)NAN;
    plan->capacity_requests_per_second = plan->capacity_tokens_per_second = (double)NAN;
    plan->limited_requests_per_second = plan->requests_per_second = (double)NAN;
    set_memory(request, plan);
    if (serving_is_crowded(&plan->inference))
        set_crowded(plan);
    plan->gap = memory_gap(plan);
}

static struct gap limit_gap(const struct serving_limits *limits, enum serving_limit limit,
                            const struct serving_times *times)
{
    if (limit == SERVING_LATENCY)
        return gap_of(limits->latency_p95_seconds, times->latency, "s");
    if (limit == SERVING_TTFT || limit == SERVING_SLOTS)
        return gap_of(limits->ttft_seconds, times->ttft_most, "s");
    return gap_of(limits->user_tokens_per_second, 1 / times->tpot, "tokens/s");
}

/* The gap of a load that is not carried: requests per second, or cache for the requests in
 * flight. */
static void set_load_gap(const struct serving_request *request, struct serving_plan *plan)
{
    double asked = serving_rate_asked(request, plan) * SECONDS_PER_MINUTE;

    if (request->load == SERVING_RATE) {
        plan->gap = gap_of(asked, plan->limited_requests_per_second * SECONDS_PER_MINUTE,
                           "requests/minute");
    } else if (plan->batch_p95 <= plan->inference.pool.held) {
        double read = serving_prompt_rate(&plan->inference, &plan->design) * SECONDS_PER_MINUTE;
        plan->binding = SERVING_PROMPTS;
        plan->gap = gap_of(asked, read, "requests/minute");
    } else {
        plan->binding = SERVING_CACHE;
        plan->gap = memory_gap(plan);
    }
}

/* Percentiles, if requests arrive at random and are carried; limits apply to them, or to the means
 * of a closed loop. */
static void set_latency(const struct serving_request *request, struct serving_plan *plan)
{
    const struct inference *inference = &plan->inference;
    bool endless = isnan(plan->batch) ||
                   (request->load == SERVING_RATE && !serving_prompts_read(request, plan));

    plan->latency.p50 = plan->latency.p95 = (double)NAN;
    plan->latency.ttft_p95 = plan->latency.ttft_p95_most = (double)NAN;
    double rate = request->amount * request->peak_ratio / plan->design.replicas;
    double most = serving_most_in_flight(inference);
    if (serving_is_open(inference) && !endless && request->listed) {
        plan->latency = latency_tails(inference, rate, most);
    } else if (serving_is_open(inference) && !endless) {
        plan->latency = latency_of(inference, rate, most);
    }
    plan->kept = serving_times_mean(&plan->tail);
    if (serving_is_open(inference)) {
        plan->kept.latency = plan->latency.p95;
        plan->kept.tpot = fmax(plan->tail.tpot, latency_token(&plan->latency, plan->tail.tpot));
        plan->kept.ttft = plan->latency.ttft_p95;
        plan->kept.ttft_most = plan->latency.ttft_p95_most;
    }
    if (endless)
        plan->tail.request_seconds = plan->kept.latency = (double)NAN;
}

/* Limits broken by a single request come first, since no number of replicas helps. */
static void judge(const struct serving_request *request, const struct serving_replica *replica,
                  struct serving_plan *plan)
{
    const struct serving_limits *limits = &request->limits;
    const struct serving_times *lone = &replica->lone_times;
    enum serving_limit alone = serving_broken(limits, lone),
                       tail = serving_broken(limits, &plan->kept);

    bool endless = request->load == SERVING_RATE && serving_is_open(&plan->inference) &&
                   isnan(plan->latency.p95);

    plan->meets_load = plan->batch_p95 <= plan->inference.pool.held &&
                       serving_prompts_read(request, plan) && !endless;
    plan->meets_limits = tail == SERVING_NOTHING;
    if (alone != SERVING_NOTHING) {
        plan->binding = alone;
        plan->gap = limit_gap(limits, alone, lone);
    } else if (!plan->meets_load) {
        set_load_gap(request, plan);
    } else if (!plan->meets_limits) {
        plan->binding = tail;
        plan->gap = limit_gap(limits, tail, &plan->kept);
    }
}

/* The fewest prefill replicas; 0 without disaggregation. */
static double prefill_needed(const struct serving_request *open,
                             const struct serving_replica *replica, const struct serving_plan *plan)
{
    struct serving_design design = plan->design;

    if (!plan->inference.job.separate_prefill)
        return 0;
    if (open->job.separate_prefill && plan->failover.replicas_needed >= 1)
        return serving_pools_prefill(open, &replica->inference, plan->failover.replicas_needed);
    (void)serving_set_prefill(open, replica, &design);
    return design.prefill_replicas;
}

/* What carries the load: of pools those left after the loss, if they do, else the smallest. */
static void set_needed(const struct serving_request *request, const struct serving_replica *replica,
                       struct serving_pools left, struct serving_plan *plan)
{
    struct serving_request open = *request;
    struct serving_replica whole = *replica;
    struct failover *loss = &plan->failover;

    open.pinned.prefill_replicas = open.pinned.gpu_count = (double)NAN;
    open.peak_load_most = 0; /* that room is for such a loss */
    if (replica->limit == SERVING_HEADROOM) {
        serving_replica_limit(&open, &whole);
        serving_replica_size(&whole);
    }
    if (request->job.separate_prefill && left.decode >= 1 && left.prefill >= 1 &&
        serving_pools_carry(&open, &replica->inference, left)) {
        loss->replicas_needed = left.decode;
        loss->prefill_needed = left.prefill;
        return;
    }
    loss->replicas_needed = serving_replicas_needed(&open, &whole);
    loss->prefill_needed = prefill_needed(&open, &whole, plan);
}

/* Whether the design stays within its limits after losing a replica; the rest of the plan must be
 * set.
 */
static void set_failover(const struct serving_request *request,
                         const struct serving_replica *replica, struct serving_plan *plan)
{
    const struct serving_design *design = &plan->design;
    double reader = plan->inference.job.separate_prefill ? 1 : 0; /* one of each kind is lost */
    struct failover *loss = &plan->failover;

    double lost = fmax(1, plan->inference.job.sharing); /* all replicas on a GPU */
    struct serving_pools left = {design->replicas - lost, design->prefill_replicas - reader};
    set_needed(request, replica, left, plan);
    loss->known = !isnan(loss->replicas_needed);
    loss->survived = design->replicas - lost >= loss->replicas_needed &&
                     design->prefill_replicas - reader >= loss->prefill_needed;
    loss->gpus = (double)NAN;
    if (loss->known)
        loss->gpus = design->tensor * design->pipeline *
                     (fmax(design->replicas, loss->replicas_needed + 1) +
                      fmax(design->prefill_replicas, loss->prefill_needed + reader));
    if (loss->known && plan->inference.job.sharing > 0)
        loss->gpus = ceil(fmax(design->replicas, loss->replicas_needed + lost) / lost);
}

/* With the number in flight that is exceeded 5% of the time; the arrival rate is the load's. */
static struct served tail_of(const struct serving_request *request, const struct serving_plan *plan)
{
    if (isnan(plan->batch))
        return plan->mean;
    if (request->load == SERVING_RATE)
        return inference_serve_arrivals(&plan->inference, plan->batch_p95, plan->mean.arrivals);
    return inference_serve(&plan->inference, plan->batch_p95);
}

/* A finished replica as one of the design's: its prefill replicas are as busy as their number says.
 */
static struct serving_replica in_pools(const struct serving_request *request,
                                       const struct serving_replica *replica,
                                       const struct serving_design *design)
{
    struct serving_replica one = *replica;

    if (!one.inference.job.separate_prefill || !one.fits)
        return one;
    one.inference.job.pools_gpus = design->gpu_count;
    one.inference.job.readers_each = design->prefill_replicas / design->replicas;
    serving_replica_limit(request, &one);
    serving_replica_size(&one);
    serving_replica_finish(&one);
    return one;
}

void serving_evaluate_with(const struct serving_request *request,
                           const struct serving_replica *alone, const struct serving_design *design,
                           struct serving_plan *plan)
{
    *plan = (struct serving_plan){.design = *design};
    const struct serving_replica own = in_pools(request, alone, &plan->design), *replica = &own;
    plan->gap = gap_of((double)NAN, (double)NAN, NULL);
    plan->inference = replica->inference;
    plan->correction = replica->correction;
    plan->fits = replica->fits;
    if (!plan->fits) {
        set_unfit(request, plan);
        return;
    }
    set_batches(request, plan);
    set_capacity(request, replica, plan);
    /* If overloaded, the figures are those of a full cache, and the tail is unbounded. */
    double batch = isnan(plan->batch) ? serving_most_in_flight(&plan->inference) : plan->batch;
    plan->lone = replica->lone;
    plan->mean = inference_serve(&plan->inference, batch);
    plan->tail = tail_of(request, plan);
    set_latency(request, plan);
    set_memory(request, plan);
    judge(request, replica, plan);
    set_ranges(request, plan);
    set_offline(replica, plan);
    set_output(request, plan);
    if (!request->listed)
        set_failover(request, replica, plan);
}

struct serving_request serving_request_of(const struct serving_request *request,
                                          const struct serving_design *design)
{
    struct serving_request of = *request;

    if (design->pass_tokens > 0)
        of.job.pass_tokens = design->pass_tokens;
    if (design->prefill_replicas > 0)
        of.job.separate_prefill = true;
    return of;
}

void serving_evaluate(const struct serving_request *request, const struct serving_design *design,
                      struct serving_plan *plan)
{
    struct serving_request of = serving_request_of(request, design);
    struct inference unsplit = inference_unsharded(of.constants, &of.job);
    struct serving_design whole = *design;
    struct serving_replica replica;

    serving_replica_of(&unsplit, design, &replica);
    (void)serving_replica_correct(&of, design, &replica);
    replica.inference.job.routed = serving_routes(&of) ? design->replicas : 0;
    serving_replica_limit(&of, &replica);
    serving_replica_size(&replica);
    serving_replica_finish(&replica);
    (void)serving_set_prefill(&of, &replica, &whole); /* checked where it is chosen */
    serving_evaluate_with(&of, &replica, &whole, plan);
}

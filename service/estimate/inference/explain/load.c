/* load.c - from the load to requests in flight, and what one of them then waits:
 * the same rows at every number in flight that a figure is worked out at. */
#include "estimate/inference/explain/context.h"
#include "estimate/inference/communication.h"
#include "estimate/inference/sizing/queue.h"

#include <math.h>

static const char LITTLE[] =
    "J. D. C. Little, A Proof for the Queuing Formula L = lambda W, 1961: what arrives while one "
    "request is answered; solved for the number at which that holds";

static struct explain_term replicas_of(const struct inference_ground *g)
{
    return (struct explain_term){"replica_count", g->plan->design.replicas, "replicas"};
}

static void explain_mean(const struct inference_ground *g)
{
    const struct serving_request *request = g->request;
    double rate = request->amount * request->peak_ratio / g->plan->design.replicas;

    if (request->load == SERVING_BATCH) {
        EXPLAIN(g->to, "batch_size", g->plan->batch, "requests", "requests_stated",
                "batch_size as given", {"requests_stated", request->amount, "requests"});
    } else if (request->load == SERVING_CONCURRENT) {
        EXPLAIN(g->to, "batch_size", g->plan->batch, "requests", "requests_stated / replica_count",
                "concurrent_requests as given, or one where no load is",
                {"requests_stated", request->amount, "requests"}, replicas_of(g));
    } else {
        EXPLAIN(g->to, "arrivals", rate, "requests/s",
                "requests_per_second x peak_to_average_ratio / replica_count",
                "at the peak, of each replica; requests_per_minute / 60, or tokens_per_day over "
                "the tokens of a request and 86400 s",
                {"requests_per_second", request->amount, "requests/s"},
                {"peak_to_average_ratio", request->peak_ratio, ""}, replicas_of(g));
        EXPLAIN(g->to, "batch_size", g->plan->batch, "requests", "arrivals x request_seconds",
                LITTLE, {"arrivals", rate, "requests/s"},
                {"request_seconds", g->at[FLIGHT_MEAN].request_seconds, "s"});
    }
}

/* What the quantile is, with the two probabilities it lies between. */
static const char *quantile_words(const struct inference_ground *g)
{
    double mean = g->plan->batch, k = poisson_quantile(INFERENCE_TAIL_SHARE, mean);

    return arena_print(g->to->arena,
                       "requests that arrive at random are in flight as a Poisson number of that "
                       "mean: the least k with P(X <= k) >= %g. P(X <= %g) = %.4f, P(X <= %g) = "
                       "%.4f",
                       INFERENCE_TAIL_SHARE, k, poisson_below(k, mean), k - 1,
                       poisson_below(k - 1, mean));
}

static void explain_tail(const struct inference_ground *g)
{
    const struct explain_term mean = {"batch_size", g->plan->batch, "requests"};
    bool rate = g->request->load == SERVING_RATE;

    EXPLAIN(g->to, "batch_size_p95", g->plan->batch_p95, "requests",
            rate                                     ? "max(1, poisson_quantile(0.95, batch_size))"
            : g->request->load == SERVING_CONCURRENT ? "ceil(batch_size)"
                                                     : "batch_size",
            !rate                       ? "held fixed: the replica with most"
            : isnan(g->plan->batch_p95) ? "the load is not carried: what waits grows without end"
                                        : quantile_words(g),
            mean);
}

/* What keeps one more from being in flight, in words and numbers. */
static const char *limit_words(const struct inference_ground *g)
{
    double k = g->most_within;
    struct served now = inference_serve(g->inference, k),
                  more = inference_serve(g->inference, k + 1);
    static const char text[] = "%g requests in flight are the most that keep the limits: %s %.4g "
                               "with them, %.4g with one more (limit %.4g)";
    const struct serving_limits *limits = &g->request->limits;
    struct arena *arena = g->to->arena;

    switch (g->limit) {
    case SERVING_LATENCY:
        return arena_print(arena, text, k, "seconds of a request", now.request_seconds,
                           more.request_seconds, limits->latency_p95_seconds);
    case SERVING_TTFT:
        return arena_print(arena, text, k, "seconds to the first token", now.ttft, more.ttft,
                           limits->ttft_seconds);
    case SERVING_USER_RATE:
        return arena_print(arena, text, k, "tokens per second of a user", 1 / now.tpot,
                           1 / more.tpot, limits->user_tokens_per_second);
    default:
        return arena_print(arena, "%g requests in flight are the most that cache and engine admit",
                           k);
    }
}

/* What the cache holds: whole requests, where they start and end together. */
static struct explain_term held_of(const struct inference_ground *g)
{
    const struct kv_pool *pool = &g->inference->pool;

    return g->job->static_batching
               ? (struct explain_term){"max_concurrent_requests", pool->held, "requests"}
               : (struct explain_term){"requests_held", pool->requests, "requests"};
}

/* The lesser of the two; a cache that never fills sets no limit. */
static const char *at_most(const struct inference_ground *g, const char *requests)
{
    struct explain_term held = held_of(g);

    return isfinite(held.value) ? arena_print(g->to->arena, "min(%s, %s)", requests, held.name)
                                : requests;
}

static void explain_full(const struct inference_ground *g, enum flight flight)
{
    EXPLAIN(g->to, inference_explain_at(g, "requests_in_flight@", flight),
            g->at[flight].concurrency, "requests", at_most(g, "b_max x attention_groups"),
            inference_explain_source(g, "b_max", "as many as the cache holds and engines admit"),
            held_of(g), {"b_max", g->constants->b_max, "requests"},
            {"attention_groups", g->job->attention_data, "groups"});
}

/* The mean at which the number in flight is kept to 95 times of 100. */
static void explain_within(const struct inference_ground *g)
{
    const char *full = inference_explain_at(g, "requests_in_flight@", FLIGHT_FULL);

    EXPLAIN(g->to, inference_explain_at(g, "requests_in_flight@", FLIGHT_WITHIN),
            g->at[FLIGHT_WITHIN].concurrency, "requests",
            arena_print(g->to->arena, "min(poisson_mean(0.95, most_within_limits), %s)", full),
            arena_print(g->to->arena,
                        "%s; the mean of a Poisson number that exceeds them 5 times of 100: the "
                        "largest m with P(X <= %g) >= %g",
                        limit_words(g), g->most_within, INFERENCE_TAIL_SHARE),
            {"most_within_limits", g->most_within, "requests"},
            {full, g->at[FLIGHT_FULL].concurrency, "requests"});
}

static void explain_in_flight(const struct inference_ground *g, enum flight flight)
{
    const struct serving_plan *plan = g->plan;
    bool tail = flight == FLIGHT_P95;

    if (flight == FLIGHT_FULL || (flight == FLIGHT_MEAN && isnan(plan->batch)))
        explain_full(g, flight);
    else if (flight == FLIGHT_WITHIN)
        explain_within(g);
    else
        EXPLAIN(g->to, inference_explain_at(g, "requests_in_flight@", flight),
                g->at[flight].concurrency, "requests",
                flight == FLIGHT_LONE ? "1"
                : tail                ? "batch_size_p95"
                                      : "batch_size",
                flight == FLIGHT_LONE ? "a request alone on a replica" : "the load",
                {"batch_size", plan->batch, "requests"},
                {"batch_size_p95", plan->batch_p95, "requests"});
}

/* Those that are worked on together, and those of a step: stages take a share each. */
static void explain_running(const struct inference_ground *g, enum flight flight)
{
    const struct served *at = &g->at[flight];
    const char *requests = inference_explain_at(g, "requests_in_flight@", flight);
    const struct explain_term running = {inference_explain_at(g, "requests_running@", flight),
                                         at->batch, "requests"};
    bool together = g->job->static_batching;

    EXPLAIN(g->to, running.name, at->batch, "requests",
            arena_print(g->to->arena, "max(1, %s)", at_most(g, requests)),
            "those that the KV cache holds", {requests, at->concurrency, "requests"}, held_of(g));
    EXPLAIN(g->to, inference_explain_at(g, "requests_in_step@", flight),
            together ? at->batch : fmax(1, at->batch / g->job->pipeline), "requests",
            together
                ? running.name
                : inference_explain_at(g, "max(1, requests_running@ / pipeline_parallel)", flight),
            "stages work side by side on a share each", running,
            {"pipeline_parallel", g->job->pipeline, "stages"});
}

void inference_explain_sum(const struct inference_ground *g, const char *suffix,
                           const struct step *step, const char *words)
{
    struct arena *arena = g->to->arena;
    const char *s = suffix[0] ? suffix : inference_explain_line(g, "");
    const struct explain_term terms[] = {
        {arena_print(arena, "weight_reads%s", s), step->weights, "s"},
        {arena_print(arena, "kv_cache_reads%s", s), step->kv_cache, "s"},
        {arena_print(arena, "compute%s", s), step->gemm, "s"},
        {arena_print(arena, "attention%s", s), step->attention, "s"},
        {arena_print(arena, "tensor_parallel_communication%s", s),
         step->all_reduce_latency + step->all_reduce_volume, "s"},
        {arena_print(arena, "pipeline_communication%s", s), step->transfer, "s"},
        {arena_print(arena, "launch_overhead%s", s), step->launch + step->requests, "s"},
        {arena_print(arena, "draft%s", s), step->draft, "s"},
    };
    size_t n = sizeof(terms) / sizeof(terms[0]) - (step->draft > 0 ? 0 : 1);
    const char *formula = terms[0].name;

    for (size_t i = 1; i < n; i++)
        formula = arena_print(arena, "%s + %s", formula, terms[i].name);
    struct explanation row = {.key = arena_print(arena, "step_seconds%s", suffix),
                              .value = step->total,
                              .unit = "s",
                              .formula = formula,
                              .source = words};
    explain_add(g->to, row, terms, n);
}

static void explain_step(const struct inference_ground *g, enum flight flight)
{
    const struct served *at = &g->at[flight];
    bool mean = flight == FLIGHT_MEAN;

    inference_explain_sum(g, g->suffix[flight], &at->step,
                          mean ? "the lines of time" : "the lines of time, at these requests");
    EXPLAIN(g->to, mean ? "prefill_interference" : inference_explain_at(g, "interference@", flight),
            at->interference, "s",
            g->job->static_batching || g->job->separate_prefill
                ? "0"
                : inference_explain_at(g,
                                       "(requests_running@ - 1) / output_tokens x prefill_prompt / "
                                       "pipeline_parallel",
                                       flight),
            "while a request writes its answer, each of the others reads a prompt once",
            {inference_explain_at(g, "requests_running@", flight), at->batch, "requests"},
            {"output_tokens", g->job->output_tokens, "tokens"},
            {"prefill_prompt", g->inference->prefill.marginal, "s"},
            {"pipeline_parallel", g->job->pipeline, "stages"});
}

static void explain_token(const struct inference_ground *g, enum flight flight)
{
    const struct served *at = &g->at[flight];
    const char *interference = flight == FLIGHT_MEAN
                                   ? "prefill_interference"
                                   : inference_explain_at(g, "interference@", flight);
    bool ahead = g->job->speculation.tokens > 0;
    const char *step = inference_explain_at(
        g, ahead ? "step_seconds@ / tokens_per_step" : "step_seconds@", flight);

    EXPLAIN(g->to, inference_explain_at(g, "time_per_output_token_seconds@", flight), at->tpot, "s",
            arena_print(g->to->arena, "%s + %s", step, interference),
            "from one token of an answer to the next",
            {inference_explain_at(g, "step_seconds@", flight), at->step.total, "s"},
            {"tokens_per_step", inference_tokens_per_step(&g->job->speculation), "tokens"},
            {interference, at->interference, "s"});
}

static void explain_whole(const struct inference_ground *g, enum flight flight)
{
    const struct served *at = &g->at[flight];

    EXPLAIN(g->to, inference_explain_at(g, "request_seconds@", flight), at->request_seconds, "s",
            inference_explain_at(g,
                                 "time_to_first_token_seconds@ + (output_tokens - 1) x "
                                 "time_per_output_token_seconds@",
                                 flight),
            "the first token, then the others",
            {inference_explain_at(g, "time_to_first_token_seconds@", flight), at->ttft, "s"},
            {"output_tokens", g->job->output_tokens, "tokens"},
            {inference_explain_at(g, "time_per_output_token_seconds@", flight), at->tpot, "s"});
}

void inference_explain_load(const struct inference_ground *g)
{
    explain_mean(g);
    explain_tail(g);
    for (enum flight flight = 0; flight < FLIGHT_COUNT; flight++) {
        if (!g->shown[flight])
            continue;
        explain_in_flight(g, flight);
        explain_running(g, flight);
        explain_step(g, flight);
        explain_token(g, flight);
        inference_explain_first(g, flight);
        explain_whole(g, flight);
    }
    if (g->job->separate_prefill)
        inference_explain_cache(g);
}

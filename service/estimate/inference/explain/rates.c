/* rates.c - the headline figures of time and throughput, with their intervals. */
#include "estimate/inference/explain/context.h"
#include "estimate/inference/sizing/disaggregation.h"

#include <math.h>

static struct explain_term replicas_of(const struct inference_ground *g)
{
    return (struct explain_term){"replica_count", g->plan->design.replicas, "replicas"};
}

static struct explain_term outputs_of(const struct inference_ground *g)
{
    return (struct explain_term){"output_tokens", g->job->output_tokens, "tokens"};
}

static struct explain_term written_of(const struct inference_ground *g)
{
    return (struct explain_term){"output_tokens_per_second",
                                 g->plan->output_tokens_per_second.middle, "tokens/s"};
}

static struct explain_term capacity_of(const struct inference_ground *g)
{
    return (struct explain_term){"output_tokens_per_second_capacity",
                                 g->plan->capacity_tokens_per_second, "tokens/s"};
}

/* ---- times */

static const char *interval_source(const struct inference_ground *g)
{
    bool squared = g->job->engine == ENGINE_UNSPECIFIED || !gpu_is_nvidia(g->job->gpu),
         ahead = g->job->speculation.tokens > 0;

    return inference_explain_source(
        g, "interval_factor",
        arena_print(g->to->arena, "80 %% interval of models left out of the fit%s%s",
                    squared ? "; squared where the engine is not said or the GPU not NVIDIA's" : "",
                    ahead ? "; of decoding squared once more where tokens are guessed ahead, which "
                            "was in no fitted run"
                          : ""));
}

/* Both ends: the estimate over and times a factor. */
static void explain_interval(const struct inference_ground *g, const char *key,
                             const struct range *range, const char *unit, double factor)
{
    struct arena *arena = g->to->arena;
    const struct explain_term middle = {key, range->middle, unit},
                              by = {"interval_factor", factor, ""};

    EXPLAIN(g->to, arena_print(arena, "%s_low", key), range->low, unit,
            arena_print(arena, "%s / interval_factor", key), interval_source(g), middle, by);
    EXPLAIN(g->to, arena_print(arena, "%s_high", key), range->high, unit,
            arena_print(arena, "%s x interval_factor", key), interval_source(g), middle, by);
}

static double decode_factor(const struct inference_ground *g)
{
    return inference_interval(g->inference, inference_interval_kind(g->inference, g->plan->batch));
}

static double prompt_factor(const struct inference_ground *g)
{
    return inference_interval(g->inference, inference_prefill_interval(g->inference));
}

/* What the time to first token is multiplied with at its ends. */
static struct range first_factors(const struct inference_ground *g)
{
    double prompt = prompt_factor(g), low, high;

    inference_ttft_range(g->inference, &low, &high);
    return g->job->static_batching ? (struct range){1, 1 / prompt, prompt}
                                   : (struct range){1, low, high};
}

static const char *first_source(const struct inference_ground *g)
{
    return g->job->static_batching
               ? interval_source(g)
               : inference_explain_source(g, "ttft_range_factor", "80 % range, by engine");
}

static void explain_first(const struct inference_ground *g)
{
    struct range factors = first_factors(g);
    const struct explain_term middle = {"time_to_first_token_seconds", g->plan->ttft.middle, "s"};

    EXPLAIN(g->to, "time_to_first_token_seconds_low", g->plan->ttft.low, "s",
            "time_to_first_token_seconds x low_factor", first_source(g), middle,
            {"low_factor", factors.low, ""});
    EXPLAIN(g->to, "time_to_first_token_seconds_high", g->plan->ttft.high, "s",
            "time_to_first_token_seconds x high_factor", first_source(g), middle,
            {"high_factor", factors.high, ""});
}

static struct explain_term tail_first(const struct inference_ground *g)
{
    return (struct explain_term){
        inference_explain_at(g, "time_to_first_token_seconds@", FLIGHT_P95), g->at[FLIGHT_P95].ttft,
        "s"};
}

static struct explain_term tail_each(const struct inference_ground *g)
{
    return (struct explain_term){
        inference_explain_at(g, "time_per_output_token_seconds@", FLIGHT_P95),
        g->at[FLIGHT_P95].tpot, "s"};
}

/* One end: its first token and its other tokens, each at that end. */
static void explain_latency_end(const struct inference_ground *g, const char *key, double value,
                                struct explain_term factor, const char *sign)
{
    const struct explain_term first = tail_first(g), each = tail_each(g);

    EXPLAIN(
        g->to, key, value, "s",
        arena_print(g->to->arena, "%s x %s + (output_tokens - 1) x %s %s interval_factor",
                    first.name, factor.name, each.name, sign),
        inference_explain_source(g, "interval_factor ttft_range_factor", "that end of its parts"),
        first, factor, outputs_of(g), each, {"interval_factor", decode_factor(g), ""});
}

/* The whole request where the load is exceeded 5 times of 100. */
static void explain_latency(const struct inference_ground *g)
{
    const struct range *latency = &g->plan->latency_p95;
    const struct explain_term first = tail_first(g), each = tail_each(g);
    struct range factors = first_factors(g);

    EXPLAIN(g->to, "latency_p95_seconds_estimate", latency->middle, "s",
            arena_print(g->to->arena, "%s + (output_tokens - 1) x %s", first.name, each.name),
            isnan(latency->middle) ? "the load is not carried: the wait has no end"
                                   : "a whole answer at batch_size_p95",
            first, outputs_of(g), each);
    explain_latency_end(g, "latency_p95_seconds_estimate_low", latency->low,
                        (struct explain_term){"low_factor", factors.low, ""}, "/");
    explain_latency_end(g, "latency_p95_seconds_estimate_high", latency->high,
                        (struct explain_term){"high_factor", factors.high, ""}, "x");
}

static void explain_times(const struct inference_ground *g)
{
    const struct serving_plan *plan = g->plan;

    explain_interval(g, "prefill_seconds", &plan->prefill, "s", prompt_factor(g));
    explain_first(g);
    explain_interval(g, "time_per_output_token_seconds", &plan->tpot, "s", decode_factor(g));
    explain_latency(g);
    const char *alone = inference_explain_at(g, "request_seconds@", FLIGHT_LONE);
    EXPLAIN(g->to, "single_request_seconds", plan->lone.request_seconds, "s", alone,
            "a request alone on a replica", {alone, plan->lone.request_seconds, "s"});
}

/* ---- rates */

/* Little's law on all replicas at a number in flight; no more than what only reads prompts reads.
 */
static const char *rate_formula(const struct inference_ground *g, enum flight flight)
{
    const char *formula =
        inference_explain_at(g, "replica_count x requests_in_flight@ / request_seconds@", flight);

    if (!g->job->separate_prefill)
        return formula;
    return arena_print(g->to->arena, "min(%s, prompts_per_second)", formula);
}

static void explain_rate(const struct inference_ground *g, const char *key, double per_minute,
                         enum flight flight, const char *source)
{
    const struct served *at = &g->at[flight];

    EXPLAIN(
        g->to, key, per_minute, "requests/minute",
        arena_print(g->to->arena, "60 x %s", rate_formula(g, flight)), source, replicas_of(g),
        {inference_explain_at(g, "requests_in_flight@", flight), at->concurrency, "requests"},
        {inference_explain_at(g, "request_seconds@", flight), at->request_seconds, "s"},
        {"prompts_per_second", serving_prompt_rate(g->inference, &g->plan->design), "requests/s"});
}

static void explain_capacity(const struct inference_ground *g)
{
    const struct serving_plan *plan = g->plan;
    double capacity = plan->capacity_requests_per_second * 60,
           within = plan->limited_requests_per_second * 60;

    if (g->job->separate_prefill)
        EXPLAIN(g->to, "prompts_per_second", serving_prompt_rate(g->inference, &plan->design),
                "requests/s", "prefill_replica_count x prefill_utilization / prefill_seconds",
                inference_explain_source(g, "prefill_utilization",
                                         "prompts that the replicas which only read take"),
                {"prefill_replica_count", plan->design.prefill_replicas, "replicas"},
                {"prefill_utilization", g->constants->prefill_utilization, ""},
                {"prefill_seconds", g->inference->prefill.one, "s"});
    explain_rate(g, "requests_per_minute_capacity", capacity, FLIGHT_FULL,
                 "Little's law with the caches full");
    EXPLAIN(g->to, "output_tokens_per_second_capacity", plan->capacity_tokens_per_second,
            "tokens/s", "requests_per_minute_capacity / 60 x output_tokens", "the same in tokens",
            {"requests_per_minute_capacity", capacity, "requests/minute"}, outputs_of(g));
    if (g->most_within >= 1)
        explain_rate(g, "requests_per_minute_within_limits", within, FLIGHT_WITHIN,
                     "Little's law with as many in flight as keep the limits 95 times of 100");
    else
        EXPLAIN(g->to, "requests_per_minute_within_limits", within, "requests/minute", "0",
                "not even one request keeps the limits", replicas_of(g));
}

/* What a load that is a rate asks for; one end of the interval, or the middle where by is 1. */
static void explain_asked(const struct inference_ground *g, const char *key, double value,
                          const char *capacity, double factor)
{
    EXPLAIN(g->to, key, value, "tokens/s",
            arena_print(g->to->arena, "min(requests_per_second x output_tokens, %s)", capacity),
            "no more than is asked for, nor than the design writes; ends as of interval_factor",
            {"requests_per_second", g->request->amount, "requests/s"}, outputs_of(g),
            capacity_of(g), {"interval_factor", factor, ""});
}

static void explain_written(const struct inference_ground *g)
{
    const struct range *out = &g->plan->output_tokens_per_second;
    const struct served *mean = &g->at[FLIGHT_MEAN];
    double factor = decode_factor(g);

    if (g->request->load == SERVING_RATE) {
        const char *most = "output_tokens_per_second_capacity";
        explain_asked(g, "output_tokens_per_second", out->middle, most, factor);
        explain_asked(g, "output_tokens_per_second_low", out->low,
                      "output_tokens_per_second_capacity / interval_factor", factor);
        explain_asked(g, "output_tokens_per_second_high", out->high,
                      "output_tokens_per_second_capacity x interval_factor", factor);
        return;
    }
    const char *little =
        g->job->static_batching
            ? "replica_count x min(requests_in_flight, requests_running) x output_tokens / "
              "request_seconds"
            : "replica_count x requests_in_flight x output_tokens / request_seconds";
    EXPLAIN(
        g->to, "output_tokens_per_second", out->middle, "tokens/s",
        g->job->separate_prefill
            ? arena_print(g->to->arena, "min(%s, prompts_per_second x output_tokens)", little)
            : little,
        "Little's law",
        {"prompts_per_second", serving_prompt_rate(g->inference, &g->plan->design), "requests/s"},
        replicas_of(g), {"requests_in_flight", mean->concurrency, "requests"},
        {"requests_running", mean->batch, "requests"}, outputs_of(g),
        {"request_seconds", mean->request_seconds, "s"});
    explain_interval(g, "output_tokens_per_second", out, "tokens/s", factor);
}

static void explain_shares(const struct inference_ground *g)
{
    const struct serving_plan *plan = g->plan;

    EXPLAIN(g->to, "utilization", plan->utilization, "ratio",
            "min(1, output_tokens_per_second / output_tokens_per_second_capacity)",
            "of what the design writes with its caches full", written_of(g), capacity_of(g));
    EXPLAIN(g->to, "output_tokens_per_second_per_user", plan->user_tokens_per_second, "tokens/s",
            "1 / time_per_output_token_seconds", "while an answer is written",
            {"time_per_output_token_seconds", plan->tpot.middle, "s"});
    EXPLAIN(g->to, "output_tokens_per_second_per_replica", plan->replica_tokens_per_second,
            "tokens/s", "output_tokens_per_second / replica_count", "replicas are alike",
            written_of(g), replicas_of(g));
    EXPLAIN(g->to, "prefill_tokens_per_second", plan->prefill_tokens_per_second, "tokens/s",
            "input_tokens / prefill_seconds", "while a prompt is read",
            {"input_tokens", g->job->input_tokens, "tokens"},
            {"prefill_seconds", plan->prefill.middle, "s"});
}

/* Everything queued from the start: the largest batch, and each request's prompt. */
static void explain_offline(const struct inference_ground *g)
{
    const struct inference *inference = g->inference;
    const struct range *out = &g->plan->offline_tokens_per_second;
    bool endless = !isfinite(inference->pool.requests), elsewhere = g->job->separate_prefill;
    double batch;
    (void)inference_offline(inference, &batch);
    struct step step =
        inference_step(inference, fmax(1, batch / g->job->pipeline), inference_context(g->job));

    EXPLAIN(g->to, "requests_offline", batch, "requests",
            endless ? "max(1, b_max x attention_groups)"
                    : "max(1, min(requests_held, b_max x attention_groups))",
            inference_explain_source(g, "b_max", "everything is queued: the largest batch"),
            {"requests_held", inference->pool.requests, "requests"},
            {"b_max", g->constants->b_max, "requests"},
            {"attention_groups", g->job->attention_data, "groups"});
    inference_explain_sum(g, "_offline", &step,
                          "the lines of time, at requests_offline over the stages");
    EXPLAIN(g->to, "offline_output_tokens_per_second", out->middle, "tokens/s",
            elsewhere ? "replica_count x requests_offline x tokens_per_step / step_seconds_offline"
                      : "replica_count x output_tokens / (output_tokens / requests_offline x "
                        "step_seconds_offline / tokens_per_step + prefill_prompt / "
                        "pipeline_parallel)",
            "a request takes its share of the steps, and reads its prompt", replicas_of(g),
            outputs_of(g), {"requests_offline", batch, "requests"},
            {"step_seconds_offline", step.total, "s"},
            {"tokens_per_step", inference_tokens_per_step(&g->job->speculation), "tokens"},
            {"prefill_prompt", inference->prefill.marginal, "s"},
            {"pipeline_parallel", g->job->pipeline, "stages"});
    explain_interval(g, "offline_output_tokens_per_second", out, "tokens/s",
                     inference_interval(inference, g->shape->moe ? INTERVAL_OFFLINE_MOE
                                                                 : INTERVAL_OFFLINE_DENSE));
}

void inference_explain_rates(const struct inference_ground *g)
{
    explain_times(g);
    explain_capacity(g);
    explain_written(g);
    explain_shares(g);
    explain_offline(g);
}

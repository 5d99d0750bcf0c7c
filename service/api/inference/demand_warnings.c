/* demand_warnings.c - warnings about an underspecified load: its peak, and how long users may wait.
 * Shared by sizing, options and recommendation, which have these inputs under the same names. */
#include "api/inference/sizing.h"

#include <math.h>

static bool any_given(const struct request_context *context, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (context_given(context, names[i]))
            return true;
    return false;
}

/* MLPerf's limit for a conversation. */
static double usual(const struct request_context *context, const char *limit)
{
    return catalog_default(context->catalog, limit, "conversation");
}

/* What the replicas are loaded with at the peak, where that leaves hardly any room. For comparison
 * the default of Knative, on which KServe scales models: replicas are added at 70 % of the requests
 * they take at once (knative.dev/docs/serving/autoscaling/concurrency, target utilization, read
 * 2026-11-28). */
static const char *say_room(const struct request_context *context, double utilization)
{
    const double hardly = 0.9;
    double peak = context_number(context, "peak_to_average_ratio");
    double load = utilization * (peak > 1 ? peak : 1);

    if (!(load > hardly))
        return "";
    return arena_print(context->arena,
                       ". At the peak the replicas carry %.0f%% of what they can, which leaves "
                       "little room for a busier hour or a lost replica: Knative, which scales "
                       "services, adds replicas at 70%% by default",
                       100 * fmin(1, load));
}

/* Not every resource has these inputs. */
static bool is_pinned(const struct request_context *context, const char *name)
{
    return !isnan(context_number(context, name)) && context_given(context, name);
}

/* How full the replicas may be at the peak, where their number is open. */
static const char *say_load(const struct request_context *context)
{
    double most = context_number(context, "peak_load_ratio_max");

    if (is_pinned(context, "replica_count") || is_pinned(context, "gpu_count") || !(most < 1))
        return "designs are as small as the load allows";
    return arena_print(context->arena,
                       "designs are as small as the load allows with replicas that carry at most "
                       "%.3g%% of what they can at the peak (peak_load_ratio_max)",
                       100 * most);
}

static const char *const limits[] = {"latency_p95_seconds", "time_to_first_token_seconds_max",
                                     "tokens_per_second_per_user_min"};

/* Requests or users imply that people wait for answers; tokens per day may also be a batch. True if
 * it warned. */
static bool warn_limit(struct request_context *context, double latency, double utilization,
                       bool endless)
{
    static const char *const people[] = {"daily_users", "requests_per_minute"};
    const char *how_long = "", *room = say_room(context, utilization);
    bool first = any_given(context, &limits[1], 1);
    bool rest = any_given(context, limits, 1) || any_given(context, &limits[2], 1);

    if (!any_given(context, people, 2) || rest)
        return false;
    if (!isnan(latency))
        how_long =
            arena_print(context->arena, ", and 5%% of answers take longer than %.3g s%s", latency,
                        endless ? ", or wait ever longer if the replicas are slower than estimated "
                                  "but within the 80% range"
                                : "");
    if (first) {
        bool open = context_number(context, "output_tokens") > 1;
        if (open)
            answer_warn(&context->answer, "only_first_token_limited",
                        arena_print(context->arena,
                                    "answers are written as slowly as the load allows%s. Give "
                                    "tokens_per_second_per_user_min (for a conversation MLPerf "
                                    "asks for %.3g tokens per second), or latency_p95_seconds",
                                    how_long, usual(context, limits[2])));
        return open;
    }
    if (context_number(context, "output_tokens") == 0) {
        answer_warn_first(&context->answer, INFERENCE_NO_LIMIT,
                          arena_print(context->arena,
                                      "no limit on latency was given: %s%s. Give "
                                      "latency_p95_seconds%s",
                                      say_load(context), how_long, room));
        return true;
    }
    answer_warn_first(&context->answer, INFERENCE_NO_LIMIT,
                      arena_print(context->arena,
                                  "no limit on latency was given: %s%s. Give "
                                  "time_to_first_token_seconds_max and "
                                  "tokens_per_second_per_user_min (for a conversation MLPerf "
                                  "allows %.3g seconds and asks for %.3g tokens per second), or "
                                  "latency_p95_seconds%s",
                                  say_load(context), how_long, usual(context, limits[1]),
                                  usual(context, limits[2]), room));
    return true;
}

/* Read by name, since the three resources have different input structs.
 */
static void warn_cache(struct request_context *context)
{
    double ratio = context_number(context, "prefix_cache_ratio");

    if (ratio > 0)
        context_warn(
            context, "prefix_cache",
            "%.4g%% of the prompts' tokens are assumed to be found in the prefix cache: "
            "they are not computed again, but their KV cache takes as much memory and "
            "bandwidth as without it. Measure the ratio on your own traffic: it holds only if "
            "prompts share a prefix and reach a replica that still caches it",
            ratio * 100);
}

/* Tokens a day may be work that nobody waits for, which needs no room for a peak. */
static const char *say_batch(const struct request_context *context)
{
    double most = context_number(context, "peak_load_ratio_max");

    if (!context_given(context, "tokens_per_day") || any_given(context, limits, 3) ||
        is_pinned(context, "replica_count") || is_pinned(context, "gpu_count") || !(most < 1))
        return "";
    return arena_print(context->arena,
                       ". For busier hours and a lost replica the replicas carry at most %.3g%% "
                       "of what they can; work that nobody waits for needs no such room: enter "
                       "peak_load_ratio_max=1",
                       100 * most);
}

static void warn_demand(struct request_context *context)
{
    static const char *const daily[] = {"daily_users", "tokens_per_day"};

    if (any_given(context, daily, 2) && !context_given(context, "peak_to_average_ratio"))
        context_warn(context, "no_peak",
                     "the daily load is assumed to be even: if it has peaks this setup is too "
                     "small; enter peak_to_average_ratio%s",
                     say_batch(context));
    warn_cache(context);
}

void inference_demand_warn_none(struct request_context *context)
{
    context_warn(context, "no_load",
                 "no load was given: this is the least that holds the model, for one request at a "
                 "time; enter requests_per_minute, daily_users, tokens_per_day or "
                 "concurrent_requests for the GPUs that your traffic takes");
}

void inference_demand_warn(struct request_context *context, double latency_p95, double utilization)
{
    warn_demand(context);
    (void)warn_limit(context, latency_p95, utilization, false);
}

void inference_demand_warn_recommended(struct request_context *context, struct range latency_p95,
                                       double utilization)
{
    bool endless = !isnan(latency_p95.middle) && !isfinite(latency_p95.high);

    warn_demand(context);
    if (!warn_limit(context, latency_p95.middle, utilization, endless) && endless)
        context_warn(context, "no_upper_end",
                     "the recommended replicas are so full that, if they are slower than estimated "
                     "but still within the 80%% range, they do not keep up and requests wait ever "
                     "longer: a limit on latency, or peak_to_average_ratio, takes more GPUs");
}

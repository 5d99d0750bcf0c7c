/* limit_words.c - why no more requests can be in flight, in words and numbers.
 */
#include "estimate/inference/explain/context.h"
#include "estimate/inference/serving/queue.h"

#include <math.h>

static const char *limit_words(const struct inference_explain_context *g)
{
    double k = g->most_within;
    struct served now = serving_least(g->inference, k), more = serving_least(g->inference, k + 1);
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

/* True if a percentile under random arrivals binds, or the room that the peak leaves. */
bool inference_explain_percentile_binds(const struct inference_explain_context *g)
{
    if (g->limit == SERVING_HEADROOM)
        return true;
    return serving_is_open(g->inference) &&
           (g->limit == SERVING_LATENCY || g->limit == SERVING_TTFT || g->limit == SERVING_SLOTS ||
            g->limit == SERVING_QUEUE ||
            (g->limit == SERVING_USER_RATE &&
             g->mean_within <
                 queue_routed_mean(INFERENCE_TAIL_SHARE, g->most_within, g->job->routed)));
}

static const char *percentile_words(const struct inference_explain_context *g)
{
    const struct serving_limits *limits = &g->request->limits;
    double rate = queue_rate(g->inference, g->mean_within);
    struct serving_times times = serving_times_open(g->inference, rate);
    double slow =
        queue_token_most(g->inference, g->most_within, rate, serving_most_in_flight(g->inference));
    struct arena *arena = g->to->arena;
    static const char text[] = "the most in flight on average that keep the limits: 95%% of %s "
                               "%.4g %s then (limit %.4g)";

    if (g->limit == SERVING_HEADROOM)
        return arena_print(arena,
                           "the most in flight on average that leave room at the peak: %.4g "
                           "requests per second, %.4g of the %.4g with the caches full "
                           "(peak_load_ratio_max)",
                           rate, g->request->peak_load_most, serving_rate_full(g->inference));
    if (g->limit == SERVING_QUEUE)
        return "the most in flight on average before the queue of prompts grows without end";
    if (g->limit == SERVING_TTFT)
        return arena_print(arena, text, "first tokens are there within", times.ttft, "seconds",
                           limits->ttft_seconds);
    if (g->limit == SERVING_SLOTS)
        return arena_print(arena, text,
                           "first tokens, if more requests wait for a slot than estimated, are "
                           "there within",
                           times.ttft_most, "seconds", limits->ttft_seconds);
    if (g->limit == SERVING_LATENCY)
        return arena_print(arena, text, "requests are answered within", times.latency, "seconds",
                           limits->latency_p95_seconds);
    return arena_print(arena, text, "requests are written at", 1 / slow, "tokens per second",
                       limits->user_tokens_per_second);
}

const char *inference_explain_within(const struct inference_explain_context *g)
{
    if (inference_explain_percentile_binds(g))
        return percentile_words(g);
    double n = fmax(1, g->job->routed);
    return arena_print(g->to->arena,
                       "%s; the mean of a Poisson number that exceeds %s 5%% of the time: the "
                       "largest m with P(X <= %g) >= %g%s",
                       limit_words(g), n > 1 ? "as many on each of the replicas" : "them",
                       n * g->most_within, INFERENCE_TAIL_SHARE,
                       n > 1 ? ", of which a router gives each its share" : "");
}

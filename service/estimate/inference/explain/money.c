/* money.c - what the tokens cost, and the roofline by data sheet. */
#include "estimate/inference/explain/context.h"

#include <math.h>

static const double SECONDS_PER_HOUR = 3600, HOURS_PER_MONTH = 730;

static struct explain_term hourly(const struct inference_ground *g)
{
    return (struct explain_term){"cost_per_hour", g->answer->cost->per_hour, "USD/hour"};
}

/* A million tokens of those written, or of those the design could write. */
static void explain_million(const struct inference_ground *g, const char *key, double value,
                            struct explain_term written, bool prompts)
{
    const char *all = prompts ? " x (input_tokens + output_tokens) / output_tokens" : "";

    EXPLAIN(g->to, key, value, "USD/Mtoken",
            arena_print(g->to->arena, "cost_per_hour / (%s%s x seconds_per_hour) x 1e6",
                        written.name, all),
            "the same hour's cost over its tokens; see cost_basis", hourly(g), written,
            {"input_tokens", g->job->input_tokens, "tokens"},
            {"output_tokens", g->job->output_tokens, "tokens"},
            {"seconds_per_hour", SECONDS_PER_HOUR, "s"});
}

/* The hour's cost by what the GPUs did in it. */
static void explain_parts(const struct inference_ground *g, struct explain_term written)
{
    const struct serving_plan *plan = g->plan;
    const struct serving_cost *cost = g->answer->cost;
    const struct explain_term share = {"prompt_time_share", serving_prompt_share(plan), ""},
                              input = {"input_tokens", g->job->input_tokens, "tokens"},
                              output = {"output_tokens", g->job->output_tokens, "tokens"},
                              hour = {"seconds_per_hour", SECONDS_PER_HOUR, "s"};

    if (g->job->separate_prefill)
        EXPLAIN(g->to, share.name, share.value, "",
                "prefill_replica_count / (replica_count + prefill_replica_count)",
                "GPUs that read prompts, of all",
                {"prefill_replica_count", plan->design.prefill_replicas, "replicas"},
                {"replica_count", plan->design.replicas, "replicas"});
    else
        EXPLAIN(g->to, share.name, share.value, "",
                "prefill_prompt / pipeline_parallel / (prefill_prompt / pipeline_parallel + "
                "output_tokens x (time_per_output_token_seconds - prefill_interference) / "
                "requests_running)",
                "time a request takes of the GPUs: reading its prompt, and writing its answer",
                {"prefill_prompt", g->inference->prefill.marginal, "s"},
                {"pipeline_parallel", g->job->pipeline, "stages"}, output,
                {"time_per_output_token_seconds", plan->mean.tpot, "s"},
                {"prefill_interference", plan->mean.interference, "s"},
                {"requests_running", plan->mean.batch, "requests"});
    EXPLAIN(g->to, "cost_per_million_input_tokens", cost->per_million_input_tokens, "USD/Mtoken",
            arena_print(g->to->arena,
                        "cost_per_hour x prompt_time_share / (%s x input_tokens / output_tokens x "
                        "seconds_per_hour) x 1e6",
                        written.name),
            "its share of the hour, over the tokens read", hourly(g), share, written, input, output,
            hour);
    EXPLAIN(g->to, "cost_per_million_generated_tokens", cost->per_million_generated_tokens,
            "USD/Mtoken",
            arena_print(g->to->arena,
                        "cost_per_hour x (1 - prompt_time_share) / (%s x seconds_per_hour) x 1e6",
                        written.name),
            "the rest of the hour, over the tokens written", hourly(g), share, written, hour);
}

static void explain_tokens(const struct inference_ground *g)
{
    const struct serving_plan *plan = g->plan;
    const struct serving_cost *cost = g->answer->cost;
    const struct explain_term most = {"output_tokens_per_second_capacity",
                                      plan->capacity_tokens_per_second, "tokens/s"},
                              written = {"output_tokens_per_second",
                                         plan->output_tokens_per_second.middle, "tokens/s"};
    struct explain_term basis = cost->from_load ? written : most;

    explain_million(g, "cost_per_million_output_tokens", cost->per_million_output_tokens, basis,
                    false);
    explain_million(g, "cost_per_million_tokens", cost->per_million_tokens, basis, true);
    explain_parts(g, basis);
    explain_million(g, "cost_per_million_output_tokens_saturated",
                    cost->per_million_output_tokens_saturated, most, false);
}

void inference_explain_money(const struct inference_ground *g)
{
    const struct explain_term gpus = {"gpu_count", g->plan->design.gpu_count, "GPUs"};

    EXPLAIN(g->to, "gpu_rental", gpus.value, "GPU-hours", "gpu_count x 1", "of one hour", gpus);
    EXPLAIN(g->to, "cost_per_hour", hourly(g).value, "USD/hour", "gpu_count x price_per_gpu_hour",
            "the price is an input with its own source, see inputs", gpus,
            {"price_per_gpu_hour", g->answer->price_per_gpu_hour, "USD/GPU-hour"});
    EXPLAIN(g->to, "cost_per_month", g->answer->cost->per_month, "USD/month",
            "cost_per_hour x hours_per_month",
            inference_explain_source(g, "hours_per_month", "8,760 h a year over 12"), hourly(g),
            {"hours_per_month", HOURS_PER_MONTH, "h"});
    if (g->plan->fits)
        explain_tokens(g);
}

/* FLOP and bytes of a step with so many requests, all stages together. */
static void explain_intensity(const struct inference_ground *g)
{
    const struct shape *s = g->shape;
    const struct inference *inference = g->inference;
    double batch = g->plan->fits ? g->plan->mean.batch : 1, context = inference_context(g->job);
    double element = memory_kv_bytes(&g->constants->memory, g->job->kv_format);

    EXPLAIN(g->to, "arithmetic_intensity_flop_per_byte", inference_intensity(inference, batch),
            "FLOP/byte",
            "2 x requests x (active_weights + heads x head_work x context x layers) / (fixed_bytes "
            "+ experts_read x expert_bytes + requests x context_bytes)",
            "FLOP over bytes read in a step, as in Roofline (Williams et al., CACM 52(4), 2009)",
            {"requests", batch, "requests"},
            {"active_weights", inference->active_weights, "weights"}, {"heads", s->heads, "heads"},
            {"head_work", s->decode_head_work, ""}, {"context", context, "tokens"},
            {"layers", s->layers, "layers"}, {"fixed_bytes", inference->bytes.fixed, "B"},
            {"experts_read", inference_distinct_experts(s, batch), "experts"},
            {"expert_bytes", inference->bytes.expert, "B"},
            {"context_bytes", memory_kv_bytes_per_request(s, element, context), "B"});
}

void inference_explain_roofline(const struct inference_ground *g)
{
    const struct explain_term bandwidth = {"bandwidth", g->job->gpu->memory_bandwidth, "B/s"};

    explain_intensity(g);
    EXPLAIN(g->to, "ridge_point_flop_per_byte", inference_ridge_point(g->inference), "FLOP/byte",
            "peak_16bit / bandwidth", inference_explain_source(g, "gpu", "dense, by data sheet"),
            {"peak_16bit", g->inference->peak_16bit, "FLOP/s"}, bandwidth);
    EXPLAIN(g->to, "ridge_batch_size", inference_ridge_batch(g->inference), "requests",
            "peak / bandwidth x body_bytes / 2",
            inference_explain_source(g, "gpu bytes_per_weight",
                                     "two FLOP for every weight read; the peak for such weights"),
            {"peak", g->inference->peak, "FLOP/s"}, bandwidth,
            {"body_bytes", g->inference->bytes.body, "B"});
}

/* time_to_first_token.c - the time to the first token. */
#include "estimate/inference/explain/context.h"
#include "estimate/inference/communication.h"

#include <math.h>

/* What comes before the first token, but for the wait for a place in the cache. */
static const char *first_formula(const struct inference_ground *g)
{
    if (g->job->static_batching)
        return "requests_running@ x prefill_prompt + prefill_pass + prefill_transfer";
    if (g->job->separate_prefill)
        return "prefill_seconds x (1 + prefill_utilization / (2 x (1 - prefill_utilization))) + "
               "cache_transfer + step_seconds@";
    return g->job->open_arrivals
               ? "host_seconds + prefill_seconds + running_step@ + turns_queued@ x turn_seconds@"
               : "host_seconds + prefill_seconds + running_step@ + turns_queued@ x turn_seconds@ + "
                 "opening_wait@";
}

static const char *first_source(const struct inference_ground *g)
{
    if (g->job->static_batching)
        return "the prompts of a batch are read together";
    if (g->job->separate_prefill)
        return inference_explain_source(
            g, "prefill_utilization",
            "the wait of an M/D/1 queue (Pollaczek and Khinchin) before "
            "the GPUs that read prompts, then the cache travels");
    return "the prompt, the step under way and other prompts; what the cache has no room for waits "
           "besides";
}

/* A term that is worked out at each number in flight. */
static struct explain_term term_at(const struct inference_ground *g, enum flight flight,
                                   const char *name, double value, const char *unit)
{
    return (struct explain_term){inference_explain_at(g, name, flight), value, unit};
}

static struct explain_term running_at(const struct inference_ground *g, enum flight flight)
{
    return term_at(g, flight, "requests_running@", g->at[flight].batch, "requests");
}

static struct explain_term turn_at(const struct inference_ground *g, enum flight flight)
{
    return term_at(g, flight, "turn_seconds@", g->at[flight].waiting.turn, "s");
}

static struct explain_term step_at(const struct inference_ground *g, enum flight flight)
{
    return term_at(g, flight, "step_seconds@", g->at[flight].step.total, "s");
}

/* The host, and the steps under way. */
static void explain_running(const struct inference_ground *g, enum flight flight)
{
    const struct inference_constants *c = g->constants;
    const struct waiting *w = &g->at[flight].waiting;

    if (flight == FLIGHT_MEAN)
        EXPLAIN(g->to, "host_seconds", w->host, "s",
                "(ttft_request + ttft_moe_layer x moe_layers) x 1e-6",
                inference_explain_source(g, "ttft_request ttft_moe_layer", "what the host does"),
                {"ttft_request", c->ttft_request_us, "us"},
                {"ttft_moe_layer", c->ttft_moe_layer_us[g->job->engine], "us"},
                {"moe_layers", g->shape->moe_layers, "layers"});
    EXPLAIN(g->to, inference_explain_at(g, "running_step@", flight), w->running, "s",
            inference_explain_at(g, "ttft_step_count x step_seconds@ x (1 - 1 / requests_running@)",
                                 flight),
            inference_explain_source(g, "ttft_step_count", "who is alone waits for no step"),
            {"ttft_step_count", c->ttft_steps, "steps"}, step_at(g, flight), running_at(g, flight));
}

/* Another prompt's turn, and the share of the time that prompts are read. */
static void explain_turn(const struct inference_ground *g, enum flight flight)
{
    const struct served *at = &g->at[flight];
    const struct explain_term prompt = {"prefill_prompt", g->inference->prefill.marginal, "s"},
                              stages = {"pipeline_parallel", g->job->pipeline, "stages"};

    EXPLAIN(g->to, inference_explain_at(g, "turn_seconds@", flight), at->waiting.turn, "s",
            inference_explain_at(g,
                                 "prefill_prompt / pipeline_parallel + input_tokens x (1 - "
                                 "prefix_cache_ratio) / ttft_pass_tokens x step_seconds@",
                                 flight),
            inference_explain_source(g, "ttft_pass_tokens", "another prompt's turn"), prompt,
            stages, {"input_tokens", g->job->input_tokens, "tokens"},
            {"prefix_cache_ratio", g->job->cached_ratio, ""},
            {"ttft_pass_tokens", g->constants->ttft_pass_tokens, "tokens"}, step_at(g, flight));
    EXPLAIN(g->to, inference_explain_at(g, "prompt_share@", flight), at->waiting.busy, "ratio",
            inference_explain_at(g,
                                 "requests_running@ x prefill_prompt / pipeline_parallel / "
                                 "(prefill_seconds + output_tokens x "
                                 "time_per_output_token_seconds@)",
                                 flight),
            "share of the time that prompts are read", running_at(g, flight), prompt, stages,
            {"prefill_seconds", g->inference->prefill.one, "s"},
            {"output_tokens", g->job->output_tokens, "tokens"},
            term_at(g, flight, "time_per_output_token_seconds@", at->tpot, "s"));
}

/* How many turns, and what clients cost each other that started at once. */
static void explain_queue(const struct inference_ground *g, enum flight flight)
{
    const struct inference_constants *c = g->constants;
    const struct waiting *w = &g->at[flight].waiting;

    EXPLAIN(g->to, inference_explain_at(g, "turns_queued@", flight), w->turns, "turns",
            inference_explain_at(
                g, "min(prompt_share@ / (2 x (1 - prompt_share@)), requests_running@ - 1)", flight),
            "the wait of an M/D/1 queue (Pollaczek and Khinchin), at most all the others",
            term_at(g, flight, "prompt_share@", w->busy, ""), running_at(g, flight));
    if (g->job->open_arrivals)
        return;
    EXPLAIN(g->to, inference_explain_at(g, "opening_wait@", flight), w->opening, "s",
            inference_explain_at(g,
                                 "(requests_running@ - 1) / (2 x ttft_requests_per_client) x "
                                 "(turn_seconds@ + ttft_prompt_token x 1e-6 x input_tokens)",
                                 flight),
            inference_explain_source(g, "ttft_requests_per_client ttft_prompt_token",
                                     "clients that started together, over all their requests"),
            running_at(g, flight), {"ttft_requests_per_client", c->ttft_requests, "requests"},
            turn_at(g, flight), {"ttft_prompt_token", c->ttft_token_us, "us"},
            {"input_tokens", g->job->input_tokens, "tokens"});
}

void inference_explain_first(const struct inference_ground *g, enum flight flight)
{
    const struct served *at = &g->at[flight];
    const struct inference_constants *c = g->constants;
    const struct prefill *p = &g->inference->prefill;
    const struct waiting *w = &at->waiting;
    double held = g->inference->pool.requests;
    bool waits = !g->job->static_batching && at->concurrency > held;
    const char *formula = first_formula(g);

    if (!g->job->static_batching && !g->job->separate_prefill) {
        explain_running(g, flight);
        explain_turn(g, flight);
        explain_queue(g, flight);
    }
    if (waits)
        formula = arena_print(g->to->arena,
                              "%s + (requests_in_flight@ / requests_held - 1) x output_tokens x "
                              "time_per_output_token_seconds@",
                              formula);
    EXPLAIN(g->to, inference_explain_at(g, "time_to_first_token_seconds@", flight), at->ttft, "s",
            inference_explain_at(g, formula, flight), first_source(g),
            {"prefill_seconds", p->one, "s"}, {"prefill_prompt", p->marginal, "s"},
            {"prefill_pass", p->fixed, "s"}, {"prefill_transfer", p->transfer, "s"},
            {"host_seconds", w->host, "s"},
            {inference_explain_at(g, "running_step@", flight), w->running, "s"},
            {inference_explain_at(g, "turns_queued@", flight), w->turns, "turns"},
            {inference_explain_at(g, "turn_seconds@", flight), w->turn, "s"},
            {inference_explain_at(g, "opening_wait@", flight), w->opening, "s"},
            {"prefill_utilization", c->prefill_utilization, ""},
            {"cache_transfer", traffic_cache(g->inference, g->job->input_tokens), "s"},
            {inference_explain_at(g, "step_seconds@", flight), at->step.total, "s"},
            {inference_explain_at(g, "requests_running@", flight), at->batch, "requests"},
            {"pipeline_parallel", g->job->pipeline, "stages"},
            {inference_explain_at(g, "requests_in_flight@", flight), at->concurrency, "requests"},
            {"requests_held", held, "requests"}, {"output_tokens", g->job->output_tokens, "tokens"},
            {inference_explain_at(g, "time_per_output_token_seconds@", flight), at->tpot, "s"});
}

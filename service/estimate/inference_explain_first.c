/* inference_explain_first.c - the time to the first token. */
#include "estimate/inference_explain_ground.h"
#include "estimate/inference_traffic.h"

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

/* What a prompt waits for on GPUs that also write. */
static void explain_waiting(const struct inference_ground *g, enum flight flight)
{
    const struct inference_constants *c = g->constants;
    const struct inference_job *job = g->job;
    const struct served *at = &g->at[flight];
    const struct waiting *w = &at->waiting;
    const struct explain_term step = {inference_explain_at(g, "step_seconds@", flight),
                                      at->step.total, "s"},
                              running = {inference_explain_at(g, "requests_running@", flight),
                                         at->batch, "requests"},
                              turn = {inference_explain_at(g, "turn_seconds@", flight), w->turn,
                                      "s"},
                              busy = {inference_explain_at(g, "prompt_share@", flight), w->busy,
                                      ""},
                              prompt = {"prefill_prompt", g->inference->prefill.marginal, "s"},
                              stages = {"pipeline_parallel", job->pipeline, "stages"},
                              input = {"input_tokens", job->input_tokens, "tokens"};

    if (flight == FLIGHT_MEAN)
        EXPLAIN(g->to, "host_seconds", w->host, "s",
                "(ttft_request + ttft_moe_layer x moe_layers) x 1e-6",
                inference_explain_source(g, "ttft_request ttft_moe_layer", "what the host does"),
                {"ttft_request", c->ttft_request_us, "us"},
                {"ttft_moe_layer", c->ttft_moe_layer_us[job->engine], "us"},
                {"moe_layers", g->shape->moe_layers, "layers"});
    EXPLAIN(g->to, inference_explain_at(g, "running_step@", flight), w->running, "s",
            inference_explain_at(g, "ttft_step_count x step_seconds@ x (1 - 1 / requests_running@)",
                                 flight),
            inference_explain_source(g, "ttft_step_count", "who is alone waits for no step"),
            {"ttft_step_count", c->ttft_steps, "steps"}, step, running);
    EXPLAIN(g->to, turn.name, w->turn, "s",
            inference_explain_at(g,
                                 "prefill_prompt / pipeline_parallel + input_tokens x (1 - "
                                 "prefix_cache_ratio) / ttft_pass_tokens x step_seconds@",
                                 flight),
            inference_explain_source(g, "ttft_pass_tokens", "another prompt's turn"), prompt,
            stages, input, {"prefix_cache_ratio", job->cached_ratio, ""},
            {"ttft_pass_tokens", c->ttft_pass_tokens, "tokens"}, step);
    EXPLAIN(g->to, busy.name, w->busy, "ratio",
            inference_explain_at(g,
                                 "requests_running@ x prefill_prompt / pipeline_parallel / "
                                 "(prefill_seconds + output_tokens x "
                                 "time_per_output_token_seconds@)",
                                 flight),
            "share of the time that prompts are read", running, prompt, stages,
            {"prefill_seconds", g->inference->prefill.one, "s"},
            {"output_tokens", job->output_tokens, "tokens"},
            {inference_explain_at(g, "time_per_output_token_seconds@", flight), at->tpot, "s"});
    EXPLAIN(g->to, inference_explain_at(g, "turns_queued@", flight), w->turns, "turns",
            inference_explain_at(
                g, "min(prompt_share@ / (2 x (1 - prompt_share@)), requests_running@ - 1)", flight),
            "the wait of an M/D/1 queue (Pollaczek and Khinchin), at most all the others", busy,
            running);
    if (!job->open_arrivals)
        EXPLAIN(g->to, inference_explain_at(g, "opening_wait@", flight), w->opening, "s",
                inference_explain_at(g,
                                     "(requests_running@ - 1) / (2 x ttft_requests_per_client) x "
                                     "(turn_seconds@ + ttft_prompt_token x 1e-6 x input_tokens)",
                                     flight),
                inference_explain_source(g, "ttft_requests_per_client ttft_prompt_token",
                                         "clients that started together, over all their requests"),
                running, {"ttft_requests_per_client", c->ttft_requests, "requests"}, turn,
                {"ttft_prompt_token", c->ttft_token_us, "us"}, input);
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

    if (!g->job->static_batching && !g->job->separate_prefill)
        explain_waiting(g, flight);
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

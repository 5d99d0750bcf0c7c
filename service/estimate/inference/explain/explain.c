#include "estimate/inference/explain/explain.h"

#include "base/units.h"
#include "estimate/inference/communication.h"
#include "estimate/inference/explain/context.h"
#include "estimate/inference/explain/ends.h"
#include "estimate/inference/serving/disaggregation.h"
#include "estimate/inference/serving/line_items.h"
#include "estimate/inference/serving/queue.h"

#include <math.h>
#include <string.h>

#define PRINT(...) arena_print(to->arena, __VA_ARGS__)
#define SOURCE(pages, words) inference_explain_source(g, pages, words)
#define LINE(key) inference_explain_line(g, key)
#define AT(text) inference_explain_at(g, text, flight)

static const char ALONE[] = "one GPU holds each layer: nothing is sent";

/* ---- table rows that expand to several symbols or figures */

/* A time line: a step's time divided by the tokens per request that it writes. */
#define PER_TOKEN(key, seconds)                                                 \
    if (ahead)                                                                  \
    EXPLAIN(key, "s", (seconds) / inference_tokens_per_step(&job->speculation), \
            PRINT("%s / tokens_per_step", LINE(key)),                           \
            "time of a step over the tokens that it writes of a request")

#define MILLION(key, value, tokens, all)                                              \
    EXPLAIN_IF(plan->fits, key, "USD/Mtoken", value,                                  \
               PRINT("cost_per_hour / (%s%s x seconds_per_hour) x 1e6", tokens, all), \
               "the same hour's cost over its tokens; see cost_basis")

/* Percentiles under random arrivals, and the shape of their distribution. */
#define SHAPE(name, moments) add_shape(g, name, moments);
#define PERCENTILE(key, value, of, z) add_percentile(g, key, value, of, z);

/* The row of a step, the sum of its lines. */
#define STEP(suffix, step, words) add_step(g, suffix, step, words);
#define MESSAGE(shown, key, seconds, fused, depth, gpus) \
    add_message(g, shown, key, seconds, fused, depth, gpus);
#define VOLUME(shown, key, seconds, tokens, rounds) \
    add_volume(g, shown, key, seconds, tokens, rounds);
#define ROUTING(key, seconds, tokens, prompts) add_routing(g, key, seconds, tokens, prompts);
#define TRANSFER(key, seconds, tokens) add_transfer(g, key, seconds, tokens);

static void add_step(const struct inference_explain_context *g, const char *suffix,
                     const struct step *step, const char *words)
{
    const struct line {
        const char *key;
        double seconds;
    } lines[] = {
        {"weight_reads", step->weights},
        {"kv_cache_reads", step->kv_cache},
        {"state_reads", step->state},
        {"compute", step->gemm},
        {"expert_routing", step->routing},
        {"attention", step->attention},
        {"tensor_parallel_communication", inference_communication(step)},
        {"pipeline_communication", step->transfer},
        {"launch_overhead", step->launch + step->requests},
        {"draft", step->draft},
    };
    struct explanations *to = g->to;
    const char *of = suffix[0] ? suffix : LINE("");
    const char *formula = NULL;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const char *name = PRINT("%s%s", lines[i].key, of);
        SYMBOL(name, "s", lines[i].seconds)
        if (lines[i].seconds != 0 || !serving_line_is_optional(lines[i].key))
            formula = formula ? PRINT("%s + %s", formula, name) : name;
    }
    EXPLAIN(PRINT("step_seconds%s", suffix), "s", step->total, formula, words)
}

static void add_shape(const struct inference_explain_context *g, const char *name,
                      const struct moments *moments)
{
    struct explanations *to = g->to;
    bool known = !isnan(g->plan->latency.p95);
    struct moments_shape shape = moments_shape_of(moments);

    SYMBOL(PRINT("%s_mean", name), "s", known ? moments->mean : (double)NAN)
    SYMBOL(PRINT("%s_deviation", name), "s", shape.deviation)
    SYMBOL(PRINT("%s_tail", name), "", shape.tail)
    SYMBOL(PRINT("%s_sigma", name), "", shape.sigma)
}

static void add_percentile(const struct inference_explain_context *g, const char *key, double value,
                           const char *of, double z)
{
    static const char method[] =
        "requests come at random at the peak and their lengths are spread by input_tokens_cv and "
        "output_tokens_cv: prompts wait as in an M/G/1 queue, what is written shares each step, "
        "and prompts that come delay it (Conway, Maxwell and Miller, 1967); the percentile of the "
        "shifted lognormal distribution with that mean, deviation and skewness, at the normal "
        "score that leaves the stated share once requests waiting for a slot are counted";
    struct explanations *to = g->to;
    const char *unknown = !serving_is_open(g->inference) ? "no random arrivals: all requests take "
                                                           "equally long"
                          : isnan(value) ? "the load is not carried: the wait grows without end"
                                         : NULL;
    bool first = strcmp(of, "first_token") == 0;
    const struct moments *moments = first ? &g->plan->latency.first : &g->plan->latency.whole;
    bool skewed = moments_shape_of(moments).tail > 0;

    EXPLAIN(key, "s", value,
            skewed ? PRINT("%s_mean - %s_deviation / sqrt(%s_tail) x (1 - "
                           "pow(2.718281828459045, %.17g x %s_sigma - %s_sigma x %s_sigma / 2))",
                           of, of, of, z, of, of, of)
                   : PRINT("%s_mean + %.17g x %s_deviation", of, z, of),
            unknown ? unknown : SOURCE("input_tokens_cv output_tokens_cv", method))
}

/* The latency of a message, independent of its size. */
static void add_message(const struct inference_explain_context *g, bool shown, const char *key,
                        double seconds, bool fused, const char *depth, double gpus)
{
    struct explanations *to = g->to;
    bool over_link = inference_explain_linked(g->job, gpus);

    EXPLAIN_IF(shown, key, "s", seconds,
               gpus <= 1   ? "0"
               : over_link ? PRINT("a_nv x 1e-6%s%s", depth, fused ? " x f_fused" : "")
                           : "a_pcie x 1e-6 x 31.5e9 / pcie_rate",
               over_link
                   ? SOURCE(fused ? "a_nv f_fused" : "a_nv", "each GPU waits once for all others")
                   : SOURCE("a_pcie gpu", "as measured over PCIe 4.0 x16, 31.5 GB/s"))
}

/* The volume that tokens move between the GPUs of a layer; `rounds` is 0 for those of prompts. With
 * data-parallel attention, a token is also sent to every other GPU with one of its experts. */
static void add_volume(const struct inference_explain_context *g, bool shown, const char *key,
                       double seconds, const char *tokens, double rounds)
{
    struct explanations *to = g->to;
    bool own = communication_exchange_share(g->inference).share != g->constants->e_link,
         reduce = g->inference->all_reduces > 0, exchange = g->inference->exchanges > 0;
    bool prompts = rounds < 1, one = rounds == 1 && g->inference->over_link;
    bool in_switch = prompts && communication_prompts_in_switch(g->inference);
    const char *ring = "2 x (attention_gpus - 1) / attention_gpus",
               *exchanged = inference_explain_exchanged(g, tokens, prompts);
    const char *crossings = in_switch
                                ? PRINT("min(%s, (attention_gpus + 1) / attention_gpus)", ring)
                            : one ? "(attention_gpus - 1)"
                                  : ring;
    bool by_tokens =
        one && g->job->engine == ENGINE_TENSORRT_LLM && g->inference->attention_gpus > 2;
    const char *summed =
        by_tokens ? PRINT("min(%s, all_reduce_one_round x attention_groups)", tokens) : tokens;
    const char *reduced = PRINT("all_reduces x %s x %s / attention_groups x "
                                "width x activation_bytes / (e_link x link_rate)",
                                crossings, summed);

    EXPLAIN_IF(shown, key, "s", seconds,
               reduce && exchange ? PRINT("%s + %s", reduced, exchanged)
               : reduce           ? reduced
               : exchange         ? exchanged
                                  : "0",
               reduce || exchange
                   ? SOURCE(own ? "gpu e_link e_exchange" : "gpu e_link",
                            in_switch ? "switches of NVLink 4 and newer add up (NVLS), so that "
                                        "each byte goes out once and 1/n of them again"
                            : one     ? "each GPU reads what all others have; the rate of the link"
                                      : "a ring sends each byte (n - 1)/n twice; the rate of the "
                                        "link, or where there is none PCIe")
                   : ALONE)
}

/* Time to sort the copies of tokens by expert and to sum them up again. */
static void add_routing(const struct inference_explain_context *g, const char *key, double seconds,
                        const char *tokens, bool prompts)
{
    struct explanations *to = g->to;

    EXPLAIN_IF(g->shape->moe, key, "s", seconds,
               PRINT("%sc_route x moe_layers x %s%s x top_k x expert_hidden x activation_bytes / "
                     "(memory_share x bandwidth)",
                     inference_explain_busiest(g, prompts), tokens,
                     inference_divides_copies(g->job) ? " / tensor_parallel" : ""),
               SOURCE("gpu model c_route",
                      "copies of a token, one for each of its experts, sorted and added up; a GPU "
                      "that holds a part of every expert has the copies of all tokens"))
}

/* Transfer from stage to stage. */
static void add_transfer(const struct inference_explain_context *g, const char *key, double seconds,
                         const char *tokens)
{
    struct explanations *to = g->to;
    const struct inference_job *job = g->job;
    double gpus = job->tensor * job->pipeline, hops = job->pipeline - 1;
    bool over_link = inference_explain_linked(job, gpus);
    double crossings = over_link ? 0 : fmin(hops, ceil(gpus / job->gpus_per_node) - 1);
    const char *between = crossings <= 0      ? "hops / rate"
                          : crossings >= hops ? "crossings / network"
                                              : "(crossings / network + (hops - crossings) / rate)";

    LOCAL("hops", "", hops)
    LOCAL("crossings", "", crossings)
    LOCAL("rate", "B/s", over_link ? job->gpu->link_rate : job->gpu->pcie_rate)
    EXPLAIN(key, "s", seconds,
            hops <= 0 ? "0" : PRINT("%s x width x activation_bytes / e_link x %s", tokens, between),
            hops <= 0 ? "one stage: no transfer"
                      : SOURCE("gpu e_link",
                               "activations handed from stage to stage, over the link or PCIe, and "
                               "over the network where a replica spans servers"))
}

/* ---- the tables */

static void add_symbols(const struct inference_explain_context *g)
{
    struct explanations *to = g->to;
    const struct serving_request *request = g->request;
    const struct serving_plan *plan = g->plan;
    const struct inference *inference = g->inference;
    const struct inference_job *job = g->job;
    const struct model_shape *s = g->shape;
    const struct inference_constants *c = g->constants;

#include "estimate/inference/explain/symbols.def"
}

/* What determined the number of replicas. */
enum sized { SIZED_REPLICAS, SIZED_WRITERS, SIZED_GPUS, SIZED_LOAD };

static enum sized sized_by(const struct inference_explain_context *g)
{
    if (!isnan(g->request->pinned.replicas))
        return SIZED_REPLICAS;
    if (isnan(g->request->pinned.gpu_count))
        return SIZED_LOAD;
    return g->job->separate_prefill ? SIZED_WRITERS : SIZED_GPUS;
}

static void add_design(const struct inference_explain_context *g)
{
    struct explanations *to = g->to;
    const struct serving_request *request = g->request;
    const struct serving_plan *plan = g->plan;
    const struct serving_design *design = &plan->design;
    const struct inference *inference = g->inference;
    const struct inference_constants *c = g->constants;
    const struct gap *gap = &plan->gap;
    enum sized sized = sized_by(g);
    bool apart = g->job->separate_prefill, shared = g->job->sharing > 0;
    bool arrives = request->load == SERVING_RATE;
    double reading = inference_reader_seconds(inference) / c->prefill_utilization;
    double writing = (double)NAN, rate_within = 0;

    if (sized == SIZED_WRITERS && plan->fits)
        writing = 1 / serving_rate_full(inference);
    if (sized == SIZED_LOAD && g->mean_within > 0)
        rate_within = queue_rate(inference, queue_best_batch(inference, g->mean_within));
#include "estimate/inference/explain/design.def"
}

static void add_flight(const struct inference_explain_context *g, enum flight flight)
{
    struct explanations *to = g->to;
    const struct serving_plan *plan = g->plan;
    const struct inference_job *job = g->job;
    const struct served *at = &g->at[flight];
    const struct waiting *wait = &at->waiting;
    bool mean = flight == FLIGHT_MEAN, apart = job->separate_prefill;
    bool is_full = flight == FLIGHT_FULL || (mean && isnan(plan->batch));
    bool fewer = at->concurrency < g->most[flight];
    bool queues = !job->static_batching && !apart, full = wait->saturated > 0;
    /* Prompts delay both tokens and first tokens. */
    bool arrive = inference_mixes_arrivals(job), ahead = job->speculation.tokens > 0;
    bool split = queues && !arrive && inference_prompts_first(job);
    bool skips = queues && wait->unseen > 0;
    bool waits = !job->static_batching && at->concurrency > g->inference->pool.requests;
    bool meanwhile = apart && !job->open_arrivals; /* prompts are read while they wait */
    bool measured = g->constants->first_token != 1, known = inference_knows_readers(job);
    bool clients = apart && known && !job->open_arrivals;
    const char *each = ahead ? "step_seconds@ / tokens_per_step" : "step_seconds@";
    const char *admitted =
        job->sharing > 1 ? "b_max / replicas_per_gpu" : "b_max x attention_groups";
    bool refined = mean && plan->latency.token > 0; /* the figure itself follows from more */
    const char *interference = refined ? "interference_in_flight"
                               : mean  ? "prefill_interference"
                                       : AT("interference@");
    const char *token = refined ? "time_per_token_in_flight" : AT("time_per_output_token_seconds@");
    const char *lines = mean ? LINE("") : g->suffix[flight];
    bool shares = inference_reads_while_writing(job), staged = inference_stages_wait(job);
    const char *stages_gained = staged ? AT("stages_gained@") : "stages_gained";
    double step = at->step.total,
           round = staged ? inference_stages_round(g->inference, step, at->arrivals) : step,
           coming = at->arrivals * round / job->pipeline;

#include "estimate/inference/explain/flight.def"
}

static void add_load(const struct inference_explain_context *g)
{
    struct explanations *to = g->to;
    const struct serving_request *request = g->request;
    const struct serving_plan *plan = g->plan;

#include "estimate/inference/explain/load.def"
    for (enum flight flight = 0; flight < FLIGHT_COUNT; flight++)
        if (g->shown[flight])
            add_flight(g, flight);
}

static void add_service(const struct inference_explain_context *g)
{
    struct explanations *to = g->to;
    const struct serving_plan *plan = g->plan;
    const struct inference *inference = g->inference;
    const struct inference_job *job = g->job;
    const struct range *written = &plan->output_tokens_per_second;
    bool is_rate = g->request->load == SERVING_RATE, apart = job->separate_prefill;
    const char *admitted =
        job->sharing > 1 ? "b_max / replicas_per_gpu" : "b_max x attention_groups";
    const char *interval = inference_explain_interval(g);
    bool refined = plan->latency.token > 0;
    const struct sway *sway = &plan->sway;
    bool sways = sway->token_high != 1 || sway->first_low != 1 || sway->first_high != 1 ||
                 sway->slots_low != 1 || sway->slots_high != 1;
    const char *swayed =
        SOURCE("interval_factor ttft_range_factor",
               apart && !job->open_arrivals
                   ? "also if the replicas that read prompts are faster or slower against those "
                     "that write, by the interval of a prompt: independent, so that the logarithms "
                     "add in squares"
                   : "of a replica as much faster or slower, to which as many requests come: fewer "
                     "or more of them are in flight, or wait for a slot");
    const char *first_range =
        job->static_batching ? interval : SOURCE("ttft_range_factor", "80% range, by engine");
    double decode_factor = inference_load_interval(inference, plan->batch);
    double prompt_factor = inference_interval(inference, inference_prefill_interval(inference));
    double low = 1 / prompt_factor, high = prompt_factor, offline;
    double saves = inference_reader_saves(inference);

    (void)inference_offline(inference, &offline);
    double eager = inference_eager_seconds(inference, offline);
    struct step offline_step =
        inference_step(inference, fmax(1, offline / job->pipeline), inference_context(job));
    if (!job->static_batching)
        inference_ttft_range(inference, &low, &high);
    SYMBOL("low_factor", "", low)
    SYMBOL("high_factor", "", high)
#include "estimate/inference/explain/service.def"
}

static void add_step_lines(const struct inference_explain_context *g)
{
    struct explanations *to = g->to;
    const struct inference *inference = g->inference;
    const struct inference_job *job = g->job;
    const struct model_shape *s = g->shape;
    const struct inference_constants *c = g->constants;
    const struct prefill *prefill = &inference->prefill;
    const struct step *step = &g->at[FLIGHT_MEAN].step;
    double batch = g->at[FLIGHT_MEAN].batch;
    double in_step = job->static_batching ? batch : fmax(1, batch / job->pipeline);
    double rounds = communication_rounds(inference, in_step * (1 + job->speculation.tokens));
    bool gddr = gpu_is_gddr(job->gpu), split = job->tensor > 1, groups = job->attention_data > 1,
         uneven = job->separate_prefill && groups && s->moe;
    bool sglang = inference_pays_sglang(job), llama = job->engine == ENGINE_LLAMA_CPP;
    bool ahead = job->speculation.tokens > 0, stateful = step->state != 0,
         adapted = job->adapters > 0, images = job->images > 0 && s->frozen_weights > 0,
         early = inference_early_amd_experts(job), selects = inference_selects_tokens(job),
         indexes = inference_indexes(job), halves = inference_overlaps_halves(inference);
    struct inference plain = *inference;
    bool arrive = inference_mixes_arrivals(job), staged = inference_stages_wait(job);
    const char *gained = staged ? "stages_gained_offline" : "stages_gained";
    struct raw_moments prompt = inference_prompt_moments(inference, prefill->stages);
    double passes = job->input_tokens * (1 - job->cached_ratio) / inference_step_tokens(inference);
    if (arrive) {
        SYMBOL("prompt_factor", "", prompt.first / (prefill->marginal / prefill->stages))
        SYMBOL("prompt_spread", "", prompt.second / (prompt.first * prompt.first))
    }
    struct adapter_pass adapters = {0};
    if (adapted)
        adapters = adapters_pass(inference, in_step, in_step * (1 + job->speculation.tokens));
    plain.job.speculation.tokens = 0;
    double plain_step = ahead ? inference_step(&plain, in_step, inference_context(job)).total : 0;
#include "estimate/inference/explain/step.def"
}

static void add_memory(const struct inference_explain_context *g)
{
    struct explanations *to = g->to;
    const struct serving_request *request = g->request;
    const struct serving_plan *plan = g->plan;
    const struct inference *inference = g->inference;
    const struct inference_job *job = g->job;
    const struct model_shape *s = g->shape;
    const struct inference_constants *c = g->constants;
    const struct kv_pool *pool = &inference->pool;
    const struct weight_bytes *bytes = &inference->bytes;
    double element = memory_kv_bytes(&c->memory, job->kv_format);
    double length = job->input_tokens + job->output_tokens;
    double whole =
        memory_kv_bytes_per_request(s, element, length) + memory_state_bytes(&c->memory, s);
    double longest = memory_max_context(pool, s, element, job->pipeline);
    double room =
        fmax(0, pool->bytes - pool->state) /
        ((s->kv_elements * element + s->index_key_bytes) / (pool->shards * job->pipeline));
    double batch = plan->fits ? plan->mean.batch : 1;
    bool adapted = job->adapters > 0, keys = s->index_key_bytes > 0;
    bool seen = pool->seen != 0;
    const char *cached =
        keys ? "(kv_elements x kv_bytes + index_dim + 4)" : "kv_elements x kv_bytes";
    const char *times_seen = job->seen.weights != 0 ? "measured_weights_ratio x " : "",
               *and_seen = seen ? "measured_room_gib + " : "";
    const char *needed_cache =
        pool->bytes_longest > plan->group_requests * pool->bytes_paged
            ? (seen ? "(kv_cache_longest - measured_room_gib)" : "kv_cache_longest")
            : (seen ? "(kv_cache_paged - measured_room_gib)" : "kv_cache_paged");
    const char *reckoned_source, *reckoned = inference_explain_reckoned(g, &reckoned_source);

    if (job->seen.weights != 0)
        SYMBOL("measured_weights_ratio", "ratio", 1 + job->seen.weights)
    if (seen)
        SYMBOL("measured_room_gib", "GiB", pool->seen / GIB)
#include "estimate/inference/explain/memory.def"
}

static void add_money(const struct inference_explain_context *g)
{
    struct explanations *to = g->to;
    const struct serving_plan *plan = g->plan;
    const struct serving_cost *cost = g->answer->cost;
    bool apart = g->job->separate_prefill;
    double prompt_share = plan->fits ? serving_prompt_share(plan, cost->from_load) : (double)NAN;
    const char *written =
        cost->from_load ? "output_tokens_per_second" : "output_tokens_per_second_capacity";

#include "estimate/inference/explain/money.def"
}

/* Equal numbers in flight share one set of rows. */
static void set_suffixes(struct inference_explain_context *g)
{
    static const char *const own[FLIGHT_COUNT] = {"", "_p95", "_lone", "_full", "_within"};

    for (int i = 0; i < FLIGHT_COUNT; i++) {
        int j = 0;
        while (j < i && (g->at[j].concurrency != g->at[i].concurrency ||
                         g->at[j].arrivals != g->at[i].arrivals))
            j++;
        g->suffix[i] = j < i ? g->suffix[j] : own[i];
        g->shown[i] = j == i;
    }
    g->shown[FLIGHT_WITHIN] &= g->mean_within > 0;
}

static void set_flights(struct inference_explain_context *g)
{
    double most = serving_most_in_flight(g->inference);

    g->most_within = serving_batch_within(g->request, g->inference, &g->limit);
    struct serving_times lone = serving_times_lone(g->inference);
    g->mean_within =
        serving_mean_within(g->request, g->inference, g->most_within, &lone, &g->limit);
    g->at[FLIGHT_MEAN] = g->plan->mean;
    g->at[FLIGHT_P95] = g->plan->tail;
    g->at[FLIGHT_LONE] = g->plan->lone;
    g->most[FLIGHT_FULL] = most;
    g->most[FLIGHT_WITHIN] = g->mean_within;
    for (int i = FLIGHT_FULL; i <= FLIGHT_WITHIN; i++)
        g->at[i] = inference_serve(g->inference, queue_best_batch(g->inference, g->most[i]));
    set_suffixes(g);
}

void inference_explain(const struct inference_answer *answer, struct explanations *to)
{
    const struct inference *inference = &answer->plan->inference;
    struct inference_explain_context g = {
        .to = to,
        .answer = answer,
        .request = answer->request,
        .plan = answer->plan,
        .inference = inference,
        .job = &inference->job,
        .shape = &inference->job.shape,
        .constants = inference->constants,
    };

    if (answer->plan->fits)
        set_flights(&g);
    add_symbols(&g);
    add_design(&g);
    if (answer->plan->fits) {
        add_load(&g);
        add_service(&g);
        add_step_lines(&g);
    }
    add_memory(&g);
    add_money(&g);
    explain_substitute(to);
}

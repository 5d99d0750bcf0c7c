#include "estimate/inference/serving/rules.h"

#include "base/units.h"

#include <math.h>

/* A question with the figures that the rules use. */
struct subject {
    const struct serving_request *request;
    const struct serving_plan *plan;
    const struct inference_rule_inputs *inputs;
    const struct inference_job *job;
    const struct model_shape *shape;
    double bytes;         /* per weight, nominal */
    double weight_bytes;  /* of the whole model */
    double active_bytes;  /* read per token */
    double batch, tokens; /* in flight, and their final length */
    double kv, kv_mha;    /* bytes per token, with and without sharing of KV heads */
    double tensor;
};

/* The marketed capacity in the vendor's GB: 80 for an 80 GB card. */
static double boxed_gb(const struct gpu *gpu)
{
    double bytes = gpu->memory_marketed_bytes;

    return fmod(bytes, GIB) == 0 ? bytes / GIB : bytes / GIGA;
}

static void add_memory(const struct subject *s, struct rules *rules)
{
    double kv = s->kv * s->tokens * s->batch, mha = s->kv_mha * s->tokens * s->batch;

    rule_of_thumb_add(rules, "weights_gb", s->weight_bytes / GIGA, "GB",
                      "parameters x bytes per weight",
                      "scales of quantised formats, the 16-bit head, and memory the engine takes");
    rule_of_thumb_add(rules, "kv_cache_bytes_per_token_mha", s->kv_mha, "bytes",
                      "2 x layers x heads x head size x bytes",
                      "that most models share KV heads between queries, or cache a latent");
    rule_of_thumb_add(rules, "kv_cache_gb", kv / GIGA, "GB",
                      "2 x layers x KV heads x head size x bytes x tokens x batch",
                      "sliding windows, and that requests are not all at full length at once");
    rule_of_thumb_add(rules, "kv_cache_gb_mha", mha / GIGA, "GB",
                      "2 x layers x heads x head size x bytes x tokens x batch",
                      "that most models share KV heads between queries, or cache a latent");
    rule_of_thumb_add(rules, "weights_and_kv_gb", (s->weight_bytes + kv) / GIGA, "GB",
                      "parameters x bytes per weight + KV cache",
                      "memory the engine takes for itself");
}

/* Users leave 10 to 15 % of a card free (source document S2). */
static void add_headroom(const struct subject *s, struct rules *rules)
{
    double box = boxed_gb(s->job->gpu);

    rule_of_thumb_add(rules, "usable_memory_gb_low", 0.85 * box, "GB",
                      "memory on the box less 15% of headroom",
                      "what driver and engine actually take");
    rule_of_thumb_add(rules, "usable_memory_gb_high", 0.9 * box, "GB",
                      "memory on the box less 10% of headroom",
                      "what driver and engine actually take");
}

/* The next number of GPUs that divides the heads. */
static double next_split(double gpus, double heads)
{
    if (!(gpus <= heads))
        return (double)NAN;
    while (fmod(heads, gpus) != 0)
        gpus++;
    return gpus;
}

static void add_gpus(const struct subject *s, struct rules *rules)
{
    double box = boxed_gb(s->job->gpu) * GIGA;
    double kv = s->kv * s->tokens * s->batch, mha = s->kv_mha * s->tokens * s->batch;
    double both = ceil((s->weight_bytes + kv) / box);

    rule_of_thumb_add(rules, "gpus_for_weights", ceil(s->weight_bytes / box), "GPUs",
                      "weights over the memory on the box, rounded up",
                      "the KV cache, and what driver and engine take");
    rule_of_thumb_add(rules, "gpus_for_weights_and_kv", both, "GPUs",
                      "weights and KV cache over the memory on the box, rounded up",
                      "what driver and engine take, and how layers can be split");
    rule_of_thumb_add(rules, "gpus_for_weights_and_kv_mha", ceil((s->weight_bytes + mha) / box),
                      "GPUs", "the same, with keys and values for every query head",
                      "that most models share KV heads between queries");
    rule_of_thumb_add(rules, "gpus_for_weights_and_kv_split", next_split(both, s->shape->heads),
                      "GPUs", "the same, rounded up to a number that divides the heads",
                      "what driver and engine take");
}

static double token_seconds(const struct subject *s)
{
    return s->active_bytes /
           (s->tensor * s->job->gpu->memory_bandwidth * s->inputs->bandwidth_efficiency);
}

static double hop_seconds(const struct subject *s)
{
    const double nvlink = 1e-6, pcie = 10e-6; /* source document S0 */

    if (!isnan(s->inputs->link_latency_seconds))
        return s->inputs->link_latency_seconds;
    return s->plan->inference.over_link ? nvlink : pcie;
}

/* 2 all-reduces per layer, each a tree of log2(GPUs) hops. */
static double all_reduce_seconds(const struct subject *s)
{
    return 2 * s->shape->layers * log2(s->tensor) * hop_seconds(s);
}

static void add_speed(const struct subject *s, struct rules *rules)
{
    double seconds = token_seconds(s), outputs = s->job->output_tokens;
    double roof = s->tensor * s->plan->inference.peak_16bit / (2 * s->shape->params_active);

    rule_of_thumb_add(rules, "tokens_per_second_bandwidth", 1 / seconds, "tokens/s",
                      "memory bandwidth x efficiency over the bytes of the weights read",
                      "KV cache, compute, communication, launches, and whether the model fits");
    rule_of_thumb_add(rules, "seconds_per_token_bandwidth", seconds, "s",
                      "bytes of the weights read over memory bandwidth x efficiency",
                      "KV cache, compute, communication, launches, and other prompts");
    rule_of_thumb_add(
        rules, "tokens_per_second_tensor_parallel", 1 / (seconds + all_reduce_seconds(s)),
        "tokens/s", "with 2 all-reduces a layer of log2(GPUs) hops added to the time",
        "that an all-reduce over PCIe takes several times as long, its volume, KV cache, "
        "compute and launches");
    rule_of_thumb_add(rules, "latency_seconds_bandwidth", outputs * seconds, "s",
                      "output tokens x bytes of the weights over memory bandwidth x efficiency",
                      "reading the prompt, waiting, other requests, KV cache and launches");
    rule_of_thumb_add(rules, "tokens_per_second_batch", fmin(s->batch / seconds, roof), "tokens/s",
                      "the smaller of batch x one stream and peak FLOP/s over 2 FLOP per parameter",
                      "KV cache, and that neither bandwidth nor peak is reached");
}

static void add_intensity(const struct subject *s, struct rules *rules)
{
    double rows = s->batch * s->job->input_tokens, h = s->shape->hidden, f = 4 * h;

    rule_of_thumb_add(rules, "flop_per_token", 2 * s->shape->params_active, "FLOP",
                      "2 x parameters used per token", "attention over the context");
    rule_of_thumb_add(rules, "arithmetic_intensity_decode", 2 * s->batch / s->bytes, "FLOP/byte",
                      "2 x batch over bytes per weight", "reading the KV cache");
    rule_of_thumb_add(rules, "prefill_matrix_flop", 2 * rows * h * f, "FLOP",
                      "2 x batch x input tokens x h x 4h: one matrix of a layer",
                      "the other matrices");
    rule_of_thumb_add(rules, "prefill_matrix_bytes", s->bytes * h * f, "bytes",
                      "bytes per weight x h x 4h: that matrix", "reading and writing activations");
    rule_of_thumb_add(rules, "arithmetic_intensity_prefill", 2 * rows / s->bytes, "FLOP/byte",
                      "2 x batch x input tokens over bytes per weight",
                      "reading and writing activations");
    rule_of_thumb_add(rules, "arithmetic_intensity_prefill_with_activations",
                      2 * rows * h * f / (s->bytes * (h * f + rows * h + rows * f)), "FLOP/byte",
                      "2MKN over the bytes of a matrix h x 4h, its input and its output",
                      "fusion with neighbouring operations, attention");
}

/* Where communication takes as long as compute: a layer's two all-reduces of h 16-bit values, sent
 * and received, against its 24 h^2 FLOP per token (source document S0). */
static void add_split_limit(const struct subject *s, struct rules *rules)
{
    double both_ways = 2 * inference_link_rate(s->job->gpu, s->job->bridged);
    double limit = 1.5 * s->shape->hidden * both_ways / s->plan->inference.peak_16bit;

    rule_of_thumb_add(rules, "tensor_parallel_limit", limit, "GPUs",
                      "1.5 x hidden size x link bytes/s both ways over peak FLOP/s",
                      "latency of all-reduces, achieved shares of peak and link");
    rule_of_thumb_add(
        rules, "tensor_parallel_limit_ring", floor(1 + limit), "GPUs",
        "1 + 1.5 x hidden size x link bytes/s both ways over peak FLOP/s, rounded down",
        "latency of all-reduces, achieved shares of peak and link");
}

static void add_load(const struct subject *s, struct rules *rules)
{
    const struct serving_request *request = s->request;
    double rate = request->amount, outputs = s->job->output_tokens;

    if (request->load != SERVING_RATE)
        return;
    rule_of_thumb_add(rules, "requests_per_second", rate, "requests/s",
                      "requests per minute over 60", "peaks");
    rule_of_thumb_add(rules, "output_tokens_per_second_needed", rate * outputs, "tokens/s",
                      "requests per second x output tokens", "peaks, and reading the prompts");
    rule_of_thumb_add(rules, "output_tokens_per_second_needed_at_peak",
                      rate * outputs * request->peak_ratio, "tokens/s",
                      "the same x peak over average, or headroom", "reading the prompts");
    rule_of_thumb_add(rules, "concurrency_little", rate * request->limits.latency_p95_seconds,
                      "requests", "requests per second x seconds a request may take (Little's law)",
                      "that quicker requests leave sooner, and chance above the mean");
}

static void add_measured(const struct subject *s, struct rules *rules)
{
    const struct serving_design *design = &s->plan->design;
    double each = s->inputs->replica_tokens_per_second, size = design->tensor * design->pipeline;
    double needed = s->request->amount * s->job->output_tokens * s->request->peak_ratio;
    double replicas = ceil(needed / each);

    if (isnan(each) || s->request->load != SERVING_RATE)
        return;
    rule_of_thumb_add(rules, "replicas_for_throughput", replicas, "replicas",
                      "tokens per second needed at the peak over those of one replica, rounded up",
                      "latency: a full replica is a slow one");
    rule_of_thumb_add(rules, "gpus_for_throughput", replicas * size, "GPUs",
                      "replicas x GPUs of one replica", "latency: a full replica is a slow one");
    rule_of_thumb_add(rules, "purchase_cost_for_throughput",
                      replicas * size * s->inputs->card_price, "USD", "GPUs x price of a card",
                      "servers, network, power and everything else");
    rule_of_thumb_add(rules, "throughput_share_of_need", design->replicas * each / needed, "ratio",
                      "tokens per second of the replicas there are over those needed at the peak",
                      "latency: a full replica is a slow one");
}

/* Cost per token for a single user: from server prices and single-stream speeds of source document
 * S0, 8 RTX 4090 and 8 H100 come out within a factor of two. */
static void add_token_cost(const struct subject *s, struct rules *rules)
{
    double gpus = s->tensor * s->job->pipeline;
    double seconds = token_seconds(s) + all_reduce_seconds(s);

    rule_of_thumb_add(rules, "cost_per_million_tokens_tensor_parallel",
                      gpus * s->inputs->price_per_gpu_hour / SECONDS_PER_HOUR * seconds * 1e6,
                      "USD", "GPUs x price per hour over tokens_per_second_tensor_parallel",
                      "that requests are served together, and other costs of a GPU");
}

/* For the peak and the longest requests, not the average (source document S2). */
static void add_cache_peak(const struct subject *s, struct rules *rules)
{
    const struct model_shape *shape = s->shape;
    double tokens = shape->max_tokens > 0 ? shape->max_tokens : (double)NAN;

    rule_of_thumb_add(
        rules, "kv_cache_gb_peak", s->kv * tokens * s->plan->batch_p95 / GIGA, "GB",
        "KV cache per token x the longest context of the model x the requests in flight on "
        "a replica that are not exceeded 95% of the time",
        "sliding windows, and that requests are rarely that long all at once");
}

/* Consumer cards in a dense chassis run 15 to 25 % slower (source document S2). */
static void add_derated(const struct subject *s, struct rules *rules)
{
    double cool = s->plan->output_tokens_per_second.middle;

    if (!gpu_is_consumer(s->job->gpu))
        return;
    rule_of_thumb_add(rules, "output_tokens_per_second_derated_low", 0.75 * cool, "tokens/s",
                      "three quarters of the estimate, for consumer cards in a dense chassis",
                      "that memory does not slow down with the cores; not measured here");
    rule_of_thumb_add(rules, "output_tokens_per_second_derated_high", 0.85 * cool, "tokens/s",
                      "0.85 of the estimate, for consumer cards in a dense chassis",
                      "that memory does not slow down with the cores; not measured here");
}

/* Engines that reserve the cache of every request at full length (source document S2). */
static void add_unpaged(const struct subject *s, struct rules *rules)
{
    double paged = s->plan->output_tokens_per_second.middle;

    rule_of_thumb_add(rules, "output_tokens_per_second_unpaged_low", paged / 4, "tokens/s",
                      "a quarter of the estimate, for engines without a paged cache",
                      "everything but a factor of 2 to 4 people quote; not measured here");
    rule_of_thumb_add(rules, "output_tokens_per_second_unpaged_high", paged / 2, "tokens/s",
                      "half of the estimate, for engines without a paged cache",
                      "everything but a factor of 2 to 4 people quote; not measured here");
}

void inference_rules(const struct serving_request *request, const struct serving_plan *plan,
                     const struct inference_rule_inputs *inputs, struct rules *rules)
{
    const struct inference_job *job = &plan->inference.job;
    const struct model_shape *shape = &job->shape;
    double kv_bytes = memory_nominal_bytes(job->kv_format);
    struct subject s = {
        .request = request, .plan = plan, .inputs = inputs, .job = job, .shape = shape};

    s.bytes = memory_nominal_bytes(job->weight_format);
    s.weight_bytes = shape->params_total * s.bytes;
    s.active_bytes = shape->params_active * s.bytes;
    s.batch = request->load == SERVING_RATE ? 1 : request->amount;
    s.tokens = job->input_tokens + job->output_tokens;
    s.kv = shape->layers * shape->kv_elements * kv_bytes;
    s.kv_mha = shape->layers * 2 * shape->heads * shape->head_dim * kv_bytes;
    s.tensor = job->tensor;
    add_memory(&s, rules);
    add_cache_peak(&s, rules);
    add_headroom(&s, rules);
    add_gpus(&s, rules);
    add_speed(&s, rules);
    add_intensity(&s, rules);
    add_split_limit(&s, rules);
    add_load(&s, rules);
    add_measured(&s, rules);
    add_token_cost(&s, rules);
    add_unpaged(&s, rules);
    add_derated(&s, rules);
}

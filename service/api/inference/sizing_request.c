/* sizing_request.c - the parameters of /v1/inference-sizing as the estimate takes them.
 */
#include "api/inference/sizing.h"

#include "base/units.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const double BITS = 8;

/* In the order of enum number and of enum engine. */
static const char *const number_words[NUMBER_COUNT] = {"fp32",   "fp16",   "bf16",   "fp8",  "int8",
                                                       "int4",   "fp4",    "nf4",    "q8_0", "q6_k",
                                                       "q5_k_m", "q4_k_m", "q3_k_m", "q2_k"};
static const char *const engine_words[ENGINE_COUNT] = {"unspecified", "vllm",      "tensorrt_llm",
                                                       "sglang",      "llama_cpp", "compiled"};

static int word_index(const char *const *words, int n, const char *word)
{
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

const char *inference_sizing_dtype(enum number format)
{
    return number_words[format];
}

bool inference_sizing_format(const char *word, enum number *format)
{
    for (int i = 0; i < NUMBER_COUNT; i++)
        if (strcasecmp(number_words[i], word) == 0) {
            *format = (enum number)i;
            return true;
        }
    return false;
}

/* 16 bit as the GPU has it, where the caller says nothing. */
static enum number number_of(struct call *call, const char *name, const char *given,
                             const struct gpu *gpu)
{
    if (!given) {
        given = inference_native(gpu, NUMBER_BF16) ? "bf16" : "fp16";
        call_set_text(call, name, given, SOURCE_CHOSEN, NULL);
    }
    return (enum number)word_index(number_words, NUMBER_COUNT, given);
}

/* The figure in force, the caller's or the catalogue's. */
static double figure(struct call *call, const char *name, double given, double known,
                     const struct gpu *gpu)
{
    if (isnan(given))
        call_set_number(call, name, known, SOURCE_CATALOG,
                        arena_join(call->arena, "/v1/gpus/", gpu->slug));
    return isnan(given) ? known : given;
}

static const struct gpu *overridden(struct call *call, const struct inference_sizing_in *in,
                                    const struct gpu *known)
{
    struct gpu *gpu = arena_alloc(call->arena, sizeof(*gpu));

    bool bridged = in->nvlink_bridge == 1;
    double bandwidth =
        figure(call, "memory_bandwidth_gb_per_second", in->memory_bandwidth_gb_per_second,
               known->memory_bandwidth / GIGA, known);
    double peak = figure(call, "peak_tflops", in->peak_tflops, gpu_peak_16bit(known) / TERA, known);
    double link = figure(call, "link_gb_per_second", in->link_gb_per_second,
                         inference_link_rate(known, bridged) / GIGA, known);
    *gpu = *known;
    inference_override(gpu, bandwidth * GIGA, peak * TERA, link * GIGA, bridged);
    return gpu;
}

/* A server has 8 GPUs, or all there are where those are fewer. */
static void fill_node(struct call *call, const struct inference_sizing_in *in,
                      struct serving_request *request)
{
    const double usual = 8;

    request->free_gpus_per_node = request->job.gpus_per_node = in->gpus_per_node;
    if (isnan(in->gpus_per_node)) {
        request->free_gpus_per_node = usual;
        request->job.gpus_per_node = fmin(usual, in->gpu_count); /* usual where that is NAN */
        call_set_number(call, "gpus_per_node", request->job.gpus_per_node, SOURCE_CHOSEN, NULL);
    }
}

static double network_of(struct call *call, const struct inference_sizing_in *in,
                         const struct serving_request *request)
{
    if (!isnan(in->network_gbit_per_second))
        return in->network_gbit_per_second * GIGA / BITS;
    double rate =
        network_rate(&request->constants->network, request->job.gpu, request->job.gpus_per_node);
    call_set_number(call, "network_gbit_per_second", rate * BITS / GIGA, SOURCE_CHOSEN,
                    "/v1/assumptions?key=b_net");
    return rate;
}

/* A figure of guessing ahead, which is in force only where that is done. */
static double guessing(struct call *call, const struct inference_sizing_in *in, const char *name,
                       double given, double usual, const char *page)
{
    if (!isnan(given) || in->speculative_tokens <= 0)
        return isnan(given) ? 0 : given;
    call_set_number(call, name, usual, page ? SOURCE_DEFAULT : SOURCE_CHOSEN, page);
    return usual;
}

/* A draft of one layer takes a layer's share of a step. */
static struct speculation speculation_of(struct call *call, const struct inference_sizing_in *in,
                                         const struct shape *shape)
{
    static const char rate[] = "speculative_acceptance_rate",
                      cost[] = "speculative_draft_cost_ratio";

    return (struct speculation){
        .tokens = in->speculative_tokens,
        .acceptance = guessing(call, in, rate, in->speculative_acceptance_rate,
                               catalog_default(call->catalog, rate, ""),
                               "/v1/assumptions?key=speculative_acceptance_rate"),
        .draft_cost =
            guessing(call, in, cost, in->speculative_draft_cost_ratio, 1 / shape->layers, NULL),
    };
}

static void fill_job(struct call *call, const struct inference_sizing_in *in,
                     const struct model *model, const struct gpu *gpu,
                     struct serving_request *request)
{
    struct inference_job *job = &request->job;

    job->shape = shape_of(model);
    job->gpu = overridden(call, in, gpu);
    job->weight_format = number_of(call, "weight_dtype", in->weight_dtype, gpu);
    job->kv_format = number_of(call, "kv_cache_dtype", in->kv_cache_dtype, gpu);
    job->bytes_per_weight = in->bytes_per_weight;
    job->engine = (enum engine)word_index(engine_words, ENGINE_COUNT, in->engine);
    job->static_batching = strcmp(in->batching, "static") == 0;
    job->bridged = in->nvlink_bridge == 1;
    job->attention_data = in->attention_data_parallel;
    job->speculation = speculation_of(call, in, &job->shape);
    job->separate_prefill = in->separate_prefill == 1;
    fill_node(call, in, request);
    job->network_rate = network_of(call, in, request);
    job->input_tokens = in->input_tokens;
    job->output_tokens = in->output_tokens;
    job->cached_ratio = in->prefix_cache_ratio;
    job->memory_utilization = in->memory_utilization;
}

/* Requests per minute as they are given, or as the users of a day send them. */
static double rate_of(struct call *call, const struct inference_sizing_in *in)
{
    if (isnan(in->daily_users))
        return in->requests_per_minute;
    double rate = serving_requests_per_minute(in->daily_users, in->requests_per_user_per_day);
    call_set_number(call, "requests_per_minute", rate, SOURCE_CHOSEN, NULL);
    return rate;
}

static void fill_demand(struct call *call, const struct inference_sizing_in *in,
                        struct serving_request *request)
{
    serving_set_load(request, in->batch_size, in->concurrent_requests, rate_of(call, in),
                     in->tokens_per_day);
    request->peak_ratio = in->peak_to_average_ratio;
    request->expert_parallel = in->expert_parallel;
    request->spare_replicas = in->spare_replicas;
    request->limits = (struct serving_limits){
        .latency_p95_seconds = in->latency_p95_seconds,
        .ttft_seconds = in->time_to_first_token_seconds_max,
        .user_tokens_per_second = in->tokens_per_second_per_user_min,
    };
    request->pinned = (struct serving_design){
        .tensor = in->tensor_parallel,
        .pipeline = in->pipeline_parallel,
        .replicas = in->replica_count,
        .gpu_count = in->gpu_count,
        .prefill_replicas = in->prefill_replica_count,
    };
}

/* Where the answer's figures rest on the GPU's own, it must have them. */
static bool check_gpu(struct call *call, const struct serving_request *request, struct err *err)
{
    if (isfinite(gpu_peak_16bit(request->job.gpu)))
        return true;
    return call_refuse(call, err, "gpu", "unknown_figure",
                       "no dense 16-bit peak of this GPU is known: name another");
}

static bool check_owned(struct call *call, const struct inference_sizing_in *in, struct err *err)
{
    if (strcmp(in->purchase_option, "owned") == 0 && (in->provider || in->region))
        return call_refuse(call, err, "purchase_option", "contradiction",
                           "owned GPUs have no provider or region");
    return true;
}

/* Users and what each of them asks make a load only together. */
static bool check_users(struct call *call, const struct inference_sizing_in *in, struct err *err)
{
    if (isnan(in->daily_users) == isnan(in->requests_per_user_per_day))
        return true;
    if (isnan(in->daily_users))
        return call_refuse(call, err, "requests_per_user_per_day", "contradiction",
                           "says nothing without daily_users: give both, or requests_per_minute");
    return call_refuse(call, err, "requests_per_user_per_day", "missing_parameter",
                       "is required with daily_users: how many requests each sends in a day");
}

static bool load_constants(struct call *call, struct serving_request *request, struct err *err)
{
    struct inference_constants *constants;

    if (request->constants)
        return true;
    constants = arena_alloc(call->arena, sizeof(*constants));
    request->constants = constants;
    return inference_constants_load(call->catalog, constants, err);
}

bool inference_sizing_request(struct call *call, struct inference_sizing_in *in,
                              struct serving_request *request, struct err *err)
{
    const struct gpu *gpu = NULL;
    const struct model *model = NULL;

    bool good = call_gpu(call, "gpu", in->gpu, &gpu, err);
    good = call_model(call, in->model, in->parameters, &model, err) && good;
    good = call_provider(call, in->provider, err) && good;
    good = check_owned(call, in, err) && good;
    good = check_users(call, in, err) && good;
    good = call_at_most_one(call,
                            "batch_size concurrent_requests requests_per_minute tokens_per_day "
                            "daily_users",
                            err) &&
           good;
    if (!good || !load_constants(call, request, err))
        return false;
    request->job.gpu = gpu;
    if (!check_gpu(call, request, err))
        return false;
    fill_job(call, in, model, gpu, request);
    fill_demand(call, in, request);
    if (!request->load_stated)
        call_set_number(call, "concurrent_requests", request->amount, SOURCE_CHOSEN, NULL);
    return serving_check(request, err);
}

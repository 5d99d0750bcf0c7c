/* sizing_request.c - converts the parameters of /v1/inference-sizing to the estimate's request.
 */
#include "api/inference/sizing.h"

#include "api/inference/request_lengths.h"
#include "api/inference/shared_gpu.h"

#include "base/units.h"
#include "estimate/inference/release.h"
#include "estimate/inference/words.h"

#include <math.h>
#include <string.h>

static const double BITS = 8;

/* Defaults to the GPU's 16-bit format. */
static enum number number_of(struct request_context *context, const char *name, const char *given,
                             const struct gpu *gpu)
{
    if (!given) {
        given = inference_native(gpu, NUMBER_BF16) ? "bf16" : "fp16";
        context_set_text(context, name, given, SOURCE_CHOSEN, NULL);
    }
    enum number format;

    return words_find_number(given, &format) ? format : NUMBER_BF16;
}

/* The published format of a model if it is narrow, else NULL. llama.cpp does not support fp8:
 * checkpoints are converted for it. */
static const char *published(const struct model *model, enum engine engine)
{
    enum number format;

    if (!model->native_dtype || !words_find_number(model->native_dtype, &format) ||
        memory_nominal_bytes(format) >= memory_nominal_bytes(NUMBER_BF16) ||
        (engine == ENGINE_LLAMA_CPP && format == NUMBER_FP8))
        return NULL;
    return model->native_dtype;
}

static enum number weights_of(struct request_context *context, const char *given,
                              const struct model *model, enum engine engine, const struct gpu *gpu)
{
    const char *native = published(model, engine);

    if (!given && native) {
        given = native;
        context_set_text(context, "weight_dtype", given, SOURCE_CATALOG,
                         arena_join(context->arena, "/v1/models/", model->slug));
    }
    return number_of(context, "weight_dtype", given, gpu);
}

/* The figure used: given by the caller, or the catalogue's. */
static double figure(struct request_context *context, const char *name, double given, double known,
                     const struct gpu *gpu)
{
    if (isnan(given))
        context_set_number(context, name, known, SOURCE_CATALOG,
                           arena_join(context->arena, "/v1/gpus/", gpu->slug));
    return isnan(given) ? known : given;
}

static const struct gpu *overridden(struct request_context *context,
                                    const struct inference_sizing_in *in, const struct gpu *known)
{
    struct gpu *gpu = arena_alloc(context->arena, sizeof(*gpu));

    bool bridged = in->nvlink_bridge == 1;
    double bandwidth =
        figure(context, "memory_bandwidth_gb_per_second", in->memory_bandwidth_gb_per_second,
               known->memory_bandwidth / GIGA, known);
    double peak =
        figure(context, "peak_tflops", in->peak_tflops, gpu_peak_16bit(known) / TERA, known);
    double link = figure(context, "link_gb_per_second", in->link_gb_per_second,
                         inference_link_rate(known, bridged) / GIGA, known);
    *gpu = *known;
    inference_override(gpu, bandwidth * GIGA, peak * TERA, link * GIGA, bridged);
    return gpu;
}

/* A server has 8 GPUs, or all GPUs if there are fewer; a whole computer has its own. */
static void fill_node(struct request_context *context, const struct inference_sizing_in *in,
                      struct serving_request *request)
{
    const double usual = gpu_is_computer(request->job.gpu) ? 1 : 8;

    request->free_gpus_per_node = request->job.gpus_per_node = in->gpus_per_node;
    if (isnan(in->gpus_per_node)) {
        request->free_gpus_per_node = usual;
        request->job.gpus_per_node = fmin(usual, in->gpu_count); /* fmin() ignores NAN */
        context_set_number(context, "gpus_per_node", request->job.gpus_per_node, SOURCE_CHOSEN,
                           NULL);
    }
}

static double network_of(struct request_context *context, const struct inference_sizing_in *in,
                         const struct serving_request *request)
{
    if (!isnan(in->network_gbit_per_second))
        return in->network_gbit_per_second * GIGA / BITS;
    double rented = request->book ? price_book_network(request->book) : (double)NAN;
    double rate = isnan(rented) ? network_rate(&request->constants->network, request->job.gpu,
                                               request->job.gpus_per_node)
                                : rented * GIGA / BITS;
    context_set_number(context, "network_gbit_per_second", rate * BITS / GIGA, SOURCE_CATALOG,
                       pricing_network_source(context, request->job.gpu, request->book));
    return rate;
}

/* A speculative decoding input, which applies only if that is used. */
static double guessing(struct request_context *context, const struct inference_sizing_in *in,
                       const char *name, double given, double usual, const char *page)
{
    if (!isnan(given) || in->speculative_tokens <= 0)
        return isnan(given) ? 0 : given;
    context_set_number(context, name, usual, page ? SOURCE_DEFAULT : SOURCE_CHOSEN, page);
    return usual;
}

/* A draft of one layer takes one layer's part of a step. */
static struct speculation speculation_of(struct request_context *context,
                                         const struct inference_sizing_in *in,
                                         const struct model_shape *shape)
{
    static const char rate[] = "speculative_acceptance_rate",
                      cost[] = "speculative_draft_cost_ratio";

    return (struct speculation){
        .tokens = in->speculative_tokens,
        .acceptance = guessing(context, in, rate, in->speculative_acceptance_rate,
                               catalog_default(context->catalog, rate, ""),
                               "/v1/assumptions?key=speculative_acceptance_rate"),
        .draft_cost =
            guessing(context, in, cost, in->speculative_draft_cost_ratio, 1 / shape->layers, NULL),
    };
}

static void fill_job(struct request_context *context, const struct inference_sizing_in *in,
                     const struct model *model, const struct gpu *gpu,
                     struct serving_request *request)
{
    struct inference_job *job = &request->job;

    job->shape = model_shape_of(model);
    job->gpu = overridden(context, in, gpu);
    if (!words_find_engine(in->engine, &job->engine))
        job->engine = ENGINE_UNSPECIFIED;
    release_apply(job, in->engine_version ? in->engine_version : "");
    job->weight_format = weights_of(context, in->weight_dtype, model, job->engine, gpu);
    job->kv_format = number_of(context, "kv_cache_dtype", in->kv_cache_dtype, gpu);
    job->bytes_per_weight = in->bytes_per_weight;
    job->static_batching = strcmp(in->batching, "static") == 0;
    job->bridged = in->nvlink_bridge == 1;
    job->least_requests = strcmp(in->router, "least_requests") == 0;
    job->speculation = speculation_of(context, in, &job->shape);
    job->separate_prefill = in->separate_prefill == 1;
    fill_node(context, in, request);
    job->network_rate = network_of(context, in, request);
    job->cached_ratio = in->prefix_cache_ratio;
    job->memory_utilization = in->memory_utilization;
    job->adapters = in->adapters;
    job->adapter_rank = in->adapter_rank;
    job->pass_tokens = isnan(in->tokens_per_pass) ? 0 : in->tokens_per_pass;
    bool measured = in->measurement_set || !isnan(in->measured_time_per_output_token_seconds) ||
                    !isnan(in->measured_output_tokens_per_second) ||
                    !isnan(in->measured_time_to_first_token_seconds);
    request->passes_open = isnan(in->tokens_per_pass) && !measured;
    request->apart_open = isnan(in->separate_prefill) && !measured;
}

/* Requests per minute as given, or as implied by daily users. */
static double rate_of(struct request_context *context, const struct inference_sizing_in *in)
{
    if (isnan(in->daily_users))
        return in->requests_per_minute;
    double rate = serving_requests_per_minute(in->daily_users, in->requests_per_user_per_day);
    context_set_number(context, "requests_per_minute", rate, SOURCE_CHOSEN, NULL);
    return rate;
}

static void fill_demand(struct request_context *context, const struct inference_sizing_in *in,
                        struct serving_request *request)
{
    serving_set_load(request, in->batch_size, in->concurrent_requests, rate_of(context, in),
                     in->tokens_per_day);
    request->peak_ratio = in->peak_to_average_ratio;
    request->peak_load_most = in->peak_load_ratio_max;
    request->expert_parallel = in->expert_parallel;
    request->job.whole_experts = in->expert_parallel > 1;
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
        .attention_data = in->attention_data_parallel,
    };
    serving_set_roomy(request);
}

/* Refuse a GPU that lacks figures the answer depends on. */
static bool check_gpu(struct request_context *context, const struct serving_request *request,
                      struct err *err)
{
    if (isfinite(gpu_peak_16bit(request->job.gpu)))
        return true;
    return context_refuse(context, err, "gpu", "unknown_figure",
                          "the dense 16-bit peak of this GPU is not known: choose another");
}

static bool check_owned(struct request_context *context, const struct inference_sizing_in *in,
                        struct err *err)
{
    if (strcmp(in->purchase_option, "owned") == 0 && (in->provider || in->region))
        return context_refuse(context, err, "purchase_option", "contradiction",
                              "owned GPUs have no provider or region");
    return true;
}

static bool check_release(struct request_context *context, const struct inference_sizing_in *in,
                          struct err *err)
{
    enum engine engine;

    if (!in->engine_version)
        return true;
    if (!release_is_version(in->engine_version))
        return context_refuse(context, err, "engine_version", "bad_form",
                              "is a release such as 0.7.3");
    if (words_find_engine(in->engine, &engine) && release_matters(engine))
        return true;
    return context_refuse(context, err, "engine_version", "contradiction",
                          "has an effect with engine=vllm or tensorrt_llm only: the releases of "
                          "other engines are not told apart");
}

/* Daily users and requests per user must be given together. */
static bool check_users(struct request_context *context, const struct inference_sizing_in *in,
                        struct err *err)
{
    if (isnan(in->daily_users) == isnan(in->requests_per_user_per_day))
        return true;
    if (isnan(in->daily_users))
        return context_refuse(
            context, err, "requests_per_user_per_day", "contradiction",
            "has no effect without daily_users: give both, or requests_per_minute");
    return context_refuse(context, err, "requests_per_user_per_day", "missing_parameter",
                          "is required with daily_users: the requests each sends per day");
}

/* Tokens per image are given, or from the catalogue if the model's tower is known. */
static bool read_images(struct request_context *context, const struct inference_sizing_in *in,
                        const struct model *model, struct inference_job *job, struct err *err)
{
    static const char name[] = "image_tokens";
    double usual = catalog_default(context->catalog, name, "");

    job->images = in->images_per_request;
    job->image_tokens = isnan(in->image_tokens) ? 0 : in->image_tokens;
    if (!(job->images > 0) || !isnan(in->image_tokens))
        return true;
    if (!(model->params_frozen > 0))
        return context_refuse(context, err, name, "missing_parameter",
                              "is required with images_per_request: no vision tower of this model "
                              "is known");
    job->image_tokens = usual;
    context_set_number(context, name, usual, SOURCE_DEFAULT, "/v1/assumptions?key=image_tokens");
    return true;
}

static void warn_length(struct request_context *context, const struct inference_job *job)
{
    double tokens = fmax(job->input_tokens + job->output_tokens, job->longest_tokens);
    double most = job->shape.max_tokens;

    if (most > 0 && tokens > most)
        context_warn(context, "context_too_long",
                     "prompt and answer total %s tokens; the model is designed for %s",
                     context_count(context, tokens), context_count(context, most));
}

static bool load_constants(struct request_context *context, struct serving_request *request,
                           struct err *err)
{
    struct inference_constants *constants;

    if (request->constants)
        return true;
    constants = arena_alloc(context->arena, sizeof(*constants));
    request->constants = constants;
    return inference_constants_load(context->catalog, constants, err);
}

bool inference_sizing_request(struct request_context *context, struct inference_sizing_in *in,
                              struct serving_request *request, struct err *err)
{
    const struct gpu *gpu = NULL;
    const struct model *model = NULL;

    bool good = lookup_gpu(context, "gpu", in->gpu, &gpu, err);
    good = lookup_model(context, in->model, in->parameters, &model, err) && good;
    good = pricing_check_provider(context, in->provider, err) && good;
    good = pricing_settle_credits(context, "price_per_gpu_hour", NULL, err) && good;
    good = lookup_check_discounts(context, in->provider_discounts, err) && good;
    good = check_owned(context, in, err) && good;
    good = check_users(context, in, err) && good;
    good = check_release(context, in, err) && good;
    good = good && read_images(context, in, model, &request->job, err);
    good = request_lengths_read(context, in, model, &request->job, err) && good;
    good = context_at_most_one(context,
                               "batch_size concurrent_requests requests_per_minute tokens_per_day "
                               "daily_users",
                               err) &&
           good;
    if (!good || !load_constants(context, request, err))
        return false;
    request->job.gpu = gpu;
    if (!check_gpu(context, request, err))
        return false;
    if (strcmp(in->purchase_option, "owned") != 0)
        request->book =
            price_book(context->catalog,
                       &(struct price_query){.gpu = gpu,
                                             .purchase_option = in->purchase_option,
                                             .provider = in->provider,
                                             .region = in->region,
                                             .provider_discounts = in->provider_discounts,
                                             .as_of = context->as_of},
                       context->arena);
    fill_job(context, in, model, gpu, request);
    fill_demand(context, in, request);
    warn_length(context, &request->job);
    if (!shared_gpu_read(context, in, request, err))
        return false;
    if (!request->load_stated)
        context_set_number(context, "concurrent_requests", request->amount, SOURCE_CHOSEN, NULL);
    return serving_check(request, err);
}

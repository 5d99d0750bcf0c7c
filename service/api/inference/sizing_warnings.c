/* sizing_warnings.c - warnings about omissions and weak foundations of /v1/inference-sizing. */
#include "api/resource/gpu_warnings.h"
#include "api/inference/sizing.h"
#include "api/inference/sizing_wording.h"
#include "api/options/advice.h"
#include "api/options/housing_step.h"
#include "api/options/options.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/inference/support.h"
#include "estimate/inference/words.h"
#include "estimate/ownership/owned.h"

#include <math.h>
#include <string.h>

/* Narrower than the 16 bit in which models are trained. */
static bool is_narrow(enum number format)
{
    return memory_nominal_bytes(format) < memory_nominal_bytes(NUMBER_BF16);
}

/* Warns that no engine runs the model on the GPU, or none that serves many users. */
static void warn_engines(struct request_context *context, const struct inference_job *job)
{
    const char *format = words_of_number(job->weight_format);
    const char *none = inference_unsupported(job, format, false, context->arena);
    const char *none_for_many = inference_unsupported(job, format, true, context->arena);

    if (none && job->engine != ENGINE_UNSPECIFIED && job->engine != ENGINE_COMPILED)
        answer_warn(&context->answer, "engine_support", none);
    else if (none)
        answer_warn(&context->answer, "unsupported",
                    arena_join(context->arena, "no engine runs it. ", none));
    else if (none_for_many && job->open_arrivals && job->engine == ENGINE_UNSPECIFIED)
        context_warn(context, "engine_support",
                     "no engine that serves many users runs it: %s. engine=llama_cpp sizes it for "
                     "llama.cpp, which has four slots by default",
                     none_for_many);
}

static void warn_support(struct request_context *context, const struct inference_job *job)
{
    const struct gpu *gpu = job->gpu;

    if (!gpu->datacenter_licensed)
        context_warn(context, "datacenter_licence",
                     "NVIDIA's driver licence does not allow the %s in data centres", gpu->slug);
    if (is_narrow(job->weight_format) && !inference_native(gpu, job->weight_format))
        context_warn(
            context, "weight_only",
            "%s cannot compute in this weight format%s: weights are read narrow and multiplied "
            "in 16 bit",
            gpu->slug, gpu_warnings_lacking(gpu, job->weight_format));
    gpu_warnings_format(context, gpu, job->weight_format);
    warn_engines(context, job);
    gpu_warnings_flash_attention(context, gpu, "long prompts may take longer than given");
}

/* Per weight, without scales unless the checkpoint's own figure is given. */
static double stored_bytes(const struct inference_job *job)
{
    return isnan(job->bytes_per_weight) ? memory_nominal_bytes(job->weight_format)
                                        : job->bytes_per_weight;
}

/* GGUF files, perplexity over 16 bit: Llama 2 70B by llama.cpp's README at ffe88a36a9 (Q6_K +0.16
 * %, Q5_K_M +0.40, Q3_K_M +4.72, Q2_K +8.82), Llama 3 8B by ggml-org/llama.cpp#6936 (Q8_0 +0.02 %,
 * Q6_K +0.32, Q5_K_M +0.89). */
static const char *gguf_quality(enum number format)
{
    switch (format) {
    case NUMBER_Q8_0:
        return "Q8_0 raised perplexity by 0.02% for Llama 3 8B (ggml-org/llama.cpp#6936)";
    case NUMBER_Q6_K:
        return "Q6_K raised perplexity by 0.2% for Llama 2 70B and by 0.3% for Llama 3 8B "
               "(llama.cpp)";
    case NUMBER_Q5_K_M:
        return "Q5_K_M raised perplexity by 0.4% for Llama 2 70B and by 0.9% for Llama 3 8B "
               "(llama.cpp)";
    case NUMBER_Q3_K_M:
        return "Q3_K_M raised perplexity by 4.7% for Llama 2 70B (llama.cpp), and costs small "
               "models "
               "more";
    case NUMBER_Q2_K:
        return "Q2_K raised perplexity by 8.8% for Llama 2 70B (llama.cpp), and costs small models "
               "more";
    default:
        return NULL;
    }
}

/* FP8 and INT8: "Give Me BF16 or Give Me Death?" (arXiv:2411.02355), half a million evaluations of
 * Llama 3.1 8B to 405B. Perplexity of 4 bit over 16: +1.2 % with Q4_K_M and +3.6 % with Q4_0 for
 * Llama 2 70B (README of llama.cpp's perplexity example), +1.1 and +3.3 % for Qwen2 7B, +1.7 and
 * +7.7 % for Qwen2 0.5B (cards of Qwen's GGUF checkpoints). */
const char *inference_sizing_quality(const struct inference_job *job)
{
    double bytes = stored_bytes(job);
    const char *gguf = isnan(job->bytes_per_weight) ? gguf_quality(job->weight_format) : NULL;

    if (!(bytes < job->shape.published_bytes))
        return NULL;
    if (gguf)
        return gguf;
    if (job->weight_format == NUMBER_FP8)
        return "FP8 was essentially lossless for Llama 3.1 of 8 to 405 billion parameters "
               "(arXiv:2411.02355)";
    if (bytes >= 1)
        return "INT8 of weights and activations lost 1 to 3% of the score for Llama 3.1 of 8 to "
               "405 billion parameters (arXiv:2411.02355)";
    return "4 bit raised perplexity by 1 to 4% for models of 7 to 70 billion parameters and by "
           "up to 8% for small ones (cards of Qwen2's GGUF files, llama.cpp on Llama 2)";
}

static void warn_quality(struct request_context *context, const struct inference_job *job)
{
    const char *quality = inference_sizing_quality(job);

    if (quality)
        context_warn(context, stored_bytes(job) < 1 ? "low_bit_weights" : "narrow_weights",
                     "%.3g-bit weights are narrower than the model is published in: %s; measure "
                     "the quality on your own task",
                     8 * stored_bytes(job), quality);
    if (memory_nominal_bytes(job->kv_format) < 1)
        context_warn(context, "low_bit_kv_cache",
                     "the loss of quality with a %.3g-bit KV cache is not estimated: measure it, "
                     "especially with long contexts",
                     8 * memory_nominal_bytes(job->kv_format));
}

static void warn_hardware(struct request_context *context, const struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;
    const struct gpu *gpu = job->gpu;

    gpu_warnings_heat(context, gpu, fmin(job->gpus_per_node, plan->design.gpu_count));
    gpu_warnings_ecc(context, gpu);
    if (plan->binding == SERVING_WEIGHTS || plan->binding == SERVING_CACHE)
        gpu_warnings_ecc_capacity(context, gpu);
    if (job->tensor > 1 && gpu_has_bridge(gpu) && !job->bridged)
        context_warn(context, "over_pcie",
                     "%s GPUs are linked only by an optional bridge: PCIe is assumed; set "
                     "nvlink_bridge=1 if the bridge is fitted",
                     gpu->slug);
    else if (job->tensor > 1 && !plan->inference.over_link)
        context_warn(
            context, "over_pcie",
            "%.0f %s GPUs are linked over PCIe, whose latency is the least certain input%s",
            job->tensor, gpu->slug,
            job->pipeline > 1 || job->tensor < 4
                ? ""
                : "; vLLM's documentation advises pipeline stages there, which are sized "
                  "with pipeline_parallel, such as tensor_parallel=2 and "
                  "pipeline_parallel=2");
    if (serving_is_unlinked(job))
        context_warn(context, "unlinked_servers", "%s; %s", options_unlinked.doubt,
                     options_unlinked.remedy);
    if (!gpu_is_nvidia(gpu))
        context_warn(context, "weak_calibration",
                     "few measured runs on %s GPUs are known: the intervals are widened",
                     gpu->vendor);
    else if (!gpu_is_hbm(gpu) && !gpu_is_gddr(gpu))
        context_warn(
            context, "weak_calibration",
            "no fitted run is on a GPU that shares its memory with the CPU, as the %s does: "
            "the intervals are widened",
            gpu->name);
    if (job->pipeline > 1)
        answer_warn(&context->answer, "weak_calibration",
                    "no measured serving run with pipeline stages is known: their times are not "
                    "calibrated");
}

/* Vendors often state peaks with 2:4 sparsity, or with FP16 accumulation: at least twice the dense
 * rate. */
static void warn_peak(struct request_context *context, const struct inference_sizing_in *in)
{
    const double suspicious = 1.5;
    const struct gpu *gpu = catalog_gpu(context->catalog, in->gpu);
    double dense = gpu_peak_16bit(gpu) / TERA;

    if (in->peak_tflops > suspicious * dense)
        context_warn(
            context, "sparse_peak",
            "peak_tflops of %.4g is far above the dense 16-bit peak of %s with FP32 accumulation, "
            "%.4g: vendors also publish rates with 2:4 sparsity or FP16 accumulation",
            in->peak_tflops, gpu->slug, dense);
}

static void warn_model(struct request_context *context, const struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;
    const struct model_shape *shape = &job->shape;

    if (shape->linear_layers > 0 && shape->recurrent_state_elements <= 0)
        context_warn(context, "state_not_counted",
                     "%.0f layers keep a fixed state per request, which is not included",
                     shape->linear_layers);
    if (!plan->fits)
        context_warn(context, "times_unknown", "this setup does not fit, so no times are given");
}

/* Number of full-length requests that fit into a replica's cache. */
static double full_length_requests(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *shape = &job->shape;
    double kv_bytes = memory_kv_bytes(&inference->constants->memory, job->kv_format);
    double tokens = job->input_tokens + job->output_tokens;

    return floor(inference->pool.requests * memory_kv_bytes_per_request(shape, kv_bytes, tokens) /
                 memory_kv_bytes_per_request(shape, kv_bytes, shape->max_tokens));
}

static const char *fits_words(struct request_context *context, const struct inference *inference)
{
    double fit = full_length_requests(inference);

    if (fit < 1)
        return "does not fit into a replica";
    return fit < 2 ? "fits into a replica once"
                   : arena_join(context->arena, "fits into a replica ",
                                inference_sizing_whole(context, fit), " times");
}

/* Designs should be for the longest requests, not the average: source document S2. */
static void warn_average(struct request_context *context, const struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;
    double tokens = job->input_tokens + job->output_tokens;

    if (plan->fits && job->shape.max_tokens >= 2 * tokens &&
        2 * plan->batch_p95 > plan->inference.pool.requests)
        answer_warn(
            &context->answer, "kv_cache_peak",
            arena_join(context->arena, "the KV cache is sized for requests of ",
                       context_count(context, tokens),
                       " tokens on average, and would be too small if all were twice as long.",
                       " The model takes up to ", context_count(context, job->shape.max_tokens),
                       " tokens: a request that long ", fits_words(context, &plan->inference)));
}

/* vLLM takes a fixed share of the memory for weights and cache together, and stops if the weights
 * do not fit into it. */
static void warn_memory(struct request_context *context, const struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;
    const struct kv_pool *pool = &plan->inference.pool;
    double usual = catalog_default(context->catalog, "memory_utilization", "");
    double taken = (pool->weights + pool->reserve) / pool->capacity;
    double needed = ceil(100 * plan->memory_needed_bytes / pool->capacity) / 100;

    if (plan->fits && taken > usual && job->sharing == 0 &&
        (job->engine == ENGINE_VLLM || job->engine == ENGINE_UNSPECIFIED))
        context_warn(
            context, "tight_memory",
            "the weights with what engine and driver reserve take %.0f%% of each GPU: vLLM "
            "with its default of gpu_memory_utilization, %.3g, does not start; it needs "
            "%.2f here, and little is left for longer requests",
            100 * taken, usual, fmin(needed, 1));
}

/* How many replicas keep up even if they are slower than estimated, within its range. */
static const char *say_enough(struct request_context *context,
                              const struct serving_request *request,
                              const struct serving_plan *plan)
{
    enum { TRIES = 4 };
    double each = plan->design.gpu_count / plan->design.replicas;
    double busy = plan->utilization * fmax(1, request->peak_ratio) * plan->sway.speed;
    struct serving_request open = *request;
    struct serving_design design = plan->design;
    struct serving_plan more;

    open.pinned.replicas = open.pinned.gpu_count = (double)NAN;
    design.replicas = fmax(design.replicas, ceil(design.replicas * busy) - 1);
    for (int i = 0; i < TRIES && design.prefill_replicas == 0 && !(request->job.sharing > 0); i++) {
        design.replicas++;
        design.gpu_count = design.replicas * each;
        serving_evaluate(&open, &design, &more);
        if (more.meets_load && isfinite(more.ttft.high))
            return arena_print(context->arena,
                               "With %s replicas, %s GPUs, they would keep up, and 5%% of answers "
                               "take longer than %.3g s",
                               context_count(context, design.replicas),
                               context_count(context, design.gpu_count), more.latency_p95.middle);
    }
    return "More replicas give them one";
}

/* Limits that the middle of the estimate meets and an end of its range does not. */
static void warn_limits(struct request_context *context, const struct serving_limits *limits,
                        const struct serving_plan *plan)
{
    double whole = limits->latency_p95_seconds, first = limits->ttft_seconds,
           rate = limits->user_tokens_per_second;

    if (!plan->meets_limits)
        return;
    if (plan->latency_p95.high > whole)
        context_warn(
            context, "limit_in_interval",
            "the estimate meets the limit of %.4g seconds, but the upper end of its range does not",
            whole);
    if (plan->ttft_p95.high > first)
        context_warn(context, "limit_in_interval",
                     "the estimate meets the limit of %.4g seconds on the first token, but the "
                     "upper end of its range does not",
                     first);
    if (isfinite(plan->tpot.high) && plan->tpot.high * rate > 1)
        context_warn(context, "limit_in_interval",
                     "the estimate meets the limit of %.4g tokens per second and user, but the "
                     "low end of its range, %.3g, does not",
                     rate, 1 / plan->tpot.high);
}

static void warn_load(struct request_context *context, const struct serving_request *request,
                      const struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;
    double limit = request->limits.latency_p95_seconds;

    if (!plan->fits)
        return;
    if (job->static_batching && request->load == SERVING_RATE)
        context_warn(context, "wait_not_counted",
                     "with static batching a request waits for the running batch to finish: that "
                     "wait is not included in the times");
    if (job->static_batching && plan->batch_p95 > plan->inference.pool.held)
        context_warn(context, "batch_capped",
                     "the KV cache holds %s request%s: batches are served at that size",
                     context_count(context, plan->inference.pool.held),
                     text_plural(plan->inference.pool.held));
    else if (request->load != SERVING_RATE && plan->batch_p95 > plan->inference.pool.held)
        context_warn(context, "requests_wait",
                     "the KV cache of a replica holds %s request%s: the rest wait",
                     context_count(context, plan->inference.pool.held),
                     text_plural(plan->inference.pool.held));
    if (request->load != SERVING_RATE && !(isnan(limit) && isnan(request->limits.ttft_seconds)))
        context_warn(context, "closed_loop_limit",
                     "with a fixed number of requests in flight there are no arrivals, so limits "
                     "are compared with the mean request; enter a load that arrives, such as "
                     "requests_per_minute, to get percentiles");
    if (isinf(plan->sway.first_high))
        context_warn(
            context, "no_upper_end",
            "at %.0f%% of what the design can write, replicas slower than estimated by a "
            "factor of %.2f, which the 80%% range allows for, would not keep up and "
            "requests would wait ever longer: first tokens and whole answers have no upper "
            "end. %s",
            100 * fmin(1, plan->utilization * fmax(1, request->peak_ratio)), plan->sway.speed,
            say_enough(context, request, plan));
    warn_limits(context, &request->limits, plan);
}

/* Modes of serving without any run in the fit. */
static void warn_ways(struct request_context *context, const struct inference_sizing_in *in,
                      const struct inference_job *job)
{
    bool ahead = job->speculation.tokens > 0;

    if (ahead)
        context_warn(
            context, "speculative",
            "how many speculative tokens are accepted depends on the text and the draft model, and "
            "is an input: the interval is widened, and the draft model's KV cache is not included");
    else if (context_given(context, "speculative_acceptance_rate") ||
             context_given(context, "speculative_draft_cost_ratio"))
        context_warn(context, "without_effect",
                     "speculative_acceptance_rate and speculative_draft_cost_ratio have no effect "
                     "without speculative_tokens");
    if (job->adapters > 0)
        context_warn(context, "weak_calibration",
                     "no fitted run served LoRA adapters: what they cost is from published "
                     "figures that differ fourfold (assumption o_adapter), so the interval is "
                     "widened");
    else if (context_given(context, "adapter_rank"))
        context_warn(context, "without_effect", "adapter_rank has no effect without adapters");
    if (job->sharing > 0)
        context_warn(context, "weak_calibration",
                     "no fitted run shared a GPU: each replica is counted with its part of memory, "
                     "bandwidth and arithmetic, which only MIG guarantees");
    if (job->images > 0 && job->shape.frozen_weights > 0)
        context_warn(context, "weak_calibration",
                     "no fitted run read images: the time of the vision tower is the time of its "
                     "arithmetic, and its layers are inferred from its number of weights");
    else if (job->images > 0)
        answer_warn(&context->answer, "tower_not_counted",
                    "no vision tower of this model is known: the tokens of images are counted, its "
                    "memory and time are not");
    else if (context_given(context, "image_tokens"))
        context_warn(context, "without_effect",
                     "image_tokens has no effect without images_per_request");
    if (job->tensor > job->gpus_per_node)
        context_warn(context, "weak_calibration",
                     "no measured run with experts spread over several servers is known: the time "
                     "of their communication is not calibrated");
    if (job->separate_prefill)
        context_warn(context, "weak_calibration",
                     "no run with separate prefill is in the fit; those published, all of "
                     "DeepSeek-R1, mostly waited longer for the first token than estimated: see "
                     "/v1/measurements?kind=pools");
    if (in->expert_parallel > 1 &&
        !(inference_divides_copies(job) && in->expert_parallel == job->tensor))
        context_warn(context, "without_effect",
                     "expert_parallel does not change these times: how the experts are split is "
                     "only modelled if it equals tensor_parallel, and engine is tensorrt_llm or "
                     "attention_data_parallel is above 1");
}

/* The times are those of reading prompts, which were fitted to decoders that then write. */
static void warn_readers(struct request_context *context, const struct inference_job *job)
{
    if (job->writes_nothing)
        context_warn(context, "uncalibrated_reader",
                     "no published run of a model that only reads is in the fit: times are those "
                     "that decoders take to read a prompt, %s",
                     job->shape.encoder ? "with attention both ways; servers of encoders that pad "
                                          "texts to the longest of a batch take longer"
                                        : "without writing");
}

void inference_sizing_warn_housing(struct request_context *context,
                                   const struct inference_sizing_in *in,
                                   const struct serving_request *request, double gpu_count)
{
    struct owned_gpus owned = {catalog_gpu(context->catalog, request->job.gpu->slug), gpu_count,
                               request->job.gpus_per_node, 1};
    struct ownership own;
    struct err err = {0};

    if (strcmp(in->purchase_option, "owned") != 0 || context_given(context, "price_per_gpu_hour") ||
        !owned_ledger(&owned, context->catalog, context->as_of, &own, &err))
        return;
    if (housing_step_is_taken(&own, owned.gpu))
        housing_step_warn(context, &own, "",
                          "/v1/break-even with housing=desk has the cost without them, "
                          "price_per_gpu_hour takes it");
    if (strcmp(own.housing, "desk") != 0)
        return;
    context_warn(context, "on_a_desk",
                 "owned GPUs are assumed to be under a desk, without rack, network, transit or "
                 "staff; /v1/break-even with housing=own_room or housing=colocation has the "
                 "cost with them, price_per_gpu_hour takes it");
    housing_step_warn_fans(context, owned.gpu);
}

void inference_sizing_warn(struct request_context *context, const struct inference_sizing_in *in,
                           const struct serving_request *request, const struct serving_plan *plan)
{
    if (!request->load_stated)
        inference_demand_warn_none(context);
    inference_demand_warn(context, plan->latency_p95.middle, plan->utilization);
    warn_support(context, &plan->inference.job);
    warn_quality(context, &plan->inference.job);
    warn_hardware(context, plan);
    warn_peak(context, in);
    warn_model(context, plan);
    warn_load(context, request, plan);
    warn_memory(context, plan);
    inference_sizing_warn_housing(context, in, request, plan->design.gpu_count);
    warn_average(context, plan);
    warn_ways(context, in, &plan->inference.job);
    inference_design_warn(context, request, plan);
    warn_readers(context, &request->job);
}

void inference_sizing_advise(struct request_context *context, const struct serving_request *request,
                             const struct serving_plan *plan)
{
    const struct inference_job *job = &request->job;
    double together = plan->design.tensor * plan->design.pipeline;

    advice_answer(context, &(struct advice_about){
                               .gpu = job->gpu,
                               .over_servers = together > job->gpus_per_node,
                               .graphs = job->engine == ENGINE_VLLM,
                           });
}

/* forms.c - formulas of a sizing that have several forms, and texts that contain numbers.
 */
#include "estimate/inference/explain/context.h"
#include "estimate/inference/serving/disaggregation.h"
#include "estimate/inference/serving/pools.h"
#include "estimate/inference/serving/queue.h"

#include <math.h>

bool inference_explain_follows_load(const struct inference_explain_context *g)
{
    return g->request->load != SERVING_BATCH && g->mean_within > 0;
}

const char *inference_explain_replicas(const struct inference_explain_context *g)
{
    const char *formula = g->request->load == SERVING_CONCURRENT
                              ? "ceil(requests_stated / most_within_limits)"
                              : "max(1, ceil(requests_per_second x peak_to_average_ratio / "
                                "rate_within))";

    if (!inference_explain_follows_load(g))
        return "1";
    if (g->request->job.separate_prefill)
        formula = "writers_within_limits";
    return g->request->spare_replicas > 0
               ? arena_print(g->to->arena, "%s + spare_replicas", formula)
               : formula;
}

const char *inference_explain_readers(const struct inference_explain_context *g)
{
    const struct serving_design *pinned = &g->request->pinned;

    if (!isnan(pinned->prefill_replicas))
        return "prefill_replicas_stated";
    if (!isnan(pinned->gpu_count))
        return "all_replicas - replica_count";
    if (!g->plan->fits)
        return "1";
    return serving_reading_most(g->request, g->inference) < g->constants->prefill_utilization
               ? "max(readers_within_limits, ceil(prompts_asked x reader_seconds / "
                 "peak_load_ratio_max))"
               : "max(readers_within_limits, ceil(prompts_asked x reader_seconds / "
                 "prefill_utilization))";
}

const char *inference_explain_writers(const struct inference_explain_context *g, double writing,
                                      double reading)
{
    const struct serving_design *pinned = &g->request->pinned, *design = &g->plan->design;
    double all = pinned->gpu_count / (design->tensor * design->pipeline);

    if (!isnan(pinned->prefill_replicas))
        return "all_replicas - prefill_replicas_stated";
    if (!g->plan->fits)
        return "max(1, all_replicas - 1)";
    if (design->replicas != fmax(1, fmin(all - 1, round(all * writing / (reading + writing)))))
        return "all_replicas - readers_within_limits";
    return "max(1, min(all_replicas - 1, floor(all_replicas x writing / (reading + writing) + "
           "0.5)))";
}

/* The meaning of the quantile, with the two probabilities it lies between. */
const char *inference_explain_quantile(const struct inference_explain_context *g)
{
    double n = fmax(1, g->job->routed), mean = n * g->plan->batch;
    double k = queue_poisson_quantile(INFERENCE_TAIL_SHARE, mean);
    const char *routed = n > 1
                             ? ". A router sends each to the replica with the fewest, so that each "
                               "has its share of all in flight, rounded up"
                             : "";

    return arena_print(g->to->arena,
                       "requests that arrive at random are in flight as a Poisson number of that "
                       "mean%s: the least k with P(X <= k) >= %g. P(X <= %g) = %.4f, P(X <= %g) = "
                       "%.4f%s",
                       n > 1 ? " on all replicas" : "", INFERENCE_TAIL_SHARE, k,
                       queue_poisson_below(k, mean), k - 1, queue_poisson_below(k - 1, mean),
                       routed);
}

/* At most what the cache holds: whole requests, if they start and end together. A cache that never
 * fills sets no limit. */
const char *inference_explain_at_most(const struct inference_explain_context *g,
                                      const char *requests)
{
    const struct kv_pool *pool = &g->inference->pool;
    bool together = g->job->static_batching;

    if (!isfinite(together ? pool->held : pool->requests))
        return requests;
    return arena_print(g->to->arena, "min(%s, %s)", requests,
                       together ? "max_concurrent_requests" : "requests_held");
}

/* A request's share of the replica's time: its prompt, and its part of the steps of `batch`. */
static const char *share_of_time(const struct inference_explain_context *g, const char *batch,
                                 const char *step, const char *gained)
{
    bool read = !g->job->separate_prefill && g->inference->prefill.marginal > 0;
    bool ahead = g->job->speculation.tokens > 0;

    return arena_print(g->to->arena, "%s / %s x %s%s%s",
                       read ? "(output_tokens - 1)" : "output_tokens", batch, step,
                       ahead ? " / tokens_per_step" : "",
                       read ? arena_join(g->to->arena, " + prefill_prompt / ",
                                         inference_stages_wait(g->job) ? gained : "stages_gained")
                            : "");
}

const char *inference_explain_queued(const struct inference_explain_context *g)
{
    const char *work =
        share_of_time(g, "requests_offline", "step_seconds_offline", "stages_gained_offline");

    return inference_eager_seconds(g->inference, 1) > 0
               ? arena_print(g->to->arena, "%s + launch_seconds_offline", work)
               : work;
}

const char *inference_explain_least(const struct inference_explain_context *g)
{
    const char *work = share_of_time(g, "requests_running@", "step_seconds@", "stages_gained@");

    if (inference_knows_readers(g->job))
        work = arena_print(g->to->arena,
                           "max(%s, reader_seconds x replica_count / prefill_replica_count)", work);
    return inference_eager_seconds(g->inference, 1) > 0
               ? arena_print(g->to->arena, "max(%s, %s)", work, inference_explain_queued(g))
               : work;
}

const char *inference_explain_host(const struct inference_job *job)
{
    bool latent = job->shape.mla && job->engine == ENGINE_TENSORRT_LLM;

    if (inference_experts_fused(job) || job->built_engine)
        return latent ? "(ttft_request + ttft_mla_layer x layers) x 1e-6" : "ttft_request x 1e-6";
    if (inference_launches_on_grace(job))
        return "(ttft_request + ttft_moe_layer x f_grace x moe_layers) x 1e-6";
    return latent ? "(ttft_request + ttft_moe_layer x moe_layers + ttft_mla_layer x layers) x 1e-6"
                  : "(ttft_request + ttft_moe_layer x moe_layers) x 1e-6";
}

const char *inference_explain_unseen(const struct inference_explain_context *g,
                                     const struct served *at)
{
    if (g->job->engine != ENGINE_SGLANG)
        return "(max(1, min(balance_interval, attention_groups x output_tokens / "
               "requests_running@)) - 1) / 2 x step_seconds@ x (1 - 1 / requests_running@)";
    return at->concurrency < g->constants->receive_requests
               ? "(receive_interval_few - 1) / 2 x step_seconds@ x (1 - 1 / requests_running@)"
               : "(receive_interval_many - 1) / 2 x step_seconds@ x (1 - 1 / requests_running@)";
}

const char *inference_explain_turns(const struct inference_job *job, const struct served *at)
{
    if (inference_prompts_first(job))
        return "0";
    if (inference_prompts_fill(at))
        return "requests_running@ - 1";
    return inference_prompts_follow(job)
               ? "min(max(ttft_turns, prompt_share@ / (2 x (1 - prompt_share@))), "
                 "requests_running@ - 1)"
               : "min(prompt_share@ / (2 x (1 - prompt_share@)), requests_running@ - 1)";
}

const char *inference_explain_arrivals(const struct inference_explain_context *g,
                                       enum flight flight)
{
    if (flight == FLIGHT_LONE)
        return "0";
    return inference_explain_at(g, "requests_in_flight@ / request_seconds@",
                                flight == FLIGHT_P95 ? FLIGHT_MEAN : flight);
}

const char *inference_explain_time_to_first_token(const struct inference_job *job)
{
    if (job->static_batching)
        return "requests_running@ x prefill_prompt + prefill_pass + prefill_transfer";
    if (job->separate_prefill)
        return job->open_arrivals ? "host_seconds + prefill_seconds + reader_wait@ + "
                                    "cache_transfer + handover@"
                                  : "host_seconds + prefill_seconds + reader_wait@ + "
                                    "cache_transfer + handover@ + opening_wait@";
    if (!job->open_arrivals)
        return "host_seconds + prefill_seconds + running_step@ + turns_queued@ x turn_seconds@ + "
               "opening_wait@";
    return inference_reads_while_writing(job)
               ? "host_seconds + prefill_seconds + prompt_longer - shared_reads@ + "
                 "running_step@ + turns_queued@ x turn_seconds@"
               : "host_seconds + prefill_seconds + prompt_longer + running_step@ + "
                 "turns_queued@ x turn_seconds@";
}

const char *inference_explain_first_words(const struct inference_explain_context *g)
{
    if (g->job->static_batching)
        return "the prompts of a batch are read together";
    if (g->job->separate_prefill)
        return "the prompt and the wait for GPUs that read it, then the transfer of its cache";
    return "the prompt, the step in progress and other prompts; requests without room in the cache "
           "also wait";
}

const char *inference_explain_interval(const struct inference_explain_context *g)
{
    double doubt = inference_doubt(g->job);
    bool ahead = g->job->speculation.tokens > 0, adapted = g->job->adapters > 0;

    return inference_explain_source(
        g, "interval_factor",
        arena_print(
            g->to->arena,
            "80%% interval of runs whose family of models, or engine, precision and family, "
            "the fit was not shown%s%s",
            doubt > 2 ? "; raised to the power 4 for Intel's cards under llama.cpp, whose "
                        "backends differ threefold, and AMD's GPUs under SGLang, of which four "
                        "sources in no fit took up to 3.5 times as long"
            : doubt == 2
                ? "; squared where the engine is not said, the GPU not NVIDIA's or its memory "
                  "shared with a CPU, for mixtures under vLLM other than in FP4, which were "
                  "in no fitted run, and for vLLM before 0.8, whose steps wait for "
                  "processors that are not known"
            : doubt > 1 ? "; raised to the power 1.5 for mixtures in FP8 or under SGLang on GPUs "
                          "that multiply FP4, whose kernels differ between releases"
                        : "",
            ahead     ? "; of decoding squared once more where tokens are guessed ahead, which "
                        "was in no fitted run"
            : adapted ? "; of decoding squared once more with LoRA adapters, which were in no "
                        "fitted run"
                      : ""));
}

const char *inference_explain_rate(const struct inference_explain_context *g, enum flight flight)
{
    const char *formula =
        inference_explain_at(g, "replica_count x requests_in_flight@ / request_seconds@", flight);

    return arena_print(
        g->to->arena,
        !g->job->separate_prefill          ? "60 x %s"
        : g->request->load != SERVING_RATE ? "60 x min(%s, prompts_per_second)"
        : flight == FLIGHT_FULL ? "60 x min(%s, prompts_per_second / prefill_utilization)"
        : serving_reading_most(g->request, g->inference) < g->constants->prefill_utilization
            ? "60 x min(%s, prompts_per_second / prefill_utilization x "
              "peak_load_ratio_max)"
            : "60 x min(%s, prompts_per_second)",
        formula);
}

const char *inference_explain_weight_share(const struct inference_job *job)
{
    enum number kernels = memory_kernel_format(job->weight_format);

    if (!gpu_is_hbm(job->gpu))
        return "memory_share";
    if (job->engine == ENGINE_LLAMA_CPP || kernels == NUMBER_INT4)
        return "memory_share x f_wo";
    return kernels == NUMBER_INT8 ||
                   (kernels == NUMBER_FP4 && !inference_native(job->gpu, NUMBER_FP4))
               ? "memory_share x sqrt(f_wo)"
               : "memory_share";
}

/* The factors on the fraction of peak, where applicable. */
static const char *gemm_factors(const struct inference_explain_context *g, const char *between)
{
    enum number format = g->job->weight_format;
    bool llama = g->job->engine == ENGINE_LLAMA_CPP;
    bool native = !llama && inference_multiplies(g->job->gpu, format);
    const char *second = !native                ? ""
                         : format == NUMBER_FP8 ? "f_fp8"
                         : format == NUMBER_FP4 ? "f_fp4"
                                                : "";
    const char *third = llama ? "l_gemm" : "";
    const char *fourth = gpu_is_amd(g->job->gpu) ? "f_amd" : "";
    const char *fifth = llama && fourth[0] ? "l_amd" : "";

    return arena_print(g->to->arena, "e_gemm%s%s%s%s%s%s%s%s", second[0] ? between : "", second,
                       third[0] ? between : "", third, fourth[0] ? between : "", fourth,
                       fifth[0] ? between : "", fifth);
}

static bool falls_with_power(const struct inference_explain_context *g)
{
    return g->job->engine == ENGINE_LLAMA_CPP && isfinite(g->job->gpu->tdp);
}

const char *inference_explain_gemm_formula(const struct inference_explain_context *g)
{
    struct arena *arena = g->to->arena;
    const char *factors = gemm_factors(g, " x ");
    struct expert_kernel kernel = inference_expert_kernel(g->inference->constants, g->job);

    if (kernel.key)
        factors =
            arena_print(arena, "%s / (1 + expert_fraction x (1 / %s - 1))", factors, kernel.key);
    if (inference_power_bounds_hopper(g->inference))
        return arena_print(
            arena, "%s / pow(peak_16bit / 1e12 / power / hopper_per_watt, amd_power)", factors);
    if (inference_power_bounds_amd(g->job))
        return arena_print(arena,
                           "min(1, %s / pow(peak_16bit / 1e12 / power / amd_per_watt, amd_power))",
                           factors);
    return falls_with_power(g)
               ? arena_print(arena, "min(1, %s / pow(peak / 1e12 / power, l_power))", factors)
               : factors;
}

const char *inference_explain_gemm_keys(const struct inference_explain_context *g)
{
    struct expert_kernel kernel = inference_expert_kernel(g->inference->constants, g->job);
    const char *more = inference_power_bounds_hopper(g->inference)
                           ? " hopper_per_watt amd_power gpu"
                       : inference_power_bounds_amd(g->job) ? " amd_power amd_per_watt gpu"
                       : falls_with_power(g)                ? " l_power gpu"
                                                            : "";

    return arena_print(g->to->arena, "%s%s%s%s%s", gemm_factors(g, " "), kernel.key ? " " : "",
                       kernel.key ? kernel.key : "", kernel.key ? " model" : "", more);
}

static bool fuses_experts(const struct inference_explain_context *g)
{
    return g->shape->moe && inference_multiplies_fp4(g->job);
}

const char *inference_explain_layer_launch(const struct inference_explain_context *g)
{
    bool mla = g->shape->mla, indexed = g->shape->indexed,
         quantises = inference_quantises_layers(g->job), amd = inference_sglang_on_amd(g->job);

    if (!mla && !indexed && !quantises && !amd)
        return "o_engine";
    return arena_print(g->to->arena, "(o_engine%s%s%s%s)", mla ? " + o_mla" : "",
                       indexed ? " + o_index" : "", quantises ? " + o_quant" : "",
                       amd ? " + o_sglang_amd" : "");
}

const char *inference_explain_expert_launch(const struct inference_explain_context *g)
{
    bool shared = g->shape->shared_width > 0, block = inference_block_scaled(g->job),
         widens = inference_widens_experts(g->job), early = inference_early_amd_experts(g->job);
    const char *experts = fuses_experts(g) ? "o_moe x f_experts" : "o_moe";

    if (!shared && !block && !widens && !early)
        return arena_print(g->to->arena, "moe_layers x %s", experts);
    return arena_print(g->to->arena, "moe_layers x (%s%s%s%s%s)", experts,
                       shared ? " + o_shared" : "", block ? " + o_block" : "",
                       widens ? " + o_widen" : "", early ? " + o_experts_amd" : "");
}

const char *inference_explain_weight_reads(const struct inference_explain_context *g)
{
    if (!g->shape->moe)
        return "fixed_bytes / attention_gpus / (weight_share x bandwidth)";
    if (g->inference->expert_copies > 1)
        return "(fixed_bytes / attention_gpus + distinct_experts x (1 + expert_redundancy) x "
               "expert_bytes / tensor_parallel) / (weight_share x bandwidth)";
    return inference_early_amd_experts(g->job)
               ? "(fixed_bytes / attention_gpus + distinct_experts x expert_bytes / "
                 "(f_experts_amd x tensor_parallel)) / (weight_share x bandwidth)"
               : "(fixed_bytes / attention_gpus + distinct_experts x expert_bytes / "
                 "tensor_parallel) / (weight_share x bandwidth)";
}

const char *inference_explain_launch_keys(const struct inference_explain_context *g)
{
    return arena_print(g->to->arena, "%s%s%s%s%s%s%s%s%s", g->shape->mla ? " o_mla" : "",
                       g->shape->indexed ? " o_index" : "",
                       inference_quantises_layers(g->job) ? " o_quant" : "",
                       fuses_experts(g) ? " f_experts" : "",
                       g->shape->moe && g->shape->shared_width > 0 ? " o_shared" : "",
                       g->shape->moe && inference_block_scaled(g->job) ? " o_block" : "",
                       inference_widens_experts(g->job) ? " o_widen" : "",
                       inference_early_amd_experts(g->job) ? " o_experts_amd" : "",
                       inference_sglang_on_amd(g->job) ? " o_sglang_amd" : "");
}

/* The maximum that attention, FFN or logits of a pass hold at once. */
const char *inference_explain_workspace(const struct inference_explain_context *g)
{
    const struct model_shape *s = g->shape;
    bool scores = g->constants->engine_memory[g->job->engine].score_bytes > 0;
    const char *shared =
        scores && s->kv_heads < s->heads ? " + heads x (key_width + value_width)" : "";
    const char *gathered = inference_gathered_groups(g->job) > 1 ? "attention_groups x " : "";
    const char *of_experts =
        arena_print(g->to->arena,
                    "%stop_k x (matrices x expert_width / attention_gpus + 2 x expert_hidden) + "
                    "matrices x shared_width / attention_gpus",
                    gathered);
    const char *of_dense = "matrices x ffn_width / attention_gpus";
    struct arena *arena = g->to->arena;
    const char *ffn = !s->moe ? of_dense
                      : s->dense_layers > 0
                          ? arena_print(arena, "max(%s, %s)", of_dense, of_experts)
                          : of_experts;

    return arena_print(arena,
                       "pass_tokens x max(4 x width + max((2 x (heads x key_width + kv_elements + "
                       "heads x value_width%s) + score_bytes x heads x request_tokens) / "
                       "attention_gpus, 2 x (%s)), %s)",
                       shared, ffn, scores ? "4 x vocabulary / attention_gpus" : "0");
}

const char *inference_explain_longest(const struct inference_explain_context *g, double room)
{
    const struct model_shape *s = g->shape;
    bool within = room < (s->full_layers + s->sliding_layers) * s->window || s->sliding_layers <= 0;
    bool full = s->full_layers > 0;
    const char *tokens =
        within ? "floor(room / layers / block_tokens) x block_tokens"
        : full ? "floor((room - sliding_layers x window) / full_layers / block_tokens) x "
                 "block_tokens"
               : "longest";

    return s->max_tokens > 0 && (within || full)
               ? arena_print(g->to->arena, "min(%s, longest)", tokens)
               : tokens;
}

/* Number of requests the memory figures assume. */
const char *inference_explain_reckoned(const struct inference_explain_context *g,
                                       const char **source)
{
    *source = "the load exceeded 5% of the time";
    if (!isnan(g->plan->batch_p95))
        return "batch_size_p95";
    if (g->plan->fits) {
        *source = "the load is not carried: as many as the cache holds";
        return "requests_running";
    }
    if (g->request->load == SERVING_RATE) {
        *source = "the number in flight is unknown: one request";
        return "1";
    }
    *source = "the load as stated";
    return "ceil(requests_stated / over_replicas)";
}

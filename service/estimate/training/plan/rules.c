#include "estimate/training/plan/rules.h"

#include "estimate/training/plan/bill.h"

#include "base/units.h"

#include <math.h>

/* PCIe 4.0 x16, one direction: 16 lanes of 16 GT/s after 128b/130b coding. */
static const double PCIE_4_RATE = 16 * 16e9 / 8 * 128 / 130;

static const char NO_ATTENTION[] =
    "attention, recomputation, and whether the model fits or communicates";
static const char NO_LOSSES[] = "failures, and that more GPUs are used less well";

/* Forward to backward is 1 to 2, plus another forward pass if recomputed. */
static void add_flop(double flop, struct rules *rules)
{
    rule_of_thumb_add(rules, "flop_6nd", flop, "FLOP", "6 x parameters x tokens", NO_ATTENTION);
    rule_of_thumb_add(rules, "flop_8nd", flop * 8 / 6, "FLOP",
                      "8 x parameters x tokens: the forward pass done twice",
                      "attention; that partial recomputation costs less");
    rule_of_thumb_add(rules, "flop_forward_2nd", flop / 3, "FLOP",
                      "2 x parameters x tokens: a multiplication and an addition per weight",
                      "attention");
    rule_of_thumb_add(rules, "flop_backward_4nd", 2 * flop / 3, "FLOP",
                      "4 x parameters x tokens: gradients of inputs and of weights", "attention");
    rule_of_thumb_add(rules, "full_recompute_slowdown", 8.0 / 6 - 1, "ratio", "8 N D / 6 N D - 1",
                      "that memory and communication are not repeated in the same measure");
}

static void add_gpu_hours(double hours, double stated, struct rules *rules)
{
    rule_of_thumb_add(rules, "gpu_hours_mfu_100", hours, "GPU-hours", "6 N D / peak",
                      "that nothing reaches the peak");
    rule_of_thumb_add(rules, "gpu_hours_mfu_50", hours / 0.5, "GPU-hours", "6 N D / (0.5 x peak)",
                      NO_ATTENTION);
    rule_of_thumb_add(rules, "gpu_hours_mfu_40", hours / 0.4, "GPU-hours", "6 N D / (0.4 x peak)",
                      NO_ATTENTION);
    rule_of_thumb_add(rules, "gpu_hours_mfu_35", hours / 0.35, "GPU-hours", "6 N D / (0.35 x peak)",
                      NO_ATTENTION);
    rule_of_thumb_add(rules, "gpu_hours_mfu_given", hours / stated, "GPU-hours",
                      "6 N D / (model_flops_utilization x peak)", NO_ATTENTION);
}

static void add_days(double days, double stated, struct rules *rules)
{
    rule_of_thumb_add(rules, "days_mfu_100", days, "days", "6 N D / (GPUs x peak)",
                      "that nothing reaches the peak");
    rule_of_thumb_add(rules, "days_mfu_50", days / 0.5, "days", "6 N D / (GPUs x 0.5 x peak)",
                      NO_LOSSES);
    rule_of_thumb_add(rules, "days_mfu_40", days / 0.4, "days", "6 N D / (GPUs x 0.4 x peak)",
                      NO_LOSSES);
    rule_of_thumb_add(rules, "days_mfu_35", days / 0.35, "days", "6 N D / (GPUs x 0.35 x peak)",
                      NO_LOSSES);
    rule_of_thumb_add(rules, "days_mfu_given", days / stated, "days",
                      "6 N D / (GPUs x model_flops_utilization x peak)", NO_LOSSES);
}

/* 6 N D, and the resulting times at a few utilizations. */
static void add_work(const struct training_job *job, const struct training_plan *plan,
                     const struct training_goal *goal, struct rules *rules)
{
    double flop = 6 * job->shape.params_active * goal->tokens;
    double hours = flop / training_peak(job->gpu, job->precision) / SECONDS_PER_HOUR;

    add_flop(flop, rules);
    add_gpu_hours(hours, goal->model_flops_utilization, rules);
    add_days(hours / plan->on.gpu_count / 24, goal->model_flops_utilization, rules);
    rule_of_thumb_add(rules, "cost_mfu_40", hours / 0.4 * training_price(goal, plan->on.gpu_count),
                      "USD", "6 N D / (0.4 x peak) x price per GPU-hour",
                      "storage, data transfer, failed runs");
    rule_of_thumb_add(rules, "single_gpu_years", hours / 0.4 / HOURS_PER_YEAR, "years",
                      "6 N D / (0.4 x peak) / 8760 h", "that one GPU may not hold the model");
    rule_of_thumb_add(rules, "chinchilla_tokens", 20 * job->shape.params_total, "tokens",
                      "20 x parameters",
                      "that models which serve many requests are trained longer");
}

static void add_duration(const struct training_job *job, const struct training_plan *plan,
                         const struct training_goal *goal, double duration_hours,
                         struct rules *rules)
{
    double gpu_hours = plan->on.gpu_count * duration_hours;
    double peak = training_peak(job->gpu, job->precision);

    rule_of_thumb_add(rules, "duration_gpu_years", gpu_hours / HOURS_PER_YEAR, "years",
                      "GPUs x hours / 8760: what one GPU would take",
                      "that one GPU may not hold the model");
    rule_of_thumb_add(rules, "duration_implied_mfu",
                      6 * job->shape.params_active * goal->tokens /
                          (gpu_hours * SECONDS_PER_HOUR * peak),
                      "ratio", "6 N D / (GPUs x hours x peak)",
                      "attention; time lost to failures counts as idle");
}

static double recipe_weight_bytes(const struct training_job *job)
{
    static const double bytes[TRAINING_PRECISIONS] = {
        [TRAINING_BF16] = 2, [TRAINING_FP16] = 2, [TRAINING_FP32] = 4,
        [TRAINING_TF32] = 4, [TRAINING_FP8] = 1,  [TRAINING_FP4] = 0.5,
    };

    return job->method == TRAINING_QLORA ? 0.5 : bytes[job->precision];
}

static double recipe_optimizer_bytes(const struct training_job *job)
{
    static const double bytes[TRAINING_OPTIMIZERS] = {
        [TRAINING_ADAMW] = 12,    [TRAINING_ADAM] = 12,      [TRAINING_SGD] = 4,
        [TRAINING_ADAFACTOR] = 4, [TRAINING_ADAMW_8BIT] = 6, [TRAINING_MUON] = 8,
    };

    return bytes[job->optimizer];
}

/* The 22-byte recipe: weights, FP32 gradients and optimizer, and activations of twice the weights;
 * with LoRA or QLoRA only the adapter is trained. 5 GiB per GPU stay free. */
static void add_recipe(const struct training_job *job, struct rules *rules)
{
    static const char *const no_shape =
        "batch, sequence length, width and recomputation: activations are not twice the weights";
    double n = job->shape.params_total, w = recipe_weight_bytes(job);
    double trained = training_adapters(job->method) ? job->trainable_ratio : 1;
    double gradients = 4 * trained, states = recipe_optimizer_bytes(job) * trained;
    double total = 3 * w + gradients + states;
    double room = job->gpu->memory_marketed_bytes - 5 * GIB;

    rule_of_thumb_add(rules, "recipe_weights_gib", w * n / GIB, "GiB", "bytes of the precision x N",
                      "buffers they are gathered in");
    rule_of_thumb_add(rules, "recipe_gradients_gib", gradients * n / GIB, "GiB",
                      "4 x trained weights", "sharding; 16-bit gradients need half");
    rule_of_thumb_add(rules, "recipe_optimizer_gib", states * n / GIB, "GiB",
                      "12 (Adam), 4 (SGD) x trained weights", "sharding");
    rule_of_thumb_add(rules, "recipe_activations_gib", 2 * w * n / GIB, "GiB", "2 x weights",
                      no_shape);
    rule_of_thumb_add(rules, "recipe_total_gib", total * n / GIB, "GiB",
                      "weights + gradients + optimizer + activations: 22 x N in 16 bit with Adam",
                      no_shape);
    rule_of_thumb_add(rules, "recipe_total_gb", total * n / GIGA, "GB", "the same in 1e9 bytes",
                      no_shape);
    rule_of_thumb_add(rules, "recipe_gpus", ceil(total * n / room), "GPUs",
                      "total / (memory - 5 GiB), rounded up",
                      "that activations and communication buffers do not divide by the GPUs");
}

static void add_bytes(const struct training_job *job, struct rules *rules)
{
    double n = job->shape.params_total;

    rule_of_thumb_add(rules, "bytes_18_gb", 18 * n / GIGA, "GB",
                      "18 x N: 16-bit weights 2, FP32 gradients 4, Adam 12",
                      "activations and sharding");
    rule_of_thumb_add(rules, "bytes_16_gb", 16 * n / GIGA, "GB",
                      "16 x N: FP32 weights 4, gradients 4, Adam 8", "activations and sharding");
    rule_of_thumb_add(rules, "bytes_20_gb", 20 * n / GIGA, "GB", "16 x N + 4 x N of activations",
                      "batch, sequence length and recomputation");
    rule_of_thumb_add(rules, "bytes_24_gb", 24 * n / GIGA, "GB", "16 x N + 8 x N of activations",
                      "batch, sequence length and recomputation");
    rule_of_thumb_add(rules, "bytes_8_gb", 8 * n / GIGA, "GB",
                      "8 x N: four times the 16-bit weights",
                      "FP32 gradients and master weights: it is 2.25 times too low for Adam");
    rule_of_thumb_add(rules, "bytes_8_gpus", 8 * n / GIGA / 80, "GPUs", "8 x N / 80 GB",
                      "what bytes_8_gb leaves out, and whole GPUs");
    rule_of_thumb_add(rules, "inference_gb", 2 * n / GIGA, "GB", "2 x N: 16-bit weights",
                      "the KV cache and the runtime");
    rule_of_thumb_add(rules, "inference_gib", 1.2 * 2 * n / GIB, "GiB", "1.2 x 16-bit weights",
                      "context length and batch: the KV cache is not 20% of the weights");
}

/* 2 + 4 + 12 bytes of states, and 4 of activations that ZeRO does not shard. */
static void add_zero(const struct training_job *job, const struct training_plan *plan,
                     struct rules *rules)
{
    static const char *const gb[] = {"zero_0_gb", "zero_1_gb", "zero_2_gb", "zero_3_gb"};
    static const char *const gib[] = {"zero_0_gib", "zero_1_gib", "zero_2_gib", "zero_3_gib"};
    static const char *const formula[] = {
        "(2 + 4 + 12 + 4) x N",
        "(2 + 4 + 12 / GPUs + 4) x N",
        "(2 + (4 + 12) / GPUs + 4) x N",
        "((2 + 4 + 12) / GPUs + 4) x N",
    };
    static const char *const leaves_out =
        "activations by shape, gathering buffers, tensor and pipeline parallelism";
    double d = plan->on.gpu_count, n = job->shape.params_total;
    const double bytes[] = {22, 10 + 12 / d, 6 + 16 / d, 4 + 18 / d};

    for (int i = 0; i < 4; i++)
        rule_of_thumb_add(rules, gb[i], bytes[i] * n / GIGA, "GB", formula[i], leaves_out);
    for (int i = 0; i < 4; i++)
        rule_of_thumb_add(rules, gib[i], bytes[i] * n / GIB, "GiB", formula[i], leaves_out);
    rule_of_thumb_add(rules, "zero_3_states_gb", 18 / d * n / GIGA, "GB", "(2 + 4 + 12) x N / GPUs",
                      "activations");
}

/* Data-sheet links, without the loss of cards that lack peer-to-peer. */
static struct links data_sheet_links(const struct training_job *job, double gpu_count)
{
    struct links links = training_links(job, gpu_count);

    if (job->gpu->pcie_rate > 0)
        links.pcie = job->gpu->pcie_rate;
    return links;
}

struct training_traffic training_traffic(const struct training_job *job,
                                         const struct training_plan *plan)
{
    const struct training_strategy *on = &plan->on;
    const struct training_step *step = &plan->step;
    struct links links = data_sheet_links(job, on->gpu_count);
    double n = on->gpu_count;
    struct training_traffic traffic = {
        .link_both = 2 * (links.domain > 1 ? links.link : links.pcie),
        .peak = gpu_peak_16bit(job->gpu),
        .peak_fastest = fmax(gpu_peak_16bit(job->gpu), job->gpu->peak[PEAK_FP16_ACC16]),
        .gradient_bytes = 4 * job->shape.params_total,
        .ring_rate = links.node > 1 ? collective_ring_rate(&links, n, 1) : links.network,
        .stage_bytes = 2 * on->micro_batch * job->sequence_tokens / on->context *
                       job->shape.hidden / on->tensor,
        .stage_rate = n > links.node ? links.network : collective_pair_rate(&links, n),
        .bubble_ratio = (on->pipeline - 1) / (on->virtual_stages * step->micro_batches),
        .reduced_bytes = 8 * (step->weights_dense + step->weights_expert),
    };

    traffic.tensor_limit = 1.5 * job->shape.hidden * traffic.link_both / traffic.peak;
    traffic.tensor_limit_fastest =
        1.5 * job->shape.hidden * traffic.link_both / traffic.peak_fastest;
    traffic.tensor_parallel_limit = fmax(1, floor(traffic.tensor_limit_fastest));
    traffic.all_reduce = 2 * (n - 1) / n * traffic.gradient_bytes / traffic.ring_rate;
    traffic.stage_transfer =
        on->pipeline > 1 ? traffic.stage_bytes / traffic.stage_rate : (double)NAN;
    traffic.network_balance = n > links.node && on->data > 1
                                  ? traffic.reduced_bytes / (step->compute + step->recompute)
                                  : (double)NAN;
    return traffic;
}

static void add_tensor_limit(const struct training_job *job, const struct training_traffic *traffic,
                             struct rules *rules)
{
    double fast = job->gpu->peak[PEAK_FP16_ACC16] > 0 ? traffic->tensor_limit_fastest : (double)NAN;
    static const char *const formula = "1.5 x width x link rate in both directions / peak";

    rule_of_thumb_add(rules, "tensor_parallel_limit", traffic->tensor_limit, "GPUs", formula,
                      "latency, link efficiency, and that the peak is not reached");
    rule_of_thumb_add(rules, "tensor_parallel_limit_ring", floor(1 + traffic->tensor_limit), "GPUs",
                      "1 + 1.5 x width x link rate / peak: a ring moves (t - 1)/t of the data",
                      "latency, link efficiency, and that the peak is not reached");
    rule_of_thumb_add(rules, "tensor_parallel_limit_ring_fp16_accumulate", floor(1 + fast), "GPUs",
                      "1 + 1.5 x width x link rate / peak: a ring moves (t - 1)/t of the data",
                      "training accumulates in FP32, which these cards do at half the rate");
    rule_of_thumb_add(rules, "tensor_parallel_limit_fp16_accumulate", fast, "GPUs", formula,
                      "training accumulates in FP32, which these cards do at half the rate");
}

static void add_links(const struct training_job *job, const struct training_plan *plan,
                      struct rules *rules)
{
    struct training_traffic traffic = training_traffic(job, plan);
    struct links links = data_sheet_links(job, plan->on.gpu_count);
    double link = links.domain > 1 ? links.link : (double)NAN;

    add_tensor_limit(job, &traffic, rules);
    rule_of_thumb_add(rules, "pipeline_bubble_ratio", traffic.bubble_ratio, "ratio",
                      "(stages - 1) / (virtual stages x micro-batches)",
                      "uneven stages and the sends between them");
    rule_of_thumb_add(rules, "gradient_all_reduce_seconds", traffic.all_reduce, "s",
                      "2 (n - 1)/n x 4 bytes x N / link rate",
                      "overlap with the backward pass, link efficiency");
    rule_of_thumb_add(rules, "link_to_pcie_ratio", link / links.pcie, "ratio",
                      "link rate / rate of the card's own PCIe, one direction each", "latency");
    rule_of_thumb_add(rules, "link_to_pcie_4_ratio", link / PCIE_4_RATE, "ratio",
                      "link rate / PCIe 4.0 x16, one direction each", "latency");
}

/* Consumer cards in a dense chassis run 15 to 25 % slower (source document S2). */
static void add_derated(const struct training_job *job, const struct training_plan *plan,
                        const struct training_goal *goal, struct rules *rules)
{
    if (!gpu_is_consumer(job->gpu))
        return;
    double cool = training_totals(job, plan, goal).tokens_per_second_per_gpu;
    rule_of_thumb_add(rules, "tokens_per_second_per_gpu_derated_low", 0.75 * cool, "tokens/s",
                      "three quarters of the estimate, for consumer cards in a dense chassis",
                      "that memory does not slow down with the cores; not measured here");
    rule_of_thumb_add(rules, "tokens_per_second_per_gpu_derated_high", 0.85 * cool, "tokens/s",
                      "0.85 of the estimate, for consumer cards in a dense chassis",
                      "that memory does not slow down with the cores; not measured here");
}

void training_rules(const struct training_job *job, const struct training_plan *plan,
                    const struct training_goal *goal, double duration_hours, struct rules *rules)
{
    add_work(job, plan, goal, rules);
    add_duration(job, plan, goal, duration_hours, rules);
    add_recipe(job, rules);
    add_bytes(job, rules);
    add_zero(job, plan, rules);
    add_links(job, plan, rules);
    add_derated(job, plan, goal, rules);
}

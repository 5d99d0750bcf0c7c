/* check.c - refuses impossible inputs before anything is computed: each culprit with the rule and
 * the nearest valid value. */
#include "estimate/training/plan/search.h"

#include "estimate/training/constraints.h"

#include <math.h>
#include <stdio.h>

static bool given(double value)
{
    return !isnan(value);
}

static bool divides(double divisor, double whole)
{
    return divisor >= 1 && fmod(whole, divisor) == 0;
}

/* The divisor of `whole` nearest to `value`. */
static double nearest_divisor(double whole, double value)
{
    double best = 1;

    for (double d = 1; d <= whole && d <= 2 * value; d++)
        if (divides(d, whole) && fabs(d - value) < fabs(best - value))
            best = d;
    return best;
}

static void refuse(struct err *err, const char *field, double value, const char *rule,
                   const char *text)
{
    char typed[32];

    snprintf(typed, sizeof(typed), "%.15g", value);
    err_add(err, field, typed, rule, "%s", text);
}

static void check_divides(struct err *err, const char *field, double value, double whole,
                          const char *what)
{
    char text[160];

    if (!given(value) || divides(value, whole))
        return;
    snprintf(text, sizeof(text), "must divide %s, %.0f; the nearest that does is %.0f", what, whole,
             nearest_divisor(whole, value));
    refuse(err, field, value, "not_a_divisor", text);
}

static void check_precision(const struct training_job *job, struct err *err)
{
    char has[64] = "";
    size_t n = 0;

    if (job->method == TRAINING_QLORA &&
        (job->precision == TRAINING_FP8 || job->precision == TRAINING_FP4))
        err_add(err, "precision", training_precision_name(job->precision), "contradiction",
                "qlora unpacks its 4-bit weights to 16 bit: use bf16 or fp16");
    if (!isfinite(gpu_peak_16bit(job->gpu))) {
        err_add(err, "gpu", job->gpu->slug, "unknown_figure",
                "the dense 16-bit peak of this GPU is not known: choose another");
        return;
    }
    if (training_peak(job->gpu, job->precision) > 0)
        return;
    for (int i = 0; i < TRAINING_PRECISIONS && n < sizeof(has); i++)
        if (training_peak(job->gpu, (enum training_precision)i) > 0)
            n += (size_t)snprintf(has + n, sizeof(has) - n, " %s",
                                  training_precision_name((enum training_precision)i));
    err_add(err, "precision", training_precision_name(job->precision), "unsupported",
            "%s has no %s arithmetic; it has%s", job->gpu->name,
            training_precision_name(job->precision), has);
}

static void check_tensor(const struct training_job *job, const struct training_strategy *on,
                         struct err *err)
{
    char text[160];

    check_divides(err, "tensor_parallel", on->tensor, job->shape.heads, "the attention heads");
    /* A domain that spans nodes, such as NVL72's, counts regardless of the nodes. */
    double most = fmax(job->gpus_per_node, job->gpu->scale_up_domain);
    if (given(on->tensor) && on->tensor > most) {
        snprintf(text, sizeof(text), "must not go beyond one node or scale-up domain of %.0f GPUs",
                 most);
        refuse(err, "tensor_parallel", on->tensor, "out_of_range", text);
    }
}

/* Layers to spread over the stages: if they do not divide evenly, embedding and head count as one
 * each.
 */
static double places(double layers, double stages)
{
    return fmod(layers, stages) == 0 ? layers : layers + 2;
}

static void check_pipeline(const struct training_job *job, const struct training_strategy *on,
                           struct err *err)
{
    double layers = job->shape.layers, p = on->pipeline, v = on->virtual_stages;
    char text[160];

    if (given(p) && p > layers) {
        snprintf(text, sizeof(text), "must be at most the number of layers, %.0f", layers);
        refuse(err, "pipeline_parallel", p, "out_of_range", text);
    }
    if (!given(v) || v == 1)
        return;
    if (given(p) && p == 1) {
        refuse(err, "virtual_stages", v, "contradiction",
               "needs a pipeline: pipeline_parallel is 1");
    } else if (given(p) && p * v > places(layers, p)) {
        snprintf(text, sizeof(text), "times pipeline_parallel must be at most the layers, %.0f",
                 places(layers, p));
        refuse(err, "virtual_stages", v, "out_of_range", text);
    }
}

static void check_expert(const struct training_job *job, const struct training_strategy *on,
                         struct err *err)
{
    if (job->expert_overlap && !job->shape.moe)
        err_add(err, "expert_overlap", "1", "contradiction",
                "the model has no experts: leave it out or send 0");
    if (job->dispatcher != TRAINING_DISPATCHER_UNSPECIFIED && !job->shape.moe)
        err_add(err, "expert_dispatcher", training_dispatcher_name(job->dispatcher),
                "contradiction", "the model has no experts: leave it out");
    if (!given(on->expert) || on->expert == 1)
        return;
    if (!job->shape.moe)
        refuse(err, "expert_parallel", on->expert, "contradiction",
               "the model has no experts: leave it out or send 1");
    else
        check_divides(err, "expert_parallel", on->expert, job->shape.experts, "the experts");
}

static double or_one(double value)
{
    return given(value) ? value : 1;
}

/* The degrees must multiply to the GPU count. */
static void check_product(const struct training_strategy *on, struct err *err)
{
    double model = or_one(on->tensor) * or_one(on->pipeline) * or_one(on->context);
    double product = model * or_one(on->data), n = on->gpu_count;
    bool whole = given(on->tensor) && given(on->pipeline) && given(on->context);
    char text[256];

    if (!given(n) || (divides(product, n) && !(whole && given(on->data) && product != n)))
        return;
    if (divides(model, n))
        snprintf(text, sizeof(text),
                 "tensor x pipeline x context x data parallel is %.0f, gpu_count is %.0f; with "
                 "data_parallel=%.0f it would be",
                 product, n, n / model);
    else
        snprintf(text, sizeof(text),
                 "must be a multiple of tensor x pipeline x context parallel, %.0f; the next is "
                 "%.0f",
                 model, ceil(n / model) * model);
    refuse(err, "gpu_count", n, "contradiction", text);
}

static void check_batch(const struct training_job *job, const struct training_strategy *on,
                        struct err *err)
{
    double batch = job->batch_sequences, at_once = or_one(on->data) * or_one(on->micro_batch);
    char text[256];

    if (!given(batch) || divides(at_once, batch))
        return;
    snprintf(text, sizeof(text),
             "must be a multiple of data_parallel x micro_batch_sequences, %.0f; the next is %.0f",
             at_once, ceil(batch / at_once) * at_once);
    refuse(err, "global_batch_sequences", batch, "contradiction", text);
}

/* --- storage and sharding of the states */

static void check_shard(const struct training_strategy *on, struct err *err)
{
    double shard = on->shard, replicas = on->data * on->context;

    if (!given(shard) || shard == 0)
        return;
    if (isnan(replicas)) /* a multiple of the replicas, from the degrees that are known */
        replicas = on->gpu_count / (or_one(on->tensor) * or_one(on->pipeline));
    if (given(replicas))
        check_divides(err, "data_parallel_shard", shard, replicas, "data x context parallel");
    if (shard > 1 && on->zero_stage == 0)
        refuse(err, "data_parallel_shard", shard, "contradiction",
               "has no effect with zero_stage 0: send zero_stage 1, 2 or 3");
}

/* A single GPU has no replicas to shard among, and needs no ZeRO to offload. */
static void check_offload(const struct training_job *job, const struct training_strategy *on,
                          struct err *err)
{
    bool whole = job->offload == TRAINING_OFFLOAD_PARAMETERS;

    if (job->offload == TRAINING_OFFLOAD_NONE || on->gpu_count == 1 || !given(on->zero_stage))
        return;
    if (on->zero_stage < (whole ? 3 : 1))
        refuse(err, "zero_stage", on->zero_stage, "contradiction",
               whole ? "must be 3 with cpu_offload=parameters: each GPU sends its own share away"
                     : "must be 1 or more with cpu_offload=optimizer: each GPU sends its own share "
                       "away");
}

static void check_frozen(const struct training_job *job, struct err *err)
{
    char text[160];

    if (job->frozen_layers < job->shape.layers)
        return;
    snprintf(text, sizeof(text),
             "must be below the number of layers, %.0f: at least one must be "
             "trained",
             job->shape.layers);
    refuse(err, "frozen_layers", job->frozen_layers, "out_of_range", text);
}

static void check_schedule(const struct training_job *job, const struct training_strategy *on,
                           struct err *err)
{
    const char *name = job->schedule == TRAINING_DUALPIPE ? "dualpipe" : "zero_bubble";

    if (job->schedule == TRAINING_1F1B)
        return;
    if (on->pipeline == 1)
        err_add(err, "pipeline_schedule", name, "contradiction",
                "needs a pipeline: pipeline_parallel is 1");
    else if (given(on->pipeline) && !training_pairs(job, on->pipeline))
        err_add(err, "pipeline_schedule", name, "contradiction",
                "pairs the stages: pipeline_parallel must be even");
    if (on->virtual_stages > 1)
        err_add(err, "pipeline_schedule", name, "contradiction",
                "is not interleaved: leave virtual_stages out or send 1");
}

/* Gradients consumed in the backward pass cannot be accumulated over micro-batches. */
static void check_fused(const struct training_job *job, const struct training_strategy *on,
                        struct err *err)
{
    if (!job->fused_update)
        return;
    if (on->pipeline > 1)
        err_add(err, "optimizer_in_backward", "1", "contradiction",
                "leaves no gradients to add up over micro-batches, as a pipeline does: send "
                "pipeline_parallel=1");
    else if (job->batch_sequences > on->data * on->micro_batch)
        err_add(err, "optimizer_in_backward", "1", "contradiction",
                "leaves no gradients to add up over micro-batches: global_batch_sequences must be "
                "data_parallel x micro_batch_sequences, %.0f",
                on->data * on->micro_batch);
}

static void check_widths(const struct training_job *job, struct err *err)
{
    bool wide = job->precision == TRAINING_FP32 || job->precision == TRAINING_TF32;

    if (wide && job->gradient_bytes == 2)
        err_add(err, "gradient_dtype", "bf16", "contradiction",
                "is narrower than the weights: precision=%s has FP32 gradients",
                training_precision_name(job->precision));
    if (wide && job->single_copy)
        err_add(err, "master_weights", "0", "contradiction",
                "is for 16-bit weights: those of precision=%s are FP32 themselves",
                training_precision_name(job->precision));
    if (job->optimizer == TRAINING_ADAMW_8BIT && job->moment_bytes > 1)
        err_add(err, "optimizer_dtype", job->moment_bytes == 4 ? "fp32" : "bf16", "contradiction",
                "adamw_8bit keeps its states in 8 bit: leave it out or use optimizer=adamw");
    if (job->optimizer == TRAINING_ADAFACTOR && job->moment_bytes > 0)
        err_add(err, "optimizer_dtype",
                job->moment_bytes == 4   ? "fp32"
                : job->moment_bytes == 2 ? "bf16"
                                         : "int8",
                "contradiction", "adafactor keeps rows and columns only: leave it out");
}

static void check_states(const struct training_job *job, const struct training_strategy *on,
                         struct err *err)
{
    check_shard(on, err);
    check_offload(job, on, err);
    check_frozen(job, err);
    check_schedule(job, on, err);
    check_fused(job, on, err);
    check_widths(job, err);
}

/* llm.c and LLM.Q train whole dense models on each GPU and shard only the states (ZeRO). */
static void check_stack(const struct training_job *job, const struct training_strategy *on,
                        struct err *err)
{
    const struct {
        const char *field;
        double degree;
    } degrees[] = {{"tensor_parallel", on->tensor},
                   {"pipeline_parallel", on->pipeline},
                   {"context_parallel", on->context}};

    if (job->stack != TRAINING_STACK_FUSED)
        return;
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
        if (degrees[i].degree > 1)
            refuse(err, degrees[i].field, degrees[i].degree, "contradiction",
                   "must be 1 with stack=fused, which has data parallelism alone");
    if (job->shape.moe || training_adapters(job->method))
        err_add(err, "stack", "fused", "contradiction",
                "trains all weights of dense models: use another for %s",
                job->shape.moe ? "mixtures of experts" : "adapters");
}

/* Its kernels exist for products of experts in blocks of eight or four bits (Megatron-Bridge
 * v0.5.0, scripts/performance/configs, cutedsl_fused_grouped_mlp). */
static void check_graphs(const struct training_job *job, struct err *err)
{
    if (!training_graphs(job))
        return;
    if (!job->shape.moe || training_adapters(job->method))
        err_add(err, "stack", "megatron_graphs", "contradiction",
                "trains all weights of mixtures of experts: use megatron for %s",
                training_adapters(job->method) ? "adapters" : "dense models");
    if (job->precision != TRAINING_FP8 && job->precision != TRAINING_FP4)
        err_add(err, "stack", "megatron_graphs", "contradiction",
                "needs precision=fp8 or fp4, in which experts' products are fused");
}

bool training_check(const struct training_job *job, const struct training_strategy *on,
                    struct err *err)
{
    size_t before = err->n_culprits;

    check_precision(job, err);
    check_tensor(job, on, err);
    check_pipeline(job, on, err);
    check_divides(err, "context_parallel", on->context, job->sequence_tokens, "the sequence");
    check_expert(job, on, err);
    check_product(on, err);
    check_batch(job, on, err);
    check_states(job, on, err);
    check_stack(job, on, err);
    check_graphs(job, err);
    return err->n_culprits == before;
}

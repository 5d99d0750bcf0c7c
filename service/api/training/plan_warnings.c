/* plan_warnings.c - what a training plan leaves out or rests on, said alongside it. */
#include "api/resource/gpu_warnings.h"
#include "api/training/plan.h"
#include "base/units.h"

#include <math.h>

static void warn_hardware(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct gpu *gpu = question->gpu;
    const struct training_strategy *on = &question->plan.on;
    struct links links = training_links(&question->job, on->gpu_count);

    if (!gpu->datacenter_licensed)
        context_warn(context, "datacenter_licence",
                     "the driver licence of %s does not allow use in a data centre", gpu->slug);
    if (!gpu_is_nvidia(gpu))
        context_warn(context, "uncalibrated_vendor",
                     "no run on %s hardware was among those the step time is fitted to",
                     gpu->vendor);
    if (question->job.flash_attention)
        gpu_warnings_flash_attention(context, gpu, "see flash_attention");
    if (on->tensor > links.domain)
        context_warn(context, "tensor_parallel_over_pcie",
                     "%.0f GPUs share each layer but at most %.0f are linked: the rest goes over "
                     "PCIe or the network",
                     on->tensor, links.domain);
}

/* Below about 100 Gbit/s a node training over several nodes mostly waits. */
static void warn_network(struct training_question *question)
{
    const double least_gbit = 100;
    const struct training_job *job = &question->job;
    double gbit = job->network_rate * 8 / 1e9 * job->gpus_per_node;

    if (question->plan.on.gpu_count > job->gpus_per_node && gbit < least_gbit)
        context_warn(question->context, "slow_network",
                     "%.6g Gbit/s per node between nodes; several nodes want %.0f or more: see "
                     "network_gbit_per_second, which is per GPU",
                     gbit, least_gbit);
}

static void warn_step(struct training_question *question)
{
    const double short_step = 0.1;
    const struct training_job *job = &question->job;
    struct request_context *context = question->context;

    if (question->totals.step_seconds < short_step)
        context_warn(
            context, "short_step",
            "steps under %.1f s are up to twice as long in practice: launches and latency of "
            "dense layers are not modelled",
            short_step);
    if (training_adapters(job->method))
        context_warn(context, "uncalibrated_method",
                     "%s runs were not fitted: tuned stacks were measured within 20 %% of this, a "
                     "plain Hugging Face one at half the speed",
                     training_method_name(job->method));
    if (job->precision == TRAINING_FP32 || job->precision == TRAINING_TF32 ||
        job->precision == TRAINING_FP4)
        context_warn(context, "uncalibrated_precision",
                     "no %s run was among those the step time is fitted to",
                     training_precision_name(job->precision));
    if (question->model->n_linear_layers > 0)
        context_warn(
            context, "linear_attention",
            "%.0f layers of linear attention are counted as weights without a score matrix",
            question->model->n_linear_layers);
}

/* What no measured memory is like. */
static void warn_unmeasured(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_job *job = &question->job;
    bool adam = job->optimizer == TRAINING_ADAMW || job->optimizer == TRAINING_ADAM;

    if (job->optimizer == TRAINING_ADAMW_8BIT)
        context_warn(
            context, "uncalibrated_memory",
            "8-bit states were measured 12 %% above this where the update unpacks those of "
            "the embedding to FP32");
    else if (!adam)
        context_warn(context, "uncalibrated_memory",
                     "memory was checked with Adam alone: no run with %s was measured",
                     question->in->optimizer);
    if (job->shape.moe)
        context_warn(
            context, "uncalibrated_memory",
            "no mixture of experts was measured: each expert is taken to get its even share "
            "of the tokens");
    if (job->stack == TRAINING_STACK_JAX)
        context_warn(
            context, "uncalibrated_memory",
            "the memory of this stack is counted as its source has it: no run with %s on it "
            "was measured",
            training_precision_name(job->precision));
}

/* Where measured memory is known to differ from the account. */
static void warn_memory(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_strategy *on = &question->plan.on;
    enum training_stack stack = question->job.stack;

    warn_unmeasured(question);
    if (stack == TRAINING_STACK_FSDP && on->recompute != TRAINING_RECOMPUTE_FULL)
        context_warn(
            context, "eager_memory",
            "counted as compiled: without torch.compile it was measured 7 %% above this with "
            "selective recompute, 18 %% with none");
    if (stack == TRAINING_STACK_FSDP && on->tensor > 1)
        context_warn(context, "uncalibrated_memory",
                     "FSDP with tensor parallelism was measured 8 %% above this with asynchronous "
                     "exchanges, 15 %% without (two runs)");
    if (stack == TRAINING_STACK_DEEPSPEED && question->job.method == TRAINING_QLORA)
        context_warn(
            context, "uncalibrated_memory",
            "long sequences in 4 bit were measured up to 25 %% below this, on a stack that "
            "computes the loss in 16 bit");
    if (question->job.fused_update && on->batch_sequences > on->data * on->micro_batch)
        context_warn(
            context, "gradients_not_added",
            "optimizer_in_backward makes each of the %.0f micro-batches of a step an update "
            "of its own",
            on->batch_sequences / (on->data * on->micro_batch));
}

/* What leaves the GPUs has to fit alongside them. */
static void warn_host(struct training_question *question)
{
    double bytes = question->plan.memory.host;

    if (bytes > 0)
        context_warn(question->context, "host_memory",
                     "%.4g GiB of host memory are needed for each GPU, pinned", bytes / GIB);
}

static void warn_batch(struct training_question *question)
{
    const struct training_job *job = &question->job;
    const struct training_strategy *on = &question->plan.on;
    struct request_context *context = question->context;

    if (isnan(job->batch_sequences) && on->data * on->micro_batch > job->batch_default)
        context_warn(
            context, "large_batch",
            "this many replicas need %.0f sequences a step, more than the usual %.0f: a model "
            "may learn less from each token",
            on->batch_sequences, job->batch_default);
    if (job->shape.max_tokens > 0 && job->sequence_tokens > job->shape.max_tokens)
        context_warn(context, "beyond_model_context",
                     "the model is made for sequences of up to %.0f tokens", job->shape.max_tokens);
}

static void warn_goal(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_cost *bill = &question->bill;

    if (!question->plan.fits)
        context_warn(context, "does_not_fit", "each GPU is %.6g GiB short; %s%s",
                     training_shortfall(&question->plan.memory) / GIB,
                     question->nearest[0] ? "a setup that fits: "
                                          : "nothing fits on this GPU at any number",
                     question->nearest);
    if (isinf(question->totals.days))
        context_warn(context, "never_ends",
                     "%.0f GPUs fail faster than a restart takes: the training never gets on",
                     question->plan.on.gpu_count);
    else if (bill->meets_deadline == 0)
        context_warn(context, "deadline_missed",
                     "training takes %.6g days; the deadline is %.6g days", question->totals.days,
                     question->goal.deadline_days);
    if (bill->within_budget == 0)
        context_warn(context, "budget_exceeded", "the cost is %.4g times the budget",
                     bill->budget_used_ratio);
    if (isfinite(question->totals.days) && bill->duration_hours < 24 * question->totals.days)
        context_warn(context, "duration_too_short",
                     "the training takes %.6g hours by this estimate, the duration given is %.6g",
                     24 * question->totals.days, bill->duration_hours);
    if (isnan(question->goal.tokens))
        context_warn(context, "no_tokens",
                     "without tokens or compute_flop only a step is planned: days and cost of the "
                     "training are unknown");
}

void training_question_warn(struct training_question *question)
{
    warn_goal(question);
    warn_hardware(question);
    warn_network(question);
    warn_step(question);
    warn_memory(question);
    warn_host(question);
    warn_batch(question);
}

/* plan_warnings.c - warnings about omissions and weak foundations of a training plan. */
#include "api/resource/currency.h"
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
                     "NVIDIA's driver licence does not allow the %s in data centres", gpu->slug);
    if (!gpu_is_nvidia(gpu))
        context_warn(context, "uncalibrated_vendor",
                     "the step-time model has not been calibrated on %s hardware", gpu->vendor);
    gpu_warnings_heat(context, gpu, fmin(question->job.gpus_per_node, on->gpu_count));
    if (question->job.precision == TRAINING_FP16)
        gpu_warnings_training(context, gpu);
    if (question->job.flash_attention)
        gpu_warnings_flash_attention(context, gpu, "see flash_attention");
    if (on->tensor > links.domain)
        context_warn(context, "tensor_parallel_over_pcie",
                     "%.0f GPUs share each layer, but at most %.0f of them are linked: the others "
                     "communicate over PCIe or the network",
                     on->tensor, links.domain);
}

/* Below about 100 Gbit/s per node, training on several nodes mostly waits for the network. */
static void warn_network(struct training_question *question)
{
    const double least_gbit = 100;
    const struct training_job *job = &question->job;
    double gbit = job->network_rate * 8 / 1e9 * job->gpus_per_node;

    if (question->plan.on.gpu_count > job->gpus_per_node && gbit < least_gbit)
        context_warn(question->context, "slow_network",
                     "the network between nodes has %.6g Gbit/s per node; training on several "
                     "nodes needs %.0f or more: see network_gbit_per_second, which is per GPU",
                     gbit, least_gbit);
}

/* The texts of a step are what each of them is told apart from. */
static void warn_pairs(struct training_question *question)
{
    double texts = question->plan.on.batch_sequences;

    if (!context_given(question->context, "global_batch_sequences"))
        context_warn(question->context, "batch_of_pairs",
                     "a step of %.0f texts is assumed, %.0f pairs: each is told apart from the "
                     "others, so the batch decides what the model learns; give "
                     "global_batch_sequences, with hard negatives as sequences of their own",
                     texts, floor(texts / 2));
}

static void warn_critic(struct training_question *question)
{
    context_warn(question->context, "one_pass_per_batch",
                 "each batch of answers is trained on once, as OpenRLHF's examples do; with more "
                 "epochs per batch (4 by default in TRL, num_ppo_epochs) the updates of policy and "
                 "critic take as many times as long");
}

/* That no replica fits; or that programs which leave the trainer's states on the GPU while answers
 * are written need smaller ones than the plan. */
static void warn_generation(struct training_question *question)
{
    const struct training_phases *phases = &question->totals.phases;
    const struct training_memory *memory = &question->plan.memory;
    struct request_context *context = question->context;
    double kept = memory->weights + memory->optimizer;
    double engine = phases->engine_weights / GIB, spare = (memory->capacity - kept) / GIB;

    if (phases->handover > memory->capacity)
        context_warn(context, "no_generation",
                     "answers cannot be generated on these GPUs: when the trained weights are "
                     "handed over, the engine holds %.3g GiB of its own copy in 16 bit, and with "
                     "the trainer's that is %.3g of %.3g GiB: more GPUs divide both, or generate "
                     "on others",
                     engine, phases->handover / GIB, memory->capacity / GIB);
    else if (isnan(phases->tensor))
        context_warn(context, "no_generation",
                     "no replica of up to 64 of these GPUs holds the model in 16 bit and one "
                     "answer: the time of a step is unknown");
    else if (engine > spare)
        context_warn(context, "states_move",
                     "while answers are generated, %.3g GiB of weights and optimizer states are "
                     "in host memory, per GPU, as NeMo RL keeps them; TRL and verl leave them on "
                     "the GPU unless told otherwise (param_offload, optimizer_offload), where the "
                     "engine's %.3g GiB would not fit next to them",
                     kept / GIB, engine);
}

static void warn_objective(struct training_question *question)
{
    struct request_context *context = question->context;

    enum training_objective objective = question->job.objective;

    if (objective == TRAINING_EMBEDDING)
        warn_pairs(question);
    if (objective == TRAINING_PPO)
        warn_critic(question);
    if (training_generates(&question->job) && isnan(question->in->completion_tokens_max))
        context_warn(context, "no_length_limit",
                     "answers have no maximum length, and each step waits for the longest of %.0f: "
                     "enter completion_tokens_max, the limit that the trainer sets",
                     question->plan.on.batch_sequences);
    if (training_generates(&question->job))
        warn_generation(question);
}

static void warn_step(struct training_question *question)
{
    const double short_step = 0.1;
    const struct training_job *job = &question->job;
    struct request_context *context = question->context;

    if (question->totals.step_seconds < short_step)
        context_warn(context, "short_step",
                     "steps shorter than %.1f s can take up to twice as long in practice: launch "
                     "times and the latency of dense layers are not modelled",
                     short_step);
    if (training_adapters(job->method))
        context_warn(context, "uncalibrated_method",
                     "no constant was fitted to %s: of 100 published runs with adapters 80%% took "
                     "0.87 to 1.46 times this estimate, compiled trainers the least, plain Hugging "
                     "Face the most, up to 2.5 times with short sequences",
                     training_method_name(job->method));
    if (job->precision == TRAINING_FP32 || job->precision == TRAINING_TF32 ||
        job->precision == TRAINING_FP4)
        context_warn(context, "uncalibrated_precision",
                     "the step-time model has not been calibrated on %s runs",
                     training_precision_name(job->precision));
    if (question->model->n_linear_layers > 0)
        context_warn(
            context, "linear_attention",
            "%.0f layers with linear attention are counted as weights without a score matrix",
            question->model->n_linear_layers);
}

/* Configurations unlike all measured memory. */
static void warn_unmeasured(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_job *job = &question->job;
    bool adam = job->optimizer == TRAINING_ADAMW || job->optimizer == TRAINING_ADAM;

    if (job->optimizer == TRAINING_ADAMW_8BIT)
        context_warn(context, "uncalibrated_memory",
                     "with 8-bit optimizer states, measured memory was 12%% higher where the "
                     "update unpacks those of the embedding to FP32");
    else if (!adam)
        context_warn(
            context, "uncalibrated_memory",
            "memory was checked against measurements with Adam only: none with %s is known",
            question->in->optimizer);
    if (job->shape.moe)
        context_warn(context, "uncalibrated_memory",
                     "memory of mixture-of-experts models was not checked against measurements: "
                     "every expert is assumed to get an equal share of the tokens");
    if (job->stack == TRAINING_STACK_JAX || job->stack == TRAINING_STACK_FUSED)
        context_warn(context, "uncalibrated_memory",
                     "the memory of this software is derived from its source code: no measurement "
                     "of it is known");
}

/* Configurations whose measured memory is known to differ from the estimate. */
static void warn_memory(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_strategy *on = &question->plan.on;
    enum training_stack stack = question->job.stack;

    warn_unmeasured(question);
    if (stack == TRAINING_STACK_FSDP && on->recompute != TRAINING_RECOMPUTE_FULL &&
        !context_given(context, "torch_compile"))
        context_warn(context, "eager_memory",
                     "this assumes torch.compile: give torch_compile=0 if you train without it");
    if (question->job.eager && on->recompute == TRAINING_RECOMPUTE_SELECTIVE)
        context_warn(context, "eager_memory",
                     "without torch.compile and with selective recomputation, measured memory was "
                     "7%% higher (two runs)");
    if (stack == TRAINING_STACK_FSDP && on->tensor > 1)
        context_warn(context, "uncalibrated_memory",
                     "with FSDP and tensor parallelism, measured memory was 8%% higher with "
                     "asynchronous communication and 15%% higher without (two runs)");
    if (stack == TRAINING_STACK_DEEPSPEED && question->job.method == TRAINING_QLORA)
        context_warn(context, "uncalibrated_memory",
                     "with long sequences in 4 bit, measured memory was up to 25%% lower, on "
                     "software that computes the loss in 16 bit");
    if (question->job.fused_update && on->batch_sequences > on->data * on->micro_batch)
        context_warn(context, "gradients_not_added",
                     "optimizer_in_backward turns each of the %.0f micro-batches of a step into a "
                     "separate update",
                     on->batch_sequences / (on->data * on->micro_batch));
}

/* The errors of the memory estimate are from tests/accuracy/RESULTS.md. */
void training_warn_tight(struct request_context *context, const struct training_job *job,
                         const struct training_plan *plan, const struct training_phases *phases,
                         const char *what)
{
    const struct training_memory *memory = &plan->memory;
    bool partly = plan->on.recompute != TRAINING_RECOMPUTE_FULL, several = plan->on.micro_batch > 1;

    if (training_phases_are_tight(phases, memory))
        context_warn(
            context, "tight_memory",
            "%sthe fullest GPU is %.0f%% full, and measured memory was 5%% off this estimate on "
            "average, %s at worst: consider %s%s%smore GPUs",
            what, 100 * training_phases_fill(phases, memory),
            training_adapters(job->method) ? "27%" : "15%", partly ? "recompute=full, " : "",
            several ? "a smaller micro-batch, " : "", partly || several ? "or " : "");
}

/* Offloaded data must fit into host memory. */
static void warn_host(struct training_question *question)
{
    double bytes = question->plan.memory.host;

    if (bytes > 0)
        context_warn(question->context, "host_memory",
                     "each GPU needs %.4g GiB of pinned host memory", bytes / GIB);
}

static void warn_batch(struct training_question *question)
{
    const struct training_job *job = &question->job;
    const struct training_strategy *on = &question->plan.on;
    struct request_context *context = question->context;

    if (isnan(job->batch_sequences) && on->data * on->micro_batch > job->batch_default)
        context_warn(context, "large_batch",
                     "this many replicas need %.0f sequences per step, more than the usual %.0f: "
                     "the model may learn less from each token",
                     on->batch_sequences, job->batch_default);
    if (job->shape.max_tokens > 0 && job->sequence_tokens > job->shape.max_tokens)
        context_warn(context, "beyond_model_context",
                     "the model is designed for sequences of up to %s tokens",
                     context_count(context, job->shape.max_tokens));
}

/* Suggest settings first, since they need no more GPUs. */
static void warn_size(struct training_question *question)
{
    struct request_context *context = question->context;
    double gib = training_shortfall(&question->plan.memory) / GIB;
    const char *missing =
        gib < 1000 ? arena_print(context->arena, "%.3g", gib) : context_count(context, gib);
    const char *settings = question->nearest_settings, *nearest = question->nearest;

    if (settings)
        context_warn(context, "does_not_fit",
                     "each GPU is %s GiB short; on the same GPUs it fits with %s%s%s", missing,
                     settings, nearest[0] ? "; without that, a setup that fits: " : "", nearest);
    else
        context_warn(context, "does_not_fit", "each GPU is %s GiB short; %s%s", missing,
                     nearest[0] ? "a setup that fits: "
                                : "it does not fit on this GPU at any count",
                     nearest);
}

/* What the plan keeps in host memory on `gpu_count` GPUs, in bytes for all of them; 0 without a
 * plan.
 */
static double host_bytes(const struct training_question *question, const struct training_job *job,
                         struct training_strategy pinned, double gpu_count)
{
    struct training_plan plan;
    struct err err = {0};

    pinned.gpu_count = gpu_count;
    if (!training_choose_gpu_count(job, &pinned, &question->goal, &plan, &err))
        return 0;
    return gpu_count * plan.memory.host;
}

/* Weights in host memory make a fine-tuning fit on fewer GPUs, more slowly. */
static void warn_offload(struct training_question *question)
{
    struct training_job job = question->job;
    struct training_strategy pinned = question->pinned;
    double n = question->plan.on.gpu_count;

    if (job.method == TRAINING_PRETRAIN || !isnan(pinned.gpu_count) || n < 2 ||
        !isnan(question->goal.deadline_days) || !isnan(question->goal.budget) ||
        context_given(question->context, "cpu_offload") || !isnan(pinned.pipeline) ||
        context_given(question->context, "zero_stage"))
        return;
    job.offload = TRAINING_OFFLOAD_PARAMETERS;
    pinned.zero_stage = 3;
    double fewest = training_fewest(&job, &pinned);
    if (fewest < n)
        context_warn(question->context, "fewer_with_offload",
                     "with cpu_offload=parameters it fits on %.0f %s instead of %.0f, more "
                     "slowly: weights and optimizer states then wait in %.4g GiB of host memory",
                     fewest, fewest > 1 ? "GPUs" : "GPU", n,
                     host_bytes(question, &job, pinned, fewest) / GIB);
}

/* Without a deadline, the fewest GPUs that fit are of little practical use; a stated number may be
 * too small for anybody to wait. */
static void warn_long(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_goal *goal = &question->goal;
    const struct assumption *usual =
        catalog_assumption(context->catalog, "options_deadline_days", "");
    bool stated = !isnan(question->pinned.gpu_count);
    const double years = 2;

    if (!usual || !question->plan.fits || !isnan(goal->deadline_days) || !isnan(goal->budget) ||
        !(question->totals.days > (stated ? years * DAYS_PER_YEAR : usual->value)))
        return;
    if (stated)
        context_warn(
            context, "takes_years",
            "the run takes %.3g years on %s GPUs, longer than any published one: leave out "
            "gpu_count and enter deadline_days=%g for the fewest GPUs that take no longer "
            "than those",
            question->totals.days / DAYS_PER_YEAR,
            context_count(context, question->plan.on.gpu_count), usual->value);
    else
        context_warn(context, "long_run",
                     "the fewest GPUs that fit take %s days, longer than published runs: enter "
                     "gpu_count, or deadline_days=%g for the fewest that take no longer than those",
                     context_count(context, question->totals.days), usual->value);
}

/* The fastest run within a budget may take more GPUs than anybody rents for it: the hour is what
 * most price lists are for, and a cluster takes minutes to start. */
static void warn_budget(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_goal *goal = &question->goal;
    const struct training_cost *bill = &question->bill;
    double hours = HOURS_PER_DAY * question->totals.days, n = question->plan.on.gpu_count;

    if (bill->within_budget == 0)
        context_warn(context, "budget_exceeded", "the cost is %.4g times the budget",
                     bill->budget_used_ratio);
    else if (bill->within_budget == 1 && bill->total_cost_high > goal->budget)
        context_warn(
            context, "budget_exceeded_at_high",
            "the cost is estimated at %s, but is up to %s at the high end of its interval; "
            "the budget is %s",
            currency_amount(context, bill->total_cost),
            currency_amount(context, bill->total_cost_high),
            currency_amount(context, goal->budget));
    if (bill->within_budget == 1 && isnan(question->pinned.gpu_count) &&
        isnan(goal->deadline_days) && n > question->job.gpus_per_node && hours < 1)
        context_warn(context, "short_run",
                     "the fastest run within the budget takes %.0f minutes on %s GPUs, less than "
                     "the hour that price lists are for: enter gpu_count, or deadline_days for the "
                     "fewest that meet it, which usually cost less",
                     60 * hours, context_count(context, n));
}

static void warn_goal(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_cost *bill = &question->bill;

    if (!question->plan.fits)
        warn_size(question);
    else if (question->job.chunked_loss && question->job.method != TRAINING_PRETRAIN &&
             !context_given(context, "chunked_loss"))
        context_warn(context, "chunked_loss",
                     "it fits with the loss computed in chunks, which is assumed: have your "
                     "trainer do so; with chunked_loss=0 it %s",
                     isnan(question->pinned.gpu_count) ? "takes more GPUs" : "does not fit");
    if (question->plan.fits)
        warn_offload(question);
    if (isfinite(question->totals.days))
        warn_long(question);
    if (isinf(question->totals.days))
        context_warn(context, "never_ends",
                     "%.0f GPUs fail faster than training can restart: it never makes progress",
                     question->plan.on.gpu_count);
    else if (bill->meets_deadline == 0)
        context_warn(context, "deadline_missed",
                     "training takes %.*f days; the deadline is %.6g day%s",
                     training_days_decimals(question->totals.days), question->totals.days,
                     question->goal.deadline_days, text_plural(question->goal.deadline_days));
    else if (bill->meets_deadline == 1 && question->totals.days_high > question->goal.deadline_days)
        context_warn(context, "deadline_missed_at_high",
                     "training is estimated at %.*f days, but takes up to %.*f days at the high "
                     "end of its interval; the deadline is %.6g day%s: use more GPUs to be sure",
                     training_days_decimals(question->totals.days), question->totals.days,
                     training_days_decimals(question->totals.days_high), question->totals.days_high,
                     question->goal.deadline_days, text_plural(question->goal.deadline_days));
    warn_budget(question);
    if (isfinite(question->totals.days) &&
        bill->duration_hours < HOURS_PER_DAY * question->totals.days)
        context_warn(
            context, "duration_too_short",
            "this estimate is %.6g hours of training; the duration you entered is %.6g hours",
            HOURS_PER_DAY * question->totals.days, bill->duration_hours);
    if (isnan(question->goal.tokens))
        context_warn(context, "no_tokens",
                     "without tokens or compute_flop only one step is planned: the days and cost "
                     "of the training are unknown");
}

/* Warns if the rental bill is higher than the hours used. */
static void warn_billed(struct training_question *question)
{
    const double little = 1.05; /* a difference of up to 5 % is not worth a warning */
    struct request_context *context = question->context;
    double used = question->billed_rent - question->bill.unused_cost;

    if (!(question->billed_rent > little * used))
        return;
    if (question->committed_months > 0)
        context_warn(context, "commitment_outlasts_job",
                     "these reservations commit you to %.0f months, %s, whether the GPUs are "
                     "used or not: total_cost counts all of it, of which %s is for the hours of "
                     "the job; if other work uses the rest, count only those%s",
                     question->committed_months, currency_amount(context, question->billed_rent),
                     currency_amount(context, used),
                     question->billed_rent > question->goal.budget
                         ? "; the reservations alone are beyond the budget"
                         : "");
    else if (question->basis.term_days > 0)
        context_warn(context, "minimum_term",
                     "a cluster of that size is not rented by the hour but for %.6g day%s at "
                     "least: total_cost counts %s, of which %s is for the hours of the job. Where "
                     "your provider asks no such term, enter its price as price_per_gpu_hour or "
                     "at /v1/quotes; /v1/assumptions?key=cluster_term_days has the terms",
                     question->basis.term_days, text_plural(question->basis.term_days),
                     currency_amount(context, question->billed_rent),
                     currency_amount(context, used));
    else
        context_warn(context, "billed_beyond_use",
                     "providers bill %s for these GPUs, which total_cost counts, but the "
                     "hours used come to %s: offers_used gives each provider's billing "
                     "granularity and minimum",
                     currency_amount(context, question->billed_rent),
                     currency_amount(context, used));
}

void training_question_warn(struct training_question *question)
{
    warn_billed(question);
    warn_goal(question);
    warn_hardware(question);
    warn_network(question);
    warn_objective(question);
    warn_step(question);
    warn_memory(question);
    training_warn_tight(question->context, &question->job, &question->plan,
                        &question->totals.phases, "");
    warn_host(question);
    warn_batch(question);
}

/* Published runs over the fastest plan with the same settings left open: the median of families. */
static double typical(const struct training_question *question)
{
    const struct training_constants *k = &question->constants;
    const struct training_plan *plan = &question->plan;

    if (!plan->recompute_searched)
        return k->searched_division_typical;
    return plan->division_searched ? k->searched_typical : k->searched_recompute_typical;
}

void training_question_warn_searched(struct training_question *question)
{
    const struct training_plan *plan = &question->plan;
    const struct training_totals *totals = &question->totals;
    bool division = plan->division_searched, recompute = plan->recompute_searched;

    if (!(division || recompute) || totals->correction.runs > 0 || !plan->fits ||
        training_generates(&question->job) || !isnan(question->goal.model_flops_utilization))
        return;
    context_warn(question->context, "searched_settings",
                 "this is the fastest plan found%s%s: published runs whose settings were as open "
                 "took %.2f times as long in the median, and 80%% of them %.2f to %.2f times; give "
                 "%s%s%s as they will be run",
                 division ? ", with the fastest division of the model" : "",
                 !recompute ? ""
                 : division ? " and the least recomputation that leaves memory free"
                            : ", with the least recomputation that leaves memory free",
                 typical(question), totals->step_seconds_low / totals->step_seconds,
                 totals->step_seconds_high / totals->step_seconds,
                 division ? "stack, tensor_parallel, pipeline_parallel and zero_stage" : "",
                 division && recompute ? ", and " : "", recompute ? "recompute" : "");
}

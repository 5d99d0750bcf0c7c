/* plan_parse.c - checks the inputs of /v1/training-plan against one another, and converts them to a
 * job, a goal and pinned strategy values. */
#include "api/training/plan.h"
#include "api/training/plan_extras.h"
#include "api/training/plan_goodput.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

static bool check_owned(struct training_question *question, struct err *err)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = question->in;
    bool owned = strcmp(in->purchase_option, "owned") == 0;

    if (owned && (in->provider || in->region))
        return context_refuse(context, err, "purchase_option", "contradiction",
                              "owned GPUs have no provider or region");
    if (!owned && context_given(context, "utilization"))
        return context_refuse(context, err, "utilization", "contradiction",
                              "is for purchase_option=owned: rented GPUs are paid by the hour");
    if (owned && isnan(in->utilization) && isnan(in->price_per_gpu_hour))
        return context_refuse(
            context, err, "utilization", "missing_parameter",
            "is required with purchase_option=owned: idle hours are paid for too");
    return true;
}

static bool check_pairs(struct training_question *question, struct err *err)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = question->in;
    bool good = context_at_most_one(context, "tokens compute_flop", err);

    good = context_at_most_one(context, "duration_days duration_hours", err) && good;
    if (context_given(context, "trainable_ratio") && strcmp(in->method, "lora") != 0 &&
        strcmp(in->method, "qlora") != 0)
        good = context_refuse(context, err, "trainable_ratio", "contradiction",
                              "is for method=lora and qlora: pretrain and full train every weight");
    if (context_given(context, "hours_per_day") && !context_given(context, "duration_days"))
        good = context_refuse(context, err, "hours_per_day", "contradiction",
                              "needs duration_days, to whose days it applies");
    if (context_given(context, "deadline_days") && isnan(in->tokens) && isnan(in->compute_flop))
        good = context_refuse(context, err, "deadline_days", "missing_parameter",
                              "needs tokens or compute_flop: the amount of training");
    good = training_question_check_goodput(question, err) && good;
    return check_owned(question, err) && good;
}

static bool look_up(struct training_question *question, struct err *err)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = question->in;
    bool good = lookup_gpu(context, "gpu", in->gpu, &question->gpu, err);

    good = lookup_model(context, in->model, in->parameters, &question->model, err) && good;
    good = pricing_check_provider(context, in->provider, err) && good;
    good = pricing_settle_credits(context, "price_per_gpu_hour", NULL, err) && good;
    return lookup_check_discounts(context, in->provider_discounts, err) && good;
}

/* A degree for which the software leaves no choice. */
static double pin(const struct training_plan_in *in, double degree)
{
    bool fused = training_stack_find(in->stack) == TRAINING_STACK_FUSED;

    return fused && isnan(degree) ? 1 : degree;
}

/* Weights are kept on hosts by shares: both FSDP and DeepSpeed (offload_param) do so with ZeRO 3
 * alone. */
static double zero_stage_of(const struct training_plan_in *in)
{
    bool on_hosts = training_offload_find(in->cpu_offload) == TRAINING_OFFLOAD_PARAMETERS;

    return on_hosts && isnan(in->zero_stage) && isnan(in->pipeline_parallel) ? 3 : in->zero_stage;
}

static void set_pins(struct training_question *question)
{
    const struct training_plan_in *in = question->in;

    question->pinned = (struct training_strategy){
        .gpu_count = in->gpu_count,
        .tensor = pin(in, in->tensor_parallel),
        .pipeline = pin(in, in->pipeline_parallel),
        .context = pin(in, in->context_parallel),
        .expert = in->expert_parallel,
        .data = in->data_parallel,
        .virtual_stages = in->virtual_stages,
        .micro_batch = in->micro_batch_sequences,
        .zero_stage = zero_stage_of(in),
        .shard = in->data_parallel_shard,
        .sequence_parallel = in->sequence_parallel,
        .recompute = in->recompute ? (enum training_recompute)training_recompute_find(in->recompute)
                                   : TRAINING_RECOMPUTE_AUTO,
        .batch_sequences = in->global_batch_sequences,
    };
    question->pinned.zero_stage = training_usual_zero_stage(
        (enum training_stack)training_stack_find(in->stack), &question->pinned);
}

/* Bytes of a width by its name; 0 if not given. */
static double width_bytes(const char *dtype)
{
    if (!dtype)
        return 0;
    return strcmp(dtype, "fp32") == 0 ? 4 : strcmp(dtype, "bf16") == 0 ? 2 : 1;
}

/* Adapters over 4-bit weights are 16 bit without a wider copy; their optimizer states are FP32
 * (github.com/artidoro/qlora, qlora.py: paged_adamw_32bit, layers of LoRA in bfloat16). */
static void set_qlora(struct training_job *job, const struct training_plan_in *in)
{
    if (job->method != TRAINING_QLORA || !isnan(in->master_weights))
        return;
    job->single_copy = true;
    if (!in->optimizer_dtype && job->optimizer != TRAINING_ADAMW_8BIT)
        job->moment_bytes = 4;
}

static void set_methods(struct training_job *job, const struct training_plan_in *in)
{
    job->stack = (enum training_stack)training_stack_find(in->stack);
    job->gradient_bytes = width_bytes(in->gradient_dtype);
    job->moment_bytes = width_bytes(in->optimizer_dtype);
    job->single_copy = in->master_weights == 0;
    job->fused_update = in->optimizer_in_backward > 0;
    job->tensor_overlap =
        isnan(in->tensor_overlap) ? training_usual_tensor_overlap(job) : in->tensor_overlap > 0;
    job->flash_attention =
        isnan(in->flash_attention) ? training_usual_flash_attention(job) : in->flash_attention > 0;
    job->native_attention = isnan(in->native_attention) ? training_usual_native_attention(job->gpu)
                                                        : in->native_attention > 0;
    job->eager = in->torch_compile == 0 && training_may_be_eager(job);
    job->chunked_loss =
        isnan(in->chunked_loss) ? training_compiles_loss(job) : in->chunked_loss > 0;
    job->offload_activations = in->activation_offload > 0;
    job->frozen_layers = in->frozen_layers;
    job->offload = (enum training_offload)training_offload_find(in->cpu_offload);
    job->schedule = (enum training_schedule)training_schedule_find(in->pipeline_schedule);
    job->dispatcher = (enum training_dispatcher)training_dispatcher_find(in->expert_dispatcher);
    set_qlora(job, in);
}

/* Set the purchase option for prices; none if the GPUs are owned. */
static void set_book(struct training_question *question)
{
    const struct training_plan_in *in = question->in;
    struct request_context *context = question->context;

    question->book = NULL;
    if (strcmp(in->purchase_option, "owned") != 0)
        question->book =
            price_book(context->catalog,
                       &(struct price_query){.gpu = question->gpu,
                                             .purchase_option = in->purchase_option,
                                             .provider = in->provider,
                                             .region = in->region,
                                             .provider_discounts = in->provider_discounts,
                                             .as_of = context->as_of},
                       context->arena);
}

/* Network of the rented machines; NAN if unknown: then the GPU's own is used. */
static double network_of(const struct training_question *question)
{
    double given = question->in->network_gbit_per_second;
    double rented = question->book ? price_book_network(question->book) : (double)NAN;

    return (isnan(given) ? rented : given) * 1e9 / 8;
}

/* The model's published training run if the GPU has its arithmetic; else NULL. Fine-tuning it
 * uses the usual defaults. */
static const struct measurement *published_run(const struct training_question *question)
{
    const char *model = question->model->slug;
    const struct measurement *run =
        model ? catalog_whole_run(question->context->catalog, model) : NULL;

    if (!run || training_method_find(question->in->method) != TRAINING_PRETRAIN)
        return NULL;
    int precision = training_precision_find(run->precision);
    return precision >= 0 && training_peak(question->gpu, (enum training_precision)precision) > 0
               ? run
               : NULL;
}

static enum training_precision precision_of(const struct training_question *question)
{
    const struct measurement *run = published_run(question);
    const char *name = question->in->precision ? question->in->precision
                       : run                   ? run->precision
                                               : NULL;

    return name ? (enum training_precision)training_precision_find(name)
                : training_usual_precision(question->gpu);
}

static void set_job(struct training_question *question)
{
    const struct training_plan_in *in = question->in;
    const struct gpu *gpu = question->gpu;

    question->job = (struct training_job){
        .cancel = question->context->cancel,
        .constants = &question->constants,
        .gpu = gpu,
        .shape = model_shape_of(question->model),
        .method = (enum training_method)training_method_find(in->method),
        .objective = (enum training_objective)training_objective_find(in->objective),
        .precision = precision_of(question),
        .optimizer = (enum training_optimizer)training_optimizer_find(in->optimizer),
        .trainable_ratio = in->trainable_ratio,
        .sequence_tokens = in->sequence_tokens,
        .batch_sequences = in->global_batch_sequences,
        .gpus_per_node = in->gpus_per_node,
        .network_rate = network_of(question),
        .power = in->power_limit_w,
        .communication_overlap = in->communication_overlap != 0,
    };
    set_methods(&question->job, in);
    training_question_set_objective(question);
    training_complete(&question->job, in->gpu_count);
    question->job.expert_overlap = isnan(in->expert_overlap)
                                       ? training_usual_overlap(&question->job, in->expert_parallel)
                                       : in->expert_overlap > 0;
}

static void set_goal(struct training_question *question)
{
    const struct training_plan_in *in = question->in;
    double hours =
        isnan(in->duration_days) ? in->duration_hours : HOURS_PER_DAY * in->duration_days;
    double tokens = in->compute_flop / training_flop_per_token(&question->job);

    question->goal = (struct training_goal){
        .tokens = isnan(in->tokens) ? tokens : in->tokens,
        .goodput = in->goodput,
        .model_flops_utilization = in->model_flops_utilization,
        .deadline_days = in->deadline_days,
        .budget = in->budget,
        .price_per_gpu_hour = in->price_per_gpu_hour,
    };
    training_set_default_batch(&question->job, question->goal.tokens);
    question->rental = (struct training_rental){hours, in->hours_per_day};
}

/* Record what was chosen for an input the caller left open. */
static void note(struct training_question *question, const char *name, double value,
                 enum source source, const char *reference)
{
    if (!context_given(question->context, name) && !isnan(value))
        context_set_number(question->context, name, value, source, reference);
}

/* Record the widths that follow from precision, optimizer and stack. */
static void note_widths(struct training_question *question)
{
    struct request_context *context = question->context;
    struct training_bytes bytes = training_job_bytes(&question->job);
    double moment = training_moment_bytes(&question->job);

    if (!question->in->gradient_dtype && (bytes.gradient == 4 || bytes.gradient == 2))
        context_set_text(context, "gradient_dtype", bytes.gradient == 4 ? "fp32" : "bf16",
                         SOURCE_DEFAULT, NULL);
    if (!question->in->optimizer_dtype && moment > 0)
        context_set_text(context, "optimizer_dtype",
                         moment == 4   ? "fp32"
                         : moment == 2 ? "bf16"
                                       : "int8",
                         SOURCE_DEFAULT, NULL);
    note(question, "master_weights", training_master_copy(&question->job), SOURCE_DEFAULT, NULL);
}

static void note_defaults(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_job *job = &question->job;
    const char *gpu = arena_join(context->arena, "/v1/gpus/", question->gpu->slug);

    if (!question->in->precision)
        context_set_text(context, "precision", training_precision_name(job->precision),
                         SOURCE_CATALOG,
                         published_run(question) ? "/v1/measurements?kind=whole_run" : gpu);
    if (job->shape.moe)
        note(question, "expert_overlap", training_expert_overlap(job), SOURCE_DEFAULT, NULL);
    note(question, "tensor_overlap", job->tensor_overlap, SOURCE_DEFAULT, NULL);
    note(question, "flash_attention", job->flash_attention, SOURCE_DEFAULT, NULL);
    note(question, "native_attention", job->native_attention, SOURCE_DEFAULT, NULL);
    note(question, "sequence_tokens", job->sequence_tokens, SOURCE_DEFAULT,
         "/v1/assumptions?key=sequence_tokens_default");
    note(question, "network_gbit_per_second", job->network_rate * 8 / 1e9, SOURCE_CATALOG,
         pricing_network_source(question->context, question->gpu, question->book));
    note(question, "power_limit_w", job->power, SOURCE_CATALOG, gpu);
    note_widths(question);
    if (training_adapters(job->method))
        note(question, "trainable_ratio", job->trainable_ratio, SOURCE_DEFAULT,
             "/v1/assumptions?key=trainable_ratio");
}

/* Refuse less time than the work takes at peak speed, in whatever way it was given. */
static bool check_physics(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    double hours = question->rental.duration_hours * in->hours_per_day / 24;
    double least = training_hours_at_peak(&question->job, in->gpu_count, question->goal.tokens);
    bool days = !isnan(in->duration_days);

    if (isnan(hours) || isnan(least) || hours >= least)
        return true;
    return context_refuse(
        question->context, err, days ? "duration_days" : "duration_hours", "below_physics",
        "is physically impossible: at 100%% of their peak %.0f x %s take %.6g %s for this; it "
        "would need %.3g times the peak",
        in->gpu_count, question->gpu->slug, (days ? 1.0 / in->hours_per_day : 1.0) * least,
        days ? "days" : "hours", least / hours);
}

bool training_question_read(struct training_question *question, struct err *err)
{
    bool good = look_up(question, err);

    good = training_question_check_objective(question, err) && good;
    good = check_pairs(question, err) && good;
    if (!good)
        return false;
    if (!training_constants_fill(question->context->catalog, &question->constants, err) ||
        !goodput_constants_fill(question->context->catalog, &question->failure_rates, err))
        return false;
    set_book(question);
    set_pins(question);
    set_job(question);
    set_goal(question);
    training_question_set_calendar(question);
    if (!training_question_set_rollout(question, err))
        return false;
    good = training_question_set_extras(question, err);
    good = training_question_set_recompute(question, err) && good;
    good = training_check(&question->job, &question->pinned, err) && good;
    good = check_physics(question, err) && good;
    note_defaults(question);
    return good;
}

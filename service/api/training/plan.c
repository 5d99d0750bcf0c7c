/* plan.c - /v1/training-plan: the GPUs needed to train or fine-tune a model. */
#include "api/training/plan.h"
#include "api/training/plan_extras.h"
#include "api/training/plan_goodput.h"
#include "api/training/plan_search.h"
#include "estimate/training/recompute.h"

#include "api/resource/line_items.h"
#include "api/options/advice.h"
#include "api/resource/nearest_measurements.h"
#include "api/catalog/own_runs.h"
#include "api/routes/resources.h"
#include "base/cents.h"
#include "base/units.h"
#include "estimate/training/explain/explain.h"
#include "estimate/training/plan/rules.h"

#include <assert.h>
#include <math.h>

#define TABLE training_plan_in
#define TABLE_FILE "api/training/plan_in.def"
#define TABLE_ONLY
#include "base/field/table.h"

#define TABLE training_plan_out
#define TABLE_FILE "api/training/plan_out.def"
#define TABLE_ONLY
#include "base/field/table.h"

const struct training_plan_out *training_plan_figures(const struct request_context *answered)
{
    assert(answered->resource == &training_plan_resource);
    return answered->answer.values;
}

static void fill_time(struct training_plan_out *out, const struct training_totals *totals)
{
    out->compute_flop = totals->flop;
    out->step_seconds = totals->step_seconds;
    out->step_seconds_low = totals->step_seconds_low;
    out->step_seconds_high = totals->step_seconds_high;
    out->model_flops_utilization = totals->model_flops_utilization;
    out->hardware_flops_utilization = totals->hardware_flops_utilization;
    out->model_tflops_per_gpu = totals->model_tflops_per_gpu;
    out->tokens_per_second_per_gpu = totals->tokens_per_second_per_gpu;
    out->gpu_hours = totals->gpu_hours;
    out->days = totals->days;
    out->days_low = totals->days_low;
    out->days_high = totals->days_high;
    out->step_count = totals->steps;
}

static void fill_memory(struct training_plan_out *out, const struct training_question *question)
{
    const struct training_memory *memory = &question->plan.memory;

    out->fits = question->plan.fits && !isnan(question->totals.phases.generation);
    out->memory_per_gpu_gib = memory->allocated / GIB;
    out->memory_required_gib = memory->required / GIB;
    out->memory_capacity_gib = memory->capacity / GIB;
    out->shortfall_gib =
        fmax(training_shortfall(memory), question->totals.phases.handover - memory->capacity) / GIB;
    out->nearest_fit = question->nearest[0] ? question->nearest : NULL;
    out->nearest_fit_gpu_count = question->nearest_count;
    out->nearest_fit_settings = question->nearest_settings;
    out->host_memory_gib = memory->host / GIB;
    out->reference_weights_gib =
        training_compares(&question->job) ? memory->reference / GIB : (double)NAN;
    out->critic_weights_gib = question->job.critic_ratio > 0 ? memory->critic / GIB : (double)NAN;
    out->memory_bound_by = training_memory_bound(memory);
}

static void fill_recompute(struct training_plan_out *out, const struct training_question *question)
{
    const struct training_strategy *on = &question->plan.on;
    const struct training_layer *layer = &question->plan.step.layer;
    double layers = question->job.shape.layers;
    bool partial = on->recompute == TRAINING_RECOMPUTE_PARTIAL;

    out->recompute = training_recompute_name(on->recompute);
    out->recompute_ratio = layer->t_recompute / layer->t_forward;
    out->recompute_layers = layers * training_whole_layers(on);
    out->recompute_module_layers = partial ? layers * on->part : (double)NAN;
    if (!partial || !on->modules || on->part == 0)
        return;
    char *modules = arena_alloc(question->context->arena, TRAINING_MODULES_TEXT_MAX);
    training_modules_print(on->modules, modules, TRAINING_MODULES_TEXT_MAX);
    out->recompute_modules = modules;
}

static void fill_strategy(struct training_plan_out *out, const struct training_question *question)
{
    const struct training_plan *plan = &question->plan;
    const struct training_strategy *on = &plan->on;

    out->gpu_count = on->gpu_count;
    out->tensor_parallel = on->tensor;
    out->pipeline_parallel = on->pipeline;
    out->virtual_stages = on->virtual_stages;
    out->context_parallel = on->context;
    out->expert_parallel = on->expert;
    out->data_parallel = on->data;
    out->zero_stage = on->zero_stage;
    out->micro_batch_sequences = on->micro_batch;
    out->global_batch_sequences = on->batch_sequences;
    fill_recompute(out, question);
    out->sequence_parallel = on->sequence_parallel;
    out->data_parallel_shard = training_shard(on);
    out->bound = training_bound(&plan->step);
    out->scaling_ratio = training_scaling_ratio(&plan->step);
    out->strategies_considered = (double)plan->n_considered;
}

static void fill_phases(struct training_plan_out *out, const struct training_question *question)
{
    const struct training_phases *phases = &question->totals.phases;
    bool generates = phases->generation != 0;

    out->forward_seconds = phases->forward > 0 ? phases->forward : (double)NAN;
    out->generation_seconds = generates ? phases->generation : (double)NAN;
    out->generation_ratio = out->generation_seconds / question->totals.step_seconds;
    out->critic_seconds = phases->critic > 0 ? phases->critic : (double)NAN;
    if (phases->generation > question->plan.step.seconds)
        out->bound = "generation";
    out->generation_tensor_parallel = phases->tensor;
    out->generation_concurrent_requests = phases->concurrency;
    out->engine_weights_gib = generates ? phases->engine_weights / GIB : (double)NAN;
    out->handover_memory_gib = generates ? phases->handover / GIB : (double)NAN;
}

static void fill_goodput(struct training_plan_out *out, const struct training_question *question)
{
    const struct goodput *goodput = &question->goodput;

    out->goodput_expected = goodput->share;
    out->goodput_expected_low = question->worst.share;
    out->goodput_expected_high = question->best.share;
    out->hours_between_failures = goodput->failure_interval / SECONDS_PER_HOUR;
    out->checkpoint_gib = question->run.checkpoint_bytes / GIB;
    out->checkpoint_interval_minutes = goodput->checkpoint_interval / 60;
}

static void fill_traffic(struct training_plan_out *out, const struct training_traffic *traffic)
{
    out->tensor_parallel_limit = traffic->tensor_parallel_limit;
    out->gradient_all_reduce_seconds = traffic->all_reduce;
    out->stage_transfer_seconds = traffic->stage_transfer;
    out->pipeline_bubble_ratio = traffic->bubble_ratio;
    out->network_gbit_per_second_balanced = traffic->network_balance * 8 / GIGA;
}

static void fill_money(struct training_plan_out *out, const struct training_question *question)
{
    const struct training_cost *bill = &question->bill;

    out->calendar_ratio = question->goal.calendar.ratio;
    out->calendar_ratio_low = question->goal.calendar.low;
    out->calendar_ratio_high = question->goal.calendar.high;
    out->tokens = floor(question->goal.tokens);
    out->price_per_gpu_hour = question->goal.price_per_gpu_hour;
    PRICE_BASIS_SET(out, question->basis);
    out->total_cost = bill->total_cost;
    out->total_cost_low = bill->total_cost_low;
    out->total_cost_high = bill->total_cost_high;
    out->run_cost = bill->run_cost;
    out->billed_rent = question->billed_rent;
    out->unused_cost = bill->unused_cost;
    out->paid_gpu_hours = question->totals.gpu_hours * training_hours_ratio(&question->goal.extras);
    out->other_cost = cents_round(training_other_cost(&question->goal, question->totals.days));
    out->interruption_ratio = question->totals.interruption_ratio;
    out->energy_kwh = bill->energy_kwh;
    out->carbon_kg = bill->energy_kwh * question->in->grid_carbon_kg_per_kwh;
    out->interruptions = training_question_interruptions(question);
    out->meets_deadline = bill->meets_deadline;
    out->within_budget = bill->within_budget;
    out->budget_used_ratio = bill->budget_used_ratio;
    out->duration_rented_hours = bill->duration_hours;
    out->duration_gpu_hours = bill->duration_gpu_hours;
    out->duration_cost = bill->duration_cost;
    out->duration_tokens = bill->duration_tokens;
    out->runs_per_week = bill->runs_per_week;
}

/* Which run would tell more. */
static const char *with_next_run(const struct training_question *question, const char *sentence)
{
    struct request_context *context = question->context;
    const struct training_strategy *on = &question->plan.on;
    struct correction_next next =
        correction_next_step(question->goal.residuals.runs, &question->job, &question->plan);

    return own_runs_next(context, sentence, next,
                         arena_print(context->arena,
                                     "on %s GPUs with steps of %s sequences of %s tokens",
                                     context_count(context, on->gpu_count),
                                     context_count(context, on->batch_sequences),
                                     context_count(context, question->job.sequence_tokens)));
}

/* The uncorrected plan may need another number of GPUs for the deadline or the budget. */
static const char *correction_in_words(const struct training_question *question)
{
    const struct training_correction *correction = &question->totals.correction;
    const char *sentence = own_runs_sentence(question->context, question->in->measurement_set,
                                             correction->factor, correction->runs, "a step takes",
                                             question->uncorrected.step_seconds, "s");

    if (question->uncorrected_gpu_count != question->plan.on.gpu_count)
        sentence = arena_print(question->context->arena, "%s on the %s GPUs needed then", sentence,
                               context_count(question->context, question->uncorrected_gpu_count));
    return with_next_run(question, sentence);
}

static void fill_correction(struct training_plan_out *out, const struct training_question *question)
{
    const struct training_totals *without = &question->uncorrected;
    const struct training_correction *correction = &question->totals.correction;
    bool corrected = correction->runs > 0;

    out->correction_factor = corrected ? correction->factor : (double)NAN;
    out->correction_run_count = corrected ? correction->runs : (double)NAN;
    out->gpu_count_uncorrected = corrected ? question->uncorrected_gpu_count : (double)NAN;
    out->step_seconds_uncorrected = corrected ? without->step_seconds : (double)NAN;
    out->tokens_per_second_per_gpu_uncorrected =
        corrected ? without->tokens_per_second_per_gpu : (double)NAN;
    out->gpu_hours_uncorrected = corrected ? without->gpu_hours : (double)NAN;
    out->days_uncorrected = corrected ? without->days : (double)NAN;
    if (corrected)
        out->correction_sentence = correction_in_words(question);
    out->total_cost_uncorrected = corrected ? question->uncorrected_cost : (double)NAN;
}

static void fill_memory_correction(struct training_plan_out *out,
                                   const struct training_question *question)
{
    const struct training_memory *without = &question->uncorrected_memory;
    bool corrected = question->memory_runs > 0;

    out->memory_correction_factor = corrected ? 1 + question->job.memory_excess : (double)NAN;
    out->memory_correction_run_count = corrected ? question->memory_runs : (double)NAN;
    out->memory_per_gpu_gib_uncorrected = corrected ? without->allocated / GIB : (double)NAN;
    out->memory_required_gib_uncorrected = corrected ? without->required / GIB : (double)NAN;
    if (corrected)
        out->memory_correction_sentence = own_runs_sentence(
            question->context, question->in->measurement_set, out->memory_correction_factor,
            question->memory_runs, "the fullest GPU allocates", without->allocated / GIB, "GiB");
}

/* Only on request: it takes longer than the estimate. */
static void explain(struct training_question *question)
{
    struct request_context *context = question->context;
    struct explanations explanations;
    struct training_answer told = {
        .job = &question->job,
        .plan = &question->plan,
        .goal = &question->goal,
        .totals = &question->totals,
        .bill = &question->bill,
        .rental = &question->rental,
        .failure_rates = &question->failure_rates,
        .run = &question->run,
        .goodput = &question->goodput,
        .power = question->power,
    };

    if (!explain_is_wanted(context))
        return;
    explain_init(&explanations, context->arena);
    training_explain(&told, &explanations);
    explain_answer(context, &explanations);
}

/* Whether all layers are recomputed as trainers for fine-tuning do, without being asked for it. */
static bool recomputes_by_default(const struct training_question *question)
{
    return question->plan.on.recompute == TRAINING_RECOMPUTE_FULL &&
           !context_given(question->context, "recompute") &&
           training_tunes_with_torch(&question->job);
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct training_question *question = arena_alloc(context->arena, sizeof(*question));
    struct training_plan_out *out = arena_alloc(context->arena, sizeof(*out));
    struct rules rules = {0};

    question->context = context;
    question->in = input;
    if (!training_question_read(question, err) || !training_question_solve(question, err))
        return false;
    training_question_bill_rent(question);
    fill_time(out, &question->totals);
    fill_memory(out, question);
    fill_strategy(out, question);
    struct training_traffic traffic = training_traffic(&question->job, &question->plan);
    out->network_gbit_per_second = question->in->network_gbit_per_second;
    fill_money(out, question);
    fill_goodput(out, question);
    fill_phases(out, question);
    out->cloud_credits_used = question->bill.credits_used;
    out->power_kw = question->power.kw;
    out->within_power_budget = question->within_power_budget;
    fill_correction(out, question);
    fill_memory_correction(out, question);
    fill_traffic(out, &traffic);
    out->pipeline_schedule = out->pipeline_parallel > 1 ? question->in->pipeline_schedule : NULL;
    context_values(context, out);
    line_items_table(context, &question->bill.line_items);
    line_items_chart(context, &question->bill.line_items, out->memory_capacity_gib,
                     arena_print(context->arena, "Training on %s \u00d7 %s",
                                 context_count(context, out->gpu_count), question->gpu->name),
                     "Time per step");
    training_rules(&question->job, &question->plan, &question->goal, question->bill.duration_hours,
                   &rules);
    pricing_rules_of_thumb(context, &rules);
    explain(question);
    struct nearest_features features = nearest_of_training(&question->job, &question->plan.on);
    nearest_measurements_answer(context, &features);
    advice_answer(context, &(struct advice_about){
                               .gpu = question->gpu,
                               .over_servers = out->gpu_count > question->job.gpus_per_node,
                               .trains = true,
                               .recomputes_layers =
                                   out->recompute_layers > 0 && question->plan.recompute_searched,
                               .recomputes_all = recomputes_by_default(question),
                           });
    training_question_warn(question);
    training_question_warn_searched(question);
    training_question_warn_goodput(question);
    return true;
}

/* Many numbers of GPUs are tried, with a search for each. */
static enum cost cost_of(const void *input)
{
    const struct training_plan_in *in = input;

    return isnan(in->gpu_count) && (!isnan(in->deadline_days) || !isnan(in->budget)) ? COST_SHORT
                                                                                     : COST_NONE;
}

const struct resource training_plan_resource = {
    .name = "training_plan",
    .headline = "total_cost",
    .summary = "What it takes to train or fine-tune a model: memory, strategy, days and money",
    .in = &training_plan_in_fields,
    .in_size = sizeof(struct training_plan_in),
    .out = &training_plan_out_fields,
    .tables = {LINE_ITEMS_TABLE, OFFERS_USED_TABLE, RULES_TABLE, NEAREST_MEASUREMENTS_TABLE,
               ADVICE_TABLE, EXPLANATIONS_TABLE},
    .needs_model = true,
    .takes_model_config = true,
    .cost_of = cost_of,
    .work = "the search of training strategies for every number of GPUs",
    .smaller = "give gpu_count",
    .answer = answer,
};

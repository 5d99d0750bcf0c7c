/* plan_search.c - finds the price of a GPU-hour, the plan, and what follows from them. */
#include "api/training/plan_search.h"

#include "api/options/unusual_input.h"
#include "api/training/plan_goodput.h"
#include "api/training/search_cache.h"

#include "base/cents.h"
#include "estimate/ownership/owned.h"
#include "estimate/ownership/ownership.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The band of an owned GPU-hour, from that of a server's price. It also holds for a price given
 * with the utilization it is for, as links from options give it. */
static void set_owned_band(struct training_question *question)
{
    struct request_context *context = question->context;
    double node = question->job.gpus_per_node;
    struct owned_gpus owned = {question->gpu, node, node, question->in->utilization};
    struct ownership_band band = owned_price_band(&owned, context->catalog, context->as_of);

    question->goal.price_low_ratio = band.low;
    question->goal.price_high_ratio = band.high;
}

/* The cost of an owned GPU-hour in use, over the useful life. */
static void set_owned_price(struct training_question *question, double gpu_count)
{
    struct request_context *context = question->context;
    double node = question->job.gpus_per_node, price = (double)NAN;
    struct owned_gpus owned = {question->gpu, isnan(gpu_count) ? node : gpu_count, node,
                               question->in->utilization};
    struct err err = {0};

    if (!owned_price_per_gpu_hour(&owned, context->catalog, context->as_of, &price, &err)) {
        price = (double)NAN;
        context_warn(context, "no_price",
                     "the cost of owning %s cannot be calculated: %s; enter price_per_gpu_hour",
                     question->gpu->slug, err.text);
    }
    question->goal.price_per_gpu_hour = price;
    context_set_number(
        context, "price_per_gpu_hour", price, SOURCE_CHOSEN,
        arena_join(context->arena, "/v1/break-even?gpu=", question->gpu->slug, "&utilization=1"));
}

/* Set the price for the plan's number of GPUs, and its basis. */
static void set_price(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = question->in;
    double n = question->plan.on.gpu_count;

    if (!question->goal.book) {
        unusual_input_warn_rent(context, "price_per_gpu_hour", question->goal.price_per_gpu_hour,
                                question->gpu, n);
        question->basis =
            pricing_own(context_given(context, "price_per_gpu_hour") ? PRICE_GIVEN : PRICE_OWNED,
                        question->goal.price_per_gpu_hour, n);
        return;
    }
    struct price price =
        pricing_price(context, (struct price_query){.gpu = question->gpu,
                                                    .purchase_option = in->purchase_option,
                                                    .provider = in->provider,
                                                    .region = in->region,
                                                    .provider_discounts = in->provider_discounts,
                                                    .gpu_count = n,
                                                    .connected_gpu_count = n});
    question->goal.price_per_gpu_hour = price.per_gpu_hour;
    question->basis = pricing_basis(context, &price);
    question->price = arena_alloc(context->arena, sizeof(price));
    *question->price = price;
    pricing_offers_used(context, &price);
    context_set_number(context, "price_per_gpu_hour", price.per_gpu_hour, SOURCE_CATALOG,
                       arena_join(context->arena, "/v1/offers?gpu=", question->gpu->slug,
                                  "&purchase_option=", in->purchase_option));
}

static bool check_budget(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;

    if (isnan(in->budget) || !isnan(in->gpu_count))
        return true;
    if (isnan(question->goal.tokens))
        return context_refuse(question->context, err, "budget", "missing_parameter",
                              "needs gpu_count, or tokens or compute_flop to choose it by");
    if (isnan(question->goal.price_per_gpu_hour))
        return err_set(err, ERR_NO_SOLUTION,
                       "no price for %s is known, so the budget cannot be checked: enter "
                       "price_per_gpu_hour or gpu_count",
                       question->gpu->slug);
    return true;
}

/* The number of GPUs given by the caller, directly or by all degrees. */
static double stated_count(const struct training_strategy *pinned)
{
    return isnan(pinned->gpu_count)
               ? pinned->tensor * pinned->pipeline * pinned->context * pinned->data
               : pinned->gpu_count;
}

/* Settings that save memory, sorted by the time they cost. */
static const struct setting {
    const char *text;
    bool chunked_loss, offload_activations, quantize;
    enum training_offload offload;
} settings[] = {
    {.text = "chunked_loss=1", .chunked_loss = true},
    {.text = "chunked_loss=1&activation_offload=1",
     .chunked_loss = true,
     .offload_activations = true},
    {.text = "method=qlora", .quantize = true},
    {.text = "cpu_offload=optimizer", .offload = TRAINING_OFFLOAD_OPTIMIZER},
    {.text = "cpu_offload=parameters", .offload = TRAINING_OFFLOAD_PARAMETERS},
};

static bool fits_with(const struct training_question *question, const struct setting *setting)
{
    struct training_job job = question->job;

    if (setting->quantize && job.method != TRAINING_LORA)
        return false;
    job.chunked_loss |= setting->chunked_loss;
    job.offload_activations |= setting->offload_activations;
    if (setting->offload > job.offload)
        job.offload = setting->offload;
    if (setting->quantize) {
        job.method = TRAINING_QLORA;
        job.single_copy = true;
    }
    return training_fits(&job, &question->pinned, stated_count(&question->pinned));
}

/* Finds settings with which the job fits on the same GPUs. */
static void find_settings(struct training_question *question)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        if (fits_with(question, &settings[i])) {
            question->nearest_settings = settings[i].text;
            return;
        }
}

/* The trainer of a fine-tuning can compute its loss in pieces, at no cost that was measured: where
 * only that fits, it is what the plan assumes. */
static bool take_chunked_loss(struct training_question *question)
{
    if (context_given(question->context, "chunked_loss") || question->job.chunked_loss ||
        question->job.method == TRAINING_PRETRAIN || !fits_with(question, &settings[0]))
        return false;
    question->job.chunked_loss = true;
    return true;
}

/* The same where the number of GPUs is open: it is assumed if fewer GPUs then hold the job. Returns
 * how many hold it without, infinity if none do. */
static double chunk_loss_for_fewer(struct training_question *question)
{
    struct training_job job = question->job;

    if (context_given(question->context, "chunked_loss") || job.chunked_loss ||
        job.method == TRAINING_PRETRAIN)
        return (double)NAN;
    double usual = training_fewest(&job, &question->pinned);
    usual = isnan(usual) ? (double)INFINITY : usual;
    job.chunked_loss = true;
    question->job.chunked_loss = usual > 1 && training_fewest(&job, &question->pinned) < usual;
    return usual;
}

void training_question_chunk_loss(struct training_question *question)
{
    double n = stated_count(&question->pinned);

    if (isnan(n)) {
        (void)chunk_loss_for_fewer(question);
        return;
    }
    if (question->job.method != TRAINING_PRETRAIN &&
        !training_fits(&question->job, &question->pinned, n))
        (void)take_chunked_loss(question);
}

/* With a deadline or a budget the plan may have as many GPUs as the job needs without a chunked
 * loss: it is then not assumed. */
static void keep_loss_whole(struct training_question *question, double usual)
{
    struct training_job whole = question->job;
    struct training_plan plan;
    struct err err = {0};
    double n = question->plan.on.gpu_count;

    whole.chunked_loss = false;
    if (!(n >= usual) || !question->job.chunked_loss ||
        !training_choose_gpu_count(&whole, &question->pinned, &question->goal, &plan, &err) ||
        plan.on.gpu_count != n)
        return;
    question->job.chunked_loss = false;
    question->plan = plan;
}

/* The fewest GPUs that fit, with the loss in pieces where that takes fewer and is ours to assume.
 */
static double fewest(const struct training_question *question, struct training_job *job)
{
    const struct training_strategy free = training_strategy_free();
    double whole = training_fewest(job, &free), chunked;

    if (context_given(question->context, "chunked_loss") || job->chunked_loss ||
        job->method == TRAINING_PRETRAIN || whole == 1)
        return whole;
    job->chunked_loss = true;
    chunked = training_fewest(job, &free);
    if (chunked < whole || (isnan(whole) && !isnan(chunked)))
        return chunked;
    job->chunked_loss = false;
    return whole;
}

/* What would fit instead: other settings on the same GPUs, or more GPUs. */
static void find_nearest(struct training_question *question)
{
    struct training_strategy free = training_strategy_free();
    struct training_job job = question->job;
    struct training_plan plan;

    free.gpu_count = question->plan.on.gpu_count;
    if (!training_fits(&job, &free, free.gpu_count))
        free.gpu_count = fewest(question, &job);
    if (isnan(free.gpu_count) || !training_search(&job, &free, &plan) || !plan.fits)
        return;
    question->nearest_count = free.gpu_count;
    training_describe(&plan.on, question->nearest, sizeof(question->nearest));
    if (job.chunked_loss && !question->job.chunked_loss) {
        size_t length = strlen(question->nearest);
        snprintf(question->nearest + length, sizeof(question->nearest) - length,
                 ", chunked_loss=1");
    }
}

static bool search(struct training_question *question)
{
    const struct request_context *context = question->context;

    return training_search_cache_search(context->search_cache, context->catalog->loaded_at,
                                        &question->job, &question->pinned, &question->plan);
}

static bool find_plan(struct training_question *question, struct err *err)
{
    double n = stated_count(&question->pinned);

    if (isnan(n)) {
        double usual = chunk_loss_for_fewer(question);
        if (!training_choose_gpu_count(&question->job, &question->pinned, &question->goal,
                                       &question->plan, err))
            return false;
        keep_loss_whole(question, usual);
        return true;
    }
    question->pinned.gpu_count = n;
    if (!search(question))
        return err_set(err, ERR_NO_SOLUTION,
                       "%.0f GPUs cannot be divided among tensor, pipeline, context, expert and "
                       "data parallelism so that heads, layers, experts and the batch divide "
                       "evenly: change gpu_count or the degrees given",
                       n);
    if (!question->plan.fits && take_chunked_loss(question))
        (void)search(question);
    if (!question->plan.fits) {
        find_nearest(question);
        find_settings(question);
    }
    return true;
}

/* Owned GPUs whose price is not given. */
static bool is_owned(const struct training_question *question)
{
    return strcmp(question->in->purchase_option, "owned") == 0 &&
           !context_given(question->context, "price_per_gpu_hour");
}

/* Update what depends on the number of GPUs: the price of owning them, and the failure rate. */
static void adapt(struct training_question *question, double gpu_count)
{
    if (is_owned(question))
        set_owned_price(question, gpu_count);
    training_question_set_goodput(question, gpu_count);
}

/* The plan assumed a lower failure rate than this GPU count has. */
static bool refuse_unsettled(const struct training_question *question, double gpu_count,
                             struct err *err)
{
    if (!training_question_computes_goodput(question))
        return false;
    return err_set(
        err, ERR_NO_SOLUTION,
        "no number of GPUs is enough: %.0f of them advance the training %.3g of the time at the "
        "given failure, checkpoint and restart rates, and more GPUs fail more often",
        gpu_count, question->goal.goodput);
}

/* The number of GPUs may in turn depend on both, through a deadline or a budget: iterate until it
 * is stable. */
static bool settle(struct training_question *question, struct err *err)
{
    enum { ROUNDS_MAX = 8 };
    bool open = isnan(question->pinned.gpu_count) &&
                (is_owned(question) || training_question_computes_goodput(question));

    for (int i = 0; open && i < ROUNDS_MAX; i++) {
        double n = question->plan.on.gpu_count;
        adapt(question, n);
        if (!find_plan(question, err))
            return refuse_unsettled(question, n, err);
        open = question->plan.on.gpu_count != n;
    }
    adapt(question, question->plan.on.gpu_count);
    return true;
}

static void note(struct training_question *question, const char *name, double value)
{
    if (!context_given(question->context, name))
        context_set_number(question->context, name, value, SOURCE_CHOSEN, NULL);
}

static void note_strategy(struct training_question *question)
{
    const struct training_strategy *on = &question->plan.on;

    note(question, "gpu_count", on->gpu_count);
    note(question, "gpus_per_node", fmin(question->job.gpus_per_node, on->gpu_count));
    note(question, "tensor_parallel", on->tensor);
    note(question, "pipeline_parallel", on->pipeline);
    note(question, "virtual_stages", on->virtual_stages);
    note(question, "context_parallel", on->context);
    note(question, "expert_parallel", on->expert);
    note(question, "data_parallel", on->data);
    note(question, "zero_stage", on->zero_stage);
    note(question, "micro_batch_sequences", on->micro_batch);
    note(question, "global_batch_sequences", on->batch_sequences);
    note(question, "sequence_parallel", on->sequence_parallel);
    if (!context_given(question->context, "chunked_loss"))
        context_set_number(question->context, "chunked_loss", question->job.chunked_loss,
                           question->job.chunked_loss && question->job.method != TRAINING_PRETRAIN
                               ? SOURCE_CHOSEN
                               : SOURCE_DEFAULT,
                           NULL);
    if (!context_given(question->context, "recompute"))
        context_set_text(question->context, "recompute", training_recompute_name(on->recompute),
                         SOURCE_CHOSEN, NULL);
}

void training_question_price(struct training_question *question)
{
    const struct training_plan_in *in = question->in;

    question->goal.billing = question->book;
    if (strcmp(in->purchase_option, "owned") == 0 && !isnan(in->utilization))
        set_owned_band(question);
    if (is_owned(question)) {
        set_owned_price(question, in->gpu_count);
    } else if (!context_given(question->context, "price_per_gpu_hour")) {
        question->goal.book = question->book;
        question->goal.price_per_gpu_hour =
            training_price(&question->goal, isnan(in->gpu_count) ? 1 : in->gpu_count);
    }
}

static bool choose(struct training_question *question, struct err *err)
{
    return find_plan(question, err) && settle(question, err) && !cancelled(question->job.cancel);
}

/* With a slower step, more GPUs are needed to meet a deadline; with more memory, other strategies
 * fit. */
static bool is_changed(const struct training_question *question)
{
    return question->job.memory_excess != 0 ||
           (question->goal.residuals.correct && isnan(question->pinned.gpu_count));
}

static bool choose_again(struct training_question *question, struct err *err)
{
    question->nearest_count = (double)NAN;
    question->nearest[0] = '\0';
    question->nearest_settings = NULL;
    return choose(question, err);
}

bool training_question_solve(struct training_question *question, struct err *err)
{
    question->nearest_count = (double)NAN;
    training_question_price(question);
    if (training_question_computes_goodput(question))
        question->goal.goodput = 1; /* until the number of GPUs is known */
    if (!check_budget(question, err) || !training_question_limit_power(question, err) ||
        !choose(question, err) || !training_question_correct(question, err))
        return false;
    if (is_changed(question) && !choose_again(question, err))
        return false;
    if (!training_question_check_power(question, err))
        return false;
    set_price(question);
    question->totals = training_totals(&question->job, &question->plan, &question->goal);
    training_cost(&question->plan, &question->goal, &question->totals, &question->rental,
                  &question->bill);
    note_strategy(question);
    return true;
}

/* Term of the reservation in months; 0 if the GPUs are rented by the hour. */
static double term_of(const struct training_question *question)
{
    double months = price_term_months(question->in->purchase_option);

    return months > 1 ? months : 0; /* a capacity block is bought by the day */
}

void training_question_bill_rent(struct training_question *question)
{
    double n = question->plan.on.gpu_count, term = HOURS_PER_MONTH * term_of(question);
    double hours = question->totals.gpu_hours * training_hours_ratio(&question->goal.extras) / n;

    question->billed_rent = (double)NAN;
    if (!question->book || !isfinite(hours))
        return;
    question->committed_months = term_of(question) * ceil(hours / fmax(term, 1));
    question->billed_rent =
        cents_round(question->bill.total_cost + question->bill.credits_used -
                    training_other_cost(&question->goal, question->totals.days));
}

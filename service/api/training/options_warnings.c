/* options_warnings.c - warnings of /v1/training-plan/options: prices, the deadline and the budget
 * at the high ends of the intervals, rents that are not confirmed. */
#include "api/training/options.h"

#include "api/resource/currency.h"
#include "api/resource/gpu_warnings.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static double high_of(const struct options_question *question, const struct options_found *found)
{
    struct training_goal goal = training_options_goal(question, found);

    return training_options_bill(question, found, &goal).total_cost_high;
}

static void warn_prices(struct options_question *question)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = &question->in->plan;

    if (context_given(context, "price_per_gpu_hour"))
        context_warn(context, "one_price", "price_per_gpu_hour is used for every GPU type");
    else if (strcmp(in->purchase_option, "owned") == 0 && isnan(in->gpu_count))
        context_warn(context, "owned_price",
                     "the hourly cost of owning is for one node; /v1/training-plan has it for "
                     "each number of GPUs");
    options_warn_prices(context, question->n_unpriced, &question->stale, question->n_candidates);
}

/* Warns if the first option may miss the deadline; names the first one that will not. */
static void warn_deadline(const struct options_question *question)
{
    struct request_context *context = question->context;
    double deadline = question->in->plan.deadline_days;
    const struct options_found *sure = NULL;
    const struct options_found *first = question->found;

    if (!context_given(context, "deadline_days") || question->n_found == 0 ||
        first->meets_deadline != 1 || first->totals.days_high <= deadline)
        return;
    for (size_t i = 1; i < question->n_found && !sure; i++)
        if (question->found[i].totals.days_high <= deadline)
            sure = &question->found[i];
    context_warn(
        context, "deadline_missed_at_high",
        "the first option is estimated at %.*f days, but takes up to %.*f days at the high end of "
        "its interval; the deadline is %.6g day%s%s",
        training_days_decimals(first->totals.days), first->totals.days,
        training_days_decimals(first->totals.days_high), first->totals.days_high, deadline,
        text_plural(deadline),
        sure ? arena_print(context->arena, "; %s x %s stays within it even then",
                           context_count(context, sure->plan->on.gpu_count),
                           question->questions[sure->candidate].gpu->slug)
             : "");
}

/* Warns if the recommended option may exceed the budget; names the first one that will not. */
static void warn_budget(const struct options_question *question, const struct options_found *best)
{
    struct request_context *context = question->context;
    double budget = question->in->plan.budget;
    const struct options_found *sure = NULL;

    if (isnan(budget) || !best || best->within_budget != 1 || high_of(question, best) <= budget)
        return;
    for (size_t i = 0; i < question->n_found && !sure; i++)
        if (training_options_will_do(question, &question->found[i]) &&
            high_of(question, &question->found[i]) <= budget)
            sure = &question->found[i];
    context_warn(context, "budget_exceeded_at_high",
                 "the cost of the recommended option is estimated at %s, but is up to %s at the "
                 "high end of its interval; the budget is %s%s",
                 currency_amount(context, best->cost),
                 currency_amount(context, high_of(question, best)),
                 currency_amount(context, budget),
                 sure ? arena_print(context->arena, "; %s x %s stays within it even then",
                                    context_count(context, sure->plan->on.gpu_count),
                                    question->questions[sure->candidate].gpu->slug)
                      : "");
}

/* Hours billed per hour of work: a cluster has a shortest rental. */
static double billed_ratio(const struct options_question *question,
                           const struct options_found *found)
{
    struct training_goal goal = training_options_goal(question, found);

    return training_billed_ratio(&goal, found->plan->on.gpu_count, found->totals.gpu_hours);
}

/* Warns if the recommended option is billed for more than twice the hours it works; names the next
 * one that is not. */
static void warn_idle(const struct options_question *question, const struct options_found *best)
{
    double idles = best ? billed_ratio(question, best) : 1;
    struct request_context *context = question->context;
    const struct options_found *busy = NULL;

    if (!(idles > PRICE_BILLED_RATIO_MAX))
        return;
    for (size_t i = 0; i < question->n_found && !busy; i++)
        if (training_options_will_do(question, &question->found[i]) &&
            !isnan(question->found[i].cost) &&
            billed_ratio(question, &question->found[i]) <= PRICE_BILLED_RATIO_MAX)
            busy = &question->found[i];
    context_warn(context, "minimum_term",
                 "the recommended option is billed for %.3g times the hours that its GPUs work, as "
                 "a cluster of that size is not rented by the hour%s",
                 idles,
                 busy ? arena_print(context->arena, "; %s x %s works for most of its rental",
                                    context_count(context, busy->plan->on.gpu_count),
                                    question->questions[busy->candidate].gpu->slug)
                      : "");
}

static void warn_unconfirmed(const struct options_question *question,
                             const struct options_found *best)
{
    bool cost = strcmp(question->in->rank, "cost") == 0;
    size_t index;
    double less;

    if (!best || question->maximize != MAXIMIZE_NOTHING ||
        !options_unconfirmed(&question->list, (size_t)(best - question->found), cost, &index,
                             &less))
        return;
    const struct options_found *found = &question->found[index];
    double n = found->plan->on.gpu_count;
    struct options_rent rent = {
        question->candidates[found->candidate].goal->book, n, n,
        training_phases_are_tight(&found->totals.phases, &found->plan->memory) ? &options_tight
                                                                               : NULL};
    options_warn_unconfirmed(&question->list, index, less, cost, &rent);
}

void training_options_warn(struct options_question *question, const struct options_found *best)
{
    if (question->maximize != MAXIMIZE_PARAMETERS)
        options_warn_model(question->context, question->questions[0].context);
    warn_prices(question);
    warn_unconfirmed(question, best);
    warn_deadline(question);
    warn_budget(question, best);
    warn_idle(question, best);
    if (best && question->questions[best->candidate].job.precision == TRAINING_FP16)
        gpu_warnings_training(question->context, question->questions[best->candidate].gpu);
    options_warn_choice(&question->list, best ? question->questions[best->candidate].gpu : NULL,
                        "no option meets deadline_days and budget; the closest are listed "
                        "first, see ruled_out");
}

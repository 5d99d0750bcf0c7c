/* plan_power.c - the power of a plan's servers at the meter, and its limit. */
#include "api/training/plan.h"

#include <math.h>

/* Peak power at the meter of the servers of n GPUs. */
static struct owned_power power_of(const struct training_question *question, double gpu_count)
{
    const struct request_context *context = question->context;
    struct owned_gpus owned = {question->gpu, gpu_count, question->job.gpus_per_node, 1};

    return owned_power(&owned, context->catalog, context->as_of, question->job.power,
                       context_given(context, "pue") ? question->in->pue : (double)NAN);
}

double training_question_power_kw(const struct training_question *question, double gpu_count)
{
    return power_of(question, gpu_count).kw;
}

bool training_question_within_power(const struct training_question *question, double gpu_count)
{
    double limit = question->in->power_budget_kw;

    return isnan(limit) ||
           owned_power_is_within(training_question_power_kw(question, gpu_count), limit);
}

double training_question_gpus_within_power(const struct training_question *question, double most)
{
    double counts[TRAINING_COUNTS_MAX], within = 0;
    double stated = training_pinned_count(&question->pinned);
    size_t n = 1;

    counts[0] = stated;
    if (isnan(stated))
        n = training_counts(&question->job, most, counts);

    for (size_t i = 0; i < n; i++)
        if (training_question_within_power(question, counts[i]))
            within = counts[i];
    return within;
}

static bool refuse(const struct training_question *question, double gpu_count, const char *what,
                   struct err *err)
{
    double power = training_question_power_kw(question, gpu_count);

    if (isnan(power))
        return err_set(err, ERR_NO_SOLUTION,
                       "the power of %s is not known, so power_budget_kw cannot be checked",
                       question->gpu->slug);
    return err_set(err, ERR_NO_SOLUTION,
                   "%s %.0f GPUs, which draw up to %.10g kW at the meter; power_budget_kw is %.6g "
                   "kW",
                   what, gpu_count, owned_power_told(power), question->in->power_budget_kw);
}

bool training_question_limit_power(struct training_question *question, struct err *err)
{
    double fewest;

    question->goal.gpu_count_max = 0;
    if (isnan(question->in->power_budget_kw) || !isnan(training_pinned_count(&question->pinned)))
        return true;
    fewest = training_fewest(&question->job, &question->pinned);
    if (isnan(fewest))
        return true; /* the search reports the reason */
    if (!training_question_within_power(question, fewest))
        return refuse(question, fewest, "the training fits on no fewer than", err);
    question->goal.gpu_count_max =
        fmax(fewest, training_question_gpus_within_power(question, TRAINING_GPUS_MAX));
    return true;
}

bool training_question_check_power(struct training_question *question, struct err *err)
{
    double n = question->plan.on.gpu_count, limit = question->in->power_budget_kw;

    question->power = power_of(question, n);
    question->within_power_budget = isnan(limit) || isnan(question->power.kw)
                                        ? (double)NAN
                                        : owned_power_is_within(question->power.kw, limit);
    if (owned_power_is_within(question->power.kw, limit))
        return true;
    if (isnan(training_pinned_count(&question->pinned)))
        return refuse(question, n, "the deadline takes", err);
    if (isnan(question->power.kw))
        context_warn(question->context, "power_budget_exceeded",
                     "the power of %s is not known: power_budget_kw cannot be checked",
                     question->gpu->slug);
    else
        context_warn(question->context, "power_budget_exceeded",
                     "%.0f GPUs draw up to %.10g kW at the meter; power_budget_kw is %.6g kW", n,
                     owned_power_told(question->power.kw), limit);
    return true;
}

/* plan_goodput.c - goodput, the fraction of time that advances the training: given, assumed, or
 * computed from failures, checkpoints and restarts. */
#include "api/training/plan_goodput.h"

#include <math.h>

bool training_question_computes_goodput(const struct training_question *question)
{
    const struct request_context *context = question->context;

    return context_given(context, "failures_per_1000_gpu_days") ||
           context_given(context, "checkpoint_seconds") ||
           context_given(context, "restart_seconds");
}

bool training_question_check_goodput(struct training_question *question, struct err *err)
{
    if (!training_question_computes_goodput(question) ||
        !context_given(question->context, "goodput"))
        return true;
    return context_refuse(question->context, err, "goodput", "contradiction",
                          "is calculated if failures_per_1000_gpu_days, checkpoint_seconds or "
                          "restart_seconds is given: leave out goodput, or those");
}

void training_question_set_goodput(struct training_question *question, double gpu_count)
{
    const struct training_plan_in *in = question->in;

    question->run = (struct goodput_run){
        .gpu_count = gpu_count,
        .checkpoint_bytes = goodput_checkpoint_bytes(&question->job),
        .failures = in->failures_per_1000_gpu_days,
        .checkpoint_seconds = in->checkpoint_seconds,
        .restart_seconds = in->restart_seconds,
    };
    question->goodput = goodput_of(&question->failure_rates, &question->run);
    question->worst = goodput_worst(&question->failure_rates, &question->run);
    question->best = goodput_best(&question->failure_rates, &question->run);
    if (!training_question_computes_goodput(question))
        return;
    question->goal.goodput = question->goodput.share;
    context_set_number(question->context, "goodput", question->goodput.share, SOURCE_CHOSEN,
                       "/v1/assumptions?key=failures_per_1000_gpu_days");
}

void training_question_warn_goodput(struct training_question *question)
{
    double goodput = question->goal.goodput, worst = question->worst.share;

    if (training_question_computes_goodput(question) || goodput <= question->goodput.share)
        return;
    context_warn(
        question->context, "optimistic_goodput",
        "%s GPUs at published failure rates advance the training %.3g to %.3g of the time; "
        "%.3g is assumed: see goodput_expected",
        context_count(question->context, question->plan.on.gpu_count), worst, question->best.share,
        goodput);
}

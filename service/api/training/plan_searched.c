/* plan_searched.c - the warning about settings that the plan chose itself. */
#include "api/training/plan.h"

#include <math.h>

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

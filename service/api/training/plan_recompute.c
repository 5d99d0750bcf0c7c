/* plan_recompute.c - two composite inputs of a plan: partial recomputation, and the calendar time
 * of a whole run beyond its steps. */
#include "api/training/plan.h"

#include "estimate/training/recompute.h"

#include <math.h>

/* Refuse inputs that require recompute=partial. */
static bool check_partial(struct training_question *question, struct err *err)
{
    static const char *const names[] = {"recompute_modules", "recompute_layers",
                                        "recompute_module_layers"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (context_given(question->context, names[i]) &&
            question->pinned.recompute != TRAINING_RECOMPUTE_PARTIAL)
            good = context_refuse(question->context, err, names[i], "contradiction",
                                  "needs recompute=partial");
    return good;
}

static bool set_layers(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    struct training_strategy *pinned = &question->pinned;
    double layers = question->job.shape.layers;
    double whole = isnan(in->recompute_layers) ? 0 : in->recompute_layers;
    double part = in->recompute_module_layers;

    if (isnan(part)) /* layers without modules */
        part = in->recompute_modules ? layers - whole : 0;
    if (!(whole + part <= layers * (1 + 1e-12)))
        return context_refuse(
            question->context, err,
            isnan(in->recompute_layers) ? "recompute_module_layers" : "recompute_layers",
            "out_of_range", "must be at most the layers, %.0f, both together", layers);
    pinned->whole = whole / layers;
    pinned->part = fmin(part / layers, 1 - pinned->whole);
    return true;
}

bool training_question_set_recompute(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    struct training_strategy *pinned = &question->pinned;

    if (!check_partial(question, err))
        return false;
    if (pinned->recompute != TRAINING_RECOMPUTE_PARTIAL) {
        pinned->recompute = training_usual_recompute(&question->job, pinned->recompute);
        return true;
    }
    if (!in->recompute_modules && isnan(in->recompute_layers) &&
        isnan(in->recompute_module_layers)) {
        pinned->recompute = TRAINING_RECOMPUTE_AUTO;
        return true;
    }
    pinned->modules = training_light_modules(&question->job);
    if (in->recompute_modules && !training_modules_read(in->recompute_modules, &pinned->modules))
        return context_refuse(question->context, err, "recompute_modules", "unknown_value",
                              "takes core_attn, layernorm, moe_act, mla_up_proj, mlp, moe and "
                              "shared_experts, comma-separated");
    return set_layers(question, err);
}

void training_question_set_calendar(struct training_question *question)
{
    struct training_calendar *calendar = &question->goal.calendar;

    calendar->ratio = calendar->low = calendar->high = question->in->calendar_ratio;
    if (context_given(question->context, "calendar_ratio"))
        return;
    calendar->low = question->constants.calendar_low;
    calendar->high = question->constants.calendar_high;
    /* Fitted to dense models trained from scratch. */
    if (question->job.method != TRAINING_PRETRAIN)
        calendar->ratio = calendar->low = calendar->high = 1;
    else if (question->job.shape.moe)
        *calendar = training_calendar_of_mixture(*calendar);
    question->in->calendar_ratio = calendar->ratio;
    context_set_number(question->context, "calendar_ratio", calendar->ratio, SOURCE_DEFAULT,
                       "/v1/assumptions?key=calendar_ratio");
}

/* correction.c - the effect of the caller's own runs on /v1/break-even: answers the same question
 * again without them. */
#include "api/break_even/break_even.h"

#include "api/routes/resources.h"

#include <math.h>

struct request_context *break_even_without_runs(struct request_context *context,
                                                const struct break_even_in *in)
{
    if (!in->measurement_set)
        return NULL;
    struct request_context *plain = context_again(context, &break_even_resource, context->arena);
    context_set_text(plain, "measurement_set", NULL, SOURCE_DEFAULT, NULL);
    return plain;
}

static const char *in_words(struct request_context *context, const char *plan,
                            const struct break_even_out *without)
{
    const char *currency = context->answer.meta.currency;

    if (isnan(without->buy_saving))
        return arena_print(context->arena, "%s, and the plan has %s GPUs, utilization %.3g", plan,
                           context_count(context, without->gpu_count), without->utilization);
    return arena_print(context->arena,
                       "%s, the plan has %s GPUs, utilization %.3g, owning comes to %s %s and "
                       "renting to %s: %s",
                       plan, context_count(context, without->gpu_count), without->utilization,
                       context_count(context, without->buy_total_cost), currency,
                       context_count(context, without->rent_total_cost), without->verdict);
}

static void fill(struct break_even_out *out, const struct break_even_out *without)
{
    const double unknown = (double)NAN;

    out->gpu_count_uncorrected = without ? without->gpu_count : unknown;
    out->utilization_uncorrected = without ? without->utilization : unknown;
    out->buy_total_cost_uncorrected = without ? without->buy_total_cost : unknown;
    out->rent_total_cost_uncorrected = without ? without->rent_total_cost : unknown;
    out->buy_saving_uncorrected = without ? without->buy_saving : unknown;
    out->break_even_months_uncorrected = without ? without->break_even_months : unknown;
    out->verdict_uncorrected = without ? without->verdict : NULL;
}

bool break_even_is_corrected(const struct break_even_in *in)
{
    return in->plan.correction_runs > 0;
}

void break_even_fill_correction(struct request_context *context, const struct break_even_in *in,
                                const struct break_even_out *without, const char *why,
                                struct break_even_out *out)
{
    const struct workload_plan *plan = &in->plan;
    bool corrected = break_even_is_corrected(in);

    out->correction_factor = plan->correction_factor;
    out->training_correction_factor = plan->training_correction_factor;
    out->correction_run_count = corrected ? plan->correction_runs : (double)NAN;
    fill(out, without);
    if (without)
        out->correction_sentence = in_words(context, plan->correction_sentence, without);
    else if (corrected)
        out->correction_sentence =
            arena_print(context->arena, "%s, and the question has no answer: %s",
                        plan->correction_sentence, why);
}

#include "estimate/inference/serving/step_curve.h"

#include <math.h>

/* Fraction of experts that `tokens` are routed to, as in inference_distinct_experts(). */
static double share_met(const struct step_curve *curve, double tokens)
{
    return 1 - curve->spare / (1 + fmax(0, tokens - 1) * (1 - curve->spare));
}

static double experts_at(const struct step_curve *curve, double batch)
{
    if (curve->experts <= 0)
        return 0;
    double one = curve->draft > 0 ? curve->draft * share_met(curve, batch) : 0;
    return curve->experts * (share_met(curve, batch * curve->tokens) + one);
}

static SELDOM double adapters_at(const struct step_curve *curve, double batch)
{
    return curve->adapters *
           adapters_read_seconds(curve->inference, adapters_distinct(curve->inference, batch));
}

/* The part that is not linear in the batch. */
static inline double uneven_at(const struct step_curve *curve, double batch)
{
    double experts = experts_at(curve, batch);

    return curve->adapters > 0 ? experts + adapters_at(curve, batch) : experts;
}

struct step_curve step_curve_of(const struct inference *inference, double context)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *shape = &job->shape;
    const struct speculation *ahead = &job->speculation;
    struct step_curve curve = {
        .inference = inference, .stages = job->pipeline, .tokens = 1 + ahead->tokens};

    if (shape->moe) {
        curve.experts = inference_read_seconds(inference, 0, shape->experts);
        curve.spare = 1 - shape->top_k / shape->experts;
        curve.draft = ahead->tokens * ahead->draft_cost;
    }
    if (job->adapters > 0)
        curve.adapters = 1 + ahead->tokens * ahead->draft_cost;
    double one = inference_step(inference, 1, context).total - uneven_at(&curve, 1),
           two = inference_step(inference, 2, context).total - uneven_at(&curve, 2);
    curve.each = two - one;
    curve.fixed = one - curve.each;
    return curve;
}

double step_curve_at(const struct step_curve *curve, double batch)
{
    double each = fmax(1, batch / curve->stages);

    return curve->fixed + curve->each * each + uneven_at(curve, each);
}

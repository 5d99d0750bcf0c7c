#include "estimate/inference/serving/step_curve.h"

#include "base/root.h"
#include "estimate/inference/communication.h"
#include "estimate/inference/prefill.h"

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

/* All-reduces over a link take one round for few tokens and two for more. */
static double reduced_at(const struct step_curve *curve, double batch)
{
    double step = communication_seconds(curve->inference, batch * curve->tokens);

    return curve->draft > 0 ? step + curve->draft * communication_seconds(curve->inference, batch)
                            : step;
}

/* The part that is not linear in the batch. */
static inline double uneven_at(const struct step_curve *curve, double batch)
{
    double seconds = experts_at(curve, batch);

    if (curve->reduces)
        seconds += reduced_at(curve, batch);
    return curve->adapters > 0 ? seconds + adapters_at(curve, batch) : seconds;
}

struct step_curve step_curve_of(const struct inference *inference, double context)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *shape = &job->shape;
    const struct speculation *ahead = &job->speculation;
    struct step_curve curve = {.inference = inference,
                               .stages = job->pipeline,
                               .tokens = 1 + ahead->tokens,
                               .context = context,
                               .halves = inference_overlaps_halves(inference),
                               .draft = ahead->tokens * ahead->draft_cost,
                               .reduces = inference->over_link && inference->all_reduces > 0};

    if (shape->moe) {
        curve.experts = inference_read_seconds(inference, 0, shape->experts);
        curve.spare = 1 - shape->top_k / shape->experts;
    }
    if (job->adapters > 0)
        curve.adapters = 1 + curve.draft;
    struct step alone = inference_step(inference, 1, context);
    double one = alone.total - uneven_at(&curve, 1),
           two = inference_step(inference, 2, context).total - uneven_at(&curve, 2);
    curve.each = two - one;
    curve.fixed = one - curve.each;
    curve.cache = (alone.kv_cache + alone.attention) * (1 + curve.draft);
    return curve;
}

double step_curve_at(const struct step_curve *curve, double batch)
{
    double each = fmax(1, batch / curve->stages);

    if (curve->halves)
        return inference_step(curve->inference, each, curve->context).total;
    return curve->fixed + curve->each * each + uneven_at(curve, each);
}

/* Mean over a Poisson number of others: two points with the mean, variance and skewness of that
 * distribution (Gauss and Charlier). */
double step_curve_seen(const struct step_curve *curve, double n)
{
    double others = fmax(0, n - 1), apart = sqrt(others + 0.25);

    if (!(curve->experts > 0 || curve->adapters > 0 || curve->stages > 1))
        return step_curve_at(curve, n);
    double fewer = step_curve_at(curve, 1 + others + 0.5 - apart),
           more = step_curve_at(curve, 1 + others + 0.5 + apart);
    return fewer + (more - fewer) * (apart - 0.5) / (2 * apart);
}

/* Seconds of a step of a replica with stages, with the prompts of the largest pass. */
static double round_with(const struct inference *inference, const struct step_curve *curve,
                         double flight)
{
    double each = inference_prompt_moments(inference, 1).first,
           prompts = inference_prompts_in_pass(inference, flight);

    return step_curve_at(curve, flight) + each * inference_largest_pass(inference, prompts);
}

double step_curve_round(const struct inference *inference, const struct step_curve *curve,
                        double rate)
{
    enum { STEPS = 40 };
    const double near = 1e-12;
    double each = inference_tokens_per_step(&inference->job.speculation);
    double arrive = rate * inference->job.output_tokens / each;
    double full = inference_requests_full(inference);
    struct root root = {0, full, arrive * round_with(inference, curve, 0),
                        arrive * round_with(inference, curve, full) - full, 0};

    for (int i = 0; i < STEPS && root.at_high < 0 && root.high - root.low > near * root.high; i++) {
        double flight = root_guess(&root), round = round_with(inference, curve, flight);
        if (fabs(arrive * round - flight) <= near * flight)
            return round;
        root_narrow(&root, flight, arrive * round - flight);
    }
    return round_with(inference, curve, root.high);
}

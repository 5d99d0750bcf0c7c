#include "estimate/inference/rollout.h"

#include "estimate/inference/moments.h"
#include "estimate/inference/prefill.h"

#include <math.h>

struct rollout_answers rollout_answers_of(double mean, double cv, double most)
{
    double variance = log1p(cv * cv);

    return (struct rollout_answers){
        .mean = mean,
        .most = most,
        .mu = log(mean * lengths_of(mean, cv, most).scale) - variance / 2,
        .sigma = sqrt(variance),
    };
}

/* Fraction of answers longer than that. */
static double longer(const struct rollout_answers *answers, double tokens)
{
    if (answers->sigma > 0)
        return moments_normal_below((answers->mu - log(tokens)) / answers->sigma);
    return log(tokens) < answers->mu;
}

/* Requests that start together: steps get shorter as answers end, until the longest of the whole
 * batch is complete. */
static double wave(const struct inference *inference, double requests, double batch,
                   const struct rollout_answers *answers)
{
    const double finest = 1.0 / 16, growth = 1.15, none = 0.5;
    double seconds = 0, at = 0;

    for (double width = finest * answers->mean; at < answers->most; width = (growth - 1) * at) {
        width = fmin(answers->most - at, fmax(width, finest * answers->mean));
        double middle = at + width / 2, left = longer(answers, middle);
        if (batch * left < none)
            break;
        seconds += width * inference_step(inference, fmax(1, requests * left),
                                          inference->job.input_tokens + middle)
                               .total;
        at += width;
    }
    return seconds;
}

double rollout_seconds(const struct inference *inference, double requests, double batch,
                       const struct rollout_answers *answers)
{
    const struct prefill *prefill = &inference->prefill;
    double held = fmin(floor(inference->pool.held), inference_admitted(inference));
    double first = fmin(requests, held);

    if (!(held >= 1))
        return (double)NAN;
    /* Requests beyond the cache start as others end. */
    double step = inference_step(inference, first, inference_context(&inference->job)).total;
    return requests * prefill->marginal + prefill->fixed +
           (requests - first) * answers->mean / first * step +
           wave(inference, first, batch, answers);
}

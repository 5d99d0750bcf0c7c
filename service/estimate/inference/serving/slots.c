#include "estimate/inference/serving/slots.h"

#include <math.h>

/* Tuned on the designs of tests/accuracy/replicas.c with the seeds 7001 and 7002. */
/* Where requests are alike and slots several, the wait for one is longer by this fraction than
 * Allen and Cunneen's (1 + cv^2) / 2 of the exponential. */
static const double ALIKE_LONGER = 0.15;

/* Probability of exactly `places` in flight over that of fewer. Negative binomial, whose limit is
 * Poisson (Erlang B); normal above `many`. */
static double full_over_fewer(double places, double mean, double variance)
{
    const double many = 128;
    double deviation = sqrt(variance), spare = (places - mean) / deviation;
    double clumped = 1 - mean / variance, fewer = 0, chance = 1;

    if (places > many)
        return moments_normal_density(spare) / deviation / moments_normal_below(spare);
    for (double k = 1; k <= places; k++) {
        fewer += chance;
        chance *= (mean * (1 - clumped) + clumped * (k - 1)) / k;
    }
    return chance / fewer;
}

/* Seconds of a step per request in flight that read its cache. */
static double cache_seconds(const struct inference *inference, const struct work *w, double places)
{
    double batch = fmax(1, places / inference->job.pipeline);
    double once = inference_step(inference, batch, w->context).total;
    double twice = inference_step(inference, batch, 2 * w->context).total;

    return fmax(0, twice - once) / places;
}

/* Squared relative deviation of the contexts in flight. A context is a prompt and the part of its
 * answer written so far; long answers are in flight for longer. */
static double contexts_vary(const struct inference *inference, const struct work *w)
{
    const double *prompt = inference->prompts.powers, *answer = inference->answers.powers;
    double read = inference->job.input_tokens, length = inference->answers.mean;
    double written = length * answer[2] / (2 * answer[1]);
    double squared = length * length * answer[3] / (3 * answer[1]);
    double varies = read * read * (prompt[2] - prompt[1] * prompt[1]) + squared - written * written;

    return fmax(0, varies) / (w->context * w->context);
}

/* Mean square of the replica time of answers over what it would be if each read as much cache: long
 * ones read more in each step, as what they have written is in it. */
static double answers_vary(const struct inference *inference, const struct work *w,
                           const struct work_full *all, double cache)
{
    const double *answer = inference->answers.powers;
    double length = inference->answers.mean, token = fmin(cache, all->each) / w->context;
    double read = inference->job.input_tokens * inference->prompts.powers[1] * token;
    double rest = all->each - token * w->context + read, written = length * token / 2;
    double squared =
        rest * rest * answer[2] + 2 * rest * written * answer[3] + written * written * answer[4];

    return squared / (all->each * all->each * answer[2]);
}

/* Mean square of a request's replica time with all slots taken: its steps take the longer, the
 * longer its own prompt is, whose cache they read, and so does its prefill; `longer` is
 * answers_vary(). */
static double squared_work(const struct work *w, const struct work_full *all, double cache,
                           double spread, double longer)
{
    struct raw_moments written = moments_raw(w->written);
    double prefill = w->reads ? sqrt(w->busy.variance * spread) : 0;
    double own = fmin(cache, all->each);

    return all->second + own * own * written.second * spread + 2 * own * written.first * prefill +
           written.second * (longer - 1) * all->each * all->each;
}

/* Slots are servers as in Erlang C: a request waits if all are taken. Below that the number in
 * flight is distributed as without a limit, with a wider tail where prompts move it, or long ones
 * and long answers in flight lengthen the steps; above it falls geometrically. With all slots
 * taken, the replica is an M/G/1 queue whose service is a prompt and its share of the steps. */
struct tail_wait slots_wait(const struct inference *inference, const struct work *w,
                            double request_seconds, double most)
{
    double load = w->rate * request_seconds, places = floor(most), free = 1 - w->gain;
    double n = w->written.mean > 0 ? w->routed : 1; /* a request waits if all of them are full */
    double counted = load / free, swing = w->rate * w->rate * w->swing;
    double slowed = w->gain / free, contexts = load * contexts_vary(inference, w);
    double most_variance = counted + swing + contexts * slowed * slowed;

    if (!(places - load < 6 * sqrt(most_variance)) && !(places < 16 && load > 0))
        return (struct tail_wait){0, 0};
    double cache = cache_seconds(inference, w, places);
    slowed *= fmin(1, cache / fmax(w->step_each, cache));
    double variance = counted + swing + contexts * slowed * slowed;
    struct work_full all = work_full(w, most);
    const double *prompt = inference->prompts.powers;
    double spread = fmax(0, prompt[2] / (prompt[1] * prompt[1]) - 1);
    double read = inference->job.input_tokens * prompt[1] / w->context;
    double longer = answers_vary(inference, w, &all, cache);
    double second = squared_work(w, &all, cache * read, spread, longer), idle = fmax(0, all.idle);
    double alike = fmax(0, 2 - second / (all.work * all.work)) * (1 - 1 / places);
    double wider = inference->constants->slots_full_factor * sqrt(variance / counted);
    double full = full_over_fewer(n * places, n * load, n * variance) * wider;
    double mean = second / (2 * all.work * idle) * (1 + ALIKE_LONGER * alike) / n;
    return (struct tail_wait){full / (full + idle), mean};
}

#include "estimate/inference/serving/slots.h"

#include <math.h>

/* Tuned on the designs of tests/accuracy/replicas.c with the seeds 7001 and 7002. */
static const double PLACES_PESSIMISM = 1.3; /* factor on the probability that all slots are taken */
/* Where requests are alike and slots several, the wait for one is longer by this fraction than
 * Allen and Cunneen's (1 + cv^2) / 2 of the exponential. */
static const double ALIKE_LONGER = 0.1;

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

/* Seconds of a step per request in flight that read the cache of its prompt. */
static double prompt_cache_seconds(const struct inference *inference, const struct work *w,
                                   double places)
{
    const struct inference_job *job = &inference->job;
    double batch = fmax(1, places / job->pipeline);
    double once = inference_step(inference, batch, w->context).total;
    double twice = inference_step(inference, batch, 2 * w->context).total;
    double prompt = job->input_tokens * inference->prompts.powers[1];

    return fmax(0, twice - once) / places * prompt / w->context;
}

/* Mean square of a request's replica time with all slots taken: its steps take the longer, the
 * longer its own prompt is, whose cache they read, and so does its prefill. */
static double squared_work(const struct work *w, const struct work_full *all, double cache,
                           double spread)
{
    struct raw_moments written = moments_raw(w->written);
    double prefill = w->reads ? sqrt(w->busy.variance * spread) : 0;
    double own = fmin(cache, all->each);

    return all->second + own * own * written.second * spread + 2 * own * written.first * prefill;
}

/* Slots are servers as in Erlang C: a request waits if all are taken. Below that the number in
 * flight is distributed as without a limit, with a wider tail where prompts move it, or long ones
 * in flight lengthen the steps; above it falls geometrically. With all slots taken, the replica is
 * an M/G/1 queue whose service is a prompt and its share of the steps. */
struct tail_wait slots_wait(const struct inference *inference, const struct work *w,
                            double request_seconds, double most)
{
    double load = w->rate * request_seconds, places = floor(most), free = 1 - w->gain;
    double counted = load / free, swing = w->rate * w->rate * w->swing;
    double variance = counted + swing;

    if (!(places - load < 6 * sqrt(variance)) && !(places < 16 && load > 0))
        return (struct tail_wait){0, 0};
    struct work_full all = work_full(w, most);
    double cache = prompt_cache_seconds(inference, w, places);
    const double *prompt = inference->prompts.powers;
    double spread = fmax(0, prompt[2] / (prompt[1] * prompt[1]) - 1);
    double second = squared_work(w, &all, cache, spread), idle = fmax(0, all.idle);
    double alike = fmax(0, 2 - second / (all.work * all.work)) * (1 - 1 / places);
    double wider = PLACES_PESSIMISM * sqrt(variance / counted);
    double full = full_over_fewer(places, load, variance) * wider;
    double mean = second / (2 * all.work * idle) * (1 + ALIKE_LONGER * alike);
    return (struct tail_wait){full / (full + idle), mean};
}

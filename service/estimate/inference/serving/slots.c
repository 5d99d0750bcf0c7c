#include "estimate/inference/serving/slots.h"

#include <math.h>

/* Tuned on the designs of tests/accuracy/replicas.c with the seeds 5001 to 5003, 7001 and 7002. */
/* Where requests are alike and slots several, the wait for one is longer by this fraction than
 * Allen and Cunneen's (1 + cv^2) / 2 of the exponential. */
static const double ALIKE_LONGER = 0.15;

const double SLOTS_DOUBT = (1 - 0.95) / 2;
/* Up to which factor their mean wait was longer. */
static const double SLOTS_LONGER = 1.5;
/* Beyond this share of the time taken by prompts slots stay taken, as nothing is written meanwhile:
 * all requests may wait. The design of 394 simulated whose first tokens were still early by over
 * 15% was at 0.98. */
static const double SLOTS_STAY = 0.95;
/* Fraction of the time to first token that widely spread long prompts may add to it; not captured
 * by its distribution. */
static const double WIDE_FIRST = 0.16;

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

/* Variance of the number in flight without a limit. A prompt stops all answers while more requests
 * come, who then start together: of a batch size K with a mean of 1 / (1 - share), so that the
 * variance is up to E(K^2) / E(K) of the mean: where all answers are alike, else batches come
 * apart. */
static double in_flight_varies(const struct work *w, double load, double slowed)
{
    double free = 1 - w->gain, squared = w->rate * w->rate;
    double together = w->reads ? 2 * w->share / (1 - w->share) * w->flight / free : 0;
    double batches = w->alike * (squared * w->swing + together);

    return load / free + batches + squared * w->swing_first +
           load * w->contexts_vary * slowed * slowed;
}

/* Slots are servers as in Erlang C: a request waits if all are taken. Below that the number in
 * flight is distributed as without a limit, and crosses it by batches; above it falls
 * geometrically. With all slots taken, the replica is an M/G/1 queue whose service is a prompt and
 * its share of the steps. */
struct tail_wait slots_wait(const struct inference *inference, const struct work *w,
                            double request_seconds, double most)
{
    double places = floor(most), load = w->rate * request_seconds, slowed = w->gain / (1 - w->gain);
    double n = w->written.mean > 0 ? w->routed : 1; /* a request waits if all of them are full */

    if (!(places - load < 6 * sqrt(in_flight_varies(w, load, slowed))) &&
        !(places < 16 && load > 0))
        return (struct tail_wait){0, 0};
    double cache = cache_seconds(inference, w, places);
    struct work_full all = work_full(w, most);
    if (w->reads) /* none takes longer than with all slots taken */
        load = fmin(load, w->rate * all.work * places);
    slowed *= fmin(1, cache / fmax(w->step_each, cache));
    double variance = in_flight_varies(w, load, slowed);
    const double *prompt = inference->prompts.powers;
    double spread = fmax(0, prompt[2] / (prompt[1] * prompt[1]) - 1);
    double read = inference->job.input_tokens * prompt[1] / w->context;
    double longer = answers_vary(inference, w, &all, cache);
    double second = squared_work(w, &all, cache * read, spread, longer), idle = fmax(0, all.idle);
    double squared = second / (all.work * all.work);
    double alike = fmax(0, 2 - squared) * (1 - 1 / places);
    double wider = sqrt(variance * (1 - w->gain) / load);
    double full =
        full_over_fewer(n * places, n * load, n * variance) * (1 + (wider - 1) * (1 - 1 / places));
    double chance = full / (full + idle);
    double mean = second / (2 * all.work * idle) * (1 + ALIKE_LONGER * alike) / n;
    return (struct tail_wait){chance, mean};
}

struct tail_wait slots_most(const struct work *w, struct tail_wait slots)
{
    double doubt = w->turns_share > SLOTS_STAY ? 1 - slots.chance : fmin(slots.chance, SLOTS_DOUBT);

    if (!(slots.chance > 0) || !(w->written.mean > 0) || w->slots_as_estimated)
        return slots;
    return (struct tail_wait){slots.chance + doubt, SLOTS_LONGER * slots.seconds};
}

/* What waits for a slot add to the percentile. */
static double first_added(const struct work *w, const struct moments *first, struct tail_wait slots)
{
    const struct tail_wait none = {0, 0};

    if (!(slots.chance > 0))
        return 0;
    return tail_percentile(first, &w->least, &slots, MOMENTS_Z95) -
           tail_percentile(first, &w->least, &none, MOMENTS_Z95);
}

static bool has_parts(const struct work *w)
{
    return w->reads && w->turns_share > 0;
}

double slots_first_without(const struct work *w, const struct moments *first)
{
    const struct tail_wait none = {0, 0};

    return has_parts(w) ? delay_first(&w->first)
                        : tail_percentile(first, &w->least, &none, MOMENTS_Z95);
}

double slots_first_with(const struct work *w, const struct moments *first, double without,
                        struct tail_wait slots)
{
    return (without + first_added(w, first, slots)) * (1 + WIDE_FIRST * work_wide(w));
}

bool slots_first_is_over(const struct work *w, const struct moments *first, struct tail_wait slots,
                         double limit)
{
    double most = limit / (1 + WIDE_FIRST * work_wide(w)) - first_added(w, first, slots);

    return has_parts(w) ? delay_first_is_over(&w->first, most)
                        : slots_first_without(w, first) > most;
}

#include "estimate/inference/serving/latency.h"

#include "estimate/inference/communication.h"
#include "estimate/inference/serving/slots.h"
#include "estimate/inference/serving/tail.h"
#include "estimate/inference/serving/work.h"

#include <math.h>

/* Tuned on the designs of tests/accuracy/replicas.c with the seeds 2026, 2027, 7001 and 7002. */
/* Fractions of the time to first token that widely spread long prompts may add to it, and to the
 * whole request; not captured by moments or distributions of the parts. */
static const double WIDE_FIRST = 0.08, WIDE_WHOLE = 0.2;
/* Where prompts take over FULL of the time, the mean time per token is a weighted mean: the closed
 * form's weight is LINEAR x + (1 - LINEAR) x^LATE, x from 0 at FULL to 1 at a full load. Fitted to
 * simulated designs (seed 501, tests/accuracy/README.md). */
static const double FULL = 0.8, LINEAR = 0.6, LATE = 8;
static const double ANSWERS_APART = 0.5; /* multiple of the deviation of log answer length */
static const double ALONE = 0.35, TOGETHER = 0.5; /* fractions of time taken by prefill */
const double LATENCY_SLOTS_DOUBT = (1 - 0.95) / 2;
/* Nine in ten simulated designs, of those in which over LATENCY_SLOTS_DOUBT of the requests wait
 * for a slot by the estimate, have at least that part of these waits. */
static const double SLOTS_FEWER = 0.3;
/* Up to which factor their mean wait was longer. */
static const double SLOTS_LONGER = 1.5;
/* Beyond this share of the time taken by prompts slots stay taken, as nothing is written meanwhile:
 * all requests may wait. The design of 394 simulated whose first tokens were still early by over
 * 15% was at 0.98. */
static const double SLOTS_STAY = 0.95;
/* If one prompt in four arrives during a step, the 95th percentile includes that step. */
static const double OFTEN = 4;

/* The wait for the prompts queued before. */
static struct moments queue_before(const struct work *w)
{
    double many = 1 - w->whole_passes;

    return moments_scaled(w->wait, 1 + many * w->share / (1 + w->share));
}

/* Time until the pass that completes the prompt: the rest of the current pass, the wait, and its
 * own passes, by work_own(). */
static struct moments until_read(const struct work *w, double met, struct moments own, bool waits)
{
    double many = 1 - w->whole_passes, share = many * w->share, half = 0.5 + share;
    double cycle = w->step / (1 - share);
    double second = w->rate * moments_raw(w->busy).second;
    struct moments steps = {
        met * (cycle * half + (w->written.mean > 0 ? w->step : 0)), /* else in `late` */
        met * (cycle * cycle / 12 +
               second * cycle * many * (1 + half * half / (1 - w->share * w->share))),
        0,
    };
    struct moments all = moments_sum(steps, own);

    return waits ? moments_sum(all, queue_before(w)) : all;
}

/* Fraction of the delaying prompts, and of their deviation, within a request's own time: at most
 * one full pass per step. The mean over an answer shorter and one longer than average. */
struct read_share {
    double mean, deviation;
};

static struct read_share read_in_time(const struct work *w, double mean, double deviation)
{
    double cv = w->written.mean > 0 ? sqrt(w->written.variance) / w->written.mean : 0;
    double apart = ANSWERS_APART * sqrt(log1p(cv * cv));
    struct read_share share = {1, 1};

    if (!(deviation > 0))
        return share;
    struct moments all = moments_of_clipped(mean, deviation, (double)INFINITY);
    share = (struct read_share){0, 0};
    for (int i = -1; i <= 1; i += 2) {
        double most = w->steps * exp(i * apart - apart * apart / 2) * w->budget;
        struct moments read = moments_of_clipped(mean, deviation, most);
        share.mean += fmax(0, read.mean / all.mean) / 2;
        share.deviation += sqrt(read.variance / all.variance) / 2;
    }
    return share;
}

/* The factor by which requests in flight, each lengthening the steps, increase the variance of
 * prompts. */
static double swell_of(const struct work *w)
{
    const struct inference_constants *c = w->constants;
    double squared = w->steps * w->steps, alike = squared / (squared + w->written.variance);

    return pow(1 - w->gain, -c->swell - c->swell_few * (1 - w->share) - c->swell_alike * alike);
}

/* A delay cycle: a request ends when the prompts queued at its first token, its own steps, and the
 * prompts that arrived meanwhile are done. */
static struct moments together(struct work *w, struct moments first)
{
    double share = w->met * w->share, free = 1 - share, stretch = share / free;
    struct moments steps = work_writing(w);
    double whole = w->overflow + (1 - w->overflow) * w->found_share;
    double behind = w->whole_passes + (1 - w->whole_passes) * whole;

    w->found = share * (w->busy.mean + w->others * w->step * w->passes + behind * w->wait.mean);
    double follows = share > 0 ? stretch * fmin(1, w->found / (share * first.mean)) : 0;
    struct raw_moments busy = moments_raw(w->busy);
    double rate = w->met * w->rate, swell = swell_of(w);
    double second = rate * busy.second / (free * free * free);
    double third = rate * (busy.third + 3 * rate * busy.second * busy.second / free) /
                   (free * free * free * free);
    struct moments come = moments_scaled((struct moments){0, second, third}, 1);
    come.variance *= (steps.mean + w->found) * swell;
    come.third *= (steps.mean + w->found) * swell;
    w->delay.step = w->step;
    w->delay.varies = work_steps_vary(w);
    w->delay.mean = stretch;
    w->delay.variance = second * swell;
    w->delay.third = third * swell;
    w->delay.others = 1 - 1 / swell;
    w->delay.follows = share > 0 ? fmin(1, w->found / (share * first.mean)) : 0;
    w->delay.budget = w->budget;
    double prompts = w->found / free + stretch * steps.mean;
    struct read_share in_time =
        read_in_time(w, prompts, sqrt(follows * follows * first.variance + come.variance));
    follows *= in_time.deviation;
    come = moments_scaled(come, in_time.deviation);
    w->swing = follows * follows * first.variance + come.variance;
    struct moments all =
        moments_sum(moments_scaled(first, 1 + follows),
                    moments_sum(moments_scaled(steps, 1 + stretch * in_time.mean), come));
    all.mean = first.mean + steps.mean + prompts * in_time.mean;
    w->unqueued = moments_less(all, moments_scaled(queue_before(w), 1 + follows));
    return all;
}

/* Separate prefill replicas, at their highest utilization, and transfer of the KV cache. */
static void set_apart(const struct inference *inference, struct work *w, struct latency *l)
{
    struct moments service = moments_scaled(w->busy, 1 + w->after);

    service.mean += w->fixed;
    w->wait = moments_of_queue(w->turns_share / service.mean, service);
    l->first = moments_sum(w->wait, w->own);
    l->first.mean += w->late + communication_cache(inference, inference->job.input_tokens) +
                     inference_handover_seconds(inference, w->step, w->others);
    l->whole = moments_sum(l->first, work_writing(w));
}

static bool writes_further(const struct work *w)
{
    return w->written.mean > 0; /* otherwise the first token is the last */
}

/* From the mean seconds that an answer takes after its first token. */
static void set_token(const struct inference *inference, const struct work *w, double writing,
                      struct latency *l)
{
    double full = fmin(1, fmax(0, (l->turns_share - FULL) / (1 - FULL)));

    if (!writes_further(w))
        return;
    l->token = fmax(writing / w->written.mean, w->round) /
               inference_tokens_per_step(&inference->job.speculation);
    l->token_other = LINEAR * full + (1 - LINEAR) * pow(full, LATE);
}

double latency_token(const struct latency *latency, double served)
{
    bool known = latency->token > 0;

    return known ? latency->token + latency->token_other * (served - latency->token) : served;
}

static void set_together(const struct inference *inference, struct work *w, struct latency *l)
{
    work_set_wait(w);
    double met = fmin(1, OFTEN * w->others);
    struct moments own = work_own(w, w->others, w->after), often = work_own(w, met, w->after);
    own.mean += w->late;
    often.mean += w->late;
    struct moments read = until_read(w, w->others, work_own(w, w->others, 0), true);
    struct moments first = until_read(w, w->others, own, true), after = moments_less(first, read);
    struct moments alone = w->own;

    w->least = until_read(w, met, often, false);
    w->delay.first = until_read(w, w->others, own, false);
    w->delay.wait = queue_before(w);
    w->delay.waits = w->turns_share;
    l->whole = together(w, read);
    set_token(inference, w, l->whole.mean - read.mean, l);
    l->whole = moments_sum(l->whole, after);
    w->unqueued = moments_sum(w->unqueued, after);
    alone.mean += w->late;
    w->least_whole = moments_sum(alone, moments_scaled(w->written, w->step_alone));
    w->least_rounds = moments_sum(alone, moments_scaled(w->written, w->round));
    w->delay.rate = w->met * w->rate;
    w->delay.follows *= read.mean / first.mean;
    work_set_wait_late(w);
    l->first = until_read(w, met, often, true);
}

static void scale_first(double later, struct moments *first, struct moments *whole)
{
    whole->mean += (later - 1) * first->mean;
    *first = moments_scaled(*first, later);
}

/* Scale the time to the first token by `later`, the correction by measured runs. */
static void set_later(double later, struct work *w, struct latency *l)
{
    struct moments read = w->delay.first;

    scale_first(later, &l->first, &l->whole);
    scale_first(later, &read, &w->unqueued);
    w->least_rounds.mean += (later - 1) * w->least.mean;
    scale_first(later, &w->least, &w->least_whole);
    w->delay.first = moments_scaled(w->delay.first, later);
    w->delay.wait = moments_scaled(w->delay.wait, later);
    w->delay.follows /= later;
}

/* A percentile of whole requests, combined from the moments of the whole and from its parts
 * (`by_parts`). */
static double whole_at(const struct work *w, const struct latency *l, double parts, double by_parts,
                       double z)
{
    const struct tail_wait none = {0, 0}, slots = {l->slot_chance, l->slot_seconds};
    double at = tail_percentile(&l->whole, &w->least_whole, &slots, z);

    if (z > 0 && w->reads && moments_skewed(&l->whole))
        at = fmax(at, tail_percentile(&w->unqueued, &w->least_whole, &slots, z));
    if (!(parts > 0))
        return at;
    return at + parts * (by_parts - tail_percentile(&l->whole, &w->least_whole, &none, z));
}

/* With stages it is at least this. */
static double whole_of_rounds(const struct work *w, const struct latency *l, double z)
{
    const struct tail_wait slots = {l->slot_chance, l->slot_seconds};

    return w->round > 0 ? tail_percentile(&w->least_rounds, &w->least_whole, &slots, z) : 0;
}

static bool has_parts(const struct work *w)
{
    return w->reads && writes_further(w);
}

/* The distributions of the parts tell the median. Below ALONE, few prompts delay a request and the
 * moments of the whole tell its 95th percentile; above TOGETHER, the parts do. */
static double share_by_parts(const struct work *w)
{
    if (!has_parts(w))
        return 0;
    return fmin(1, fmax(0, (w->turns_share - ALONE) / (TOGETHER - ALONE)));
}

/* Whether the 95th percentile of whole requests is above the limit. Where the parts determine
 * it, the limit is compared with their distribution. */
static bool is_over(const struct work *w, const struct latency *l, double limit)
{
    const double surely = 1 + 1e-6;
    double parts = share_by_parts(w);

    if (l->ttft_p95 > limit * surely || !writes_further(w))
        return l->ttft_p95 > limit * surely;
    double wide = WIDE_WHOLE * work_wide(w) * l->ttft_p95;
    double rest = whole_at(w, l, parts, 0, MOMENTS_Z95) + wide;
    if (whole_of_rounds(w, l, MOMENTS_Z95) + wide > limit * surely)
        return true;
    if (!(parts > 0) || rest > limit * surely)
        return rest > limit * surely;
    return delay_is_over(&w->delay, (limit * surely - rest) / parts);
}

/* The median only where it is asked for. */
static void set_whole(const struct work *w, bool median, struct latency *l)
{
    double parts = share_by_parts(w), p50 = 0, p95 = 0;
    bool writes = writes_further(w), middle = median && has_parts(w);
    const struct tail_wait none = {0, 0};

    if (parts > 0 || middle)
        delay_percentiles(&w->delay, middle ? &p50 : NULL, &p95);
    if (median)
        l->p50 = fmax(whole_at(w, l, middle, p50, 0), whole_of_rounds(w, l, 0));
    l->p95 = fmax(whole_at(w, l, parts, p95, MOMENTS_Z95), whole_of_rounds(w, l, MOMENTS_Z95)) +
             WIDE_WHOLE * work_wide(w) * l->ttft_p95;
    l->p95 = writes ? fmax(l->p95, l->ttft_p95) : l->ttft_p95;
    if (middle) /* within a deviation of the moments': near a full load parts vary too much */
        l->p50 = fmax(l->p50, tail_percentile(&l->whole, &w->least_whole, &none, -1));
    if (median)
        l->p50 = fmin(l->p50, l->p95);
}

/* The 95th percentile of first tokens if that share of requests waits that long for a slot. */
static double first_at(const struct work *w, const struct latency *l, double chance, double seconds)
{
    const struct tail_wait slots = {chance, seconds};

    return tail_percentile(&l->first, &w->least, &slots, MOMENTS_Z95) *
           (1 + WIDE_FIRST * work_wide(w));
}

static void set_first(const struct inference_job *job, const struct work *w, struct latency *l)
{
    double chance = l->slot_chance;
    double doubt = w->turns_share > SLOTS_STAY ? 1 - chance : fmin(chance, LATENCY_SLOTS_DOUBT);

    l->ttft_p95 = l->ttft_p95_most = first_at(w, l, chance, l->slot_seconds);
    if (chance > 0 && writes_further(w) && !job->slots_as_estimated)
        l->ttft_p95_most = first_at(w, l, chance + doubt, SLOTS_LONGER * l->slot_seconds);
}

/* Everything except the percentiles of the whole request, which take most of the time; false if the
 * queue is unstable. `w` is as left by work_of(). */
static bool find(const struct inference *inference, const struct step_curve *curve, double rate,
                 double most, struct work *w, struct latency *l)
{
    const double unknown = (double)NAN;

    *l = (struct latency){.p50 = unknown,
                          .p95 = unknown,
                          .ttft_p95 = unknown,
                          .ttft_p95_most = unknown,
                          .token = unknown};
    bool ends = work_load(inference, curve, rate, most, w);
    l->turns_share = w->turns_share;
    if (!ends)
        return false;
    if (w->reads)
        set_together(inference, w, l);
    else
        set_apart(inference, w, l);
    set_later(inference->constants->first_token, w, l);
    struct tail_wait slots =
        slots_wait(inference, w, fmax(l->whole.mean, w->least_rounds.mean), most);
    l->slot_chance = slots.chance;
    l->slot_seconds = slots.seconds;
    if (!isfinite(l->slot_seconds))
        return false;
    set_first(&inference->job, w, l);
    return true;
}

/* The same, with work_of(). */
static bool begin(const struct inference *inference, double rate, double most, struct work *w,
                  struct latency *l)
{
    *w = work_of(inference);
    struct step_curve curve = step_curve_of(inference, w->context);
    return find(inference, &curve, rate, most, w, l);
}

struct latency latency_first(const struct inference *inference, double rate, double most)
{
    struct latency l;
    struct work w;

    (void)begin(inference, rate, most, &w, &l);
    return l;
}

struct latency latency_tails(const struct inference *inference, double rate, double most)
{
    struct latency l;
    struct work w;

    if (begin(inference, rate, most, &w, &l))
        set_whole(&w, false, &l);
    return l;
}

bool latency_is_over(const struct inference *inference, double rate, double most,
                     double whole_limit, double first_limit)
{
    struct latency l;
    struct work w;

    if (!begin(inference, rate, most, &w, &l) || l.ttft_p95_most > first_limit)
        return true;
    return !isnan(whole_limit) && is_over(&w, &l, whole_limit);
}

bool latency_ends(const struct inference *inference, double rate, double most)
{
    struct latency l;
    struct work w;

    return begin(inference, rate, most, &w, &l);
}

struct latency latency_of(const struct inference *inference, double rate, double most)
{
    struct latency l;
    struct work w;

    if (!begin(inference, rate, most, &w, &l))
        return l;
    set_whole(&w, true, &l);
    l.z50 = tail_score(&l.whole, l.p50, 0);
    l.z95 = tail_score(&l.whole, l.p95, MOMENTS_Z95);
    l.ttft_z95 = tail_score(&l.first, l.ttft_p95, MOMENTS_Z95);
    l.ttft_p95_least = writes_further(&w)
                           ? first_at(&w, &l, SLOTS_FEWER * l.slot_chance, l.slot_seconds)
                           : l.ttft_p95;
    return l;
}

/* A replica evaluated at successive rates. */
struct rates {
    const struct inference *inference;
    struct work idle; /* without arrivals */
    struct step_curve curve;
    double most;
};

/* True if the queue is stable at that rate; *spare is the margin, which falls about linearly with
 * the rate. */
static bool ends_at(const struct rates *rates, double rate, double *spare)
{
    struct work w = rates->idle;
    struct latency l;
    bool ends = work_load(rates->inference, &rates->curve, rate, rates->most, &w);

    *spare = work_spare(&w);
    if (!ends)
        return false;
    double idle = work_full(&w, rates->most).idle;
    if (!(idle > 0)) { /* relevant if slots run out */
        w = rates->idle;
        ends = find(rates->inference, &rates->curve, rate, rates->most, &w, &l);
    }
    if (idle > 0 || !ends)
        *spare = fmin(*spare, idle);
    return ends;
}

/* Narrow the interval [*ends, *endless] to `width` by false position (Illinois). */
static void narrow(const struct rates *rates, double spare, double width, double *ends,
                   double *endless)
{
    enum { TRIES = 16 };
    double above = 1, below = spare, at;

    for (int i = 0, stayed = 0; width < *endless - *ends && i < TRIES; i++) {
        double middle = (*ends * below - *endless * above) / (below - above);
        if (!(middle > *ends && middle < *endless))
            middle = (*ends + *endless) / 2;
        if (ends_at(rates, middle, &at)) {
            *ends = middle;
            above = at;
            below /= stayed == 1 ? 2 : 1;
            stayed = 1;
        } else {
            *endless = middle;
            below = at;
            above /= stayed == -1 ? 2 : 1;
            stayed = -1;
        }
    }
}

enum { STEPS = 20 };

/* Bisection between 0 and an unstable rate; evaluates only rates between the known bounds. */
static double bisect(const struct rates *rates, double high, double ends, double endless)
{
    double low = 0, spare;

    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (middle <= ends || (middle < endless && ends_at(rates, middle, &spare)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

double latency_rate_with_end(const struct inference *inference, double high, double most)
{
    struct rates rates = {.inference = inference, .idle = work_of(inference), .most = most};
    double ends = 0, endless = high, spare;

    rates.curve = step_curve_of(inference, rates.idle.context);
    if (ends_at(&rates, high, &spare))
        return high;
    narrow(&rates, spare, ldexp(high, -STEPS), &ends, &endless);
    double rate = bisect(&rates, high, ends, endless);
    bool stays = rate == 0 || ends_at(&rates, rate, &spare); /* near the limit stability may not be
                                                              * monotone */
    return stays ? rate : bisect(&rates, high, 0, high);
}

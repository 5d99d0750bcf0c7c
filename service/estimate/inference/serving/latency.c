#include "estimate/inference/serving/latency.h"

#include "estimate/inference/communication.h"
#include "estimate/inference/serving/slots.h"
#include "estimate/inference/serving/tail.h"
#include "estimate/inference/serving/work.h"

#include <math.h>

/* Tuned on the designs of tests/accuracy/replicas.c with the seeds 2026, 2027, 5001 to 5003, 7001
 * and 7002. */
/* Fraction of the time to first token that widely spread long prompts may add to the whole request;
 * not captured by moments or distributions of the parts. */
static const double WIDE_WHOLE = 0.3;
/* Where prompts take over FULL of the time, the mean time per token is a weighted mean: the closed
 * form's weight is LINEAR x + (1 - LINEAR) x^LATE, x from 0 at FULL to 1 at a full load. Fitted to
 * simulated designs (seed 501, tests/accuracy/README.md). */
static const double FULL = 0.8, LINEAR = 0.6, LATE = 8;
/* Nine in ten simulated designs, of those in which over SLOTS_DOUBT of the requests wait
 * for a slot by the estimate, have at least that part of these waits. */
static const double SLOTS_FEWER = 0.3;

/* Factor on the probability that a request meets others and waits for their step. A search for the
 * highest load within a limit on first tokens stops where this probability is 5 %; in simulations
 * it is up to 4 % higher than estimated. */
static const double MEETS_MORE = 1.1;

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
    double number = half / (1 - share) + (w->written.mean > 0) + w->passes;
    struct moments sway = moments_scaled(work_step_sways(w), number); /* all of them vary alike */
    steps.variance += met * sway.variance;
    steps.third += met * sway.third;
    struct moments all = moments_sum(steps, own);

    return waits ? moments_sum(all, queue_before(w)) : all;
}

/* Fraction of the delaying prompts, and of their deviation, within a request's own time: at most
 * one full pass per step. */
struct read_share {
    double mean, deviation;
};

static struct read_share read_in_time(const struct work *w, double mean, double deviation)
{
    if (!(deviation > 0))
        return (struct read_share){1, 1};
    struct moments all = moments_of_clipped(mean, deviation, (double)INFINITY);
    struct moments read = moments_of_clipped(mean, deviation, w->steps * w->budget);
    return (struct read_share){fmax(0, read.mean / all.mean), sqrt(read.variance / all.variance)};
}

/* The factor by which requests in flight, each lengthening the steps, increase the variance of
 * prompts. */
static double swell_of(const struct work *w)
{
    const struct inference_constants *c = w->constants;
    double squared = w->steps * w->steps, alike = squared / (squared + w->written.variance);

    return pow(1 - w->gain, -c->swell - c->swell_few * (1 - w->share) - c->swell_alike * alike);
}

/* Deviation of the relative length of a request's steps, due to its own prompt, that goes with its
 * time to the first token. */
static double slowed_alike(const struct work *w)
{
    double first = w->delay.first.variance + w->delay.wait.variance;
    double own = first > 0 ? fmin(1, w->busy.variance / first) : 0;

    return w->cache / w->step * sqrt(w->prompts_vary * own);
}

/* A delay cycle: a request ends when the prompts queued at its first token, its own steps, and the
 * prompts that arrived meanwhile are done. */
static struct moments together(struct work *w, struct moments first)
{
    double share = w->met * w->share, free = 1 - share, stretch = share / free;
    struct moments steps = work_writing(w);
    double whole = w->overflow + (1 - w->overflow) * w->found_share;
    double behind = w->whole_passes + (1 - w->whole_passes) * whole;

    w->found = share * (w->busy.mean + w->others * w->step * w->passes +
                        (1 - w->others) * w->fixed + behind * w->wait.mean);
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
    w->delay.slows = slowed_alike(w);
    w->delay.varies = fmax(0, work_steps_vary(w) - w->delay.slows * w->delay.slows);
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
    w->swing_first = first.variance * (1 + 2 * follows);
    struct moments all =
        moments_sum(moments_scaled(first, 1 + follows),
                    moments_sum(moments_scaled(steps, 1 + stretch * in_time.mean), come));
    all.mean = first.mean + steps.mean + prompts * in_time.mean;
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

/* The wait for a pass that began on an idle replica, which also takes a fixed time, and the
 * probability of such a wait. */
static struct moments idle_pass(const struct work *w, double *chance)
{
    double fixed = w->fixed;

    *chance = writes_further(w) ? (1 - w->others) * fmin(1, w->rate * fixed) : 0;
    return moments_central((struct raw_moments){*chance * fixed / 2, *chance * fixed * fixed / 3,
                                                *chance * fixed * fixed * fixed / 4});
}

/* A prompt waits for those queued before it, for those read in the free part of its own last pass,
 * and for a pass that began on an idle replica. */
static void set_first_parts(struct work *w, struct moments own)
{
    double idle, fills, waits = w->turns_share;
    struct moments fill = work_fill(w, &fills), pass = idle_pass(w, &idle);

    w->first = (struct delay_first){
        .alone = own,
        .met = until_read(w, 1, own, false),
        .meets = fmin(1, MEETS_MORE * (w->others + idle)),
        .wait = moments_sum(queue_before(w), moments_sum(fill, pass)),
        .waits = 1 - (1 - fmin(1, waits)) * (1 - fills) * (1 - idle),
    };
}

static void set_together(const struct inference *inference, struct work *w, struct latency *l)
{
    work_set_wait(w);
    double fills, idle;
    struct moments own = work_own(w, w->others, true), pass = idle_pass(w, &idle),
                   fill = moments_sum(work_fill(w, &fills), pass);
    own.mean += w->late;
    struct moments read =
        moments_sum(until_read(w, w->others, work_own(w, w->others, false), true), fill);
    struct moments first = moments_sum(until_read(w, w->others, own, true), fill);
    struct moments after = moments_less(first, read), alone = w->own;

    w->delay.first = moments_sum(until_read(w, w->others, own, false), work_fill(w, &fills));
    w->delay.wait = moments_sum(queue_before(w), pass);
    w->delay.waits = 1 - (1 - w->turns_share) * (1 - idle);
    l->whole = together(w, read);
    set_token(inference, w, l->whole.mean - read.mean, l);
    l->whole = moments_sum(l->whole, after);
    alone.mean += w->late;
    w->least_whole = moments_sum(alone, moments_scaled(w->written, w->step_alone));
    w->least_rounds = moments_sum(alone, moments_scaled(w->written, w->round));
    w->delay.rate = w->met * w->rate;
    w->delay.follows *= read.mean / first.mean;
    work_set_wait_late(w);
    w->least = w->delay.first;
    l->first = moments_sum(w->least, queue_before(w));
    set_first_parts(w, own);
}

static void scale_first(double later, struct moments *first, struct moments *whole)
{
    whole->mean += (later - 1) * first->mean;
    *first = moments_scaled(*first, later);
}

/* Scale the time to the first token by `later`, the correction by measured runs. */
static void set_later(double later, struct work *w, struct latency *l)
{
    scale_first(later, &l->first, &l->whole);
    w->least_rounds.mean += (later - 1) * w->least.mean;
    scale_first(later, &w->least, &w->least_whole);
    w->delay.first = moments_scaled(w->delay.first, later);
    w->first.alone = moments_scaled(w->first.alone, later);
    w->first.met = moments_scaled(w->first.met, later);
    w->first.wait = moments_scaled(w->first.wait, later);
    w->delay.wait = moments_scaled(w->delay.wait, later);
    w->delay.follows /= later;
}

static bool has_parts(const struct work *w)
{
    return w->reads && writes_further(w);
}

static double ramp(double from, double to, double value)
{
    return fmin(1, fmax(0, (value - from) / (to - from)));
}

/* The degree to which the distributions of the parts tell the 95th percentile: not where few
 * prompts delay a request and the sum is nearly normal. There the moments of the whole tell it
 * within 4 % of the parts, in a fifth of the time. Nor where some prompts are so long that rare
 * waits make up the deviation of the sum: the lines of delay.h then lie along the wait. */
static double share_by_parts(const struct work *w, const struct latency *l)
{
    double deviation = sqrt(l->whole.variance);

    if (!has_parts(w))
        return 0;
    double skewed = deviation > 0 ? l->whole.third / (l->whole.variance * deviation) : 0;
    double sum = fmin(ramp(0.6, 1.2, skewed), 1 - ramp(8, 16, skewed));
    return fmax(ramp(0.35, 0.5, w->turns_share), sum);
}

/* A percentile of whole requests, from the moments of the whole and, to the degree `parts`, from
 * its parts (`by_parts`). */
static double whole_at(const struct work *w, const struct latency *l, double parts, double by_parts,
                       double z)
{
    const struct tail_wait none = {0, 0}, slots = {l->slot_chance, l->slot_seconds};
    double at = tail_percentile(&l->whole, &w->least_whole, &slots, z);

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

/* The median only where it is asked for. */
static void set_whole(const struct work *w, bool median, struct latency *l)
{
    double parts = share_by_parts(w, l), p50 = 0, p95 = 0;
    bool writes = writes_further(w), middle = median && has_parts(w);
    const struct tail_wait none = {0, 0};

    if (middle)
        p50 = delay_percentile(&w->delay, 0);
    if (parts > 0)
        p95 = delay_percentile(&w->delay, MOMENTS_Z95);
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

static struct tail_wait slots_of(const struct latency *l)
{
    return (struct tail_wait){l->slot_chance, l->slot_seconds};
}

/* Returns it without a wait for a slot. */
static double set_first(const struct work *w, struct latency *l)
{
    struct tail_wait slots = slots_of(l);
    double without = slots_first_without(w, &l->first);

    l->ttft_p95 = slots_first_with(w, &l->first, without, slots);
    l->ttft_p95_most = slots_first_with(w, &l->first, without, slots_most(w, slots));
    return without;
}

/* Whether the 95th percentile of whole requests is surely not near that many seconds: that of the
 * parts is 0.6 to 1.4 times that of the moments (12,000 designs of replicas.c). */
static bool is_far(double by_moments, double seconds)
{
    const double far = 1.7;

    return by_moments > far * seconds || by_moments < seconds / far;
}

/* Whether the 95th percentile of whole requests is above the limit. Where the parts determine
 * it, the limit is compared with their distribution. */
static bool is_over(const struct work *w, struct latency *l, double limit)
{
    const double surely = 1 + 1e-6;
    double wide = WIDE_WHOLE * work_wide(w), most = limit * surely;

    if (!writes_further(w))
        return slots_first_is_over(w, &l->first, slots_of(l), most);
    if (wide > 0) {
        (void)set_first(w, l);
        most -= wide * l->ttft_p95;
    }
    double parts = share_by_parts(w, l), by_moments = whole_at(w, l, 0, 0, MOMENTS_Z95);
    double rest = whole_at(w, l, parts, 0, MOMENTS_Z95);
    if (whole_of_rounds(w, l, MOMENTS_Z95) > most || rest > most)
        return true;
    if (!(parts > 0) || is_far(by_moments, most) ? by_moments > most
                                                 : delay_is_over(&w->delay, (most - rest) / parts))
        return true;
    return slots_first_is_over(w, &l->first, slots_of(l), limit * surely);
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

    if (begin(inference, rate, most, &w, &l))
        (void)set_first(&w, &l);
    return l;
}

struct latency latency_tails_near(const struct inference *inference, double rate, double most,
                                  double whole_limit, double first_limit)
{
    struct latency l;
    struct work w;

    if (!begin(inference, rate, most, &w, &l))
        return l;
    double at = whole_at(&w, &l, 0, 0, MOMENTS_Z95);
    bool far = has_parts(&w) && !(w.round > 0) && !(work_wide(&w) > 0) && is_far(at, whole_limit);
    if (!far || !isnan(first_limit))
        (void)set_first(&w, &l);
    if (far)
        l.p95 = at;
    else
        set_whole(&w, false, &l);
    return l;
}

struct latency latency_tails(const struct inference *inference, double rate, double most)
{
    struct latency l;
    struct work w;

    if (begin(inference, rate, most, &w, &l)) {
        (void)set_first(&w, &l);
        set_whole(&w, false, &l);
    }
    return l;
}

bool latency_is_over(const struct inference *inference, double rate, double most,
                     double whole_limit, double first_limit)
{
    struct latency l;
    struct work w;

    if (!begin(inference, rate, most, &w, &l))
        return true;
    if (!isnan(first_limit) &&
        slots_first_is_over(&w, &l.first, slots_most(&w, slots_of(&l)), first_limit))
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
    double without = set_first(&w, &l);
    set_whole(&w, true, &l);
    l.z50 = tail_score(&l.whole, l.p50, 0);
    l.z95 = tail_score(&l.whole, l.p95, MOMENTS_Z95);
    l.ttft_z95 = tail_score(&l.first, l.ttft_p95, MOMENTS_Z95);
    l.ttft_p95_least = l.ttft_p95;
    if (writes_further(&w))
        l.ttft_p95_least = slots_first_with(
            &w, &l.first, without, (struct tail_wait){SLOTS_FEWER * l.slot_chance, l.slot_seconds});
    return l;
}

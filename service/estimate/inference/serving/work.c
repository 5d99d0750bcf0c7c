#include "estimate/inference/serving/work.h"

#include <math.h>

static const double NEAR = 1e-12; /* relative tolerance of a root */
/* A discrete random walk overshoots a bound by 0.5826 standard deviations of a step, -zeta(1/2) /
 * sqrt(2 pi) (Siegmund, Sequential Analysis, 1985). */
static const double OVERSHOOT = 0.5826;

static void set_prompts(const struct inference *inference, double gained, struct work *w)
{
    const struct inference_job *job = &inference->job;
    const struct prefill *p = &inference->prefill;
    const struct lengths *of = &inference->prompts;
    const double *u = of->powers;
    double mean = p->marginal / gained, b = p->square / gained, a = mean - b;

    w->busy = moments_central(inference_prompt_moments(inference, gained));
    double read = job->input_tokens * (1 - job->cached_ratio);
    w->tokens = read * u[1];
    w->tokens_squared = read * read * u[2];
    w->passes = w->tokens / inference_step_tokens(inference);
    w->whole_passes = fmin(1, w->passes * w->passes);
    w->budget = w->busy.mean / w->passes;
    w->fixed = p->fixed;
    const double at[] = {of->p5, of->p50, of->p95};
    for (int i = 0; i < WORK_POINTS; i++) {
        double passes = read * at[i] / inference_pass_tokens(inference);
        w->own_at[i] = (a + b * at[i]) * at[i];
        w->further_at[i] =
            w->busy.variance > 0 ? passes * passes / (passes + 0.5) : ceil(passes) - 1;
    }
    w->after = (p->one - p->fixed) / mean - 1;
    double groups = job->attention_data - 1;
    double apart = groups * p->shared, square = groups * p->square;
    for (int i = 0; i < WORK_POINTS; i++) /* a prompt alone has only its own attention group */
        w->after_at[i] =
            (w->after - apart / mean) * w->own_at[i] + (apart - square + square * at[i]) * at[i];
}

/* Squared deviations over the mean context. A context is a prompt and the part of its answer
 * written so far; long answers are in flight for longer. */
static void set_contexts(const struct inference *inference, struct work *w)
{
    const double *prompt = inference->prompts.powers, *answer = inference->answers.powers;
    double read = inference->job.input_tokens, length = inference->answers.mean;
    double written = length * answer[2] / (2 * answer[1]);
    double squared = length * length * answer[3] / (3 * answer[1]);

    w->context = read * prompt[1] + written;
    w->prompts_vary = fmax(0, read * read * (prompt[2] - prompt[1] * prompt[1]));
    w->contexts_vary = w->prompts_vary + fmax(0, squared - written * written);
    w->prompts_vary /= w->context * w->context;
    w->contexts_vary /= w->context * w->context;
}

/* A request takes whole steps. With speculative decoding its last step is half used on average. */
static void set_answers(const struct inference *inference, struct work *w)
{
    const struct lengths *of = &inference->answers;
    double each = inference_tokens_per_step(&inference->job.speculation);
    double ends = (1 - 1 / each) / 2 - 1 / each, steps = of->mean / each;

    w->written =
        moments_through(steps * of->p5 + ends, steps * of->p50 + ends, steps * of->p95 + ends);
    w->steps = steps * of->powers[1] + ends;
    w->delay.steps_each = steps;
    w->delay.steps_more = ends;
    w->alike = erfc(of->sigma / 2);
    w->delay.sigma = of->sigma;
    w->delay.low = of->low;
    w->delay.high = of->high;
    w->delay.scale = of->scale;
    set_contexts(inference, w);
}

/* Requests that arrive while a request is delayed by the prompts queued at its first token. The
 * delay is an exponential time truncated at what the passes of the request can prefill, which is
 * less the longer steps are; averaged over the lengths of answers, as of a gamma distribution:
 * short ones end before the queue does. `*fewer` is the negative derivative by requests in flight.
 */
static double stalled(const struct work *w, double step, double *fewer)
{
    double share = w->met * w->share, free = 1 - share, mean = w->written.mean;
    double most = fmax(0, w->steps * (w->budget * free - step * share));
    double varies = mean > 0 ? w->written.variance / (mean * mean) : 0;
    double over = w->found > 0 ? most / w->found : 0;
    double beyond = exp(varies > 0 ? -log1p(over * varies) / varies : -over);

    *fewer = 0;
    if (most > 0)
        *fewer = w->rate * w->steps / free * share * w->step_each * beyond / (1 + over * varies);
    return w->rate * w->found / free * (1 - beyond);
}

/* Mean requests in flight that a request sees, itself included, with `flight` in flight on average:
 * all others of a Poisson number if they are sent at random. If a router sends each to the replica
 * with the fewest of `n`, every replica has its share of all in flight, rounded up or down, and
 * answers that end leave a bit more apart: E(X^2) / E(X) = 1 + 2 / flight x the sum over k of
 * E(max(0, X - k)), normal about `flight`. *slope is its derivative. At most 0.03 less than
 * simulated, on 2 to 64 replicas without prompts. */
static double seen_of(const struct work *w, double flight, double *slope)
{
    const double far = 4; /* standard deviations */
    double n = w->routed, apart = w->constants->router_apart;
    double deviation = sqrt(apart * flight / n), sum = 0, rises = 0;

    *slope = 1;
    if (!(n > 1) || !(flight > 0))
        return 1 + flight;
    double whole = fmax(0, floor(flight - far * deviation));
    if (deviation > 0.6 && flight > far * deviation) { /* the sum is nearly an integral */
        double more = apart / n + 1 / (6 * flight);
        *slope = more < 1 ? 1 - 1 / (6 * flight * flight) : 1;
        return flight + fmin(1, more);
    }
    sum = whole * flight - whole * (whole + 1) / 2;
    rises = whole;
    for (double k = whole + 1; k < flight + far * deviation; k++) {
        double z = (flight - k) / deviation, density = moments_normal_density(z),
               below = moments_normal_below(z);
        sum += deviation * (density + z * below);
        rises += below + density * deviation / (2 * flight);
    }
    double seen = 1 + 2 * sum / flight;
    if (seen >= 1 + flight)
        return 1 + flight;
    *slope = 2 * (rises - sum / flight) / flight;
    return seen;
}

/* Probability that a request finds others in flight on its replica: if a router chose it, hardly
 * ever while fewer are in flight than there are replicas. */
static double finds_others(double n, double flight)
{
    const double never = 1e-9; /* the skewness of a rarer wait overflows */
    double random = -expm1(-flight);

    if (!(n > 1) || !(flight > 0))
        return random;
    double chosen = moments_normal_below((n * (flight - 1) + 0.5) / sqrt(n * flight));
    return chosen > never ? fmin(random, chosen) : 0;
}

/* Requests in flight that a request sees in addition, as prompts stop all of them while more
 * arrive, so that their number varies more than a Poisson variable: that variance over the mean.
 * The prefill within the steps of a request varies like the work that arrives meanwhile, but by no
 * more than a time between none and one full pass a step can (Popoviciu, 1935). Its queue passes
 * on 1 - u^2 of that variance if it is busy for u of the time (Kuehn, IEEE Transactions on
 * Communications 27, 1979): with all passes full they take the same time. The longer it stops them,
 * the more arrive: twice the covariance of the two, as far as these answers end together. */
static double gathered(const struct work *w, double step)
{
    double free = 1 - w->share, passes = w->steps * w->budget / 2, most = passes * passes;
    double turns = fmin(1, w->share + w->rate * step * w->passes);
    double second = w->busy.variance + w->busy.mean * w->busy.mean;
    double brought = w->rate * second * (w->steps * step + w->found) / (free * free * free);
    double passed_on = most / (brought + most) * (1 - turns * turns);
    double with = 2 * w->alike * w->share / free;

    return (w->rate * w->rate * brought / w->flight + with) * passed_on / w->routed;
}

/* Probability that all of `places` are taken by a Poisson number of requests, those that find none
 * left out (Erlang B); normal above `many`. */
static double all_taken(double places, double mean)
{
    const double many = 128;
    double chance = 1, spare = (places - mean) / sqrt(mean);

    if (places > many)
        return moments_normal_density(spare) / sqrt(mean) / moments_normal_below(spare);
    for (double k = 1; k <= places; k++)
        chance = mean * chance / (k + mean * chance);
    return chance;
}

/* A request sees at most all other places taken: a truncated Poisson number of them. */
static void limit_places(double most, struct work *w)
{
    const double far = 6; /* deviations */
    double places = floor(most);

    w->joins = 1;
    if (places < w->running + far * sqrt(w->running))
        w->joins -= all_taken(places - 1, fmin(places, w->running - 1));
    w->running = 1 + (w->running - 1) * w->joins;
}

/* Mean requests in flight that a request sees with random arrivals and lengths: exact for processor
 * sharing whose steps take a + b n, where the number in flight is negative binomial; prefill stalls
 * all of them. The smallest fixed point, so that it grows with the load, by Newton's method with
 * bisection as a fallback. */
static void set_running(const struct step_curve *curve, double most, struct work *w)
{
    enum { STEPS = 60 };
    double arrive = w->rate * w->steps / (1 - w->met * w->share), fewer = 0;
    double low = 1, high = (double)INFINITY, n = low, last = 0, slope;

    for (int i = 0; i < STEPS && fabs(n - last) > NEAR * n; i++) {
        double more = fmax(1, sqrt(n)), here = step_curve_seen(curve, n);
        w->step_each = fmax(0, (step_curve_seen(curve, n + more) - here) / more);
        w->cache = fmin(curve->cache / curve->stages, w->step_each);
        double longer = w->cache * w->cache * w->prompts_vary / here; /* long ones stay longer */
        here += (n - 1) * longer;
        w->step_each += longer;
        w->step_fixed = here - w->step_each * n;
        w->gain = arrive * w->step_each;
        last = n;
        w->flight = arrive * here + stalled(w, here, &fewer);
        double brought = seen_of(w, w->flight, &slope);
        if (brought > n)
            low = n;
        else
            high = n;
        n += (brought - n) / (1 - slope * (w->gain - fewer));
        if (w->gain < 1 && ((n > low && n < high) || fabs(n - last) <= NEAR * n))
            continue;
        if (low > most)
            break;
        n = isfinite(high) ? (low + high) / 2 : 2 * low;
    }
    w->running = last;
    if (w->share > 0 && w->running > 1 && w->gain > 0 && w->gain < 1) {
        double step = w->step_fixed + w->step_each * w->running;
        w->running += gathered(w, step) * w->gain / (1 - w->gain + fewer);
    }
    limit_places(most, w);
    w->step = w->step_fixed + w->step_each * w->running;
    w->step_alone = step_curve_at(curve, 1);
    w->others = finds_others(w->routed, w->routed > 1 ? w->flight : w->running - 1);
}

/* Probability that an arrival finds all of `servers` busy, each `busy` of the time (Erlang's C, by
 * Sakasegawa, An approximation formula, 1977). */
static double all_busy(double servers, double busy)
{
    return pow(busy, sqrt(2 * (servers + 1)) - 1);
}

/* Where nothing is written, a replica is idle or in a pass: one begins with the first prompt that
 * finds it idle, and the next with those that came meanwhile. Sets the probability that a prompt
 * finds the replicas it may be sent to in a pass: passes that none followed end as often as prompts
 * find an idle replica. */
static void set_passes(struct work *w)
{
    enum { STEPS = 30 };
    double low = w->share, high = 1;

    w->step = w->fixed;
    for (int i = 0; i < STEPS; i++) {
        double busy = (low + high) / 2, all = all_busy(w->routed, busy);
        double often = (busy - w->share) / w->fixed;
        double none_comes = exp(-w->rate * all / often);
        if (often * none_comes < w->rate * (1 - all))
            low = busy;
        else
            high = busy;
    }
    w->others = all_busy(w->routed, low);
}

/* Prompts that arrive during a pass are read together in the next one, so `gathered` of the prompts
 * that a request waits for share its own pass, and the same number is queued when that pass ends.
 */
static void set_found(struct work *w)
{
    double gathered = 2 * w->share / (1 + w->share), free = 1 - w->share;
    struct raw_moments busy = moments_raw(w->busy);
    double wait = free > 0 ? w->rate * busy.second / (2 * free) : 0;

    w->found_share = w->whole_passes + (1 - w->whole_passes) * gathered;
    w->found = w->share * (w->busy.mean + w->found_share * wait);
}

/* Seconds of a decode step that full passes also include. */
static double step_carried(const struct work *w)
{
    return w->step * w->others + fmin(w->fixed, w->step) * (1 - w->others);
}

/* Standard deviations of the number in flight above its mean when the slowest prompts wait; mean
 * waits after which that number has changed. */
static const double BUSY = 3, WAITS = 25;

/* Prompts wait in an M/G/1 queue. Full passes also carry decode steps, which lengthen the service
 * time, here by `longer` seconds more than usual; a pass overflows if more prompt tokens arrive
 * during it than the next can read. */
static struct moments wait_with(const struct work *w, double longer, double *overflow)
{
    double step = step_carried(w) + longer, room = 1 - w->turns_share;
    double deviation = sqrt(w->rate * w->tokens_squared * (step + w->budget));
    double pass = w->tokens / w->passes;

    if (longer > 0)
        room -= w->rate * w->passes * longer;
    *overflow = exp(-2 * OVERSHOOT * room * pass / deviation);
    double full = fmax(w->whole_passes, *overflow);
    struct moments service =
        moments_scaled(w->busy, (w->busy.mean + full * step * w->passes) / w->busy.mean);
    return moments_of_queue(w->rate, service);
}

/* The wait where a router sends each prompt to the replica with the fewest. It waits only if all
 * are busy, and then no longer than for the rest of one prompt and its share of the queue of all.
 * However many replicas there are, router_wait_share of it is left: a replica that reads a long
 * prompt ends no answers, so the router sends it no further prompts. That gains nothing where
 * passes are not full, or where all answers are alike: they end together, and the next prompts
 * arrive together. */
static struct moments routed(const struct work *w, struct moments wait)
{
    double n = w->routed, free = 1 - w->turns_share;
    double fewer = all_busy(n, w->turns_share) / w->turns_share;
    double shorter = 1 / n + (1 - 1 / n) * free;
    struct raw_moments raw = moments_raw(wait);

    if (w->written.mean > 0) { /* the router counts answers in flight, too */
        double varies = sqrt(w->written.variance) / w->written.mean;
        double full = fmax(w->whole_passes, w->overflow);
        double apart = fmin(1, varies / w->constants->router_answers_vary) * fmin(1, 2 * full);
        fewer = w->met;
        shorter = 1 / n + (1 - 1 / n) * (1 - (1 - w->constants->router_wait_share) * apart);
    }

    return moments_central((struct raw_moments){fewer * shorter * raw.first,
                                                fewer * shorter * shorter * raw.second,
                                                fewer * shorter * shorter * shorter * raw.third});
}

void work_set_wait(struct work *w)
{
    w->wait = wait_with(w, 0, &w->overflow);
    if (w->routed > 1 && w->turns_share > 0)
        w->wait = routed(w, w->wait);
}

/* More requests in flight lengthen the steps, and the queue while they last, which is until they
 * are answered; waits shorter than that are affected. */
void work_set_wait_late(struct work *w)
{
    double free = (1 - w->share) * (1 - w->gain), lasts = w->steps * w->step / free;
    double more = BUSY * sqrt(w->running / (1 - w->gain)) * w->others;
    double longer = more * w->step_each * lasts / (lasts + WAITS * w->wait.mean);
    double most =
        (1 - w->constants->queue_room_left) * (1 - w->turns_share) / (w->rate * w->passes);

    if (!(longer > 0))
        return;
    w->wait = wait_with(w, fmin(longer, most), &w->overflow);
    if (w->routed > 1)
        w->wait = routed(w, w->wait);
}

struct moments work_own(const struct work *w, double met, bool after)
{
    double at[WORK_POINTS];
    double step = w->step * w->passes / w->busy.mean;

    for (int i = 0; i < WORK_POINTS; i++) {
        double own = w->own_at[i], further = w->further_at[i];
        double idle = w->reads ? further * w->fixed : 0;
        at[i] = own + (after ? w->after_at[i] : 0) + idle + met * fmax(0, step * own - idle);
    }
    return moments_through(at[0], at[1], at[2]);
}

struct moments work_fill(const struct work *w, double *chance)
{
    static const double weights[WORK_POINTS] = {1.0 / 6, 2.0 / 3, 1.0 / 6}; /* Gauss, Hermite */
    bool alike = !(w->busy.variance > 0);
    double room = ceil(w->passes) - w->passes, budget = w->budget, last = 0;
    struct raw_moments free = {1.0 / 2, 1.0 / 3, 1.0 / 4}; /* uniform: any part of a last pass */

    if (alike)
        free = (struct raw_moments){room, room * room, room * room * room};
    for (int i = 0; i < WORK_POINTS; i++)
        last += weights[i] * (alike ? w->whole_passes : fmin(1, w->further_at[i]));
    *chance = w->reads ? last * w->share : 0;
    return moments_central((struct raw_moments){*chance * budget * free.first,
                                                *chance * budget * budget * free.second,
                                                *chance * budget * budget * budget * free.third});
}

struct work work_of(const struct inference *inference)
{
    struct work w = {.constants = inference->constants, .late = inference_host_seconds(inference)};

    set_prompts(inference, inference->prefill.stages, &w);
    set_answers(inference, &w);
    w.late += w.fixed;
    w.reads = !inference->job.separate_prefill;
    w.slots_as_estimated = inference->job.slots_as_estimated;
    w.own = work_own(&w, 0, true);
    w.routed = w.reads ? fmax(1, inference->job.routed) : 1;
    return w;
}

bool work_load(const struct inference *inference, const struct step_curve *curve, double rate,
               double most, struct work *w)
{
    w->rate = rate;
    w->share = w->reads ? rate * w->busy.mean : 0;
    w->round = 0;
    if (inference_stages_wait(&inference->job) && rate > 0)
        w->round = step_curve_round(inference, curve, rate);
    if (!(w->share < 1))
        return false;
    if (w->reads)
        set_found(w);
    w->met = 1;
    set_running(curve, most, w);
    if (w->routed > 1 && w->written.mean > 0 && w->flight > 0) { /* fewer prompts meet others */
        w->met = w->others / -expm1(-w->flight);
        if (w->met < 1)
            set_running(curve, most, w);
    }

    if (w->reads && !(w->written.mean > 0) && w->share > 0 && w->fixed > 0)
        set_passes(w);
    w->turns_share = w->reads ? rate * (w->busy.mean + step_carried(w) * w->passes)
                              : inference_reader_busy(inference, rate);
    return w->gain < 1 && w->turns_share < 1;
}

struct work_full work_full(const struct work *w, double most)
{
    struct raw_moments prompt = w->reads ? moments_raw(w->busy) : (struct raw_moments){0, 0, 0};
    struct raw_moments steps = moments_raw(w->written);
    double places = floor(most);
    struct work_full full = {.each = (w->step_fixed + w->step_each * places) / places};

    full.work = prompt.first + steps.first * full.each;
    full.second = prompt.second + 2 * prompt.first * steps.first * full.each +
                  steps.second * full.each * full.each;
    full.idle = 1 - w->rate * full.work;
    return full;
}

double work_spare(const struct work *w)
{
    double free = 1 - w->share;

    return free > 0 ? fmin(free * (1 - w->gain), 1 - w->turns_share) : free;
}

double work_wide(const struct work *w)
{
    double spread = 1 - w->tokens * w->tokens / w->tokens_squared;
    double wait = fmin(0.5, w->turns_share), degree = 4 * wait * (1 - wait);

    return w->reads ? degree * w->whole_passes * spread : 0;
}

double work_steps_vary(const struct work *w)
{
    double each = w->step_each / w->step, seen = (3 + w->gain) / 4, cache = w->cache / w->step;
    double others = (w->running - 1) * seen;

    return each * each * others / (1 - w->gain) +
           cache * cache * (w->prompts_vary + w->contexts_vary * others);
}

struct moments work_step_sways(const struct work *w)
{
    double n = w->running - 1, free = 1 - w->gain, each = w->step_each, cache = w->cache;
    double variance = n * (each * each / free + cache * cache * w->contexts_vary);

    return (struct moments){0, variance, n * each * each * each * (1 + w->gain) / (free * free)};
}

struct moments work_writing(const struct work *w)
{
    double varies = work_steps_vary(w);
    struct raw_moments n = moments_raw(w->written);

    return moments_central((struct raw_moments){
        n.first * w->step, n.second * w->step * w->step * (1 + varies),
        n.third * w->step * w->step * w->step * (1 + varies) * (1 + 2 * varies)});
}

#include "estimate/inference/serving/latency.h"

#include "estimate/inference/communication.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/step_curve.h"

#include <math.h>

/* Share of requests that wait over the share of time that the server is busy; those who wait do so
 * by an exponential distribution. Set on tests/accuracy/simulate.py. */
static const double WAITING_SHARE = 0.45;
/* Likewise of prompts that come during a pass that only reads: something may run by then. */
static const double READING_SHARE = 0.5;

static const struct moments NONE = {0, 0, 0};

static struct moments sum(struct moments a, struct moments b)
{
    return (struct moments){a.mean + b.mean, a.variance + b.variance, a.third + b.third};
}

static struct moments lognormal(double mean, double squared_cv)
{
    double variance = mean * mean * squared_cv;

    return (struct moments){mean, variance, mean * variance * squared_cv * (squared_cv + 3)};
}

/* Nothing, but with that chance exponential. */
static struct moments sometimes(double chance, double mean)
{
    double all = chance * mean, second = 2 * all * mean, third = 3 * second * mean;

    return (struct moments){all, second - all * all,
                            third - 3 * all * second + 2 * all * all * all};
}

static struct moments scaled(struct moments a, double factor)
{
    return (struct moments){a.mean * factor, a.variance * factor * factor,
                            a.third * factor * factor * factor};
}

static struct moments wait_of(double mean, double busy)
{
    double chance = fmin(1, WAITING_SHARE * busy);

    return chance > 0 ? sometimes(chance, mean / chance) : NONE;
}

struct latency_shape latency_shape_of(const struct moments *moments)
{
    struct latency_shape shape = {.deviation = sqrt(moments->variance), .w = 1};
    double skewness = moments->third / (moments->variance * shape.deviation);

    if (!(skewness > 1e-3))
        return shape;
    /* skewness = (w + 2) sqrt(w - 1) */
    double half = 1 + skewness * skewness / 2, root = cbrt(half + sqrt(half * half - 1));
    shape.w = root + 1 / root - 1;
    shape.sigma = sqrt(log(shape.w));
    return shape;
}

/* Where the normal distribution has its quantile `z`. */
static double percentile(double mean, const struct latency_shape *shape, double z)
{
    if (shape->w <= 1)
        return mean + z * shape->deviation;
    double scale = shape->deviation / sqrt(shape->w - 1), sigma = shape->sigma;
    return mean - scale + scale * exp(z * sigma - sigma * sigma / 2);
}

/* A prompt's time is a x length + b x length^2 in attention: the square's mean has the spread. */
static void set_prompt(const struct inference *inference, double rate, struct latency *l)
{
    const struct inference_job *job = &inference->job;
    double cv2 = job->input_cv * job->input_cv;
    double at_mean = inference->prefill.marginal / job->pipeline;
    double square = inference->prefill.square / job->pipeline;
    double steeper = at_mean > 0 ? (at_mean + square) / (at_mean + square * cv2) : 1;

    l->prompt = at_mean + square * cv2;
    l->spread = cv2 * steeper * steeper;
    l->share = rate * l->prompt;
    l->late = inference_host_seconds(inference) + inference->prefill.one - at_mean;
}

/* The number at which `arriving` x a step and what stalls bring are that number; the least there
 * is, so that it grows with the load. Newton's method, kept inside what is known. */
static void find_running(const struct step_curve *curve, double arriving, double most,
                         struct latency *l)
{
    enum { STEPS = 60 };
    const double near = 1e-12;
    double low = 1, high = (double)INFINITY, n = low, last = 0, first = 1 + l->stalled;

    for (int i = 0; i < STEPS && fabs(n - last) > near * n; i++) {
        double more = fmax(1, sqrt(n)), here = step_curve_at(curve, n);
        l->step_each = fmax(0, (step_curve_at(curve, n + more) - here) / more);
        l->step_fixed = here - l->step_each * n;
        l->gain = arriving * l->step_each;
        last = n;
        if (first + arriving * here > n)
            low = n;
        else
            high = n;
        n = (first + arriving * l->step_fixed) / (1 - l->gain);
        if (l->gain < 1 && ((n >= low && n <= high) || fabs(n - last) <= near * n))
            continue;
        if (low > most)
            break;
        n = isfinite(high) ? (low + high) / 2 : 2 * low;
    }
    l->running = last;
}

/* What runs with a request where arrivals and lengths are random: of processor sharing whose
 * steps take a + b n, exactly (the number in flight is negative binomial). Prompts that come stall
 * all of it, and a request starts among them. */
static void set_running(const struct inference *inference, double rate, double most,
                        struct latency *l)
{
    const struct inference_job *job = &inference->job;
    struct step_curve curve = step_curve_of(inference);

    l->steps = (job->output_tokens - 1) / inference_tokens_per_step(&job->speculation);
    double queue = rate * l->prompt * l->prompt * (1 + l->spread) / (2 * (1 - l->share));
    l->stalled = rate * l->share * (queue + l->prompt) / (1 - l->share);
    find_running(&curve, rate * l->steps / (1 - l->share), most, l);
    l->step = l->step_fixed + l->step_each * l->running;
    l->others = 1 - exp(1 - l->running);
}

/* Passes that a prompt fills. */
static double passes_of(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return job->input_tokens * (1 - job->cached_ratio) / inference->constants->ttft_pass_tokens;
}

static void set_wait(const struct inference *inference, double rate, struct latency *l)
{
    double gathered = rate * inference->prefill.fixed;

    l->turn = l->prompt + l->others * l->step * passes_of(inference);
    l->turns_share = rate * l->turn;
    l->wait = rate * l->turn * l->turn * (1 + l->spread) / (2 * (1 - l->turns_share));
    l->alone = READING_SHARE * gathered / (1 + gathered);
}

/* The rest of a pass that only reads, of a prompt that found nothing running: others that come in
 * the meantime are read in one pass after it. */
static struct moments pass_under_way(const struct inference *inference, const struct latency *l)
{
    double pass = inference->prefill.fixed, mean = l->alone * pass / 2;

    return (struct moments){mean, l->alone * pass * pass / 3 - mean * mean, 0};
}

/* Places are servers: the chance that all are taken (Erlang's C) as Halfin and Whitt have it for
 * many servers, Operations Research 29 (1981), and what is free when they are. */
static void set_slot(const struct inference *inference, double rate, double most, struct latency *l)
{
    double load = rate * l->whole.mean, spare = (floor(most) - load) / sqrt(load);

    l->slot_chance = l->slot_seconds = 0;
    if (!(spare < 4))
        return;
    double free = queue_rate(inference, most) - rate;
    double density = exp(-spare * spare / 2) / 2.5066282746310002,
           below = erfc(-spare / sqrt(2)) / 2;
    l->slot_chance = spare > 0 ? 1 / (1 + spare * below / density) : 1;
    double cv2 = inference->job.output_cv * inference->job.output_cv;
    l->slot_seconds = free > 0 ? (1 + cv2) / 2 / free : (double)INFINITY;
}

/* The first token comes with the pass that its prompt ends in, which other prompts share that
 * came during the pass before: the fuller, the less of a pass a prompt is. */
static struct moments first_token(const struct inference *inference, double rate, bool waits,
                                  const struct latency *l)
{
    double passes = passes_of(inference), own = fmin(1, passes) * fmin(1, passes);
    double second = l->prompt * l->prompt * (1 + l->spread), busy = l->share;
    double gathered = rate * second / (1 - busy * busy) * (0.5 + busy);
    double under_way = l->others * l->step * ((1 - own) * (0.5 + busy) / (1 - busy) + own * 0.5);
    struct moments step = {under_way, under_way * under_way / 3, 0};
    double late = l->late + l->others * l->step * (1 + passes);

    struct moments prompt = lognormal(l->prompt, l->spread);
    prompt.mean += late;
    struct moments first = sum(sum(prompt, step), pass_under_way(inference, l));
    double wait = (1 - own) * gathered + own * l->wait;
    return waits ? sum(first, wait_of(wait, l->turns_share)) : first;
}

/* Work, and what comes of prompts while it is done (delay cycle). */
static struct moments delayed(struct moments work, double rate, const struct latency *l)
{
    double g = 1 - l->share, scale = 1 + l->spread;
    double second = rate * l->prompt * l->prompt * scale;
    double third = rate * l->prompt * l->prompt * l->prompt * scale * scale * scale;

    return (struct moments){
        work.mean / g,
        work.variance / (g * g) + work.mean * second / (g * g * g),
        work.third / (g * g * g) + 3 * work.variance * second / (g * g * g * g) +
            work.mean * (third + 3 * second * second / g) / (g * g * g * g),
    };
}

/* Steps of a request: their number by its length, how long they take by what runs with it, of
 * which a request sees the mean over its time. */
static struct moments writing(const struct inference *inference, const struct latency *l)
{
    double cv2 = inference->job.output_cv * inference->job.output_cv;
    double swing = l->step_each / l->step, seen = (3 + l->gain) / 4;
    double varies = swing * swing * (l->running - 1) / (1 - l->gain) * seen;

    return lognormal(l->steps * l->step, (1 + cv2) * (1 + varies) - 1);
}

static struct moments together(const struct inference *inference, double rate, bool waits,
                               const struct latency *l)
{
    double residual = l->others * l->step / 2, passes = passes_of(inference);
    struct moments step = {residual + l->others * l->step * passes,
                           l->others * l->step * l->step / 3 - residual * residual, 0};
    struct moments prompt = sum(lognormal(l->prompt, l->spread), pass_under_way(inference, l));
    struct moments work = sum(sum(step, prompt), writing(inference, l));
    if (waits)
        work = sum(work, wait_of(l->wait, l->turns_share));
    struct moments whole = delayed(work, rate, l);
    whole.mean += l->late + l->others * l->step;
    return whole;
}

/* Prompts are read by others, as busy as they may be, and the cache travels. */
static void set_apart(const struct inference *inference, double rate, double most,
                      struct latency *l)
{
    double read = l->prompt + l->late, busy = inference->constants->prefill_utilization;

    l->turn = read;
    l->turns_share = busy;
    l->wait = busy * read * (1 + l->spread) / (2 * (1 - busy));
    l->late = communication_cache(inference, inference->job.input_tokens);
    l->prompt = l->share = 0;
    set_running(inference, rate, most, l);
    l->first = sum(lognormal(read, l->spread), wait_of(l->wait, busy));
    l->first.mean += l->late + l->step;
    l->whole = sum(l->first, writing(inference, l));
}

static bool keeps_up(const struct latency *l)
{
    return l->share < 1 && l->gain < 1 && l->turns_share < 1;
}

static double late(const struct moments *moments)
{
    struct latency_shape shape = latency_shape_of(moments);

    return percentile(moments->mean, &shape, LATENCY_Z95);
}

/* To wait never makes a percentile less, as it would here where it is rare and long: three moments
 * do not tell that from a skewed whole. */
static struct moments later(struct moments waits, struct moments at_once)
{
    return late(&waits) < late(&at_once) ? at_once : waits;
}

/* On top of a time, and as skewed as that is: for the same reason. */
static struct moments with_slot(struct moments time, const struct latency *l)
{
    struct moments slot = sometimes(l->slot_chance, l->slot_seconds);
    double variance = time.variance + slot.variance;
    double wider = time.variance > 0 ? variance / time.variance : 0;

    return (struct moments){time.mean + slot.mean, variance, time.third * wider * sqrt(wider)};
}

struct latency latency_of(const struct inference *inference, double rate, double most)
{
    struct latency l = {.p50 = (double)NAN, .p95 = (double)NAN, .ttft_p95 = (double)NAN};

    set_prompt(inference, rate, &l);
    if (!inference->job.separate_prefill && !(l.share < 1))
        return l;
    if (inference->job.separate_prefill) {
        set_apart(inference, rate, most, &l);
    } else {
        set_running(inference, rate, most, &l);
        set_wait(inference, rate, &l);
        l.first =
            later(first_token(inference, rate, true, &l), first_token(inference, rate, false, &l));
        l.whole = later(together(inference, rate, true, &l), together(inference, rate, false, &l));
    }
    if (!keeps_up(&l))
        return l;
    double later = inference->constants->first_token;
    l.whole.mean += (later - 1) * l.first.mean;
    l.first = scaled(l.first, later);
    set_slot(inference, rate, most, &l);
    l.first = with_slot(l.first, &l);
    l.whole = with_slot(l.whole, &l);
    struct latency_shape whole = latency_shape_of(&l.whole);
    l.p50 = percentile(l.whole.mean, &whole, 0);
    l.p95 = late(&l.whole);
    l.ttft_p95 = late(&l.first);
    return l;
}

#include "estimate/inference/serving/latency.h"

#include "estimate/inference/communication.h"
#include "estimate/inference/serving/queue.h"

#include <math.h>

/* Share of requests that wait over the share of time that the server is busy; those who wait do so
 * by an exponential distribution. Set on tests/accuracy/simulate.py. */
static const double WAITING_SHARE = 0.45;

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

static double step_seconds(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;

    return inference_step(inference, fmax(1, batch / job->pipeline), inference_context(job)).total;
}

/* A prompt's time is a x length + b x length^2 in attention: the square's mean has the spread. */
static void set_prompt(const struct inference *inference, double rate, const struct served *served,
                       struct latency *l)
{
    const struct inference_job *job = &inference->job;
    double cv2 = job->input_cv * job->input_cv;
    double at_mean = inference->prefill.marginal / job->pipeline;
    double square = inference->prefill.square / job->pipeline;
    double steeper = at_mean > 0 ? (at_mean + square) / (at_mean + square * cv2) : 1;

    l->prompt = at_mean + square * cv2;
    l->spread = cv2 * steeper * steeper;
    l->share = rate * l->prompt;
    l->late = served->waiting.host + inference->prefill.one - at_mean;
}

/* What runs with a request where arrivals and lengths are random: of processor sharing whose
 * steps take a + b n, exactly (the number in flight is negative binomial). Prompts that come stall
 * all of it, and a request starts among them. */
static void set_running(const struct inference *inference, double rate, const struct served *served,
                        struct latency *l)
{
    const struct inference_job *job = &inference->job;
    double n = served->batch, more = fmax(1, sqrt(n));
    double here = served->step.total, there = step_seconds(inference, n + more);

    l->step_each = fmax(0, (there - here) / more);
    l->step_fixed = here - l->step_each * n;
    l->steps = (job->output_tokens - 1) / inference_tokens_per_step(&job->speculation);
    double stretched = rate * l->steps / (1 - l->share);
    double queue = rate * l->prompt * l->prompt * (1 + l->spread) / (2 * (1 - l->share));
    double stall = rate * l->share * (queue + l->prompt) / (1 - l->share);
    l->gain = stretched * l->step_each;
    l->running = (1 + stretched * l->step_fixed + stall) / (1 - l->gain);
    l->step = l->step_fixed + l->step_each * l->running;
    l->alone = exp(1 - l->running);
    l->others = 1 - l->alone;
}

/* Passes that a prompt fills. */
static double passes_of(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return job->input_tokens * (1 - job->cached_ratio) / inference->constants->ttft_pass_tokens;
}

static void set_wait(const struct inference *inference, double rate, struct latency *l)
{
    l->turn = l->prompt + l->others * l->step * passes_of(inference) +
              l->alone * inference->prefill.fixed;
    l->turns_share = rate * l->turn;
    l->wait = rate * l->turn * l->turn * (1 + l->spread) / (2 * (1 - l->turns_share));
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
static struct moments first_token(const struct inference *inference, double rate,
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
    return sum(sum(prompt, step), wait_of((1 - own) * gathered + own * l->wait, l->turns_share));
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

static struct moments together(const struct inference *inference, double rate,
                               const struct latency *l)
{
    double residual = l->others * l->step / 2, passes = passes_of(inference);
    struct moments step = {residual + l->others * l->step * passes,
                           l->others * l->step * l->step / 3 - residual * residual, 0};
    struct moments work = sum(sum(step, lognormal(l->prompt, l->spread)),
                              sum(wait_of(l->wait, l->turns_share), writing(inference, l)));
    struct moments whole = delayed(work, rate, l);

    whole.mean += l->late + l->others * l->step;
    return whole;
}

/* Prompts are read by others, as busy as they may be, and the cache travels. */
static void set_apart(const struct inference *inference, double rate, const struct served *served,
                      struct latency *l)
{
    double read = l->prompt + l->late, busy = inference->constants->prefill_utilization;

    l->turn = read;
    l->turns_share = busy;
    l->wait = busy * read * (1 + l->spread) / (2 * (1 - busy));
    l->late = communication_cache(inference, inference->job.input_tokens);
    l->prompt = l->share = 0;
    set_running(inference, rate, served, l);
    l->first = sum(lognormal(read, l->spread), wait_of(l->wait, busy));
    l->first.mean += l->late + l->step;
    l->whole = sum(l->first, writing(inference, l));
}

static bool keeps_up(const struct latency *l)
{
    return l->share < 1 && l->gain < 1 && l->turns_share < 1;
}

struct latency latency_of(const struct inference *inference, double rate,
                          const struct served *served, double most)
{
    struct latency l = {.p50 = (double)NAN, .p95 = (double)NAN, .ttft_p95 = (double)NAN};

    set_prompt(inference, rate, served, &l);
    if (inference->job.separate_prefill) {
        set_apart(inference, rate, served, &l);
    } else {
        set_running(inference, rate, served, &l);
        set_wait(inference, rate, &l);
        l.first = first_token(inference, rate, &l);
        l.whole = together(inference, rate, &l);
    }
    if (!keeps_up(&l))
        return l;
    double later = inference->constants->first_token;
    l.whole.mean += (later - 1) * l.first.mean;
    l.first = scaled(l.first, later);
    set_slot(inference, rate, most, &l);
    struct moments slot = sometimes(l.slot_chance, l.slot_seconds);
    l.first = sum(l.first, slot);
    l.whole = sum(l.whole, slot);
    struct latency_shape whole = latency_shape_of(&l.whole), first = latency_shape_of(&l.first);
    l.p50 = percentile(l.whole.mean, &whole, 0);
    l.p95 = percentile(l.whole.mean, &whole, LATENCY_Z95);
    l.ttft_p95 = percentile(l.first.mean, &first, LATENCY_Z95);
    return l;
}

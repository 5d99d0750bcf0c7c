/* prefill_pool.c - replicas that only read prompts (disaggregated prefill): passes and queue. */
#include "estimate/inference/scheduling.h"

#include "base/root.h"
#include "estimate/inference/communication.h"

#include <math.h>

static const double US = 1e-6;

static double seconds_with(const struct reader *pass, double prompts)
{
    return pass->fixed + pass->each * prompts + pass->apart * fmax(0, pass->groups - prompts) -
           fmax(0, pass->hidden * prompts - pass->again);
}

double inference_reader_hides(const struct inference *inference)
{
    const struct prefill *p = &inference->prefill;
    double sent = p->all_reduce, computed = p->marginal - sent;

    if (!inference->job.separate_prefill || !inference_overlaps_halves(inference))
        return 0;
    return inference_unevenness(inference) *
           fmin((1 - inference->constants->exchange_slows) * sent, computed);
}

double inference_reader_saves(const struct inference *inference)
{
    const struct reader *pass = &inference->reader;

    return fmax(0, pass->hidden - pass->again / pass->most);
}

void inference_set_reader(struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const struct prefill *p = &inference->prefill;
    double tokens = job->input_tokens * (1 - job->cached_ratio);
    double groups = fmax(1, job->attention_data), host = inference_host_seconds(inference);
    double launch = host - US * inference->constants->ttft_request_us;
    double prompts = inference_pass_tokens(inference) / tokens; /* below 1: several passes each */
    struct reader pass = {.host = host,
                          .fixed = (launch + p->fixed) * fmax(1, 1 / prompts),
                          .groups = groups,
                          .apart = groups > 1 ? p->shared : 0,
                          .most = groups * fmax(1, prompts),
                          .hidden = inference_reader_hides(inference),
                          .again = p->fixed * fmax(1, 1 / prompts)};

    pass.each = p->one - p->fixed - (groups - 1) * pass.apart;
    pass.first = seconds_with(&pass, 1);
    pass.full = seconds_with(&pass, pass.most);
    pass.share = pass.full / pass.most;
    inference->reader = pass;
}

double inference_reader_seconds(const struct inference *inference)
{
    return fmax(inference->reader.share,
                communication_cache(inference, inference->job.input_tokens));
}

/* With the cache of each prompt sent. */
static struct reader pass_of(const struct inference *inference)
{
    struct reader pass = inference->reader;

    pass.share = inference_reader_seconds(inference);
    return pass;
}

/* Passes that follow one another, each with the prompts that came in the one before. */
static double seconds_at(const struct reader *pass, double rate)
{
    double few = pass->fixed + pass->apart * pass->groups, least = pass->each - pass->apart;

    if (rate * pass->each >= 1)
        return (double)INFINITY;
    return fmax(pass->fixed / (1 - rate * pass->each), few / (1 - rate * least));
}

double inference_handover_seconds(const struct inference *inference, double step, double others)
{
    return step * (1 + inference->constants->handover_steps[inference->job.engine] * others);
}

double inference_writer_seconds(const struct served *served)
{
    const struct waiting *w = &served->waiting;

    return served->request_seconds - w->saturated - w->opening - w->reading;
}

bool inference_knows_readers(const struct inference_job *job)
{
    return job->readers_each > 0 && isfinite(job->readers_each);
}

double inference_reader_busy(const struct inference *inference, double rate)
{
    double each = inference->job.readers_each, most = inference->constants->prefill_utilization;

    return each > 0 ? fmin(most, rate * inference_reader_seconds(inference) / each) : most;
}

/* Mean number of n arrivals, at random within a period, that a server free for a share of it is
 * behind with: the integral of exp(-2 x (x / n + free)), a Brownian bridge. */
static double behind(double n, double free)
{
    double root = sqrt(n / 2), z = free * root, inverse = 1 / (z * z);

    if (z > 20) /* the limit of what follows */
        return (1 - inverse / 2 + 3 * inverse * inverse / 4) / (2 * free);
    return root * sqrt(M_PI) / 2 * exp(z * z) * erfc(z);
}

/* Seconds that a prompt waits before its pass, and that the pass takes longer than with it alone,
 * if prompts come at `rate` from `clients`. */
static double wait_at(const struct reader *pass, double rate, double clients)
{
    double met = fmin(pass->full, fmax(pass->first, seconds_at(pass, rate)));
    double busy = rate * met / (rate * met + exp(-rate * pass->first));
    double own = fmin(pass->full, seconds_with(pass, 1 + busy * rate * met));
    double used = fmin(1, rate * pass->share), before = busy * met / 2;

    if (used * pass->share > 2 * (1 - used) * before) /* else it is behind with less */
        before = fmax(before, used * behind(clients, 1 - used) * pass->share);
    return fmax(0, own - pass->first) + before;
}

/* Seconds over which clients that started together send their next prompts, on average over all
 * rounds but the first: those it takes to read one of each, and answers of other lengths spread
 * them further in every round. */
static double spread_of(const struct inference *inference, double reading, double answer)
{
    double rounds = inference->constants->ttft_requests, first = reading * reading;
    double apart = 12 * pow(inference->job.output_cv * answer, 2); /* evenly within a range */

    return (sqrt(first + apart / 2) + sqrt(first + apart * (rounds - 0.5))) / 2;
}

/* What decides the wait of a client's prompt. */
struct clients {
    struct reader pass;
    double each, others; /* clients of a reader, and those besides the one that waits */
    double spread, answer, idle, slot, slower;
};

static double cycle_of(const struct clients *c, double wait)
{
    return c->answer + c->slower * fmax(c->idle + wait, c->slot);
}

/* The wait if those of the others last `wait` seconds. */
static double wait_after(const struct clients *c, double wait)
{
    double within = fmin(c->spread, cycle_of(c, wait));

    return wait_at(&c->pass, c->others / within, c->each);
}

/* Where they hardly delay one another the first guess is as good as the root. */
static double wait_of(const struct clients *c)
{
    enum { STEPS = 60 };
    const double hardly = 1e-3, near = 1e-7;
    double most = wait_after(c, 0), cycle = cycle_of(c, 0);

    if (cycle >= c->spread)
        return most;
    struct root root = {0, most, -most, most - wait_after(c, most), 0};
    double wait = root_guess(&root);
    if (!(root.at_high > hardly * cycle))
        return root.at_high > 0 ? wait : most;
    for (int i = 0; i < STEPS && root.high - root.low > near * cycle; i++) {
        root_narrow(&root, wait, wait - wait_after(c, wait));
        wait = root_guess(&root);
    }
    return wait;
}

void inference_wait_for_readers(const struct inference *inference, double idle, double slot,
                                struct served *served)
{
    struct clients c = {.pass = pass_of(inference),
                        .each = served->concurrency / inference->job.readers_each,
                        .answer = (inference->job.output_tokens - 1) * served->tpot,
                        .idle = idle,
                        .slot = slot,
                        .slower = inference->constants->first_token};

    c.others = fmax(0, c.each - 1 / inference->job.readers_each);
    c.spread = spread_of(inference, c.each * c.pass.share, c.answer);
    served->waiting.reading = wait_of(&c);
    served->waiting.opening = c.others * c.pass.share / (2 * inference->constants->ttft_requests);
    served->waiting.busy = fmin(1, c.others * c.pass.share / cycle_of(&c, served->waiting.reading));
}

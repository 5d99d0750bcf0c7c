/* replica.c - one replica within the limits: how many requests it holds in flight, and its rate. */
#include "estimate/inference/serving/serving.h"

#include "base/root.h"
#include "estimate/inference/serving/queue.h"

#include <math.h>

double serving_most_in_flight(const struct inference *inference)
{
    const struct kv_pool *pool = &inference->pool;

    return fmin(inference->job.static_batching ? pool->held : pool->requests,
                inference_admitted(inference));
}

bool serving_is_open(const struct inference *inference)
{
    return inference->job.open_arrivals && !inference->job.static_batching;
}

struct serving_times serving_times_mean(const struct served *served)
{
    return (struct serving_times){served->request_seconds, served->ttft, served->tpot,
                                  served->ttft};
}

struct serving_times serving_times_open(const struct inference *inference, double rate)
{
    struct latency tails = latency_tails(inference, rate, serving_most_in_flight(inference));

    return (struct serving_times){tails.p95, tails.ttft_p95, (double)NAN, tails.ttft_p95_most};
}

struct served serving_lone(const struct inference *inference)
{
    return inference_serve_arrivals(inference, 1, 0);
}

struct serving_times serving_times_lone(const struct inference *inference)
{
    struct served lone = serving_lone(inference);
    struct serving_times times = serving_times_mean(&lone);

    if (serving_is_open(inference)) {
        struct latency tails = latency_tails(inference, 0, (double)INFINITY);
        times.latency = tails.p95;
        times.ttft = times.ttft_most = tails.ttft_p95;
    }
    return times;
}

static double batch_without_limits(const struct inference *inference, enum serving_limit *limit)
{
    double most = floor(fmin(serving_most_in_flight(inference), inference->pool.held));

    *limit = most + 1 > inference_admitted(inference) ? SERVING_THROUGHPUT : SERVING_CACHE;
    return most;
}

double serving_in_flight(const struct serving_request *request, const struct inference *inference,
                         double replicas)
{
    if (request->load == SERVING_BATCH)
        return request->amount;
    if (request->load == SERVING_CONCURRENT)
        return request->amount / replicas;
    return queue_batch(inference, request->amount * request->peak_ratio / replicas,
                       serving_most_in_flight(inference));
}

static struct served at_mean(const struct inference *inference, double batch, double mean)
{
    return inference_serve_arrivals(inference, batch, mean > 0 ? queue_rate(inference, mean) : 0);
}

struct served serving_least(const struct inference *inference, double batch)
{
    if (!serving_is_open(inference))
        return inference_serve(inference, batch);
    double n = inference->job.routed;
    return at_mean(inference, batch,
                   batch > 1 ? queue_routed_mean(SERVING_TAIL_SHARE, batch - 1, n) : 0);
}

/* If first tokens would be well in time without further waits for a slot, slots determine the size
 * of the design; otherwise first tokens do. */
static enum serving_limit first_limit(const struct serving_limits *limits,
                                      const struct serving_times *times)
{
    const double in_time = 0.95;

    return times->ttft <= in_time * limits->ttft_seconds ? SERVING_SLOTS : SERVING_TTFT;
}

/* By how much the times exceed their limits; at most 0 if they do not. */
static double excess_of(const struct serving_limits *limits, struct serving_times times,
                        enum serving_limit *what)
{
    double late = times.latency / limits->latency_p95_seconds - 1;
    double first = times.ttft_most / limits->ttft_seconds - 1;
    double slow = times.tpot * limits->user_tokens_per_second - 1;
    double most = fmax(slow, fmax(late, first)); /* NAN if there is no limit */

    *what = slow >= most                   ? SERVING_USER_RATE
            : first < most || isnan(first) ? SERVING_LATENCY
                                           : first_limit(limits, &times);
    return isnan(times.latency) ? (double)INFINITY : most;
}

/* The limit that such a replica breaks, and about how much it exceeds the limits. For random
 * arrivals with many requests in flight, bounds of the mean are tried first, which usually
 * suffice. */
static enum serving_limit broken_at(const struct serving_limits *limits,
                                    const struct inference *inference, double batch, double *excess)
{
    const double many = 32;
    enum serving_limit what;
    double low, high;

    if (serving_is_open(inference) && batch > many) {
        double n = fmax(1, inference->job.routed);
        queue_poisson_mean_within(n * (batch - 1), &low, &high);
        struct served most = at_mean(inference, batch, high / n);
        struct serving_times times = serving_times_mean(&most);
        *excess = excess_of(limits, times, &what);
        if (serving_broken(limits, &times) == SERVING_NOTHING)
            return SERVING_NOTHING;
        struct served least = at_mean(inference, batch, low / n);
        times = serving_times_mean(&least);
        what = serving_broken(limits, &times);
        if (what != SERVING_NOTHING)
            return what;
    }
    struct served served = serving_least(inference, batch);
    struct serving_times times = serving_times_mean(&served);
    *excess = excess_of(limits, times, &what);
    return serving_broken(limits, &times);
}

/* The next number to try between one within the limits and one beyond, by false position
 * (Illinois), every third time by bisection. */
static double between(double low, double below, double high, double above, int i)
{
    double at = low + (high - low) * below / (below - above);

    if (i % 3 == 2 || !(at > low && at < high))
        at = (low + high) / 2;
    return fmax(low + 1, fmin(floor(at), high - 1));
}

double serving_batch_within(const struct serving_request *request,
                            const struct inference *inference, enum serving_limit *limit)
{
    double low = 0, high = batch_without_limits(inference, limit) + 1;
    double below = (double)NAN, above = (double)NAN, excess;
    struct serving_limits limits = request->limits;

    if (serving_is_open(inference)) /* percentiles are checked in serving_mean_within() */
        limits.latency_p95_seconds = limits.ttft_seconds = (double)NAN;
    if (!serving_limited(&limits))
        return high - 1;
    /* A limit broken by a single request is always broken; then check whether the maximum breaks
     * any. */
    for (int i = 0, stayed = 0; high - low > 1; i++) { /* low is within the limits, high is not */
        double at = i == 0 ? 1 : i == 1 ? high - 1 : between(low, below, high, above, i);
        enum serving_limit what = broken_at(&limits, inference, at, &excess);
        if (what == SERVING_NOTHING) {
            low = at;
            below = excess;
            above /= stayed == -1 ? 2 : 1;
            stayed = -1;
        } else {
            high = at;
            above = excess;
            *limit = what;
            below /= stayed == 1 ? 2 : 1;
            stayed = 1;
        }
    }
    return low;
}

/* The percentiles that have a limit, others are 0; the latency is NAN if the queue is unstable. */
static struct serving_times limited_times(const struct serving_limits *limits,
                                          const struct inference *inference, double rate)
{
    struct serving_times times = {0, 0, (double)NAN, 0};

    if (!isnan(limits->latency_p95_seconds)) {
        struct latency tails =
            latency_tails_near(inference, rate, serving_most_in_flight(inference),
                               limits->latency_p95_seconds, limits->ttft_seconds);
        return (struct serving_times){tails.p95, tails.ttft_p95, (double)NAN, tails.ttft_p95_most};
    }
    if (!isnan(limits->ttft_seconds)) {
        struct latency first = latency_first(inference, rate, serving_most_in_flight(inference));
        times.ttft = first.ttft_p95;
        times.ttft_most = first.ttft_p95_most;
        times.latency = isnan(times.ttft) ? (double)NAN : 0;
    }
    return times;
}

/* The limited times at that rate, with at most `batch` in flight 95% of the time. */
static struct serving_times times_at(const struct serving_limits *limits,
                                     const struct inference *inference, double batch, double rate)
{
    struct serving_times times = limited_times(limits, inference, rate);

    if (!isnan(limits->user_tokens_per_second))
        times.tpot = queue_token_most(inference, batch, rate, serving_most_in_flight(inference));
    return times;
}

/* Relative error of the rate within the limits. */
static const double RATE_ERROR = 1e-7;

/* The rate of each of that number of replicas, and a bit more. */
static double rate_of_each(const struct serving_request *request, double replicas)
{
    return request->amount * request->peak_ratio / replicas * (1 + RATE_ERROR);
}

/* Whether `low` takes the fewest replicas of all rates below `high`, and no other is needed. */
static bool is_counted(const struct serving_request *request, double low, double high)
{
    double fewest = floor(rate_of_each(request, high) * (1 + RATE_ERROR)) + 1;

    return request->counted && low > 0 && !(rate_of_each(request, fewest) > low);
}

/* The rate nearest to a guess at which the number of replicas changes. */
static double rate_to_count(const struct serving_request *request, const struct root *root,
                            double guess)
{
    double replicas = ceil(request->amount * request->peak_ratio / guess);
    double rate = rate_of_each(request, replicas);

    if (!(rate > root->low)) /* that number suffices: does one less? */
        rate = rate_of_each(request, replicas - 1);
    return rate > root->low && rate < root->high ? rate : guess;
}

/* The largest rate in [0, high] whose times keep the limits; they do at 0, by `below`, and not at
 * `high`. False position; bisection where the queue has no end or the curve is steep. If only
 * the number of replicas matters, any rate that needs as many will do: an excess is then cut off at
 * `far`, as times near a full load say little about where the limit is. */
static double rate_within(const struct serving_request *request, const struct inference *inference,
                          double batch, double below, double high, double above,
                          enum serving_limit *limit)
{
    enum { STEPS = 100 };
    const double far = request->counted ? 0.25 : (double)INFINITY;
    const struct serving_limits *limits = &request->limits;
    enum serving_limit what;
    struct root root = {0, high, below, above > far ? far : above, 0};

    for (int i = 0; i < STEPS && root.high - root.low > RATE_ERROR * root.high &&
                    !is_counted(request, root.low, root.high);
         i++) {
        bool halve = i % 4 == 3 || isinf(root.at_high);
        double middle = halve ? (root.low + root.high) / 2 : root_guess(&root);
        if (request->counted)
            middle = rate_to_count(request, &root, middle);
        double excess = excess_of(limits, times_at(limits, inference, batch, middle), &what);
        if (excess > 0)
            *limit = what;
        root_narrow(&root, middle, excess > far ? far : excess);
    }
    return root.low;
}

/* Pinned numbers are evaluated as given. */
static bool leaves_room(const struct serving_request *request)
{
    return request->load == SERVING_RATE && request->peak_load_most > 0 &&
           request->peak_load_most < 1 && isnan(request->pinned.replicas) &&
           isnan(request->pinned.gpu_count);
}

/* The highest rate that leaves room at the peak; infinite if none has to be left. */
static double rate_most_loaded(const struct serving_request *request,
                               const struct inference *inference)
{
    return leaves_room(request) ? request->peak_load_most * serving_rate_full(inference)
                                : (double)INFINITY;
}

/* The rate of one that only writes, with a full cache, costs more to find than it rules out. */
double serving_rate_most_sized(const struct serving_request *request,
                               const struct inference *inference, double batch)
{
    double most = serving_rate_most(inference, batch);

    return inference_mixes_arrivals(&inference->job)
               ? fmin(most, rate_most_loaded(request, inference))
               : most;
}

/* With the cache full it carries as much or less than at best. */
bool serving_is_overloaded(const struct serving_request *request, const struct inference *inference,
                           double rate)
{
    return leaves_room(request) &&
           rate >
               request->peak_load_most * queue_rate(inference, serving_most_in_flight(inference)) &&
           rate > rate_most_loaded(request, inference);
}

double serving_reading_most(const struct serving_request *request,
                            const struct inference *inference)
{
    double most = inference->constants->prefill_utilization;

    return leaves_room(request) ? fmin(most, request->peak_load_most) : most;
}

/* At most `mean` in flight, such that room is left at the peak. */
static double with_room(const struct serving_request *request, const struct inference *inference,
                        double mean, enum serving_limit *limit)
{
    const double rounding = 1 - 1e-8;

    if (!leaves_room(request))
        return mean;
    double rate = rate_most_loaded(request, inference) * rounding;
    double batch = queue_batch(inference, rate, serving_most_in_flight(inference));
    if (!(batch < mean))
        return mean;
    *limit = SERVING_HEADROOM;
    return batch;
}

/* At most `mean` in flight, such that the queue is stable under random arrivals: percentiles stop
 * existing slightly below the maximum throughput. */
static double with_percentiles(const struct inference *inference, double mean,
                               enum serving_limit *limit)
{
    if (!serving_is_open(inference))
        return mean;
    double most = serving_most_in_flight(inference);
    double high = queue_rate(inference, queue_best_batch(inference, mean));
    double rate = queue_rate_with_end(inference, high, most);
    if (rate == high)
        return mean;
    *limit = SERVING_QUEUE;
    return rate > 0 ? queue_batch(inference, rate, mean) : 0;
}

double serving_mean_within(const struct serving_request *request, const struct inference *inference,
                           double batch, const struct serving_times *lone,
                           enum serving_limit *limit)
{
    const struct serving_limits *limits = &request->limits;
    enum serving_limit what = SERVING_NOTHING;

    if (batch < 1)
        return 0;
    bool limited = serving_is_open(inference) && serving_limited(limits);
    double below = limited ? excess_of(limits, *lone, &what) : 0;
    if (below > 0) {
        *limit = what;
        return 0;
    }
    double most = fmin(queue_routed_mean(SERVING_TAIL_SHARE, batch, inference->job.routed),
                       serving_most_in_flight(inference));
    most = with_room(request, inference, most, limit);
    if (!limited)
        return with_percentiles(inference, most, limit);
    double rate = queue_rate(inference, queue_best_batch(inference, most));
    double above = excess_of(limits, times_at(limits, inference, batch, rate), &what);
    if (above <= 0)
        return with_percentiles(inference, most, limit);
    *limit = what;
    rate = rate_within(request, inference, batch, below, rate, above, limit);
    return rate > 0 ? with_percentiles(inference, queue_batch(inference, rate, most), limit) : 0;
}

/* A request's time divided by the number in flight falls with that number: a step reads the weights
 * once for all of them, and a prompt delays others by less than its own time. Only waits for a
 * first token may grow faster; they are ignored here. */
double serving_rate_most(const struct inference *inference, double batch)
{
    const double rounding = 1 + 1e-9;
    const struct inference_job *job = &inference->job;
    struct served served = inference_serve(inference, batch);
    double prompt = inference->prefill.one + served.waiting.longer;
    double seconds = prompt + (job->output_tokens - 1) * served.tpot;

    return batch / (job->static_batching ? served.request_seconds : seconds) * rounding;
}

double serving_rate_full(const struct inference *inference)
{
    return queue_rate(inference, queue_best_batch(inference, serving_most_in_flight(inference)));
}

/* Times of a single request, as far as they are limited. */
static struct serving_times lone_limited(const struct serving_limits *limits,
                                         const struct inference *inference)
{
    if (!isnan(limits->latency_p95_seconds) || !isnan(limits->ttft_seconds))
        return serving_times_lone(inference);
    struct served lone = serving_lone(inference);
    return serving_times_mean(&lone);
}

bool serving_replica_alone(const struct serving_request *request, struct serving_replica *replica)
{
    if (!replica->fits)
        return false;
    if (serving_limited(&request->limits))
        replica->lone_times = lone_limited(&request->limits, &replica->inference);
    return serving_broken(&request->limits, &replica->lone_times) == SERVING_NOTHING;
}

void serving_replica_limit(const struct serving_request *request, struct serving_replica *replica)
{
    const struct inference *inference = &replica->inference;

    if (!replica->fits)
        return;
    (void)serving_replica_alone(request, replica);
    replica->batch_within = serving_batch_within(request, inference, &replica->limit);
    replica->mean_within = serving_mean_within(request, inference, replica->batch_within,
                                               &replica->lone_times, &replica->limit);
}

void serving_replica_of(const struct inference *unsplit, const struct serving_design *design,
                        struct serving_replica *replica)
{
    const struct kv_pool *pool = &replica->inference.pool;

    replica->inference = *unsplit;
    replica->correction = (struct serving_correction){0};
    if (unsplit->job.separate_prefill)
        replica->inference.job.readers_each = (double)INFINITY; /* as yet */
    inference_shard(&replica->inference, design->tensor, design->attention_data, design->pipeline);
    replica->fits = pool->bytes > 0 && pool->held >= 1 && pool->bytes >= pool->bytes_longest &&
                    !serving_is_crowded(&replica->inference);
    replica->batch_within = replica->mean_within = replica->rate_within = 0;
    replica->lone_times = (struct serving_times){0, 0, 0, 0};
    replica->limit = SERVING_NOTHING;
    if (replica->fits)
        replica->batch_within = batch_without_limits(&replica->inference, &replica->limit);
}

void serving_replica_size(struct serving_replica *replica)
{
    if (replica->fits)
        replica->rate_within =
            replica->mean_within > 0
                ? queue_rate(&replica->inference,
                             queue_best_batch(&replica->inference, replica->mean_within))
                : 0;
}

void serving_replica_finish(struct serving_replica *replica)
{
    const struct inference *inference = &replica->inference;
    double batch;

    if (!replica->fits)
        return;
    replica->rate = serving_rate_full(inference);
    replica->lone = serving_lone(inference);
    replica->offline = inference_offline(inference, &batch);
}

bool serving_replica_correct(const struct serving_request *request,
                             const struct serving_design *design, struct serving_replica *replica)
{
    const struct serving_residuals *residuals = &request->residuals;
    struct serving_correction correction;

    if (!residuals->correct || !replica->fits)
        return false;
    double n = serving_in_flight(request, &replica->inference, design->replicas);
    const struct inference_constants *constants = residuals->correct(
        residuals->runs, request->constants, &replica->inference.job,
        isnan(n) ? serving_most_in_flight(&replica->inference) : n, residuals->arena, &correction);
    if (!constants)
        return false;
    struct inference unsplit = inference_unsharded(constants, &request->job);
    serving_replica_of(&unsplit, design, replica);
    replica->correction = correction;
    return true;
}

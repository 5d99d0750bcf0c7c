#include "estimate/inference/serving/pools.h"

#include "estimate/inference/communication.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/search.h"

#include <math.h>

static double arrivals(const struct serving_request *request)
{
    return request->amount * request->peak_ratio;
}

double serving_pools_prefill_least(const struct serving_request *request,
                                   const struct inference *inference)
{
    if (!request->job.separate_prefill)
        return 0;
    if (request->load != SERVING_RATE)
        return 1; /* more decode replicas may take more */
    return fmax(1, ceil(arrivals(request) * inference_reader_seconds(inference) /
                        serving_reading_most(request, inference)));
}

static bool keeps_limits(const struct serving_limits *limits, const struct inference *one, double n)
{
    if (!serving_limited(limits))
        return true;
    struct served tail = inference_serve(one, n);
    struct serving_times times = serving_times_mean(&tail);
    return serving_broken(limits, &times) == SERVING_NOTHING;
}

/* The same in a closed loop; `one` has its share of prefill replicas. */
static bool carry_loop(const struct serving_request *request, const struct inference *one,
                       struct serving_pools pools)
{
    bool each = request->load == SERVING_BATCH;
    double n = each ? request->amount : request->amount / pools.decode, most = each ? n : ceil(n);

    if ((!each && most > one->pool.held) || !keeps_limits(&request->limits, one, most))
        return false;
    struct served mean = inference_serve(one, n);
    double rate = pools.decode * n / inference_writer_seconds(&mean);
    return rate * inference_reader_seconds(one) / one->constants->prefill_utilization <=
           pools.prefill;
}

/* At the rate at which `inference` sends the cache. */
static bool carry(const struct serving_request *request, const struct inference *inference,
                  struct serving_pools pools)
{
    const struct serving_limits *limits = &request->limits;
    struct inference one = *inference;
    double rate = arrivals(request) / pools.decode, most = serving_most_in_flight(inference);

    one.job.readers_each = pools.prefill / pools.decode;
    if (request->load != SERVING_RATE)
        return carry_loop(request, &one, pools);
    if (pools.prefill < serving_pools_prefill_least(request, inference) ||
        serving_is_overloaded(request, &one, rate) ||
        latency_is_over(&one, rate, most, limits->latency_p95_seconds, limits->ttft_seconds))
        return false;
    double mean = queue_batch(&one, rate, most);
    if (isnan(mean))
        return false;
    double tail = fmax(1, queue_poisson_quantile(SERVING_TAIL_SHARE, mean));
    if (tail > inference->pool.held)
        return false;
    return isnan(limits->user_tokens_per_second) ||
           inference_serve_arrivals(&one, tail, rate).tpot * limits->user_tokens_per_second <= 1;
}

static double replicas(struct serving_pools pools)
{
    return pools.decode + pools.prefill;
}

static double gpus_each(const struct inference *inference)
{
    return inference->job.tensor * inference->job.pipeline;
}

bool serving_pools_carry(const struct serving_request *request, const struct inference *inference,
                         struct serving_pools pools)
{
    struct inference own = *inference;

    own.job.pools_gpus = replicas(pools) * gpus_each(inference);
    return carry(request, &own, pools);
}

static double spare_of(const struct serving_request *request)
{
    return isnan(request->pinned.replicas) ? request->spare_replicas : 0;
}

/* Whether that many replicas, and the spare ones, send the cache within a server or link domain. */
static bool are_together(const struct serving_request *request, const struct inference *inference,
                         double count)
{
    return (count + spare_of(request)) * gpus_each(inference) <= communication_together(inference);
}

/* The same in a closed loop with the spare decode replicas too, as they make requests end sooner
 * and so the prefill replicas busier; nor are pools of one server taken for slower ones, which need
 * fewer prefill replicas. */
static bool carry_always(const struct serving_request *request, const struct inference *inference,
                         struct serving_pools pools)
{
    double spare = spare_of(request);
    struct serving_pools all = {pools.decode + spare, pools.prefill};
    bool apart = isinf(inference->job.pools_gpus);

    if (request->load == SERVING_RATE)
        return carry(request, inference, pools);
    if (apart && are_together(request, inference, replicas(pools)))
        return false;
    return carry(request, inference, pools) && (spare == 0 || carry(request, inference, all));
}

/* The same replica where the cache goes over the network. */
static struct inference across(const struct inference *inference)
{
    struct inference apart = *inference;

    apart.job.pools_gpus = (double)INFINITY;
    return apart;
}

/* More than `none` and at most `enough`, which does; the doubling before it finds one where that is
 * not known. Infinite if no number does. */
static double fewest_prefill(const struct serving_request *request,
                             const struct inference *inference, double decode, double none,
                             double enough)
{
    double tried = none + 1;

    while (isinf(enough) && tried <= SERVING_GPUS_MAX) {
        if (carry_always(request, inference, (struct serving_pools){decode, tried}))
            enough = tried;
        else
            none = tried;
        tried *= 2;
    }
    while (isfinite(enough) && enough - none > 1) {
        double middle = floor((none + enough) / 2);
        if (carry_always(request, inference, (struct serving_pools){decode, middle}))
            enough = middle;
        else
            none = middle;
    }
    return enough;
}

/* Where no number keeps the limits: as many as read the prompts, as busy as they may be. */
static double prefill_alone(const struct serving_request *request,
                            const struct inference *inference, double decode)
{
    struct inference one = *inference;
    double n = request->load == SERVING_BATCH ? request->amount : request->amount / decode;

    one.job.readers_each = 0; /* as busy as they may be */
    struct served served = inference_serve(&one, n);
    double rate = decode * n / inference_writer_seconds(&served);
    return fmax(1, ceil(rate * inference_reader_seconds(inference) /
                        inference->constants->prefill_utilization));
}

double serving_pools_prefill(const struct serving_request *request,
                             const struct inference *inference, double decode)
{
    double reading = serving_pools_prefill_least(request, inference);
    double prefill = (double)INFINITY;
    struct inference apart = across(inference);

    if (are_together(request, inference, decode + reading))
        prefill = fewest_prefill(request, inference, decode, reading - 1, prefill);
    if (are_together(request, inference, decode + prefill))
        return prefill;
    reading = fmax(reading, serving_pools_prefill_least(request, &apart));
    prefill = fewest_prefill(request, &apart, decode, reading - 1, (double)INFINITY);
    if (isfinite(prefill))
        return prefill;
    return request->load == SERVING_RATE ? reading : prefill_alone(request, &apart, decode);
}

/* Two numbers of decode replicas, each with its fewest prefill replicas. */
struct span {
    struct serving_pools few, many;
};

/* Halves of a span are halved in turn, the lower one first, so at most one is left over at each of
 * log2(SERVING_GPUS_MAX) depths. */
enum { SPANS_MAX = 64 };

/* More decode replicas never need more prefill replicas. A number of decode replicas between two
 * others therefore needs at least one more than the lower number, and the prefill replicas of the
 * higher one. */
static bool can_have_fewer(const struct span *span, struct serving_pools best)
{
    return span->many.decode - span->few.decode > 1 &&
           span->few.decode + 1 + span->many.prefill < replicas(best);
}

/* Branch and bound over the numbers of decode replicas within the span. */
static void narrow(const struct serving_request *request, const struct inference *inference,
                   struct span all, struct serving_pools *best)
{
    struct span open[SPANS_MAX] = {all};

    for (size_t n = 1; n > 0;) {
        const struct span span = open[--n];
        if (!can_have_fewer(&span, *best))
            continue;
        struct serving_pools middle = {.decode = floor((span.few.decode + span.many.decode) / 2)};
        middle.prefill = fewest_prefill(request, inference, middle.decode, span.many.prefill - 1,
                                        span.few.prefill);
        if (replicas(middle) < replicas(*best))
            *best = middle;
        open[n++] = (struct span){middle, span.many};
        open[n++] = (struct span){span.few, middle};
    }
}

/* The fewest decode replicas with the prefill replicas that are pinned. */
static bool fewest_decode(const struct serving_request *request, const struct inference *inference,
                          struct serving_pools *pools)
{
    double none = pools->decode - 1, enough = pools->decode;

    while (!carry_always(request, inference, (struct serving_pools){enough, pools->prefill})) {
        none = enough;
        enough *= 2;
        if (enough > SERVING_GPUS_MAX)
            return false;
    }
    while (enough - none > 1) {
        double middle = floor((none + enough) / 2);
        if (carry_always(request, inference, (struct serving_pools){middle, pools->prefill}))
            enough = middle;
        else
            none = middle;
    }
    pools->decode = enough;
    return true;
}

/* In a closed loop more decode replicas may take more prefill replicas, as requests then end
 * sooner: each number of decode replicas is tried with the most prefill replicas that would be
 * fewer replicas. */
static void narrow_loop(const struct serving_request *request, const struct inference *inference,
                        double decode, struct serving_pools *best)
{
    for (; decode + 1 < replicas(*best); decode++) {
        double most = replicas(*best) - 1 - decode;
        if (!carry_always(request, inference, (struct serving_pools){decode, most}))
            continue;
        double prefill = fewest_prefill(request, inference, decode, 0, most);
        *best = (struct serving_pools){decode, prefill};
    }
}

/* The pools of the fewest replicas at the rate at which `inference` sends the cache. */
static bool fewest(const struct serving_request *request, const struct inference *inference,
                   double decode, struct serving_pools *pools)
{
    double reading = serving_pools_prefill_least(request, inference);
    struct serving_pools few = {decode - 1, (double)INFINITY};

    *pools = (struct serving_pools){decode, request->pinned.prefill_replicas};
    if (!isnan(pools->prefill))
        return fewest_decode(request, inference, pools);
    pools->prefill = fewest_prefill(request, inference, decode, reading - 1, (double)INFINITY);
    while (isinf(pools->prefill) && pools->decode < SERVING_GPUS_MAX) {
        few.decode = pools->decode;
        pools->decode *= 2;
        pools->prefill =
            fewest_prefill(request, inference, pools->decode, reading - 1, (double)INFINITY);
    }
    if (isinf(pools->prefill))
        return false;
    if (request->load != SERVING_RATE) {
        narrow_loop(request, inference, decode, pools);
        return true;
    }
    struct serving_pools first = *pools,
                         many = {replicas(first) - reading, reading}; /* none beyond has fewer */
    narrow(request, inference, (struct span){few, first}, pools);
    narrow(request, inference, (struct span){first, many}, pools);
    return true;
}

/* Those of one server are the fewest, if they carry the load; across servers the cache is slower.
 */
bool serving_pools_fewest(const struct serving_request *request, const struct inference *inference,
                          double decode, struct serving_pools *pools)
{
    double least = decode + serving_pools_prefill_least(request, inference);

    if (are_together(request, inference, least)) {
        if (!fewest(request, inference, decode, pools))
            return false;
        if (are_together(request, inference, replicas(*pools)))
            return true;
    }
    struct inference apart = across(inference);
    return fewest(request, &apart, decode, pools);
}

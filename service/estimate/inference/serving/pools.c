#include "estimate/inference/serving/pools.h"

#include "estimate/inference/communication.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/search.h"

#include <math.h>

static double arrivals(const struct serving_request *request)
{
    return request->amount * request->peak_ratio;
}

double serving_pools_reading(const struct serving_request *request,
                             const struct inference *inference)
{
    if (!request->job.separate_prefill)
        return 0;
    if (request->load != SERVING_RATE)
        return 1; /* more writers may take more */
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

/* The same in a closed loop; `one` has its share of readers. */
static bool carry_loop(const struct serving_request *request, const struct inference *one,
                       struct serving_pools pools)
{
    bool each = request->load == SERVING_BATCH;
    double n = each ? request->amount : request->amount / pools.writers, most = each ? n : ceil(n);

    if ((!each && most > one->pool.held) || !keeps_limits(&request->limits, one, most))
        return false;
    struct served mean = inference_serve(one, n);
    double rate = pools.writers * n / inference_writer_seconds(&mean);
    return rate * inference_reader_seconds(one) / one->constants->prefill_utilization <=
           pools.readers;
}

/* At the rate at which `inference` sends the cache. */
static bool carry(const struct serving_request *request, const struct inference *inference,
                  struct serving_pools pools)
{
    const struct serving_limits *limits = &request->limits;
    struct inference one = *inference;
    double rate = arrivals(request) / pools.writers, most = serving_most_in_flight(inference);

    one.job.readers_each = pools.readers / pools.writers;
    if (request->load != SERVING_RATE)
        return carry_loop(request, &one, pools);
    if (pools.readers < serving_pools_reading(request, inference) ||
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
    return pools.writers + pools.readers;
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

/* The same in a closed loop with the spare writers too, as they make requests end sooner and so the
 * readers busier; nor are pools of one server taken for slower ones, which need fewer readers. */
static bool carry_always(const struct serving_request *request, const struct inference *inference,
                         struct serving_pools pools)
{
    double spare = spare_of(request);
    struct serving_pools all = {pools.writers + spare, pools.readers};
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
static double fewest_readers(const struct serving_request *request,
                             const struct inference *inference, double writers, double none,
                             double enough)
{
    double tried = none + 1;

    while (isinf(enough) && tried <= SERVING_GPUS_MAX) {
        if (carry_always(request, inference, (struct serving_pools){writers, tried}))
            enough = tried;
        else
            none = tried;
        tried *= 2;
    }
    while (isfinite(enough) && enough - none > 1) {
        double middle = floor((none + enough) / 2);
        if (carry_always(request, inference, (struct serving_pools){writers, middle}))
            enough = middle;
        else
            none = middle;
    }
    return enough;
}

/* Where no number keeps the limits: as many as read the prompts, as busy as they may be. */
static double readers_alone(const struct serving_request *request,
                            const struct inference *inference, double writers)
{
    struct inference one = *inference;
    double n = request->load == SERVING_BATCH ? request->amount : request->amount / writers;

    one.job.readers_each = 0; /* as busy as they may be */
    struct served served = inference_serve(&one, n);
    double rate = writers * n / inference_writer_seconds(&served);
    return fmax(1, ceil(rate * inference_reader_seconds(inference) /
                        inference->constants->prefill_utilization));
}

double serving_pools_readers(const struct serving_request *request,
                             const struct inference *inference, double writers)
{
    double reading = serving_pools_reading(request, inference);
    double readers = (double)INFINITY;
    struct inference apart = across(inference);

    if (are_together(request, inference, writers + reading))
        readers = fewest_readers(request, inference, writers, reading - 1, readers);
    if (are_together(request, inference, writers + readers))
        return readers;
    reading = fmax(reading, serving_pools_reading(request, &apart));
    readers = fewest_readers(request, &apart, writers, reading - 1, (double)INFINITY);
    if (isfinite(readers))
        return readers;
    return request->load == SERVING_RATE ? reading : readers_alone(request, &apart, writers);
}

/* Two numbers of writers, each with its fewest readers. */
struct span {
    struct serving_pools few, many;
};

/* Halves of a span are halved in turn, the lower one first, so at most one is left over at each of
 * log2(SERVING_GPUS_MAX) depths. */
enum { SPANS_MAX = 64 };

/* More writers never take more readers, so of all numbers between two of writers none has fewer
 * replicas than one more than the lesser with the readers of the greater. */
static bool can_have_fewer(const struct span *span, struct serving_pools best)
{
    return span->many.writers - span->few.writers > 1 &&
           span->few.writers + 1 + span->many.readers < replicas(best);
}

/* Branch and bound over the numbers of writers within the span. */
static void narrow(const struct serving_request *request, const struct inference *inference,
                   struct span all, struct serving_pools *best)
{
    struct span open[SPANS_MAX] = {all};

    for (size_t n = 1; n > 0;) {
        const struct span span = open[--n];
        if (!can_have_fewer(&span, *best))
            continue;
        struct serving_pools middle = {.writers =
                                           floor((span.few.writers + span.many.writers) / 2)};
        middle.readers = fewest_readers(request, inference, middle.writers, span.many.readers - 1,
                                        span.few.readers);
        if (replicas(middle) < replicas(*best))
            *best = middle;
        open[n++] = (struct span){middle, span.many};
        open[n++] = (struct span){span.few, middle};
    }
}

/* The fewest writers with the readers that are pinned. */
static bool fewest_writers(const struct serving_request *request, const struct inference *inference,
                           struct serving_pools *pools)
{
    double none = pools->writers - 1, enough = pools->writers;

    while (!carry_always(request, inference, (struct serving_pools){enough, pools->readers})) {
        none = enough;
        enough *= 2;
        if (enough > SERVING_GPUS_MAX)
            return false;
    }
    while (enough - none > 1) {
        double middle = floor((none + enough) / 2);
        if (carry_always(request, inference, (struct serving_pools){middle, pools->readers}))
            enough = middle;
        else
            none = middle;
    }
    pools->writers = enough;
    return true;
}

/* In a closed loop more writers may take more readers, as requests then end sooner: each number of
 * writers is tried with the most readers that would be fewer replicas. */
static void narrow_loop(const struct serving_request *request, const struct inference *inference,
                        double writers, struct serving_pools *best)
{
    for (; writers + 1 < replicas(*best); writers++) {
        double most = replicas(*best) - 1 - writers;
        if (!carry_always(request, inference, (struct serving_pools){writers, most}))
            continue;
        double readers = fewest_readers(request, inference, writers, 0, most);
        *best = (struct serving_pools){writers, readers};
    }
}

/* The pools of the fewest replicas at the rate at which `inference` sends the cache. */
static bool fewest(const struct serving_request *request, const struct inference *inference,
                   double writers, struct serving_pools *pools)
{
    double reading = serving_pools_reading(request, inference);
    struct serving_pools few = {writers - 1, (double)INFINITY};

    *pools = (struct serving_pools){writers, request->pinned.prefill_replicas};
    if (!isnan(pools->readers))
        return fewest_writers(request, inference, pools);
    pools->readers = fewest_readers(request, inference, writers, reading - 1, (double)INFINITY);
    while (isinf(pools->readers) && pools->writers < SERVING_GPUS_MAX) {
        few.writers = pools->writers;
        pools->writers *= 2;
        pools->readers =
            fewest_readers(request, inference, pools->writers, reading - 1, (double)INFINITY);
    }
    if (isinf(pools->readers))
        return false;
    if (request->load != SERVING_RATE) {
        narrow_loop(request, inference, writers, pools);
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
                          double writers, struct serving_pools *pools)
{
    double least = writers + serving_pools_reading(request, inference);

    if (are_together(request, inference, least)) {
        if (!fewest(request, inference, writers, pools))
            return false;
        if (are_together(request, inference, replicas(*pools)))
            return true;
    }
    struct inference apart = across(inference);
    return fewest(request, &apart, writers, pools);
}

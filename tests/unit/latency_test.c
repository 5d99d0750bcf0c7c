/* The latency of random arrivals near a full load. */
#include "estimate/inference/serving/latency.h"
#include "estimate/inference/serving/tail.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/serving.h"
#include "estimate/inference/serving/slots.h"
#include "estimate/inference/serving/sway.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <math.h>

static struct catalog *catalog;
static struct inference_constants constants;

static const double LENGTHS[][4] = {
    /* prompt and answer, tokens; their coefficients of variation */
    {215, 21, 0.5, 0},
    {1000, 46, 0, 1.6},
    {2154, 215, 1, 1},
    {4642, 464, 0.5, 1.6},
};

/* A replica of `tensor` GPUs; false where the model does not fit. */
static bool replica_of(const struct model *model, const char *gpu, const double lengths[4],
                       double tensor, struct serving_replica *replica)
{
    struct serving_request request =
        fixture_serving(catalog, &constants, model->slug, gpu, NUMBER_FP8);
    struct serving_design design = {.tensor = tensor, .pipeline = 1, .attention_data = 1};

    request.job.input_tokens = lengths[0];
    request.job.output_tokens = lengths[1];
    request.job.input_cv = lengths[2];
    request.job.output_cv = lengths[3];
    request.job.open_arrivals = true;
    struct inference unsplit = inference_unsharded(&constants, &request.job);
    serving_replica_of(&unsplit, &design, replica);
    return replica->fits;
}

/* Counts rates at which the queue is stable, or was not at the rate before. */
static void sweep(const struct inference *inference, size_t *good, size_t *n)
{
    enum { RATES = 200 };
    const double from = 0.94;
    double full = serving_rate_full(inference), most = serving_most_in_flight(inference);
    bool stable = true;

    for (size_t i = 0; i < RATES; i++, ++*n) {
        double share = from + (1 - from) * (double)i / RATES;
        bool was = stable;
        stable = !isnan(latency_of(inference, share * full, most).p95);
        *good += was || !stable;
    }
}

/* Counts replicas of which the highest rate with an end to the queue has one, and 1 % more has
 * none. */
static void highest(const struct inference *inference, size_t *good, size_t *n)
{
    const double beyond = 1.3, apart = 1e-2;
    double high = beyond * serving_rate_full(inference), most = serving_most_in_flight(inference);
    double rate = queue_rate_with_end(inference, high, most);

    *good += !isnan(latency_first(inference, rate, most).ttft_p95) &&
             (rate == high || isnan(latency_first(inference, rate + apart * high, most).ttft_p95));
    ++*n;
}

/* Counts numbers in flight that more arrivals keep up than the number before. */
static void climb(const struct inference *inference, size_t *good, size_t *n)
{
    double most = serving_most_in_flight(inference), before = 0;

    for (double k = 0.1; k < most; k *= 1.3, ++*n) {
        double rate = queue_rate(inference, k);
        *good +=
            rate >= before * (1 - 1e-9) && fabs(queue_batch(inference, rate, most) / k - 1) < 1e-6;
        before = rate;
    }
}

/* The fixed point of the requests in flight is found at every rate. */
static void overload_lasts(void)
{
    static const char *const gpus[] = {"h800-sxm5-80gb", "a100-sxm4-80gb", "mi300x",
                                       "l40s",           "b300-sxm",       "mi250x"};
    size_t good = 0, n = 0, rising = 0, numbers = 0, found = 0, replicas = 0;
    struct serving_replica replica;

    for (size_t m = 0; m < catalog->n_models; m++)
        for (size_t g = 0; g < sizeof(gpus) / sizeof(*gpus); g++)
            for (size_t l = 0; l < sizeof(LENGTHS) / sizeof(*LENGTHS); l++)
                if (replica_of(&catalog->models[m], gpus[g], LENGTHS[l], 8, &replica)) {
                    sweep(&replica.inference, &good, &n);
                    climb(&replica.inference, &rising, &numbers);
                    highest(&replica.inference, &found, &replicas);
                }
    ok(good == n && n > 100000, "a queue without end has none at any higher rate, %zu of %zu", good,
       n);
    ok(found == replicas, "the highest rate that lasts is found, %zu of %zu", found, replicas);
    ok(rising == numbers, "more arrivals keep more in flight, and the reverse, %zu of %zu", rising,
       numbers);
}

static bool alike(double got, double want)
{
    return fabs(got / want - 1) < 1e-6;
}

/* The mean wait for a slot over that of an M/G/1 queue whose requests' steps all take as long. */
static double slot_wait_ratio(const double lengths[4])
{
    struct serving_replica replica;

    if (!replica_of(catalog_model(catalog, "llama-3.1-8b"), "l40s", lengths, 1, &replica))
        return (double)NAN;
    const struct inference *i = &replica.inference;
    double most = serving_most_in_flight(i), rate = 0.9 * queue_rate_with_end(i, 10, most);
    struct work w = work_of(i);
    struct step_curve curve = step_curve_of(i, w.context);
    if (!work_load(i, &curve, rate, most, &w))
        return (double)NAN;
    struct work_full full = work_full(&w, most);
    return latency_of(i, rate, most).slot_seconds * 2 * full.work * full.idle / full.second;
}

/* A long prompt's cache is read in every step of its own request, which then holds its slot for
 * longer: the event simulation waits twice as long for one as with steps alike. */
static void wait_for_a_slot(void)
{
    static const double alike[4] = {7701, 262, 0, 0}, spread[4] = {7701, 262, 1.31, 0};
    double even = slot_wait_ratio(alike), uneven = slot_wait_ratio(spread);

    ok(even >= 1 && even < 1.15, "the wait for a slot where prompts are alike: %g", even);
    ok(uneven > 1.2, "and where they are spread: %g", uneven);
}

/* A replica all of whose work takes longer, by the rate and by its constants. */
static void slower_replica(void)
{
    const double slower = 1.2;
    struct inference_constants slow = constants;
    struct serving_replica replica;

    inference_constants_slow(&slow, slower);
    ok(replica_of(catalog_model(catalog, "llama-3.1-8b"), "h100-sxm5-80gb", LENGTHS[2], 1,
                  &replica),
       "the model fits");
    struct inference i = replica.inference, of_slow = inference_of(&slow, &i.job);
    double most = serving_most_in_flight(&i), rate = 0.6 * queue_rate(&i, most);
    struct served got = queue_served(&i, rate, most, slower),
                  want = queue_served(&of_slow, rate, most, 1);
    struct served mean = queue_served(&i, rate, most, 1);

    ok(alike(got.tpot, want.tpot) && alike(got.ttft, want.ttft),
       "as one whose constants are slower: %g and %g, %g and %g", got.tpot, want.tpot, got.ttft,
       want.ttft);
    ok(alike(mean.tpot, inference_serve_arrivals(&i, queue_batch(&i, rate, most), rate).tpot),
       "as it is, where nothing is slower");
    struct sway near_limit = sway_of(&i, &mean, rate, most, slower);
    ok(near_limit.token_high > 1.2 && near_limit.token_low < 0.9 && near_limit.first_high > 1,
       "a load that comes at random moves the ends: %g, %g", near_limit.token_low,
       near_limit.token_high);
    mean = queue_served(&i, rate / 1000, most, 1);
    struct sway few = sway_of(&i, &mean, rate / 1000, most, slower);
    ok(fabs(few.token_high - 1) < 0.01 && fabs(few.first_low - 1) < 0.01,
       "hardly where few are in flight: %g, %g", few.token_high, few.first_low);
    double close = 0.9 / 0.6 * rate;
    mean = queue_served(&i, close, most, 1);
    struct sway over = sway_of(&i, &mean, close, most, slower);
    ok(isinf(over.first_high) && isfinite(over.token_high) && isfinite(near_limit.first_high),
       "first tokens have no upper end where the slower one does not keep up");
    ok(alike(queue_served(&i, 10 * rate, most, 1).tpot, inference_serve(&i, most).tpot),
       "a full one where it does not keep up");
}

/* A percentile of several pools together lies between theirs, and equals that of one by itself,
 * or where all are alike. */
static void several_pools(void)
{
    const struct tail_part one = {1, 2, 7}, fast = {0.9, 1, 3}, slow = {0.1, 10, 40};
    const struct tail_part alike[] = {{0.3, 2, 7}, {0.7, 2, 7}}, both[] = {fast, slow},
                           fixed[] = {{0.5, 1, 1}, {0.5, 4, 4}}, unknown[] = {one, {0, NAN, 1}};
    double p50 = tail_of_mixture(both, 2, 0.5), p95 = tail_of_mixture(both, 2, 0.95);

    ok(fabs(tail_of_mixture(&one, 1, 0.5) - 2) < 1e-9 &&
           fabs(tail_of_mixture(&one, 1, 0.95) - 7) < 1e-9,
       "percentiles of one pool are its own");
    ok(fabs(tail_of_mixture(alike, 2, 0.95) - 7) < 1e-9, "and those of pools that are alike");
    /* Nearly all of the fast pool is below 10: half of the slow one is missing to 95 %. */
    ok(p50 > 1 && p50 < 1.2 && p95 > 9.5 && p95 < 10.5, "half of the slow tenth: %g, %g", p50, p95);
    ok(fabs(tail_of_mixture(fixed, 2, 0.4) - 1) < 1e-9 &&
           fabs(tail_of_mixture(fixed, 2, 0.6) - 4) < 1e-9,
       "times that do not vary");
    ok(isnan(tail_of_mixture(unknown, 2, 0.5)) && isnan(tail_of_mixture(&one, 0, 0.5)),
       "unknown where a time is");
}

/* Among many replicas with few requests hardly any waits: percentiles exist all the same, and are
 * no longer than on one replica with as many requests of its own. */
static void hardly_any_waits(void)
{
    static const double NUMBERS[] = {2, 7, 28, 100, 1000, 100000};
    size_t good = 0, n = 0;

    for (size_t k = 0; k < sizeof(LENGTHS) / sizeof(LENGTHS[0]); k++) {
        struct serving_replica replica;
        if (!replica_of(catalog_model(catalog, "llama-3.1-8b"), "h100-sxm5-80gb", LENGTHS[k], 1,
                        &replica))
            continue;
        double full = serving_rate_full(&replica.inference);
        double most = serving_most_in_flight(&replica.inference);
        for (double share = 1e-8; share < 0.9; share *= 3) {
            replica.inference.job.routed = 0;
            struct latency alone = latency_of(&replica.inference, share * full, most);
            for (size_t i = 0; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++, n++) {
                replica.inference.job.routed = NUMBERS[i];
                struct latency l = latency_of(&replica.inference, share * full, most);
                good += l.p50 > 0 && l.p95 >= l.p50 && l.p95 <= 1.01 * alone.p95 &&
                        l.ttft_p95 > 0 && l.ttft_p95 <= 1.01 * alone.ttft_p95;
            }
        }
    }
    ok(good == n && n > 300, "routed replicas have percentiles, none longer: %zu of %zu", good, n);
}

/* Moments of a wait so rare that its skewness overflows have no percentile; the search ends. */
static void rare_wait_ends(void)
{
    const struct delay rare = {
        .first = {3.4244921878529566, 1.0426103000248286, 0},
        .wait = {8.2220328014995017e-176, 3.0147534614607549e-175, 1.4719079952402974e-174},
        .waits = 0.12683262388903987,
        .steps_each = 10,
        .steps_more = -1,
        .low = 0.1,
        .high = 409.6,
        .scale = 1,
        .step = 0.049797905877228647,
        .rate = 1.0591598466804976e-176,
        .mean = 2.8065565414501589e-176,
        .variance = 9.2930841917698103e-176,
        .third = 3.4389655091944203e-175,
        .others = 0.0018402249401345827,
        .follows = 0.77377751968498332,
        .budget = 0.20033680718456254,
    };
    double p50 = delay_percentile(&rare, 0), p95 = delay_percentile(&rare, MOMENTS_Z95);

    ok(!(p50 <= 0) && !(p95 <= 0), "a wait that hardly ever happens: %g, %g", p50, p95);
}

/* The sum of the 95th percentiles of a busy replica, of one with few slots, and of one that prompts
 * fill. */
static double slow_ends(const struct inference *busy, const struct inference *full)
{
    const double few = 12;
    double most = serving_most_in_flight(busy), all = serving_most_in_flight(full);

    return latency_of(busy, 0.8 * queue_rate_with_end(busy, 100, most), most).p95 +
           latency_of(busy, 0.8 * queue_rate_with_end(busy, 100, few), few).p95 +
           latency_of(full, 0.999 * queue_rate_with_end(full, 100, all), all).p95;
}

/* What was measured of simulated routers and queues is in the catalogue: each figure of it tells.
 */
static void queue_of_the_catalogue(void)
{
    static const struct {
        const char *key, *scope;
    } keys[] = {{"router_apart", ""},   {"router_wait_share", ""}, {"router_answers_vary", ""},
                {"swell_exponent", ""}, {"swell_exponent", "few"}, {"swell_exponent", "alike"},
                {"queue_room_left", ""}};
    static const double lengths[4] = {4642, 200, 1, 0.2}, prompts[4] = {2000, 100, 0, 0};
    struct serving_replica replica, full;

    if (!replica_of(catalog_model(catalog, "llama-3.1-70b"), "h100-sxm5-80gb", lengths, 4,
                    &replica) ||
        !replica_of(catalog_model(catalog, "llama-3.1-8b"), "h200-sxm5-141gb", prompts, 1, &full))
        return;
    struct inference *of = &replica.inference;
    of->job.routed = 8;
    double plain = slow_ends(of, &full.inference);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        double *constant = inference_constant(&constants, keys[i].key, keys[i].scope);
        double was = *constant;
        *constant *= 1.5;
        double other = slow_ends(of, &full.inference);
        ok(other != plain && other > 0, "%s %s x 1.5: the 95th percentiles are %.4g s, not %.4g s",
           keys[i].key, keys[i].scope, other, plain);
        *constant = was;
    }
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    overload_lasts();
    wait_for_a_slot();
    slower_replica();
    several_pools();
    hardly_any_waits();
    rare_wait_ends();
    queue_of_the_catalogue();
    catalog_free(catalog);
    return tap_done();
}

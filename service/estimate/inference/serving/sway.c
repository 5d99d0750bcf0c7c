#include "estimate/inference/serving/sway.h"

#include "estimate/inference/serving/queue.h"

#include <math.h>

double sway_speed(const struct inference *inference, double token)
{
    return fmax(token, inference_offline_interval(inference));
}

struct sway sway_of(const struct inference *inference, const struct served *mean, double rate,
                    double most, double token)
{
    double speed = sway_speed(inference, token);
    struct served fast = queue_served(inference, rate, most, 1 / speed),
                  slow = queue_served(inference, rate, most, speed);

    /* One that cannot keep up lets requests wait ever longer for a slot; its steps are no slower
     * for that than with all slots taken. */
    bool waits_without_end = slow.arrivals < rate * speed;

    return (struct sway){
        .speed = speed,
        .first_low = fmin(1, fast.ttft * speed / mean->ttft),
        .first_high =
            waits_without_end ? (double)INFINITY : fmax(1, slow.ttft / speed / mean->ttft),
        .token_low = fmin(1, fast.tpot * speed / mean->tpot),
        .token_high = fmax(1, slow.tpot / speed / mean->tpot),
        .slots_low = 1,
        .slots_high = 1,
    };
}

/* The same replica if those that read its prompts take `factor` times as long, to send the cache
 * too. */
static struct inference with_readers(const struct inference *inference, double factor)
{
    struct inference other = *inference;
    struct reader *pass = &other.reader;

    other.prefill.one *= factor;
    pass->host *= factor;
    pass->fixed *= factor;
    pass->each *= factor;
    pass->apart *= factor;
    pass->first *= factor;
    pass->full *= factor;
    pass->share *= factor;
    return other;
}

/* By how much an end at `range` times the middle moves if it may also be at `apart` times: the two
 * errors are independent, so their logarithms add in squares. */
static double further(double range, double apart)
{
    return exp(hypot(log(range), log(apart)) - fabs(log(range)));
}

struct sway sway_of_readers(const struct inference *inference, const struct served *mean,
                            double low, double high)
{
    double u = inference_interval(inference, inference_prefill_interval(inference));
    struct inference fast = with_readers(inference, 1 / u), slow = with_readers(inference, u);
    double least = inference_serve(&fast, mean->concurrency).ttft * u / mean->ttft,
           most = inference_serve(&slow, mean->concurrency).ttft / u / mean->ttft;

    return (struct sway){
        .speed = 1,
        .first_low = 1 / further(low, fmin(1, least)),
        .first_high = further(high, fmax(1, most)),
        .token_low = 1,
        .token_high = 1,
        .slots_low = 1,
        .slots_high = 1,
    };
}

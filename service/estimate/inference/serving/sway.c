#include "estimate/inference/serving/sway.h"

#include "estimate/inference/serving/queue.h"

#include <math.h>

struct sway sway_of(const struct inference *inference, const struct served *mean, double rate,
                    double most, double token)
{
    double speed = fmax(token, inference_offline_interval(inference));
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

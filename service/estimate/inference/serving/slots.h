/* slots.h - the wait for a slot, where a replica has fewer than it would have requests in flight.
 */
#ifndef ESTIMATE_INFERENCE_SERVING_SLOTS_H
#define ESTIMATE_INFERENCE_SERVING_SLOTS_H

#include "estimate/inference/serving/tail.h"
#include "estimate/inference/serving/work.h"

/* Returns the wait on a loaded replica with `most` slots; without it, its requests take
 * `request_seconds` on average. */
struct tail_wait slots_wait(const struct inference *inference, const struct work *w,
                            double request_seconds, double most);

#endif

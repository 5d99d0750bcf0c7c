/* slots.h - the wait for a slot, where a replica has fewer than it would have requests in flight.
 */
#ifndef ESTIMATE_INFERENCE_SERVING_SLOTS_H
#define ESTIMATE_INFERENCE_SERVING_SLOTS_H

#include "estimate/inference/serving/tail.h"
#include "estimate/inference/serving/work.h"

/* How much larger the share of requests that wait for a slot may be than estimated. It was up to
 * as much again, and where it nears what a percentile leaves out, that percentile grows from
 * milliseconds to seconds (tests/accuracy/README.md): half of what the 95th leaves out. */
extern const double SLOTS_DOUBT;

/* Returns the wait on a loaded replica with `most` slots; without it, its requests take
 * `request_seconds` on average. */
struct tail_wait slots_wait(const struct inference *inference, const struct work *w,
                            double request_seconds, double most);
/* The wait that a limit on first tokens is compared with. */
struct tail_wait slots_most(const struct work *w, struct tail_wait slots);

/* The 95th percentile of first tokens without a wait for a slot; `first` are its moments. */
double slots_first_without(const struct work *w, const struct moments *first);
/* With a wait, and whether it is above a limit, in less time. */
double slots_first_with(const struct work *w, const struct moments *first, double without,
                        struct tail_wait slots);
bool slots_first_is_over(const struct work *w, const struct moments *first, struct tail_wait slots,
                         double limit);

#endif

/* queue.h - the number of requests in flight under random arrivals. */
#ifndef ESTIMATE_INFERENCE_SERVING_QUEUE_H
#define ESTIMATE_INFERENCE_SERVING_QUEUE_H

#include "estimate/inference/scheduling.h"

/* P(X <= k) of a Poisson variable with that mean; k is a whole number. */
double queue_poisson_below(double k, double mean);
/* The smallest k with P(X <= k) >= share. */
double queue_poisson_quantile(double share, double mean);
/* The largest mean whose quantile is at most k. */
double queue_poisson_mean(double share, double k);
/* Bounds of queue_poisson_mean(0.95, k) for k of at least 16; a hundred times faster for k in the
 * thousands.
 */
void queue_poisson_mean_within(double k, double *low, double *high);

/* Requests in flight on one of `replicas` among which a router chooses the one with the fewest:
 * each has its share of all in flight, a Poisson number, rounded up. The number that is exceeded no
 * more than 1 - share of the time, at least 1; and the largest mean whose number is at most k. */
double queue_routed_quantile(double share, double mean, double replicas);
double queue_routed_mean(double share, double k, double replicas);

/* The mean number in flight on a replica at `rate` requests/s, by Little's law: the smallest batch
 * whose requests take as long as that many take to arrive. NAN if no number up to `most` keeps
 * up. */
double queue_batch(const struct inference *inference, double rate, double most);
/* A replica at `rate` requests/s, if all it does takes `slower` times as long: the same as with
 * that many times the requests, by a clock that goes slower. As one that has `most` in flight where
 * it does not keep up. */
struct served queue_served(const struct inference *inference, double rate, double most,
                           double slower);
/* Requests per second that keep `batch` in flight. */
double queue_rate(const struct inference *inference, double batch);
/* The number in flight, at most `batch`, with the highest throughput. */
double queue_best_batch(const struct inference *inference, double batch);
/* Seconds per token that are compared with a limit: with `batch` in flight, or the mean for random
 * arrivals at `rate` per second with room for `most`, whichever is longer. */
double queue_token_most(const struct inference *inference, double batch, double rate, double most);
/* The highest rate up to `high` at which the queue is stable, accurate to a millionth of `high`.
 */
double queue_rate_with_end(const struct inference *inference, double high, double most);

#endif

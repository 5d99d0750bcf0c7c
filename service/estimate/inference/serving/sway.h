/* sway.h - how random arrivals widen an interval. Random arrivals do not wait for a replica that
 * is slower than estimated: more of them are in flight, and near the maximum load 10 % less
 * speed can mean 50 % more time per token. The error of a replica's speed is taken to be that of
 * the maximum throughput with everything queued. Of 103 published runs, 12 % were inside the
 * interval for a given number in flight, and 77 % are inside the one for a given speed
 * (tests/accuracy/open_arrivals.csv); nothing is fitted to them. Where the slower replica cannot
 * keep up, first tokens have no upper end. */
#ifndef ESTIMATE_INFERENCE_SERVING_SWAY_H
#define ESTIMATE_INFERENCE_SERVING_SWAY_H

#include "estimate/inference/scheduling.h"

/* Factors on the ends, in addition to those for a given number in flight; 1 if arrivals are not
 * random and no replicas of a known number read the prompts. */
struct sway {
    double first_low, first_high, token_low, token_high;
    double speed; /* by which factor a replica may be faster or slower; 1 if not random */
    double slots_low, slots_high; /* on the percentile of first tokens, if fewer or more requests
                                   * wait for a slot than estimated */
};

/* By which factor a replica may be faster or slower; `token` is that of the interval of tokens. */
double sway_speed(const struct inference *inference, double token);
/* Of a replica with `mean` at `rate` requests/s and room for `most`; `token` likewise. */
struct sway sway_of(const struct inference *inference, const struct served *mean, double rate,
                    double most, double token);
/* For a closed loop in which other replicas, of a known number, read the prompts. First tokens are
 * what the readers leave of a cycle (Little's law): where they are always busy, a tenth less of
 * their speed against that of the writers is far more than a tenth of the wait. They are taken to
 * be faster or slower by the interval of a prompt; ends that all errors together scale alike, `low`
 * and `high` times the middle, move as if the two were independent. */
struct sway sway_of_readers(const struct inference *inference, const struct served *mean,
                            double low, double high);

#endif

/* sway.h - what a load that comes at random does to the ends of an interval.
 *
 * Random arrivals do not wait for a replica that is slower than estimated: more of them are in
 * flight, and near the limit of the load a tenth of speed may be a half of the time per token. How
 * fast a replica is errs as the maximum with everything queued does. Of 103 published runs 12 %
 * were inside the interval of a given number in flight, 77 % are inside that of a given speed
 * (tests/accuracy/open_arrivals.csv); nothing is fitted to them. */
#ifndef ESTIMATE_INFERENCE_SERVING_SWAY_H
#define ESTIMATE_INFERENCE_SERVING_SWAY_H

#include "estimate/inference/inference.h"

/* Factors on the ends, beyond those that apply to a given number in flight; 1 where requests do not
 * come at random. */
struct sway {
    double first_low, first_high, token_low, token_high;
};

/* Of a replica with `mean` at `rate` requests/s and room for `most`; `token` is the factor of the
 * interval of tokens. */
struct sway sway_of(const struct inference *inference, const struct served *mean, double rate,
                    double most, double token);

#endif

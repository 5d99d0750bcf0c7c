/* rollout.h - the generation phase of reinforcement learning: seconds until a replica has answered
 * a batch of requests that are all queued at the start, with answers of random length. */
#ifndef ESTIMATE_INFERENCE_ROLLOUT_H
#define ESTIMATE_INFERENCE_ROLLOUT_H

#include "estimate/inference/inference.h"

/* Answers of lognormal length, truncated at `most` tokens; `mean` is after truncation. */
struct rollout_answers {
    double mean, most;
    double mu, sigma; /* mean and deviation of the log length before truncation */
};

/* `cv` is standard deviation over mean before truncation; `most` is INFINITY for none. */
struct rollout_answers rollout_answers_of(double mean, double cv, double most);

/* Seconds until the last answer of `requests` is complete, which waits for the longest of `batch`
 * answers over all replicas; NAN if the cache does not hold a request. */
double rollout_seconds(const struct inference *inference, double requests, double batch,
                       const struct rollout_answers *answers);

#endif

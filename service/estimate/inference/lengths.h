/* lengths.h - lognormal lengths of prompts and answers, clipped to one token and the model's
 * context. */
#ifndef ESTIMATE_INFERENCE_LENGTHS_H
#define ESTIMATE_INFERENCE_LENGTHS_H

enum { LENGTHS_POWERS = 7 };

struct lengths {
    double mean;                   /* tokens; of the clipped lengths */
    double powers[LENGTHS_POWERS]; /* mean of (length / mean)^k */
    double p5, p50, p95;           /* percentiles of length / mean */
    double sigma, low, high;       /* standard deviation of its logarithm, and its bounds */
    double scale;                  /* mean before clipping, over the mean */
};

/* `cv` is standard deviation over mean, before clipping; `most` is infinite if unknown. Lengths are
 * all alike without a spread, and where the mean is as long as the longest. */
struct lengths lengths_of(double mean, double cv, double most);

#endif

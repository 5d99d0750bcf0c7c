/* length_mix.h - converts a histogram of prompt and answer lengths to means and spreads for the
 * queue formulas. */
#ifndef ESTIMATE_INFERENCE_LENGTH_MIX_H
#define ESTIMATE_INFERENCE_LENGTH_MIX_H

#include <stddef.h>

/* Requests of similar length. */
struct length_bucket {
    double input_tokens, output_tokens;
    double share; /* fraction of the requests; need not be normalised */
};

struct length_mix {
    double input_tokens, output_tokens; /* mean */
    double input_cv, output_cv;         /* standard deviation over mean, over all requests */
    double longest;                     /* prompt plus answer of the longest bucket */
};

/* Lengths within a bucket vary with the given cv. Needs at least one bucket; sorts the buckets so
 * that the result does not depend on their order. */
struct length_mix length_mix_of(struct length_bucket *buckets, size_t n, double input_cv,
                                double output_cv);

#endif

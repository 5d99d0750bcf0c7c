/* options_search.h - the search over all candidates, and details of an option found. */
#ifndef API_INFERENCE_OPTIONS_SEARCH_H
#define API_INFERENCE_OPTIONS_SEARCH_H

#include "api/inference/options.h"

/* Try all designs of the candidates, rank the results, and give a reason for each unsuitable GPU
 * type. */
void inference_options_solve(struct inference_options *options);

const struct inference_options_kind *
inference_options_kind_of(const struct inference_options *options,
                          const struct serving_option *option);
/* Name of the option's weight format. */
const char *inference_options_dtype(const struct inference_options *options,
                                    const struct serving_option *option);
/* True if the weights are narrower than the published ones. */
bool inference_options_quantized(const struct inference_options *options,
                                 const struct serving_option *option);
/* Most tokens of prompts in one pass of an option, given or chosen; NAN: the engine's own. */
double inference_options_passes(const struct inference_options *options,
                                const struct serving_option *option);
/* The option's performance as estimated without measured runs. */
void inference_options_uncorrected(const struct inference_options *options,
                                   const struct serving_option *option, struct serving_plan *plan);
/* inference_lengths_warn() for an option. */
void inference_options_warn_lengths(struct request_context *context,
                                    const struct inference_options *options,
                                    const struct serving_option *option);
/* Completes the percentiles and intervals that the search leaves out for most options. */
void inference_options_range(const struct inference_options *options,
                             struct serving_option *option);
/* Completes what the search leaves out for the options shown; `listed` are their indexes. */
void inference_options_complete(const struct inference_options *options, const size_t listed[],
                                size_t n);
/* The published run most similar to the option; if none is similar, widens its intervals as its
 * sizing does. */
struct nearest_words inference_options_compare(struct inference_options *options,
                                               struct serving_option *option);
/* True if any latency limit is given. */
bool inference_options_limited(const struct inference_options *options);

/* True if the option misses a limit even at the better end of its interval. */
bool inference_options_misses(struct inference_options *options,
                              const struct serving_option *option);

/* The address of the sizing of exactly this option; NULL if the model was posted in the body. */
const char *inference_options_link(const struct inference_options *options,
                                   const struct serving_option *option);

#endif

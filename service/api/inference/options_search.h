/* options_search.h - the search over the candidates, and what is known of an option found. */
#ifndef API_INFERENCE_OPTIONS_SEARCH_H
#define API_INFERENCE_OPTIONS_SEARCH_H

#include "api/inference/options.h"

/* Try all designs of the candidates, rank what is found, and say of each kind of GPU that will not
 * do why. */
void inference_options_solve(struct inference_options *options);

const struct inference_options_kind *
inference_options_kind_of(const struct inference_options *options,
                          const struct serving_option *option);
/* How the option's weights are stored. */
const char *inference_options_dtype(const struct inference_options *options,
                                    const struct serving_option *option);
/* Whether they are narrower than the model is published in. */
bool inference_options_quantized(const struct inference_options *options,
                                 const struct serving_option *option);
/* Most tokens of prompts in one pass of an option, given or chosen; NAN: the engine's own. */
double inference_options_passes(const struct inference_options *options,
                                const struct serving_option *option);
/* What it does by the estimate without measured runs. */
void inference_options_uncorrected(const struct inference_options *options,
                                   const struct serving_option *option, struct serving_plan *plan);
/* Fills what the search leaves out, of the options that are shown: their places in the list. */
void inference_options_complete(const struct inference_options *options, const size_t listed[],
                                size_t n);
/* The published run most similar to it; where none is, its intervals become as wide as those of its
 * sizing. */
struct nearest_words inference_options_compare(struct inference_options *options,
                                               struct serving_option *option);
/* Whether any limit on the times is given. */
bool inference_options_limited(const struct inference_options *options);

/* The address of the sizing of exactly this option; NULL where the model came in the body. */
const char *inference_options_link(const struct inference_options *options,
                                   const struct serving_option *option);

#endif

/* options.h - shared by the files of /v1/inference-sizing/options: its inputs, the GPU types
 * compared, and the options found. */
#ifndef API_INFERENCE_OPTIONS_H
#define API_INFERENCE_OPTIONS_H

#include "api/inference/sizing.h"
#include "api/options/options.h"
#include "api/resource/nearest_measurements.h"
#include "estimate/inference/serving/options.h"

/* The sizing's inputs come first, so that their table's offsets are valid here too. */
struct inference_options_in {
    struct inference_sizing_in sizing;
#include "base/field/members.h"
#include "api/options/options_filter.def"
#include "api/inference/options_in.def"
#include "base/field/end.h"
};

struct inference_options_out {
#include "base/field/members.h"
#include "api/inference/options_out.def"
#include "base/field/end.h"
};

/* The figures of an answered request. */
const struct inference_options_out *
inference_options_figures(const struct request_context *answered);

/* A GPU type; its candidates, one per weight format, are consecutive. */
struct inference_options_kind {
    const struct gpu *gpu;           /* in the catalogue */
    struct request_context *context; /* the sizing question for this GPU */
    struct serving_request request;
    size_t first, n;         /* range of its candidates */
    const char *unsupported; /* the first of the formats that no engine supports on it */
};

struct inference_options {
    struct request_context *context;
    struct inference_options_in *in;
    enum number formats[NUMBER_COUNT]; /* the requested formats */
    size_t n_formats;                  /* 0: the formats each GPU supports */
    struct inference_options_kind *kinds;
    struct serving_candidate *candidates;
    size_t *kind_of; /* index into kinds, by candidate */
    size_t n_candidates;
    struct serving_options_part *parts; /* by candidate */
    struct option_list list;            /* its kinds are the kinds above */
    struct serving_option *found;       /* ranked */
    size_t n_found;
    const struct evidence *evidence;           /* loaded on first use */
    const struct correction_served_runs *runs; /* the set that corrects them; NULL if none is
                                                * named */
    bool corrects;                             /* some candidate is corrected */
    bool every;                                /* also designs that cost much for little */
    bool boards;                               /* GPUs may be bought: by whole boards */
};

/* Check the inputs, and ask the sizing question for every GPU type: types that can be estimated
 * become candidates, the others refusals. */
bool inference_options_read(struct inference_options *options, struct err *err) MUST_CHECK;

/* Warns if the recommended option is not confirmed, or costs (or takes) over 1 % more than one that
 * is not. */
void inference_options_warn_unconfirmed(struct inference_options *options,
                                        const struct serving_option *best);
/* Warn about prices, narrow weights, and the choice made. */
void inference_options_warn(struct inference_options *options, const struct serving_option *best);

#endif

/* step_curve.h - seconds of a step as a closed-form function of the requests in flight: linear,
 * plus the experts, each of which is read once a token is routed to it, and all-reduces. */
#ifndef ESTIMATE_INFERENCE_SERVING_STEP_CURVE_H
#define ESTIMATE_INFERENCE_SERVING_STEP_CURVE_H

#include "estimate/inference/inference.h"

struct step_curve {
    const struct inference *inference;
    double fixed, each; /* seconds: constant part, and per request of a stage */
    double cache;       /* seconds of `each` that read the cache and attend to it */
    double experts;     /* seconds to read all experts */
    double spare;       /* fraction of experts that a given token does not use */
    double tokens;      /* per request and step */
    double draft;       /* number of additional one-token passes */
    double adapters;    /* LoRA adapter reads per step; 0 without adapters */
    double stages;
    double context;
    bool reduces; /* all-reduces over a link */
    bool halves;  /* the longer of what is computed and what is sent decides: see step.c */
};

/* For requests with this mean context. */
struct step_curve step_curve_of(const struct inference *inference, double context);
/* inference_step() with that many in flight, summed over all stages. */
double step_curve_at(const struct step_curve *curve, double batch);
/* Mean seconds with n requests in flight on average, one of them the request itself and the others
 * as many as a Poisson variable: only experts, adapters and stages make the curve bend. */
double step_curve_seen(const struct step_curve *curve, double n);
/* Seconds of a step of a replica with stages, with the prompts of the largest pass and as many
 * requests in flight as come during their steps (Little's law), up to a full replica. */
double step_curve_round(const struct inference *inference, const struct step_curve *curve,
                        double rate);

#endif

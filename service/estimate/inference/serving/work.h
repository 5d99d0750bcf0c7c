/* work.h - the state of one replica under random arrivals: prefill and decode work per request, and
 * how the two slow each other down at a given rate. "Reading" is prefill, "writing" is decode. */
#ifndef ESTIMATE_INFERENCE_SERVING_WORK_H
#define ESTIMATE_INFERENCE_SERVING_WORK_H

#include "estimate/inference/scheduling.h"
#include "estimate/inference/moments.h"
#include "estimate/inference/serving/delay.h"
#include "estimate/inference/serving/step_curve.h"

enum { WORK_POINTS = 3 }; /* the 5th, 50th and 95th percentile */

struct work {
    const struct inference_constants *constants;
    double rate;
    struct moments busy; /* prefill seconds of a prompt */
    struct moments own;  /* to the first token of a request alone, without `late` */
    double own_at[WORK_POINTS], further_at[WORK_POINTS]; /* prefill seconds of a prompt by its
                                                          * length; its passes after the first */
    double after_at[WORK_POINTS]; /* seconds from its prefill to its first token, without `late` */
    struct moments written;       /* decode steps after the first token, fitted to percentiles */
    double steps;                 /* mean number of those steps */
    double alike; /* mean length of the shorter of two answers, over the mean: 1 if all are alike */
    double context;                /* mean context of a request during decode */
    double tokens, tokens_squared; /* computed per prompt: mean, mean square */
    double passes;                 /* prefill passes per prompt */
    double whole_passes;           /* degree to which prompts are read one by one, 0 to 1 */
    double budget;                 /* seconds to read a full pass */
    double fixed;                  /* fixed seconds of a pass, without decode */
    double after; /* delay from prefill to first token, as a share of prefill time */
    double late;  /* constant part of that delay, seconds */
    double share; /* fraction of time spent on prefill */
    double met;   /* fraction of the prompts that come while others are in flight on the replica: 1,
                   * or fewer where a router chooses */
    double joins; /* fraction of these that find a place free, for requests that have one */
    double round; /* seconds of a step of all stages, at least: with the prompts of the largest
                   * pass; 0 without stages */
    double step_fixed, step_each;       /* a step takes step_fixed + n x step_each */
    double cache;                       /* part of step_each that reads a cache of mean length */
    double prompts_vary, contexts_vary; /* squared deviation of prompts, and of the contexts in
                                         * flight, over that of the mean context */
    double step_alone;                  /* with one request in flight */
    double step;                        /* with `running` requests in flight */
    double gain;        /* added requests in flight per request in flight; below 1 */
    double flight;      /* mean requests in flight */
    double running;     /* mean requests in flight seen by a request, including itself */
    double others;      /* probability that an arrival finds decode running */
    double turns_share; /* share of time taken by prefill, including mixed passes */
    double overflow;    /* probability that passes are full */
    double routed;      /* replicas among which a router chooses the one with the fewest requests */
    struct moments wait; /* for prompts queued before */
    double found_share;  /* fraction of the wait due to later prompts */
    double found;        /* prefill seconds queued at the time of the first token */
    double swing;        /* variance of decode time caused by other requests */
    double swing_first;  /* variance of the time to the first token and of the delay it causes */
    bool slots_as_estimated;           /* its limit counts no more waits for a slot */
    bool reads;                        /* it reads prompts too: there are no prefill replicas */
    struct moments least, least_whole; /* to the first token without waiting; of a request on an
                                        * idle replica: lower bounds of percentiles */
    struct moments least_rounds;       /* of a request whose steps are the largest pass's */
    struct delay delay;
    struct delay_first first; /* seconds to the first token */
};

/* Computes what does not depend on the rate. */
struct work work_of(const struct inference *inference);
/* Computes the rest for `rate` requests per second and `most` slots; false if the prompt queue is
 * unstable. */
bool work_load(const struct inference *inference, const struct step_curve *curve, double rate,
               double most, struct work *w);
/* Until a prompt is read, without a wait, and with `after` until it has gone through all stages.
 * Of prompts a fraction `met` arrives while decode is running: each of their passes also carries a
 * step. Else those after the first take the fixed time of a pass. */
struct moments work_own(const struct work *w, double met, bool after);
/* Seconds of others' prompts in the free part of a long prompt's last pass, and the probability
 * that there are any. */
struct moments work_fill(const struct work *w, double *chance);
/* Sets the wait for earlier prompts, on a loaded replica that also reads. */
void work_set_wait(struct work *w);
/* Then sets the wait of the slowest prompts, at times with more requests in flight than usual. */
void work_set_wait_late(struct work *w);

/* The squared relative deviation of a request's mean step, due to the requests in flight. */
double work_steps_vary(const struct work *w);
/* How the seconds of a step vary with the requests in flight and their contexts; the mean is 0. */
struct moments work_step_sways(const struct work *w);
/* Decode time of a request: its number of steps follows from its length, their duration from the
 * requests in flight, averaged over the request's own time. */
struct moments work_writing(const struct work *w);

/* A replica with all slots taken. */
struct work_full {
    double each;         /* seconds of a step per request */
    double work, second; /* seconds of replica time per request; mean square */
    double idle;         /* fraction of time; negative if arrivals exceed the throughput */
};

/* `most` is the number of slots, rounded down to whole ones. */
struct work_full work_full(const struct work *w, double most);
/* Spare capacity of a loaded replica for prompts and tokens, as fractions of time that shrink with
 * the rate; not positive if it does not keep up. */
double work_spare(const struct work *w);
/* The degree, 0 to 1, to which prompts are long and widely spread and some wait for others; never
 * decreases with the rate. */
double work_wide(const struct work *w);

#endif

/* transient.h - a replica that is empty when requests begin to come, as in a benchmark of ten
 * minutes.
 *
 * Near a full load the number in flight takes longer to settle than such a run lasts. It follows
 * arrivals less departures, and each request stays as long as those that always find as many, in
 * mean. Stays vary as lengths of answers do: they are sums of as many exponential times as give
 * about the same spread (Erlang).
 */
#ifndef ACCURACY_TRANSIENT_H
#define ACCURACY_TRANSIENT_H

#include "estimate/inference/inference.h"

#include <math.h>

/* Instants while requests come, and afterwards, of equal length. */
enum { TRANSIENT_ARRIVING = 160, TRANSIENT_LEAVING = 80 };
enum { TRANSIENT_STAGES_MAX = 16 };

/* What a request meets that arrives at each of them, in seconds. */
struct transient {
    double step;
    double first[TRANSIENT_ARRIVING + TRANSIENT_LEAVING];
    double token[TRANSIENT_ARRIVING + TRANSIENT_LEAVING];
    double stay[TRANSIENT_ARRIVING + TRANSIENT_LEAVING];
};

/* Requests in flight by how much of their stay is over. */
struct transient_flight {
    int stages;
    double at[TRANSIENT_STAGES_MAX];
};

static inline double transient_sum(const struct transient_flight *flight)
{
    double sum = 0;

    for (int k = 0; k < flight->stages; k++)
        sum += flight->at[k];
    return sum;
}

/* After `seconds` in which `arrives` come per second and each stays `stay` seconds in mean. */
static inline void transient_pass(struct transient_flight *flight, double seconds, double arrives,
                                  double stay)
{
    double each = stay / flight->stages, left = exp(-seconds / each);

    for (int k = 0; k < flight->stages; k++) {
        double settled = arrives * each, now = settled + (flight->at[k] - settled) * left;
        arrives -= (now - flight->at[k]) / seconds;
        flight->at[k] = now;
    }
}

static inline void transient_scale(struct transient_flight *flight, double by)
{
    for (int k = 0; k < flight->stages; k++)
        flight->at[k] *= by;
}

/* Those that find all of `most` slots taken are not counted as waiting: a plan refuses a rate that
 * is more than its replicas carry. */
static inline struct transient transient_of(const struct inference *inference, double rate,
                                            double most, double run_seconds)
{
    struct transient t = {.step = run_seconds / TRANSIENT_ARRIVING};
    double spread = inference->job.output_cv, stages = rint(1 / (spread * spread));
    struct transient_flight flight = {.stages = (int)fmin(TRANSIENT_STAGES_MAX, fmax(1, stages))};

    for (int i = 0; i < TRANSIENT_ARRIVING + TRANSIENT_LEAVING; i++) {
        double arrives = i < TRANSIENT_ARRIVING ? rate : 0, found = transient_sum(&flight);
        struct served served = inference_serve_arrivals(inference, fmax(1e-6, found), arrives);
        t.first[i] = served.ttft;
        t.token[i] = served.tpot;
        t.stay[i] = served.request_seconds;
        transient_pass(&flight, t.step, arrives, served.request_seconds);
        transient_scale(&flight, fmin(1, most / transient_sum(&flight)));
    }
    return t;
}

/* The mean over a run's requests. */
static inline double transient_first(const struct transient *t)
{
    double sum = 0;

    for (int i = 0; i < TRANSIENT_ARRIVING; i++)
        sum += t->first[i];
    return sum / TRANSIENT_ARRIVING;
}

/* Seconds per token of a request that arrives at instant i, over its stay. */
static inline double transient_token_from(const struct transient *t, int i)
{
    double left = t->stay[i], time = 0, tokens = 0;

    for (int k = i; k < TRANSIENT_ARRIVING + TRANSIENT_LEAVING && left > 0; k++) {
        double part = fmin(left, t->step);
        time += part;
        tokens += part / t->token[k];
        left -= part;
    }
    return time / tokens;
}

/* The median over a run's requests. */
static inline double transient_token(const struct transient *t)
{
    double each[TRANSIENT_ARRIVING], middle = (double)NAN;

    for (int i = 0; i < TRANSIENT_ARRIVING; i++)
        each[i] = transient_token_from(t, i);
    for (int i = 0; i < TRANSIENT_ARRIVING; i++) {
        int below = 0, up_to = 0;
        for (int k = 0; k < TRANSIENT_ARRIVING; k++) {
            below += each[k] < each[i];
            up_to += each[k] <= each[i];
        }
        if (below <= TRANSIENT_ARRIVING / 2 && up_to > TRANSIENT_ARRIVING / 2)
            middle = each[i];
    }
    return middle;
}

#endif

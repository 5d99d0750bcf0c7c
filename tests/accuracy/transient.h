/* transient.h - a replica that is empty when requests begin to come, as in a benchmark of ten
 * minutes.
 *
 * Near a full load the number in flight takes longer to settle than such a run lasts. It follows
 * arrivals less departures, and each request stays as long as those that always find as many.
 */
#ifndef ACCURACY_TRANSIENT_H
#define ACCURACY_TRANSIENT_H

#include "estimate/inference/inference.h"

#include <math.h>

/* Instants while requests come, and afterwards, of equal length. */
enum { TRANSIENT_ARRIVING = 160, TRANSIENT_LEAVING = 80 };

/* What a request meets that arrives at each of them, in seconds. */
struct transient {
    double step;
    double first[TRANSIENT_ARRIVING + TRANSIENT_LEAVING];
    double token[TRANSIENT_ARRIVING + TRANSIENT_LEAVING];
    double stay[TRANSIENT_ARRIVING + TRANSIENT_LEAVING];
};

/* Those that find all of `most` slots taken are not counted as waiting: a plan refuses a rate that
 * is more than its replicas carry. */
static inline struct transient transient_of(const struct inference *inference, double rate,
                                            double most, double run_seconds)
{
    struct transient t = {.step = run_seconds / TRANSIENT_ARRIVING};
    double flight = 0;

    for (int i = 0; i < TRANSIENT_ARRIVING + TRANSIENT_LEAVING; i++) {
        double arrives = i < TRANSIENT_ARRIVING ? rate : 0;
        struct served served = inference_serve_arrivals(inference, fmax(1e-6, flight), arrives);
        double settled = arrives * served.request_seconds;
        t.first[i] = served.ttft;
        t.token[i] = served.tpot;
        t.stay[i] = served.request_seconds;
        flight = settled + (flight - settled) * exp(-t.step / served.request_seconds);
        flight = fmin(flight, most);
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

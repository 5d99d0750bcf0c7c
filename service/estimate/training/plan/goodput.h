/* goodput.h - the share of the time that advances a training: failures, checkpoints and restarts
 * take the rest.
 *
 * Failures come at random, each GPU alike, and stop the whole run: the mean time between two is
 * M = 1 / (rate x GPUs). A checkpoint takes C seconds in which nothing is trained, and one is made
 * every tau = sqrt(2 C M) seconds of work (Young, Communications of the ACM 17 (1974), 530). After
 * a failure R seconds pass until work goes on from the last checkpoint. The share is then
 *
 *     tau / (M exp(R / M) (exp((tau + C) / M) - 1))
 *
 * (Daly, Future Generation Computer Systems 22 (2006), 303: failures during checkpoints and
 * restarts counted too). Stragglers are no part of it.
 */
#ifndef ESTIMATE_TRAINING_PLAN_GOODPUT_H
#define ESTIMATE_TRAINING_PLAN_GOODPUT_H

#include "catalog/constants.h"
#include "estimate/training/training.h"

/* Published rates, with their bands. */
struct goodput_constants {
    double failures, failures_low, failures_high;             /* per 1000 GPU-days */
    double restart, restart_high;                             /* s */
    double storage_rate, storage_rate_low, storage_rate_high; /* bytes/s per GPU, written */
};

/* Fill them once for all questions; constants_memoize(). */
void goodput_constants_keep(struct catalog *catalog);
bool goodput_constants_fill(const struct catalog *catalog, struct goodput_constants *constants,
                            struct err *err) MUST_CHECK;

/* A run as failures see it; NAN where the published figure is to be used. */
struct goodput_run {
    double gpu_count;
    double checkpoint_bytes;   /* of the whole model */
    double failures;           /* per 1000 GPU-days */
    double checkpoint_seconds; /* [C] */
    double restart_seconds;    /* [R] */
};

struct goodput {
    double failures;            /* per 1000 GPU-days */
    double failure_interval;    /* [M] s; infinite where nothing fails */
    double checkpoint_seconds;  /* [C] */
    double checkpoint_interval; /* [tau] s of work between two; infinite where nothing fails */
    double restart_seconds;     /* [R] */
    double share;               /* of the time, 0 to 1 */
};

/* What a checkpoint of that training holds: the weights as they are stored and what the optimizer
 * keeps of them; with adapters only theirs. */
double goodput_checkpoint_bytes(const struct training_job *job);

/* At the published rates, at the worst of them, and at the best; what the run says itself stays. */
struct goodput goodput_of(const struct goodput_constants *constants, const struct goodput_run *run);
struct goodput goodput_worst(const struct goodput_constants *constants,
                             const struct goodput_run *run);
struct goodput goodput_best(const struct goodput_constants *constants,
                            const struct goodput_run *run);

#endif

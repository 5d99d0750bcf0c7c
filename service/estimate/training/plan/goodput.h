/* goodput.h - goodput: the fraction of time that advances a training; failures, checkpoints and
 * restarts take the rest.
 *
 * Failures are random, equally likely for each GPU, and stop the whole run: the mean time between
 * failures is M = 1 / (rate x GPUs). A checkpoint takes C seconds during which training stops, and
 * one is made every tau = sqrt(2 C M) seconds of work (Young, Communications of the ACM 17 (1974),
 * 530). After a failure, R seconds pass until work resumes from the last checkpoint. The fraction
 * is then
 *
 *     tau / (M exp(R / M) (exp((tau + C) / M) - 1))
 *
 * (Daly, Future Generation Computer Systems 22 (2006), 303: including failures during checkpoints
 * and restarts). Stragglers are not modelled.
 */
#ifndef ESTIMATE_TRAINING_PLAN_GOODPUT_H
#define ESTIMATE_TRAINING_PLAN_GOODPUT_H

#include "catalog/constants.h"
#include "estimate/training/training.h"

/* Published rates, with their ranges. */
struct goodput_constants {
    double failures, failures_low, failures_high;             /* per 1000 GPU-days */
    double restart, restart_high;                             /* s */
    double storage_rate, storage_rate_low, storage_rate_high; /* bytes/s per GPU, written */
};

/* Fill them once for all requests; see constants_memoize(). */
void goodput_constants_memoize(struct catalog *catalog);
bool goodput_constants_fill(const struct catalog *catalog, struct goodput_constants *constants,
                            struct err *err) MUST_CHECK;

/* A run's failure inputs; NAN to use the published figure. */
struct goodput_run {
    double gpu_count;
    double checkpoint_bytes;   /* of the whole model */
    double failures;           /* per 1000 GPU-days */
    double checkpoint_seconds; /* [C] */
    double restart_seconds;    /* [R] */
};

struct goodput {
    double failures;            /* per 1000 GPU-days */
    double failure_interval;    /* [M] s; infinite without failures */
    double checkpoint_seconds;  /* [C] */
    double checkpoint_interval; /* [tau] s of work between checkpoints; infinite without failures */
    double restart_seconds;     /* [R] */
    double share;               /* fraction of time, 0 to 1 */
};

/* Size of a checkpoint: the stored weights and their optimizer states; with adapters only the
 * adapters'. */
double goodput_checkpoint_bytes(const struct training_job *job);

/* With the published rates, the worst, and the best; figures given in the run are kept. */
struct goodput goodput_of(const struct goodput_constants *constants, const struct goodput_run *run);
struct goodput goodput_worst(const struct goodput_constants *constants,
                             const struct goodput_run *run);
struct goodput goodput_best(const struct goodput_constants *constants,
                            const struct goodput_run *run);

#endif

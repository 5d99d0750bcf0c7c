/* shared_terms.h - what strategies share that differ in context parallelism, micro-batch, layers
 * and virtual stages alone.
 *
 * For a number of GPUs, tensor degree and pipeline say how many replicas there are of a weight,
 * those of contexts included: as many hold the states, and send the same for the update.
 */
#ifndef ESTIMATE_TRAINING_PLAN_SHARED_TERMS_H
#define ESTIMATE_TRAINING_PLAN_SHARED_TERMS_H

#include "estimate/training/plan/search_space.h"
#include "estimate/training/optimizer_step.h"

/* A way to divide states, and what is sent for the update so. */
struct training_way {
    double stage, shard;
    struct training_exchange traffic;
};

/* Sequences of a micro-batch per GPU, `fits_to` or fewer of which are known to fit, and
 * `fails_from` or more not to. */
struct training_reach {
    double fits_to, fails_from;
};

/* The ways to divide states: ZeRO stages, and where the last of them is 3 its shards. One that
 * another beats is left out. */
struct training_shared_terms {
    bool known;
    struct training_way *ways;
    size_t n_ways; /* 0: none is legal, or their states alone are too large */
    /* For spreads that divide the sequence or not; then of micro-batches that may fill memory, and
     * of those that leave some free. */
    struct training_reach spread[2][2];
};

/* That of a row. */
struct training_shared_terms *training_shared_terms_of(struct training_space *space,
                                                       const struct training_block *block,
                                                       const struct training_grid_row *row);

/* The fewest seconds that a step of the row takes, in that way, for what is sent for the update and
 * for the update itself. */
double training_shared_terms_least(const struct training_space *space,
                                   const struct training_grid_row *row,
                                   const struct training_way *way);

#endif

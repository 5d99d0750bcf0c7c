/* shared_terms.h - what strategies share that differ only in context parallelism, micro-batch,
 * layers and virtual stages.
 *
 * On a given GPU count, tensor degree and pipeline stages determine the number of replicas of a
 * weight (context ranks count as replicas), and with it the sharding of the states and the
 * communication for the optimizer step.
 */
#ifndef ESTIMATE_TRAINING_PLAN_SHARED_TERMS_H
#define ESTIMATE_TRAINING_PLAN_SHARED_TERMS_H

#include "estimate/training/plan/search_space.h"
#include "estimate/training/optimizer_step.h"

/* A way to shard states, and its communication for the optimizer step. */
struct training_state_sharding {
    double stage, shard;
    struct training_exchange traffic;
};

/* Sequences of a micro-batch per GPU: up to `fits_to` are known to fit, `fails_from` or more are
 * known not to. */
struct training_reach {
    double fits_to, fails_from;
};

/* The ways to shard states: ZeRO stages, and for stage 3 the shard sizes. Ways that another one
 * beats are left out. */
struct training_shared_terms {
    bool known;
    struct training_state_sharding *shardings;
    size_t n_shardings; /* 0: none is legal, or the states alone do not fit */
    /* First index: whether the spread is sequence-parallel; second: whether micro-batches may
     * fill the memory or must leave some free. */
    struct training_reach spread[2][2];
};

/* The shared terms of a row. */
struct training_shared_terms *training_shared_terms_of(struct training_space *space,
                                                       const struct training_block *block,
                                                       const struct training_grid_row *row);

/* Lower bound in seconds of a step of the row for the communication and computation of the
 * optimizer step when states are sharded that way. */
double training_shared_terms_least(const struct training_space *space,
                                   const struct training_grid_row *row,
                                   const struct training_state_sharding *sharding);

#endif

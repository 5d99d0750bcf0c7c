/* context.h - inputs of a training plan's explanation beyond the estimate: the weights of the stage
 * that needs most memory, and the ring that reduces gradients. */
#ifndef ESTIMATE_TRAINING_EXPLAIN_CONTEXT_H
#define ESTIMATE_TRAINING_EXPLAIN_CONTEXT_H

#include "estimate/training/explain/explain.h"

enum { ZERO_STAGES = 4 };

/* Memory of one GPU of the stage that needs most. */
struct training_holding {
    double layer, table;   /* weights of a layer, and of embedding or head */
    double trained_layers; /* in the stage */
    double trained_tables; /* embedding and head in the stage */
    double dense, expert;  /* trained weights: of layers, tables and adapters; of experts; the
                            * critic's too */
    double frozen_bytes;   /* of weights that are not trained, without experts */
    double frozen_expert_bytes;
    double ranks[ZERO_STAGES], expert_ranks[ZERO_STAGES]; /* number of ranks among which each ZeRO
                                                           * stage shards its data; 1 below that
                                                           * stage */
    double copies;           /* of weights and gradients: 2 with DualPipe */
    double stored_bytes;     /* per trained weight; 0 if the FP32 copy is the only one */
    double resident;         /* bytes of weights */
    double all_gradients;    /* bytes, regardless of place and lifetime */
    double gradients;        /* bytes of these at the peak */
    double kept;             /* bytes of a layer's activations kept for the backward pass */
    double in_flight;        /* micro-batches in flight in the stage, in units of its layers */
    double layers_in_flight; /* number of layers with activations of one micro-batch each */
};
struct training_holding training_explain_holding(const struct training_answer *answer);

/* The work done once per step. */
struct training_optimizer_step {
    double trained;                           /* fraction of the weights */
    double ranks, expert_ranks;               /* ranks that share one copy of the states */
    double copies;                            /* number of copies of the states */
    double copies_rate;                       /* B/s of the ring across the copies */
    double copies_seconds;                    /* all-reduce of each rank's part across the copies */
    double ring_weights, expert_ring_weights; /* weights of one GPU, sent around a ring once */
    double ring_rate, expert_ring_rate;       /* B/s */
    double bytes_sent;                        /* per weight */
    double host_seconds;  /* weights from host memory, in both passes of a micro-batch */
    double exchange;      /* s of the ring; under ZeRO 3 for every micro-batch */
    double passes;        /* s of a micro-batch without waiting for weights */
    double waiting;       /* slowdown due to waiting for weights */
    double owned_weights; /* weights that one GPU updates */
};
struct training_optimizer_step
training_explain_optimizer_step(const struct training_answer *answer);

#endif

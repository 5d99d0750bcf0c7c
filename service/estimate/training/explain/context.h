/* context.h - what the formulas of a training plan need besides the estimate: the stage that needs
 * most memory, weight by weight, and the ring that gradients travel. */
#ifndef ESTIMATE_TRAINING_EXPLAIN_CONTEXT_H
#define ESTIMATE_TRAINING_EXPLAIN_CONTEXT_H

#include "estimate/training/explain/explain.h"

enum { ZERO_STAGES = 4 };

/* What the stage that needs most holds on one GPU. */
struct training_holding {
    double layer, table;   /* weights of a layer, and of embedding or head */
    double trained_layers; /* of the stage */
    double trained_tables; /* embedding and head on it */
    double dense, expert;  /* trained weights: of layers, tables, adapters; of experts */
    double frozen_bytes;   /* of weights that are not trained, experts apart */
    double frozen_expert_bytes;
    double ranks[ZERO_STAGES], expert_ranks[ZERO_STAGES]; /* that divide what that stage of ZeRO
                                                             divides; 1 below it */
    double copies;        /* of weights and gradients: 2 under DualPipe */
    double stored_bytes;  /* of a trained weight; 0 where the FP32 copy is the only one */
    double resident;      /* bytes of weights */
    double all_gradients; /* bytes, wherever and however long they are */
    double gradients;     /* bytes of these at the moment that needs most */
    double kept;          /* bytes of a layer's activations, for the backward pass */
    double in_flight;     /* micro-batches that the stage holds at once, in units of its layers */
    double layers_in_flight; /* layers with activations of one micro-batch each */
};
struct training_holding training_explain_holding(const struct training_answer *answer);

/* What happens once per step. */
struct training_update {
    double trained;                           /* share of the weights */
    double ranks, expert_ranks;               /* that divide a copy of the states */
    double copies;                            /* of the states */
    double copies_rate;                       /* B/s of the ring over the copies */
    double copies_seconds;                    /* what each rank owns, all-reduced over the copies */
    double ring_weights, expert_ring_weights; /* weights of one GPU, sent once round a ring */
    double ring_rate, expert_ring_rate;       /* B/s */
    double bytes_sent;                        /* of each of those weights */
    double host_seconds;  /* weights from host memory, both passes of a micro-batch */
    double exchange;      /* s of the ring; under ZeRO 3 of every micro-batch */
    double passes;        /* s of a micro-batch without waiting for weights */
    double waiting;       /* how much longer it is for those */
    double owned_weights; /* that one GPU updates */
};
struct training_update training_explain_optimizer_step(const struct training_answer *answer);

#endif

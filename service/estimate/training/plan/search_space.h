/* search_space.h - every legal strategy of a job (training/constraints.h), arranged so that what
 * strategies share is worked out once: layers are, and what is known of memory and traffic.
 */
#ifndef ESTIMATE_TRAINING_PLAN_SEARCH_SPACE_H
#define ESTIMATE_TRAINING_PLAN_SEARCH_SPACE_H

#include "base/arena.h"
#include "estimate/training/constraints.h"

/* Strategies that share a layer. */
struct training_spread {
    double sequence_parallel;
    bool floored;             /* its layer takes no less than its launches */
    double t_layer;           /* s */
    struct training_fit *fit; /* by pipeline stages; NULL: nothing is known yet */
};

/* Replicas for which the leanest strategy of a spread and pipeline is known to fit, and not to.
 * With more of them nothing needs more memory: each holds fewer micro-batches and a smaller part of
 * the states. 0: not known. */
struct training_fit {
    double fits_from, fails_to;
};

/* Spreads that differ in sequence parallelism alone, the fastest first. From `on` those members are
 * set that their layers depend on; the ZeRO stage is 3 or does not matter below it. The fastest is
 * known without the others: it divides the sequence. Left out are those that another beats, unless
 * weights stream in alongside the layers. */
enum { TRAINING_ALIKE_MAX = 2 };
struct training_group {
    struct training_strategy on;
    size_t micro; /* place of its micro-batch in the frame */
    struct training_spread at[TRAINING_ALIKE_MAX];
    size_t n;                   /* 0: nothing is timed yet, see training_space_lead() */
    bool spread, all;           /* the others are there too, also those that are beaten */
    double head;                /* s, of a micro-batch */
    struct training_layer lead; /* that of the fastest */
};

/* Groups that differ in the micro-batch alone, the smallest first. Per sequence the largest takes
 * least time, since what a layer and head take is a part for each token and a part that does not
 * depend on them. Left out are those that fewer contexts beat, unless weights stream in. */
struct training_block {
    size_t frame;
    double expert;
    bool zero_3;   /* ZeRO 3, or any stage below */
    size_t number; /* in the order of their making */
    size_t kin;
    struct training_block *before; /* of the kin, or NULL */
    struct training_group *groups;
    size_t n_groups;
    double floor; /* GPU-seconds per sequence that the layers alone take, whatever the rest is */
    double layer_each, head_each; /* s of a sequence, the shortest of all its micro-batches */
    struct training_fit *fit;     /* of the leanest of all its spreads; NULL: nothing is known */
};

/* Blocks that differ in context parallelism alone: training/plan/shared_terms.h. */
struct training_kin {
    struct training_shared_terms
        *splits;                 /* by pipe, for the present number of GPUs; NULL: none yet */
    struct training_block *last; /* of the highest floor */
};

/* A number of pipeline stages that the present number of GPUs allows. */
struct training_pipe {
    double stages;
    double layers, heads; /* of the slowest stage */
    /* Choices of virtual stages where micro-batches can take turns, none where they cannot: what
     * divides the layers of a stage, embedding and head counted as one each where the layers alone
     * do not come out even. */
    struct training_list chunks;
    double wait, turns_wait; /* for the pipeline, in layers; where they do, the least */
    double tensor;           /* degree of which the next is known; 0: of none */
    size_t n_ways;           /* to divide experts and states */
};

/* One way to divide the present number of GPUs. */
struct training_grid_row {
    size_t pipe;
    double pipeline, data;
    double most_batch;  /* largest batch that any of the micro-batches gives */
    double least_turns; /* fewest micro-batches a step has */
    double least_wait;  /* for the pipeline, in layers of a sequence, per sequence of the batch */
    size_t n_schedules; /* micro-batches that come out whole, times their choices */
    double *turns;      /* by micro-batch of the frame: how many of them a step has; 0 not whole */
};

/* Tensor and context degree, and what goes with them. */
struct training_frame {
    double tensor, context;
    const double *micro; /* [b] */
    size_t n_micro;
    size_t alike;                   /* spreads in each group */
    size_t kin;                     /* the first of its tensor degree */
    struct training_grid_row *rows; /* for the present number of GPUs */
    size_t n_rows;
};

struct training_space {
    const struct training_job *job;
    const struct training_strategy *pinned; /* its gpu_count is not read */
    struct training_rates rates;
    double gpu_count;
    struct links links;
    double node; /* GPUs in a node of these runs; 0: not set yet */
    struct training_list experts;
    struct training_list divisors; /* of the present number of GPUs */
    struct training_list *chunks;  /* by pipeline stages; none yet: not asked for */
    double states;                 /* bytes of weights, gradients and optimizer, held once */
    struct arena lasting, arena, count_arena; /* hold the chunks; frames, blocks and kin; pipes,
                                                 rows and splits */
    struct training_frame *frames;
    size_t n_frames;
    struct training_kin *kin;
    size_t n_kin;
    bool arranged;                 /* the blocks are there */
    struct training_block *blocks; /* the lowest floor first */
    size_t n_blocks;
    struct training_pipe *pipes;
    size_t n_pipes;
    bool any_batch;                    /* the rows allow a batch that outgrows the default */
    bool once;                         /* no other number of GPUs comes after this one */
    struct training_block *last_block; /* of the fastest strategy last found, or NULL */
    double last_pipeline;
};

/* Borrows both; training_space_free() it. */
void training_space_init(struct training_space *space, const struct training_job *job,
                         const struct training_strategy *pinned);
void training_space_free(struct training_space *space);

/* Go to that many GPUs. `any_batch` allows a batch above the default when there are more GPUs than
 * sequences. */
void training_space_set_count(struct training_space *space, double gpu_count, bool any_batch);

/* The same for pipes and rows alone: training/plan/grid.c. */
void training_grid_set(struct training_space *space);

/* Work out the layers, unless the last number of GPUs had the same node: from one node on they
 * stay. Before it there are no blocks. */
void training_space_arrange(struct training_space *space);

/* Work out the fastest spread of a group and its head, unless they are there; then the others,
 * where slower layers are no faster those that are not beaten. */
void training_space_lead(const struct training_space *space, struct training_group *group);
void training_space_spread(const struct training_space *space, struct training_group *group,
                           bool ordered);

/* Whether the ZeRO stage may be 3, or below where `stage` is. */
static inline bool training_space_may_be(const struct training_space *space, double stage)
{
    return stage >= 3 ? !(space->pinned->zero_stage < 3) : !(space->pinned->zero_stage >= 3);
}

/* Whether n GPUs can hold the optimizer states under any sharding. */
bool training_space_holds(const struct training_space *space);

/* How far rounding up to whole micro-batches may take the default batch: a strategy is not to look
 * fast because it trains on twice the batch. */
#define TRAINING_BATCH_GROWTH_MAX 1.25

/* The strategy of a group on a row, short of what its spreads differ in; false where ranks or batch
 * do not come out whole. */
bool training_space_join(const struct training_space *space, const struct training_group *group,
                         const struct training_grid_row *row, struct training_strategy *on);

/* What is left to choose once those are, alongside the ZeRO stage: which hybrid shards and virtual
 * stages. */
void training_space_shards(const struct training_space *space, const struct training_strategy *on,
                           struct training_values *shards);
struct training_list training_space_chunks(const struct training_space *space,
                                           const struct training_grid_row *row,
                                           const struct training_group *group);

/* Seconds that a row's pipeline waits at least with n micro-batches, in layers of one. */
double training_space_wait(const struct training_pipe *pipe, double turns);

/* Whether weights come from other ranks or the host in every micro-batch. */
bool training_space_streams(const struct training_space *space, double zero_stage);

/* Whether a spread needs no less memory than another and its layer does no less: it divides the
 * sequence no more. */
static inline bool training_space_no_leaner(const struct training_spread *spread,
                                            const struct training_spread *than)
{
    return spread->sequence_parallel <= than->sequence_parallel;
}

/* Whether a block before has the same with fewer contexts: as many tokens at once on as many
 * replicas, and less to send between contexts. Where slower layers are no faster that beats it. */
bool training_space_spared(const struct training_space *space, const struct training_block *block,
                           const struct training_group *group);

/* A table by pipeline stages of things of that size, all zero, as long-lived as what it is kept in.
 */
void *training_space_table(struct training_space *space, size_t size)
    __attribute__((returns_nonnull));

/* How many strategies there are on the present number of GPUs. */
size_t training_space_size(const struct training_space *space);

/* At least that many seconds a step takes with that layer and head: the slowest stage works through
 * its part once per micro-batch and with 1F1B waits for the pipeline to fill, (p - 1) / v turns of
 * the mean (Narayanan et al. 2021, arXiv 2104.04473, section 2.2). What is sent between the stages
 * and for the update, and the update, come on top. */
double training_space_floor(const struct training_job *job, const struct training_strategy *on,
                            const struct training_pipe *pipe, double layer, double head);

#endif

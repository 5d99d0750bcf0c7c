/* search_space.h - every legal strategy of a job (training/constraints.h), arranged so that what
 * strategies share is computed once: layer times, and what is known about memory and
 * communication. */
#ifndef ESTIMATE_TRAINING_PLAN_SEARCH_SPACE_H
#define ESTIMATE_TRAINING_PLAN_SEARCH_SPACE_H

#include "base/arena.h"
#include "estimate/training/constraints.h"

/* Strategies that share a layer. */
struct training_spread {
    double sequence_parallel;
    bool floored;             /* its layer takes no less than its launches */
    double t_layer;           /* s */
    struct training_fit *fit; /* by pipeline stages; NULL: not known yet */
};

/* Replica counts at which the strategy with the least memory of a spread and pipeline is known
 * to fit, and known not to fit; 0: not known. More replicas never need more memory: each has
 * fewer micro-batches and a smaller shard of the states. */
struct training_fit {
    double fits_from, fails_to;
};

/* Spreads that differ only in sequence parallelism, fastest first. `on` has the members set that
 * their layers depend on; its ZeRO stage is 3, or any lower one. The fastest is known without
 * timing the others: it is the sequence-parallel one. Spreads that another one beats are left
 * out, unless weights are gathered while layers run. */
enum { TRAINING_ALIKE_MAX = 2 };
struct training_group {
    struct training_strategy on;
    size_t micro; /* index of its micro-batch in the frame */
    struct training_spread at[TRAINING_ALIKE_MAX];
    size_t n;         /* 0: not timed yet, see training_space_lead() */
    bool spread, all; /* `spread`: the others are added too; `all`: even those that another beats */
    double head;      /* s per micro-batch */
    struct training_layer lead; /* of the fastest spread */
};

/* Groups that differ only in the micro-batch, smallest first. The largest takes the least time
 * per sequence, since the time of a layer and of the head is a cost per token plus a fixed cost.
 * Groups that a lower context-parallel degree beats are left out, unless weights are gathered
 * while layers run. */
struct training_block {
    size_t frame;
    double expert;
    bool zero_3;   /* ZeRO 3; false: any lower stage */
    size_t number; /* in order of creation */
    size_t family;
    struct training_block *before; /* the previous block of the family, or NULL */
    struct training_group *groups;
    size_t n_groups;
    double floor;                 /* lower bound: GPU-seconds per sequence of the layers alone */
    double layer_each, head_each; /* s per sequence, the shortest over its micro-batches */
    struct training_fit *fit;     /* of its spread with the least memory; NULL: not known yet */
};

/* Blocks that differ only in context parallelism: training/plan/shared_terms.h. */
struct training_family {
    struct training_shared_terms
        *shared;                 /* by pipe, for the current GPU count; NULL: not computed yet */
    struct training_block *last; /* the one with the highest floor */
};

/* A number of pipeline stages that the current GPU count allows. */
struct training_pipe {
    double stages;
    double layers, heads; /* of the slowest stage */
    /* Possible numbers of virtual stages, empty if the schedule cannot be interleaved: the
     * divisors of a stage's layers, with embedding and head counted as a layer each if the
     * layers alone are not divisible. */
    struct training_list chunks;
    double wait, turns_wait; /* pipeline wait in layers; `turns_wait`: the least, if the schedule
                                can be interleaved */
    double tensor;           /* the tensor degree that n_shardings is for; 0: not computed yet */
    size_t n_shardings;      /* ways to divide experts and states */
};

/* One way to divide the current GPU count. */
struct training_grid_row {
    size_t pipe;
    double pipeline, data;
    double most_batch;  /* largest batch of any micro-batch */
    double least_turns; /* fewest micro-batches in a step */
    double least_wait;  /* pipeline wait per sequence of the batch, in layer times of one */
    size_t n_schedules; /* micro-batches that divide the batch, times the virtual stages of each */
    double *turns; /* by micro-batch of the frame: micro-batches in a step; 0: not a whole number */
};

/* A tensor and context degree with its micro-batches and rows. */
struct training_frame {
    double tensor, context;
    const double *micro; /* [b] */
    size_t n_micro;
    size_t alike;                   /* spreads in each group */
    size_t family;                  /* the first family of its tensor degree */
    struct training_grid_row *rows; /* for the current GPU count */
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
    struct training_list divisors; /* of the current GPU count */
    struct training_list *chunks;  /* by pipeline stages; empty: not computed yet */
    double states; /* bytes of one copy of weights, gradients and optimizer states */
    struct arena lasting, arena,
        count_arena; /* `lasting` holds the chunks; `arena` frames, blocks
                        and families; `count_arena` pipes, rows and shared terms */
    struct training_frame *frames;
    size_t n_frames;
    struct training_family *families;
    size_t n_families;
    bool arranged;                 /* the blocks have been created */
    struct training_block *blocks; /* sorted by floor, lowest first */
    size_t n_blocks;
    struct training_pipe *pipes;
    size_t n_pipes;
    bool any_batch; /* the rows allow a batch above the default */
    bool once;      /* no other GPU count follows */
    double slowest; /* s per sequence: a plan that takes longer is not looked for; INFINITY: any */
    struct training_block *last_block; /* where the previous GPU count had its fastest, or NULL */
    double last_pipeline;
};

/* Borrows both pointers. Release with training_space_free(). */
void training_space_init(struct training_space *space, const struct training_job *job,
                         const struct training_strategy *pinned);
void training_space_free(struct training_space *space);

/* Set the GPU count. `any_batch` allows a batch above the default when there are more GPUs than
 * sequences. */
void training_space_set_count(struct training_space *space, double gpu_count, bool any_batch);

/* Set only pipes and rows for it: training/plan/grid.c. */
void training_grid_set(struct training_space *space);

/* Create the blocks and time their layers, unless the previous GPU count had the same node size:
 * from one full node on the times do not change. There are no blocks before the first call. */
void training_space_arrange(struct training_space *space);

/* Time the fastest spread of a group and its head, unless already done; then the other spreads,
 * with `ordered` only those that no other beats. */
void training_space_lead(const struct training_space *space, struct training_group *group);
void training_space_spread(const struct training_space *space, struct training_group *group,
                           bool ordered);

/* Whether the pinned ZeRO stage allows stage 3 if `stage` is 3, or a lower one if it is lower. */
static inline bool training_space_may_be(const struct training_space *space, double stage)
{
    return stage >= 3 ? !(space->pinned->zero_stage < 3) : !(space->pinned->zero_stage >= 3);
}

/* Whether n GPUs can hold the optimizer states under any sharding. */
bool training_space_holds(const struct training_space *space);

/* How much rounding up to whole micro-batches may increase the default batch: a strategy must
 * not look fast only because it trains on twice the batch. */
#define TRAINING_BATCH_GROWTH_MAX 1.25

/* The strategy of a group on a row, without the members in which its spreads differ; false if
 * ranks or batch are not whole numbers. */
bool training_space_join(const struct training_space *space, const struct training_group *group,
                         const struct training_grid_row *row, struct training_strategy *on);

/* The choices left in addition to the ZeRO stage: hybrid shards, and virtual stages. */
void training_space_shards(const struct training_space *space, const struct training_strategy *on,
                           struct training_values *shards);
struct training_list training_space_chunks(const struct training_space *space,
                                           const struct training_grid_row *row,
                                           const struct training_group *group);

/* Lower bound of a row's pipeline wait with n micro-batches, in layer times of one micro-batch. */
double training_space_wait(const struct training_pipe *pipe, double turns);

/* Whether weights are fetched from other ranks or the host in every micro-batch. */
bool training_space_streams(const struct training_space *space, double zero_stage);

/* Whether a spread needs at least as much memory and work per layer as another, because it is
 * not more sequence-parallel. */
static inline bool training_space_no_leaner(const struct training_spread *spread,
                                            const struct training_spread *than)
{
    return spread->sequence_parallel <= than->sequence_parallel;
}

/* Whether an earlier block does the same with a lower context-parallel degree: as many tokens at
 * once on as many replicas, with less communication between context ranks. It then beats this
 * group, provided that slower layers never help. */
bool training_space_spared(const struct training_space *space, const struct training_block *block,
                           const struct training_group *group);

/* A zeroed table with an element of `size` bytes for each number of pipeline stages, in
 * space->arena. */
void *training_space_table(struct training_space *space, size_t size)
    __attribute__((returns_nonnull));

/* The number of strategies on the current GPU count. */
size_t training_space_size(const struct training_space *space);

/* Lower bound in seconds of a step with that layer and head: the slowest stage processes its
 * layers once per micro-batch and, with 1F1B, waits (p - 1) / v mean micro-batches for the
 * pipeline to fill (Narayanan et al. 2021, arXiv 2104.04473, section 2.2). Communication and the
 * optimizer step are added to it. */
double training_space_floor(const struct training_job *job, const struct training_strategy *on,
                            const struct training_pipe *pipe, double layer, double head);

#endif

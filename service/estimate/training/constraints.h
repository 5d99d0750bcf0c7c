/* constraints.h - defines the legal strategies: the values that each degree may have.
 *
 * Legal are: tensor degrees that divide the heads and the node; context degrees that divide the
 * sequence and leave each GPU 1024 tokens of it; any number of pipeline stages up to the layers,
 * even or not; expert degrees that divide the experts and the ranks they are spread over;
 * micro-batches that divide the batch, powers of two if the batch is open, up to the tokens the
 * catalogue allows a micro-batch; every divisor of a stage's layers as virtual stages, if
 * micro-batches can be interleaved; ZeRO 0 and 1, without a pipeline also 2 and 3, the last also
 * within every number of whole nodes that divides the replicas (hybrid sharding: below stage 3
 * nothing is gathered that a smaller group would speed up); the least recompute that leaves memory
 * free; sequence parallelism or not. PyTorch adapter training is sharded among replicas only, and
 * divides no sequence that one GPU takes at once. Pinned values are always used as given.
 */
#ifndef ESTIMATE_TRAINING_CONSTRAINTS_H
#define ESTIMATE_TRAINING_CONSTRAINTS_H

#include "base/arena.h"
#include "estimate/training/training.h"

#include <math.h>

/* Values to try for one degree, in order: enough for the divisors of any number up to 10^8. */
enum { TRAINING_VALUES_MAX = 768 };
struct training_values {
    double at[TRAINING_VALUES_MAX];
    size_t n;
};

/* The same in an arena. */
struct training_list {
    const double *at;
    size_t n;
};
struct training_list training_values_keep(const struct training_values *values,
                                          struct arena *arena);

static inline void training_values_add(struct training_values *values, double value)
{
    if (values->n < TRAINING_VALUES_MAX)
        values->at[values->n++] = value;
}

/* Reset the values; if a value is pinned, add it and return true. */
static inline bool training_values_pinned(struct training_values *values, double pinned)
{
    bool given = !isnan(pinned);

    values->n = 0;
    if (given)
        training_values_add(values, pinned);
    return given;
}

/* All divisors of a whole number, in ascending order. */
void training_values_divisors(struct training_values *values, double whole);

/* True if the model is sharded only among replicas (ZeRO, FSDP), unless a degree is pinned: PyTorch
 * adapter training divides neither layers nor products, and nothing else shards 4-bit weights. */
bool training_constraints_replicas_alone(const struct training_job *job,
                                         const struct training_strategy *pinned);

/* `node` is the number of GPUs per node of the run. */
void training_constraints_tensor(const struct training_job *job,
                                 const struct training_strategy *pinned, double node,
                                 struct training_values *values);
void training_constraints_context(const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_values *values);
void training_constraints_micro_batch(const struct training_job *job,
                                      const struct training_strategy *pinned, double context,
                                      struct training_values *values);
void training_constraints_expert(const struct training_job *job,
                                 const struct training_strategy *pinned,
                                 struct training_values *values);
/* Without tensor parallelism there is nothing for it to divide. */
void training_constraints_sequence_parallel(const struct training_strategy *pinned, double tensor,
                                            struct training_values *values);
/* The ZeRO stage in `on` tells whether stage 3, or stages below it, are wanted. */
void training_constraints_zero(const struct training_strategy *pinned,
                               const struct training_strategy *on, struct training_values *stages);

static inline bool training_divides(double divisor, double whole)
{
    double times = whole / divisor;

    /* Exact below 2^53: a non-integer quotient differs by more than the rounding error. */
    return divisor >= 1 && times == (double)(long long)times;
}

/* True if the schedule can run with that many stages: DualPipe needs pairs. */
static inline bool training_pairs(const struct training_job *job, double stages)
{
    return job->schedule != TRAINING_DUALPIPE || stages == 1 || training_divides(2, stages);
}

#endif

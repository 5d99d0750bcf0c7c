#include "estimate/training/constraints.h"

#include <math.h>
#include <string.h>

/* A shorter piece of the sequence does not keep a GPU busy, so sequences are not split further. */
static const double CONTEXT_TOKENS_MIN = 1024;

struct training_list training_values_keep(const struct training_values *values, struct arena *arena)
{
    size_t size = values->n * sizeof(double);

    return (struct training_list){memcpy(arena_room(arena, size), values->at, size), values->n};
}

bool training_constraints_replicas_alone(const struct training_job *job,
                                         const struct training_strategy *pinned)
{
    bool torch = training_adapters(job->method) && training_plain_torch(job);

    return (torch || job->method == TRAINING_QLORA) && isnan(pinned->data);
}

void training_constraints_tensor(const struct training_job *job,
                                 const struct training_strategy *pinned, double node,
                                 struct training_values *values)
{
    if (training_values_pinned(values, pinned->tensor))
        return;
    double most = training_constraints_replicas_alone(job, pinned) ? 1 : node;
    for (double t = 1; t <= most; t++)
        if (training_divides(t, node) && training_divides(t, job->shape.heads))
            training_values_add(values, t);
}

void training_constraints_context(const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_values *values)
{
    double sequence = job->sequence_tokens;

    if (training_values_pinned(values, pinned->context))
        return;
    training_values_add(values, 1);
    if (training_constraints_replicas_alone(job, pinned) &&
        sequence <= job->constants->micro_batch_tokens_max)
        return;
    for (double c = 2; sequence / c >= CONTEXT_TOKENS_MIN; c++)
        if (training_divides(c, sequence))
            training_values_add(values, c);
}

/* Each expert gets a share of the tokens, so that a GPU is busy only with more of them. */
static double most_tokens_at_once(const struct training_job *job)
{
    return job->shape.moe && !training_adapters(job->method)
               ? job->constants->micro_batch_tokens_moe
               : job->constants->micro_batch_tokens_max;
}

void training_constraints_micro_batch(const struct training_job *job,
                                      const struct training_strategy *pinned, double context,
                                      struct training_values *values)
{
    bool open = isnan(job->batch_sequences);
    double most = fmin(open ? job->batch_default : job->batch_sequences,
                       most_tokens_at_once(job) * context / job->sequence_tokens);

    if (training_values_pinned(values, pinned->micro_batch))
        return;
    training_values_add(values, 1);
    for (double b = 2; b <= most; b = open ? 2 * b : b + 1)
        if (open || training_divides(b, job->batch_sequences))
            training_values_add(values, b);
}

void training_constraints_expert(const struct training_job *job,
                                 const struct training_strategy *pinned,
                                 struct training_values *values)
{
    if (training_values_pinned(values, pinned->expert))
        return;
    training_values_add(values, 1);
    for (double e = 2; e <= job->shape.experts; e++)
        if (training_divides(e, job->shape.experts))
            training_values_add(values, e);
}

void training_constraints_sequence_parallel(const struct training_strategy *pinned, double tensor,
                                            struct training_values *values)
{
    if (training_values_pinned(values, tensor > 1 ? pinned->sequence_parallel : 0))
        return;
    training_values_add(values, 1);
    training_values_add(values, 0);
}

void training_values_divisors(struct training_values *values, double whole)
{
    size_t n;

    values->n = 0;
    for (double d = 1; d * d <= whole; d++)
        if (training_divides(d, whole))
            training_values_add(values, d);
    n = values->n;
    for (size_t i = n; i-- > 0;)
        if (values->at[i] * values->at[i] != whole)
            training_values_add(values, whole / values->at[i]);
}

void training_constraints_zero(const struct training_strategy *pinned,
                               const struct training_strategy *on, struct training_values *stages)
{
    if (training_values_pinned(stages, pinned->zero_stage))
        return;
    if (on->zero_stage >= 3) {
        if (on->data * on->context > 1 && on->pipeline == 1)
            training_values_add(stages, 3);
        return;
    }
    if (!(pinned->shard > 1)) /* stage 0 shards nothing among them */
        training_values_add(stages, 0);
    if (on->data * on->context == 1)
        return;
    training_values_add(stages, 1);
    if (on->pipeline == 1)
        training_values_add(stages, 2);
}

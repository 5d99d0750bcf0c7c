#include "estimate/measurement/correction.h"

#include "catalog/constants.h"

#include <math.h>
#include <string.h>

#define MEMBER(member, key, scope, ...) \
    CONSTANT(struct correction_constants, member, key, scope, __VA_ARGS__)

static const struct constant rows[] = {
    MEMBER(training.strength, "correction_strength", "", RANGE_PART),
    MEMBER(training.per_batch, "correction_fade", "batch", RANGE_EXPONENT),
    MEMBER(training.per_length, "correction_fade", "length", RANGE_EXPONENT),
    MEMBER(training.per_gpus, "correction_fade", "gpu_count", RANGE_EXPONENT),
    MEMBER(inference.strength, "correction_strength", "inference", RANGE_PART),
    MEMBER(inference.per_batch, "correction_fade", "inference_batch", RANGE_EXPONENT),
    MEMBER(inference.per_length, "correction_fade", "inference_length", RANGE_EXPONENT),
    MEMBER(inference.per_gpus, "correction_fade", "inference_gpu_count", RANGE_EXPONENT),
    MEMBER(interval, "correction_interval_share", "", RANGE_PART),
    MEMBER(far_token, "far_interval_exponent", "inference", RANGE_ABOVE),
};

void correction_constants_memoize(struct catalog *catalog)
{
    constants_memoize(catalog, rows, sizeof(rows) / sizeof(rows[0]),
                      sizeof(struct correction_constants));
}

bool correction_constants_fill(const struct catalog *catalog,
                               struct correction_constants *constants, struct err *err)
{
    return constants_fill(catalog, rows, sizeof(rows) / sizeof(rows[0]), constants, err);
}

/* The share that one run alone is taken over with. */
static double share_of(const struct correction_constants *constants,
                       const struct nearest_features *asked, const struct nearest_features *run)
{
    const struct correction_fade *fade =
        nearest_is_training(asked) ? &constants->training : &constants->inference;
    double apart = fade->per_batch * fabs((double)(asked->batch - run->batch)) +
                   fade->per_length * fabs((double)(asked->length - run->length)) +
                   fade->per_gpus * fabs((double)(asked->gpus - run->gpus));

    return fade->strength * exp(-apart);
}

/* A share s of one run is what a weight of s / (1 - s) leaves of it alongside a prior of weight 1
 * that the estimate is right. */
void correction_add(struct correction_sum *sum, const struct correction_constants *constants,
                    const struct nearest_features *asked, const struct nearest_features *run,
                    double measured, double estimated)
{
    if (!nearest_is_same(asked, run))
        return;
    double share = fmin(0.999, share_of(constants, asked, run)), weight = share / (1 - share);

    sum->weight += weight;
    sum->residual += weight * log(measured / estimated);
    sum->runs++;
}

struct correction correction_of(const struct correction_constants *constants,
                                const struct correction_sum *sum)
{
    return (struct correction){exp(sum->residual / (1 + sum->weight)),
                               1 - constants->interval * sum->weight / (1 + sum->weight),
                               (double)sum->runs};
}

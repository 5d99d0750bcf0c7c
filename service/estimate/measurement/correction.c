#include "estimate/measurement/correction.h"

#include "catalog/constants.h"

#include <math.h>
#include <string.h>

#define MEMBER(member, key, scope, ...) \
    CONSTANT(struct correction_constants, member, key, scope, __VA_ARGS__)

static const struct constant rows[] = {
    MEMBER(strength, "correction_strength", "", RANGE_PART),
    MEMBER(per_batch, "correction_fade", "batch", RANGE_EXPONENT),
    MEMBER(per_length, "correction_fade", "length", RANGE_EXPONENT),
    MEMBER(per_gpus, "correction_fade", "gpu_count", RANGE_EXPONENT),
    MEMBER(interval, "correction_interval_share", "", RANGE_PART),
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

struct correction correction_of(const struct correction_constants *constants,
                                const struct nearest_features *asked,
                                const struct nearest_features *run, double measured,
                                double estimated)
{
    double fade = constants->per_batch * fabs((double)(asked->batch - run->batch)) +
                  constants->per_length * fabs((double)(asked->length - run->length)) +
                  constants->per_gpus * fabs((double)(asked->gpus - run->gpus));
    double taken = asked->moe == run->moe ? constants->strength * exp(-fade) : 0;

    return (struct correction){exp(taken * log(measured / estimated)),
                               1 - constants->interval * taken};
}

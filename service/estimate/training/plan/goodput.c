#include "estimate/training/plan/goodput.h"

#include "base/number.h"
#include "base/units.h"

#include <math.h>

#define BAND(member, key, bound, ...) \
    CONSTANT_BOUND(struct goodput_constants, member, key, "", bound, __VA_ARGS__)

static const struct constant rows[] = {
    BAND(failures, "failures_per_1000_gpu_days", BOUND_VALUE, RANGE_AMOUNT),
    BAND(failures_low, "failures_per_1000_gpu_days", BOUND_LOW, RANGE_AMOUNT),
    BAND(failures_high, "failures_per_1000_gpu_days", BOUND_HIGH, RANGE_AMOUNT),
    BAND(restart, "restart_seconds", BOUND_VALUE, RANGE_AMOUNT),
    BAND(restart_high, "restart_seconds", BOUND_HIGH, RANGE_AMOUNT),
    BAND(storage_rate, "checkpoint_storage_rate", BOUND_VALUE, RANGE_POSITIVE),
    BAND(storage_rate_low, "checkpoint_storage_rate", BOUND_LOW, RANGE_POSITIVE),
    BAND(storage_rate_high, "checkpoint_storage_rate", BOUND_HIGH, RANGE_POSITIVE),
};

void goodput_constants_memoize(struct catalog *catalog)
{
    constants_memoize(catalog, rows, sizeof(rows) / sizeof(rows[0]),
                      sizeof(struct goodput_constants));
}

bool goodput_constants_fill(const struct catalog *catalog, struct goodput_constants *constants,
                            struct err *err)
{
    return constants_fill(catalog, rows, sizeof(rows) / sizeof(rows[0]), constants, err);
}

double goodput_checkpoint_bytes(const struct training_job *job)
{
    struct training_bytes bytes = training_job_bytes(job);
    double trained = training_adapters(job->method) ? job->trainable_ratio : 1;

    return trained * job->shape.params_total * (bytes.weight + bytes.optimizer);
}

/* Daly's complete formula; without failures the interval is unlimited. */
static double share_of(double failure_interval, double checkpoint, double restart)
{
    if (isinf(failure_interval))
        return 1;
    double work = sqrt(2 * checkpoint * failure_interval);
    double block = expm1((work + checkpoint) / failure_interval);

    return work / (failure_interval * exp(restart / failure_interval) * block);
}

/* Use those rates for whatever the run does not give. */
static struct goodput goodput_at(const struct goodput_run *run, double failures,
                                 double storage_rate, double restart)
{
    double written = run->checkpoint_bytes / (run->gpu_count * storage_rate);
    struct goodput out = {
        .failures = number_or(run->failures, failures),
        .checkpoint_seconds = number_or(run->checkpoint_seconds, written),
        .restart_seconds = number_or(run->restart_seconds, restart),
    };

    out.failure_interval = 1000 * SECONDS_PER_DAY / (out.failures * run->gpu_count);
    out.checkpoint_interval = sqrt(2 * out.checkpoint_seconds * out.failure_interval);
    out.share = share_of(out.failure_interval, out.checkpoint_seconds, out.restart_seconds);
    return out;
}

struct goodput goodput_of(const struct goodput_constants *k, const struct goodput_run *run)
{
    return goodput_at(run, k->failures, k->storage_rate, k->restart);
}

struct goodput goodput_worst(const struct goodput_constants *k, const struct goodput_run *run)
{
    return goodput_at(run, k->failures_high, k->storage_rate_low, k->restart_high);
}

struct goodput goodput_best(const struct goodput_constants *k, const struct goodput_run *run)
{
    return goodput_at(run, k->failures_low, k->storage_rate_high, k->restart);
}

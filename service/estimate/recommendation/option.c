/* option.c - one combination of configurations: its times, its ledgers, and the limits it meets. */
#include "estimate/recommendation/option.h"
#include "base/units.h"
#include "estimate/recommendation/part_cache.h"
#include "estimate/recommendation/shared_cluster.h"

#include <math.h>
#include <string.h>

double recommendation_time(const struct recommendation_ask *ask,
                           const struct recommendation_option *option)
{
    bool jobs = ask->wanted[RECOMMENDATION_TRAIN] || ask->wanted[RECOMMENDATION_FINETUNE];

    return jobs ? fmax(option->days.middle, ask->fast_enough_days) : option->latency.middle;
}

struct range recommendation_total_over_providers(const struct recommendation_ask *ask,
                                                 const struct recommendation_option *option)
{
    struct range total = {
        .low = option->delay_cost, .middle = option->total.middle, .high = option->delay_cost};

    for (size_t i = 0; i < option->n_parts; i++) {
        const struct recommendation_part *part = &option->parts[i];
        struct range rents = recommendation_part_rents(ask, part);
        total.low += recommendation_part_total_at(ask, part, rents.low);
        total.high += recommendation_part_total_at(ask, part, rents.high);
    }
    return total;
}

bool recommendation_uses_credits(const struct recommendation_option *option)
{
    for (size_t i = 0; i < option->n_parts; i++)
        if (option->parts[i].credits_used > 0)
            return true;
    return false;
}

struct recommendation_money recommendation_end(const struct recommendation_ask *ask,
                                               const struct recommendation_option *option,
                                               bool high)
{
    struct recommendation_money change = {0, 0};

    for (size_t i = 0; i < option->n_parts; i++) {
        const struct recommendation_part *part = &option->parts[i];
        struct recommendation_money end = recommendation_part_end(ask, part, high);
        change.total += end.total - part->total;
        change.payments += end.payments - part->payments;
    }
    return change;
}

const struct recommendation_configuration *
recommendation_configuration_of(const struct recommendation_ask *ask,
                                const struct recommendation_option *option,
                                enum recommendation_workload workload)
{
    size_t gpu_type = option->parts[option->part[workload]].gpu_type;

    return &ask->gpu_types[gpu_type].configurations[workload][option->configuration[workload]];
}

static void add_range(struct range *sum, const struct range *more)
{
    sum->low += more->low;
    sum->middle += more->middle;
    sum->high += more->high;
}

static struct range days_of(const struct recommendation_ask *ask,
                            const struct recommendation_option *option,
                            enum recommendation_workload job)
{
    const struct recommendation_configuration *configuration =
        recommendation_configuration_of(ask, option, job);
    const struct range *time = &configuration->time;
    bool spot = option->parts[option->part[job]].acquisition == RECOMMENDATION_SPOT;
    double by = spot ? 1 + configuration->spot_ratio : 1; /* spot machines are taken back */

    return (struct range){
        .middle = by * time->middle, .low = by * time->low, .high = by * time->high};
}

/* Set the times, and the duration of the service. */
static void set_times(const struct recommendation_ask *ask, struct recommendation_option *option)
{
    const struct range unknown = {(double)NAN, (double)NAN, (double)NAN};
    bool jobs = false;

    option->days = (struct range){0, 0, 0};
    option->ready_days = 0;
    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (ask->wanted[w]) {
            struct range days = days_of(ask, option, (enum recommendation_workload)w);
            jobs = true;
            add_range(&option->days, &days);
            option->ready_days += days.middle * recommendation_configuration_of(
                                                    ask, option, (enum recommendation_workload)w)
                                                    ->hours_ratio;
        }
    option->months_served =
        ask->horizon_months - ask->earliest_days * HOURS_PER_DAY / HOURS_PER_MONTH;
    option->latency = ask->wanted[RECOMMENDATION_SERVE]
                          ? recommendation_configuration_of(ask, option, RECOMMENDATION_SERVE)->time
                          : unknown;
    if (!jobs)
        option->days = unknown;
}

static double hours_of(const struct recommendation_ask *ask,
                       const struct recommendation_option *option,
                       enum recommendation_workload workload)
{
    const struct recommendation_configuration *configuration =
        recommendation_configuration_of(ask, option, workload);

    if (workload == RECOMMENDATION_SERVE)
        return configuration->gpu_count * HOURS_PER_MONTH * option->months_served;
    return configuration->gpu_count * HOURS_PER_DAY * configuration->time.middle *
           configuration->hours_ratio;
}

/* Jobs without a service cost until they are done; no capital is tied up after that. GPUs bought,
 * or rented from month 0, stay until the service has run its months, in whole ones. */
static int months_of(const struct recommendation_ask *ask,
                     const struct recommendation_option *option,
                     const struct recommendation_part *part)
{
    const double rounding = 1e-9;
    double late = option->ready_days - ask->earliest_days;

    if (!ask->wanted[RECOMMENDATION_SERVE])
        return (int)fmax(1, ceil(option->ready_days * HOURS_PER_DAY / HOURS_PER_MONTH - rounding));
    if (recommendation_is_hourly(part->acquisition) || part->jobs_only)
        return (int)ask->horizon_months;
    return (int)lround(ask->horizon_months + late * HOURS_PER_DAY / HOURS_PER_MONTH);
}

/* What is billed beyond the hours of one of its jobs, each rented separately: USD. */
static double unused_of(const struct recommendation_ask *ask,
                        const struct recommendation_part *part,
                        const struct recommendation_configuration *configuration, double hours)
{
    bool spot = part->acquisition == RECOMMENDATION_SPOT;

    return recommendation_part_unused(ask, part, configuration->gpu_count,
                                      spot ? hours * (1 + configuration->spot_ratio) : hours);
}

/* Set the part's GPUs and their hours in use. */
static void size_part(const struct recommendation_ask *ask, struct recommendation_option *option,
                      size_t i)
{
    struct recommendation_part *part = &option->parts[i];
    double held = 0, used = 0, rented = 0, unused = 0;

    part->other_cost = part->spot_ratio = 0;
    part->unlinked = part->tight = false;
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (ask->wanted[w] && option->part[w] == i) {
            const struct recommendation_configuration *configuration =
                recommendation_configuration_of(ask, option, (enum recommendation_workload)w);
            part->gpu_count = fmax(part->gpu_count, configuration->gpu_count);
            part->connected = fmax(part->connected, configuration->connected);
            double hours = hours_of(ask, option, (enum recommendation_workload)w);
            part->other_cost += configuration->other_cost;
            part->unlinked |= configuration->unlinked;
            part->tight |= configuration->tight;
            part->spot_ratio += hours * configuration->spot_ratio;
            if (part->jobs_only && recommendation_is_hourly(part->acquisition))
                unused += unused_of(ask, part, configuration, hours);
            held += hours;
            used += hours * configuration->used;
            rented += hours * configuration->rented;
        }
    part->spot_ratio = held > 0 ? part->spot_ratio / held : 0;
    double all = part->gpu_count * HOURS_PER_MONTH * part->months;
    part->held_ratio = fmin(1, held / all);
    part->utilization = fmin(part->held_ratio, used / all);
    part->rented_ratio = fmax(part->utilization, fmin(1, rented / all));
    part->unused_ratio = 0;
    if (unused > 0)
        part->unused_ratio =
            unused / (all * part->rented_ratio * recommendation_part_price(ask, part).per_gpu_hour);
}

/* GPU-hours paid for a job that takes that many days. An overhead of the caller's own replaces what
 * is billed beyond the hours in use. */
static double paid_hours(const struct recommendation_ask *ask,
                         const struct recommendation_part *part,
                         const struct recommendation_configuration *configuration, double days)
{
    double hours = configuration->gpu_count * HOURS_PER_DAY * days * configuration->hours_ratio;

    if (!part->jobs_only || !recommendation_is_hourly(part->acquisition) || ask->overhead_given)
        return hours;
    double price = recommendation_part_price(ask, part).per_gpu_hour;
    return price > 0 ? hours + unused_of(ask, part, configuration, hours) / price : hours;
}

/* A longer job costs more, except on GPUs that are held for months. On a cluster the shortest
 * rental is always paid in full, so a job that ends within it costs the same. */
static void set_length(const struct recommendation_ask *ask,
                       const struct recommendation_option *option, size_t i,
                       struct recommendation_part *part)
{
    const double rounding = 1e-9;
    double held = part->gpu_count * HOURS_PER_MONTH * part->months * part->held_ratio;
    double hours = held * (ask->overhead_given ? 1 : 1 + part->unused_ratio);

    part->has_term = false;
    part->length = (struct range){1, 1, 1};
    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (ask->wanted[w] && option->part[w] == i && recommendation_pays_for_time(part)) {
            const struct recommendation_configuration *configuration =
                recommendation_configuration_of(ask, option, (enum recommendation_workload)w);
            const struct range *days = &configuration->time;
            double each = configuration->gpu_count * HOURS_PER_DAY * configuration->hours_ratio;
            double middle = paid_hours(ask, part, configuration, days->middle);
            double low = (paid_hours(ask, part, configuration, days->low) - middle) / hours;
            double high = (paid_hours(ask, part, configuration, days->high) - middle) / hours;
            part->length.low += low;
            part->length.high += high;
            part->has_term |= fabs(low - each * (days->low - days->middle) / held) > rounding ||
                              fabs(high - each * (days->high - days->middle) / held) > rounding;
        }
}

static void add_cost(struct recommendation_option *option, size_t i)
{
    const struct recommendation_part *part = &option->parts[i];
    double low = part->length.low, high = part->length.high;

    /* Credits are fixed amounts: longer hours do not increase them. */
    double total = part->total + part->credits_used, paid = part->payments + part->credits_used;
    add_range(&option->total, &(struct range){.low = part->total + (low - 1) * total,
                                              .middle = part->total,
                                              .high = part->total + (high - 1) * total});
    add_range(&option->payments, &(struct range){.low = part->payments + (low - 1) * paid,
                                                 .middle = part->payments,
                                                 .high = part->payments + (high - 1) * paid});
}

bool recommendation_keeps(double value, double limit)
{
    return isnan(limit) || value <= limit * (1 + 1e-12); /* rounding */
}

static void judge(const struct recommendation_ask *ask, struct recommendation_option *option)
{
    double monthly = ask->budget_per_month * ask->horizon_months;
    const struct recommendation_configuration *service =
        ask->wanted[RECOMMENDATION_SERVE]
            ? recommendation_configuration_of(ask, option, RECOMMENDATION_SERVE)
            : NULL;

    option->in_time =
        recommendation_keeps(option->days.middle, ask->deadline_days) || isnan(option->days.middle);
    option->quick = !service || service->meets_limits;
    option->paid = recommendation_keeps(option->payments.middle, ask->budget);
    option->paid_monthly = recommendation_keeps(option->payments.middle, monthly);
    option->powered = recommendation_keeps(option->power_kw, ask->power_budget_kw);
    option->within =
        option->in_time && option->quick && option->paid && option->paid_monthly && option->powered;
    option->timely_high =
        option->within && (isnan(option->days.high) ||
                           recommendation_keeps(option->days.high, ask->deadline_days_at_high));
    option->keeps_up = !service || service->keeps_up;
    option->paid_high = recommendation_keeps(option->payments.high, ask->budget) &&
                        recommendation_keeps(option->payments.high, monthly);
    option->within_high = option->timely_high && option->paid_high && option->keeps_up;
}

/* Credits that expire while the jobs run pay for the jobs' bills until then: the ledger spreads
 * the rent of jobs evenly over all its months. */
static double credits_left(const struct recommendation_ask *ask,
                           const struct recommendation_option *option,
                           const struct recommendation_part *part, double credits)
{
    double months = ask->ledger.cloud_credits_months;
    double jobs = option->ready_days * HOURS_PER_DAY / HOURS_PER_MONTH;

    if (!part->jobs_only || months == 0 || jobs <= months)
        return credits;
    double rent = part->gpu_count * HOURS_PER_MONTH * part->months * part->rented_ratio *
                  recommendation_part_price(ask, part).per_gpu_hour;
    return fmin(credits, rent * months / jobs);
}

/* True if the jobs, and their experiments before them, end within the horizon. */
static bool within_horizon(const struct recommendation_ask *ask,
                           const struct recommendation_option *option)
{
    return option->ready_days * HOURS_PER_DAY <= ask->horizon_months * HOURS_PER_MONTH;
}

/* Size and cost of the i-th part, given the credits that are left. */
static void complete_part(const struct recommendation_ask *ask,
                          struct recommendation_option *option, size_t i, double credits,
                          struct part_cache *cache)
{
    struct recommendation_part *part = &option->parts[i];
    const struct recommendation_part *before = NULL;

    part->jobs_only =
        !(ask->wanted[RECOMMENDATION_SERVE] && option->part[RECOMMENDATION_SERVE] == i);
    part->months = months_of(ask, option, part);
    struct part_cache_key key = part_cache_key_of(ask, option, i);
    if (ask->ledger.cloud_credits == 0)
        before = part_cache_find(cache, &key);
    if (before) {
        *part = *before;
        return;
    }
    size_part(ask, option, i);
    set_length(ask, option, i, part);
    part->credits = credits_left(ask, option, part, credits);
    recommendation_part_cost(ask, part);
    part_cache_put(cache, &key, part);
}

bool recommendation_complete(const struct recommendation_ask *ask,
                             struct recommendation_option *option, struct part_cache *cache)
{
    set_times(ask, option);
    if (!within_horizon(ask, option))
        return false;
    double credits = ask->ledger.cloud_credits;
    option->gpu_count = option->power_kw = option->electricity_kwh = 0;
    option->confirmed = true;
    option->billed_ratio = 1;
    option->total = option->payments = (struct range){0, 0, 0};
    for (size_t i = 0; i < option->n_parts; i++) {
        complete_part(ask, option, i, credits, cache);
        credits -= option->parts[i].credits_used;
        add_cost(option, i);
        option->billed_ratio = fmax(option->billed_ratio, 1 + option->parts[i].unused_ratio);
        option->power_kw += option->parts[i].power_kw;
        option->electricity_kwh += option->parts[i].electricity_kwh;
        option->gpu_count = fmax(option->gpu_count, option->parts[i].gpu_count);
        option->confirmed &= recommendation_part_is_confirmed(&option->parts[i]);
    }
    if (!ask->wanted[RECOMMENDATION_SERVE])
        option->months_served = (double)NAN;
    judge(ask, option);
    return isfinite(option->total.middle);
}

double recommendation_earliest_days(const struct recommendation_ask *ask)
{
    double days = 0;

    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        double least = (double)INFINITY;
        for (size_t k = 0; ask->wanted[w] && k < ask->n_gpu_types; k++)
            for (size_t i = 0; i < ask->gpu_types[k].n_configurations[w]; i++)
                least = fmin(least, ask->gpu_types[k].configurations[w][i].time.middle *
                                        ask->gpu_types[k].configurations[w][i].hours_ratio);
        days += isfinite(least) ? least : 0;
    }
    return days;
}

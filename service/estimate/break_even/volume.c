#include "estimate/break_even/volume.h"

#include <math.h>

static const double NEAR = 1e-6; /* relative, of a volume */

/* Size the service for the volume; false if no design carries it. */
static bool size_at(const struct volume *volume, double tokens_per_day, struct serving_plan *plan)
{
    const double none = (double)NAN;
    struct serving_request request = *volume->request;

    request.cache = volume->cache;
    request.listed = true; /* only its GPUs and their utilization are asked */
    serving_set_load(&request, none, none, none, tokens_per_day);
    return serving_search_free(&request, plan);
}

/* Size the service for the volume and price it; false if no design carries it. */
static bool totals_at(const struct volume *volume, double tokens_per_day,
                      struct volume_totals *totals)
{
    double peak_ratio = volume->request->peak_ratio;
    struct ownership own = *volume->own;
    struct hosted_api hosted = volume->hosted;
    struct serving_plan plan;
    struct ledger ledger;
    struct hosted_api_ledger bill;
    struct err err = {0};

    if (!size_at(volume, tokens_per_day, &plan))
        return false;
    own.gpu_count = plan.design.gpu_count;
    own.utilization = plan.utilization;
    own.rented_ratio = rent_schedule_ratio(&volume->schedule, plan.design.replicas, peak_ratio);
    if (volume->book)
        own.rent_price_per_gpu_hour =
            price_match_per_gpu_hour(volume->book, own.gpu_count, serving_connected(&plan.design));
    if (!ownership_complete(&own, volume->catalog, volume->gpu, volume->as_of, &err))
        return false;
    hosted.tokens_per_day = tokens_per_day;
    ownership_ledger(&own, (int)own.horizon_months, &ledger);
    hosted_api_ledger(&hosted, &own, (int)own.horizon_months, &bill);
    *totals = (struct volume_totals){own.gpu_count, own.utilization, ledger.buy_total,
                                     ledger.rent_total, bill.total};
    return true;
}

/* One side and the hosted API at a volume; NAN if unknown. */
struct point {
    double tokens_per_day, gpu_count, cost, hosted;
};

static struct point point_at(const struct volume *volume, enum bridge_side side,
                             double tokens_per_day)
{
    const double none = (double)NAN;
    struct volume_totals totals = {none, none, none, none, none};

    (void)totals_at(volume, tokens_per_day, &totals); /* unknown if no design carries it */
    return (struct point){tokens_per_day, totals.gpu_count,
                          side == BRIDGE_BUY ? totals.buy : totals.rent, totals.hosted};
}

/* Bisect between a volume at which the hosted API is cheaper and one at which it is not. */
static double bisect(const struct volume *volume, enum bridge_side side, double low, double high)
{
    while (high - low > NEAR * high) {
        double middle = (low + high) / 2;
        struct point point = point_at(volume, side, middle);
        if (point.cost <= point.hosted)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The largest volume that the lower volume's GPUs carry, if the higher volume needs other GPUs. */
static struct point last_carried(const struct volume *volume, enum bridge_side side,
                                 struct point low, double high)
{
    double last = low.tokens_per_day;
    struct serving_plan plan;

    while (high - last > NEAR * high) {
        double middle = (last + high) / 2;
        if (size_at(volume, middle, &plan) && plan.design.gpu_count == low.gpu_count)
            last = middle;
        else
            high = middle;
    }
    return last > low.tokens_per_day ? point_at(volume, side, last) : low;
}

/* The crossing between two volumes, at the lower of which the hosted API is cheaper; NAN if there
 * is none. The same GPUs cost no less at a higher load, and a change of GPUs is a jump in cost, so
 * the crossing may not be visible from the ends. */
static double crossing(const struct volume *volume, enum bridge_side side, const struct point *low,
                       const struct point *high)
{
    struct point last = *high;

    if (!(last.cost <= last.hosted)) {
        if (low->gpu_count == high->gpu_count || low->cost > high->hosted)
            return (double)NAN;
        last = last_carried(volume, side, *low, high->tokens_per_day);
    }
    return last.cost <= last.hosted ? bisect(volume, side, low->tokens_per_day, last.tokens_per_day)
                                    : (double)NAN;
}

/* The volume whose hosted bill nearly equals the GPUs' cost at the lower volume: GPUs cost no less
 * at a higher load, so below it the hosted API is cheaper. */
static double out_of_reach(const struct point *low)
{
    const double almost = 0.999;

    return almost * low->tokens_per_day * low->cost / low->hosted;
}

struct threshold volume_break_even(const struct volume *volume, enum bridge_side side)
{
    const double step = 1.05, none = (double)NAN;
    struct point low = point_at(volume, side, BRIDGE_TOKENS_MIN), high;

    if (isnan(low.cost))
        return (struct threshold){none, "unknown_price"};
    if (low.cost <= low.hosted)
        return (struct threshold){none, side == BRIDGE_BUY ? "buy_cheaper_throughout"
                                                           : "rent_cheaper_throughout"};
    for (; low.gpu_count < BRIDGE_GPUS_MAX && low.tokens_per_day < BRIDGE_TOKENS_MAX; low = high) {
        high = point_at(volume, side, fmax(low.tokens_per_day * step, out_of_reach(&low)));
        double at = crossing(volume, side, &low, &high);
        if (!isnan(at))
            return (struct threshold){at, "reached"};
    }
    return (struct threshold){none, "hosted_cheaper_throughout"};
}

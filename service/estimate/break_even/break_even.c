#include "estimate/break_even/break_even.h"

#include "base/cents.h"
#include "base/root.h"

#include "estimate/ownership/lease.h"
#include "estimate/ownership/cash_flow.h"
#include "estimate/ownership/totals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PRICE_MAX 1e7 /* USD per GPU-hour: the highest rent that an import accepts */

/* Buying minus renting, unrounded, and the size of the amounts subtracted. */
struct difference {
    long double is, of;
};

/* A remainder within rounding noise counts as zero. */
static struct difference difference_of(const struct cash_flow *flow)
{
    const long double noise = 1e-16L; /* relative to all amounts, far above rounding errors */
    struct difference difference = {totals_difference(flow), totals_size(flow)};

    if (fabsl(difference.is) <= noise * difference.of)
        difference.is = 0;
    return difference;
}

static void add_crossing(struct break_even *out, double month, const char *cheaper_after)
{
    if (out->n_crossings < CROSSINGS_MAX)
        out->crossings[out->n_crossings++] = (struct crossing){month, cheaper_after};
}

/* Buying minus renting at a month: of the rounded totals, or if `is_near` a value with the same
 * sign.
 */
struct gap {
    double is;
    bool is_near;
};

static double gap_closed(struct cash_flow *flow)
{
    totals_close(flow);
    return totals_side(flow, SIDE_BUY) - totals_side(flow, SIDE_RENT);
}

static double gap_of_month(const struct ownership *in, const struct cash_flow *like, int month)
{
    struct cash_flow flow;

    cash_flow_start_like(&flow, in, like);
    cash_flow_advance(&flow, month);
    return gap_closed(&flow);
}

/* Rounds all lines only if the sign could otherwise differ, or is likely to in the next month. */
static struct gap gap_of(struct cash_flow *flow, double before)
{
    double off, near = totals_gap(flow, &off);

    if (fabs(near) > off + 2 * fabs(near - before))
        return (struct gap){near, true};
    return (struct gap){gap_closed(flow), false};
}

/* Whole months are computed; the curves are interpolated linearly between them. */
static void find_crossing(struct break_even *out, struct cash_flow *flow, struct gap before,
                          struct gap *now)
{
    if ((before.is <= 0) == (now->is <= 0))
        return;
    if (before.is_near)
        before.is = gap_of_month(flow->in, flow, flow->month - 1);
    if (now->is_near)
        *now = (struct gap){gap_closed(flow), false};
    add_crossing(out, flow->month - 1 + before.is / (before.is - now->is),
                 now->is <= 0 ? "buy" : "rent");
}

static void find_months(struct break_even *out, bool is_known)
{
    out->months = (double)NAN;
    if (!is_known) {
        out->n_crossings = 0;
        snprintf(out->status, sizeof(out->status), "unknown_price");
        return;
    }
    for (size_t i = 0; i < out->n_crossings && isnan(out->months); i++)
        if (strcmp(out->crossings[i].cheaper_after, "buy") == 0)
            out->months = out->crossings[i].month;
    if (isnan(out->months))
        snprintf(out->status, sizeof(out->status), "not_within_%d_months", (int)out->search_months);
    else
        snprintf(out->status, sizeof(out->status), "reached");
}

size_t break_even_series(const struct ownership *in, struct series_point points[POINTS_MAX])
{
    int last = (int)fmax(in->horizon_months, break_even_search_months(in));
    struct cash_flow flow;

    for (cash_flow_start(&flow, in);; cash_flow_month(&flow)) {
        totals_close(&flow);
        points[flow.month] = (struct series_point){flow.month, totals_side(&flow, SIDE_BUY),
                                                   totals_side(&flow, SIDE_RENT)};
        if (flow.month >= last)
            return (size_t)last + 1;
    }
}

static const char *always(double difference)
{
    return difference <= 0 ? "buy_cheaper_throughout" : "rent_cheaper_throughout";
}

/* The difference at the month of `like`, with one input changed; `run` is closed there. */
static long double difference_at(struct ownership *in, double *value, double now,
                                 const struct cash_flow *like, struct cash_flow *flow)
{
    *value = now;
    if (!cash_flow_vary(flow, in, like)) {
        cash_flow_start_like(flow, in, like);
        cash_flow_advance(flow, like->month);
    }
    totals_close(flow);
    return difference_of(flow).is;
}

/* The same if credits make the lines piecewise linear: a root between 0 and `most`. */
static struct threshold find_bent_zero(struct ownership *in, double *value, double most,
                                       const struct cash_flow *like, struct cash_flow *zero_run)
{
    enum { STEPS = 200 };
    const double near = 1e-12;
    struct cash_flow other;
    double x = 0, at_zero = (double)difference_at(in, value, 0, like, zero_run);
    struct root root = {0, most, at_zero, (double)difference_at(in, value, most, like, &other), 0};

    if (isnan(root.at_low) || isnan(root.at_high))
        return (struct threshold){(double)NAN, "unknown_price"};
    if (root.at_low == 0)
        return (struct threshold){0, "reached"};
    if ((root.at_low <= 0) == (root.at_high <= 0))
        return (struct threshold){(double)NAN, always(root.at_low)};
    for (int i = 0; i < STEPS && root.high - root.low > near * root.high; i++) {
        x = root_guess(&root);
        double at_x = (double)difference_at(in, value, x, like, &other);
        if (at_x == 0)
            break;
        root_narrow(&root, x, at_x);
    }
    return (struct threshold){x, "reached"};
}

/* Where the difference is zero, if between 0 and `most`: every ledger line is linear in utilization
 * and in rent price. `value` points into `in`, where the difference is `here`; `like` was run with
 * that value, `zero_run` with 0. */
static struct threshold find_zero(struct ownership *in, double *value, double most,
                                  struct difference here, const struct cash_flow *like,
                                  struct cash_flow *zero_run)
{
    const double flat = 1e-14; /* relative to the difference, far above the noise of a zero slope */
    const double steep = 1e-5; /* relative to all amounts: at most 1e-14 of the slope is lost
                                * then */
    double now = *value;
    struct cash_flow other;

    if (in->cloud_credits != 0)
        return find_bent_zero(in, value, most, like, zero_run);
    long double at_0 = difference_at(in, value, 0, like, zero_run), rise = here.is - at_0;
    bool is_steep = fabsl(rise) > steep * here.of;
    long double slope = is_steep ? rise / now : difference_at(in, value, 1, like, &other) - at_0;

    if (isnan(slope))
        return (struct threshold){(double)NAN, "unknown_price"};
    if (fabsl(slope) <= flat * fabsl(at_0))
        return (struct threshold){(double)NAN, always((double)at_0)};
    double zero = (double)(-at_0 / slope) + 0.0; /* adding 0.0 avoids -0 */
    if (!is_steep)                               /* correct the first step's loss of precision */
        zero -= (double)(difference_at(in, value, zero, like, &other) / slope);
    if (zero >= 0 && zero <= most)
        return (struct threshold){zero, "reached"};
    return (struct threshold){(double)NAN, always((double)at_0)};
}

/* `idle` is the difference with idle GPUs, `here` at the given utilization. */
static struct utilization_band band_of(const struct threshold *turn, long double idle,
                                       long double here)
{
    const struct utilization_band all = {0, 1}, none = {1, 0};

    if (isnan(here) || isnan(idle))
        return (struct utilization_band){(double)NAN, (double)NAN};
    if (isnan(turn->value))
        return idle <= 0 ? all : none;
    if (turn->value > 0 && idle > 0)
        return (struct utilization_band){turn->value, 1};
    return turn->value > 0 || here > 0 ? (struct utilization_band){0, turn->value} : all;
}

struct threshold break_even_utilization_among(const struct utilization_band *bands, size_t n)
{
    struct utilization_band buys = {0, 1};

    for (size_t i = 0; i < n; i++) {
        if (isnan(bands[i].low))
            return (struct threshold){(double)NAN, "unknown_price"};
        buys.low = fmax(buys.low, bands[i].low);
        buys.high = fmin(buys.high, bands[i].high);
    }
    if (buys.low > buys.high)
        return (struct threshold){(double)NAN, "rent_cheaper_throughout"};
    if (buys.low > 0)
        return (struct threshold){buys.low, "reached"};
    return buys.high < 1 ? (struct threshold){buys.high, "reached"}
                         : (struct threshold){(double)NAN, "buy_cheaper_throughout"};
}

static void compare_at_horizon(const struct ownership *in, struct break_even *out)
{
    int months = (int)in->horizon_months;
    double hours = ownership_useful_gpu_hours(in, months), none = (double)NAN;

    out->saving = cents_round(out->ledger.rent_total - out->ledger.buy_total);
    out->verdict = isnan(out->saving) ? NULL : out->saving >= 0 ? "buy" : "rent";
    out->useful_gpu_hours = hours;
    out->buy_per_useful_gpu_hour = hours > 0 ? out->ledger.buy_total / hours : none;
    out->rent_per_useful_gpu_hour = hours > 0 ? out->ledger.rent_total / hours : none;
}

/* `idle` is the run with idle GPUs. */
static double idle_cost(const struct ownership *in, const struct cash_flow *idle)
{
    int months = (int)in->horizon_months;

    if (in->first_phase_months > 0) /* they include the first phase */
        return ownership_idle_cost(in, months);
    return ownership_times(1 - ownership_mean_utilization(in, months), totals_side(idle, SIDE_BUY));
}

double break_even_search_months(const struct ownership *in)
{
    double most = fmin(in->useful_life_months, SEARCH_MONTHS_MAX);

    return ownership_exit_months(in) + lease_exit_months(in) > 0 ? fmin(most, in->horizon_months)
                                                                 : most;
}

/* The totals of both sides, and the values at which they are equal; `run` is at the horizon. */
static void find_at_horizon(const struct ownership *in, struct break_even *out,
                            struct cash_flow *flow)
{
    struct ownership other = *in;
    struct cash_flow zero;

    totals_close(flow);
    ownership_fill_ledger(flow, &out->ledger);
    compare_at_horizon(in, out);
    struct difference here = difference_of(flow);
    out->rent_price_per_gpu_hour =
        find_zero(&other, &other.rent_price_per_gpu_hour, PRICE_MAX, here, flow, &zero);
    other = *in;
    out->utilization = find_zero(&other, &other.utilization, 1, here, flow, &zero);
    out->buys = band_of(&out->utilization, difference_of(&zero).is, here.is);
    out->idle_cost = idle_cost(in, &zero);
}

void break_even_at_horizon(const struct ownership *in, struct break_even *out)
{
    struct cash_flow flow;

    cash_flow_start(&flow, in);
    cash_flow_advance(&flow, (int)in->horizon_months);
    find_at_horizon(in, out, &flow);
}

void break_even_find(const struct ownership *in, struct break_even *out)
{
    struct cash_flow flow;
    double off;

    out->n_crossings = 0;
    out->search_months = break_even_search_months(in);
    int last = (int)fmax(in->horizon_months, out->search_months);
    cash_flow_start(&flow, in);
    struct gap before, now = gap_of(&flow, totals_gap(&flow, &off));
    if (now.is <= 0)
        add_crossing(out, 0, "buy");
    for (;; cash_flow_month(&flow)) {
        if (flow.month > 0 && flow.month <= (int)out->search_months) {
            before = now;
            now = gap_of(&flow, before.is);
            find_crossing(out, &flow, before, &now);
        }
        if (flow.month == (int)in->horizon_months)
            find_at_horizon(in, out, &flow);
        if (flow.month >= last)
            break;
    }
    find_months(out, !isnan(totals_gap(&flow, &off)));
}

static double quantity_bought(const struct break_even *break_even, const char *key)
{
    const struct ledger *ledger = &break_even->ledger;

    for (size_t i = 0; i < ledger->n; i++)
        if (cash_flow_same_word(ledger->lines[i].key, key) &&
            cash_flow_same_word(ledger->lines[i].side, "buy"))
            return ledger->lines[i].quantity;
    return (double)NAN;
}

double break_even_electricity_kwh(const struct break_even *break_even)
{
    return quantity_bought(break_even, "electricity_it") +
           quantity_bought(break_even, "electricity_facility");
}

double break_even_carbon_tonnes(const struct break_even *break_even)
{
    return quantity_bought(break_even, "carbon");
}

/* Index of the name; the last one if none matches. */
static int place_of(const char *name, const char *const names[], int n)
{
    int i = 0;

    while (i < n - 1 && !cash_flow_same_word(names[i], name))
        i++;
    return i;
}

double break_even_group_total(const struct break_even *break_even, const char *side,
                              const char *group)
{
    return break_even->ledger.group_cents[place_of(side, ownership_side_names, SIDES)]
                                         [place_of(group, ownership_group_names, GROUPS)] /
           100;
}

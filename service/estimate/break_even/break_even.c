#include "estimate/break_even/break_even.h"

#include "base/cents.h"

#include "estimate/ownership/cash_flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PRICE_MAX 1e12 /* that is accepted as a rent price */

/* Buying less renting before any rounding, and the size of what it is a difference of. */
struct difference {
    long double is, of;
};

/* What is left of two equal sums counts as nothing. */
static struct difference difference_of(const struct run *run)
{
    const long double noise = 1e-16L; /* of all amounts, far above what rounding leaves */
    struct difference difference = {run_difference(run), run_size(run)};

    if (fabsl(difference.is) <= noise * difference.of)
        difference.is = 0;
    return difference;
}

static void add_crossing(struct breakeven *out, double month, const char *cheaper_after)
{
    if (out->n_crossings < CROSSINGS_MAX)
        out->crossings[out->n_crossings++] = (struct crossing){month, cheaper_after};
}

/* Buying less renting of a month: the rounded totals, or where `is_near` something of their sign.
 */
struct gap {
    double is;
    bool is_near;
};

static double gap_closed(struct run *run)
{
    run_close(run);
    return run_total(run, SIDE_BUY) - run_total(run, SIDE_RENT);
}

static double gap_of_month(const struct ownership *in, const struct run *like, int month)
{
    struct run run;

    run_start_like(&run, in, like);
    run_on(&run, month);
    return gap_closed(&run);
}

/* All lines are rounded where the sign could be another otherwise, and where the next month's is
 * likely to be. */
static struct gap gap_of(struct run *run, double before)
{
    double off, near = run_gap(run, &off);

    if (fabs(near) > off + 2 * fabs(near - before))
        return (struct gap){near, true};
    return (struct gap){gap_closed(run), false};
}

/* Whole months are computed, between them the curves are straight. */
static void find_crossing(struct breakeven *out, struct run *run, struct gap before,
                          struct gap *now)
{
    if ((before.is <= 0) == (now->is <= 0))
        return;
    if (before.is_near)
        before.is = gap_of_month(run->in, run, run->month - 1);
    if (now->is_near)
        *now = (struct gap){gap_closed(run), false};
    add_crossing(out, run->month - 1 + before.is / (before.is - now->is),
                 now->is <= 0 ? "buy" : "rent");
}

static void find_months(struct breakeven *out, bool is_known)
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

size_t breakeven_series(const struct ownership *in, struct series_point points[POINTS_MAX])
{
    int last = (int)fmax(in->horizon_months, breakeven_search_months(in));
    struct run run;

    for (run_start(&run, in);; run_month(&run)) {
        run_close(&run);
        points[run.month] =
            (struct series_point){run.month, run_total(&run, SIDE_BUY), run_total(&run, SIDE_RENT)};
        if (run.month >= last)
            return (size_t)last + 1;
    }
}

static const char *always(double difference)
{
    return difference <= 0 ? "buy_cheaper_throughout" : "rent_cheaper_throughout";
}

/* In the month where `like` is, with one input another; `run` is closed there. */
static long double difference_at(struct ownership *in, double *value, double now,
                                 const struct run *like, struct run *run)
{
    *value = now;
    if (!run_vary(run, in, like)) {
        run_start_like(run, in, like);
        run_on(run, like->month);
    }
    run_close(run);
    return difference_of(run).is;
}

/* Where the difference of both sides is zero, if that is from 0 to `most`: every line of the ledger
 * is linear in utilization and in the rent price. `value` points into `in`, where the difference is
 * `here`; `like` was run with that, `zero_run` is the run where it is 0. */
static struct threshold find_zero(struct ownership *in, double *value, double most,
                                  struct difference here, const struct run *like,
                                  struct run *zero_run)
{
    const double flat = 1e-14; /* of the difference, far above what is left of no slope */
    const double steep = 1e-5; /* of all amounts: 1e-14 of the slope is lost then at most */
    double now = *value;
    struct run other;
    long double at_0 = difference_at(in, value, 0, like, zero_run), rise = here.is - at_0;
    bool is_steep = fabsl(rise) > steep * here.of;
    long double slope = is_steep ? rise / now : difference_at(in, value, 1, like, &other) - at_0;

    if (isnan(slope))
        return (struct threshold){(double)NAN, "unknown_price"};
    if (fabsl(slope) <= flat * fabsl(at_0))
        return (struct threshold){(double)NAN, always((double)at_0)};
    double zero = (double)(-at_0 / slope) + 0.0; /* never -0 */
    if (!is_steep)                               /* what the first step has lost */
        zero -= (double)(difference_at(in, value, zero, like, &other) / slope);
    if (zero >= 0 && zero <= most)
        return (struct threshold){zero, "reached"};
    return (struct threshold){(double)NAN, always((double)at_0)};
}

static void compare_at_horizon(const struct ownership *in, struct breakeven *out)
{
    int months = (int)in->horizon_months;
    double hours = ownership_useful_gpu_hours(in, months), none = (double)NAN;

    out->saving = cents_round(out->ledger.rent_total - out->ledger.buy_total);
    out->verdict = isnan(out->saving) ? NULL : out->saving >= 0 ? "buy" : "rent";
    out->useful_gpu_hours = hours;
    out->buy_per_useful_gpu_hour = hours > 0 ? out->ledger.buy_total / hours : none;
    out->rent_per_useful_gpu_hour = hours > 0 ? out->ledger.rent_total / hours : none;
}

/* Of which `idle` is the run where the GPUs are not used. */
static double idle_cost(const struct ownership *in, const struct run *idle)
{
    int months = (int)in->horizon_months;

    if (in->first_phase_months > 0) /* they are in that */
        return ownership_idle_cost(in, months);
    return ownership_times(1 - ownership_mean_utilization(in, months), run_total(idle, SIDE_BUY));
}

double breakeven_search_months(const struct ownership *in)
{
    return fmin(in->useful_life_months, SEARCH_MONTHS_MAX);
}

/* What both sides come to, and where they would come to the same; `run` is at the horizon. */
static void find_at_horizon(const struct ownership *in, struct breakeven *out, struct run *run)
{
    struct ownership other = *in;
    struct run zero;

    run_close(run);
    run_ledger(run, &out->ledger);
    compare_at_horizon(in, out);
    struct difference here = difference_of(run);
    out->rent_price_per_gpu_hour =
        find_zero(&other, &other.rent_price_per_gpu_hour, PRICE_MAX, here, run, &zero);
    other = *in;
    out->utilization = find_zero(&other, &other.utilization, 1, here, run, &zero);
    out->idle_cost = idle_cost(in, &zero);
}

void breakeven_find(const struct ownership *in, struct breakeven *out)
{
    struct run run;
    double off;

    out->n_crossings = 0;
    out->search_months = breakeven_search_months(in);
    int last = (int)fmax(in->horizon_months, out->search_months);
    run_start(&run, in);
    struct gap before, now = gap_of(&run, run_gap(&run, &off));
    if (now.is <= 0)
        add_crossing(out, 0, "buy");
    for (;; run_month(&run)) {
        if (run.month > 0 && run.month <= (int)out->search_months) {
            before = now;
            now = gap_of(&run, before.is);
            find_crossing(out, &run, before, &now);
        }
        if (run.month == (int)in->horizon_months)
            find_at_horizon(in, out, &run);
        if (run.month >= last)
            break;
    }
    find_months(out, !isnan(run_gap(&run, &off)));
}

static double quantity_bought(const struct breakeven *breakeven, const char *key)
{
    const struct ledger *ledger = &breakeven->ledger;

    for (size_t i = 0; i < ledger->n; i++)
        if (run_same(ledger->lines[i].key, key) && run_same(ledger->lines[i].side, "buy"))
            return ledger->lines[i].quantity;
    return (double)NAN;
}

double breakeven_electricity_kwh(const struct breakeven *breakeven)
{
    return quantity_bought(breakeven, "electricity_it") +
           quantity_bought(breakeven, "electricity_facility");
}

double breakeven_carbon_tonnes(const struct breakeven *breakeven)
{
    return quantity_bought(breakeven, "carbon");
}

/* Which of the names it is, the last where none of the others. */
static int place_of(const char *name, const char *const names[], int n)
{
    int i = 0;

    while (i < n - 1 && !run_same(names[i], name))
        i++;
    return i;
}

double breakeven_group_total(const struct breakeven *breakeven, const char *side, const char *group)
{
    return breakeven->ledger.group_cents[place_of(side, run_side_names, SIDES)]
                                        [place_of(group, run_group_names, GROUPS)] /
           100;
}

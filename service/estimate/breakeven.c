#include "estimate/breakeven.h"

#include "estimate/ownership_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PRICE_MAX 1e12 /* that is accepted as a rent price */

/* Buying less renting. */
static double gap(const struct series_point *point)
{
    return point->buy_cumulative_cost - point->rent_cumulative_cost;
}

static void fill_points(const struct ownership *in, struct breakeven *out)
{
    double buy[POINTS_MAX], rent[POINTS_MAX];
    int last = (int)fmax(in->horizon_months, out->search_months);

    ownership_totals(in, last, buy, rent);
    out->n_points = (size_t)last + 1;
    for (int i = 0; i <= last; i++)
        out->points[i] = (struct series_point){i, buy[i], rent[i]};
}

static void add_crossing(struct breakeven *out, double month, const char *cheaper_after)
{
    if (out->n_crossings < CROSSINGS_MAX)
        out->crossings[out->n_crossings++] = (struct crossing){month, cheaper_after};
}

/* Whole months are computed, between them the curves are straight. */
static void find_crossings(struct breakeven *out)
{
    size_t last = (size_t)out->search_months;

    if (gap(&out->points[0]) <= 0)
        add_crossing(out, 0, "buy");
    for (size_t i = 1; i <= last; i++) {
        double before = gap(&out->points[i - 1]), now = gap(&out->points[i]);
        if ((before <= 0) != (now <= 0))
            add_crossing(out, (double)(i - 1) + before / (before - now), now <= 0 ? "buy" : "rent");
    }
}

static void find_months(struct breakeven *out)
{
    out->months = (double)NAN;
    if (isnan(gap(&out->points[out->n_points - 1]))) {
        snprintf(out->status, sizeof(out->status), "unknown_price");
        return;
    }
    find_crossings(out);
    for (size_t i = 0; i < out->n_crossings && isnan(out->months); i++)
        if (strcmp(out->crossings[i].cheaper_after, "buy") == 0)
            out->months = out->crossings[i].month;
    if (isnan(out->months))
        snprintf(out->status, sizeof(out->status), "not_within_%.0f_months", out->search_months);
    else
        snprintf(out->status, sizeof(out->status), "reached");
}

static const char *always(double difference)
{
    return difference <= 0 ? "buy_cheaper_throughout" : "rent_cheaper_throughout";
}

/* The difference of both sides at a value; what is left of two equal sums counts as nothing. */
static long double difference_at(struct ownership *in, double *value, double now)
{
    const long double noise = 1e-16L; /* of all amounts, far above what rounding leaves */
    struct run run;

    *value = now;
    run_to(&run, in, (int)in->horizon_months);
    long double difference = run_difference(&run);
    return fabsl(difference) <= noise * run_size(&run) ? 0 : difference;
}

/* Where the difference of both sides is zero, if that is from 0 to `most`: every line of the ledger
 * is linear in utilization and in the rent price. `value` points into `in`. */
static struct threshold find_zero(struct ownership *in, double *value, double most)
{
    const double flat = 1e-14; /* of the difference, far above what is left of no slope */
    long double at_0 = difference_at(in, value, 0);
    long double slope = difference_at(in, value, 1) - at_0;

    if (isnan(slope))
        return (struct threshold){(double)NAN, "unknown_price"};
    if (fabsl(slope) <= flat * fabsl(at_0))
        return (struct threshold){(double)NAN, always((double)at_0)};
    double zero = (double)(-at_0 / slope) + 0.0;              /* never -0 */
    zero -= (double)(difference_at(in, value, zero) / slope); /* what the first step has lost */
    if (zero >= 0 && zero <= most)
        return (struct threshold){zero, "reached"};
    return (struct threshold){(double)NAN, always((double)at_0)};
}

static void compare_at_horizon(const struct ownership *in, struct breakeven *out)
{
    int months = (int)in->horizon_months;
    double hours = ownership_useful_gpu_hours(in, months), none = (double)NAN;

    ownership_ledger(in, months, &out->ledger);
    out->saving = ownership_round_cents(out->ledger.rent_total - out->ledger.buy_total);
    out->verdict = isnan(out->saving) ? NULL : out->saving >= 0 ? "buy" : "rent";
    out->useful_gpu_hours = hours;
    out->buy_per_useful_gpu_hour = hours > 0 ? out->ledger.buy_total / hours : none;
    out->rent_per_useful_gpu_hour = hours > 0 ? out->ledger.rent_total / hours : none;
}

double breakeven_search_months(const struct ownership *in)
{
    return fmin(in->useful_life_months, SEARCH_MONTHS_MAX);
}

void breakeven_find(const struct ownership *in, struct breakeven *out)
{
    out->n_crossings = 0;
    out->search_months = breakeven_search_months(in);
    fill_points(in, out);
    find_months(out);
    compare_at_horizon(in, out);
    struct ownership other = *in;
    out->utilization = find_zero(&other, &other.utilization, 1);
    other = *in;
    out->rent_price_per_gpu_hour = find_zero(&other, &other.rent_price_per_gpu_hour, PRICE_MAX);
}

static double quantity_bought(const struct breakeven *breakeven, const char *key)
{
    const struct ledger *ledger = &breakeven->ledger;

    for (size_t i = 0; i < ledger->n; i++)
        if (strcmp(ledger->lines[i].side, "buy") == 0 && strcmp(ledger->lines[i].key, key) == 0)
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

double breakeven_group_total(const struct breakeven *breakeven, const char *side, const char *group)
{
    double cents = 0;

    for (size_t i = 0; i < breakeven->ledger.n; i++) {
        const struct ledger_line *line = &breakeven->ledger.lines[i];
        if (strcmp(line->side, side) == 0 && strcmp(line->group, group) == 0)
            cents += nearbyint(line->amount * 100);
    }
    return cents / 100;
}

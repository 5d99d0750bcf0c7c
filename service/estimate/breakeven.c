#include "estimate/breakeven.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Where the straight line through (0, at_0) and (1, at_1) is zero, if that is from 0 to `most`:
 * every line of the ledger is linear in utilization and in the rent price. */
static struct threshold zero_of(double at_0, double at_1, double most)
{
    double slope = at_1 - at_0, zero = -at_0 / slope;

    if (isnan(slope))
        return (struct threshold){(double)NAN, "unknown_price"};
    if (fabs(slope) > 1e-9 * fmax(1, fabs(at_0)) && zero >= 0 && zero <= most)
        return (struct threshold){zero, "reached"};
    return (struct threshold){(double)NAN, always(at_0)};
}

static struct threshold find_utilization(struct ownership in)
{
    int months = (int)in.horizon_months;

    in.utilization = 0;
    double idle = ownership_difference(&in, months);
    in.utilization = 1;
    return zero_of(idle, ownership_difference(&in, months), 1);
}

static struct threshold find_rent_price(struct ownership in)
{
    int months = (int)in.horizon_months;

    in.rent_price_per_gpu_hour = 0;
    double given_away = ownership_difference(&in, months);
    in.rent_price_per_gpu_hour = 1;
    return zero_of(given_away, ownership_difference(&in, months), (double)INFINITY);
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

void breakeven_find(const struct ownership *in, struct breakeven *out)
{
    out->n_crossings = 0;
    out->search_months = fmin(in->useful_life_months, SEARCH_MONTHS_MAX);
    fill_points(in, out);
    find_months(out);
    compare_at_horizon(in, out);
    out->utilization = find_utilization(*in);
    out->rent_price_per_gpu_hour = find_rent_price(*in);
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

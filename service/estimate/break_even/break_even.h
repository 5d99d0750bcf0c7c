/* break_even.h - finds the month, the utilization and the rent price from which buying costs no
 * more than renting.
 */
#ifndef ESTIMATE_BREAK_EVEN_BREAK_EVEN_H
#define ESTIMATE_BREAK_EVEN_BREAK_EVEN_H

#include "estimate/ownership/ownership.h"

/* Both sides' totals if the ledger ended with that month. */
struct series_point {
    double month, buy_cumulative_cost, rent_cumulative_cost;
};

/* A crossing of the two cost curves. */
struct crossing {
    double month;
    const char *cheaper_after; /* buy or rent */
};

enum { SEARCH_MONTHS_MAX = 120, CROSSINGS_MAX = 16, POINTS_MAX = OWNERSHIP_MONTHS_MAX + 1 };

/* A value at which both sides cost the same at the horizon. */
struct threshold {
    double value;       /* NAN if there is none */
    const char *status; /* reached, or the reason why not */
};

/* Utilizations at which buying costs no more; empty if `low` is above `high`. */
struct utilization_band {
    double low, high;
};

struct break_even {
    struct ledger ledger; /* at the horizon */
    const char *verdict;  /* buy or rent; NULL if a price is unknown */
    char status[40];      /* reached, not_within_60_months, unknown_price */
    double months;        /* first crossing to buying; NAN if there is none */
    double search_months; /* length of the search */
    struct threshold utilization, rent_price_per_gpu_hour;
    struct utilization_band buys; /* both NAN if a price is unknown */
    double saving;                /* rent minus buy */
    double idle_cost;
    double useful_gpu_hours;
    double buy_per_useful_gpu_hour, rent_per_useful_gpu_hour;
    size_t n_crossings; /* within the search */
    struct crossing crossings[CROSSINGS_MAX];
};

/* Everything in *out: the ledger at the horizon, the search over months and the thresholds. An
 * unknown price leaves verdict NULL, and NAN what depends on it. */
void break_even_find(const struct ownership *in, struct break_even *out);

/* The totals of both sides at the horizon and the values at which they are equal, without the
 * search over months. */
void break_even_at_horizon(const struct ownership *in, struct break_even *out);

/* The utilization at which buying becomes cheaper than the cheapest of several rent options;
 * `bands` are the results against each of them. */
struct threshold break_even_utilization_among(const struct utilization_band *bands, size_t n);

/* The totals month by month, up to the horizon or the end of the search, whichever is later.
 * Returns the number of points. */
size_t break_even_series(const struct ownership *in, struct series_point points[POINTS_MAX]);

/* Months over which the break-even is searched. */
double break_even_search_months(const struct ownership *in);

/* Electricity up to the horizon, including the facility's, and its CO2; NAN if the grid is
 * unknown. */
double break_even_electricity_kwh(const struct break_even *break_even);
double break_even_carbon_tonnes(const struct break_even *break_even);

/* Sum of the rounded lines of one side and group, such as ("buy", "initial"). */
double break_even_group_total(const struct break_even *break_even, const char *side,
                              const char *group);

#endif

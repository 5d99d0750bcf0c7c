/* break_even.h - from when on, and from which utilization and rent price on, buying costs no more.
 */
#ifndef ESTIMATE_BREAK_EVEN_BREAK_EVEN_H
#define ESTIMATE_BREAK_EVEN_BREAK_EVEN_H

#include "estimate/ownership/ownership.h"

/* Both sides' totals if all ended with that month. */
struct series_point {
    double month, buy_cumulative_cost, rent_cumulative_cost;
};

/* Where the curves cross. */
struct crossing {
    double month;
    const char *cheaper_after; /* buy, rent */
};

enum { SEARCH_MONTHS_MAX = 120, CROSSINGS_MAX = 16, POINTS_MAX = OWNERSHIP_MONTHS_MAX + 1 };

/* A value at which both sides cost the same at the horizon. */
struct threshold {
    double value;       /* NAN where there is none */
    const char *status; /* reached, or why not */
};

/* Utilizations at which buying costs no more; none where `low` is above `high`. */
struct utilization_band {
    double low, high;
};

struct break_even {
    struct ledger ledger; /* at the horizon */
    const char *verdict;  /* buy, rent; NULL where a price is unknown */
    char status[40];      /* reached, not_within_60_months, unknown_price */
    double months;        /* the first crossing to buying; NAN where there is none */
    double search_months; /* how far it was looked for */
    struct threshold utilization, rent_price_per_gpu_hour;
    struct utilization_band buys; /* both NAN where a price is unknown */
    double saving;                /* rent less buy */
    double idle_cost;
    double useful_gpu_hours;
    double buy_per_useful_gpu_hour, rent_per_useful_gpu_hour;
    size_t n_crossings; /* within the search */
    struct crossing crossings[CROSSINGS_MAX];
};

void break_even_find(const struct ownership *in, struct break_even *out);

/* What both sides come to at the horizon and where they would come to the same, without a search of
 * months. */
void break_even_at_horizon(const struct ownership *in, struct break_even *out);

/* The utilization at which buying turns against the cheapest of several ways to rent, `bands` being
 * what each of them leaves to buying. */
struct threshold break_even_utilization_among(const struct utilization_band *bands, size_t n);

/* The totals month by month, to the horizon or the end of the search, whichever is later; how many
 * points. */
size_t break_even_series(const struct ownership *in, struct series_point points[POINTS_MAX]);

/* How far the break-even month is looked for. */
double break_even_search_months(const struct ownership *in);

/* Electricity to the horizon, facility included, and its CO2; NAN where the grid is unknown. */
double break_even_electricity_kwh(const struct break_even *break_even);
double break_even_carbon_tonnes(const struct break_even *break_even);

/* Sum of the rounded lines of one side and group, as ("buy", "initial"). */
double break_even_group_total(const struct break_even *break_even, const char *side,
                              const char *group);

#endif

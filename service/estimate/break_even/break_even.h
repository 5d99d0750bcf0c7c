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

struct break_even {
    struct ledger ledger; /* at the horizon */
    const char *verdict;  /* buy, rent; NULL where a price is unknown */
    char status[40];      /* reached, not_within_60_months, unknown_price */
    double months;        /* the first crossing to buying; NAN where there is none */
    double search_months; /* how far it was looked for */
    struct threshold utilization, rent_price_per_gpu_hour;
    double saving; /* rent less buy */
    double idle_cost;
    double useful_gpu_hours;
    double buy_per_useful_gpu_hour, rent_per_useful_gpu_hour;
    size_t n_crossings; /* within the search */
    struct crossing crossings[CROSSINGS_MAX];
};

void break_even_find(const struct ownership *in, struct break_even *out);

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

/* ownership.h - the cost of owning GPUs and of renting them, line by line, to the cent.
 *
 * Time runs in months of 730 h. Initial lines are paid at month 0, recurring ones at the end of
 * months 1 to h. Each side carries a cost of capital, so that comparing at month h is equivalent to
 * comparing net present costs. A loan shifts payments: the initial lines remain, its interest is a
 * line, and the balance is repaid at month h. A lease replaces the price of the servers. In the
 * first months utilization may differ; a month's utilization is the mean over its hours. A second
 * purchase is paid at its month; until it runs, its share is rented. An unknown input is NAN and
 * makes the lines that need it NAN, and so the total: never 0.
 */
#ifndef ESTIMATE_OWNERSHIP_OWNERSHIP_H
#define ESTIMATE_OWNERSHIP_OWNERSHIP_H

#include "base/err.h"
#include "base/field/field.h"
#include "base/units.h"
#include "catalog/price.h"

/* One member per input: see ownership/inputs.def. */
struct ownership {
#include "base/field/members.h"
#include "estimate/ownership/inputs.def"
#include "base/field/end.h"
    /* The price of a new server if used ones are bought: costs that used servers do not lower are
     * calculated from it. Set by ownership_complete(); NAN: server_price. */
    double new_server_price;
};

extern const struct fields ownership_fields;

/* Set every input to its default; inputs without one, or that depend on the GPU, stay unknown. */
void ownership_init(struct ownership *in, const struct catalog *catalog);

/* Fill unknown inputs that follow from the location and number of servers. False if the catalogue
 * lacks a default. */
bool ownership_fill_housing(struct ownership *in, const struct catalog *catalog,
                            const struct gpu *gpu, struct err *err) MUST_CHECK;
/* The i-th input that it fills; NULL after the last. */
const char *ownership_housing_input(size_t i);
/* The row of the catalogue with the band of such an input: that of the housing, of one server or of
 * all. NULL if there is none. */
const struct assumption *ownership_housing_assumption(const struct ownership *in,
                                                      const struct catalog *catalog,
                                                      const char *input);

/* Require the assumptions that ownership_complete() looks up, in addition to the fields'
 * defaults. */
void ownership_require(struct catalog *catalog);
void ownership_require_housing(struct catalog *catalog);

/* GPUs per server when buying `gpu_count`: whole boards. */
double ownership_server(const struct gpu *gpu, double gpu_count);

/* Fill in unknown inputs that depend on the GPU: node size, card, server and power figures, housing
 * and what follows from it, utilization from gpu_hours_per_month, and the overheads and discounts
 * left to `auto`. Rent prices are not changed. Fails if a server's power cannot be determined, the
 * requested work exceeds the GPUs, or the catalogue lacks a default. */
bool ownership_complete(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                        day as_of, struct err *err) MUST_CHECK;

/* One line of the ledger after some months. */
struct ledger_line {
    const char *side;  /* buy or rent */
    const char *group; /* initial, recurring, opportunity or proceeds */
    const char *key, *unit, *formula;
    double quantity;      /* over all months; NAN if the line has none */
    double unit_price;    /* of the first month, if it changes */
    double yearly_change; /* of the unit price per year: 0.02 is a rise of 2 %; NAN if not
                           * applicable */
    double amount;        /* rounded half-even to cents */
};

enum { LEDGER_LINES_MAX = 64 };

struct ledger {
    size_t n;
    struct ledger_line lines[LEDGER_LINES_MAX];
    double buy_total, rent_total; /* sums of the rounded lines */
    double group_cents[2][4];     /* sums by side (buy, rent) and group, in cents */
};

/* The band of the server price as factors of the price used, from the assumption; both are 1 for a
 * quote of new ones. */
struct ownership_band {
    double low, high;
};
struct ownership_band ownership_server_price_band(const struct ownership *in,
                                                  const struct catalog *catalog,
                                                  const struct gpu *gpu, day as_of);
/* The same inputs with server prices multiplied by the factor. */
struct ownership ownership_scaled(const struct ownership *in, double server_price_factor);

/* Both sides after `months` whole months. */
void ownership_ledger(const struct ownership *in, int months, struct ledger *ledger);
/* One side of the ledger, in USD, from rounded lines: its total; what is paid, excluding cost of
 * capital and sale proceeds; and what cloud credits pay. */
struct ownership_side {
    double total, payments, credits;
};
struct ownership_side ownership_side_buy(const struct ownership *in, int months);
struct ownership_side ownership_side_rent(const struct ownership *in, int months);
/* Amount of the line with that side (buy or rent) and key, in USD; 0 if there is none. */
double ownership_line_amount(const struct ledger *ledger, const char *side, const char *key);

enum { OWNERSHIP_MONTHS_MAX = 240 };

/* Buying minus renting after `months`, unrounded. */
double ownership_difference(const struct ownership *in, int months);

/* Months of rent owed if the first reserved term outlasts the horizon. Later terms are assumed to
 * be no longer than needed. */
double ownership_exit_months(const struct ownership *in);

/* Fraction of a month's hours (months count from 1) in which the GPUs are in use; and the mean over
 * months. */
double ownership_utilization(const struct ownership *in, int month);
double ownership_mean_utilization(const struct ownership *in, int months);

/* GPU-hours of useful work in that time. */
double ownership_useful_gpu_hours(const struct ownership *in, int months);

/* An owner's cost per useful GPU-hour over the useful life; NAN if a price is unknown or nothing is
 * used. For a plan's hours, set utilization to the fraction of time the plan keeps the GPUs busy,
 * and goodput to 1 if those hours include the cost of failures. */
double ownership_cost_per_useful_gpu_hour(const struct ownership *in);

/* Quantities derived from the inputs. */
double ownership_nodes(const struct ownership *in);
/* Peak power of all servers at the meter, including the facility's share, in kW. */
double ownership_power_kw(const struct ownership *in);
/* Energy of servers that are on for `on_ratio` of all hours, including the facility's share. */
double ownership_kwh_per_month(const struct ownership *in, double on_ratio);
double ownership_new_nodes(const struct ownership *in);     /* without servers already owned */
double ownership_hardware_cost(const struct ownership *in); /* new servers with their GPUs */
/* Book value of the servers after `months`; 0 for leased ones. Does not affect cash. */
double ownership_book_value(const struct ownership *in, int months);
/* The part of the cost of ownership at the horizon that pays for unused hours. */
double ownership_idle_cost(const struct ownership *in, int months);

#endif

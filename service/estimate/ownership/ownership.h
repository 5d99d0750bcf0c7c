/* ownership.h - what owning GPUs costs and what renting them costs, line by line, to the cent.
 *
 * Time runs in months of 730 h. Initial lines are paid at month 0, recurring ones at the end of
 * months 1 to h. Each side carries a cost of capital, which makes the comparison at month h the
 * same as one of net present costs. A loan moves what is paid when: the initial lines stay, its
 * interest is a line, and what is still owed at month h is paid then. A lease takes the place of
 * the servers' price. In the first months the GPUs may be in use more or less than afterwards: a
 * month's use is the mean over its hours. A second purchase is paid at its month; until it runs,
 * its share is rented. An input nobody knows is NAN and makes the lines that need it NAN, and with
 * them the total: never 0.
 */
#ifndef ESTIMATE_OWNERSHIP_OWNERSHIP_H
#define ESTIMATE_OWNERSHIP_OWNERSHIP_H

#include "base/err.h"
#include "base/field/field.h"
#include "base/units.h"
#include "catalog/price.h"

#define HOURS_PER_YEAR 8760.0

/* One member per input: see ownership/inputs.def. */
struct ownership {
#include "base/field/members.h"
#include "estimate/ownership/inputs.def"
#include "base/field/end.h"
};

extern const struct fields ownership_fields;

/* Every input at its default; what has none, or depends on the GPU, stays unknown. */
void ownership_init(struct ownership *in, const struct catalog *catalog);

/* Fill what follows from where the servers stand and from their number, where it is unknown. False
 * where the catalogue lacks a default. */
bool ownership_fill_housing(struct ownership *in, const struct catalog *catalog,
                            const struct gpu *gpu, struct err *err) MUST_CHECK;
/* Inputs that it fills: the i-th name, NULL behind the last. */
const char *ownership_housing_input(size_t i);

/* Require what ownership_complete() looks up, besides the defaults of the fields. */
void ownership_require(struct catalog *catalog);
void ownership_require_housing(struct catalog *catalog);

/* GPUs in the servers bought for `gpu_count`: whole boards. */
double ownership_server(const struct gpu *gpu, double gpu_count);

/* Fill what depends on the GPU where it is unknown: node size, card, server and power figures,
 * housing and what follows from it, utilization from gpu_hours_per_month, and the overheads and
 * discounts that `auto` leaves open. Rent prices stay as they are. Fails where the power of a
 * server cannot be known, where the work asked for does not fit the GPUs, or where the catalogue
 * lacks a default. */
bool ownership_complete(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                        day as_of, struct err *err) MUST_CHECK;

/* One line of the ledger after some months. */
struct ledger_line {
    const char *side;  /* buy, rent */
    const char *group; /* initial recurring opportunity proceeds */
    const char *key, *unit, *formula;
    double quantity;      /* over all months; NAN where the line has none */
    double unit_price;    /* of the first month, where it changes over time */
    double yearly_change; /* of the unit price, 0.02: it rises 2 % a year; NAN where it has none */
    double amount;        /* rounded half-even to cents */
};

enum { LEDGER_LINES_MAX = 64 };

struct ledger {
    size_t n;
    struct ledger_line lines[LEDGER_LINES_MAX];
    double buy_total, rent_total; /* sums of the rounded lines */
    double group_cents[2][4];     /* the same of buying and renting, in the order of the groups */
};

/* The band of the server price as factors of the price used, from the assumption; both are 1 for a
 * quote. */
struct ownership_band {
    double low, high;
};
struct ownership_band ownership_server_price_band(const struct catalog *catalog,
                                                  const struct gpu *gpu, double gpus_per_node,
                                                  day as_of);
/* The same inputs with server prices multiplied by `factor`. */
struct ownership ownership_scaled(const struct ownership *in, double server_price_factor);

/* Both sides after `months` whole months. */
void ownership_ledger(const struct ownership *in, int months, struct ledger *ledger);
/* One side of that ledger: its total; what is paid, which is neither the cost of capital nor what a
 * sale brings; and what cloud credits pay. USD, of rounded lines. */
struct ownership_side {
    double total, payments, credits;
};
struct ownership_side ownership_side_buy(const struct ownership *in, int months);
struct ownership_side ownership_side_rent(const struct ownership *in, int months);
/* What the line of that side (buy or rent) and key comes to, USD; 0 if there is none. */
double ownership_line_amount(const struct ledger *ledger, const char *side, const char *key);

enum { OWNERSHIP_MONTHS_MAX = 240 };

/* Buying less renting after `months`, before any rounding. */
double ownership_difference(const struct ownership *in, int months);

/* Months of rent owed if the first reserved term outlasts the horizon. Later terms are assumed to
 * be no longer than needed. */
double ownership_exit_months(const struct ownership *in);

/* Share of the hours of that month, from 1, in which the GPUs are in use; the mean over months. */
double ownership_utilization(const struct ownership *in, int month);
double ownership_mean_utilization(const struct ownership *in, int months);

/* GPU-hours of useful work in that time. */
double ownership_useful_gpu_hours(const struct ownership *in, int months);

/* What a useful GPU-hour costs its owner over the useful life; NAN where a price is unknown or
 * nothing is used. For the hours of a plan, set utilization to the share of time the plan keeps the
 * GPUs busy, and goodput to 1 where those hours count what failures cost. */
double ownership_cost_per_useful_gpu_hour(const struct ownership *in);

/* Quantities that follow from the inputs. */
double ownership_nodes(const struct ownership *in);
/* The most that all servers draw at the meter, the facility's share included: kW. */
double ownership_power_kw(const struct ownership *in);
double ownership_new_nodes(const struct ownership *in); /* without those that are owned already */
double ownership_hardware_cost(const struct ownership *in); /* new servers with their GPUs */
/* What the servers stand in the books for after `months`, leased ones for nothing; no effect on
 * cash. */
double ownership_book_value(const struct ownership *in, int months);
/* The share of the cost of ownership at the horizon that pays for hours nobody uses. */
double ownership_idle_cost(const struct ownership *in, int months);

#endif

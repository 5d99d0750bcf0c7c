/* facility.h - derives from the inputs what is bought and rented: servers, racks and power, and the
 * quantities and prices of the ledger lines. */
#ifndef ESTIMATE_OWNERSHIP_FACILITY_H
#define ESTIMATE_OWNERSHIP_FACILITY_H

#include "estimate/ownership/ownership.h"

enum side { SIDE_BUY, SIDE_RENT, SIDES };
enum group { GROUP_INITIAL, GROUP_RECURRING, GROUP_OPPORTUNITY, GROUP_PROCEEDS, GROUPS };
extern const char *const ownership_side_names[SIDES], *const ownership_group_names[GROUPS];
enum kind { KIND_INITIAL, KIND_MONTHLY, KIND_RENTED, KIND_CLOSING };

enum line {
#define INITIAL(key, side, unit, quantity, price, formula) LINE_##side##_##key,
#define MONTHLY(key, side, unit, quantity, price, rise, formula) LINE_##side##_##key,
#define RENTED(key, unit, quantity, price, formula) LINE_RENT_##key,
#define CLOSING(key, side, group, formula) LINE_##side##_##key,
#include "estimate/ownership/lines.def"
    LINES
};
#undef INITIAL
#undef MONTHLY
#undef RENTED
#undef CLOSING

struct line_kind {
    enum kind kind;
    enum side side;
    enum group group;
    const char *key, *unit, *formula;
};

extern const struct line_kind ownership_lines[LINES];

/* True for lines bought in stages: the first purchase pays for them in proportion to its
 * servers. */
bool ownership_is_staged(const struct line_kind *kind);

struct entry {
    double quantity, price, rise; /* initial or monthly; as of month 1; of the price, per year */
    int path;                     /* for a recurring line: index into cash_flow.paths */
};

/* Derived values that several lines need. */
struct facility {
    double nodes, racks;        /* all servers; racks of new ones */
    double hardware;            /* new servers: the base of ratios */
    double kept_hardware;       /* all servers, new and owned: the base of upkeep ratios */
    double as_new, kept_as_new; /* both at the price of new ones: the base of what does not cost
                                 * less with used ones */
    double bought_nodes;        /* without those of an operating lease */
    double server_cost;         /* book value of one server: its price, or the value of its lease */
    long double second_share;   /* fraction of the servers bought in the second purchase */
    double card_price;          /* per GPU */
    double peak_kw, new_kw;     /* all servers; new ones */
    double kwh;
    double rented_hours, idle_hours; /* GPU-hours per month */
    double rent_price, rent;         /* per GPU-hour, and per month, in month 1 */
    double spot_overhead_ratio;
    int term_months; /* months for which the rent price is fixed; 0 without a term */
};

/* NAN for what depends on an unknown price. */
struct facility ownership_facility(const struct ownership *in);
/* Multiplies; 0 units cost 0 even if the unit price is unknown (NAN). */
double ownership_times(double a, double b);
/* The lines of ownership/lines.def, without their paths. */
void ownership_entries(const struct ownership *in, const struct facility *facility,
                       struct entry entries[LINES]);

#endif

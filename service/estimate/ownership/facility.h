/* facility.h - what is bought and rented, worked out of the inputs: servers, racks and power, and
 * the lines of the ledger with their quantities and prices. */
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

/* What is bought once is bought at first, the rest in proportion to the servers. */
bool ownership_is_staged(const struct line_kind *kind);

struct entry {
    double quantity, price, rise; /* once or a month; of month 1; of the price, a year */
    int path;                     /* of a recurring line: which of run.paths */
};

/* What follows from the inputs and is needed by more than one line. */
struct plant {
    double nodes, racks;      /* all servers; racks of new ones */
    double hardware;          /* new servers: what ratios are of */
    double kept_hardware;     /* all servers, new and owned: what their upkeep is a ratio of */
    double bought_nodes;      /* without those of an operating lease */
    double server_cost;       /* of one, in the books: the price, or what its lease is worth */
    long double second_share; /* share of the servers that the second purchase buys */
    double card_price;        /* of one GPU */
    double peak_kw, new_kw;   /* all servers; new ones */
    double kwh;
    double rented_hours, idle_hours; /* GPU-hours a month */
    double rent_price, rent;         /* per GPU-hour and a month, in month 1 */
    double spot_overhead_ratio;
    int term_months; /* the rent price holds this long; 0: no term */
};

struct plant ownership_plant(const struct ownership *in);
/* 0 units cost 0 even where the unit price is unknown (NAN). */
double ownership_times(double a, double b);
/* The lines of ownership/lines.def; their paths are not set. */
void ownership_entries(const struct ownership *in, const struct plant *plant,
                       struct entry entries[LINES]);

#endif

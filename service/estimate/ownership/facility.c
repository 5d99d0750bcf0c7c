/* facility.c - values derived from the inputs, and the ledger lines in terms of them. */
#include "estimate/ownership/facility.h"

#include "base/units.h"
#include "estimate/ownership/cash_flow.h"
#include "estimate/ownership/lease.h"
#include "estimate/ownership/provider_charges.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define KW_PER_MW 1000.0
#define KG_PER_TONNE 1000.0

const struct line_kind ownership_lines[LINES] = {
#define INITIAL(key, side, unit, quantity, price, formula) \
    {KIND_INITIAL, SIDE_##side, GROUP_INITIAL, #key, unit, formula},
#define MONTHLY(key, side, unit, quantity, price, rise, formula) \
    {KIND_MONTHLY, SIDE_##side, GROUP_RECURRING, #key, unit, formula},
#define RENTED(key, unit, quantity, price, formula) \
    {KIND_RENTED, SIDE_RENT, GROUP_RECURRING, #key, unit, formula},
#define CLOSING(key, side, group, formula) \
    {KIND_CLOSING, SIDE_##side, GROUP_##group, #key, NULL, formula},
#include "estimate/ownership/lines.def"
};
#undef INITIAL
#undef MONTHLY
#undef RENTED
#undef CLOSING

_Static_assert((int)LINES <= (int)LEDGER_LINES_MAX, "the ledger holds every line");

#define times ownership_times

bool ownership_is_staged(const struct line_kind *kind)
{
    return kind->kind == KIND_INITIAL && kind->side == SIDE_BUY &&
           !cash_flow_same_word(kind->unit, "once");
}

/* Rounds up, ignoring binary rounding errors of decimal quotients: 1059 / 35.3 is 30. */
static double whole(double quotient)
{
    return ceil(quotient * (1 - 4 * DBL_EPSILON));
}

/* Energy of the servers, without the facility, if they are on for `on_ratio` of all hours. */
static double kwh_per_month(const struct ownership *in, double on_ratio)
{
    double load = in->idle_power_ratio * on_ratio +
                  (in->power_load_ratio - in->idle_power_ratio) * in->utilization;

    return in->node_power_kw * ownership_nodes(in) * load * HOURS_PER_MONTH;
}

double ownership_kwh_per_month(const struct ownership *in, double on_ratio)
{
    return in->pue * kwh_per_month(in, on_ratio);
}

double ownership_exit_months(const struct ownership *in)
{
    double left = price_term_months(in->purchase_option) - in->horizon_months;

    return in->commitment_exit_ratio * fmax(left, 0);
}

static void set_rent(const struct ownership *in, struct facility *facility)
{
    double hours = in->gpu_count * HOURS_PER_MONTH;

    double rented = isnan(in->rented_ratio) ? in->utilization : in->rented_ratio;

    facility->term_months = price_term_months(in->purchase_option);
    facility->rented_hours = facility->term_months ? hours : hours * rented;
    facility->idle_hours = hours - facility->rented_hours;
    facility->rent_price = in->rent_price_per_gpu_hour * (1 - in->commitment_discount_ratio) *
                           (1 - in->spot_discount_ratio);
    facility->rent = times(facility->rented_hours, facility->rent_price);
    facility->spot_overhead_ratio =
        strcmp(in->purchase_option, "spot") == 0 ? in->spot_overhead_ratio : 0;
}

struct facility ownership_facility(const struct ownership *in)
{
    double new_price = isnan(in->new_server_price) ? in->server_price : in->new_server_price;
    struct facility facility = {
        .nodes = ownership_nodes(in),
        .hardware = ownership_hardware_cost(in),
        .kept_hardware = times(ownership_nodes(in), in->server_price),
        .as_new = times(ownership_new_nodes(in), new_price),
        .kept_as_new = times(ownership_nodes(in), new_price),
        .card_price = in->gpu_card_price,
        .kwh = kwh_per_month(in, 1),
    };

    facility.bought_nodes = lease_is_operating(in) ? 0 : ownership_new_nodes(in);
    facility.server_cost = lease_is_finance(in) && facility.bought_nodes > 0
                               ? (double)(lease_asset(in) / facility.bought_nodes)
                               : in->server_price;
    facility.second_share =
        in->second_purchase_month > 0
            ? in->second_gpu_count / (in->gpus_per_node * (long double)facility.nodes)
            : 0;
    facility.racks = whole(ownership_new_nodes(in) / in->nodes_per_rack);
    facility.peak_kw = in->node_power_kw * facility.nodes;
    facility.new_kw = in->node_power_kw * ownership_new_nodes(in);
    if (isnan(facility.card_price))
        facility.card_price = in->server_price * (1 - in->host_share) / in->gpus_per_node;
    set_rent(in, &facility);
    return facility;
}

void ownership_entries(const struct ownership *in, const struct facility *facility,
                       struct entry entries[LINES])
{
    const double follows_rent = -in->rent_price_decline_ratio;
    const double none = (double)NAN;
    const struct entry all[LINES] = {
#define INITIAL(key, side, unit, quantity, price, formula) {quantity, price, none, 0},
#define MONTHLY(key, side, unit, quantity, price, rise, formula) {quantity, price, rise, 0},
#define RENTED(key, unit, quantity, price, formula) {quantity, price, follows_rent, 0},
#define CLOSING(key, side, group, formula) {none, none, none, 0},
#include "estimate/ownership/lines.def"
    };

    memcpy(entries, all, sizeof(all));
}
#undef INITIAL
#undef MONTHLY
#undef RENTED
#undef CLOSING

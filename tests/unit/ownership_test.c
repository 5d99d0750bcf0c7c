#include "base/cents.h"
#include "estimate/ownership/ownership.h"
#include "estimate/ownership/depreciation.h"
#include "ownership_fixture.h"
#include "tap.h"

#include <stdlib.h>

/* The cents in these tables were worked out apart from this code, in decimal arithmetic of 40
 * digits, each month's cash and its capital charge summed directly as the rules are written. */

struct want {
    const char *side, *key;
    double amount;
};

/* Eight H100 for 36 months at 70 %, 3.93 USD an hour falling by 15 % a year. */
static const struct want usual[] = {
    {"buy", "gpu_servers", 300000.00},
    {"buy", "network_fabric", 36000.00},
    {"buy", "management_network", 6000.00},
    {"buy", "rack_and_pdu", 6000.00},
    {"buy", "storage", 15000.00},
    {"buy", "facility_fitout", 0.00},
    {"buy", "liquid_cooling", 0.00},
    {"buy", "spares", 15000.00},
    {"buy", "freight_install", 9000.00},
    {"buy", "import_duty", 0.00},
    {"buy", "vat", 0.00},
    {"buy", "software_perpetual", 0.00},
    {"buy", "procurement_project", 0.00},
    {"buy", "electricity_it", 20530.72},
    {"buy", "electricity_facility", 11086.59},
    {"buy", "demand_charge", 0.00},
    {"buy", "colocation", 70587.08},
    {"buy", "cooling", 0.00},
    {"buy", "remote_hands", 18000.00},
    {"buy", "cross_connect", 18000.00},
    {"buy", "internet_transit", 18000.00},
    {"buy", "maintenance", 45000.00},
    {"buy", "gpu_replacement", 0.00},
    {"buy", "software_subscription", 0.00},
    {"buy", "staff", 135000.00},
    {"buy", "insurance", 4500.00},
    {"buy", "property_tax", 4500.00},
    {"buy", "carbon", 0.00},
    {"buy", "water", 0.00},
    {"buy", "lead_time_rental", 0.00},
    {"buy", "cost_of_capital", 142192.92},
    {"buy", "tax_relief", 0.00},
    {"buy", "depreciation_tax_shield", 0.00},
    {"buy", "disposal_tax", 0.00},
    {"buy", "decommissioning", 3000.00},
    {"buy", "residual_value", -100776.96},
    {"rent", "setup", 0.00},
    {"rent", "gpu_rental", 460855.67},
    {"rent", "rental_overheads", 46085.57},
    {"rent", "spot_overhead", 0.00},
    {"rent", "rental_idle_reservation", 0.00},
    {"rent", "rental_storage", 0.00},
    {"rent", "rental_egress", 0.00},
    {"rent", "cost_of_capital", 66784.02},
    {"rent", "tax_relief", 0.00},
};

/* Twenty GPUs in three servers, delivered after 3.5 months, a loan, inflation, a reservation for a
 * year derived from the on-demand price, everything on the rent side itemised; 41 months. */
static const struct want busy[] = {
    {"buy", "gpu_servers", 900000.00},
    {"buy", "network_fabric", 108000.00},
    {"buy", "management_network", 6000.00},
    {"buy", "electricity_it", 55231.57},
    {"buy", "electricity_facility", 29825.05},
    {"buy", "demand_charge", 8477.53},
    {"buy", "colocation", 222910.46},
    {"buy", "cooling", 6596.27},
    {"buy", "remote_hands", 19788.81},
    {"buy", "maintenance", 148416.05},
    {"buy", "software_subscription", 296832.11},
    {"buy", "staff", 151078.49},
    {"buy", "insurance", 14841.61},
    {"buy", "property_tax", 14841.61},
    {"buy", "lead_time_rental", 96820.35},
    {"buy", "loan_interest", 537642.24},
    {"buy", "cost_of_capital", 153118.41},
    {"buy", "decommissioning", 9000.00},
    {"buy", "residual_value", -210924.83},
    {"rent", "setup", 25000.00},
    {"rent", "gpu_rental", 755404.00},
    {"rent", "rental_overheads", 0.00},
    {"rent", "rental_support", 37770.20},
    {"rent", "rental_goodput", 15108.08},
    {"rent", "rental_storage", 29731.22},
    {"rent", "rental_egress", 46535.83},
    {"rent", "rental_debugging", 21544.36},
    {"rent", "cost_of_capital", 148888.18},
};

static struct ownership busy_inputs(void)
{
    struct ownership in = ownership_usual();

    in.gpu_count = 20;
    in.utilization = 0.55;
    in.rent_price_per_gpu_hour = 2.5;
    in.purchase_option = "reserved_1yr";
    in.commitment_discount_ratio = 0.35;
    in.lead_time_months = 3.5;
    in.rent_price_decline_ratio = 0.2;
    in.inflation = 0.03;
    in.staff_escalation_ratio = 0.04;
    in.storage_tb = 30;
    in.storage_price_per_gb_month = 0.023;
    in.egress_tb_per_month = 12;
    in.support_uplift_ratio = 0.05;
    in.goodput_uplift_ratio = 0.02;
    in.rental_overhead_ratio = 0;
    in.setup_cost = 25000;
    in.debugging_cost_year = 6000;
    in.cooling_cost_year = 2000;
    in.demand_charge_per_kw_month = 7;
    in.software_subscription_per_gpu_year = 4500;
    in.resale_condition_factor = 0.8;
    in.financing = "loan";
    in.financing_interest_ratio = 0.12;
    return in;
}

static void check_lines(const char *name, const struct ownership *in, int months,
                        const struct want *want, size_t n)
{
    struct ledger ledger;

    ownership_ledger(in, months, &ledger);
    for (size_t i = 0; i < n; i++) {
        const struct ledger_line *line = line_of(&ledger, want[i].side, want[i].key);
        ok(line && same_cents(line->amount, want[i].amount), "%s: %s %s is %.2f (want %.2f)", name,
           want[i].side, want[i].key, line ? line->amount : (double)NAN, want[i].amount);
    }
}

static void test_tables(void)
{
    struct ownership in = ownership_usual(), other = busy_inputs();
    struct ledger ledger;

    check_lines("usual", &in, 36, usual, sizeof(usual) / sizeof(usual[0]));
    ownership_ledger(&in, 36, &ledger);
    ok(same_cents(ledger.buy_total, 776620.35), "usual: buying costs 776620.35");
    ok(same_cents(ledger.rent_total, 573725.26), "usual: renting costs 573725.26");
    is_near(ownership_useful_gpu_hours(&in, 36), 139809.6, 1e-12, "useful GPU-hours");

    check_lines("busy", &other, 41, busy, sizeof(busy) / sizeof(busy[0]));
    ownership_ledger(&other, 41, &ledger);
    ok(same_cents(ledger.buy_total, 2731073.35), "busy: buying costs 2731073.35");
    ok(same_cents(ledger.rent_total, 1079981.87), "busy: renting costs 1079981.87");
}

/* What an auditor does: add up the lines as printed. */
static void test_sums(void)
{
    struct ownership all[] = {ownership_usual(), busy_inputs()};
    struct ledger ledger;

    for (size_t c = 0; c < 2; c++)
        for (int months = 0; months <= 60; months += 7) {
            double buy = 0, rent = 0;
            ownership_ledger(&all[c], months, &ledger);
            for (size_t i = 0; i < ledger.n; i++)
                *(strcmp(ledger.lines[i].side, "buy") == 0 ? &buy : &rent) +=
                    ledger.lines[i].amount;
            ok(same_cents(buy, ledger.buy_total) && same_cents(rent, ledger.rent_total),
               "case %zu, month %d: lines add up to the totals", c, months);
        }
}

static bool is_side(struct ownership_side side, double total)
{
    return isnan(total) ? isnan(side.total) : same_cents(side.total, total);
}

/* One side alone is what both together say of it, whatever is unknown of the other. */
static void test_one_side(void)
{
    struct ownership all[] = {ownership_usual(), busy_inputs(), busy_inputs(), busy_inputs()};
    const double unknown = (double)NAN;
    struct ledger ledger;

    all[1].cloud_credits = 100000;
    all[2].tax_rate = 0.25;
    all[2].first_phase_months = 5;
    all[3].lead_time_months = 0;
    all[3].commitment_exit_ratio = 0.5;
    for (size_t c = 0; c < sizeof(all) / sizeof(all[0]); c++)
        for (int months = 0; months <= 60; months += 12) {
            struct ownership no_rent = all[c], no_server = all[c];
            no_rent.rent_price_per_gpu_hour = no_server.server_price = unknown;
            ownership_ledger(&all[c], months, &ledger);
            bool alike = is_side(ownership_side_buy(&all[c], months), ledger.buy_total) &&
                         is_side(ownership_side_rent(&all[c], months), ledger.rent_total) &&
                         is_side(ownership_side_rent(&no_server, months), ledger.rent_total);
            ownership_ledger(&no_rent, months, &ledger);
            alike &= is_side(ownership_side_buy(&no_rent, months), ledger.buy_total) &&
                     is_side(ownership_side_rent(&no_rent, months), ledger.rent_total);
            ok(alike, "case %zu, month %d: each side alone", c, months);
        }
}

static void test_rounding(void)
{
    static const double cases[][2] = {
        {0.125, 0.12},          {0.135, 0.14},
        {2.675, 2.68},          {1.005, 1.00},
        {-0.125, -0.12},        {-2.675, -2.68},
        {57837.024, 57837.02},  {0.1249999, 0.12},
        {1e9 + 0.5, 1e9 + 0.5}, {123456789.125, 123456789.12},
        {0.1250002, 0.13},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(same_cents(cents_round(cases[i][0]), cases[i][1]), "%.7f rounds to %.2f", cases[i][0],
           cases[i][1]);
    ok(!signbit(cents_round(-0.001)), "no minus zero");
    ok(isnan(cents_round((double)NAN)), "unknown stays unknown");
}

static void test_quantities(void)
{
    struct ownership in = ownership_usual();
    struct ledger ledger;

    ownership_ledger(&in, 36, &ledger);
    const struct ledger_line *power = line_of(&ledger, "buy", "electricity_it");
    is_near(power->quantity, 10.2 * 0.62 * 730 * 36, 1e-12, "kWh over the horizon");
    is_near(power->unit_price, 0.12, 1e-12, "at the price of the first month");
    is_near(power->yearly_change, 0.02, 1e-12, "and how it rises");
    const struct ledger_line *overheads = line_of(&ledger, "rent", "rental_overheads");
    is_near(overheads->quantity, 0.10, 1e-12, "a ratio line shows its ratio");
    is_near(overheads->unit_price, 460855.67, 1e-7, "and what it is of");
    ok(isnan(line_of(&ledger, "buy", "cost_of_capital")->quantity),
       "cost of capital has no quantity");
    for (size_t i = 0; i < ledger.n; i++)
        ok(ledger.lines[i].formula[0] != '\0', "%s says how it is made", ledger.lines[i].key);
}

static void test_reservations(void)
{
    struct ownership in = ownership_usual();
    double hours = 8 * 730.0;

    in.purchase_option = "reserved_1yr";
    ok(same_cents(amount_of(&in, 12, "rent", "gpu_rental"), hours * 12 * 3.93),
       "a reservation is paid in full and holds its price for a year");
    ok(same_cents(amount_of(&in, 13, "rent", "gpu_rental"), hours * 3.93 * (12 + 0.85)),
       "and is renewed at the fallen price");
    in.purchase_option = "reserved_3yr";
    ok(same_cents(amount_of(&in, 36, "rent", "gpu_rental"), hours * 36 * 3.93),
       "three years hold for three years");
    in.purchase_option = "spot";
    in.rent_price_decline_ratio = 0;
    ok(same_cents(amount_of(&in, 10, "rent", "spot_overhead"), hours * 10 * 0.7 * 3.93 * 0.10),
       "spot loses work");
    in.purchase_option = "on_demand";
    in.capacity_reservation_idle_ratio = 0.5;
    ok(same_cents(amount_of(&in, 1, "rent", "rental_idle_reservation"), hours * 0.3 * 0.5 * 3.93),
       "idle hours that are paid");
    in.rental_overhead_ratio = 0.2;
    ok(same_cents(amount_of(&in, 1, "rent", "rental_overheads"), 3213.17),
       "overheads are of the rent");
}

static void test_end_of_life(void)
{
    struct ownership in = ownership_usual();

    in.residual_value = 90000;
    ok(same_cents(amount_of(&in, 36, "buy", "residual_value"), -90000), "a named residual value");
    ok(same_cents(amount_of(&in, 0, "buy", "residual_value"), -300000), "starts at the price");
    ok(same_cents(amount_of(&in, 18, "buy", "residual_value"), -164316.77),
       "and falls evenly in between"); /* 300000 x sqrt(0.3) */
    in.residual_value = 360000;
    ok(same_cents(amount_of(&in, 120, "buy", "residual_value"), -360000),
       "more than the price is not carried on beyond the horizon");
    in.residual_value = 90000;
    in.financing = "operating_lease";
    ok(same_cents(amount_of(&in, 36, "buy", "residual_value"), 0) &&
           same_cents(amount_of(&in, 36, "buy", "decommissioning"), 0),
       "a lessee has nothing to sell");
    in.financing = "cash";
    is_near(ownership_book_value(&in, 36), 120000, 1e-12, "straight-line book value");
    in.depreciation_method = "declining";
    is_near(ownership_book_value(&in, 36), 64800, 1e-12, "declining book value"); /* x 0.6^3 */
    in.depreciation_method = "straight_line";
    is_near(ownership_book_value(&in, 72), 0, 1e-12, "and nothing after the useful life");
}

/* At 25 % tax and no cost of capital everything is three quarters, whenever it was deducted. */
static void test_tax(void)
{
    struct ownership in = ownership_usual();
    struct ledger before, after;

    in.cost_of_capital = 0;
    ownership_ledger(&in, 36, &before);
    in.tax_rate = 0.25;
    ownership_ledger(&in, 36, &after);
    is_near(after.buy_total, before.buy_total * 0.75, 1e-7, "buying after tax");
    is_near(after.rent_total, before.rent_total * 0.75, 1e-7, "renting after tax");

    in.cost_of_capital = 0.08;
    ownership_ledger(&in, 36, &after);
    in.tax_depreciation = 0.5;
    ownership_ledger(&in, 36, &before);
    ok(before.buy_total < after.buy_total, "deducting sooner is worth something");
    ok(before.rent_total == after.rent_total, "to the buyer only");
}

/* The shares of IRS publication 946, table A-1, and of a declining balance over five years. */
static void test_depreciation(void)
{
    static const double macrs[] = {0, 0.2, 0.52, 0.712, 0.8272, 0.9424, 1, 1};
    static const double declining[] = {0, 0.4, 0.64, 0.784, 0.892, 1, 1, 1};
    struct ownership in = ownership_usual();

    for (int year = 0; year < 8; year++) {
        in.depreciation_method = "macrs_5yr";
        is_near((double)depreciation_share(&in, 12 * year), macrs[year], 1e-15, "MACRS");
        in.depreciation_method = "declining";
        is_near((double)depreciation_share(&in, 12 * year), declining[year], 1e-15, "declining");
    }
    in.depreciation_method = "macrs_5yr";
    is_near((double)depreciation_share(&in, 15), 0.28, 1e-15, "three months of the second year");
    in.bonus_depreciation_ratio = 0.6;
    is_near((double)depreciation_share(&in, 6), 0.34, 1e-15, "half of a year with its bonus");
    is_near((double)depreciation_share(&in, 24), 0.6 + 0.4 * 0.52, 1e-15, "the rest as before");
    in.depreciation_method = "straight_line";
    is_near((double)depreciation_share(&in, 30), 0.6 + 0.4 * 0.5, 1e-15, "evenly over the life");
}

static void test_odd_lines(void)
{
    struct ownership in = ownership_usual();

    in.carbon_price_per_tonne = 80;
    in.grid_carbon_kg_per_kwh = 0.4;
    /* 10.2 x 0.62 x 730 kWh x 1.54 x 0.4 kg: 2.84378 t a month */
    ok(same_cents(amount_of(&in, 12, "buy", "carbon"), 2730.03), "carbon");
    in.gpu_replacement_ratio = 0.5;
    ok(same_cents(amount_of(&in, 12, "buy", "gpu_replacement"), 8 * 0.09 * 0.5 * 30000),
       "replaced GPUs");
    in.gpu_card_price = (double)NAN;
    ok(same_cents(amount_of(&in, 12, "buy", "gpu_replacement"), 8 * 0.09 * 0.5 * 30750),
       "at the server's price less the host where the card's is unknown");
    in.facility_fitout_cost = 750000;
    ok(same_cents(amount_of(&in, 1, "buy", "facility_fitout"), 7650), "10.2 kW of fit-out");
    in.liquid_cooling_cost = 1000;
    in.gpu_count = 40;
    ok(same_cents(amount_of(&in, 1, "buy", "liquid_cooling"), 2000), "five servers in two racks");
    in.gpu_count = 8 * 1059;
    in.nodes_per_rack = 35.3;
    ok(same_cents(amount_of(&in, 1, "buy", "liquid_cooling"), 30000), "1059 / 35.3 racks are 30");
    in.pue = 1;
    ok(same_cents(amount_of(&in, 1, "buy", "electricity_facility"), 0), "all-in colocation");
}

static void test_lead_time(void)
{
    struct ownership in = ownership_usual();

    in.lead_time_months = 2.5;
    in.rent_price_decline_ratio = 0;
    double month = 8 * 730 * 0.7 * 3.93 * 1.1;
    ok(same_cents(amount_of(&in, 36, "buy", "lead_time_rental"), cents_round(2.5 * month)),
       "two and a half months are rented");
    ok(same_cents(amount_of(&in, 36, "buy", "staff"), 33.5 * 3750), "and the rest is run");
    ok(same_cents(amount_of(&in, 2, "buy", "staff"), 0), "nothing runs before delivery");
    in.lead_time_months = 60;
    in.server_price = (double)NAN;
    ok(amount_of(&in, 36, "buy", "maintenance") == 0, "nothing for what has not arrived");
    ok(same_cents(amount_of(&in, 36, "buy", "lead_time_rental"), cents_round(36 * month)),
       "rented throughout where delivery is after the horizon");
}

static void test_unknown(void)
{
    struct ownership in = ownership_usual();
    struct ledger ledger;

    in.rent_price_per_gpu_hour = (double)NAN;
    ownership_ledger(&in, 36, &ledger);
    ok(isnan(ledger.rent_total), "an unknown rent leaves renting unknown");
    ok(same_cents(ledger.buy_total, 776620.35), "but not buying");
    ok(same_cents(line_of(&ledger, "rent", "rental_storage")->amount, 0),
       "no storage at an unknown price costs nothing");
    in = ownership_usual();
    in.server_price = (double)NAN;
    ownership_ledger(&in, 36, &ledger);
    ok(isnan(ledger.buy_total) && isnan(line_of(&ledger, "buy", "spares")->amount),
       "an unknown server price leaves buying unknown");
    ok(same_cents(ledger.rent_total, 573725.26), "but not renting");
    ok(isnan(ownership_cost_per_useful_gpu_hour(&in)), "nor is the cost of an hour known");
}

static void test_useful_hour(void)
{
    struct ownership in = ownership_usual();
    struct ledger ledger;

    ownership_ledger(&in, 60, &ledger);
    is_near(ownership_cost_per_useful_gpu_hour(&in), ledger.buy_total / (8 * 730 * 60 * 0.7 * 0.95),
            1e-12, "over the useful life");
    double half = ownership_cost_per_useful_gpu_hour(&in);
    in.utilization = 0.35;
    ok(ownership_cost_per_useful_gpu_hour(&in) > 1.8 * half,
       "idle hours make the others expensive");
    in.utilization = 0;
    ok(isnan(ownership_cost_per_useful_gpu_hour(&in)), "no use, no cost per use");
    in = ownership_usual();
    double idle = ownership_idle_cost(&in, 36);
    in.utilization = 0;
    ownership_ledger(&in, 36, &ledger);
    is_near(idle, 0.3 * ledger.buy_total, 1e-12, "idle cost: 30 %% of what an idle cluster costs");
}

/* A month in which the first phase ends is used by its hours. */
static void test_first_phase(void)
{
    struct ownership in = ownership_usual();
    struct ledger ledger;

    in.utilization = 0.5;
    in.first_phase_months = 2.25;
    in.first_phase_utilization = 0.9;
    ok(ownership_utilization(&in, 2) == 0.9 && ownership_utilization(&in, 4) == 0.5, "of months");
    is_near(ownership_utilization(&in, 3), 0.6, 1e-12, "a quarter of this one is of the phase");
    is_near(ownership_mean_utilization(&in, 4), (0.9 + 0.9 + 0.6 + 0.5) / 4, 1e-12, "their mean");
    ok(ownership_mean_utilization(&in, 0) == 0.5, "over no months");
    in.rent_price_decline_ratio = 0;
    is_near(amount_of(&in, 4, "rent", "gpu_rental"), 8 * 730 * 3.93 * 2.9, 1e-9, "rent of each");
    ownership_ledger(&in, 4, &ledger);
    is_near(line_of(&ledger, "rent", "gpu_rental")->quantity, 8 * 730 * 2.9, 1e-12, "its hours");
    is_near(line_of(&ledger, "rent", "rental_overheads")->unit_price, 8 * 730 * 3.93 * 2.9, 1e-9,
            "what a ratio is of");
    in.lead_time_months = 10;
    is_near(amount_of(&in, 4, "buy", "lead_time_rental"),
            amount_of(&in, 4, "rent", "gpu_rental") * 1.1, 1e-6, "and of waiting");
    in.rent_price_per_gpu_hour = (double)NAN;
    ok(isnan(amount_of(&in, 4, "rent", "gpu_rental")), "an unknown rent is unknown");
    in.utilization = in.first_phase_utilization = 0;
    ok(isnan(amount_of(&in, 4, "rent", "gpu_rental")), "and without use too: it is no rent of 0");
}

int main(void)
{
    test_tables();
    test_sums();
    test_one_side();
    test_rounding();
    test_quantities();
    test_reservations();
    test_end_of_life();
    test_tax();
    test_depreciation();
    test_odd_lines();
    test_lead_time();
    test_unknown();
    test_useful_hour();
    test_first_phase();
    return tap_done();
}

#include "estimate/breakeven.h"
#include "ownership_fixture.h"
#include "tap.h"

/* Figures worked out apart from this code, in decimal arithmetic and by bisection. */

static struct breakeven found; /* large: not on the stack */

static struct ownership flat_rent(void)
{
    struct ownership in = ownership_usual();

    in.rent_price_decline_ratio = 0;
    return in;
}

static void test_reached(void)
{
    struct ownership in = flat_rent();

    breakeven_find(&in, &found);
    is_str(found.status, "reached", "flat rent: reached");
    is_near(found.months, 49.0592434, 1e-7, "in month 49");
    is_str(found.verdict, "rent", "but not by the horizon of 36 months");
    is_near(found.saving, 713353.91 - 776620.35, 1e-12, "saving is rent less buy");
    is_near(found.utilization.value, 0.7642424, 1e-6, "break-even utilization");
    is_near(found.rent_price_per_gpu_hour.value, 4.2785466, 1e-6, "break-even rent price");
    is_near(found.buy_per_useful_gpu_hour, 776620.35 / 139809.6, 1e-12, "per useful GPU-hour");
    ok(found.n_points == 61, "the series runs to the end of the search");
    ok(found.n_crossings == 1, "one crossing");
    in.horizon_months = 100;
    breakeven_find(&in, &found);
    ok(found.n_points == 101, "or to a longer horizon");
    is_near(found.months, 49.0592434, 1e-7, "which does not move the break-even month");
    is_str(found.verdict, "buy", "by then buying is cheaper");
}

/* A gift that comes after the end: until then both sides rent the same. */
static void test_equal(void)
{
    struct ownership in = ownership_usual();

    in.lead_time_months = 57;
    in.server_price = in.management_network_cost = in.rack_and_pdu_cost = 0;
    breakeven_find(&in, &found);
    ok(fabs(found.saving) < 0.05, "both sides cost the same, but for cents");
    ok(isnan(found.rent_price_per_gpu_hour.value), "at every rent price: none of them turns it");
    is_str(found.rent_price_per_gpu_hour.status, "buy_cheaper_throughout", "and it says so");
}

static void test_not_reached(void)
{
    struct ownership in = ownership_usual();

    breakeven_find(&in, &found);
    is_str(found.status, "not_within_60_months", "falling rents: never");
    ok(isnan(found.months), "no month");
    is_near(found.utilization.value, 0.9583535, 1e-6, "the utilization that would do");
    is_near(found.rent_price_per_gpu_hour.value, 5.3198251, 1e-6, "the price that would do");
    is_str(found.utilization.status, "reached", "both are within reach");

    in.useful_life_months = 200;
    breakeven_find(&in, &found);
    is_str(found.status, "not_within_120_months", "the search ends at 120 months");
    in.rent_price_per_gpu_hour = 1;
    breakeven_find(&in, &found);
    ok(isnan(found.utilization.value), "no utilization will do at 1 USD an hour");
    is_str(found.utilization.status, "rent_cheaper_throughout", "and it says why");
    in.rent_price_per_gpu_hour = 100;
    in.purchase_option = "reserved_3yr";
    breakeven_find(&in, &found);
    is_str(found.utilization.status, "buy_cheaper_throughout",
           "a dear reservation is paid whatever the use");
}

static void test_crossings(void)
{
    struct ownership in = ownership_usual();

    in.rent_price_per_gpu_hour = 14;
    in.rent_price_decline_ratio = 0.7;
    breakeven_find(&in, &found);
    ok(found.n_crossings == 2, "the curves cross again");
    is_near(found.crossings[0].month, 3.1690, 1e-4, "first");
    is_str(found.crossings[0].cheaper_after, "buy", "buying gets ahead");
    is_near(found.crossings[1].month, 34.6655, 1e-4, "then");
    is_str(found.crossings[1].cheaper_after, "rent", "renting does");
    is_near(found.months, 3.1690, 1e-4, "the break-even month is the first");

    in.server_price = in.management_network_cost = in.rack_and_pdu_cost = 0;
    in.staff_fte = 0;
    in.management_network_cost = in.rack_and_pdu_cost = 0;
    breakeven_find(&in, &found);
    ok(found.months == 0 && found.crossings[0].month == 0, "free servers: from the start");
}

static void test_unknown(void)
{
    struct ownership in = ownership_usual();

    in.rent_price_per_gpu_hour = (double)NAN;
    breakeven_find(&in, &found);
    ok(!found.verdict && isnan(found.months) && isnan(found.saving), "no verdict");
    is_str(found.status, "unknown_price", "and why");
    is_str(found.utilization.status, "unknown_price", "for the utilization too");
    is_near(found.rent_price_per_gpu_hour.value, 5.3198251, 1e-6,
            "the price that would do is known");
    in = ownership_usual();
    in.utilization = 0;
    breakeven_find(&in, &found);
    ok(isnan(found.buy_per_useful_gpu_hour), "no useful hour, no cost of one");
    is_str(found.rent_price_per_gpu_hour.status, "rent_cheaper_throughout",
           "no price makes unused hours dear");
}

static double months_at(double rent, double utilization)
{
    struct ownership in = flat_rent();

    in.rent_price_per_gpu_hour = rent;
    in.utilization = utilization;
    breakeven_find(&in, &found);
    return isnan(found.months) ? 1e9 : found.months;
}

static void test_monotone(void)
{
    double before_price = 1e9, before_use = 1e9;

    for (int i = 1; i <= 20; i++) {
        double price = months_at(0.5 * i, 0.7), use = months_at(5, 0.05 * i);
        ok(price <= before_price, "dearer rent, sooner break-even: %.2f USD", 0.5 * i);
        ok(use <= before_use, "more use, sooner break-even: %.2f", 0.05 * i);
        before_price = price;
        before_use = use;
    }
}

/* At the threshold both sides cost the same, to the rounding of the lines. */
static void test_thresholds_hold(void)
{
    struct ownership in = ownership_usual();

    in.rent_price_per_gpu_hour = 7;
    in.lead_time_months = 2;
    in.tax_rate = 0.2;
    breakeven_find(&in, &found);
    struct threshold use = found.utilization, price = found.rent_price_per_gpu_hour;
    in.utilization = use.value;
    breakeven_find(&in, &found);
    ok(fabs(found.saving) < 0.2, "at %.6f utilization both cost the same (%.2f apart)", use.value,
       found.saving);
    in = ownership_usual();
    in.lead_time_months = 2;
    in.tax_rate = 0.2;
    in.rent_price_per_gpu_hour = price.value;
    breakeven_find(&in, &found);
    ok(fabs(found.saving) < 0.2, "at %.6f USD both cost the same (%.2f apart)", price.value,
       found.saving);
}

static void test_groups(void)
{
    static const char *const groups[] = {"initial", "recurring", "opportunity", "proceeds"};
    struct ownership in = ownership_usual();
    double buy = 0, rent = 0;

    breakeven_find(&in, &found);
    for (size_t i = 0; i < 4; i++) {
        buy += breakeven_group_total(&found, "buy", groups[i]);
        rent += breakeven_group_total(&found, "rent", groups[i]);
    }
    is_near(buy, found.ledger.buy_total, 1e-12, "groups add up to the cost of buying");
    is_near(rent, found.ledger.rent_total, 1e-12, "and of renting");
    is_near(breakeven_group_total(&found, "buy", "initial"), 387000, 1e-12, "initial lines");
}

int main(void)
{
    test_reached();
    test_equal();
    test_not_reached();
    test_crossings();
    test_unknown();
    test_monotone();
    test_thresholds_hold();
    test_groups();
    return tap_done();
}

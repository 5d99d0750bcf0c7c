#include "estimate/break_even/break_even.h"
#include "estimate/ownership/totals.h"
#include "ownership_fixture.h"
#include "tap.h"

/* Figures worked out apart from this code, in decimal arithmetic and by bisection. */

static struct break_even found; /* large: not on the stack */
static struct series_point points[POINTS_MAX];

static struct ownership flat_rent(void)
{
    struct ownership in = ownership_usual();

    in.rent_price_decline_ratio = 0;
    return in;
}

static double gap_at(size_t month)
{
    return points[month].buy_cumulative_cost - points[month].rent_cumulative_cost;
}

/* The crossings of the series, every month of which is rounded. */
static size_t crossings_of(const struct ownership *in, struct crossing crossings[])
{
    size_t last = (size_t)break_even_search_months(in), n = 0;

    break_even_series(in, points);
    if (gap_at(0) <= 0)
        crossings[n++] = (struct crossing){0, "buy"};
    for (size_t i = 1; i <= last && n < CROSSINGS_MAX; i++) {
        double before = gap_at(i - 1), now = gap_at(i);
        if ((before <= 0) != (now <= 0))
            crossings[n++] = (struct crossing){(double)(i - 1) + before / (before - now),
                                               now <= 0 ? "buy" : "rent"};
    }
    return isnan(gap_at((size_t)fmax(in->horizon_months, (double)last))) ? 0 : n;
}

static double random_of(const double *from, size_t n)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005U + 1442695040888963407U;
    return from[(state >> 33) % n];
}

#define ONE_OF(...) \
    random_of((const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static struct ownership random_ownership(void)
{
    static const char *const financing[] = {"cash", "loan", "operating_lease", "finance_lease"};
    struct ownership in = ownership_usual();

    in.financing = financing[(size_t)ONE_OF(0, 1, 2, 3)];
    in.horizon_months = ONE_OF(12, 36, 60, 100);
    in.useful_life_months = ONE_OF(24, 60, 120);
    in.utilization = ONE_OF(0, 0.3, 0.9, 1);
    in.server_price = ONE_OF(0, 1e4, 1e5, 2e5, 3e5, 1e12, (double)NAN);
    in.rent_price_per_gpu_hour = ONE_OF(0, 0.5, 2, 4, 8, 1e9, (double)NAN);
    in.rent_price_decline_ratio = ONE_OF(0, 0.1, 0.3, -0.2);
    in.cost_of_capital = ONE_OF(0, 0.08, 0.3);
    in.tax_rate = ONE_OF(0, 0, 0.3, 1);
    in.tax_depreciation = ONE_OF(0, 0.2, 1);
    in.lead_time_months = ONE_OF(0, 0, 2.5, 30);
    in.annual_value_retention = ONE_OF(0, 0.5, 1);
    in.residual_value = ONE_OF((double)NAN, (double)NAN, 1e5, 1e7);
    in.decommissioning_ratio = ONE_OF(0, 0.05, 1);
    in.second_gpu_count = strcmp(in.financing, "cash") == 0 ? ONE_OF(0, 0, 8) : 0;
    in.second_purchase_month = in.second_gpu_count > 0 ? ONE_OF(3, 20, 50) : 0;
    in.first_phase_months = ONE_OF(0, 0, 7.5);
    in.first_phase_utilization = ONE_OF(0.1, 1);
    return in;
}

/* Most months are not rounded line by line; that none of them turns the sign is claimed here. */
static void test_unrounded(void)
{
    struct crossing wanted[CROSSINGS_MAX];
    size_t off = 0, crossed = 0;

    for (int i = 0; i < 3000; i++) {
        struct ownership in = random_ownership();
        break_even_find(&in, &found);
        size_t n = crossings_of(&in, wanted);
        bool same = n == found.n_crossings;
        for (size_t j = 0; same && j < n; j++)
            same = memcmp(&wanted[j].month, &found.crossings[j].month, sizeof(double)) == 0 &&
                   strcmp(wanted[j].cheaper_after, found.crossings[j].cheaper_after) == 0;
        double idle = ownership_idle_cost(&in, (int)in.horizon_months);
        off += !same || memcmp(&idle, &found.idle_cost, sizeof(idle)) != 0;
        crossed += n > 0;
    }
    ok(crossed > 500, "of 3,000 ledgers %zu cross", crossed);
    ok(off == 0, "each where the rounded totals of its months do (%zu do not)", off);
}

static bool is_alike(double got, double want, double size)
{
    return fabs(got - want) <= 1e-15 * size || (isnan(got) && isnan(want));
}

/* A run varied is the run of those inputs from its first month on. */
static void test_varied(void)
{
    static struct cash_flow at, varied, own;
    size_t n = 0, off = 0;

    for (int i = 0; i < 3000; i++) {
        struct ownership in = random_ownership(), other = in;
        other.utilization = ONE_OF(0, 0.4, 1);
        other.rent_price_per_gpu_hour = ONE_OF(0, 1, 7);
        totals_as_of_month(&at, &in, (int)in.horizon_months);
        if (!cash_flow_vary(&varied, &other, &at))
            continue;
        n++;
        totals_close(&varied);
        totals_as_of_month(&own, &other, (int)in.horizon_months);
        double size = (double)totals_size(&own) + (double)totals_size(&at);
        off +=
            !is_alike((double)totals_difference(&varied), (double)totals_difference(&own), size) ||
            !is_alike((double)totals_size(&varied), (double)totals_size(&own), size);
        for (int line = 0; line < LINES; line++)
            off += !is_alike((double)varied.amount[line], (double)own.amount[line], size);
    }
    ok(n > 300, "of 3,000 runs %zu are varied", n);
    ok(off == 0, "to every line of a run of their own (%zu are not)", off);
}

static void test_reached(void)
{
    struct ownership in = flat_rent();

    break_even_find(&in, &found);
    is_str(found.status, "reached", "flat rent: reached");
    is_near(found.months, 49.0592434, 1e-7, "in month 49");
    is_str(found.verdict, "rent", "but not by the horizon of 36 months");
    is_near(found.saving, 713353.91 - 776620.35, 1e-12, "saving is rent less buy");
    is_near(found.utilization.value, 0.7642424, 1e-6, "break-even utilization");
    is_near(found.rent_price_per_gpu_hour.value, 4.2785466, 1e-6, "break-even rent price");
    is_near(found.buy_per_useful_gpu_hour, 776620.35 / 139809.6, 1e-12, "per useful GPU-hour");
    ok(break_even_series(&in, points) == 61, "the series runs to the end of the search");
    ok(found.n_crossings == 1, "one crossing");
    in.horizon_months = 100;
    break_even_find(&in, &found);
    ok(break_even_series(&in, points) == 101, "or to a longer horizon");
    is_near(found.months, 49.0592434, 1e-7, "which does not move the break-even month");
    is_str(found.verdict, "buy", "by then buying is cheaper");
}

/* One way through the months gives what a ledger of each month would. */
static void test_series(void)
{
    struct ownership in = ownership_usual();
    struct ledger ledger;
    size_t off = 0;

    in.second_gpu_count = 8;
    in.second_purchase_month = 20;
    break_even_find(&in, &found);
    size_t n = break_even_series(&in, points);
    for (size_t i = 0; i < n; i++) {
        ownership_ledger(&in, (int)i, &ledger);
        off += points[i].buy_cumulative_cost != ledger.buy_total ||
               points[i].rent_cumulative_cost != ledger.rent_total;
        off += i == (size_t)in.horizon_months &&
               memcmp(&ledger, &found.ledger, sizeof(ledger.lines[0]) * ledger.n) != 0;
    }
    ok(off == 0, "the series and the ledger at the horizon are those of each month");
}

/* A threshold does not depend on the value that stands in its place. */
static void test_threshold_from_anywhere(void)
{
    static const double uses[] = {0, 1e-9, 1e-4, 0.2, 0.7, 1};
    struct ownership in = flat_rent();
    double want;

    break_even_find(&in, &found);
    want = found.utilization.value;
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        in.utilization = uses[i];
        break_even_find(&in, &found);
        is_near(found.utilization.value, want, 1e-12, "utilization, from %g", uses[i]);
    }
}

/* A gift that comes after the end: until then both sides rent the same. */
static void test_equal(void)
{
    struct ownership in = ownership_usual();

    in.lead_time_months = 57;
    in.server_price = in.management_network_cost = in.rack_and_pdu_cost = 0;
    break_even_find(&in, &found);
    ok(fabs(found.saving) < 0.05, "both sides cost the same, but for cents");
    ok(isnan(found.rent_price_per_gpu_hour.value), "at every rent price: none of them turns it");
    is_str(found.rent_price_per_gpu_hour.status, "buy_cheaper_throughout", "and it says so");
}

static void test_not_reached(void)
{
    struct ownership in = ownership_usual();

    break_even_find(&in, &found);
    is_str(found.status, "not_within_60_months", "falling rents: never");
    ok(isnan(found.months), "no month");
    is_near(found.utilization.value, 0.9583535, 1e-6, "the utilization that would do");
    is_near(found.rent_price_per_gpu_hour.value, 5.3198251, 1e-6, "the price that would do");
    is_str(found.utilization.status, "reached", "both are within reach");

    in.useful_life_months = 200;
    break_even_find(&in, &found);
    is_str(found.status, "not_within_120_months", "the search ends at 120 months");
    in.rent_price_per_gpu_hour = 1;
    break_even_find(&in, &found);
    ok(isnan(found.utilization.value), "no utilization will do at 1 USD an hour");
    is_str(found.utilization.status, "rent_cheaper_throughout", "and it says why");
    in.rent_price_per_gpu_hour = 100;
    in.purchase_option = "reserved_3yr";
    break_even_find(&in, &found);
    is_str(found.utilization.status, "buy_cheaper_throughout",
           "an expensive reservation is paid whatever the use");
}

static void test_crossings(void)
{
    struct ownership in = ownership_usual();

    in.rent_price_per_gpu_hour = 14;
    in.rent_price_decline_ratio = 0.7;
    break_even_find(&in, &found);
    ok(found.n_crossings == 2, "the curves cross again");
    is_near(found.crossings[0].month, 3.1690, 1e-4, "first");
    is_str(found.crossings[0].cheaper_after, "buy", "buying gets ahead");
    is_near(found.crossings[1].month, 34.6655, 1e-4, "then");
    is_str(found.crossings[1].cheaper_after, "rent", "renting does");
    is_near(found.months, 3.1690, 1e-4, "the break-even month is the first");

    in.server_price = in.management_network_cost = in.rack_and_pdu_cost = 0;
    in.staff_fte = 0;
    in.management_network_cost = in.rack_and_pdu_cost = 0;
    break_even_find(&in, &found);
    ok(found.months == 0 && found.crossings[0].month == 0, "free servers: from the start");
}

static void test_unknown(void)
{
    struct ownership in = ownership_usual();

    in.rent_price_per_gpu_hour = (double)NAN;
    break_even_find(&in, &found);
    ok(!found.verdict && isnan(found.months) && isnan(found.saving), "no verdict");
    is_str(found.status, "unknown_price", "and why");
    is_str(found.utilization.status, "unknown_price", "for the utilization too");
    is_near(found.rent_price_per_gpu_hour.value, 5.3198251, 1e-6,
            "the price that would do is known");
    in = ownership_usual();
    in.utilization = 0;
    break_even_find(&in, &found);
    ok(found.ledger.rent_total == 0, "no hour is rented at a known price");
    ok(isnan(found.buy_per_useful_gpu_hour), "no useful hour, no cost of one");
    is_str(found.rent_price_per_gpu_hour.status, "rent_cheaper_throughout",
           "no price makes unused hours expensive");
}

/* An unknown rent never counts as none: not for unused GPUs, in no phase. */
static void test_unknown_and_unused(void)
{
    static const struct {
        double first_months, first_utilization, utilization;
    } uses[] = {{0, 0, 0}, {6, 0, 0}, {6, 0.5, 0}, {60, 0, 0.5}};

    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        struct ownership in = ownership_usual();
        in.rent_price_per_gpu_hour = (double)NAN;
        in.first_phase_months = uses[i].first_months;
        in.first_phase_utilization = uses[i].first_utilization;
        in.utilization = uses[i].utilization;
        break_even_find(&in, &found);
        ok(!found.verdict && isnan(found.saving), "case %zu: no verdict", i);
        ok(isnan(found.ledger.rent_total), "an unknown total");
        ok(found.ledger.buy_total > 0, "of renting only");
        ok(isnan(break_even_group_total(&found, "rent", "recurring")), "nor of its group");
        is_str(found.status, "unknown_price", "and why");
        is_str(found.utilization.status, "unknown_price", "for the utilization too");
    }
}

static double months_at(double rent, double utilization)
{
    struct ownership in = flat_rent();

    in.rent_price_per_gpu_hour = rent;
    in.utilization = utilization;
    break_even_find(&in, &found);
    return isnan(found.months) ? 1e9 : found.months;
}

static void test_monotone(void)
{
    double before_price = 1e9, before_use = 1e9;

    for (int i = 1; i <= 20; i++) {
        double price = months_at(0.5 * i, 0.7), use = months_at(5, 0.05 * i);
        ok(price <= before_price, "a higher rent, an earlier break-even: %.2f USD", 0.5 * i);
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
    break_even_find(&in, &found);
    struct threshold use = found.utilization, price = found.rent_price_per_gpu_hour;
    in.utilization = use.value;
    break_even_find(&in, &found);
    ok(fabs(found.saving) < 0.2, "at %.6f utilization both cost the same (%.2f apart)", use.value,
       found.saving);
    in = ownership_usual();
    in.lead_time_months = 2;
    in.tax_rate = 0.2;
    in.rent_price_per_gpu_hour = price.value;
    break_even_find(&in, &found);
    ok(fabs(found.saving) < 0.2, "at %.6f USD both cost the same (%.2f apart)", price.value,
       found.saving);
}

static void test_groups(void)
{
    static const char *const groups[] = {"initial", "recurring", "opportunity", "proceeds"};
    struct ownership in = ownership_usual();
    double buy = 0, rent = 0;

    break_even_find(&in, &found);
    for (size_t i = 0; i < 4; i++) {
        buy += break_even_group_total(&found, "buy", groups[i]);
        rent += break_even_group_total(&found, "rent", groups[i]);
    }
    is_near(buy, found.ledger.buy_total, 1e-12, "groups add up to the cost of buying");
    is_near(rent, found.ledger.rent_total, 1e-12, "and of renting");
    is_near(break_even_group_total(&found, "buy", "initial"), 387000, 1e-12, "initial lines");
}

int main(void)
{
    test_reached();
    test_unrounded();
    test_varied();
    test_series();
    test_threshold_from_anywhere();
    test_equal();
    test_not_reached();
    test_crossings();
    test_unknown();
    test_unknown_and_unused();
    test_monotone();
    test_thresholds_hold();
    test_groups();
    return tap_done();
}

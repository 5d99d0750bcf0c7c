#include "estimate/ownership/rules.h"
#include "ownership_fixture.h"
#include "tap.h"

static double rule(const struct ownership *in, const char *key)
{
    struct rules rules = {0};

    ownership_rules(in, &rules);
    for (size_t i = 0; i < rules.n; i++)
        if (strcmp(rules.at[i].key, key) == 0)
            return rules.at[i].value;
    return (double)NAN;
}

static struct ownership card(double price, double power_w, double rent)
{
    struct ownership in = ownership_usual();

    in.gpu_count = in.gpus_per_node = 1;
    in.server_price = in.gpu_card_price = price;
    in.gpu_tdp_w = power_w;
    in.rent_price_per_gpu_hour = rent;
    return in;
}

static void test_payback(void)
{
    struct ownership in = card(1600, 450, 0.34);

    is_near(rule(&in, "payback_hours"), 5594.41, 1e-6, "RTX 4090: 1600 / (0.34 - 0.054)");
    is_near(rule(&in, "payback_months"), 7.66357, 1e-5, "in months");
    in.cooling_cost_year = 500;
    is_near(rule(&in, "payback_hours"), 6989.2688, 1e-7, "with cooling");
    in.horizon_months = 60;
    is_near(rule(&in, "own_cost_over_horizon"), 6465.20, 1e-9, "five years of owning");
    is_near(rule(&in, "rent_over_horizon"), 14892, 1e-9, "five years of renting");
    in.rent_price_per_gpu_hour = 0.05;
    ok(isnan(rule(&in, "payback_hours")), "no payback where power alone costs more than rent");
}

static void test_utilization(void)
{
    struct ownership in = card(12000, 400, 5.12);

    is_near(rule(&in, "gpu_hours_used"), 18396, 1e-12, "70 %% of three years");
    is_near(rule(&in, "rent_for_hours_used"), 94187.52, 1e-9, "rented on demand");
    is_near(rule(&in, "rent_to_hardware_ratio"), 7.84896, 1e-6, "over the price of the card");
    is_near(rule(&in, "utilization_where_rent_equals_hardware"), 0.0891835, 1e-6, "threshold");
}

static void test_tokens(void)
{
    static const struct {
        double price, power_w, tokens_per_second, hardware, power, total;
    } cases[] = {
        {700, 350, 65, 0.1626, 0.2564, 0.4190},
        {1600, 450, 70, 0.3451, 0.3061, 0.6513},
        {8000, 400, 114, 1.0596, 0.1671, 1.2267},
        {30000, 700, 239, 1.8954, 0.1395, 2.0349},
    };

    for (size_t i = 0; i < 4; i++) {
        struct ownership in = card(cases[i].price, cases[i].power_w, 1);
        in.tokens_per_second = cases[i].tokens_per_second;
        is_near(rule(&in, "hardware_cost_per_million_tokens"), cases[i].hardware, 6e-5, "hardware");
        is_near(rule(&in, "power_cost_per_million_tokens"), cases[i].power, 6e-5, "power");
        is_near(rule(&in, "cost_per_million_tokens"), cases[i].total, 6e-5, "both");
    }
    struct ownership in = card(700, 350, 1);
    ok(isnan(rule(&in, "cost_per_million_tokens")), "unknown without a speed");
}

static void test_others(void)
{
    struct ownership in = ownership_usual();

    is_near(rule(&in, "capital_per_hour"), 11.41553, 1e-6, "eight H100 around the clock");
    is_near(rule(&in, "gpu_power_cost_per_hour"), 0.672, 1e-12, "their power an hour");
    is_near(rule(&in, "gpu_power_cost_per_year"), 5886.72, 1e-12, "and a year");
    is_near(rule(&in, "gpu_cards_cost"), 240000, 1e-12, "the cards alone");
    in.rent_price_per_gpu_hour = 4;
    in.spot_price_per_gpu_hour = 1.2;
    in.reference_card_price = 1600;
    in.reference_rent_price_per_gpu_hour = 0.34;
    is_near(rule(&in, "spot_saving_ratio"), 0.7, 1e-12, "spot saves 70 %%");
    is_near(rule(&in, "card_price_ratio"), 18.75, 1e-12, "price ratio");
    is_near(rule(&in, "rent_price_ratio"), 4 / 0.34, 1e-12, "rent ratio");
    in.gpu_count = 8;
    in.server_price = 96000;
    in.rent_price_per_gpu_hour = 5.125;
    is_near(rule(&in, "rent_per_month"), 29930, 1e-12, "41 USD an hour for a month");
    is_near(rule(&in, "payback_months_hardware_only"), 3.2074841, 1e-7, "96000 USD in 3.2 months");
}

/* Every rule says what it leaves out. */
static void test_words(void)
{
    struct ownership in = ownership_usual();
    struct rules rules = {0};

    ownership_rules(&in, &rules);
    for (size_t i = 0; i < rules.n; i++)
        ok(rules.at[i].unit[0] && rules.at[i].formula[0] && rules.at[i].leaves_out[0],
           "%s has unit, formula and what it leaves out", rules.at[i].key);
}

int main(void)
{
    test_payback();
    test_utilization();
    test_tokens();
    test_others();
    test_words();
    return tap_done();
}

#include "estimate/ownership/rules.h"

#include "base/units.h"

#include <math.h>

#define HOURS_IN_30_DAYS 720.0
#define W_PER_KW 1000.0

/* The figures that the rules use. */
struct envelope {
    double capital;       /* all servers */
    double horizon_hours; /* around the clock */
    double power_kw;      /* GPUs only, at their power limit */
    double power_per_hour, cooling_per_hour, running_per_hour;
    double rent_per_hour; /* all GPUs */
    double tokens_per_hour;
};

static struct envelope envelope_of(const struct ownership *in)
{
    struct envelope e = {
        .capital = ownership_hardware_cost(in),
        .horizon_hours = in->horizon_months * HOURS_PER_MONTH,
        .power_kw = in->gpu_count * in->gpu_tdp_w / W_PER_KW,
        .cooling_per_hour = in->cooling_cost_year / HOURS_PER_YEAR,
        .rent_per_hour = in->gpu_count * in->rent_price_per_gpu_hour,
        .tokens_per_hour = in->tokens_per_second * SECONDS_PER_HOUR,
    };

    e.power_per_hour = e.power_kw * in->electricity_price_per_kwh;
    e.running_per_hour = e.power_per_hour + e.cooling_per_hour;
    return e;
}

/* NAN instead of infinite or negative. */
static double positive_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static void capital_rules(const struct ownership *in, const struct envelope *e, struct rules *rules)
{
    rule_of_thumb_add(
        rules, "capital_per_hour", e->capital / e->horizon_hours, "USD/h",
        "servers x server_price / (horizon_months x 730 h)",
        "Network, power, housing, staff, cost of capital, resale and every idle hour.");
    rule_of_thumb_add(rules, "gpu_cards_cost", in->gpu_count * in->gpu_card_price, "USD",
                      "gpu_count x gpu_card_price",
                      "The servers around the cards, and all that runs them.");
    rule_of_thumb_add(
        rules, "gpu_power_kw", e->power_kw, "kW", "gpu_count x gpu_tdp_w / 1000",
        "The rest of the server, fans and the facility; a GPU is rarely at its limit.");
    rule_of_thumb_add(
        rules, "gpu_power_cost_per_hour", e->power_per_hour, "USD/h",
        "gpu_power_kw x electricity_price_per_kwh",
        "The rest of the server and the facility's share (PUE); idle hours draw less.");
    rule_of_thumb_add(
        rules, "gpu_power_cost_per_year", e->power_per_hour * HOURS_PER_YEAR, "USD/year",
        "gpu_power_kw x 8760 h x electricity_price_per_kwh",
        "The rest of the server and the facility's share (PUE); idle hours draw less.");
    rule_of_thumb_add(rules, "own_cost_over_horizon",
                      e->capital + e->running_per_hour * HOURS_PER_YEAR * in->horizon_months /
                                       MONTHS_PER_YEAR,
                      "USD", "capital + years x (GPU power cost a year + cooling_cost_year)",
                      "Network, housing, staff, maintenance, cost of capital and resale.");
}

static void rent_rules(const struct ownership *in, const struct envelope *e, struct rules *rules)
{
    const char *left_out = "Storage, data out, support; that rents fall, and idle hours that "
                           "on-demand does not bill.";

    rule_of_thumb_add(rules, "rent_per_month", e->rent_per_hour * HOURS_PER_MONTH, "USD/month",
                      "gpu_count x rent_price_per_gpu_hour x 730 h", left_out);
    rule_of_thumb_add(rules, "rent_per_30_days", e->rent_per_hour * HOURS_IN_30_DAYS, "USD/month",
                      "gpu_count x rent_price_per_gpu_hour x 720 h",
                      "A twelfth of a year is 730 h: five days a year are missing.");
    rule_of_thumb_add(rules, "rent_per_year", e->rent_per_hour * HOURS_PER_YEAR, "USD/year",
                      "gpu_count x rent_price_per_gpu_hour x 8760 h", left_out);
    rule_of_thumb_add(rules, "rent_over_horizon", e->rent_per_hour * e->horizon_hours, "USD",
                      "gpu_count x rent_price_per_gpu_hour x 730 h x horizon_months", left_out);
    rule_of_thumb_add(rules, "spot_saving_ratio",
                      1 - in->spot_price_per_gpu_hour / in->rent_price_per_gpu_hour, "ratio",
                      "1 - spot_price_per_gpu_hour / rent_price_per_gpu_hour",
                      "Work lost to interruptions, and hours in which there is no spot capacity.");
}

static void payback_rules(const struct envelope *e, struct rules *rules)
{
    double hours = positive_ratio(e->capital, e->rent_per_hour - e->running_per_hour);
    const char *left_out = "Utilization (it counts hours in use), host, housing, staff, cost of "
                           "capital, falling rents and resale.";

    rule_of_thumb_add(rules, "payback_hours", hours, "h",
                      "capital / (rent an hour - GPU power and cooling an hour)", left_out);
    rule_of_thumb_add(rules, "payback_months", hours / HOURS_PER_MONTH, "months",
                      "payback_hours / 730 h", left_out);
    rule_of_thumb_add(rules, "payback_months_hardware_only",
                      positive_ratio(e->capital, e->rent_per_hour * HOURS_PER_MONTH), "months",
                      "capital / rent_per_month", "Power and everything else that owning costs.");
}

static void utilization_rules(const struct ownership *in, const struct envelope *e,
                              struct rules *rules)
{
    double rent = e->rent_per_hour * e->horizon_hours;

    rule_of_thumb_add(rules, "gpu_hours_used", in->gpu_count * e->horizon_hours * in->utilization,
                      "GPU-hours", "gpu_count x 730 h x horizon_months x utilization",
                      "Hours lost to failures (goodput).");
    rule_of_thumb_add(rules, "rent_for_hours_used", rent * in->utilization, "USD",
                      "gpu_hours_used x rent_price_per_gpu_hour", "Everything a rental bill adds.");
    rule_of_thumb_add(rules, "rent_to_hardware_ratio",
                      positive_ratio(rent * in->utilization, e->capital), "ratio",
                      "rent_for_hours_used / capital",
                      "All running costs of owning: it flatters buying.");
    rule_of_thumb_add(rules, "utilization_where_rent_equals_hardware",
                      positive_ratio(e->capital, rent), "ratio",
                      "capital / (gpu_count x 730 h x horizon_months x rent)",
                      "All running costs of owning: the real threshold is higher.");
}

static void token_rules(const struct ownership *in, const struct envelope *e, struct rules *rules)
{
    double useful = e->tokens_per_hour * in->utilization;
    double hardware = positive_ratio(e->capital, useful * e->horizon_hours) * MILLION;
    double power = positive_ratio(e->power_per_hour, useful) * MILLION;

    rule_of_thumb_add(
        rules, "hardware_cost_per_million_tokens", hardware, "USD",
        "capital / (tokens_per_second x 3600 x 730 h x horizon_months x utilization) x 1e6",
        "Everything but the hardware.");
    rule_of_thumb_add(rules, "power_cost_per_million_tokens", power, "USD",
                      "GPU power cost an hour / (tokens_per_second x 3600 x utilization) x 1e6",
                      "That an idle GPU draws less than its limit; host and facility.");
    rule_of_thumb_add(rules, "power_cost_per_million_tokens_busy",
                      positive_ratio(e->power_per_hour, e->tokens_per_hour) * MILLION, "USD",
                      "GPU power cost an hour / (tokens_per_second x 3600) x 1e6",
                      "What the GPU draws while idle; host and facility.");
    rule_of_thumb_add(
        rules, "cost_per_million_tokens", hardware + power, "USD",
        "hardware_cost_per_million_tokens + power_cost_per_million_tokens",
        "Host, network, housing, staff, cost of capital; the speed is taken as given.");
    rule_of_thumb_add(rules, "tokens_per_year", useful * HOURS_PER_YEAR, "tokens",
                      "tokens_per_second x 3600 x 8760 h x utilization",
                      "Peaks above the average load.");
}

static void reference_rules(const struct ownership *in, struct rules *rules)
{
    double price = positive_ratio(in->gpu_card_price, in->reference_card_price);
    double speed =
        positive_ratio(in->tokens_per_second / in->gpu_count, in->reference_tokens_per_second);

    rule_of_thumb_add(rules, "card_price_ratio", price, "ratio",
                      "gpu_card_price / reference_card_price",
                      "Speed, memory, power and the server.");
    rule_of_thumb_add(rules, "speed_ratio", speed, "ratio",
                      "tokens_per_second / gpu_count / reference_tokens_per_second",
                      "Batching and memory: the larger card serves more requests at once.");
    rule_of_thumb_add(rules, "card_price_per_speed_ratio", positive_ratio(price, speed), "ratio",
                      "card_price_ratio / speed_ratio",
                      "Servers, power, and what the smaller card cannot hold.");
    rule_of_thumb_add(
        rules, "rent_price_ratio",
        positive_ratio(in->rent_price_per_gpu_hour, in->reference_rent_price_per_gpu_hour), "ratio",
        "rent_price_per_gpu_hour / reference_rent_price_per_gpu_hour",
        "Speed and memory: cost per result may rank the other way.");
}

/* The rules use a single utilization: the mean. */
void ownership_rules(const struct ownership *in, struct rules *rules)
{
    struct envelope envelope = envelope_of(in);
    struct ownership mean = *in;

    mean.utilization = ownership_mean_utilization(in, (int)in->horizon_months);
    capital_rules(&mean, &envelope, rules);
    rent_rules(&mean, &envelope, rules);
    payback_rules(&envelope, rules);
    utilization_rules(&mean, &envelope, rules);
    token_rules(&mean, &envelope, rules);
    reference_rules(&mean, rules);
}

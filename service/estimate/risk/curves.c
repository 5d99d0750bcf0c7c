#include "estimate/risk/curves.h"

#include "estimate/ownership/cash_flow.h"

#include <math.h>
#include <string.h>

#define MONTHS_PER_YEAR 12.0

const char *const risk_input_names[RISK_INPUTS] = {
    [RISK_RENT_PRICE] = "rent_price_per_gpu_hour",
    [RISK_RENT_DECLINE] = "rent_price_decline_ratio",
    [RISK_RETENTION] = "annual_value_retention",
    [RISK_ELECTRICITY] = "electricity_price_per_kwh",
    [RISK_UTILIZATION] = "utilization",
    [RISK_FAILURES] = "gpu_annual_failure_ratio",
};

/* The difference in each month with these inputs at 1 and the others at 0. */
struct probe {
    struct ownership in;
    double difference[RISK_MONTHS_MAX + 1];
};

static void probe_clear(struct probe *probe)
{
    probe->in.rent_price_per_gpu_hour = probe->in.rent_price_decline_ratio = 0;
    probe->in.annual_value_retention = probe->in.electricity_price_per_kwh = 0;
    probe->in.utilization = probe->in.gpu_annual_failure_ratio = 0;
}

static struct probe probe_at(const struct ownership *in, int months, const enum risk_input ones[],
                             size_t n)
{
    struct probe probe = {.in = *in};

    probe_clear(&probe);
    for (size_t i = 0; i < n; i++)
        field_set_number(fields_find(ownership_fields, risk_input_names[ones[i]]), &probe.in, 1);
    ownership_differences(&probe.in, months, probe.difference);
    return probe;
}

#define PROBE(...)                                                    \
    probe_at(in, out->months, (const enum risk_input[]){__VA_ARGS__}, \
             sizeof((enum risk_input[]){__VA_ARGS__}) / sizeof(enum risk_input))

static void find_buying(const struct ownership *in, struct risk_curves *out)
{
    struct probe base = probe_at(in, out->months, NULL, 0);
    struct probe electricity = PROBE(RISK_ELECTRICITY), used = PROBE(RISK_UTILIZATION);
    struct probe both = PROBE(RISK_ELECTRICITY, RISK_UTILIZATION);
    struct probe failures = PROBE(RISK_FAILURES), kept = PROBE(RISK_RETENTION);

    for (int i = 0; i <= out->months; i++) {
        double start = base.difference[i];
        out->at[i] = (struct risk_month){
            .base = start,
            .per_electricity = electricity.difference[i] - start,
            .per_utilization = used.difference[i] - start,
            .per_both =
                both.difference[i] - electricity.difference[i] - (used.difference[i] - start),
            .per_failures = failures.difference[i] - start,
            .sold = start - kept.difference[i],
        };
    }
}

/* At the start all value is kept, whatever the ratio, so the runs do not tell the sale apart there:
 * it is that of the first month, and with it the curves have no step. */
static void find_first_sale(struct risk_curves *out)
{
    out->at[0].sold = out->at[1].sold;
    out->at[0].base += out->at[0].sold;
}

/* What was bought later is worth its price in its month, whatever the ratio, so that in that month
 * the runs tell the sale of the first servers only. */
static void find_second_sale(struct risk_curves *out)
{
    double share = out->second_share;

    if (share == 0 || out->second_month > out->months)
        return;
    out->at[out->second_month].sold /= 1 - share;
    for (int i = out->second_month + 1; i <= out->months; i++)
        out->at[i].base -= share * out->at[i].sold;
}

/* Rents are paid at the end of a month and grow from there on at the cost of capital: what a month
 * adds is the rent so far less that of the month before, grown. What use adds is none where it is
 * no more than the rounding of the rest. */
static void find_renting(const struct ownership *in, struct risk_curves *out)
{
    const double rounding = 1e-12;
    struct probe idle = PROBE(RISK_RENT_PRICE);
    struct probe used = PROBE(RISK_RENT_PRICE, RISK_UTILIZATION);
    double idle_before = 0, used_before = 0;

    for (int i = 0; i <= out->months; i++) {
        struct risk_month *at = &out->at[i];
        double idle_rent = at->base - idle.difference[i];
        double used_rent = at->base + at->per_utilization - used.difference[i];
        at->rent_idle = idle_rent - out->growth * idle_before;
        at->rent_used = used_rent - out->growth * used_before - at->rent_idle;
        if (fabs(at->rent_used) < rounding * fabs(used_rent))
            at->rent_used = 0;
        idle_before = idle_rent;
        used_before = used_rent;
    }
}

void risk_curves_find(const struct ownership *in, struct risk_curves *out)
{
    *out = (struct risk_curves){
        .horizon_months = (int)in->horizon_months,
        .search_months = (int)break_even_search_months(in),
        .term_months = ownership_term_months(in->purchase_option),
        .second_month = (int)in->second_purchase_month,
        .second_share = (double)ownership_plant(in).second_share,
        .growth = pow(1 + in->cost_of_capital, 1 / MONTHS_PER_YEAR),
    };
    out->months =
        out->horizon_months > out->search_months ? out->horizon_months : out->search_months;
    find_buying(in, out);
    find_renting(in, out);
    find_first_sale(out);
    find_second_sale(out);
}

static bool month_depends(const struct risk_month *at, enum risk_input input)
{
    switch (input) {
    case RISK_RENT_PRICE:
    case RISK_RENT_DECLINE:
        return at->rent_idle != 0 || at->rent_used != 0;
    case RISK_RETENTION:
        return at->sold != 0;
    case RISK_ELECTRICITY:
        return at->per_electricity != 0 || at->per_both != 0;
    case RISK_UTILIZATION:
        return at->per_utilization != 0 || at->per_both != 0 || at->rent_used != 0;
    case RISK_FAILURES:
        return at->per_failures != 0;
    case RISK_INPUTS:
        break;
    }
    return false;
}

bool risk_curves_depend(const struct risk_curves *curves, enum risk_input input)
{
    for (int i = 0; i <= curves->months; i++)
        if (month_depends(&curves->at[i], input))
            return true;
    return false;
}

/* The monthly factor of each ratio a year. */
static void find_factors(const double yearly[RISK_VALUES], bool loss, double factors[RISK_VALUES])
{
    for (int k = 0; k < RISK_VALUES; k++)
        factors[k] = pow(loss ? 1 - yearly[k] : yearly[k], 1 / MONTHS_PER_YEAR);
}

static void multiply(double *restrict numbers, const double *restrict factors)
{
    for (int k = 0; k < RISK_VALUES; k++)
        numbers[k] *= factors[k];
}

/* `monthly` is the rent of the month alone, without a decline. */
static void add_month(double *restrict so_far, const double *restrict prices, double growth,
                      double monthly, double *restrict rent)
{
    for (int k = 0; k < RISK_VALUES; k++)
        rent[k] = so_far[k] = growth * so_far[k] + prices[k] * monthly;
}

/* All values take a month together, so that no product waits for the one before it. */
static void add_up(const struct risk_curves *curves, const double yearly_declines[RISK_VALUES],
                   double (*monthly)(const struct risk_month *at), double (*rent)[RISK_ROW])
{
    double factors[RISK_VALUES], prices[RISK_VALUES], term_prices[RISK_VALUES];
    double so_far[RISK_VALUES] = {0};

    find_factors(yearly_declines, true, factors);
    for (int k = 0; k < RISK_VALUES; k++)
        prices[k] = 1;
    for (int i = 0; i <= curves->months; i++) {
        if (i > 1)
            multiply(prices, factors);
        if (i < 2 || curves->term_months == 0 || (i - 1) % curves->term_months == 0)
            memcpy(term_prices, prices, sizeof(prices));
        add_month(so_far, term_prices, curves->growth, monthly(&curves->at[i]), rent[i]);
    }
}

static double idle_of(const struct risk_month *at)
{
    return at->rent_idle;
}

static double used_of(const struct risk_month *at)
{
    return at->rent_used;
}

void risk_curves_rent_idle(const struct risk_curves *curves,
                           const double yearly_declines[RISK_VALUES], double (*rent)[RISK_ROW])
{
    add_up(curves, yearly_declines, idle_of, rent);
}

void risk_curves_rent_used(const struct risk_curves *curves,
                           const double yearly_declines[RISK_VALUES], double (*rent)[RISK_ROW])
{
    add_up(curves, yearly_declines, used_of, rent);
}

static void sell(const double *restrict kept, double all, double *restrict sold)
{
    for (int k = 0; k < RISK_VALUES; k++)
        sold[k] = kept[k] * all;
}

static void sell_both(const double *restrict kept, const double *restrict later, double share,
                      double all, double *restrict sold)
{
    for (int k = 0; k < RISK_VALUES; k++)
        sold[k] = ((1 - share) * kept[k] + share * (later[k] - 1)) * all;
}

void risk_curves_sold(const struct risk_curves *curves, const double yearly_retentions[RISK_VALUES],
                      double (*sold)[RISK_ROW])
{
    double factors[RISK_VALUES], kept[RISK_VALUES], later[RISK_VALUES];

    find_factors(yearly_retentions, false, factors);
    for (int k = 0; k < RISK_VALUES; k++)
        kept[k] = later[k] = 1;
    for (int i = 0; i <= curves->months; i++) {
        if (curves->second_share == 0 || i < curves->second_month) {
            sell(kept, curves->at[i].sold, sold[i]);
        } else {
            sell_both(kept, later, curves->second_share, curves->at[i].sold, sold[i]);
            multiply(later, factors);
        }
        multiply(kept, factors);
    }
}

#include "estimate/risk_curves.h"

#include <math.h>

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

/* Rents are paid at the end of a month and grow from there on at the cost of capital: what a month
 * adds is the rent so far less that of the month before, grown. */
static void find_renting(const struct ownership *in, struct risk_curves *out)
{
    struct probe idle = PROBE(RISK_RENT_PRICE);
    struct probe used = PROBE(RISK_RENT_PRICE, RISK_UTILIZATION);
    double before = 0, idle_rent = 0, used_rent = 0;

    for (int i = 0; i <= out->months; i++) {
        struct risk_month *at = &out->at[i];
        idle_rent = at->base - idle.difference[i];
        used_rent = at->base + at->per_utilization - used.difference[i];
        at->rent = used_rent - out->growth * before;
        before = used_rent;
    }
    out->idle_rent = used_rent == 0 ? 0 : idle_rent / used_rent;
}

void risk_curves_find(const struct ownership *in, struct risk_curves *out)
{
    *out = (struct risk_curves){
        .horizon_months = (int)in->horizon_months,
        .search_months = (int)breakeven_search_months(in),
        .term_months = ownership_term_months(in->purchase_option),
        .growth = pow(1 + in->cost_of_capital, 1 / MONTHS_PER_YEAR),
    };
    out->months =
        out->horizon_months > out->search_months ? out->horizon_months : out->search_months;
    find_buying(in, out);
    find_renting(in, out);
    find_first_sale(out);
}

static bool month_depends(const struct risk_curves *curves, const struct risk_month *at,
                          enum risk_input input)
{
    switch (input) {
    case RISK_RENT_PRICE:
    case RISK_RENT_DECLINE:
        return at->rent != 0;
    case RISK_RETENTION:
        return at->sold != 0;
    case RISK_ELECTRICITY:
        return at->per_electricity != 0 || at->per_both != 0;
    case RISK_UTILIZATION:
        return at->per_utilization != 0 || at->per_both != 0 ||
               (at->rent != 0 && curves->idle_rent != 1);
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
        if (month_depends(curves, &curves->at[i], input))
            return true;
    return false;
}

void risk_curves_rent(const struct risk_curves *curves, double yearly_decline, double rent[])
{
    double factor = pow(1 - yearly_decline, 1 / MONTHS_PER_YEAR), price = 1, term_price = 1;
    double so_far = 0;

    for (int i = 0; i <= curves->months; i++) {
        if (i > 1)
            price *= factor;
        if (i < 2 || curves->term_months == 0 || (i - 1) % curves->term_months == 0)
            term_price = price;
        so_far = curves->growth * so_far + term_price * curves->at[i].rent;
        rent[i] = so_far;
    }
}

void risk_curves_sold(const struct risk_curves *curves, double yearly_retention, double sold[])
{
    double factor = pow(yearly_retention, 1 / MONTHS_PER_YEAR), kept = 1;

    for (int i = 0; i <= curves->months; i++, kept *= factor)
        sold[i] = kept * curves->at[i].sold;
}

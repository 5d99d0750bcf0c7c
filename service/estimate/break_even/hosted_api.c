#include "estimate/break_even/hosted_api.h"

#include "base/cents.h"
#include "base/units.h"

#include <math.h>

enum line { INPUT, CACHED, OUTPUT, CAPITAL, TAX };
enum { BILLED = CAPITAL }; /* the lines before it are billed */

/* The hosted side, month by month. */
struct cash_flow {
    const struct ownership *own;
    double decline;
    double growth;
    double quantity[BILLED], price[BILLED]; /* millions of tokens at each price; prices of month
                                             * 1 */
    double months;                          /* sum over months of their volume relative to month
                                             * 1 */
    double amount[HOSTED_LINES];            /* cumulative */
    double paid, grown;                     /* after tax; including cost of capital */
    int month;
};

double hosted_api_tokens_per_month(const struct hosted_api *hosted)
{
    return hosted->tokens_per_day * HOURS_PER_MONTH / HOURS_PER_DAY;
}

/* The fractions of a million tokens that are of each kind. */
static void shares_of(const struct hosted_api *hosted, double shares[BILLED])
{
    double prompt = hosted->input_tokens / (hosted->input_tokens + hosted->output_tokens);

    shares[INPUT] = prompt * (1 - hosted->cached_ratio);
    shares[CACHED] = prompt * hosted->cached_ratio;
    shares[OUTPUT] = 1 - prompt;
}

/* Multiplies; 0 units cost 0 even if the unit price is unknown (NAN). */
static double times(double quantity, double price)
{
    return quantity == 0 ? 0 : quantity * price;
}

double hosted_api_blended_price(const struct hosted_api *hosted)
{
    double shares[BILLED];

    shares_of(hosted, shares);
    return times(shares[INPUT], hosted->input_price) + times(shares[CACHED], hosted->cached_price) +
           times(shares[OUTPUT], hosted->output_price);
}

double hosted_api_cost_per_month(const struct hosted_api *hosted)
{
    return hosted_api_blended_price(hosted) * hosted_api_tokens_per_month(hosted) / MILLION;
}

static struct cash_flow cash_flow_start(const struct hosted_api *hosted,
                                        const struct ownership *own)
{
    struct cash_flow flow = {
        .own = own,
        .decline = hosted->price_decline_ratio,
        .growth = hosted->growth_ratio_per_month,
        .price = {hosted->input_price, hosted->cached_price, hosted->output_price},
    };
    double shares[BILLED];

    shares_of(hosted, shares);
    for (int i = 0; i < BILLED; i++)
        flow.quantity[i] = hosted_api_tokens_per_month(hosted) / MILLION * shares[i];
    return flow;
}

static void cash_flow_month(struct cash_flow *flow)
{
    double volume = pow(1 + flow->growth, flow->month), bill = 0;
    double factor = volume * pow(1 - flow->decline, flow->month++ / MONTHS_PER_YEAR);

    for (int i = 0; i < BILLED; i++) {
        double amount = times(flow->quantity[i], flow->price[i] * factor);
        flow->amount[i] += amount;
        bill += amount;
    }
    flow->months += volume;
    double saved = times(flow->own->tax_rate, bill);
    flow->amount[TAX] -= saved;
    flow->paid += bill - saved;
    flow->grown *= pow(1 + flow->own->cost_of_capital, 1 / MONTHS_PER_YEAR);
    flow->grown += bill - saved;
    flow->amount[CAPITAL] = flow->grown - flow->paid;
}

static double totals_side(const struct cash_flow *flow)
{
    double cents = 0;

    for (int i = 0; i < HOSTED_LINES; i++)
        cents += nearbyint(cents_round(flow->amount[i]) * 100);
    return cents / 100;
}

static struct ledger_line run_line(const struct cash_flow *flow, int i)
{
    static const struct {
        const char *group, *key, *formula;
    } kinds[HOSTED_LINES] = {
        [INPUT] = {"recurring", "hosted_input",
                   "prompts not in the cache / 1e6 x hosted_input_price_per_million_tokens x (1 - "
                   "hosted_price_decline_ratio)^((j - 1) / 12)"},
        [CACHED] = {"recurring", "hosted_cached_input",
                    "prompts x cached_input_ratio / 1e6 x "
                    "hosted_cached_input_price_per_million_tokens"},
        [OUTPUT] = {"recurring", "hosted_output",
                    "answers / 1e6 x hosted_output_price_per_million_tokens"},
        [CAPITAL] = {"opportunity", "cost_of_capital",
                     "sum of cash_j x ((1 + cost_of_capital)^((h - j) / 12) - 1) over the "
                     "months j"},
        [TAX] = {"proceeds", "tax_relief",
                 "- tax_rate x the lines above, without the cost of capital"},
    };
    bool billed = i < BILLED;

    return (struct ledger_line){
        .side = "hosted",
        .group = kinds[i].group,
        .key = kinds[i].key,
        .unit = billed ? "million tokens" : NULL,
        .formula = kinds[i].formula,
        .quantity = billed ? flow->quantity[i] * flow->months : (double)NAN,
        .unit_price = billed ? flow->price[i] : (double)NAN,
        .yearly_change = billed ? -flow->decline : (double)NAN,
        .amount = cents_round(flow->amount[i]),
    };
}

void hosted_api_ledger(const struct hosted_api *hosted, const struct ownership *own, int months,
                       struct hosted_api_ledger *ledger)
{
    struct cash_flow flow = cash_flow_start(hosted, own);

    while (flow.month < months)
        cash_flow_month(&flow);
    for (int i = 0; i < HOSTED_LINES; i++)
        ledger->lines[i] = run_line(&flow, i);
    ledger->total = totals_side(&flow);
}

void hosted_api_totals(const struct hosted_api *hosted, const struct ownership *own, int months,
                       double totals[])
{
    struct cash_flow flow = cash_flow_start(hosted, own);

    totals[0] = totals_side(&flow);
    while (flow.month < months) {
        cash_flow_month(&flow);
        totals[flow.month] = totals_side(&flow);
    }
}

#include "estimate/break_even/hosted_api.h"

#include "base/cents.h"

#include <math.h>

#define MONTHS_PER_YEAR 12.0
#define MILLION 1e6

enum line { INPUT, CACHED, OUTPUT, CAPITAL, TAX };
enum { BILLED = CAPITAL }; /* the lines before it */

/* The side month by month. */
struct run {
    const struct ownership *own;
    double decline;
    double quantity[BILLED], price[BILLED]; /* millions of tokens a month; of month 1 */
    double amount[HOSTED_LINES];            /* so far */
    double paid, grown;                     /* after tax; with the cost of capital */
    int month;
};

double hosted_tokens_per_month(const struct hosted *hosted)
{
    return hosted->tokens_per_day * HOURS_PER_MONTH / HOURS_PER_DAY;
}

/* Of a million tokens, how many of each kind. */
static void shares_of(const struct hosted *hosted, double shares[BILLED])
{
    double prompt = hosted->input_tokens / (hosted->input_tokens + hosted->output_tokens);

    shares[INPUT] = prompt * (1 - hosted->cached_ratio);
    shares[CACHED] = prompt * hosted->cached_ratio;
    shares[OUTPUT] = 1 - prompt;
}

/* 0 units cost 0 even where the unit price is unknown (NAN). */
static double times(double quantity, double price)
{
    return quantity == 0 ? 0 : quantity * price;
}

double hosted_blended_price(const struct hosted *hosted)
{
    double shares[BILLED];

    shares_of(hosted, shares);
    return times(shares[INPUT], hosted->input_price) + times(shares[CACHED], hosted->cached_price) +
           times(shares[OUTPUT], hosted->output_price);
}

static struct run run_start(const struct hosted *hosted, const struct ownership *own)
{
    struct run run = {
        .own = own,
        .decline = hosted->price_decline_ratio,
        .price = {hosted->input_price, hosted->cached_price, hosted->output_price},
    };
    double shares[BILLED];

    shares_of(hosted, shares);
    for (int i = 0; i < BILLED; i++)
        run.quantity[i] = hosted_tokens_per_month(hosted) / MILLION * shares[i];
    return run;
}

static void run_month(struct run *run)
{
    double factor = pow(1 - run->decline, run->month++ / MONTHS_PER_YEAR), bill = 0;

    for (int i = 0; i < BILLED; i++) {
        double amount = times(run->quantity[i], run->price[i] * factor);
        run->amount[i] += amount;
        bill += amount;
    }
    double saved = times(run->own->tax_rate, bill);
    run->amount[TAX] -= saved;
    run->paid += bill - saved;
    run->grown *= pow(1 + run->own->cost_of_capital, 1 / MONTHS_PER_YEAR);
    run->grown += bill - saved;
    run->amount[CAPITAL] = run->grown - run->paid;
}

static double run_total(const struct run *run)
{
    double cents = 0;

    for (int i = 0; i < HOSTED_LINES; i++)
        cents += nearbyint(cents_round(run->amount[i]) * 100);
    return cents / 100;
}

static struct ledger_line run_line(const struct run *run, int i)
{
    static const struct {
        const char *group, *key, *formula;
    } kinds[HOSTED_LINES] = {
        [INPUT] = {"recurring", "hosted_input",
                   "prompts not in the cache / 1e6 x hosted_input_price_per_million_tokens x (1 - "
                   "hosted_price_decline_ratio)^((j - 1) / 12)"},
        [CACHED] = {"recurring", "hosted_cached_input",
                    "prompts x prefix_cache_ratio / 1e6 x "
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
        .quantity = billed ? run->quantity[i] * run->month : (double)NAN,
        .unit_price = billed ? run->price[i] : (double)NAN,
        .yearly_change = billed ? -run->decline : (double)NAN,
        .amount = cents_round(run->amount[i]),
    };
}

void hosted_ledger(const struct hosted *hosted, const struct ownership *own, int months,
                   struct hosted_ledger *ledger)
{
    struct run run = run_start(hosted, own);

    while (run.month < months)
        run_month(&run);
    for (int i = 0; i < HOSTED_LINES; i++)
        ledger->lines[i] = run_line(&run, i);
    ledger->total = run_total(&run);
}

void hosted_totals(const struct hosted *hosted, const struct ownership *own, int months,
                   double totals[])
{
    struct run run = run_start(hosted, own);

    totals[0] = run_total(&run);
    while (run.month < months) {
        run_month(&run);
        totals[run.month] = run_total(&run);
    }
}

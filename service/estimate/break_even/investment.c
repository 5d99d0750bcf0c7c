#include "estimate/break_even/investment.h"

#include "base/cents.h"
#include "base/root.h"
#include "base/units.h"

#include "estimate/ownership/cash_flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rent minus buy: cumulative payments, and their present value. */
struct saved {
    double cash, present;
};

static struct saved saved_by(const struct cash_flow *flow, double growth)
{
    const struct money *own = &flow->money[SIDE_BUY], *rent = &flow->money[SIDE_RENT];

    return (struct saved){(double)(rent->paid - own->paid),
                          (double)(rent->grown - own->grown) / pow(growth, flow->month)};
}

static void note_payback(struct payback *payback, int now, double before, double saved)
{
    const double half_a_cent = 0.005; /* sums that differ by less are equal */

    if (!payback->was_short || !isnan(payback->months) || saved < 0) {
        payback->was_short |= saved < -half_a_cent;
        return;
    }
    payback->month = now - 1;
    payback->missing = -before;
    payback->saved = saved - before;
    payback->months = payback->month + payback->missing / payback->saved;
}

static void say_payback(const struct ownership *in, struct investment *out)
{
    if (!out->payback.was_short)
        snprintf(out->payback_status, sizeof(out->payback_status), "buying_takes_no_money_first");
    else if (isnan(out->payback.months))
        snprintf(out->payback_status, sizeof(out->payback_status), "not_within_%.0f_months",
                 break_even_search_months(in));
    else
        snprintf(out->payback_status, sizeof(out->payback_status), "reached");
}

static void find_paybacks(const struct ownership *in, double growth, struct investment *out)
{
    int last = (int)break_even_search_months(in);
    struct cash_flow flow;
    struct saved before = {0, 0};

    out->payback.months = out->discounted_payback.months = (double)NAN;
    for (cash_flow_start(&flow, in);; cash_flow_month(&flow)) {
        struct saved now = saved_by(&flow, growth);
        note_payback(&out->payback, flow.month, before.cash, now.cash);
        note_payback(&out->discounted_payback, flow.month, before.present, now.present);
        before = now;
        if (flow.month >= last)
            break;
    }
    say_payback(in, out);
}

/* ---- months up to the horizon, cumulative in cents */

static double total_without_capital(const struct ledger *ledger, enum side side)
{
    const double *cents = ledger->group_cents[side];

    return cents[GROUP_INITIAL] + cents[GROUP_RECURRING] + cents[GROUP_PROCEEDS];
}

static void fill_months(const struct ownership *in, const struct ledger *ledger, double growth,
                        struct investment *out)
{
    struct cash_flow flow;
    double buy = 0, rent = 0, saved = 0, present = 0;
    double npv = cents_whole(out->net_present_value);

    for (cash_flow_start(&flow, in);; cash_flow_month(&flow)) {
        struct investment_month *at = &out->at[flow.month];
        bool last = flow.month >= (int)in->horizon_months;
        double own = cents_whole(flow.money[SIDE_BUY].paid);
        double rented = last ? total_without_capital(ledger, SIDE_RENT)
                             : cents_whole(flow.money[SIDE_RENT].paid);
        *at = (struct investment_month){
            .buy = own - buy,
            .rent = rented - rent,
            .buy_end = last ? total_without_capital(ledger, SIDE_BUY) - own : 0};
        at->saving = at->rent - at->buy - at->buy_end;
        at->saved = saved + at->saving;
        at->net_present_value = last ? npv : cents_whole(saved_by(&flow, growth).present);
        at->present_value = at->net_present_value - present;
        buy = own;
        rent = rented;
        saved = at->saved;
        present = at->net_present_value;
        if (last)
            return;
    }
}

/* ---- internal rate of return */

/* The present value if a month's money is worth `x` times that of the month before. */
static double worth(const struct investment *of, double x)
{
    double sum = 0;

    for (int i = (int)of->months; i >= 0; i--)
        sum = sum * x + of->at[i].saving;
    return sum;
}

/* The root between low and high, where the present value changes sign. */
static double zero_between(const struct investment *of, double low, double high)
{
    enum { STEPS = 100 };
    const double near = 1e-15;
    struct root root = {low, high, worth(of, low), worth(of, high), 0};
    double x = high;

    for (int i = 0; i < STEPS && root.high - root.low > near * root.high; i++) {
        x = root_guess(&root);
        double at_x = worth(of, x);
        if (at_x == 0)
            break;
        root_narrow(&root, x, at_x);
    }
    return x;
}

static bool takes_money_first(const struct investment *of)
{
    int i = 0;

    while (i < (int)of->months && of->at[i].saving == 0)
        i++;
    return of->at[i].saving < 0;
}

/* The rate is a return only if the first cash flow is negative and the root is unique. */
static void find_internal_rate(struct investment *out)
{
    const double least = 0.05, most = 1000; /* range of yearly growth factors searched */
    enum { STEPS = 64 };
    double found = (double)NAN, before = pow(1 / most, 1 / MONTHS_PER_YEAR);
    double at_before = worth(out, before);
    int n = 0;

    out->internal_rate = (double)NAN;
    out->internal_rate_status = "buying_takes_no_money_first";
    if (!takes_money_first(out))
        return;
    for (int i = 1; i <= STEPS; i++) {
        double x = pow(pow(most / least, (double)i / STEPS) / most, 1 / MONTHS_PER_YEAR);
        double at_x = worth(out, x);
        if ((at_before < 0) != (at_x < 0)) {
            found = zero_between(out, before, x);
            n++;
        }
        before = x;
        at_before = at_x;
    }
    out->internal_rate_status = n == 1 ? "reached" : n ? "more_than_one_rate" : "no_rate";
    if (n == 1)
        out->internal_rate = pow(found, -MONTHS_PER_YEAR) - 1;
}

void investment_appraise(const struct ownership *in, const struct break_even *found,
                         struct investment *out)
{
    const struct ledger *ledger = &found->ledger;
    double growth = pow(1 + in->cost_of_capital, 1 / MONTHS_PER_YEAR);
    double discount = pow(1 + in->cost_of_capital, -in->horizon_months / MONTHS_PER_YEAR);
    const double none = (double)NAN;

    memset(out, 0, sizeof(*out));
    out->months = in->horizon_months;
    out->buy_undiscounted = total_without_capital(ledger, SIDE_BUY) / 100 + 0.0;
    out->rent_undiscounted = total_without_capital(ledger, SIDE_RENT) / 100 + 0.0;
    out->buy_present = cents_round(ledger->buy_total * discount);
    out->rent_present = cents_round(ledger->rent_total * discount);
    out->net_present_value = cents_round(out->rent_present - out->buy_present);
    out->internal_rate = out->payback.months = out->discounted_payback.months = none;
    out->internal_rate_status = "unknown_price";
    snprintf(out->payback_status, sizeof(out->payback_status), "unknown_price");
    if (isnan(found->saving))
        return;
    fill_months(in, ledger, growth, out);
    if (strcmp(found->status, "unknown_price") !=
        0) /* within the months searched, possibly after the horizon */
        find_paybacks(in, growth, out);
    find_internal_rate(out);
}

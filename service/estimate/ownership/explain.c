#include "estimate/ownership/explain.h"

#include "estimate/ownership/cash_flow.h"
#include "estimate/ownership/totals.h"
#include "estimate/ownership/used.h"

#include <math.h>

/* One side of the ledger, and the explanations to add to. */
struct explained {
    const struct ownership *in;
    const char *before;
    double hardware;
    struct cash_flow at_end; /* at the end of the horizon */
    struct explanations *to;
};

const char *ownership_line_key(struct explanations *to, const char *before,
                               const struct ledger_line *line)
{
    return arena_join(to->arena, before, line->side, "_", line->key);
}

/* Payments of the months, and their value at the horizon. */
static void explain_capital(const struct explained *explained, const struct ledger_line *line)
{
    bool is_buy = cash_flow_same_word(line->side, "buy");
    const struct money *money = &explained->at_end.money[is_buy ? SIDE_BUY : SIDE_RENT];
    struct explanations *to = explained->to;

    LOCAL("paid", "USD", (double)money->paid)
    LOCAL("grown", "USD", (double)money->grown)
    EXPLAIN(ownership_line_key(to, explained->before, line), "USD", line->amount, "grown - paid",
            "each payment times (1 + cost_of_capital)^((h - j) / 12), less the payments; "
            "/v1/break-even/cash-flow lists them month by month")
}

/* A line calculated at the end of the horizon, as a ratio of another amount. */
static void explain_closing(const struct explained *explained, const struct ledger_line *line)
{
    struct explanations *to = explained->to;
    const char *key = ownership_line_key(to, explained->before, line);
    double tax_rate = explained->in->tax_rate;
    bool is_tax = tax_rate > 0 && cash_flow_same_word(line->group, "proceeds") &&
                  !cash_flow_same_word(line->key, "residual_value") &&
                  !cash_flow_same_word(line->key, "decommissioning");

    if (is_tax) {
        LOCAL("deducted", "USD", -line->amount / tax_rate)
        EXPLAIN(key, "USD", line->amount, "0 - tax_rate x deducted", line->formula)
    } else if (explained->hardware > 0) {
        LOCAL("share", "", line->amount / explained->hardware)
        LOCAL("hardware_cost", "USD", explained->hardware)
        EXPLAIN(key, "USD", line->amount, "share x hardware_cost", line->formula)
    } else {
        LOCAL("amount", "USD", line->amount)
        EXPLAIN(key, "USD", line->amount, "amount", line->formula)
    }
}

/* Quantity times price; the price changes over the months by its yearly_change. */
static void explain_line(const struct explained *explained, const struct ledger_line *line)
{
    struct explanations *to = explained->to;
    double first = line->quantity * line->unit_price;
    bool changes = !isnan(line->yearly_change) && !cash_flow_same_word(line->unit, "ratio");

    LOCAL("quantity", "", line->quantity)
    LOCAL("unit_price", "USD", line->unit_price)
    if (changes)
        LOCAL("price_path", "", line->amount / first)
    EXPLAIN(ownership_line_key(to, explained->before, line), "USD", line->amount,
            changes ? "quantity x unit_price x price_path" : "quantity x unit_price",
            arena_join(to->arena, line->formula,
                       changes ? "; price_path: the mean price of its months over that of the first"
                               : ""))
}

void ownership_explain_used(const struct ownership *in, const char *before, struct explanations *to)
{
    const double rounding = 1e-9;
    double by_curve = in->new_server_price * ownership_used_ratio(in);

    if (!ownership_is_used(in) || !(fabs(in->server_price - by_curve) <= rounding * by_curve))
        return;
    LOCAL("new_server_price", "USD", in->new_server_price)
    LOCAL("annual_value_retention", "", in->annual_value_retention)
    LOCAL("used_age_months", "months", in->used_age_months)
    EXPLAIN(arena_join(to->arena, before, "server_price", "", ""), "USD", in->server_price,
            "new_server_price x pow(annual_value_retention, used_age_months / 12)",
            "a used server costs what the curve of the resale value leaves of the price of a new "
            "one; /v1/assumptions?key=annual_value_retention and key=used_age_ratio")
}

void ownership_explain_lines(const struct ownership *in, const struct ledger *ledger,
                             const char *side, const char *before, struct explanations *to)
{
    struct explained explained = {
        .in = in, .before = before, .hardware = ownership_hardware_cost(in), .to = to};

    totals_as_of_month(&explained.at_end, in, (int)in->horizon_months);
    for (size_t i = 0; i < ledger->n; i++) {
        const struct ledger_line *line = &ledger->lines[i];
        if (line->amount == 0 || isnan(line->amount) || !cash_flow_same_word(line->side, side))
            continue;
        if (cash_flow_same_word(line->key, "cost_of_capital"))
            explain_capital(&explained, line);
        else if (isnan(line->quantity))
            explain_closing(&explained, line);
        else
            explain_line(&explained, line);
    }
}

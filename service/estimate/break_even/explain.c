#include "estimate/break_even/explain.h"

#include "base/units.h"
#include "estimate/ownership/cash_flow.h"
#include "estimate/ownership/explain.h"

#include <math.h>

static const char AT_END[] = "valued at the end of the horizon";
static const char AT_START[] = "valued at month 0, at cost_of_capital";

/* The sum of the lines of a side and group. */
static void explain_group(struct explanations *to, const struct break_even *found, const char *key,
                          const char *side, const char *group)
{
    const char *sum = NULL;

    for (size_t i = 0; i < found->ledger.n; i++) {
        const struct ledger_line *line = &found->ledger.lines[i];
        if (line->amount != 0 && cash_flow_same_word(line->side, side) &&
            cash_flow_same_word(line->group, group)) {
            const char *key_of_line = ownership_line_key(to, "", line);
            sum = sum ? arena_join(to->arena, sum, " + ", key_of_line, "") : key_of_line;
        }
    }
    EXPLAIN(key, "USD", break_even_group_total(found, side, group), sum ? sum : "0",
            "line_items of that side and group, each rounded to cents")
}

static void explain_payback(struct explanations *to, const char *key, const struct payback *payback)
{
    LOCAL("month", "months", payback->month)
    LOCAL("missing", "USD", payback->missing)
    LOCAL("saved", "USD/month", payback->saved)
    EXPLAIN_KNOWN(
        key, "months", payback->months, "month + missing / saved",
        "what is missing after the last month that is short, over what the next one saves; "
        "/v1/break-even/cash-flow without end_cash")
}

static void explain_totals(struct explanations *to, const struct break_even *found)
{
    static const char *const sides[] = {"buy", "rent"};
    static const char *const groups[][2] = {{"initial", "_initial_cost"},
                                            {"recurring", "_recurring_cost"},
                                            {"opportunity", "_opportunity_cost"},
                                            {"proceeds", "_proceeds"}};

    for (int side = 0; side < SIDES; side++)
        for (int group = 0; group < GROUPS; group++)
            explain_group(to, found, arena_join(to->arena, sides[side], groups[group][1], "", ""),
                          sides[side], groups[group][0]);
    EXPLAIN("buy_total_cost", "USD", found->ledger.buy_total,
            "buy_initial_cost + buy_recurring_cost + buy_opportunity_cost + buy_proceeds", AT_END)
    EXPLAIN("rent_total_cost", "USD", found->ledger.rent_total,
            "rent_initial_cost + rent_recurring_cost + rent_opportunity_cost + rent_proceeds",
            AT_END)
    EXPLAIN("buy_saving", "USD", found->saving, "rent_total_cost - buy_total_cost", AT_END)
}

static void explain_returns(struct explanations *to, const struct investment *investment)
{
    EXPLAIN("buy_undiscounted_cost", "USD", investment->buy_undiscounted,
            "buy_total_cost - buy_opportunity_cost", "all cash, whenever it is paid")
    EXPLAIN("rent_undiscounted_cost", "USD", investment->rent_undiscounted,
            "rent_total_cost - rent_opportunity_cost", "all cash, whenever it is paid")
    EXPLAIN("buy_present_cost", "USD", investment->buy_present,
            "buy_total_cost / pow(1 + cost_of_capital, horizon_months / 12)", AT_START)
    EXPLAIN("rent_present_cost", "USD", investment->rent_present,
            "rent_total_cost / pow(1 + cost_of_capital, horizon_months / 12)", AT_START)
    EXPLAIN("npv", "USD", investment->net_present_value, "rent_present_cost - buy_present_cost",
            AT_START)
    LOCAL("month_rate", "", pow(1 + investment->internal_rate, 1 / MONTHS_PER_YEAR) - 1)
    EXPLAIN_KNOWN(
        "irr", "ratio/year", investment->internal_rate, "pow(1 + month_rate, 12) - 1",
        "month_rate makes saving_cash of /v1/break-even/cash-flow worth nothing, as IRR() "
        "of a spreadsheet finds it")
    explain_payback(to, "payback_months", &investment->payback);
    explain_payback(to, "discounted_payback_months", &investment->discounted_payback);
}

void break_even_explain(const struct ownership *in, const struct break_even *found,
                        const struct investment *investment, struct explanations *to)
{
    if (isnan(found->saving))
        return;
    SYMBOL("cost_of_capital", "", in->cost_of_capital)
    SYMBOL("horizon_months", "months", in->horizon_months)
    SYMBOL("tax_rate", "", in->tax_rate)
    ownership_explain_used(in, "", to);
    for (int side = 0; side < SIDES; side++)
        ownership_explain_lines(in, &found->ledger, ownership_side_names[side], "", to);
    LOCAL("servers", "", ownership_nodes(in))
    LOCAL("node_power_kw", "kW", in->node_power_kw)
    LOCAL("pue", "", in->pue)
    EXPLAIN("power_kw", "kW", ownership_power_kw(in), "servers x node_power_kw x pue",
            "the most that the servers draw, with the facility's share")
    explain_totals(to, found);
    explain_returns(to, investment);
    explain_substitute(to);
}

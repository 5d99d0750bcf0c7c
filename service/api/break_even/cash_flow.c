/* cash_flow.c - buying as an investment: present values, rate of return and payback, and the
 * monthly cash flow. */
#include "api/break_even/break_even.h"

#include "api/resource/currency.h"

#include "estimate/break_even/explain.h"

#include <math.h>
#include <string.h>

#define TABLE cash_flow_row
#define TABLE_FILE "api/break_even/cash_flow_row.def"
#include "base/field/table.h"
const struct fields break_even_cash_flow_fields = FIELDS_INIT(cash_flow_row_rows);

static void add_months(struct request_context *context, const struct investment *investment)
{
    size_t n = isnan(investment->net_present_value) ? 0 : (size_t)investment->months + 1;
    struct cash_flow_row *rows = arena_alloc(context->arena, (n + 1) * sizeof(*rows));
    const double cents = 100;

    for (size_t i = 0; i < n; i++) {
        const struct investment_month *at = &investment->at[i];
        rows[i] = (struct cash_flow_row){
            .month = (double)i,
            .buy_cash = at->buy / cents,
            .end_cash = at->buy_end / cents,
            .rent_cash = at->rent / cents,
            .saving_cash = at->saving / cents,
            .present_value = at->present_value / cents,
            .cumulative_saving = at->saved / cents,
            .cumulative_present_value = at->net_present_value / cents,
        };
    }
    context_table(context, "cash_flow", rows, n, sizeof(*rows));
}

/* Only on request: it takes longer than the ledger. */
static void explain(struct request_context *context, const struct break_even_in *in,
                    const struct break_even *found, const struct investment *investment)
{
    struct explanations explanations;

    if (!explain_is_wanted(context))
        return;
    explain_init(&explanations, context->arena);
    break_even_explain(&in->own, found, investment, &explanations);
    explain_answer(context, &explanations);
}

/* Borrowed or leased assets are not own capital that could earn a rate of return. */
static const char *on_what(const struct ownership *own)
{
    return strcmp(own->financing, "cash") == 0   ? ""
           : strcmp(own->financing, "loan") == 0 ? " on the money that is not borrowed"
                                                 : " on the money that the lease leaves you to pay";
}

static const char *rate_in_words(struct arena *arena, const char *doing, const char *on,
                                 const struct investment *investment)
{
    static const char *const reasons[][2] = {
        {"buying_takes_no_money_first", "it saves money before it takes any of the owner's own"},
        {"no_rate", "what it saves never makes up for what it takes, at any rate"},
        {"more_than_one_rate", "savings and costs alternate, so several rates fit"},
    };

    if (strcmp(investment->internal_rate_status, "no_rate") == 0 &&
        investment->net_present_value > 0)
        return arena_join(arena, doing, " has no rate of return: it pays at any rate");
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (strcmp(reasons[i][0], investment->internal_rate_status) == 0)
            return arena_join(arena, doing, " has no rate of return: ", reasons[i][1]);
    double percent = 100 * investment->internal_rate;
    return arena_print(arena,
                       percent < 1000 ? "%s returns %.3g%% a year%s" : "%s returns %.0f%% a year%s",
                       doing, percent, on);
}

/* A loan or a lease may leave the most to pay until the end. */
static const char *never_short_in_words(struct request_context *context,
                                        const struct investment *investment)
{
    const double cents = 100;
    double saved = investment->at[(int)investment->months].saved / cents;

    return saved < 0 ? arena_print(context->arena,
                                   "the rents saved cover each month's payments, but not what is "
                                   "left to pay at the end of month %.0f: in all it takes %s more "
                                   "than it saves",
                                   investment->months, currency_amount(context, -saved))
                     : "there is nothing to pay back, as owning never costs more than the rents "
                       "saved";
}

static const char *payback_in_words(struct request_context *context,
                                    const struct investment *investment, double search_months)
{
    struct arena *arena = context->arena;
    double month = investment->payback.months;

    if (!investment->payback.was_short)
        return never_short_in_words(context, investment);
    if (isnan(month))
        return arena_print(arena, "the rents saved do not pay it back within %.0f month%s",
                           search_months, text_plural(search_months));
    return month > investment->months
               ? arena_print(arena,
                             "the rents saved would pay it back in month %.1f, after the %.0f "
                             "month%s compared",
                             month, investment->months, text_plural(investment->months))
               : arena_print(arena, "the rents saved pay it back in month %.1f", month);
}

static const char *returns_in_words(struct request_context *context, const struct ownership *own,
                                    const struct investment *investment, double search_months)
{
    struct arena *arena = context->arena;
    bool in_hand = own->owned_gpu_count == own->gpu_count;
    bool leased = strcmp(own->financing, "operating_lease") == 0 ||
                  strcmp(own->financing, "finance_lease") == 0;

    if (strcmp(investment->internal_rate_status, "unknown_price") == 0 ||
        strcmp(investment->payback_status, "unknown_price") == 0)
        return "Return and payback are unknown, as a price is.";
    return arena_print(arena, "%s; %s.",
                       rate_in_words(arena,
                                     in_hand  ? "Keeping them"
                                     : leased ? "Leasing"
                                              : "Buying",
                                     on_what(own), investment),
                       payback_in_words(context, investment, search_months));
}

const struct investment *break_even_appraise(struct request_context *context,
                                             const struct break_even_in *in,
                                             const struct break_even *found,
                                             struct break_even_out *out)
{
    struct investment *investment = arena_alloc(context->arena, sizeof(*investment));

    investment_appraise(&in->own, found, investment);
    out->totals_valued_at_month = in->own.horizon_months;
    out->buy_present_cost = investment->buy_present;
    out->rent_present_cost = investment->rent_present;
    out->buy_undiscounted_cost = investment->buy_undiscounted;
    out->rent_undiscounted_cost = investment->rent_undiscounted;
    out->npv = investment->net_present_value;
    out->irr = investment->internal_rate;
    out->irr_status = investment->internal_rate_status;
    out->payback_months = investment->payback.months;
    out->discounted_payback_months = investment->discounted_payback.months;
    out->payback_status = arena_text(context->arena, investment->payback_status);
    out->returns_sentence = returns_in_words(context, &in->own, investment, found->search_months);
    if (out->buy_ruled_out)
        out->returns_sentence =
            arena_print(context->arena, "Without the power limit: %c%s",
                        out->returns_sentence[0] - 'A' + 'a', out->returns_sentence + 1);
    if (context->project && strcmp(context->project, "cash_flow") == 0)
        add_months(context, investment);
    explain(context, in, found, investment);
    return investment;
}

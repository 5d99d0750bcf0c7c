#include "api/options/lease_books.h"

#include "api/resource/currency.h"

#include <math.h>
#include <string.h>

#define TABLE lease_books_row
#define TABLE_FILE "api/options/lease_books_row.def"
#include "base/field/table.h"
const struct fields lease_books_fields = FIELDS_INIT(lease_books_row_rows);

static void add_months(struct request_context *context, const struct ownership *own,
                       bool is_finance)
{
    struct lease_month *at = arena_alloc(context->arena, (LEASE_MONTHS_MAX + 1) * sizeof(*at));
    size_t n = (size_t)lease_schedule(own, is_finance, at) + 1;
    struct lease_books_row *rows = arena_alloc(context->arena, n * sizeof(*rows));

    for (size_t i = 0; i < n; i++)
        rows[i] = (struct lease_books_row){
            .month = (double)i,
            .lease_payment = (double)at[i].payment,
            .lease_interest = (double)at[i].interest,
            .lease_liability = (double)at[i].liability,
            .lease_asset = (double)at[i].asset,
            .lease_amortization = (double)at[i].amortization,
            .lease_expense = (double)at[i].expense,
            .ifrs_lease_asset = (double)at[i].ifrs_asset,
            .ifrs_lease_expense = (double)at[i].ifrs_expense,
        };
    context_table(context, "lease", rows, n, sizeof(*rows));
}

/* Which tests hold, or that none does. */
static const char *reasons(struct arena *arena, const struct lease_class *class,
                           const struct ownership *own, double term, double value)
{
    double percent = 100;
    const char *option = !class->has_option      ? ""
                         : lease_is_finance(own) ? "its purchase option will be taken"
                                                 : "the servers are to be bought at its end";
    const char *length =
        class->long_term
            ? arena_print(arena, "%sits term is %.3g%% of the useful life (%.3g%% or more)",
                          *option ? " and " : "", percent * class->term_ratio, percent * term)
            : "";
    const char *worth =
        class->whole_value
            ? arena_print(arena, "%sits payments are worth %.3g%% of the price (%.3g%% or more)",
                          *option || *length ? " and " : "", percent * class->present_value_ratio,
                          percent * value)
            : "";

    if (class->is_finance)
        return arena_join(arena, option, length, worth);
    return arena_print(arena,
                       "its term is %.3g%% of the useful life (below %.3g%%), its payments are "
                       "worth %.3g%% of the price (below %.3g%%), and nothing is bought at its end",
                       percent * class->term_ratio, percent * term,
                       percent * class->present_value_ratio, percent * value);
}

static const char *sentence_of(struct request_context *context, const struct ownership *own,
                               const struct lease_class *class, const char *why, double asset)
{
    const double short_term = 12; /* IFRS 16.5, ASC 842-20-25-2 */
    bool may_stay_off = own->lease_months <= short_term && !class->has_option;

    return arena_print(
        context->arena,
        "In the books by ASC 842 %s lease, as %s: an asset and a liability of %s at the start, %s; "
        "by IFRS 16 depreciation and interest. %sFor tax it is counted as %s.",
        class->is_finance ? "a finance" : "an operating", why, currency_amount(context, asset),
        class->is_finance ? "and amortization and interest as its cost"
                          : "and the same cost every month",
        may_stay_off ? "As a lease of up to 12 months it may stay off the books. " : "",
        lease_is_finance(own) ? "a purchase: depreciation and interest are deducted"
                              : "a lease: its payments are deducted");
}

struct lease_books lease_books_answer(struct request_context *context, const struct ownership *own)
{
    const double none = (double)NAN;
    double term = catalog_default(context->catalog, "lease_term_threshold_ratio", "");
    double value = catalog_default(context->catalog, "lease_present_value_threshold_ratio", "");
    bool asked = context->project && strcmp(context->project, "lease") == 0;
    struct lease_books books = {NULL, NULL, none, none, none};

    if (!lease_is_operating(own) && !lease_is_finance(own)) {
        if (asked)
            context_table(context, "lease", NULL, 0, sizeof(struct lease_books_row));
        return books;
    }
    struct lease_class class = lease_classify(own, term, value);
    books.term_ratio = class.term_ratio;
    books.present_value_ratio = class.present_value_ratio;
    books.asset = class.asset;
    if (asked)
        add_months(context, own, class.is_finance);
    if (isnan(class.asset))
        return books;
    const char *why = reasons(context->arena, &class, own, term, value);
    books.class = class.is_finance ? "finance" : "operating";
    books.sentence = sentence_of(context, own, &class, why, class.asset);
    if (class.is_finance && lease_is_operating(own))
        context_warn(context, "lease_class",
                     "financing=operating_lease, but ASC 842 calls it a finance lease, as %s", why);
    return books;
}

#include "api/resource/currency.h"

#include "answer/svg.h"
#include "base/text.h"
#include "catalog/currency.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char DOLLAR[] = "USD";

enum { DOLLAR_LENGTH = sizeof(DOLLAR) - 1, CODE_LENGTH = 3, STALE_DAYS = 31 };

static char *in_capitals(struct arena *arena, const char *text)
{
    size_t n = strlen(text);
    char *copy = memcpy(arena_alloc(arena, n + 1), text, n + 1);

    for (char *p = copy; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return copy;
}

void currency_choose(struct request_context *context, const struct params *params)
{
    const char *typed = params_find(params, "currency");

    if (typed && typed[0])
        context->currency = in_capitals(context->arena, typed);
    const char *currency = context->currency ? context->currency : DOLLAR;
    const struct catalog *view =
        catalog_in_currency(context->catalog, currency, context->as_of, context->arena);
    context->catalog =
        view ? view : catalog_in_currency(context->catalog, DOLLAR, context->as_of, context->arena);
}

static bool is_code(const char *currency)
{
    return strlen(currency) == CODE_LENGTH &&
           strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == CODE_LENGTH;
}

/* "; did you mean CNY?" for a sign or a name that people write for a currency; "" for others. */
static const char *meant(struct arena *arena, const char *currency)
{
    static const char *const written[][2] = {
        {"RMB", "CNY"},       {"YUAN", "CNY"},   {"EURO", "EUR"}, {"€", "EUR"},     {"$", "USD"},
        {"US$", "USD"},       {"DOLLAR", "USD"}, {"£", "GBP"},    {"POUND", "GBP"}, {"YEN", "JPY"},
        {"¥", "JPY, or CNY"}, {"RUPEE", "INR"},  {"₹", "INR"},    {"WON", "KRW"},   {"₩", "KRW"},
        {"NTD", "TWD"},       {"SFR", "CHF"}};

    for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
        if (strcmp(written[i][0], currency) == 0)
            return arena_join(arena, "; did you mean ", written[i][1], "?");
    return "";
}

bool currency_check(const struct request_context *context, struct err *err)
{
    const char *currency = context->currency;

    if (!currency || strcmp(currency, catalog_currency(context->catalog)) == 0)
        return true;
    if (!is_code(currency))
        return err_add(err, "currency", currency, "bad_form",
                       "must be three letters, such as USD or EUR%s",
                       meant(context->arena, currency));
    return err_set(err, ERR_NO_SOLUTION,
                   "no exchange rate for %s is known up to %d-%02d-%02d: add one to table "
                   "exchange_rate (listed at /v1/exchange-rates), or use %s%s",
                   currency, context->as_of / 10000, context->as_of / 100 % 100,
                   context->as_of % 100,
                   catalog_currencies(context->catalog, context->as_of, context->arena),
                   meant(context->arena, currency));
}

void currency_say(struct request_context *context)
{
    struct answer_meta *meta = &context->answer.meta;
    const struct exchange_rate *rate = context->catalog->rate;

    meta->currency = catalog_currency(context->catalog);
    meta->currency_per_usd = rate ? rate->per_usd : 1;
    meta->currency_rate_date = rate ? context_day(context, rate->observed) : NULL;
    meta->currency_rate_source = rate ? rate->source : NULL;
}

const char *currency_text(const struct request_context *context, const char *text)
{
    const char *currency = context->answer.meta.currency, *at;

    if (!text || strcmp(currency, DOLLAR) == 0)
        return text;
    while ((at = strstr(text, DOLLAR)))
        text = arena_print(context->arena, "%.*s%s%s", (int)(at - text), text, currency,
                           at + DOLLAR_LENGTH);
    return text;
}

/* Replace USD in the text column named unit. */
static void name_units(struct request_context *context, struct table *table)
{
    const struct field *unit = fields_find(table->fields, "unit");

    if (!unit || !table->n)
        return;
    char *rows = memcpy(arena_alloc(context->arena, table->n * table->stride), table->rows,
                        table->n * table->stride);
    for (size_t i = 0; i < table->n; i++) {
        void *row = rows + i * table->stride;
        field_set_text(unit, row, currency_text(context, field_text(unit, row)));
    }
    table->rows = rows;
}

const char *currency_amount(struct request_context *context, double amount)
{
    const double few = 100;

    return arena_join(context->arena,
                      fabs(amount) < few ? arena_print(context->arena, "%.2f", amount)
                                         : context_count(context, amount),
                      " ", context->answer.meta.currency);
}

static const struct chart *name_chart(struct request_context *context, const struct chart *drawn)
{
    const struct answer_meta *meta = &context->answer.meta;
    struct chart *chart =
        memcpy(arena_alloc(context->arena, sizeof(*chart)), drawn, sizeof(*chart));

    chart->title = currency_text(context, drawn->title);
    chart->description =
        arena_print(context->arena, "%s Amounts in %s at %.10g per USD of %s (%s).",
                    currency_text(context, drawn->description), meta->currency,
                    meta->currency_per_usd, meta->currency_rate_date, meta->currency_rate_source);
    chart->x_label = currency_text(context, drawn->x_label);
    chart->y_label = currency_text(context, drawn->y_label);
    for (size_t i = 0; i < chart->n_curves; i++)
        chart->curves[i].name = currency_text(context, drawn->curves[i].name);
    for (size_t i = 0; i < chart->n_marks; i++)
        chart->marks[i].name = currency_text(context, drawn->marks[i].name);
    return chart;
}

static void warn_old_rate(struct request_context *context)
{
    const struct exchange_rate *rate = context->catalog->rate;
    const char *date = context->answer.meta.currency_rate_date;

    if (date && text_days_between(rate->observed, context->as_of) > STALE_DAYS)
        context_warn(context, "stale_exchange_rate",
                     "the exchange rate for %s is from %s, over %d days before", rate->currency,
                     date, STALE_DAYS);
}

void currency_finish(struct request_context *context)
{
    struct answer *answer = &context->answer;

    if (!context->catalog->rate)
        return;
    warn_old_rate(context);
    for (size_t i = 0; i < answer->n_tables; i++)
        name_units(context, &answer->tables[i]);
    if (answer->chart)
        answer->chart = name_chart(context, answer->chart);
}

struct money_own currency_of(struct request_context *context, double amount, const char *currency)
{
    const struct exchange_rate *rate = catalog_rate(context->catalog, currency, context->as_of);

    return (struct money_own){
        .converted = catalog_amount(context->catalog, amount, currency, context->as_of),
        .per_usd = rate ? rate->per_usd : (double)NAN,
        .rate_date = rate ? context_day(context, rate->observed) : NULL,
    };
}

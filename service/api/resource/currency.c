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

void currency_choose(struct call *call, const struct params *params)
{
    const char *typed = params_find(params, "currency");

    if (typed && typed[0])
        call->currency = in_capitals(call->arena, typed);
    const char *currency = call->currency ? call->currency : DOLLAR;
    const struct catalog *view =
        catalog_in_currency(call->catalog, currency, call->as_of, call->arena);
    call->catalog =
        view ? view : catalog_in_currency(call->catalog, DOLLAR, call->as_of, call->arena);
}

static bool is_code(const char *currency)
{
    return strlen(currency) == CODE_LENGTH &&
           strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == CODE_LENGTH;
}

bool currency_check(const struct call *call, struct err *err)
{
    const char *currency = call->currency;

    if (!currency || strcmp(currency, catalog_currency(call->catalog)) == 0)
        return true;
    if (!is_code(currency))
        return err_add(err, "currency", currency, "bad_form",
                       "must be three letters, as USD or EUR");
    return err_set(err, ERR_NO_SOLUTION,
                   "no exchange rate of %s is known up to %d-%02d-%02d: add one to table "
                   "exchange_rate, whose rows /v1/exchange-rates lists, or ask in %s",
                   currency, call->as_of / 10000, call->as_of / 100 % 100, call->as_of % 100,
                   catalog_currencies(call->catalog, call->as_of, call->arena));
}

void currency_say(struct call *call)
{
    struct answer_meta *meta = &call->answer.meta;
    const struct exchange_rate *rate = call->catalog->rate;

    meta->currency = catalog_currency(call->catalog);
    meta->currency_per_usd = rate ? rate->per_usd : 1;
    meta->currency_rate_date = rate ? call_day(call, rate->observed) : NULL;
    meta->currency_rate_source = rate ? rate->source : NULL;
}

const char *currency_text(const struct call *call, const char *text)
{
    const char *currency = call->answer.meta.currency, *at;

    if (!text || strcmp(currency, DOLLAR) == 0)
        return text;
    while ((at = strstr(text, DOLLAR)))
        text = arena_print(call->arena, "%.*s%s%s", (int)(at - text), text, currency,
                           at + DOLLAR_LENGTH);
    return text;
}

/* Units are a text column of that name. */
static void name_units(struct call *call, struct table *table)
{
    const struct field *unit = fields_find(table->fields, "unit");

    if (!unit || !table->n)
        return;
    char *rows = memcpy(arena_alloc(call->arena, table->n * table->stride), table->rows,
                        table->n * table->stride);
    for (size_t i = 0; i < table->n; i++) {
        void *row = rows + i * table->stride;
        field_set_text(unit, row, currency_text(call, field_text(unit, row)));
    }
    table->rows = rows;
}

static const struct chart *name_chart(struct call *call, const struct chart *drawn)
{
    const struct answer_meta *meta = &call->answer.meta;
    struct chart *chart = memcpy(arena_alloc(call->arena, sizeof(*chart)), drawn, sizeof(*chart));

    chart->title = currency_text(call, drawn->title);
    chart->description =
        arena_print(call->arena, "%s Amounts in %s at %.10g per USD of %s (%s).",
                    currency_text(call, drawn->description), meta->currency, meta->currency_per_usd,
                    meta->currency_rate_date, meta->currency_rate_source);
    chart->x_label = currency_text(call, drawn->x_label);
    chart->y_label = currency_text(call, drawn->y_label);
    for (size_t i = 0; i < chart->n_curves; i++)
        chart->curves[i].name = currency_text(call, drawn->curves[i].name);
    for (size_t i = 0; i < chart->n_marks; i++)
        chart->marks[i].name = currency_text(call, drawn->marks[i].name);
    return chart;
}

static void warn_old_rate(struct call *call)
{
    const struct exchange_rate *rate = call->catalog->rate;
    const char *date = call->answer.meta.currency_rate_date;

    if (date && text_days_between(rate->observed, call->as_of) > STALE_DAYS)
        call_warn(call, "stale_exchange_rate",
                  "the exchange rate of %s is of %s, over %d days before", rate->currency, date,
                  STALE_DAYS);
}

void currency_finish(struct call *call)
{
    struct answer *answer = &call->answer;

    if (!call->catalog->rate)
        return;
    warn_old_rate(call);
    for (size_t i = 0; i < answer->n_tables; i++)
        name_units(call, &answer->tables[i]);
    if (answer->chart)
        answer->chart = name_chart(call, answer->chart);
}

struct money_own currency_of(struct call *call, double amount, const char *currency)
{
    const struct exchange_rate *rate = catalog_rate(call->catalog, currency, call->as_of);

    return (struct money_own){
        .converted = catalog_amount(call->catalog, amount, currency, call->as_of),
        .per_usd = rate ? rate->per_usd : (double)NAN,
        .rate_date = rate ? call_day(call, rate->observed) : NULL,
    };
}

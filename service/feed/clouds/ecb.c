/* ecb.c - the European Central Bank's reference rates: per euro, so a rate per US dollar is the
 * quotient of two rows of the same day. */
#include "feed/formats.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE ecb_row
#define TABLE_FILE "feed/clouds/ecb.def"
#include "base/field/table.h"

struct rate {
    const char *currency, *day, *text;
    size_t line, length;
    double per_eur;
};

struct rates {
    struct rate *at;
    size_t n, room;
};

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct ecb_row *row = from;
    const struct csv *csv = &reader->csv;

    if (!feed_check_currency(reader, row->CURRENCY))
        return FEED_REFUSED;
    if (strcmp(row->CURRENCY_DENOM, "EUR") != 0)
        return feed_refuse(reader, "is a rate per %.20s, not per EUR", row->CURRENCY_DENOM);
    if (isnan(row->OBS_VALUE))
        return FEED_NO_PRICE;
    if (!(row->OBS_VALUE > 0))
        return feed_refuse(reader, "%g is no rate", row->OBS_VALUE);
    if (!reader->state)
        reader->state = arena_alloc(&reader->arena, sizeof(struct rates));
    struct rates *rates = reader->state;
    rates->at = mem_grow(rates->at, rates->n, &rates->room, sizeof(*rates->at));
    rates->at[rates->n++] = (struct rate){
        arena_text(&reader->arena, row->CURRENCY),
        arena_text(&reader->arena, row->TIME_PERIOD),
        csv->start,
        csv->line,
        csv->length,
        row->OBS_VALUE,
    };
    return FEED_LATER;
}

static int compare_rates(const void *x, const void *y)
{
    const struct rate *a = x, *b = y;
    int order = strcmp(a->day, b->day);

    return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Give all rates of one day; the dollar's own row, required for the others, gives the euro. */
static void give_day(struct feed_reader *reader, const struct rate *rates, size_t n)
{
    const struct rate *dollar = NULL;

    for (size_t i = 0; i < n; i++)
        if (strcmp(rates[i].currency, "USD") == 0)
            dollar = &rates[i];
    for (size_t i = 0; i < n; i++) {
        const struct rate *rate = &rates[i];
        enum feed_fate fate = FEED_GOOD;
        char text[32];
        bool is_dollar = rate == dollar;
        if (dollar) {
            const char *values[] = {
                is_dollar ? "EUR" : rate->currency, rate->day,
                feed_print((is_dollar ? 1 : rate->per_eur) / dollar->per_eur, text),
                reader->input->source};
            feed_give(reader, rate->line, values);
        } else {
            fate = feed_refuse(reader, "%s has no rate of USD: without it none is per dollar",
                               rate->day);
        }
        feed_settle(reader, fate, rate->line, rate->text, rate->length);
    }
}

static void finish(struct feed_reader *reader)
{
    struct rates *rates = reader->state;

    if (!rates)
        return;
    sort_items(rates->at, rates->n, sizeof(*rates->at), compare_rates);
    for (size_t first = 0, end; first < rates->n; first = end) {
        for (end = first + 1; end < rates->n; end++)
            if (strcmp(rates->at[first].day, rates->at[end].day) != 0)
                break;
        give_day(reader, &rates->at[first], end - first);
    }
    free(rates->at);
}

const struct feed_format feed_ecb = {
    .name = "ecb",
    .sentence = "the European Central Bank's reference rates as CSV",
    .fields = FIELDS_INIT(ecb_row_rows),
    .row_size = sizeof(struct ecb_row),
    .open = true,
    .many = true,
    .dated = true,
    .needs = "OBS_VALUE",
    .home = "https://data.ecb.europa.eu",
    .table = &feed_table_exchange_rate,
    .take = take,
    .finish = finish,
};

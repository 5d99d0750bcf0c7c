#include "feed/feed.h"

#include "base/buf.h"
#include "feed/columns.h"
#include "feed/formats.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct feed_format *const feed_formats[] = {
    &feed_skypilot, &feed_gpuhunt,        &feed_offers, &feed_hardware,
    &feed_quotes,   &feed_exchange_rates, &feed_gpus,   NULL,
};

const struct feed_format *feed_format_find(const char *name)
{
    for (size_t i = 0; feed_formats[i]; i++)
        if (strcmp(feed_formats[i]->name, name) == 0)
            return feed_formats[i];
    return NULL;
}

static bool has_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->n; i++)
        if (strcasecmp(csv->at[i], name) == 0)
            return true;
    return false;
}

static bool has_required(const struct feed_format *format, const struct csv *csv)
{
    for (size_t i = 0; i < format->fields.n; i++)
        if (feed_column_required(format, &format->fields.at[i]) &&
            !has_column(csv, format->fields.at[i].name))
            return false;
    return true;
}

const struct feed_format *feed_format_guess(const char *bytes, size_t n, struct err *err)
{
    struct csv *csv = mem_alloc(sizeof(*csv));
    const struct feed_format *found = NULL;

    csv_open(csv, bytes, n);
    bool read = csv_next(csv) && !csv->why;
    for (size_t i = 0; read && !found && feed_formats[i]; i++)
        if (has_required(feed_formats[i], csv))
            found = feed_formats[i];
    if (!found)
        err_set(err, ERR_INVALID, "is of no format we read: its first line is \"%.*s\"",
                read ? (int)(csv->length < 80 ? csv->length : 80) : 0, read ? csv->start : "");
    free(csv);
    return found;
}

void feed_give(struct feed_reader *reader, size_t line, const char *const *values)
{
    if (!reader->stopped && !reader->sink->row(reader->sink->context, line, values))
        reader->stopped = true;
}

enum feed_fate feed_refuse(struct feed_reader *reader, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(reader->why, sizeof(reader->why), fmt, ap);
    va_end(ap);
    return FEED_REFUSED;
}

void feed_settle(struct feed_reader *reader, enum feed_fate fate, size_t line, const char *text,
                 size_t length)
{
    struct feed_refusal refusal = {line, text, length, reader->why,
                                   reader->unknown[0] ? reader->unknown : NULL};

    if (fate == FEED_LATER)
        return;
    reader->counts.read++;
    reader->counts.good += fate == FEED_GOOD;
    reader->counts.no_gpu += fate == FEED_NO_GPU;
    reader->counts.no_price += fate == FEED_NO_PRICE;
    reader->counts.refused += fate == FEED_REFUSED;
    if (fate == FEED_REFUSED)
        reader->sink->refuse(reader->sink->context, &refusal);
    reader->unknown[0] = '\0';
}

static void read_records(struct feed_reader *reader, const struct feed_columns *columns)
{
    const struct feed_format *format = reader->format;
    struct csv *csv = &reader->csv;
    void *row = mem_alloc(format->row_size);

    while (!reader->stopped && csv_next(csv)) {
        enum feed_fate fate = FEED_REFUSED;
        if (feed_read_record(format, columns, csv, row, reader->why, sizeof(reader->why)))
            fate = format->take(reader, row);
        feed_settle(reader, fate, csv->line, csv->start, csv->length);
    }
    free(row);
    if (format->finish && !reader->stopped)
        format->finish(reader);
}

bool feed_read(const struct feed_format *format, const struct feed_input *input,
               const struct feed_sink *sink, struct feed_counts *counts, struct err *err)
{
    struct feed_reader *reader = mem_alloc(sizeof(*reader));
    struct feed_columns columns;

    reader->format = format;
    reader->input = input;
    reader->sink = sink;
    csv_open(&reader->csv, input->bytes, input->n);
    bool good = csv_next(&reader->csv) || err_set(err, ERR_INVALID, "is empty");
    if (good && reader->csv.why)
        good = err_set(err, ERR_INVALID, "has a header that cannot be read: %s", reader->csv.why);
    good = good && feed_read_header(format, &reader->csv, &columns, err);
    if (good)
        read_records(reader, &columns);
    *counts = reader->counts;
    good = good && !reader->stopped;
    arena_free(&reader->arena);
    free(reader);
    return good;
}

const char *feed_print(double number, char to[32])
{
    snprintf(to, 32, "%.15g", number);
    if (strtod(to, NULL) != number)
        snprintf(to, 32, "%.17g", number);
    return to;
}

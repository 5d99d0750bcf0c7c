#include "feed/feed.h"

#include "base/buf.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "feed/columns.h"
#include "feed/formats.h"
#include "feed/json_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct feed_format *const feed_formats[] = {
    &feed_skypilot,       &feed_gpuhunt,     &feed_gpurentalprices,
    &feed_azure_retail,   &feed_oci,         &feed_ec2instances,
    &feed_aws_offers,     &feed_aws_savings, &feed_ecb,
    &feed_litellm,        &feed_openrouter,  &feed_genai_prices,
    &feed_offers,         &feed_hardware,    &feed_quotes,
    &feed_exchange_rates, &feed_gpus,        NULL,
};

const struct feed_format *feed_format_find(const char *name)
{
    for (size_t i = 0; feed_formats[i]; i++)
        if (strcmp(feed_formats[i]->name, name) == 0)
            return feed_formats[i];
    return NULL;
}

/* Read the header. AWS puts records of two fields before it, the first of which is FormatVersion;
 * the date in them goes to `published`. */
static bool read_header(struct csv *csv, char published[11])
{
    bool read = csv_next(csv),
         ahead = read && !csv->why && csv->n == 2 && strcmp(csv->at[0], "FormatVersion") == 0;

    while (ahead && read && !csv->why && csv->n == 2) {
        if (strcmp(csv->at[0], "Publication Date") == 0)
            snprintf(published, 11, "%.10s", csv->at[1]);
        read = csv_next(csv);
    }
    return read;
}

static bool has_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->n; i++)
        if (feed_same_column(name, csv->at[i]))
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

/* True if a column has that name, or one of the two names contains the other. */
static bool has_similar(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->n; i++)
        if (csv->at[i][0] && (strcasestr(csv->at[i], name) || strcasestr(name, csv->at[i])))
            return true;
    return false;
}

/* The fraction of a format's required columns that are present, by the same or similar names. */
static double likeness(const struct feed_format *format, const struct csv *csv)
{
    size_t required = 0, similar = 0;

    for (size_t i = 0; i < format->fields.n; i++) {
        const struct field *field = &format->fields.at[i];
        required += feed_column_required(format, field);
        similar += feed_column_required(format, field) && has_similar(csv, field->name);
    }
    return required ? (double)similar / (double)required : 0;
}

/* List the names of the missing required columns. */
static const char *list_missing(const struct feed_format *format, const struct csv *csv, char *to,
                                size_t size)
{
    size_t n = 0;

    to[0] = '\0';
    for (size_t i = 0; i < format->fields.n && n < size; i++) {
        const struct field *field = &format->fields.at[i];
        if (feed_column_required(format, field) && !has_column(csv, field->name))
            n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : "", field->name);
    }
    return to;
}

static void refuse_header(const struct csv *csv, struct err *err)
{
    const struct feed_format *nearest = NULL;
    char missing[160];
    double most = 0.4; /* lower scores are coincidence */

    for (size_t i = 0; feed_formats[i]; i++) {
        double like = feed_formats[i]->rows ? 0 : likeness(feed_formats[i], csv);
        nearest = like > most ? feed_formats[i] : nearest;
        most = fmax(like, most);
    }
    int shown = csv->length < 80 ? (int)csv->length : 80;
    if (nearest)
        err_set(err, ERR_INVALID,
                "has no known format: its first line is \"%.*s\"; the closest, %s, also needs %s "
                "(gpuplan import --columns %s)",
                shown, csv->start, nearest->name,
                list_missing(nearest, csv, missing, sizeof(missing)), nearest->name);
    else
        err_set(err, ERR_INVALID,
                "has no known format: its first line is \"%.*s\"; gpuplan import --help lists "
                "the formats, --columns NAME the columns of one",
                shown, csv->start);
}

static const char *const *field_names(const struct feed_format *format, struct arena *arena)
{
    const char **names = arena_alloc(arena, (format->fields.n + 1) * sizeof(*names));

    for (size_t i = 0; i < format->fields.n; i++)
        names[i] = format->fields.at[i].name;
    return names;
}

/* True if the first row of the document has everything the format needs. */
static bool is_document(const struct feed_format *format, const char *bytes, size_t n,
                        struct csv *csv)
{
    struct arena arena = {0};
    struct json_rows *rows =
        json_rows_open(bytes, n, format->rows, field_names(format, &arena), &arena);
    bool is = json_rows_next(rows, csv);

    for (size_t i = 0; is && i < format->fields.n; i++)
        is = csv->at[i][0] || !feed_column_required(format, &format->fields.at[i]);
    arena_free(&arena);
    return is;
}

static const struct feed_format *guess_document(const char *bytes, size_t n, struct err *err)
{
    enum { LOOKED_AT = 1 << 20 };
    struct csv *csv = mem_alloc(sizeof(*csv));
    const struct feed_format *found = NULL;

    n = n < LOOKED_AT ? n : LOOKED_AT;
    for (size_t i = 0; !found && feed_formats[i]; i++)
        if (feed_formats[i]->rows && is_document(feed_formats[i], bytes, n, csv))
            found = feed_formats[i];
    free(csv);
    if (!found)
        err_set(err, ERR_INVALID,
                "is JSON, but none of the price lists we read; gpuplan import "
                "--help names them");
    return found;
}

const struct feed_format *feed_format_guess(const char *bytes, size_t n, struct err *err)
{
    if (n && (bytes[0] == '{' || bytes[0] == '['))
        return guess_document(bytes, n, err);
    struct csv *csv = mem_alloc(sizeof(*csv));
    const struct feed_format *found = NULL;

    char published[11];
    csv_open(csv, bytes, n);
    bool read = read_header(csv, published) && !csv->why;
    for (size_t i = 0; read && !found && feed_formats[i]; i++)
        if (!feed_formats[i]->rows && has_required(feed_formats[i], csv))
            found = feed_formats[i];
    if (!read)
        err_set(err, ERR_INVALID, "has no known format: it is empty or its start is unreadable");
    else if (!found)
        refuse_header(csv, err);
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

static void read_records(struct feed_reader *reader, const struct feed_columns *columns,
                         struct json_rows *rows)
{
    const struct feed_format *format = reader->format;
    struct csv *csv = &reader->csv;
    void *row = mem_alloc(format->row_size);

    while (!reader->stopped && (rows ? json_rows_next(rows, csv) : csv_next(csv))) {
        enum feed_fate fate = FEED_REFUSED;
        if (feed_read_record(format, columns, csv, row, reader->why, sizeof(reader->why)))
            fate = format->take(reader, row);
        feed_settle(reader, fate, csv->line, csv->start, csv->length);
    }
    free(row);
    if (format->finish && !reader->stopped)
        format->finish(reader);
}

static bool read_table(struct feed_reader *reader, struct err *err)
{
    struct feed_columns columns;

    csv_open(&reader->csv, reader->input->bytes, reader->input->n);
    if (!read_header(&reader->csv, reader->published))
        return err_set(err, ERR_INVALID, "is empty");
    if (reader->csv.why)
        return err_set(err, ERR_INVALID, "has a header that cannot be read: %s", reader->csv.why);
    if (!feed_read_header(reader->format, &reader->csv, &columns, err))
        return false;
    read_records(reader, &columns, NULL);
    return true;
}

static bool read_document(struct feed_reader *reader, struct err *err)
{
    const struct feed_format *format = reader->format;
    struct feed_columns columns = {.n = format->fields.n};
    struct json_rows *rows = json_rows_open(reader->input->bytes, reader->input->n, format->rows,
                                            field_names(format, &reader->arena), &reader->arena);

    for (size_t i = 0; i < columns.n; i++)
        columns.at[i] = i;
    read_records(reader, &columns, rows);
    if (json_rows_why(rows))
        return err_set(err, ERR_INVALID, "is not a complete JSON document: %s (line %zu)",
                       json_rows_why(rows), json_rows_line(rows));
    return reader->counts.read ||
           err_set(err, ERR_INVALID, "has no rows where format %s has them, at \"%s\"",
                   format->name, format->rows);
}

bool feed_read(const struct feed_format *format, const struct feed_input *input,
               const struct feed_sink *sink, struct feed_counts *counts, struct err *err)
{
    struct feed_reader *reader = mem_alloc(sizeof(*reader));

    reader->format = format;
    reader->input = input;
    reader->sink = sink;
    bool good = format->rows ? read_document(reader, err) : read_table(reader, err);
    *counts = reader->counts;
    good = good && !reader->stopped;
    arena_free(&reader->arena);
    free(reader);
    return good;
}

const char *feed_print(double number, char to[32])
{
    enum { DIGITS = 15 }; /* any double preserves this many decimal digits */
    char text[NUMBER_SIZE];
    size_t n = isfinite(number) ? number_exact(text, number) : NUMBER_SIZE;

    if (n <= DIGITS)
        return memcpy(to, text, n + 1);
    snprintf(to, 32, "%.15g", number);
    if (strtod(to, NULL) != number)
        snprintf(to, 32, "%.17g", number);
    return to;
}

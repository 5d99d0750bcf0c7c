/* difference.c - figures, inputs and line items of two answers side by side. */
#include "api/resource/difference.h"

#include "answer/value.h"
#include "base/sort.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { VALUE_MAX = 4096 };

double difference_rounded(const struct field *field, double value)
{
    double rounded = (double)NAN;
    struct buf text;

    if (!isfinite(value))
        return rounded;
    buf_init(&text, VALUE_MAX);
    value_number(&text, field->type, value);
    if (!text_number(buf_data(&text), &rounded))
        rounded = value;
    buf_free(&text);
    return rounded;
}

/* The difference of two numbers with six significant digits has at most ten, unless one is
 * negligible. */
static double ten_digits(double value)
{
    if (value == 0)
        return 0;
    double scale = pow(10, 9 - floor(log10(fabs(value))));
    return round(value * scale) / scale;
}

double difference_between(const struct field *field, double a, double b)
{
    if (isnan(a) || isnan(b))
        return (double)NAN;
    return field->type == FIELD_NUMBER ? ten_digits(b - a) : difference_rounded(field, b - a);
}

double difference_ratio(double a, double b)
{
    return a != 0 ? b / a : (double)NAN;
}

const char *difference_number_text(struct arena *arena, const struct field *field, double value)
{
    const char *kept;
    struct buf text;

    buf_init(&text, VALUE_MAX);
    value_number(&text, field->type, value);
    kept = arena_text(arena, buf_data(&text));
    buf_free(&text);
    return kept;
}

/* The value as text; NULL if unknown. */
static const char *text_of(struct arena *arena, const struct field *field, const void *values)
{
    const char *kept = NULL;
    struct buf text;

    if (!value_known(field, values))
        return NULL;
    buf_init(&text, VALUE_MAX);
    value_echo(&text, field, values, "");
    kept = arena_text(arena, buf_data(&text));
    buf_free(&text);
    return kept;
}

const char *difference_input_text(struct request_context *context, const struct inputs *inputs,
                                  size_t i)
{
    return text_of(context->arena, &inputs->fields.at[i], inputs->values);
}

static const char *unit_of(const struct field *field)
{
    return field->unit[0] ? field->unit : NULL;
}

static struct compare_figure figure_row(const struct comparison *c, const struct field *field)
{
    const void *a = c->a.answered->answer.values, *b = c->b.answered->answer.values;
    bool words = field_is_text(field) || field->type == FIELD_FLAG;
    struct compare_figure row = {.key = field->name, .unit = unit_of(field)};

    row.a = words ? (double)NAN : difference_rounded(field, field_number(field, a));
    row.b = words ? (double)NAN : difference_rounded(field, field_number(field, b));
    row.difference = difference_between(field, row.a, row.b);
    row.ratio = difference_ratio(row.a, row.b);
    row.text_a = words ? text_of(c->context->arena, field, a) : NULL;
    row.text_b = words ? text_of(c->context->arena, field, b) : NULL;
    return row;
}

static void add_figures(struct comparison *c)
{
    struct fields fields = c->a.answered->answer.fields;
    struct compare_figure *rows = arena_alloc(c->context->arena, fields.n * sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; i < fields.n; i++) {
        rows[n] = figure_row(c, &fields.at[i]);
        n += rows[n].text_a || rows[n].text_b || !isnan(rows[n].a) || !isnan(rows[n].b);
    }
    context_table(c->context, "figures", rows, n, sizeof(*rows));
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool difference_is_none(const struct field *field, const void *a, const void *b)
{
    if (field_is_text(field))
        return same_text(field_text(field, a), field_text(field, b));
    double x = field_number(field, a), y = field_number(field, b);
    return isnan(x) || isnan(y) ? isnan(x) && isnan(y) : !(x < y || x > y);
}

/* The day comes first, given or not. */
static size_t add_days(const struct comparison *c, struct compare_input *row)
{
    const struct request_context *a = c->a.question, *b = c->b.question;

    *row = (struct compare_input){
        .name = "as_of",
        .a = a->answer.meta.as_of,
        .b = b->answer.meta.as_of,
        .source_a = label_source(a->common.as_of ? SOURCE_REQUEST : SOURCE_DEFAULT),
        .source_b = label_source(b->common.as_of ? SOURCE_REQUEST : SOURCE_DEFAULT),
    };
    return a->as_of != b->as_of;
}

/* Then the exchange rate, if it differs between the days. */
static size_t add_rates(const struct comparison *c, struct compare_input *row)
{
    const struct answer_meta *a = &c->a.question->answer.meta, *b = &c->b.question->answer.meta;
    const struct field *rate = fields_find(answer_meta_fields, "currency_per_usd");

    if (c->a.question->catalog->rate == c->b.question->catalog->rate)
        return 0;
    *row = (struct compare_input){
        .name = rate->name,
        .unit = rate->unit,
        .a = text_of(c->context->arena, rate, a),
        .b = text_of(c->context->arena, rate, b),
        .source_a = label_source(SOURCE_CATALOG),
        .source_b = label_source(SOURCE_CATALOG),
    };
    return 1;
}

static void add_inputs(struct comparison *c)
{
    const struct inputs *a = &c->a.answered->inputs, *b = &c->b.answered->inputs;
    struct compare_input *rows = arena_alloc(c->context->arena, (a->fields.n + 2) * sizeof(*rows));
    size_t n = add_days(c, rows);

    n += add_rates(c, rows + n);
    for (size_t i = 0; i < a->fields.n; i++) {
        const struct field *field = &a->fields.at[i];
        if (difference_is_none(field, a->values, b->values))
            continue;
        rows[n++] = (struct compare_input){
            .name = field->name,
            .unit = unit_of(field),
            .a = difference_input_text(c->context, a, i),
            .b = difference_input_text(c->context, b, i),
            .source_a = label_source(a->sources[i]),
            .source_b = label_source(b->sources[i]),
        };
    }
    context_table(c->context, "differing_inputs", rows, n, sizeof(*rows));
}

/* A line of either answer, and which of them have it. */
struct line {
    struct compare_line row;
    const struct field *figure; /* the column it comes from */
    bool in_a, in_b;
    size_t order;
};

struct lines {
    struct line *at;
    size_t n;
};

static const char *column_text(const struct table *table, const char *name, const void *row)
{
    const struct field *field = fields_find(table->fields, name);

    return field ? field_text(field, row) : NULL;
}

/* The amount if there is one, else the value. */
static const struct field *column_figure(const struct table *table, const void *row)
{
    const struct field *amount = fields_find(table->fields, "amount");
    const struct field *value = fields_find(table->fields, "value");

    return value && !isnan(field_number(value, row)) ? value : amount;
}

static struct line *find_line(struct lines *lines, const struct compare_line *row)
{
    for (size_t i = 0; i < lines->n; i++) {
        struct line *line = &lines->at[i];
        if (same_text(line->row.side, row->side) && same_text(line->row.group, row->group) &&
            same_text(line->row.key, row->key))
            return line;
    }
    lines->at[lines->n] = (struct line){.row = *row, .order = lines->n};
    return &lines->at[lines->n++];
}

static void add_line(struct lines *lines, const struct table *table, const void *row, bool is_b)
{
    const struct field *figure = column_figure(table, row);
    bool amount = figure->type == FIELD_MONEY;
    struct line *line = find_line(
        lines,
        &(struct compare_line){.side = column_text(table, "side", row),
                               .group = column_text(table, "group", row),
                               .key = column_text(table, "key", row),
                               .unit = column_text(table, amount ? "currency" : "unit", row)});
    double *sum = is_b ? &line->row.b : &line->row.a;

    line->figure = figure;
    *sum = difference_rounded(figure, *sum + field_number(figure, row));
    *(is_b ? &line->in_b : &line->in_a) = true;
}

static const struct table *line_items(const struct request_context *answered)
{
    for (size_t i = 0; i < answered->answer.n_tables; i++)
        if (strcmp(answered->answer.tables[i].name, "line_items") == 0)
            return &answered->answer.tables[i];
    return NULL;
}

/* Amounts first, then by unit; largest difference first, unknown last. */
static int by_size(const void *one, const void *other)
{
    const struct line *a = one, *b = other;
    bool money_a = a->figure->type == FIELD_MONEY, money_b = b->figure->type == FIELD_MONEY;
    double x = fabs(a->row.difference), y = fabs(b->row.difference);

    if (money_a != money_b)
        return money_a ? -1 : 1;
    if (!money_a && !same_text(a->row.unit, b->row.unit))
        return strcmp(a->row.unit ? a->row.unit : "", b->row.unit ? b->row.unit : "");
    if (isnan(x) != isnan(y))
        return isnan(x) ? 1 : -1;
    if (x < y || x > y)
        return x < y ? 1 : -1;
    return a->order < b->order ? -1 : 1;
}

/* Keep and complete the lines that differ; their sums started at 0. */
static size_t finish_lines(struct lines *lines)
{
    size_t n = 0;

    for (size_t i = 0; i < lines->n; i++) {
        struct line line = lines->at[i];
        line.row.difference = difference_between(line.figure, line.row.a, line.row.b);
        bool unknown_in_both = isnan(line.row.a) && isnan(line.row.b);
        if (!line.in_a)
            line.row.a = (double)NAN;
        if (!line.in_b)
            line.row.b = (double)NAN;
        if (line.row.difference != 0 && !unknown_in_both)
            lines->at[n++] = line;
    }
    return n;
}

static void add_lines(struct comparison *c)
{
    const struct table *tables[] = {line_items(c->a.answered), line_items(c->b.answered)};
    size_t most = (tables[0] ? tables[0]->n : 0) + (tables[1] ? tables[1]->n : 0);
    struct lines lines = {arena_alloc(c->context->arena, (most + 1) * sizeof(*lines.at)), 0};

    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; tables[t] && i < tables[t]->n; i++)
            add_line(&lines, tables[t], (const char *)tables[t]->rows + i * tables[t]->stride,
                     t == 1);
    lines.n = finish_lines(&lines);
    sort_items(lines.at, lines.n, sizeof(*lines.at), by_size);
    context_table(c->context, "line_items", lines.at, lines.n, sizeof(*lines.at));
}

void difference_tables(struct comparison *comparison)
{
    add_figures(comparison);
    add_inputs(comparison);
    add_lines(comparison);
}

#include "answer/flatten.h"
#include "answer/value.h"
#include "answer/write.h"

#include <stdio.h>
#include <string.h>

/* Writer state for CSV (RFC 4180) and TSV; the Excel dialects differ in separator, decimal sign and
 * BOM. */

struct sheet {
    struct buf *out;
    const char *currency; /* the answer's */
    char separator, decimal;
    bool tsv, row_started;
};

static void row_end(struct sheet *sheet)
{
    buf_text(sheet->out, sheet->tsv ? "\n" : "\r\n");
    sheet->row_started = false;
}

static void next(struct sheet *sheet)
{
    if (sheet->row_started)
        buf_char(sheet->out, sheet->separator);
    sheet->row_started = true;
}

/* Possible separators: a spreadsheet uses that of its own locale. */
static const char separators[] = ",;\t";

/* True if a cell with this text would be a formula; some formulas begin with a full-width
 * character: U+FF1D, FF0B, FF0D or FF20, in UTF-8 EF BC and a byte of their own. */
static bool is_formula(const char *text)
{
    if (text[0] != '\xef')
        return strchr("=+-@", text[0]);
    return text[1] == '\xbc' && text[2] && strchr("\x9d\x8b\x8d\xa0", text[2]);
}

/* True if a cell starts here, possibly because a spreadsheet splits at another separator than ours;
 * quotes before it are skipped. */
static bool begins_cell(const char *text, const char *at)
{
    while (at > text && at[-1] == '"')
        at--;
    return at == text || strchr(separators, at[-1]);
}

/* Mark text that a spreadsheet would take for a formula as text (OWASP: CSV injection). */
static void put_text(struct sheet *sheet, const char *text)
{
    next(sheet);
    bool quotes = !sheet->tsv && (strpbrk(text, "\"\r\n") || strpbrk(text, separators));

    buf_text(sheet->out, quotes ? "\"" : "");
    if (text[0] && strchr("\t\r\n", text[0]))
        buf_char(sheet->out, '\'');
    for (const char *p = text; *p; p++) {
        if (begins_cell(text, p) && is_formula(p))
            buf_char(sheet->out, '\'');
        if (sheet->tsv && strchr("\t\r\n", *p))
            buf_char(sheet->out, ' ');
        else if (*p == '"' && quotes)
            buf_text(sheet->out, "\"\"");
        else
            buf_char(sheet->out, *p);
    }
    buf_text(sheet->out, quotes ? "\"" : "");
}

static void put_value(struct sheet *sheet, const struct field *field, const void *values)
{
    if (field_is_text(field)) {
        const char *text = field_text(field, values);
        put_text(sheet, text ? text : "");
        return;
    }
    next(sheet);
    size_t start = sheet->out->length;
    value_text(sheet->out, field, values, "");
    for (size_t i = start; sheet->decimal != '.' && i < sheet->out->length; i++)
        if (sheet->out->data[i] == '.')
            sheet->out->data[i] = sheet->decimal;
}

static void put_cell_name(struct sheet *sheet, const struct cell *cell)
{
    next(sheet);
    flatten_print_name(cell, sheet->out);
}

/* Keep only the cells listed in `names` (comma-separated), in that order. */
static bool select_cells(struct cells *cells, const char *names, struct err *err)
{
    struct cells all = *cells;

    cells->n = 0;
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, ",");
        const struct cell *cell = flatten_find(&all, p, n, err);
        if (!cell)
            return false;
        if (cells->n < CELLS_MAX)
            cells->at[cells->n++] = *cell;
        p += n + (p[n] == ',');
    }
    return true;
}

/* The unit of a cell; rows of a keyed table may have it in a column of their own. */
static const char *cell_unit(const struct cell *cell)
{
    return cell->unit && field_text(cell->unit, cell->values) ? field_text(cell->unit, cell->values)
                                                              : cell->field->unit;
}

static void write_wide(struct sheet *sheet, const struct cells *cells, bool header)
{
    for (size_t i = 0; header && i < cells->n; i++)
        put_cell_name(sheet, &cells->at[i]);
    if (header)
        row_end(sheet);
    for (size_t i = 0; i < cells->n; i++)
        put_value(sheet, cells->at[i].field, cells->at[i].values);
    row_end(sheet);
}

static void write_long(struct sheet *sheet, const struct cells *cells, bool header)
{
    if (header) {
        put_text(sheet, "field");
        put_text(sheet, "value");
        put_text(sheet, "unit");
        row_end(sheet);
    }
    for (size_t i = 0; i < cells->n; i++) {
        const struct cell *cell = &cells->at[i];
        char unit[UNIT_SIZE];
        put_cell_name(sheet, cell);
        put_value(sheet, cell->field, cell->values);
        put_text(sheet, value_unit(cell_unit(cell), sheet->currency, unit));
        row_end(sheet);
    }
}

static void add_column(struct cells *columns, const struct field *field, const void *values)
{
    if (columns->n < CELLS_MAX)
        columns->at[columns->n++] = (struct cell){NULL, field->name, field, NULL, values};
}

/* Add the currency and its rate to every row of a sheet whose money was converted. */
static void add_rate(struct cells *columns, const struct answer *answer, struct fields own)
{
    static const char *const names[] = {"currency", "currency_per_usd", "currency_rate_date",
                                        "currency_rate_source"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (answer->meta.currency_rate_date && !fields_find(own, names[i]))
            add_column(columns, fields_find(answer_meta_fields, names[i]), &answer->meta);
}

/* The requested columns of a list, or all of them; without values. */
static bool select_columns(const struct answer *answer, const struct style *style,
                           struct fields fields, struct cells *columns, struct err *err)
{
    columns->n = 0;
    for (size_t i = 0; i < fields.n; i++)
        add_column(columns, &fields.at[i], NULL);
    if (style->dialect != DIALECT_FOCUS)
        add_rate(columns, answer, fields);
    return !style->fields || select_cells(columns, style->fields, err);
}

static bool write_list(struct sheet *sheet, const struct answer *answer, const struct style *style,
                       struct err *err)
{
    const struct table *table =
        style->dialect == DIALECT_FOCUS ? answer->tables[0].focus : &answer->tables[0];
    struct cells columns;

    if (!select_columns(answer, style, table->fields, &columns, err))
        return false;
    for (size_t i = 0; !style->no_header && i < columns.n; i++)
        put_cell_name(sheet, &columns.at[i]);
    if (!style->no_header)
        row_end(sheet);
    for (size_t i = 0; i < table->n; i++) {
        const char *row = (const char *)table->rows + i * table->stride;
        for (size_t j = 0; j < columns.n; j++)
            put_value(sheet, columns.at[j].field,
                      columns.at[j].values ? columns.at[j].values : row);
        row_end(sheet);
    }
    return true;
}

enum dialect csv_dialect(const char *word)
{
    return strcmp(word, "excel-eu") == 0   ? DIALECT_EXCEL_EU
           : strcmp(word, "excel-us") == 0 ? DIALECT_EXCEL_US
           : strcmp(word, "focus") == 0    ? DIALECT_FOCUS
                                           : DIALECT_RFC4180;
}

/* dialect=focus always writes all columns, which the FOCUS specification defines. */
static bool check_focus(const struct answer *answer, struct err *err)
{
    if (answer->n_tables == 1 && !answer->fields.n && answer->tables[0].focus)
        return true;
    return err_add(err, "dialect", "focus", "not_here",
                   "only /v1/break-even/ledger can be written as FOCUS charges");
}

bool csv_write(const struct answer *answer, enum format format, const struct style *style,
               struct buf *out, struct err *err)
{
    bool tsv = format == FORMAT_TSV;
    bool eu = style->dialect == DIALECT_EXCEL_EU;
    struct sheet sheet = {
        out, answer->meta.currency, tsv ? '\t' : eu ? ';' : ',', eu ? ',' : '.', tsv, false};
    struct cells cells;

    if (style->dialect == DIALECT_FOCUS && !check_focus(answer, err))
        return false;
    if (eu || style->dialect == DIALECT_EXCEL_US)
        buf_text(out, "\xef\xbb\xbf");
    if ((!answer->fields.n || answer->listed) && answer->n_tables)
        return write_list(&sheet, answer, style, err);
    flatten_answer(answer, &cells);
    if (style->fields && !select_cells(&cells, style->fields, err))
        return false;
    if (style->long_layout)
        write_long(&sheet, &cells, !style->no_header);
    else
        write_wide(&sheet, &cells, !style->no_header);
    return true;
}

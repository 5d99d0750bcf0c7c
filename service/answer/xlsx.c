#include "answer/label.h"
#include "answer/value.h"
#include "answer/write.h"
#include "answer/zip.h"

#include <stdio.h>

/* Writes the answer as a workbook (ECMA-376): a sheet with the figures, one per table, one with the
 * inputs. Texts are inline strings, which no spreadsheet interprets as formulas. */

enum { SHEET_MAX = 64 * 1024 * 1024, PART_MAX = 64 * 1024 };

/* Index of the cell format in `styles`. */
enum look { LOOK_PLAIN, LOOK_HEAD, LOOK_MONEY, LOOK_COUNT, LOOK_TITLE, LOOK_LONG };

static const char styles[] =
    "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
    "<fonts count=\"3\"><font><sz val=\"10\"/><name val=\"Arial\"/></font>"
    "<font><b/><sz val=\"10\"/><name val=\"Arial\"/></font>"
    "<font><b/><sz val=\"14\"/><name val=\"Arial\"/></font></fonts>"
    "<fills count=\"3\"><fill><patternFill patternType=\"none\"/></fill>"
    "<fill><patternFill patternType=\"gray125\"/></fill>"
    "<fill><patternFill patternType=\"solid\"><fgColor "
    "rgb=\"FFE8EDF2\"/></patternFill></fill></fills>"
    "<borders count=\"1\"><border/></borders>"
    "<cellStyleXfs count=\"1\"><xf/></cellStyleXfs><cellXfs count=\"6\">"
    "<xf fontId=\"0\"/>"
    "<xf fontId=\"1\" fillId=\"2\" applyFont=\"1\" applyFill=\"1\" applyAlignment=\"1\">"
    "<alignment wrapText=\"1\" vertical=\"top\"/></xf>"
    "<xf numFmtId=\"4\" applyNumberFormat=\"1\"/>"
    "<xf numFmtId=\"3\" applyNumberFormat=\"1\"/>"
    "<xf fontId=\"2\" applyFont=\"1\"/>"
    "<xf applyAlignment=\"1\"><alignment wrapText=\"1\" vertical=\"top\"/></xf>"
    "</cellXfs></styleSheet>";

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

struct book {
    struct zip zip;
    struct buf names, relations, types; /* for the sheets so far */
    unsigned n;
};

struct sheet {
    struct buf xml;
    const char *currency;
};

static void put_text(struct buf *out, enum look look, const char *text)
{
    if (!text[0]) {
        buf_text(out, "<c/>");
        return;
    }
    buf_print(out, "<c s=\"%d\" t=\"inlineStr\"><is><t xml:space=\"preserve\">", look);
    value_xml_text(out, text);
    buf_text(out, "</t></is></c>");
}

static void put_label(struct buf *out, enum look look, const char *name, const char *unit)
{
    struct buf words;

    buf_init(&words, PART_MAX);
    label_print(&words, name, unit);
    put_text(out, look, buf_data(&words));
    buf_free(&words);
}

static enum look look_of(enum field_type type)
{
    return type == FIELD_MONEY ? LOOK_MONEY : type == FIELD_COUNT ? LOOK_COUNT : LOOK_PLAIN;
}

/* An unknown value is an empty cell. */
static void put_value(struct buf *out, const struct field *field, const void *values, bool echoed)
{
    if (!value_known(field, values)) {
        buf_text(out, "<c/>");
    } else if (field_is_text(field)) {
        put_text(out, LOOK_PLAIN, field_text(field, values));
    } else if (field->type == FIELD_FLAG) {
        buf_print(out, "<c t=\"b\"><v>%d</v></c>", field_number(field, values) != 0);
    } else {
        buf_print(out, "<c s=\"%d\"><v>", look_of(field->type));
        (echoed ? value_echo : value_text)(out, field, values, "");
        buf_text(out, "</v></c>");
    }
}

static void put_unit(struct buf *out, const char *unit, const char *currency)
{
    char text[UNIT_SIZE];

    put_text(out, LOOK_PLAIN, value_unit(unit, currency, text));
}

/* `widths` are column widths in characters, terminated by 0; the last applies to all further
 * columns. `frozen` is the number of rows that stay visible. */
static void sheet_begin(struct sheet *sheet, const char *currency, const int *widths, int frozen)
{
    struct buf *out = &sheet->xml;

    buf_init(out, SHEET_MAX);
    sheet->currency = currency;
    buf_text(out, head);
    buf_text(out, "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
                  "<sheetPr><pageSetUpPr fitToPage=\"1\"/></sheetPr>"
                  "<sheetViews><sheetView workbookViewId=\"0\">");
    if (frozen)
        buf_print(out, "<pane ySplit=\"%d\" topLeftCell=\"A%d\" state=\"frozen\"/>", frozen,
                  frozen + 1);
    buf_text(out, "</sheetView></sheetViews><cols>");
    for (int i = 0; widths[i]; i++)
        buf_print(out, "<col min=\"%d\" max=\"%d\" width=\"%d\" customWidth=\"1\"/>", i + 1,
                  widths[i + 1] ? i + 1 : 256, widths[i]);
    buf_text(out, "</cols><sheetData>");
}

/* Add the sheet to the book; its title is `name` as words, at most 31 characters. */
static void sheet_end(struct book *book, struct sheet *sheet, const char *name)
{
    enum { NAME_MAX_LENGTH = 31 };
    char path[64];
    struct buf words;

    buf_text(&sheet->xml, "</sheetData><pageSetup paperSize=\"9\" orientation=\"landscape\" "
                          "fitToHeight=\"0\"/></worksheet>");
    book->n++;
    snprintf(path, sizeof(path), "xl/worksheets/sheet%u.xml", book->n);
    zip_add(&book->zip, path, &sheet->xml);
    buf_free(&sheet->xml);
    buf_init(&words, PART_MAX);
    label_print(&words, name, "");
    buf_print(&book->names, "<sheet name=\"%.*s\" sheetId=\"%u\" r:id=\"rId%u\"/>", NAME_MAX_LENGTH,
              buf_data(&words), book->n, book->n);
    buf_print(&book->relations,
              "<Relationship Id=\"rId%u\" Type=\"http://schemas.openxmlformats.org/officeDocument/"
              "2006/relationships/worksheet\" Target=\"worksheets/sheet%u.xml\"/>",
              book->n, book->n);
    buf_print(&book->types,
              "<Override PartName=\"/%s\" ContentType=\"application/"
              "vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>",
              path);
    buf_free(&words);
}

static void put_heads(struct buf *out, const char *const *heads)
{
    buf_text(out, "<row>");
    for (; *heads; heads++)
        put_text(out, LOOK_HEAD, *heads);
    buf_text(out, "</row>");
}

static void put_figures(struct sheet *sheet, struct fields fields, const void *values)
{
    struct buf *out = &sheet->xml;

    for (size_t i = 0; i < fields.n; i++) {
        const struct field *field = &fields.at[i];
        buf_text(out, "<row>");
        put_label(out, LOOK_PLAIN, field->name, field->unit);
        put_value(out, field, values, false);
        put_unit(out, field->unit, sheet->currency);
        put_text(out, LOOK_LONG, field->sentence);
        buf_text(out, "</row>");
    }
}

static void put_pair(struct buf *out, const char *name, const char *text)
{
    buf_text(out, "<row>");
    put_label(out, LOOK_PLAIN, name, "");
    put_text(out, LOOK_PLAIN, text);
    buf_text(out, "</row>");
}

static void add_figures(struct book *book, const struct answer *answer)
{
    static const int widths[] = {44, 18, 18, 90, 0};
    struct sheet sheet;

    sheet_begin(&sheet, answer->meta.currency, widths, 0);
    buf_text(&sheet.xml, "<row>");
    put_label(&sheet.xml, LOOK_TITLE, answer->name, "");
    buf_text(&sheet.xml, "</row>");
    for (size_t i = 0; i < answer->n_warnings; i++)
        put_pair(&sheet.xml, "warning", answer->warnings[i].detail);
    put_heads(&sheet.xml, (const char *const[]){"Figure", "Value", "Unit", "Meaning", NULL});
    put_figures(&sheet, answer->fields, answer->values);
    put_figures(&sheet, answer_meta_fields, &answer->meta);
    for (size_t i = 0; i < answer->n_links; i++)
        put_pair(&sheet.xml, answer->links[i].name, answer->links[i].target);
    sheet_end(book, &sheet, "answer");
}

static void add_table(struct book *book, const struct table *table, const char *currency)
{
    static const int widths[] = {32, 20, 0};
    struct sheet sheet;
    char room[UNIT_SIZE];

    sheet_begin(&sheet, currency, widths, 1);
    buf_text(&sheet.xml, "<row>");
    for (size_t i = 0; i < table->fields.n; i++) {
        const struct field *field = &table->fields.at[i];
        struct buf words;
        buf_init(&words, PART_MAX);
        label_print(&words, field->name, field->unit);
        const char *unit = value_unit(field->unit, currency, room);
        if (unit[0])
            buf_print(&words, " (%s)", unit);
        put_text(&sheet.xml, LOOK_HEAD, buf_data(&words));
        buf_free(&words);
    }
    buf_text(&sheet.xml, "</row>");
    for (size_t row = 0; row < table->n; row++) {
        buf_text(&sheet.xml, "<row>");
        for (size_t i = 0; i < table->fields.n; i++)
            put_value(&sheet.xml, &table->fields.at[i],
                      (const char *)table->rows + row * table->stride, false);
        buf_text(&sheet.xml, "</row>");
    }
    sheet_end(book, &sheet, table->name);
}

static void add_inputs(struct book *book, const struct inputs *in, const char *currency)
{
    static const int widths[] = {44, 18, 18, 14, 60, 0};
    struct sheet sheet;

    sheet_begin(&sheet, currency, widths, 1);
    put_heads(&sheet.xml, (const char *const[]){"Input", "Value", "Unit", "From", "Source", NULL});
    for (size_t i = 0; i < in->fields.n; i++) {
        const struct field *field = &in->fields.at[i];
        buf_text(&sheet.xml, "<row>");
        put_label(&sheet.xml, LOOK_PLAIN, field->name, field->unit);
        put_value(&sheet.xml, field, in->values, true);
        put_unit(&sheet.xml, field->unit, currency);
        put_text(&sheet.xml, LOOK_PLAIN, label_source(in->sources[i]));
        put_text(&sheet.xml, LOOK_PLAIN, in->references[i] ? in->references[i] : "");
        buf_text(&sheet.xml, "</row>");
    }
    sheet_end(book, &sheet, "inputs");
}

static void add_part(struct book *book, const char *path, const char *before, const char *content,
                     const char *after)
{
    struct buf part;

    buf_init(&part, PART_MAX);
    buf_text(&part, head);
    buf_text(&part, before);
    buf_text(&part, content);
    buf_text(&part, after);
    zip_add(&book->zip, path, &part);
    buf_free(&part);
}

#define SHEETML "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define PACKAGE "http://schemas.openxmlformats.org/package/2006/"
#define OFFICE "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml."

static void add_parts(struct book *book)
{
    add_part(book, "xl/workbook.xml",
             "<workbook xmlns=\"" SHEETML "\" xmlns:r=\"" OFFICE "\"><sheets>",
             buf_data(&book->names), "</sheets></workbook>");
    add_part(book, "xl/_rels/workbook.xml.rels",
             "<Relationships xmlns=\"" PACKAGE "relationships\">", buf_data(&book->relations),
             "<Relationship Id=\"styles\" Type=\"" OFFICE
             "/styles\" Target=\"styles.xml\"/></Relationships>");
    add_part(book, "xl/styles.xml", styles, "", "");
    add_part(book, "_rels/.rels", "<Relationships xmlns=\"" PACKAGE "relationships\">",
             "<Relationship Id=\"book\" Type=\"" OFFICE
             "/officeDocument\" Target=\"xl/workbook.xml\"/>",
             "</Relationships>");
    add_part(book, "[Content_Types].xml",
             "<Types xmlns=\"" PACKAGE "content-types\"><Default Extension=\"rels\" ContentType="
             "\"application/vnd.openxmlformats-package.relationships+xml\"/><Override PartName="
             "\"/xl/workbook.xml\" ContentType=\"" TYPE "sheet.main+xml\"/><Override PartName="
             "\"/xl/styles.xml\" ContentType=\"" TYPE "styles+xml\"/>",
             buf_data(&book->types), "</Types>");
}

void xlsx_write(const struct answer *answer, struct buf *out)
{
    struct book book = {0};

    zip_begin(&book.zip, out, PART_MAX);
    buf_init(&book.names, PART_MAX);
    buf_init(&book.relations, PART_MAX);
    buf_init(&book.types, PART_MAX);
    add_figures(&book, answer);
    for (size_t i = 0; i < answer->n_tables; i++)
        if (answer->tables[i].n)
            add_table(&book, &answer->tables[i], answer->meta.currency);
    if (answer->inputs.fields.n)
        add_inputs(&book, &answer->inputs, answer->meta.currency);
    add_parts(&book);
    zip_end(&book.zip);
    buf_free(&book.names);
    buf_free(&book.relations);
    buf_free(&book.types);
}

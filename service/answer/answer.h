/* answer.h - one typed answer, which every format is written from.
 *
 * An answer has headline values, tables, the inputs it was computed from, and warnings. What it
 * points to is borrowed and must outlive the writing.
 */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/field/field.h"
#include "base/arena.h"

/* Where the value of an input came from. */
enum source { SOURCE_DEFAULT, SOURCE_REQUEST, SOURCE_CATALOG, SOURCE_CHOSEN };
const char *label_source(enum source source); /* default */

/* The inputs as they were used: those given, and the defaults of the rest. */
struct inputs {
    struct fields fields;
    void *values;
    enum source *sources;    /* fields.n */
    const char **references; /* fields.n; where a default comes from, NULL where nowhere */
};

/* Rows of one kind. In one-row formats (CSV alongside headline values, .txt) a keyed table appears
 * as name.key with the value of value_field. */
struct table {
    const char *name;     /* line_items */
    const char *row_name; /* line_item: the element of XML */
    struct fields fields;
    const void *rows;
    size_t n, stride;
    const char *value_field; /* NULL: not keyed */
    const struct table
        *focus; /* the table in FOCUS columns, for dialect=focus; NULL if it has none */
};

struct warning {
    const char *code; /* stale_price, ... : for programs */
    const char *detail;
};

struct link {
    const char *name, *target;
};

enum { TABLES_MAX = 9, WARNINGS_MAX = 64, LINKS_MAX = 8 };

struct answer {
    const char *name;     /* break_even: root element and file name */
    const char *headline; /* the field that .txt gives when none is named */
    const char *sentence; /* what a table by itself comes to, for .txt and .html; or NULL */
    struct fields fields; /* n 0 where the answer is a list */
    const void *values;
    struct inputs inputs; /* fields.n 0 where there are none to echo */
    struct table tables[TABLES_MAX];
    size_t n_tables;           /* where there are no headline values the first is what CSV shows */
    bool listed;               /* CSV shows the first although there are headline values */
    const struct chart *chart; /* how .svg draws it; NULL: it is no curve */
    struct warning warnings[WARNINGS_MAX];
    size_t n_warnings;
    double count;            /* rows in all, where asked for; else NAN */
    const char *next_cursor; /* of a list cut short, else NULL */
    struct link links[LINKS_MAX];
    size_t n_links;
    struct answer_meta {
#include "base/field/members.h"
#include "answer/meta.def"
#include "base/field/end.h"
    } meta;
};

/* The fields every answer ends with. */
extern const struct fields answer_meta_fields;

enum format {
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_TSV,
    FORMAT_XML,
    FORMAT_TEXT,
    FORMAT_HTML,
    FORMAT_XLSX,
    FORMAT_SVG,
    FORMAT_COUNT
};

enum dialect { DIALECT_RFC4180, DIALECT_EXCEL_US, DIALECT_EXCEL_EU, DIALECT_FOCUS };

/* How to write it; all zero is the default. */
struct style {
    const char *field;  /* .txt: the one field, NULL the headline */
    const char *fields; /* comma-separated columns in order, NULL all */
    bool no_header, long_layout;
    int width; /* of an .svg in pixels; 0 means 720 */
    enum dialect dialect;
    struct json_fragments
        *fragments; /* .json: what this thread wrote before, NULL: nothing is known of it */
};

/* rfc4180, excel-us, excel-eu or focus. */
enum dialect csv_dialect(const char *word);
const char *answer_format_suffix(enum format format); /* json */
const char *answer_format_type(enum format format);   /* the Content-Type */
bool answer_format_find(const char *suffix, size_t length, enum format *out);

/* Add a warning; beyond WARNINGS_MAX it is dropped. The texts are borrowed. */
void answer_warn(struct answer *answer, const char *code, const char *detail);
/* Ahead of all others. */
void answer_warn_first(struct answer *answer, const char *code, const char *detail);
void answer_link(struct answer *answer, const char *name, const char *target);
void answer_table(struct answer *answer, struct table table);

/* Keep of headline values and keyed tables what `names`, a comma-separated list of cells, asks for,
 * and drop the inputs; false, naming the culprit and the nearest name, for what is not there. */
bool answer_pick(struct answer *answer, const char *names, struct arena *arena,
                 struct err *err) MUST_CHECK;

/* False, naming the culprit and the nearest name, where style asks for a field it has not. */
bool answer_write(const struct answer *answer, enum format format, const struct style *style,
                  struct buf *out, struct err *err) MUST_CHECK;

/* What is wrong as a page to read: which inputs, and what to do. `form`: the page's address with
 * the same inputs, NULL where it has none. */
void answer_problem_page(const struct err *err, const char *form, struct buf *out);

#endif

/* answer.h - one typed answer, the source of every output format.
 *
 * An answer has headline values, tables, the inputs it was computed from, and warnings. Everything
 * it points to is borrowed and must outlive the writing.
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

/* The effective inputs: the given values, and defaults for the rest. */
struct inputs {
    struct fields fields;
    void *values;
    enum source *sources;    /* fields.n */
    const char **references; /* fields.n; the source of each default, NULL if it has none */
};

/* Rows of one kind. In one-row formats (CSV alongside headline values, .txt) a keyed table appears
 * as name.key with the value of value_field. */
struct table {
    const char *name;     /* line_items */
    const char *row_name; /* line_item: the element of XML */
    struct fields fields;
    const void *rows;
    size_t n, stride;
    const char *value_field;   /* NULL if not keyed */
    const struct table *focus; /* this table in FOCUS columns, for dialect=focus, or NULL */
};

struct warning {
    const char *code; /* machine-readable, such as stale_price */
    const char *detail;
};

struct link {
    const char *name, *target;
};

enum { TABLES_MAX = 9, WARNINGS_MAX = 64, LINKS_MAX = 8 };

struct answer {
    const char *name;     /* break_even: root element and file name */
    const char *headline; /* the field that .txt returns when none is named */
    const char *sentence; /* one-sentence summary of a table, for .txt and .html; or NULL */
    struct fields fields; /* n is 0 if the answer is a list */
    const void *values;
    struct inputs inputs; /* fields.n is 0 if there are no inputs to echo */
    struct table tables[TABLES_MAX];
    size_t n_tables;           /* without headline values, CSV shows the first table */
    bool listed;               /* CSV shows the first table even though there are headline values */
    const struct chart *chart; /* how to draw the .svg; NULL if there is no chart */
    struct warning warnings[WARNINGS_MAX];
    size_t n_warnings;
    double count;            /* total number of rows if requested, else NAN */
    const char *next_cursor; /* cursor of the next page of a truncated list, else NULL */
    struct link links[LINKS_MAX];
    size_t n_links;
    struct answer_meta {
#include "base/field/members.h"
#include "answer/meta.def"
#include "base/field/end.h"
    } meta;
};

/* The fields at the end of every answer. */
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

/* Output options; all zero is the default. */
struct style {
    const char *field;  /* .txt: the one field to write; NULL for the headline */
    const char *fields; /* comma-separated columns in order; NULL for all */
    bool no_header, long_layout;
    int width; /* width of an .svg in pixels; 0 means 720 */
    enum dialect dialect;
    struct json_fragments *fragments; /* .json: this thread's fragment cache, or NULL */
};

/* Parses rfc4180, excel-us, excel-eu or focus. */
enum dialect csv_dialect(const char *word);
const char *answer_format_suffix(enum format format); /* json */
const char *answer_format_type(enum format format);   /* the Content-Type */
bool answer_format_find(const char *suffix, size_t length, enum format *out);

/* Add a warning, at the end or, if the figures must not be read without it, before those that are
 * not so grave. Of more than WARNINGS_MAX the last is dropped. The texts are borrowed. */
void answer_warn(struct answer *answer, const char *code, const char *detail);
/* Whether an answer has the warning; `detail` may be NULL for any. */
bool answer_warns(const struct answer *answer, const char *code, const char *detail);
/* Add a warning before all others. */
void answer_warn_first(struct answer *answer, const char *code, const char *detail);
void answer_link(struct answer *answer, const char *name, const char *target);
void answer_table(struct answer *answer, struct table table);

/* Drop the inputs and all headline values and keyed tables except those listed in `names`, a
 * comma-separated list of cells. For an unknown name, returns false with a culprit that suggests
 * the nearest name. */
bool answer_pick(struct answer *answer, const char *names, struct arena *arena,
                 struct err *err) MUST_CHECK;

/* If style asks for an unknown field, returns false with a culprit that suggests the nearest
 * name. */
bool answer_write(const struct answer *answer, enum format format, const struct style *style,
                  struct buf *out, struct err *err) MUST_CHECK;

/* Write an error as an HTML page: which inputs are wrong, and how to correct them. `form` is the
 * page's address with the same inputs, or NULL. */
void answer_problem_page(const struct err *err, const char *form, struct buf *out);

#endif

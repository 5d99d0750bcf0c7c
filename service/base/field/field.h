/* field.h - field tables, which describe one request or one answer, field by field.
 *
 * A table is written once, in a .def file of rows such as
 *
 *     COUNT(gpu_count, "", 1, 1e6, "auto", "Number of GPUs")
 *
 * The rows expand to the struct that holds the values (include base/field/members.h before the
 * .def) and to the table itself (base/field/rows.h). The table drives the decoding of queries and
 * bodies, every output format, and the OpenAPI document. Nothing else describes a field.
 *
 * In the struct every numeric field is a double (NAN: unknown or not given) and every textual one a
 * const char * (NULL: unknown or not given); flags are doubles, 0 or 1.
 */
#ifndef BASE_FIELD_FIELD_H
#define BASE_FIELD_FIELD_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum field_type {
    FIELD_NUMBER, /* printed with 6 significant digits */
    FIELD_COUNT,  /* a whole number; 1e9 is accepted; printed in full */
    FIELD_RATIO,  /* 0 to 1 unless the row says otherwise; printed with 4 decimals */
    FIELD_MONEY,  /* printed with 2 decimals */
    FIELD_RATE,   /* money per unit; printed with up to 6 decimals */
    FIELD_FLAG,   /* read as 0 or 1, printed as true or false */
    FIELD_CHOICE, /* one of the words in `choices` */
    FIELD_TEXT,   /* a name or a sentence */
    FIELD_DATE,   /* yyyy-mm-dd */
    FIELD_FIGURE, /* a figure copied from another answer, printed with 15 significant digits */
};

/* The default if the caller gives no value (field.fallback):
 *   ""             none: the value stays unknown
 *   "required"     must be given
 *   "auto"         chosen by the estimate, and echoed
 *   "@assumption"  the catalogue's default of the assumption with this field's name;
 *                  "@key" or "@key:scope" uses another row
 *   anything else  that value, parsed as if it had been given */
struct field {
    const char *name;
    enum field_type type;
    const char *unit;    /* "" if none; USD, USD/... stand for the answer's currency */
    double min, max;     /* accepted range, inclusive; NAN if a side is open or has no meaning; for
                          * text, max is the length in bytes, FIELD_TEXT_MAX if open */
    const char *choices; /* space-separated words of a FIELD_CHOICE, else "" */
    const char *fallback;
    const char *sentence; /* description, in one sentence */
    size_t offset;        /* of the value in the struct */
    size_t length;        /* of the name; compared first when names are looked up */
    const char *key;      /* the name as a JSON key with a blank, "name": , padded to FIELD_KEY_SIZE
                           * bytes */
    const char *path;     /* link to the assumption with this field's name, for "@assumption" */
};

/* The last members of a row, derived from its name. */
#define FIELD_KEY(name) \
    sizeof(name) - 1, (const char[FIELD_KEY_SIZE]){"\"" name "\": "}, "/v1/assumptions?key=" name

enum {
    FIELD_TEXT_MAX = 200,
    FIELD_KEY_MARKS = 4, /* bytes that a key adds to its name */
    FIELD_KEY_SIZE = 64, /* padded with NULs, so that a key can be copied with a fixed size */
};

enum { FIELD_SLOTS = 512, FIELDS_MAX = 256 }; /* per table */

/* Hash index of a table's names, built on first use. */
struct field_index {
    atomic_int state;                 /* of enum index_state in field/field.c */
    unsigned char slots[FIELD_SLOTS]; /* field number plus one; 0 if empty */
};

struct fields {
    const struct field *at;
    size_t n;
    struct field_index *index; /* NULL: linear search */
};

#define FIELDS(table) ((struct fields){(table), sizeof(table) / sizeof((table)[0]), NULL})

/* Initializer of a static struct fields with an index. */
#define FIELDS_INIT(table)                                                 \
    {                                                                      \
        (table), sizeof(table) / sizeof((table)[0]), &(struct field_index) \
        {                                                                  \
            0                                                              \
        }                                                                  \
    }

static inline bool field_is_text(const struct field *field)
{
    return field->type == FIELD_CHOICE || field->type == FIELD_TEXT || field->type == FIELD_DATE;
}

static inline double field_number(const struct field *field, const void *values)
{
    double value;

    memcpy(&value, (const char *)values + field->offset, sizeof(value));
    return value;
}

static inline const char *field_text(const struct field *field, const void *values)
{
    const char *text;

    memcpy(&text, (const char *)values + field->offset, sizeof(text));
    return text;
}

void field_set_number(const struct field *field, void *values, double value);
void field_set_text(const struct field *field, void *values, const char *text);
/* Set every field to unknown. */
void fields_clear(struct fields fields, void *values);
/* Returns NULL if no field has that name. */
const struct field *fields_find(struct fields fields, const char *name);

#endif

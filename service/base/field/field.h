/* field.h - the table that describes one request or one answer, field by field.
 *
 * A table is written once, in a .def file of rows such as
 *
 *     COUNT(gpu_count, "", 1, 1e6, "auto", "Number of GPUs")
 *
 * from which come the struct that holds the values (include base/field/members.h before the .def),
 * the table itself (base/field/rows.h), and by it the decoding of queries and bodies, every output
 * format, and the OpenAPI document. Nothing else describes a field.
 *
 * In the struct every numeric field is a double (NAN: unknown or not given) and every textual one
 * a const char * (NULL: unknown or not given); flags are doubles, 0 or 1.
 */
#ifndef BASE_FIELD_FIELD_H
#define BASE_FIELD_FIELD_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum field_type {
    FIELD_NUMBER, /* any quantity; printed with 6 significant digits */
    FIELD_COUNT,  /* a whole number; may come as 1e9; printed in full */
    FIELD_RATIO,  /* 0 to 1 unless the row says otherwise; 4 decimals */
    FIELD_MONEY,  /* an amount; 2 decimals */
    FIELD_RATE,   /* money per unit; up to 6 decimals */
    FIELD_FLAG,   /* 0 or 1 coming in; true or false going out */
    FIELD_CHOICE, /* one of the words in `choices` */
    FIELD_TEXT,   /* a name or a sentence */
    FIELD_DATE,   /* yyyy-mm-dd */
    FIELD_FIGURE, /* a figure of another answer, rounded as that prints it: 15 significant digits */
};

/* What stands where the caller says nothing (field.fallback):
 *   ""             nothing: unknown stays unknown
 *   "required"     must be given
 *   "auto"         chosen by the estimate, and echoed
 *   "@assumption"  the catalogue's default of the assumption with this field's name;
 *                  "@key" or "@key:scope" that of another row
 *   anything else  that value, read as if it had been given */
struct field {
    const char *name;
    enum field_type type;
    const char *unit;    /* "" where there is none; USD, USD/...: the answer's currency */
    double min, max;     /* accepted, inclusive; NAN where a side is open or has no meaning; of a
                          * text max is its length in bytes, FIELD_TEXT_MAX where open */
    const char *choices; /* space-separated words of a choice, else "" */
    const char *fallback;
    const char *sentence; /* what it is, in one sentence */
    size_t offset;        /* of the value in the struct */
    size_t length;        /* of the name, which is how names are told apart fast */
    const char *key;  /* the name as JSON has it, "name": with a blank, in FIELD_KEY_SIZE bytes */
    const char *path; /* of the assumption of its name, for "@assumption" */
};

/* The last of a row: what is made of its name. */
#define FIELD_KEY(name) \
    sizeof(name) - 1, (const char[FIELD_KEY_SIZE]){"\"" name "\": "}, "/v1/assumptions?key=" name

enum {
    FIELD_TEXT_MAX = 200,
    FIELD_KEY_MARKS = 4, /* bytes of a key around its name */
    FIELD_KEY_SIZE = 64, /* with NULs behind, so that it may be copied without counting */
};

enum { FIELD_SLOTS = 512, FIELDS_MAX = 256 }; /* of a table */

/* Where in a table its names are, by their hash: made when the first is looked for. */
struct field_index {
    atomic_int state;                 /* of enum index_state in field/field.c */
    unsigned char slots[FIELD_SLOTS]; /* which field, plus one; 0: none */
};

struct fields {
    const struct field *at;
    size_t n;
    struct field_index *index; /* NULL: names are found by a walk */
};

#define FIELDS(table) ((struct fields){(table), sizeof(table) / sizeof((table)[0]), NULL})

/* The initializer of a static, whose names are found by an index. */
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
/* NULL if no field has that name. */
const struct field *fields_find(struct fields fields, const char *name);

#endif

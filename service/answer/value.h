/* value.h - formats one value as text, with the same digits in every format. */
#ifndef ANSWER_VALUE_H
#define ANSWER_VALUE_H

#include "base/buf.h"
#include "base/field/field.h"

/* Print the number according to its type: plain decimal, no exponent, no grouping, no trailing
 * zeros (money keeps its cents). The number must be finite. */
void value_number(struct buf *out, enum field_type type, double value);

/* Print the field's value as plain text, or `unknown` if it is unknown. */
void value_text(struct buf *out, const struct field *field, const void *values,
                const char *unknown);
/* The same with all digits, so that the number reads back exactly. */
void value_echo(struct buf *out, const struct field *field, const void *values,
                const char *unknown);
bool value_known(const struct field *field, const void *values);

enum { UNIT_SIZE = 64 };

/* The unit with the answer's currency in place of a leading USD, as in USD/GPU-hour; "per 1000 USD"
 * is unchanged. `to` has UNIT_SIZE bytes. */
const char *value_unit(const char *unit, const char *currency, char *to);

/* Print XML character data; characters that XML 1.0 forbids become blanks. */
void value_xml_text(struct buf *out, const char *text);

/* Print a quoted JSON string. */
void value_json_text(struct buf *out, const char *text);
/* Print the value as JSON: number, true, false, string or null. */
void value_json(struct buf *out, const struct field *field, const void *values);

#endif

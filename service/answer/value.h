/* value.h - one value as text: the same digits in every format. */
#ifndef ANSWER_VALUE_H
#define ANSWER_VALUE_H

#include "base/buf.h"
#include "base/field/field.h"

/* The number as its type prints it: plain decimal, no exponent, no grouping, no trailing zeros
 * (money keeps its cents). The number must be finite. */
void value_number(struct buf *out, enum field_type type, double value);

/* The field's value as plain text; `unknown` where it is unknown. */
void value_text(struct buf *out, const struct field *field, const void *values,
                const char *unknown);
/* The same with all digits of a number, so that an input read back gives the same result. */
void value_echo(struct buf *out, const struct field *field, const void *values,
                const char *unknown);
bool value_known(const struct field *field, const void *values);

enum { UNIT_SIZE = 64 };

/* The unit of a field table as the answer shows it: the answer's currency in place of the USD that
 * it begins with, as in USD/GPU-hour; "per 1000 USD" stays. `to` has UNIT_SIZE bytes. */
const char *value_unit(const char *unit, const char *currency, char *to);

/* Text between tags of XML; a blank for what is no character of XML 1.0. */
void value_xml_text(struct buf *out, const char *text);

/* A JSON string with its quotes. */
void value_json_text(struct buf *out, const char *text);
/* The value as JSON: number, true, string or null. */
void value_json(struct buf *out, const struct field *field, const void *values);

#endif

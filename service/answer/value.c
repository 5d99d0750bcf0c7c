#include "answer/value.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIGNIFICANT = 6, SIGNIFICANT_FIGURE = 15 };

/* Print with that many decimals and drop trailing zeros. */
static void fixed(struct buf *out, double value, int decimals)
{
    char text[400];
    int n = snprintf(text, sizeof(text), "%.*f", decimals, value);

    if (strchr(text, '.')) {
        while (text[n - 1] == '0')
            n--;
        if (text[n - 1] == '.')
            n--;
    }
    if (n == 2 && text[0] == '-' && text[1] == '0')
        buf_char(out, '0');
    else
        buf_add(out, text, (size_t)n);
}

/* That many significant digits without an exponent; large numbers are padded with zeros rather than
 * with the digits of their binary neighbours. */
static void significant(struct buf *out, double value, int digits)
{
    char text[32];

    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    int exponent = 0;
    const char *e = strchr(text, 'e') + 1;
    for (const char *p = e + 1; *p; p++)
        exponent = exponent * 10 + (*p - '0');
    exponent = *e == '-' ? -exponent : exponent;
    if (exponent < digits) {
        fixed(out, value, digits - 1 - exponent);
        return;
    }
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            buf_char(out, *p);
    for (int i = digits - 1; i < exponent; i++)
        buf_char(out, '0');
}

void value_number(struct buf *out, enum field_type type, double value)
{
    switch (type) {
    case FIELD_MONEY:
        buf_print(out, "%.2f", fabs(value) < 0.005 ? 0.0 : value);
        break;
    case FIELD_RATE:
        fixed(out, value, 6);
        break;
    case FIELD_RATIO:
        fixed(out, value, 4);
        break;
    case FIELD_COUNT:
        if (value == floor(value))
            fixed(out, value, 0);
        else
            significant(out, value, SIGNIFICANT);
        break;
    case FIELD_FIGURE:
        significant(out, value, SIGNIFICANT_FIGURE);
        break;
    default:
        significant(out, value, SIGNIFICANT);
    }
}

bool value_known(const struct field *field, const void *values)
{
    if (field_is_text(field))
        return field_text(field, values) != NULL;
    return isfinite(field_number(field, values));
}

void value_text(struct buf *out, const struct field *field, const void *values, const char *unknown)
{
    if (!value_known(field, values))
        buf_text(out, unknown);
    else if (field_is_text(field))
        buf_text(out, field_text(field, values));
    else if (field->type == FIELD_FLAG)
        buf_text(out, field_number(field, values) != 0 ? "true" : "false");
    else
        value_number(out, field->type, field_number(field, values));
}

/* Whether the digits of a number's usual form are all that it has. */
static bool shown_in_full(const char *shown, double value)
{
    double read;

    return text_number(shown, &read) && fabs(read - value) <= 1e-15 * fabs(value);
}

void value_echo(struct buf *out, const struct field *field, const void *values, const char *unknown)
{
    const int digits = 15; /* of a decimal number, that a double is sure to hold */
    size_t start = out->length;

    value_text(out, field, values, unknown);
    if (field_is_text(field) || !value_known(field, values))
        return;
    double value = field_number(field, values);
    if (field->type == FIELD_FLAG || shown_in_full(buf_data(out) + start, value))
        return;
    out->length = start;
    fixed(out, value, (int)fmax(digits - 1 - floor(log10(fabs(value))), 0));
}

const char *value_unit(const char *unit, const char *currency, char *to)
{
    const char *dollar = "USD";
    size_t n = strlen(dollar);

    if (strncmp(unit, dollar, n) != 0)
        return unit;
    snprintf(to, UNIT_SIZE, "%s%s", currency, unit + n);
    return to;
}

/* Bytes up to the first that JSON has otherwise than it is. */
static size_t plain_length(const char *text)
{
    size_t n = 0;

    for (;;) {
        unsigned char c = (unsigned char)text[n];
        size_t length = c < 0x80 ? 1 : text_utf8_length(text + n);
        if (c < 0x20 || c == '"' || c == '\\' || !length)
            return n;
        n += length;
    }
}

void value_json_text(struct buf *out, const char *text)
{
    buf_char(out, '"');
    for (const char *run = text;;) {
        size_t n = plain_length(run);
        buf_add(out, run, n);
        if (!run[n])
            break;
        if (run[n] == '"' || run[n] == '\\')
            buf_print(out, "\\%c", run[n]);
        else if ((unsigned char)run[n] < 0x20)
            buf_print(out, "\\u%04x", (unsigned)(unsigned char)run[n]);
        else
            buf_text(out, "\\ufffd"); /* no UTF-8: the replacement character */
        run += n + 1;
    }
    buf_char(out, '"');
}

void value_json(struct buf *out, const struct field *field, const void *values)
{
    if (value_known(field, values) && field_is_text(field))
        value_json_text(out, field_text(field, values));
    else
        value_text(out, field, values, "null");
}

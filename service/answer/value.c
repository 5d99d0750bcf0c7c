#include "answer/value.h"

#include "base/decimal.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIGNIFICANT = 6, SIGNIFICANT_FIGURE = 15 };

static void fixed(struct buf *out, double value, int decimals)
{
    char text[DECIMAL_SIZE];
    size_t length = decimal_fixed(text, value, decimals);

    buf_add(out, text, decimal_trim(text, length));
}

static void significant(struct buf *out, double value, int digits)
{
    char text[DECIMAL_SIZE];
    size_t length = decimal_significant(text, value, digits);

    buf_add(out, text, decimal_trim(text, length));
}

static void cents(struct buf *out, double value)
{
    char text[DECIMAL_SIZE];
    size_t length = decimal_fixed(text, fabs(value) < 0.005 ? 0.0 : value, 2);

    buf_add(out, text, length);
}

/* A whole number that every type prints with all its digits, money with cents behind. */
static bool is_plain(double value)
{
    const double most = 1e6; /* has no more than SIGNIFICANT digits */

    return fabs(value) < most && value == (double)(int)value;
}

static void plain(struct buf *out, enum field_type type, int value)
{
    char text[16], *end = text + sizeof(text), *p = end;
    unsigned size = value < 0 ? -(unsigned)value : (unsigned)value;

    if (type == FIELD_MONEY) {
        *--p = '0';
        *--p = '0';
        *--p = '.';
    }
    do
        *--p = (char)('0' + size % 10);
    while (size /= 10);
    if (value < 0)
        *--p = '-';
    buf_add(out, p, (size_t)(end - p));
}

void value_number(struct buf *out, enum field_type type, double value)
{
    if (is_plain(value)) {
        plain(out, type, (int)value);
        return;
    }
    switch (type) {
    case FIELD_MONEY:
        cents(out, value);
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
    if (field->type == FIELD_FLAG || is_plain(value) || shown_in_full(buf_data(out) + start, value))
        return;
    out->length = start;
    fixed(out, value, (int)fmax(digits - 1 - floor(log10(fabs(value))), 0));
}

const char *value_unit(const char *unit, const char *currency, char *to)
{
    static const char dollar[] = "USD";
    const size_t n = sizeof(dollar) - 1;

    if (strncmp(unit, dollar, n) != 0 || strcmp(currency, dollar) == 0)
        return unit;
    snprintf(to, UNIT_SIZE, "%s%s", currency, unit + n);
    return to;
}

/* Whether eight bytes are letters, digits and signs that JSON has as they are: no quote, backslash,
 * control character or byte beyond ASCII. A byte below 0x20 borrows from its top bit, and so does
 * one that was made 0. */
static bool eight_plain(const char *bytes)
{
    const uint64_t ones = 0x0101010101010101U, top = 0x80 * ones;
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    uint64_t quote = word ^ '"' * ones, backslash = word ^ '\\' * ones;
    return !((word | (word - 0x20 * ones) | (quote - ones) | (backslash - ones)) & top);
}

/* The same of sixteen at once. */
static bool sixteen_plain(const char *bytes)
{
    typedef signed char lanes __attribute__((vector_size(16)));
    typedef long long halves __attribute__((vector_size(16)));
    lanes at;

    memcpy(&at, bytes, sizeof(at));
    lanes wrong = (at < 0x20) | (at == '"') | (at == '\\'); /* bytes beyond ASCII are below 0 */
    halves odd = (halves)wrong;
    return !(odd[0] | odd[1]);
}

/* Of at least eight bytes. */
static bool all_plain(const char *text, size_t n)
{
    size_t i = 0;

    for (; i + 16 < n; i += 16)
        if (!sixteen_plain(text + i))
            return false;
    if (i + 8 < n && !eight_plain(text + i))
        return false;
    return eight_plain(text + n - 8);
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

static void escaped(struct buf *out, const char *text)
{
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
}

/* Where there is room for the text, it is looked at once it is there, with blanks behind. */
static bool added_plain(struct buf *out, const char *text, size_t n)
{
    const size_t blanks = 8, around = 3 + blanks;

    if (out->room - out->length < n + around)
        return false;
    char *to = out->data + out->length;
    memcpy(to + 1, text, n);
    memset(to + 1 + n, ' ', blanks);
    if (!all_plain(to + 1, n < 8 ? 8 : n)) {
        *to = '\0';
        return false;
    }
    to[0] = to[n + 1] = '"';
    to[n + 2] = '\0';
    out->length += n + 2;
    return true;
}

void value_json_text(struct buf *out, const char *text)
{
    if (added_plain(out, text, strlen(text)))
        return;
    buf_char(out, '"');
    escaped(out, text);
    buf_char(out, '"');
}

void value_json(struct buf *out, const struct field *field, const void *values)
{
    if (value_known(field, values) && field_is_text(field))
        value_json_text(out, field_text(field, values));
    else
        value_text(out, field, values, "null");
}

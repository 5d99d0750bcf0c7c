#include "answer/value.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIGNIFICANT = 6, SIGNIFICANT_FIGURE = 15 };

/* How a number type is rounded and printed. */
struct form {
    int digits;
    bool is_significant; /* `digits` counts significant digits, else decimals */
    bool keeps_zeros;
};

static struct form form_of(enum field_type type, double value)
{
    switch (type) {
    case FIELD_MONEY:
        return (struct form){2, false, true};
    case FIELD_RATE:
        return (struct form){6, false, false};
    case FIELD_RATIO:
        return (struct form){4, false, false};
    case FIELD_COUNT:
        if (value == floor(value))
            return (struct form){0, false, false};
        return (struct form){SIGNIFICANT, true, false};
    case FIELD_FIGURE:
        return (struct form){SIGNIFICANT_FIGURE, true, false};
    default:
        return (struct form){SIGNIFICANT, true, false};
    }
}

static struct decimal rounded(struct form form, double value)
{
    return form.is_significant ? number_round_significant(value, form.digits)
                               : number_round(value, form.digits);
}

/* Used if the buffer may lack room for the longest number: reserves only the actual length. */
static SELDOM void write_tight(struct buf *out, struct decimal decimal, bool trim)
{
    char text[DECIMAL_SHORT_SIZE];
    size_t length = number_write(text, decimal, trim);

    buf_add(out, text, length);
}

static inline void write_decimal(struct buf *out, struct decimal decimal, bool trim)
{
    if (out->room - out->length > DECIMAL_SHORT_SIZE)
        out->length += number_write(out->data + out->length, decimal, trim);
    else
        write_tight(out, decimal, trim);
}

static SELDOM void write_long(struct buf *out, struct form form, double value)
{
    char text[NUMBER_SIZE];
    size_t length = form.is_significant ? number_significant(text, value, form.digits)
                                        : number_fixed(text, value, form.digits);

    buf_add(out, text, form.keeps_zeros ? length : number_trim(text, length));
}

static void write_in_form(struct buf *out, struct form form, double value)
{
    struct decimal decimal = rounded(form, value);

    if (decimal.fits)
        write_decimal(out, decimal, !form.keeps_zeros);
    else
        write_long(out, form, value);
}

/* True for a whole number that every type prints with all digits, money with cents. */
static inline bool is_plain(double value)
{
    const double most = 1e6; /* such a number has at most SIGNIFICANT digits */

    return fabs(value) < most && value == (double)(int)value;
}

static void write_plain(struct buf *out, enum field_type type, int value)
{
    unsigned size = value < 0 ? -(unsigned)value : (unsigned)value;

    write_decimal(out, (struct decimal){size, 0, value < 0, true}, false);
    if (type == FIELD_MONEY)
        buf_text(out, ".00");
}

void value_number(struct buf *out, enum field_type type, double value)
{
    if (is_plain(value))
        write_plain(out, type, (int)value);
    else if (type == FIELD_MONEY && fabs(value) < 0.005) /* avoids a minus sign on zero */
        buf_text(out, "0.00");
    else
        write_in_form(out, form_of(type, value), value);
}

bool value_known(const struct field *field, const void *values)
{
    if (field_is_text(field))
        return field_text(field, values) != NULL;
    return isfinite(field_number(field, values));
}

/* Print the value of a numeric field. */
static inline void number_text(struct buf *out, enum field_type type, double value,
                               const char *unknown)
{
    if (!isfinite(value))
        buf_text(out, unknown);
    else if (type == FIELD_FLAG)
        buf_text(out, value != 0 ? "true" : "false");
    else
        value_number(out, type, value);
}

void value_text(struct buf *out, const struct field *field, const void *values, const char *unknown)
{
    if (field_is_text(field))
        buf_text(out, value_known(field, values) ? field_text(field, values) : unknown);
    else
        number_text(out, field->type, field_number(field, values), unknown);
}

/* True if the number's usual form shows all its digits. */
static bool shown_in_full(const char *shown, double value)
{
    double read;

    return text_number(shown, &read) && fabs(read - value) <= 1e-15 * fabs(value);
}

static void echo_number(struct buf *out, enum field_type type, double value)
{
    const int digits = 15; /* decimal digits that a double always preserves */
    struct form form = form_of(type, value);
    struct decimal decimal = rounded(form, value);
    size_t start = out->length;

    if (number_is(decimal, value)) {
        write_decimal(out, decimal, !form.keeps_zeros);
        return;
    }
    value_number(out, type, value);
    if (shown_in_full(buf_data(out) + start, value))
        return;
    out->length = start;
    form = (struct form){(int)fmax(digits - 1 - floor(log10(fabs(value))), 0), false, false};
    write_in_form(out, form, value);
}

void value_echo(struct buf *out, const struct field *field, const void *values, const char *unknown)
{
    double value = field_is_text(field) ? (double)NAN : field_number(field, values);

    if (!isfinite(value) || field->type == FIELD_FLAG || is_plain(value))
        value_text(out, field, values, unknown);
    else
        echo_number(out, field->type, value);
}

const char *value_unit(const char *unit, const char *currency, char *to)
{
    static const char dollar[] = "USD";
    const size_t n = sizeof(dollar) - 1;

    if (unit[0] != dollar[0] || strncmp(unit, dollar, n) != 0 || strcmp(currency, dollar) == 0)
        return unit;
    snprintf(to, UNIT_SIZE, "%s%s", currency, unit + n);
    return to;
}

typedef signed char lanes __attribute__((vector_size(16)));
typedef long long halves __attribute__((vector_size(16)));

/* Marks which of sixteen bytes JSON must escape or check: quotes, backslashes, control characters
 * and non-ASCII bytes, which are negative. */
static inline halves odd_lanes(lanes at)
{
    return (halves)((at < 0x20) | (at == '"') | (at == '\\'));
}

/* Copies and checks n >= 16 bytes: the first and the last sixteen, which may overlap, and those
 * between. */
static inline halves copy_long(char *to, const char *text, size_t n)
{
    halves odd = {0};
    lanes at;

    for (size_t i = 0; i + 16 < n; i += 16) {
        memcpy(&at, text + i, sizeof(at));
        memcpy(to + i, &at, sizeof(at));
        odd |= odd_lanes(at);
    }
    memcpy(&at, text + n - 16, sizeof(at));
    memcpy(to + n - 16, &at, sizeof(at));
    return odd | odd_lanes(at);
}

/* The same for eight to fifteen bytes. */
static inline halves copy_short(char *to, const char *text, size_t n)
{
    long long first, last;

    memcpy(&first, text, sizeof(first));
    memcpy(&last, text + n - 8, sizeof(last));
    memcpy(to, &first, sizeof(first));
    memcpy(to + n - 8, &last, sizeof(last));
    return odd_lanes((lanes)(halves){first, last});
}

/* The same for fewer than eight bytes. */
static inline halves copy_few(char *to, const char *text, size_t n)
{
    const long long blanks = 0x2020202020202020;
    unsigned long long few = (unsigned long long)blanks;
    unsigned first, last;

    if (n >= 4) {
        memcpy(&first, text, sizeof(first));
        memcpy(&last, text + n - 4, sizeof(last));
        memcpy(to, &first, sizeof(first));
        memcpy(to + n - 4, &last, sizeof(last));
        few = (unsigned long long)first << 32 | last;
    } else {
        for (size_t i = 0; i < n; i++)
            few = few << 8 | (unsigned char)(to[i] = text[i]);
    }
    return odd_lanes((lanes)(halves){(long long)few, blanks});
}

/* Copies the text; true if none of it needs escaping in JSON. */
static bool copy_plain(char *to, const char *text, size_t n)
{
    halves odd = (n >= 16  ? copy_long(to, text, n)
                  : n >= 8 ? copy_short(to, text, n)
                           : copy_few(to, text, n));

    return !(odd[0] | odd[1]);
}

/* Number of bytes before the first that needs escaping. */
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

/* U+FFFE and U+FFFF, in UTF-8. */
static bool is_no_character(const char *p)
{
    return p[0] == '\xef' && p[1] == '\xbf' && (p[2] == '\xbe' || p[2] == '\xbf');
}

void value_xml_text(struct buf *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '<')
            buf_text(out, "&lt;");
        else if (*p == '>')
            buf_text(out, "&gt;");
        else if (*p == '&')
            buf_text(out, "&amp;");
        else if ((unsigned char)*p >= 0x20 && !is_no_character(p))
            buf_char(out, *p);
        else
            buf_char(out, ' ');
        p += is_no_character(p) ? 2 : 0;
    }
}

static SELDOM void add_escaped(struct buf *out, const char *text)
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
            buf_text(out, "\\ufffd"); /* invalid UTF-8: write the replacement character */
        run += n + 1;
    }
    buf_char(out, '"');
}

static bool added_plain(struct buf *out, const char *text, size_t n)
{
    const size_t around = 3;

    if (out->room - out->length < n + around)
        return false;
    char *to = out->data + out->length;
    if (!copy_plain(to + 1, text, n)) {
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
    if (!added_plain(out, text, strlen(text)))
        add_escaped(out, text);
}

void value_json(struct buf *out, const struct field *field, const void *values)
{
    if (!value_known(field, values))
        buf_text(out, "null");
    else if (field_is_text(field))
        value_json_text(out, field_text(field, values));
    else if (field->type == FIELD_FLAG)
        value_text(out, field, values, "");
    else
        value_number(out, field->type, field_number(field, values));
}

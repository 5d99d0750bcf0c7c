#include "store/binary.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NUMERIC_HEAD = 8, /* digits, weight of the first, sign, display scale */
    NUMERIC_NEGATIVE = 0x4000,
    DIGIT_PLACES = 4,
    DIGITS_MAX = 64, /* base-10,000 digits; catalogue figures are never longer */
    TEXT_SIZE = DIGIT_PLACES * DIGITS_MAX + 32,
    DAY_ZERO = 20000101,
    DAYS_MIN = -730119, /* 0001-01-01 */
    DAYS_MAX = 2921939  /* 9999-12-31 */
};
/* Up to here integers and powers of ten are exact, so a single division rounds correctly. */
static const uint64_t EXACT_MAX = (uint64_t)1 << 53;
static const double powers_of_ten[] = {1e0, 1e4, 1e8, 1e12, 1e16, 1e20};

/* Without a loop, because compilers combine this, but not a loop, into one load. */
int16_t binary_int16(const unsigned char *at)
{
    return (int16_t)(at[0] << 8 | at[1]);
}

int32_t binary_int32(const unsigned char *at)
{
    return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
}

/* Via decimal text, for numbers that would need more than one rounding. */
static bool read_long(const unsigned char *digits, int n, int last_weight, bool negative,
                      double *out)
{
    char text[TEXT_SIZE];
    int length = snprintf(text, sizeof(text), "%s0", negative ? "-" : "");

    for (int i = 0; i < n; i++)
        length += snprintf(text + length, sizeof(text) - (size_t)length, "%04d",
                           binary_int16(digits + 2 * (size_t)i));
    snprintf(text + length, sizeof(text) - (size_t)length, "e%d", DIGIT_PLACES * last_weight);
    return text_number(text, out);
}

bool binary_whole(struct binary_value value, int32_t *out)
{
    *out = value.size == sizeof(*out) ? binary_int32(value.at) : 0;
    return !value.at || value.size == sizeof(*out);
}

bool binary_count(struct binary_value value, double *out)
{
    *out = (double)NAN;
    if (value.size != sizeof(int64_t))
        return !value.at;
    *out = (double)binary_int32(value.at) * 0x1p32 + (double)(uint32_t)binary_int32(value.at + 4);
    return true;
}

bool binary_numeric(struct binary_value value, double *out)
{
    *out = (double)NAN;
    if (value.size < NUMERIC_HEAD)
        return !value.at;
    int n = binary_int16(value.at), sign = binary_int16(value.at + 4);
    int last_weight = binary_int16(value.at + 2) - n + 1;
    const unsigned char *digits = value.at + NUMERIC_HEAD;
    uint64_t mantissa = 0;

    if (n < 0 || n > DIGITS_MAX || value.size != NUMERIC_HEAD + 2 * (size_t)n ||
        (sign && sign != NUMERIC_NEGATIVE))
        return false;
    for (int i = 0; i < n && mantissa <= EXACT_MAX; i++)
        mantissa = mantissa * 10000 + (uint64_t)binary_int16(digits + 2 * (size_t)i);
    int power = last_weight < 0 ? -last_weight : last_weight;
    if (mantissa > EXACT_MAX || power >= (int)(sizeof(powers_of_ten) / sizeof(powers_of_ten[0])))
        return read_long(digits, n, last_weight, sign == NUMERIC_NEGATIVE, out);
    *out = last_weight < 0 ? (double)mantissa / powers_of_ten[power]
                           : (double)mantissa * powers_of_ten[power];
    if (sign)
        *out = -*out;
    return true;
}

bool binary_day(struct binary_value value, int32_t *out)
{
    int32_t days;

    *out = 0;
    if (!value.at)
        return true;
    if (value.size != sizeof(days))
        return false;
    days = binary_int32(value.at);
    if (days < DAYS_MIN || days > DAYS_MAX)
        return false;
    *out = text_day_plus(DAY_ZERO, days);
    return true;
}

#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers of 128 bits hold a double's 53 times or by a power of ten, so rounding them is
 * exact. What does not fit (rare: beyond 2^64 in digits) is left to printf. */
__extension__ typedef unsigned __int128 wide;

enum { POWERS = 20, WIDE_BITS = 128 };

static const uint64_t powers[POWERS] = {1U,
                                        10U,
                                        100U,
                                        1000U,
                                        10000U,
                                        100000U,
                                        1000000U,
                                        10000000U,
                                        100000000U,
                                        1000000000U,
                                        10000000000U,
                                        100000000000U,
                                        1000000000000U,
                                        10000000000000U,
                                        100000000000000U,
                                        1000000000000000U,
                                        10000000000000000U,
                                        100000000000000000U,
                                        1000000000000000000U,
                                        10000000000000000000U};

/* |value| = mantissa * 2^exponent */
struct binary {
    uint64_t mantissa;
    int exponent;
};

static struct binary binary_of(double value)
{
    enum { MANTISSA_BITS = 52, EXPONENT_MASK = 0x7ff, BIAS = 1075 };
    const uint64_t one = (uint64_t)1 << MANTISSA_BITS;
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    int exponent = (int)(bits >> MANTISSA_BITS & EXPONENT_MASK);
    uint64_t mantissa = bits & (one - 1);
    return exponent ? (struct binary){mantissa | one, exponent - BIAS}
                    : (struct binary){mantissa, 1 - BIAS};
}

/* The nearest whole number to |value| * 10^decimals, decimals of either sign; false where it or
 * what leads there does not fit. */
static bool scale(double value, int decimals, uint64_t *whole)
{
    struct binary of = binary_of(value);
    wide over = of.mantissa, under = 1, quotient, rest;

    if (decimals >= POWERS || decimals <= -POWERS)
        return false;
    if (decimals > 0)
        over *= powers[decimals]; /* below 2^117 */
    else
        under = powers[-decimals]; /* below 2^64 */
    if (of.exponent >= 0) {
        if (of.exponent >= WIDE_BITS || over > ~(wide)0 >> of.exponent)
            return false;
        over <<= of.exponent;
        quotient = under == 1 ? over : over / under;
        rest = over - quotient * under;
    } else if (under == 1) {
        int shift = -of.exponent < WIDE_BITS - 2 ? -of.exponent : WIDE_BITS - 2;
        under <<= shift; /* 2^126 stands for all that makes less than a half */
        quotient = over >> shift;
        rest = over & (under - 1);
    } else {
        if (-of.exponent >= WIDE_BITS / 2 - 1)
            return false;
        under <<= -of.exponent;
        quotient = over / under;
        rest = over - quotient * under;
    }
    bool up = rest * 2 > under || (rest * 2 == under && (quotient & 1));
    *whole = (uint64_t)(quotient + up);
    return (quotient + up) >> WIDE_BITS / 2 == 0;
}

/* The digits of `whole`, two at a time, so that they end before `end`. */
static char *print_digits(uint64_t whole, char *end)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";

    for (; whole >= 10; whole /= 100)
        end = memcpy(end - 2, &pairs[whole % 100 * 2], 2);
    if (whole)
        *--end = (char)('0' + whole);
    return end;
}

/* whole / 10^decimals; where decimals are negative, with that many zeros behind. */
static size_t print(char *to, bool negative, uint64_t whole, int decimals)
{
    char text[2 * POWERS], *end = text + sizeof(text), *start = print_digits(whole, end);
    size_t length = 0, behind = decimals > 0 ? (size_t)decimals : 0;

    while ((size_t)(end - start) <= behind)
        *--start = '0';
    size_t before = (size_t)(end - start) - behind;
    if (negative)
        to[length++] = '-';
    memcpy(to + length, start, before);
    length += before;
    if (behind) {
        to[length++] = '.';
        memcpy(to + length, end - behind, behind);
        length += behind;
    }
    for (int n = decimals; n < 0; n++)
        to[length++] = '0';
    to[length] = '\0';
    return length;
}

size_t decimal_fixed(char to[DECIMAL_SIZE], double value, int decimals)
{
    uint64_t whole;

    if (scale(value, decimals, &whole))
        return print(to, signbit(value), whole, decimals);
    return (size_t)snprintf(to, DECIMAL_SIZE, "%.*f", decimals, value);
}

/* The same by printf. */
static size_t significant_printed(char to[DECIMAL_SIZE], double value, int digits)
{
    char text[32];

    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    int exponent = 0;
    const char *e = text + strcspn(text, "e");
    for (const char *p = e + 2; *p; p++)
        exponent = exponent * 10 + (*p - '0');
    exponent = e[1] == '-' ? -exponent : exponent;
    if (exponent < digits)
        return (size_t)snprintf(to, DECIMAL_SIZE, "%.*f", digits - 1 - exponent, value);
    size_t length = 0;
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            to[length++] = *p;
    for (int i = digits - 1; i < exponent; i++)
        to[length++] = '0';
    to[length] = '\0';
    return length;
}

size_t decimal_significant(char to[DECIMAL_SIZE], double value, int digits)
{
    int decimals = digits - 1, exponent;
    uint64_t whole;

    if (value != 0) { /* the decimal exponent of the power of two below, at most one too small */
        frexp(value, &exponent);
        decimals -= (int)floor((exponent - 1) * 0.30102999566398120);
    }
    bool fits = scale(value, decimals, &whole);
    while (fits && whole >= powers[digits])
        fits = scale(value, --decimals, &whole);
    return fits ? print(to, signbit(value), whole, decimals)
                : significant_printed(to, value, digits);
}

size_t decimal_trim(char *text, size_t length)
{
    if (memchr(text, '.', length)) {
        while (text[length - 1] == '0')
            length--;
        length -= text[length - 1] == '.';
    }
    if (length == 2 && text[0] == '-' && text[1] == '0')
        text[0] = text[--length];
    text[length] = '\0';
    return length;
}

size_t decimal_exact(char to[DECIMAL_SIZE], double value)
{
    enum { ALWAYS_KEPT = 15, ALWAYS_ENOUGH = 17 };

    for (int digits = ALWAYS_KEPT;; digits++) {
        size_t length = decimal_trim(to, decimal_significant(to, value, digits));
        if (digits == ALWAYS_ENOUGH || strtod(to, NULL) == value)
            return length;
    }
}

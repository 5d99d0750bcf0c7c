#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A 128-bit integer holds the 53 bits of a double times or over a power of ten, so rounding is
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

/* over / under, rounded to the nearest whole number. */
static inline struct decimal divide(wide over, wide under)
{
    wide quotient = over / under, rest = over - quotient * under;

    quotient += rest * 2 > under || (rest * 2 == under && (quotient & 1));
    return (struct decimal){.whole = (uint64_t)quotient, .fits = quotient >> WIDE_BITS / 2 == 0};
}

/* The same for over / 2^shift, where over is below 2^127. */
static inline struct decimal shift_down(wide over, int shift)
{
    const wide half = (wide)1 << (WIDE_BITS - 1);

    if (shift >= WIDE_BITS) /* less than a half */
        return (struct decimal){.fits = true};
    wide quotient = over >> shift, rest = over << (WIDE_BITS - shift); /* of 2^128 */
    quotient += rest > half || (rest == half && (quotient & 1));
    return (struct decimal){.whole = (uint64_t)quotient, .fits = quotient >> WIDE_BITS / 2 == 0};
}

/* The value times 10^decimals, rounded to the nearest whole number; decimals may be negative. */
static struct decimal scale(double value, int decimals)
{
    struct binary of = binary_of(value);
    const struct decimal none = {.fits = false};

    if (decimals >= POWERS || decimals <= -POWERS)
        return none;
    wide over = of.mantissa * (wide)powers[decimals > 0 ? decimals : 0]; /* below 2^117 */
    wide under = powers[decimals < 0 ? -decimals : 0];                   /* below 2^64 */
    if (of.exponent < 0 && under == 1)
        return shift_down(over, -of.exponent);
    if (of.exponent < 0)
        return -of.exponent < WIDE_BITS / 2 - 1 ? divide(over, under << -of.exponent) : none;
    if (of.exponent >= WIDE_BITS || over > ~(wide)0 >> of.exponent)
        return none;
    return divide(over << of.exponent, under);
}

struct decimal number_round(double value, int decimals)
{
    struct decimal rounded = scale(value, decimals);

    rounded.decimals = (int16_t)decimals;
    rounded.is_negative = signbit(value);
    return rounded;
}

/* The decimal exponent of the next lower power of two: that of the number, or one less. */
static int tens_below(double value)
{
    struct binary of = binary_of(value);
    int exponent = of.exponent + WIDE_BITS / 2 - 1 - __builtin_clzll(of.mantissa);
    double tens = exponent * 0.30102999566398120;
    int whole = (int)tens;

    return whole - (whole > tens);
}

struct decimal number_round_significant(double value, int digits)
{
    struct decimal rounded = number_round(value, digits - 1 - (value == 0 ? 0 : tens_below(value)));

    while (rounded.fits && rounded.whole >= powers[digits])
        rounded = number_round(value, rounded.decimals - 1);
    return rounded;
}

bool number_is(struct decimal decimal, double value)
{
    enum {
        EXACT_DIGITS = 15
    }; /* up to here digits and power of ten are exact doubles, so that one
        * operation rounds once */
    double size = fabs(value);

    if (!decimal.fits || decimal.decimals < 0 || decimal.whole >= powers[EXACT_DIGITS])
        return false;
    return fabs((double)decimal.whole / (double)powers[decimal.decimals] - size) <= 1e-15 * size;
}

/* The number of digits; 0 for 0. */
static inline int count_digits(uint64_t whole)
{
    int bits = 64 - __builtin_clzll(whole | 1), digits = bits * 1233 >> 12; /* 1233 / 2^12 is about
                                                                             * log10(2) */

    return digits + (whole >= powers[digits]);
}

/* Print n digits, two at a time; whole has at most n. Returns the end. */
static inline char *print_digits(char *to, uint64_t whole, int n)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";

    for (int left = n; left >= 2; left -= 2, whole /= 100)
        memcpy(to + left - 2, &pairs[whole % 100 * 2], 2);
    if (n % 2)
        *to = (char)('0' + whole);
    return to + n;
}

size_t number_write(char to[DECIMAL_SHORT_SIZE], struct decimal decimal, bool trim)
{
    uint64_t whole = decimal.whole, behind = 0;
    char *p = to;

    if (decimal.decimals > 0) {
        whole = decimal.whole / powers[decimal.decimals];
        behind = decimal.whole - whole * powers[decimal.decimals];
    }
    *p = '-';
    p += decimal.is_negative && !(trim && decimal.whole == 0);
    p = print_digits(p, whole, whole < 10 ? 1 : count_digits(whole));
    if (decimal.decimals > 0 && (behind || !trim)) {
        *p = '.';
        p = print_digits(p + 1, behind, decimal.decimals);
        while (trim && p[-1] == '0')
            p--;
    }
    for (int n = decimal.decimals; n < 0; n++)
        *p++ = '0';
    *p = '\0';
    return (size_t)(p - to);
}

size_t number_fixed(char to[NUMBER_SIZE], double value, int decimals)
{
    struct decimal rounded = number_round(value, decimals);

    return rounded.fits ? number_write(to, rounded, false)
                        : (size_t)snprintf(to, NUMBER_SIZE, "%.*f", decimals, value);
}

size_t number_grouped(char to[NUMBER_SIZE], double value, int decimals)
{
    char plain[NUMBER_SIZE];
    size_t length = number_fixed(plain, value, decimals), n = 0;
    size_t whole = strcspn(plain, ".");

    for (size_t i = 0; i < length && n + 1 < NUMBER_SIZE; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-')
            to[n++] = ',';
        to[n++] = plain[i];
    }
    to[n] = '\0';
    return n;
}

/* The same with printf. */
static size_t significant_printed(char to[NUMBER_SIZE], double value, int digits)
{
    char text[32];

    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    int exponent = 0;
    const char *e = text + strcspn(text, "e");
    for (const char *p = e + 2; *p; p++)
        exponent = exponent * 10 + (*p - '0');
    exponent = e[1] == '-' ? -exponent : exponent;
    if (exponent < digits)
        return (size_t)snprintf(to, NUMBER_SIZE, "%.*f", digits - 1 - exponent, value);
    size_t length = 0;
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            to[length++] = *p;
    for (int i = digits - 1; i < exponent; i++)
        to[length++] = '0';
    to[length] = '\0';
    return length;
}

size_t number_significant(char to[NUMBER_SIZE], double value, int digits)
{
    struct decimal rounded = number_round_significant(value, digits);

    return rounded.fits ? number_write(to, rounded, false) : significant_printed(to, value, digits);
}

size_t number_trim(char *text, size_t length)
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

size_t number_exact(char to[NUMBER_SIZE], double value)
{
    enum { ALWAYS_KEPT = 15, ALWAYS_ENOUGH = 17 };

    for (int digits = ALWAYS_KEPT;; digits++) {
        size_t length = number_trim(to, number_significant(to, value, digits));
        if (digits == ALWAYS_ENOUGH || strtod(to, NULL) == value)
            return length;
    }
}

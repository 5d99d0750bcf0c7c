/* number.h - formats numbers as plain decimals, correctly rounded to nearest, ties to even, like
 * printf but in a tenth of the time; and other helpers for numbers.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest double with its sign, 17 decimals and the NUL. */
enum { NUMBER_SIZE = 400 };

/* A rounded number: whole / 10^decimals, where negative `decimals` means trailing zeros. */
struct decimal {
    uint64_t whole;
    int16_t decimals;
    bool is_negative;
    bool fits; /* false (rare: beyond 2^64): use the functions below, which fall back to printf */
};

/* Round to a number of decimals, or of significant digits. */
struct decimal number_round(double value, int decimals);
struct decimal number_round_significant(double value, int digits);
/* True if the decimal equals the value to within a relative 1e-15; false if that is not certain. */
bool number_is(struct decimal decimal, double value);

enum { DECIMAL_SHORT_SIZE = 48 }; /* for a decimal that fits, with sign, dot and zeros */

/* Write all decimals, or with `trim` strip them as number_trim() does. Returns the length. */
size_t number_write(char to[DECIMAL_SHORT_SIZE], struct decimal decimal, bool trim);

/* Like printf's %.*f; returns the length. The number must be finite. */
size_t number_fixed(char to[NUMBER_SIZE], double value, int decimals);

/* Round to at most 17 significant digits (as %.*e does) and write without an exponent: the digits
 * after them are zeros, not those of the nearest double. */
size_t number_significant(char to[NUMBER_SIZE], double value, int digits);

/* Like number_fixed(), with a comma between thousands, for sentences and titles. */
size_t number_grouped(char to[NUMBER_SIZE], double value, int decimals);

/* Strip trailing zeros and "-0"; returns the new length. */
size_t number_trim(char *text, size_t length);

/* Write the fewest digits that read back as the same number, without an exponent. The number must
 * be finite. */
size_t number_exact(char to[NUMBER_SIZE], double value);

/* The value, or `otherwise` if it is NAN. */
static inline double number_or(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

/* The value, or NAN if it is infinite. */
static inline double number_finite(double value)
{
    return isfinite(value) ? value : (double)NAN;
}

static inline bool number_is_positive(double value)
{
    return isfinite(value) && value > 0;
}

/* Reads n bytes, at most four, in little-endian order. */
static inline uint32_t number_little_endian(const char *at, int n)
{
    uint32_t number = 0;

    for (int i = n; i-- > 0;)
        number = number << 8 | (unsigned char)at[i];
    return number;
}

#endif

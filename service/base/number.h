/* number.h - numbers as plain decimals: rounded from all their binary digits to the nearest, a tie
 * to the even one, as printf rounds them, in a tenth of the time; and what else is asked of
 * single numbers.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest double, with its sign and 17 decimals; and the closing NUL, which is always there. */
enum { NUMBER_SIZE = 400 };

/* A number rounded: whole / 10^decimals; where those are below 0, with that many zeros behind. */
struct decimal {
    uint64_t whole;
    int16_t decimals;
    bool is_negative;
    bool fits; /* else (rare: beyond 2^64) it is left to the functions below, and they to printf */
};

/* To that many decimals, or significant digits. */
struct decimal number_round(double value, int decimals);
struct decimal number_round_significant(double value, int digits);
/* Whether that is the number itself, but for a rest of 1e-15 of it; false where it is not sure. */
bool number_is(struct decimal decimal, double value);

enum { DECIMAL_SHORT_SIZE = 48 }; /* of one that fits, with its sign, dot and zeros */

/* With all its decimals, or as number_trim() leaves it; the length comes back. */
size_t number_write(char to[DECIMAL_SHORT_SIZE], struct decimal decimal, bool trim);

/* As printf's %.*f; the length comes back. The number must be finite. */
size_t number_fixed(char to[NUMBER_SIZE], double value, int decimals);

/* Rounded to that many significant digits, at most 17 (as %.*e) and written without an exponent:
 * beyond them stand zeros, not the digits of the binary neighbour. */
size_t number_significant(char to[NUMBER_SIZE], double value, int digits);

/* Like number_fixed(), with a comma between thousands, for sentences and titles. */
size_t number_grouped(char to[NUMBER_SIZE], double value, int decimals);

/* Strip trailing zeros and "-0"; returns the new length. */
size_t number_trim(char *text, size_t length);

/* With as many digits as it takes to be read back as the same number, and no exponent. The number
 * must be finite. */
size_t number_exact(char to[NUMBER_SIZE], double value);

/* The value, or `otherwise` where it is unknown. */
static inline double number_or(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static inline bool number_is_positive(double value)
{
    return isfinite(value) && value > 0;
}

/* From n bytes, at most four, the lowest first. */
static inline uint32_t number_little_endian(const char *at, int n)
{
    uint32_t number = 0;

    for (int i = n; i-- > 0;)
        number = number << 8 | (unsigned char)at[i];
    return number;
}

#endif

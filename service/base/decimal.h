/* decimal.h - numbers as plain decimals: rounded from all their binary digits to the nearest, a tie
 * to the even one, as printf rounds them, at a tenth of its price.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>

/* The longest double, with its sign and 17 decimals; and the closing NUL, which is always there. */
enum { DECIMAL_SIZE = 400 };

/* As printf's %.*f; the length comes back. The number must be finite. */
size_t decimal_fixed(char to[DECIMAL_SIZE], double value, int decimals);

/* Rounded to that many significant digits, at most 17 (as %.*e) and written without an exponent:
 * beyond them stand zeros, not the digits of the binary neighbour. */
size_t decimal_significant(char to[DECIMAL_SIZE], double value, int digits);

/* Without the zeros that end its decimals, and without the sign of a zero; the length now. */
size_t decimal_trim(char *text, size_t length);

/* With as many digits as it takes to be read back as the same number, and no exponent. The number
 * must be finite. */
size_t decimal_exact(char to[DECIMAL_SIZE], double value);

#endif

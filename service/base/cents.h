/* cents.h - rounds money half-even to cents.
 *
 * The inputs are binary neighbours of decimal numbers; what is a tie in decimal is treated as a
 * tie. Beyond 2^52 a double has no cents. NAN stays NAN.
 */
#ifndef BASE_CENTS_H
#define BASE_CENTS_H

/* The amount as a whole number of cents. */
double cents_whole(long double amount);
/* The amount rounded to cents, never minus zero. */
double cents_round(double amount);

#endif

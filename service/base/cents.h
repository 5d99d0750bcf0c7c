/* cents.h - amounts of money rounded half-even to cents.
 *
 * A tie in decimal counts as one although the inputs are its binary neighbours; beyond 2^52 a
 * double has no cents. NAN stays NAN.
 */
#ifndef BASE_CENTS_H
#define BASE_CENTS_H

/* A whole number of cents. */
double cents_whole(long double amount);
/* The amount with whole cents, never minus zero. */
double cents_round(double amount);

#endif

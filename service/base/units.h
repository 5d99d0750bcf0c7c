/* units.h - unit prefixes: decimal for rates, binary for memory; and the hours of a month. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#define HOURS_PER_DAY 24.0
#define HOURS_PER_MONTH 730.0 /* 365 x 24 / 12 */

static const double MICRO = 1e-6, GIGA = 1e9, TERA = 1e12;
static const double MIB = 1048576.0, GIB = 1073741824.0;

#endif

/* units.h - unit prefixes, decimal for rates and binary for memory, and lengths of time: a year has
 * 365 days, and a month is a twelfth of it. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#define SECONDS_PER_MINUTE 60.0
#define SECONDS_PER_HOUR 3600.0
#define SECONDS_PER_DAY 86400.0
#define HOURS_PER_DAY 24.0
#define HOURS_PER_WEEK 168.0
#define HOURS_PER_MONTH 730.0
#define HOURS_PER_YEAR 8760.0
#define DAYS_PER_YEAR 365.0
#define MONTHS_PER_YEAR 12.0

static const double MICRO = 1e-6, MILLION = 1e6, GIGA = 1e9, TERA = 1e12;
static const double MIB = 1048576.0, GIB = 1073741824.0;

#endif

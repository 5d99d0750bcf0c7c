/* depreciation.h - tax depreciation: straight line, declining balance with switch to straight line,
 * and MACRS 5-year property with bonus depreciation.
 *
 * Tax years start at the purchase; a year's deduction is spread evenly over its months.
 */
#ifndef ESTIMATE_OWNERSHIP_DEPRECIATION_H
#define ESTIMATE_OWNERSHIP_DEPRECIATION_H

#include "estimate/ownership/ownership.h"

/* The fraction of the cost deducted within that many months of the purchase, from 0 to 1. */
long double depreciation_share(const struct ownership *in, int months);

#endif

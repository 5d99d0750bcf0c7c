/* depreciation.h - tax depreciation of what was bought: straight line, declining balance with the
 * switch to straight line, and MACRS of 5-year property with bonus depreciation.
 *
 * Tax years run from the purchase; a year's deduction is spread evenly over its months.
 */
#ifndef ESTIMATE_OWNERSHIP_DEPRECIATION_H
#define ESTIMATE_OWNERSHIP_DEPRECIATION_H

#include "estimate/ownership/ownership.h"

/* The share of the cost deducted that number of months after the purchase, from 0 to 1. */
long double depreciation_share(const struct ownership *in, int months);

#endif

/* replacement.h - servers sold and bought again each time their useful life is over. */
#ifndef ESTIMATE_OWNERSHIP_REPLACEMENT_H
#define ESTIMATE_OWNERSHIP_REPLACEMENT_H

#include "estimate/ownership/cash_flow.h"

/* Net sale proceeds in USD of servers bought at that price that many months ago. */
double replacement_worth(const struct ownership *in, double price, double months);
/* What the release of newer GPUs has left of the price of the servers now in place. */
long double replacement_releases_factor(const struct cash_flow *flow);
/* Pay, in USD and net of what the old servers are sold for, for new ones if their life ends with
 * this month and the horizon does not; 0 otherwise. */
long double replacement_pay(struct cash_flow *flow);
/* How often that happens before the horizon. */
double replacement_count(const struct ownership *in);
/* Age in months of the servers in place after that many months. */
double replacement_age(const struct ownership *in, int months);

#endif

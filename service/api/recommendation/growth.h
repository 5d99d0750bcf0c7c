/* growth.h - a load that grows month by month. */
#ifndef API_RECOMMENDATION_GROWTH_H
#define API_RECOMMENDATION_GROWTH_H

#include "api/recommendation/recommendation.h"

/* Growth of the load: whether it grows; its factor in a month, starting at 1; a check that refuses
 * excessive growth; the load at a factor, as inputs of the sizing. */
bool recommendation_grows(const struct recommendation *recommendation);
double recommendation_growth_factor(const struct recommendation *recommendation, double month);
bool recommendation_growth_check(struct recommendation *recommendation, struct err *err) MUST_CHECK;
void recommendation_growth_load(const struct recommendation *recommendation, double factor,
                                struct params *params);

/* For GPUs sized for the last month's load: the average fraction used, and the average fraction
 * rented if replicas are rented one by one. */
struct recommendation_growth {
    double used, rented;
};
struct recommendation_growth recommendation_growth_mean(const struct recommendation *recommendation,
                                                        double replicas);

#endif

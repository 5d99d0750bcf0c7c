/* option.h - one option: its configurations, its times and its cost at the ends of intervals. */
#ifndef ESTIMATE_RECOMMENDATION_OPTION_H
#define ESTIMATE_RECOMMENDATION_OPTION_H

#include "estimate/recommendation/part.h"

/* The configuration in which it does a workload. */
const struct recommendation_configuration *
recommendation_configuration_of(const struct recommendation_ask *ask,
                                const struct recommendation_option *option,
                                enum recommendation_workload workload);

/* The total at the rents of the cheapest and of the most expensive provider; bought GPUs have only
 * one price. */
struct range recommendation_total_over_providers(const struct recommendation_ask *ask,
                                                 const struct recommendation_option *option);

/* True if credits pay part of its rent. */
bool recommendation_uses_credits(const struct recommendation_option *option);

/* The same of an option, as changes of its total and its payments. */
struct recommendation_money recommendation_end(const struct recommendation_ask *ask,
                                               const struct recommendation_option *option,
                                               bool high);

/* Days of all jobs and their experiments, each in the fastest configuration on any type. */
double recommendation_earliest_days(const struct recommendation_ask *ask);

/* True if the value is within the limit; NAN is no limit, and an excess due to rounding is
 * allowed. */
bool recommendation_keeps(double value, double limit);

struct part_cache;

/* Complete an option whose parts have type and acquisition, and which assigns each workload a part
 * and a configuration. False if the jobs do not end by the horizon, or a price is unknown. `cache`
 * holds parts of other options of the same ask. */
bool recommendation_complete(const struct recommendation_ask *ask,
                             struct recommendation_option *option, struct part_cache *cache);

#endif

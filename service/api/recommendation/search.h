/* search.h - runs the searches behind a recommendation, and looks up their results for an
 * option. */
#ifndef API_RECOMMENDATION_SEARCH_H
#define API_RECOMMENDATION_SEARCH_H

#include "api/recommendation/recommendation.h"

/* Search, and select the options of the list. */
void recommendation_solve(struct recommendation *recommendation);

/* The search results behind an option: for a job, and for the service. */
const struct options_found *recommendation_job(const struct recommendation *recommendation,
                                               const struct recommendation_option *option,
                                               enum recommendation_workload workload);
const struct serving_option *recommendation_serving(const struct recommendation *recommendation,
                                                    const struct recommendation_option *option);
const struct recommendation_part *recommendation_part(const struct recommendation_option *option,
                                                      enum recommendation_workload workload);
/* The GPUs whose purchase is evaluated: those of the service, else those of the last job. */
const struct recommendation_part *
recommendation_weighed(const struct recommendation *recommendation,
                       const struct recommendation_option *option);
/* USD per GPU-hour in use: the hourly rent, else the part's total divided by its hours. */
double recommendation_price(const struct recommendation *recommendation,
                            const struct recommendation_part *part);
/* The same with its ends: of a rent, or of the price of what is bought. */
struct range recommendation_price_range(const struct recommendation *recommendation,
                                        const struct recommendation_part *part);

/* Addresses, in the arena. That of a plan is NULL if the model was posted in the body. */
const char *recommendation_plan_link(const struct recommendation *recommendation,
                                     const struct recommendation_option *option,
                                     enum recommendation_workload workload);
const char *recommendation_break_even_link(const struct recommendation *recommendation,
                                           const struct recommendation_part *part);

/* Find the GPU types that pass the filters, and their prices. */
void recommendation_prepare(struct recommendation *recommendation);

/* Why buying the GPU is not considered, worded as in options_not_sold_new(); NULL if it is
 * considered or the GPU was named. */
const char *recommendation_not_sold_new(const struct recommendation *recommendation,
                                        const struct gpu *gpu);

#endif

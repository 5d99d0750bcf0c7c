/* search.h - the searches behind a recommendation, and what they found for an option. */
#ifndef API_RECOMMENDATION_SEARCH_H
#define API_RECOMMENDATION_SEARCH_H

#include "api/recommendation/recommendation.h"

/* Search, and pick the list. */
void recommendation_solve(struct recommendation *recommendation);

/* What did the work: of a job, of the service. */
const struct options_found *recommendation_job(const struct recommendation *recommendation,
                                               const struct recommendation_option *option,
                                               enum recommendation_workload workload);
const struct serving_option *recommendation_serving(const struct recommendation *recommendation,
                                                    const struct recommendation_option *option);
const struct recommendation_part *recommendation_part(const struct recommendation_option *option,
                                                      enum recommendation_workload workload);
/* The GPUs whose purchase is weighed: those that serve, else those of the last job. */
const struct recommendation_part *
recommendation_weighed(const struct recommendation *recommendation,
                       const struct recommendation_option *option);
/* USD of a GPU and hour in use: rent by the hour, else the part's total over its hours. */
double recommendation_price(const struct recommendation *recommendation,
                            const struct recommendation_part *part);
/* The same with its ends: of a rent, or of the price of what is bought. */
struct range recommendation_price_range(const struct recommendation *recommendation,
                                        const struct recommendation_part *part);

/* Addresses, in the arena; that of a plan NULL where the model came in the body. */
const char *recommendation_plan_link(const struct recommendation *recommendation,
                                     const struct recommendation_option *option,
                                     enum recommendation_workload workload);
const char *recommendation_break_even_link(const struct recommendation *recommendation,
                                           const struct recommendation_part *part);

/* Find the kinds of GPU that the filters leave, and their prices. */
void recommendation_prepare(struct recommendation *recommendation);

/* Why buying the GPU is not considered, as options_not_sold_new(); null if it is, or was named. */
const char *recommendation_not_sold_new(const struct recommendation *recommendation,
                                        const struct gpu *gpu);

#endif

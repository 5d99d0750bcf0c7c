/* warnings.h - warnings of a recommendation. */
#ifndef API_RECOMMENDATION_WARNINGS_H
#define API_RECOMMENDATION_WARNINGS_H

#include "api/recommendation/recommendation.h"

/* Add the warnings; call it when the list is complete. */
void recommendation_warn(struct recommendation *recommendation, struct range latency);
/* What to know before a budget without a workload is spent on that row of `affordable`: what may
 * exceed it, what is not confirmed, and that nobody has quoted these prices. */
void recommendation_warn_budget(struct recommendation *recommendation,
                                const struct recommendation_affordable *best);

#endif

/* warnings.h - warnings of a recommendation. */
#ifndef API_RECOMMENDATION_WARNINGS_H
#define API_RECOMMENDATION_WARNINGS_H

#include "api/recommendation/recommendation.h"

/* Add the warnings; call it when the list is complete. */
void recommendation_warn(struct recommendation *recommendation);

#endif

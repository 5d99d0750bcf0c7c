/* hosted.h - the hosted API alongside the options of /v1/recommendation: what it costs, and up to
 * which volume it costs less than the GPUs that are recommended. */
#ifndef API_RECOMMENDATION_HOSTED_H
#define API_RECOMMENDATION_HOSTED_H

#include "api/options/hosted_price.h"
#include "api/recommendation/recommendation.h"

struct hosted_row {
    struct hosted_choice choice;
    struct hosted_api_ledger bill; /* where it has a price */
    double payments;               /* USD without cost of capital; NAN without a price */
    struct hosted_figures figures;
};

/* Once the list is made. */
void recommendation_price_hosted(struct recommendation *from);

/* The recommendation in words, after the hosted API where that costs less, as in /v1/break-even. */
const char *recommendation_hosted_first(const struct recommendation *from, const char *sentence);

#endif

/* hosted.h - the hosted API next to the options of /v1/recommendation: its cost, and the volume up
 * to which it costs less than the recommended GPUs. */
#ifndef API_RECOMMENDATION_HOSTED_H
#define API_RECOMMENDATION_HOSTED_H

#include "api/options/hosted_price.h"
#include "api/recommendation/recommendation.h"

struct hosted_row {
    struct hosted_choice choice;
    struct hosted_api_ledger bill; /* valid if it has a price */
    double payments;               /* USD without cost of capital; NAN without a price */
    struct hosted_figures figures;
};

/* Call once the list is made. */
void recommendation_price_hosted(struct recommendation *from);

/* The recommendation in words, after the hosted API if that costs less, as in /v1/break-even. */
const char *recommendation_hosted_first(const struct recommendation *from, const char *sentence);

#endif

/* hosted_api.h - the cost of the same tokens at a hosted API that bills per million tokens, line by
 * line, to the cent: the third side of the ledger, over the same months and at the same cost of
 * capital.
 *
 * Bills are paid at the end of each month, like the recurring lines of the other sides. An unknown
 * price is NAN and makes the side NAN.
 */
#ifndef ESTIMATE_BREAK_EVEN_HOSTED_API_H
#define ESTIMATE_BREAK_EVEN_HOSTED_API_H

#include "base/units.h"

#include "estimate/ownership/ownership.h"

struct hosted_api {
    double input_price, cached_price, output_price; /* USD per million tokens, in month 1 */
    double cached_ratio;                            /* fraction of the prompt tokens billed as
                                                     * cached */
    double price_decline_ratio;                     /* per year */
    double input_tokens, output_tokens;             /* per request: the mix that is billed */
    double tokens_per_day;                          /* input and output together, in month 1 */
    double growth_ratio_per_month;                  /* growth of tokens_per_day */
};

enum { HOSTED_LINES = 5 };

/* The hosted side after some months. */
struct hosted_api_ledger {
    struct ledger_line lines[HOSTED_LINES];
    double total; /* sum of the rounded lines */
};

/* Tokens in a month of 730 h. */
double hosted_api_tokens_per_month(const struct hosted_api *hosted);

/* Price per million tokens, prompts and answers together, in month 1. */
double hosted_api_blended_price(const struct hosted_api *hosted);

/* The bill of the first month, without tax and cost of capital. */
double hosted_api_cost_per_month(const struct hosted_api *hosted);

/* The side after `months`; cost of capital and tax are those of `own`. */
void hosted_api_ledger(const struct hosted_api *hosted, const struct ownership *own, int months,
                       struct hosted_api_ledger *ledger);

/* The totals after 0, 1, ... `months` months, each as computed by hosted_api_ledger(). */
void hosted_api_totals(const struct hosted_api *hosted, const struct ownership *own, int months,
                       double totals[]);

#endif

/* offers_chart.h - the picture of how the price of a GPU went. */
#ifndef API_PRICES_OFFERS_CHART_H
#define API_PRICES_OFFERS_CHART_H

#include "api/resource/context.h"
#include "catalog/price.h"

/* The days a history reaches over; 0: as far as there are offers, and to the day of the answer. */
struct window_of_days {
    day from, to;
};

/* How .svg draws `n` observations, where they are not too many to see, of one kind of GPU: a dot
 * each, and as a line what answers of each of these days took for its price. The query is the
 * line's, its day is not looked at. */
void offers_chart(struct request_context *context, const struct offer *offers, size_t n,
                  struct price_query query, struct window_of_days window);

#endif

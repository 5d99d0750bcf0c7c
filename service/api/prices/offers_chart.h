/* offers_chart.h - a chart of a GPU's price over time. */
#ifndef API_PRICES_OFFERS_CHART_H
#define API_PRICES_OFFERS_CHART_H

#include "api/resource/context.h"
#include "catalog/price.h"

/* The days covered by a history; 0 means from the first offer, or to the day of the answer. */
struct window_of_days {
    day from, to;
};

/* Set up the .svg chart of `n` observations of one GPU type, if there are not too many to see: a
 * dot for each, and a line with the price that answers use on each of these days. The query is for
 * the line; its day is ignored. */
void offers_chart(struct request_context *context, const struct offer *offers, size_t n,
                  struct price_query query, struct window_of_days window);

#endif

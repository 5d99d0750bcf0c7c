/* offers_chart.h - the picture of how the price of a GPU went. */
#ifndef API_OFFERS_CHART_H
#define API_OFFERS_CHART_H

#include "api/call.h"
#include "catalog/price.h"

/* How .svg draws `n` observations, where they are not too many to see, of one kind of GPU: a dot
 * each, and as a line what answers of each of these days took for its price. The query is the
 * line's, its day is not looked at. */
void offers_chart(struct call *call, const struct offer *offers, size_t n,
                  struct price_query query);

#endif

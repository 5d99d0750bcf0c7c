/* price_metrics.h - /metrics/prices: today's price of each GPU, as a Prometheus metric.
 */
#ifndef API_PRICES_PRICE_METRICS_H
#define API_PRICES_PRICE_METRICS_H

#include "api/resource/context.h"

/* Answer /metrics/prices; false for other paths and methods. The context must
 * have request, catalogue, arena and today. */
bool price_metrics_answer(const struct request_context *context, struct reply *reply);

#endif

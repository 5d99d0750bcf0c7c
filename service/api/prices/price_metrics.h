/* price_metrics.h - /metrics/prices: what each GPU costs today, for Prometheus to keep over time.
 */
#ifndef API_PRICES_PRICE_METRICS_H
#define API_PRICES_PRICE_METRICS_H

#include "api/resource/context.h"

/* Answer /metrics/prices; false for other paths and methods. The context must
 * have request, catalogue, arena and today. */
bool price_metrics_answer(const struct request_context *context, struct reply *reply);

#endif

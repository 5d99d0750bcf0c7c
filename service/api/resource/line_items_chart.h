/* line_items_chart.h - a chart of a plan's line items: memory, and step time. */
#ifndef API_RESOURCE_LINE_ITEMS_CHART_H
#define API_RESOURCE_LINE_ITEMS_CHART_H

#include "api/resource/context.h"

/* Set up the .svg chart: memory against the GPU's capacity, and below it the parts of the step
 * time. */
void line_items_chart(struct request_context *context, const struct line_items *line_items,
                      double capacity_gib, const char *title, const char *time_title);

#endif

/* line_items.h - a plan's line items: its bill, its memory and its step time. */
#ifndef API_RESOURCE_LINE_ITEMS_H
#define API_RESOURCE_LINE_ITEMS_H

#include "api/resource/context.h"

/* Add a plan's line items as table `line_items`; put LINE_ITEMS_TABLE among the tables. */
void line_items_table(struct request_context *context, const struct line_items *line_items);
extern const struct fields line_item_fields;
#define LINE_ITEMS_TABLE                                       \
    {                                                          \
        "line_items", "line_item", &line_item_fields, "value", \
            "Memory of a GPU, time of a step, and the bill"    \
    }

/* Set up the .svg chart: memory against the GPU's capacity, and below it the parts of the step
 * time. */
void line_items_chart(struct request_context *context, const struct line_items *line_items,
                      double capacity_gib, const char *title, const char *time_title);

#endif

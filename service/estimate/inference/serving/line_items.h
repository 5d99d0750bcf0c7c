/* line_items.h - what a serving answer is made of, line by line: memory of a GPU, time of an
 * output token, cost of an hour. */
#ifndef ESTIMATE_INFERENCE_SERVING_LINE_ITEMS_H
#define ESTIMATE_INFERENCE_SERVING_LINE_ITEMS_H

#include "estimate/figures/line_items.h"
#include "estimate/inference/serving/serving.h"

/* The memory lines add up to the capacity, the time lines to the time per output token: parts of a
 * step, over the tokens of a request that it writes. */
void serving_lines(const struct serving_plan *plan, double price_per_gpu_hour,
                   struct line_items *line_items);

/* Whether that line of a step is left out where it is 0: the model or the load has no such part. */
bool serving_line_is_optional(const char *key);

#endif

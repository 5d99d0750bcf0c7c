/* line_items.h - line items of a serving plan: memory per GPU, time per output token, cost per
 * hour. */
#ifndef ESTIMATE_INFERENCE_SERVING_LINE_ITEMS_H
#define ESTIMATE_INFERENCE_SERVING_LINE_ITEMS_H

#include "estimate/figures/line_items.h"
#include "estimate/inference/serving/serving.h"

/* The memory lines add up to the capacity. The time lines are the parts of a step over the tokens
 * it writes for each request, and add up to the time per output token; if nothing is written, they
 * add up to the time to read a prompt. */
void serving_lines(const struct serving_plan *plan, double price_per_gpu_hour,
                   struct line_items *line_items);

/* Seconds that the prompts of other requests add to the mean time per token, which is the remainder
 * after a step with the mean number in flight. Negative where fewer requests write than are in
 * flight, because the others still wait for their first token. */
double serving_interference(const struct serving_plan *plan);

/* True if the line is omitted when 0, because the model or the load has no such part. */
bool serving_line_is_optional(const char *key);

#endif

/* unusual_input.h - the warning that a figure was probably typed in another unit: cents, thousands,
 * a month's price for an hour's. */
#ifndef API_OPTIONS_UNUSUAL_INPUT_H
#define API_OPTIONS_UNUSUAL_INPUT_H

#include "api/resource/context.h"

/* The usual figure, and the lowest and highest multiples of it that pass. */
struct usual_figure {
    double figure, least, most;
};

/* Warns if the input was given and is outside the multiples; `hint` says what the input is. Zero
 * and an unknown usual figure are let pass. */
void unusual_input_warn(struct request_context *context, const char *name, double value,
                        struct usual_figure usual, const char *hint);

/* The same for a rent per GPU and hour, against on-demand offers of that many GPUs. */
void unusual_input_warn_rent(struct request_context *context, const char *name, double value,
                             const struct gpu *gpu, double gpu_count);

/* The same for the price of electricity, of colocation and of staff, where the question has them.
 */
void unusual_input_warn_rates(struct request_context *context);

#endif

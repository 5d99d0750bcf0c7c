/* roofline.h - a GPU's ridge point, and its rates per 1000 USD of purchase price.
 */
#ifndef ESTIMATE_FIGURES_ROOFLINE_H
#define ESTIMATE_FIGURES_ROOFLINE_H

#include "catalog/gpu.h"

struct roofline {
    double ridge_flop_per_byte; /* dense 16-bit peak over memory bandwidth (roofline model) */
    double bandwidth_gb_s_per_1000usd; /* NAN without a price */
    double tflops_per_1000usd;         /* dense 16-bit */
};

/* `card_price` in USD; NAN if unknown. */
struct roofline roofline_of(const struct gpu *gpu, double card_price);

/* The roofline of a dense peak rate: the FLOP per byte read above which memory is not the limit,
 * and the attainable FLOP/s at `intensity` FLOP per byte. NAN if a rate is unknown. */
double roofline_ridge(const struct gpu *gpu, double peak);
double roofline_attainable_flops(const struct gpu *gpu, double peak, double intensity);

/* Any rate per 1000 USD of the card's price. */
double roofline_per_1000usd(double rate, double card_price);

/* Tokens per second of one stream if every token reads all weights: bandwidth times `efficiency`
 * over `weight_bytes`; NAN if the weights do not fit on the card. */
double roofline_tokens_per_second(const struct gpu *gpu, double weight_bytes, double efficiency);

#endif

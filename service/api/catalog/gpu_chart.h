/* gpu_chart.h - the roofline chart of a GPU. */
#ifndef API_CATALOG_GPU_CHART_H
#define API_CATALOG_GPU_CHART_H

#include "api/resource/context.h"

/* Set up the .svg chart: FLOP/s over arithmetic intensity (FLOP per byte read), up to where memory
 * is no longer the limit. */
void gpu_chart(struct request_context *context, const struct gpu *gpu);

#endif

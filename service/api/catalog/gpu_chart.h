/* gpu_chart.h - the roofline of a GPU. */
#ifndef API_CATALOG_GPU_CHART_H
#define API_CATALOG_GPU_CHART_H

#include "api/resource/context.h"

/* How .svg draws a GPU: the work it can do a second over the work there is for each byte read, up
 * to where memory no longer limits it. */
void gpu_chart(struct request_context *context, const struct gpu *gpu);

#endif

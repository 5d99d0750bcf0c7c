/* gpu_warnings.h - warnings about a GPU: unsupported software, and the limits of its memory and
 * cooling. Each function warns only if it applies.
 */
#ifndef API_RESOURCE_GPU_WARNINGS_H
#define API_RESOURCE_GPU_WARNINGS_H

#include "api/resource/context.h"
#include "estimate/inference/inference.h"

/* FlashAttention-2 requires compute capability 8.0 (its README); `consequence` ends the
 * sentence. */
void gpu_warnings_flash_attention(struct request_context *context, const struct gpu *gpu,
                                  const char *consequence);
/* What arithmetic in that format would require, as the end of a clause; "" if no source says. */
const char *gpu_warnings_lacking(const struct gpu *gpu, enum number format);
/* Kernel support for weights of that format, by compute capability. */
void gpu_warnings_format(struct request_context *context, const struct gpu *gpu,
                         enum number format);
/* Training without BF16, so in FP16: Google trained Gemma and BigScience T0 in BF16 and report
 * losses of NaN in FP16 (google/gemma-7b-it, discussion 61; model card of bigscience/T0pp). */
void gpu_warnings_training(struct request_context *context, const struct gpu *gpu);
/* Memory without ECC, or with ECC that is off by default. */
void gpu_warnings_ecc(struct request_context *context, const struct gpu *gpu);
/* The capacity that inline ECC takes when memory is scarce. */
void gpu_warnings_ecc_capacity(struct request_context *context, const struct gpu *gpu);
/* Cooling of consumer cards side by side in one server. */
void gpu_warnings_heat(struct request_context *context, const struct gpu *gpu,
                       double gpus_per_node);

#endif

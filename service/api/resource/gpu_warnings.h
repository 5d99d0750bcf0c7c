/* gpu_warnings.h - warnings about a GPU: software that does not support it, and the limits of its
 * memory and cooling. Each warns only where it applies.
 */
#ifndef API_RESOURCE_GPU_WARNINGS_H
#define API_RESOURCE_GPU_WARNINGS_H

#include "api/resource/context.h"
#include "estimate/inference/inference.h"

/* FlashAttention-2 is for compute capability 8.0 on (its README); the consequence ends the
 * sentence. */
void gpu_warnings_flash_attention(struct request_context *context, const struct gpu *gpu,
                                  const char *consequence);
/* What arithmetic in that format would need, as the end of a clause; "" if no source says. */
const char *gpu_warnings_lacking(const struct gpu *gpu, enum number format);
/* Kernels for weights of that format, by compute capability. */
void gpu_warnings_format(struct request_context *context, const struct gpu *gpu,
                         enum number format);
/* Serving engines, by vendor and compute capability. */
void gpu_warnings_engine(struct request_context *context, const struct gpu *gpu,
                         enum engine engine);
/* Memory without ECC, or with ECC that is off by default. */
void gpu_warnings_ecc(struct request_context *context, const struct gpu *gpu);
/* What inline ECC takes of a memory that is scarce. */
void gpu_warnings_ecc_capacity(struct request_context *context, const struct gpu *gpu);
/* Consumer cards side by side in one server. */
void gpu_warnings_heat(struct request_context *context, const struct gpu *gpu,
                       double gpus_per_node);

#endif

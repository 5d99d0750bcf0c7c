#include "api/resource/gpu_warnings.h"

#include "base/units.h"

#include <math.h>

/* True for an NVIDIA GPU with a lower compute capability. */
static bool is_below(const struct gpu *gpu, double capability)
{
    return gpu_compute_capability(gpu) < capability;
}

void gpu_warnings_flash_attention(struct request_context *context, const struct gpu *gpu,
                                  const char *consequence)
{
    const double needed = 8.0;

    if (is_below(gpu, needed))
        context_warn(context, "flash_attention",
                     "FlashAttention-2 needs compute capability %.1f, but %s has %s: %s", needed,
                     gpu->slug, gpu->compute_capability, consequence);
}

const char *gpu_warnings_lacking(const struct gpu *gpu, enum number format)
{
    if (format == NUMBER_FP8 && is_below(gpu, 8.9))
        return ", which compute capability 8.9 has";
    if (format == NUMBER_FP4 && is_below(gpu, 10.0))
        return ", which compute capability 10.0 has";
    return "";
}

/* From the tables of supported hardware of vLLM and bitsandbytes, 2026. Source document S2 gives
 * 7.5 for 4-bit bitsandbytes, but that is the requirement of its LLM.int8(). */
static const struct gate {
    enum number format;
    double capability;
    const char *what, *consequence;
} gates[] = {
    {NUMBER_BF16, 8.0, "bf16 arithmetic", "the times are those of fp16: convert the checkpoint"},
    {NUMBER_FP8, 7.5, "vLLM's kernel for fp8 weights", "it will not load them"},
    {NUMBER_INT8, 7.5, "LLM.int8() of bitsandbytes", "other int8 kernels may be slower"},
    {NUMBER_INT4, 7.5, "vLLM's kernel for AWQ weights",
     "GPTQ takes 7.0 and NF4 of bitsandbytes 6.0"},
};

void gpu_warnings_format(struct request_context *context, const struct gpu *gpu, enum number format)
{
    for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++)
        if (gates[i].format == format && is_below(gpu, gates[i].capability))
            context_warn(context, "compute_capability",
                         "%s needs compute capability %.1f, %s has %s: %s", gates[i].what,
                         gates[i].capability, gpu->slug, gpu->compute_capability,
                         gates[i].consequence);
}

void gpu_warnings_training(struct request_context *context, const struct gpu *gpu)
{
    if (gpu_is_nvidia(gpu) && is_below(gpu, 8.0))
        context_warn(
            context, "no_bf16",
            "%s has no BF16 arithmetic, so it trains in FP16: a model that was pre-trained "
            "in BF16 can overflow there, with losses of NaN; try a few steps first",
            gpu->slug);
}

/* ECC can be switched on in the driver of such cards (notebookcheck, support.chaos.com: about 15 %
 * slower). GDDR stores the check bits in the memory itself: a sixteenth of it
 * (exafunction.com/blog/ecc-gpu). */
void gpu_warnings_ecc(struct request_context *context, const struct gpu *gpu)
{
    if (!gpu_is_nvidia(gpu))
        return;
    if (!gpu->ecc)
        context_warn(context, "no_ecc", "%s has no ECC: flipped bits in its memory go unnoticed",
                     gpu->slug);
    else if (gpu_is_consumer(gpu))
        context_warn(context, "no_ecc",
                     "ECC is off by default on %s and is assumed off here; switching it on in "
                     "the driver leaves %.4g of %.4g GiB and was seen to cost 15%% of the speed",
                     gpu->slug, gpu->memory_marketed_bytes * 15 / 16 / GIB,
                     gpu->memory_marketed_bytes / GIB);
}

void gpu_warnings_ecc_capacity(struct request_context *context, const struct gpu *gpu)
{
    if (gpu->ecc_overhead > 0)
        context_warn(
            context, "ecc_capacity",
            "inline ECC on %s leaves %.4g of its %.4g GiB, which is what this estimate uses",
            gpu->slug, gpu->memory_bytes / GIB, gpu->memory_marketed_bytes / GIB);
}

/* The shares are those of source document S2, the peak that of S3. The connector is the card's own
 * (techgoing.com; older eight-pin connectors are rated for 150 W), not that of S3. */
void gpu_warnings_heat(struct request_context *context, const struct gpu *gpu, double gpus_per_node)
{
    const double many = 4;

    if (gpu_is_consumer(gpu) && gpus_per_node >= many)
        context_warn(
            context, "dense_chassis",
            "%.0f consumer cards in one server heat each other: dense servers are reported to "
            "lose 15%% to 25%% of throughput, which is not deducted here; cards also briefly "
            "draw more than their %.0f W, an RTX 4090 600 W through one 16-pin connector: size the "
            "power supplies for that",
            gpus_per_node, gpu->tdp);
}

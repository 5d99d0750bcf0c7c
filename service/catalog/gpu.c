#include "catalog/gpu.h"

#include "base/number.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Which figure fills which rate, and the factor of its unit to SI. */
static const struct {
    const char *figure, *unit;
    size_t offset;
    double scale;
} rates[] = {
    {"memory_capacity", "GiB", offsetof(struct gpu, memory_marketed_bytes), GIB},
    {"memory_capacity", "GB", offsetof(struct gpu, memory_marketed_bytes), GIGA},
    {"memory_reported", "MiB", offsetof(struct gpu, memory_bytes), MIB},
    {"memory_bandwidth", "GB/s", offsetof(struct gpu, memory_bandwidth), GIGA},
    {"ecc_capacity_overhead", "ratio", offsetof(struct gpu, ecc_overhead), 1},
    {"fp32_tflops", "TFLOP/s", offsetof(struct gpu, peak[PEAK_FP32]), TERA},
    {"tf32_tflops", "TFLOP/s", offsetof(struct gpu, peak[PEAK_TF32]), TERA},
    {"fp16_tflops", "TFLOP/s", offsetof(struct gpu, peak[PEAK_FP16]), TERA},
    {"bf16_tflops", "TFLOP/s", offsetof(struct gpu, peak[PEAK_BF16]), TERA},
    {"fp8_tflops", "TFLOP/s", offsetof(struct gpu, peak[PEAK_FP8]), TERA},
    {"int8_tops", "TOP/s", offsetof(struct gpu, peak[PEAK_INT8]), TERA},
    {"fp4_tflops", "TFLOP/s", offsetof(struct gpu, peak[PEAK_FP4]), TERA},
    {"link_unidirectional", "GB/s", offsetof(struct gpu, link_rate), GIGA},
    {"link_pair_unidirectional", "GB/s", offsetof(struct gpu, link_pair_rate), GIGA},
    {"scale_up_domain", "", offsetof(struct gpu, scale_up_domain), 1},
    {"pcie_unidirectional", "GB/s", offsetof(struct gpu, pcie_rate), GIGA},
    {"tdp", "W", offsetof(struct gpu, tdp), 1},
    {"link_count", "links", offsetof(struct gpu, link_count), 1},
    {"link_each_unidirectional", "GB/s", offsetof(struct gpu, link_each_rate), GIGA},
    {"board_gpu_count", "GPUs", offsetof(struct gpu, board_gpu_count), 1},
    {"half_rack_gpu_count", "GPUs", offsetof(struct gpu, half_rack_gpu_count), 1},
    {"rack_gpu_count", "GPUs", offsetof(struct gpu, rack_gpu_count), 1},
    {"network", "Gbit/s", offsetof(struct gpu, network_rate), GIGA / 8},
    {"mig_instance_count", "instances", offsetof(struct gpu, mig_instance_count), 1},
    {"warranty", "years", offsetof(struct gpu, warranty_years), 1},
};

static void set(struct gpu *gpu, size_t offset, double value)
{
    memcpy((char *)gpu + offset, &value, sizeof(value));
}

/* A rate with FP16 accumulation has a member of its own. */
static void set_fp16_accumulate(struct gpu *gpu, const struct figure *figure)
{
    if (strcmp(figure->name, "fp16_tflops") == 0)
        gpu->peak[PEAK_FP16_ACC16] = figure->value * TERA;
    else if (strcmp(figure->name, "fp8_tflops") == 0)
        gpu->peak[PEAK_FP8_ACC16] = figure->value * TERA;
}

static void set_figure(struct gpu *gpu, const struct figure *figure)
{
    if (strcmp(figure->sparsity, "sparse") == 0 || strcmp(figure->trust, "disputed") == 0)
        return;
    if (strcmp(figure->accumulate, "fp16") == 0) {
        set_fp16_accumulate(gpu, figure);
        return;
    }
    if (strcmp(figure->name, "ecc") == 0) {
        gpu->ecc = figure->value != 0;
        return;
    }
    if (strcmp(figure->name, "china_only") == 0) {
        gpu->china_only = figure->value != 0;
        return;
    }
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        if (strcmp(rates[i].figure, figure->name) == 0 &&
            (!rates[i].unit[0] || strcmp(rates[i].unit, figure->unit) == 0)) {
            set(gpu, rates[i].offset, figure->value * rates[i].scale);
            return;
        }
}

void gpu_set_figures(struct gpu *gpu, const struct figure *figures, size_t n)
{
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        set(gpu, rates[i].offset, (double)NAN);
    gpu->peak[PEAK_FP16_ACC16] = gpu->peak[PEAK_FP8_ACC16] = (double)NAN;
    gpu->ecc = gpu->china_only = false;
    gpu->figures = figures;
    gpu->n_figures = n;
    for (size_t i = 0; i < n; i++)
        set_figure(gpu, &figures[i]);
}

bool gpu_complete(struct gpu *gpu)
{
    if (!number_is_positive(gpu->memory_bytes))
        gpu->memory_bytes = gpu->memory_marketed_bytes * (1 - fmax(0, gpu->ecc_overhead));
    return number_is_positive(gpu->memory_marketed_bytes) &&
           number_is_positive(gpu->memory_bandwidth);
}

bool gpu_is_hbm(const struct gpu *gpu)
{
    return strncasecmp(gpu->memory_type, "HBM", 3) == 0;
}

bool gpu_is_gddr(const struct gpu *gpu)
{
    return strncasecmp(gpu->memory_type, "GDDR", 4) == 0;
}

bool gpu_is_amd(const struct gpu *gpu)
{
    return strcmp(gpu->vendor, "AMD") == 0;
}

bool gpu_is_nvidia(const struct gpu *gpu)
{
    return strcmp(gpu->vendor, "NVIDIA") == 0;
}

bool gpu_is_gaudi(const struct gpu *gpu)
{
    return strcmp(gpu->vendor, "Intel") == 0 && strncmp(gpu->slug, "gaudi", 5) == 0;
}

bool gpu_is_tpu(const struct gpu *gpu)
{
    return strcmp(gpu->vendor, "Google") == 0;
}

bool gpu_is_consumer(const struct gpu *gpu)
{
    return strstr(gpu->form_factor, "consumer") != NULL;
}

bool gpu_is_passive(const struct gpu *gpu)
{
    return strncmp(gpu->form_factor, "PCIe", 4) == 0 && !gpu_is_consumer(gpu) &&
           !strstr(gpu->form_factor, "workstation");
}

bool gpu_is_computer(const struct gpu *gpu)
{
    return strcmp(gpu->form_factor, "desktop") == 0;
}

bool gpu_has_bridge(const struct gpu *gpu)
{
    return strstr(gpu->link_name, "bridge") != NULL;
}

double gpu_in_servers(double count, double per_server)
{
    return ceil(count / per_server) * per_server;
}

double gpu_per_server(const struct gpu *gpu, double count, double usual)
{
    double board = gpu->board_gpu_count;

    if (gpu_is_computer(gpu))
        return 1;
    if (!(board > 1))
        return fmin(usual, count);
    usual = fmax(usual, board);
    return fmod(gpu_in_servers(count, board), usual) == 0 ? usual : board;
}

double gpu_compute_capability(const struct gpu *gpu)
{
    double capability;

    if (!gpu_is_nvidia(gpu) || !text_number(gpu->compute_capability, &capability))
        return (double)NAN;
    return capability;
}

double gpu_peak_16bit(const struct gpu *gpu)
{
    double bf16 = gpu->peak[PEAK_BF16];

    return bf16 == bf16 ? bf16 : gpu->peak[PEAK_FP16];
}

/* gpu.h - an accelerator: its published figures with their sources, and the rates derived from
 * them.
 *
 * All rates are in SI units (bytes, bytes/s, FLOP/s, W). An unpublished figure is NAN, never 0.
 */
#ifndef CATALOG_GPU_H
#define CATALOG_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* Peak rates are dense with FP32 accumulation unless the name says otherwise. */
enum peak {
    PEAK_FP32,
    PEAK_TF32,
    PEAK_FP16,
    PEAK_BF16,
    PEAK_FP8,
    PEAK_INT8,
    PEAK_FP4,
    PEAK_FP16_ACC16, /* FP16 accumulation, on cards where it is faster */
    PEAK_FP8_ACC16,
    PEAK_COUNT
};

/* A published figure as printed by its source. */
struct figure {
    const char *name;       /* such as memory_bandwidth, bf16_tflops */
    const char *unit;       /* such as GB/s, TFLOP/s */
    const char *sparsity;   /* dense, sparse, or "" if not applicable */
    const char *accumulate; /* fp32, fp16, or "" */
    double value;
    const char *source, *source_date, *trust, *note;
};

struct gpu {
    const char *slug; /* such as h100-sxm5-80gb */
    const char *name, *vendor, *architecture, *form_factor, *memory_type, *link_name;
    const char *compute_capability, *notes;
    int year;
    bool datacenter_licensed; /* false: the driver's licence forbids use in datacentres */
    bool ecc;
    bool china_only;              /* complies with export rules; sold only in China */
    double memory_bytes;          /* as reported by the driver if known, else as marketed */
    double memory_marketed_bytes; /* as printed on the box, in GiB or GB as the vendor uses it */
    double memory_bandwidth;      /* bytes/s */
    double ecc_overhead;          /* fraction of capacity used by inline ECC, 0 to 1 */
    double peak[PEAK_COUNT];      /* FLOP/s */
    double link_rate;             /* scale-up link, one direction, bytes/s */
    double link_pair_rate;        /* bandwidth between two cards, one direction, bytes/s */
    double scale_up_domain;       /* GPUs in one link domain; 1 without a link */
    double pcie_rate;             /* x16, one direction, bytes/s */
    double tdp;                   /* W */
    double link_count;            /* links per GPU, and the rate of each, one direction, bytes/s */
    double link_each_rate;
    double board_gpu_count; /* minimum sold together: 8 on a baseboard, 1 for a card */
    double half_rack_gpu_count, rack_gpu_count; /* for GPUs sold by the rack */
    double network_rate;       /* share of its reference server's network, one direction, bytes/s */
    double mig_instance_count; /* maximum number of MIG instances; 0 without MIG */
    double warranty_years;     /* the manufacturer's */
    const struct figure *figures;
    size_t n_figures;
};

bool gpu_is_hbm(const struct gpu *gpu);
/* Neither HBM nor memory shared with a CPU (LPDDR). */
bool gpu_is_gddr(const struct gpu *gpu);
bool gpu_is_amd(const struct gpu *gpu);
bool gpu_is_nvidia(const struct gpu *gpu);
bool gpu_is_gaudi(const struct gpu *gpu);
bool gpu_is_tpu(const struct gpu *gpu);
/* A card that a server's fans cool: it has none of its own. */
bool gpu_is_passive(const struct gpu *gpu);
/* GeForce: half the rate with FP32 accumulation, PCIe only. */
bool gpu_is_consumer(const struct gpu *gpu);
/* A whole computer with one GPU, such as the DGX Spark: others are reached over its network. */
bool gpu_is_computer(const struct gpu *gpu);
/* The link is a bridge between a few cards; tables treat it as PCIe unless told otherwise. */
bool gpu_has_bridge(const struct gpu *gpu);
/* GPUs per server when buying `count`: at least one board. For single cards `usual`, or `count` if
 * smaller; a whole computer has one. */
double gpu_per_server(const struct gpu *gpu, double count, double usual);
/* Rounds `count` up to whole servers. */
double gpu_in_servers(double count, double per_server);
/* NVIDIA's compute capability, such as 8.9; NAN for other vendors. */
double gpu_compute_capability(const struct gpu *gpu);
/* The highest dense 16-bit rate: bf16, else fp16. */
double gpu_peak_16bit(const struct gpu *gpu);

/* True if both are the same card, possibly as of different days: all versions of a card share one
 * interned slug. */
static inline bool gpu_same(const struct gpu *gpu, const struct gpu *other)
{
    return gpu->slug == other->slug;
}

/* Set the figures, which are borrowed, and derive the SI rates, replacing earlier ones. Disputed
 * and sparse figures are for display only and yield no rate. */
void gpu_set_figures(struct gpu *gpu, const struct figure *figures, size_t n);
/* Derive the remaining values from the rates; false if memory or bandwidth is missing. */
bool gpu_complete(struct gpu *gpu);

#endif

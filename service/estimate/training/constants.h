/* constants.h - the calibrated constants of step time and training memory.
 *
 * How each was fitted, and how well they predict runs outside the fit, is documented with it in the
 * catalogue's assumptions.
 */
#ifndef ESTIMATE_TRAINING_CONSTANTS_H
#define ESTIMATE_TRAINING_CONSTANTS_H

#include "estimate/figures/network.h"

struct training_constants {
    double eta1, gam;  /* 16-bit matrix efficiency at 1 TFLOP/s per watt, and the exponent of its
                        * decline */
    double eta8, gam8; /* the same for fp8 */
    double f4;         /* fp4 relative to fp8 */
    double ka, ke, kz; /* attention without exponentials; time per second of these; multiplier at
                        * ZeRO stage 3 */
    double kg, kg16;   /* grouped relative to dense matrix efficiency; in 16 bit before
                        * Blackwell */
    double eta_tpu, cb_tpu; /* eta1 and cb of TPUs, whose efficiency does not fall with power */
    double ka_tpu, kz_tpu;  /* ka of TPUs, with exponentials; kz of PyTorch on them */
    double cb, ce, cq;      /* operand, elementwise and cast bytes, multiples of bytes/bandwidth */
    double eb;              /* kernels over operands of several shapes, relative to those of one */
    double ff;              /* fraction of these bytes with fused kernels */
    double cw;          /* bytes of adding up gradients of experts, multiple of bytes/bandwidth */
    double fg, kf;      /* of an expert's layer the same, and kg, where its products are fused */
    double am, an, af;  /* s, minimum time of one MoE layer; on a domain of several nodes; added to
                         * either by tensor parallelism */
    double ts;          /* s, host work once per step during which the GPU waits */
    double cs;          /* selective recompute, as a fraction of a forward pass */
    double e_nv, e_net; /* link and network efficiency */
    double xtp, atp;    /* exposed fraction of tensor-parallel traffic; s per exchange */
    double xtq;         /* xtp without sequence parallelism: all-reduces that block */
    double xts;         /* xtp where the software does not overlap these exchanges */
    double xdp, x3;     /* exposed fraction of the gradient reduction; of the shorter side under
                         * ZeRO 3 */
    double kdp;         /* fraction of the concurrent passes that can hide the reduction */
    double xpp;         /* exposed fraction of transfers between interleaved stages */
    double al;          /* s, ring latency per rank */
    double sa;          /* sequence length in tokens at which attention has half its efficiency */
    double cm;          /* bytes of sorting tokens by expert and back, as a multiple of one pass */
    double gz;          /* decline of kz with TFLOP/s per watt */
    double ad, ad_adapter;   /* s, minimum time of one dense layer; with PyTorch's adapters */
    double host_staging;     /* fraction of the PCIe rate when cards cannot access each other
                              * directly */
    double host_memory_rate; /* bytes/s of host memory per GPU */
    double xa, e_a2a;        /* exposed fraction and efficiency of the all-to-all */
    double xo;               /* slowdown per second of overlapped all-to-all */
    double xcp;              /* exposed fraction of context-parallel traffic */
    double co;               /* optimizer traffic, as a multiple of bytes/bandwidth */
    double cd;               /* traffic of unpacking 4-bit weights, likewise */
    double ca, ca_fused;     /* memory passes of adapters over the inputs and outputs of their
                              * products; of software of few kernels */
    double vendor, vendor_amd, vendor_mi300, vendor_mi350, vendor_trainium, vendor_geforce_50;
    double power_ratio; /* TFLOP/s per watt for parts of unknown power */
    double cap_gemm, cap_attention;
    struct network_rates network;
    double global_batch_tokens, adapter_batch_sequences, sequence_tokens_default;
    double trainable_ratio; /* adapter weights relative to all weights */
    double micro_batch_tokens_max, micro_batch_tokens_moe, micro_batch_memory_ratio;
    double runtime_reserve_gib;
    double dense_low, dense_high, moe_low, moe_high; /* 80 % interval of the step time */
    double divided_low, divided_high;                /* of a dense layer or stage on several GPUs */
    double adapter_low, adapter_high;                /* for LoRA and QLoRA */
    double card_low, card_high;                      /* on cards with GDDR */
    double other_low, other_high;                    /* on accelerators without runs in the fit */
    double tpu_low, tpu_high;                        /* on TPUs */
    double stated_low, stated_high;                  /* between sources whose software is stated */
    double unstated_low, unstated_high;              /* where it is not */
    double mixture_low, mixture_high;                /* of mixtures not trained by Megatron */
    /* Where division and recomputation are searched; the division alone; recomputation alone.
     * `typical` is the median of published runs over the estimate. */
    double searched_low, searched_typical, searched_high;
    double searched_division_low, searched_division_typical, searched_division_high;
    double searched_recompute_low, searched_recompute_typical, searched_recompute_high;
    double dpo_low, dpo_high;                        /* with a preference objective */
    double ppo_low, ppo_high;                        /* with a critic and a reward model */
    double rollout_ratio, rollout_low, rollout_high; /* generation phase relative to the engine's
                                                      * time */
    double calendar_low, calendar_high;              /* 80 % interval of calendar_ratio */
    double batch_compute, batch_exponent, batch_tokens_most; /* for the default batch */
};

/* Fill them once for all requests; see constants_memoize(). */
void training_constants_memoize(struct catalog *catalog);
bool training_constants_fill(const struct catalog *catalog, struct training_constants *constants,
                             struct err *err) MUST_CHECK;

/* The member named `key` in the catalogue, without scope, for calibration; NULL if there is none.
 */
double *training_constant(struct training_constants *constants, const char *key);

#endif

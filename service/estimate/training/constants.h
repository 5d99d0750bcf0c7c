/* constants.h - the calibrated constants of step time and training memory.
 *
 * How they were fitted, and how well they predict runs they were not fitted to, stands alongside
 * each in the catalogue's assumptions.
 */
#ifndef ESTIMATE_TRAINING_CONSTANTS_H
#define ESTIMATE_TRAINING_CONSTANTS_H

#include "estimate/figures/network.h"

struct training_constants {
    double eta1, gam;    /* 16-bit matrix efficiency at 1 TFLOP/s per watt, and its fall */
    double eta8, gam8;   /* the same of fp8 */
    double f4;           /* fp4 over fp8 */
    double ka, ga, kz;   /* attention; multiplier at ZeRO stage 3 */
    double kg;           /* grouped over dense matrix efficiency */
    double cb, ce, cq;   /* operand, elementwise and cast bytes, multiples of bytes/bandwidth */
    double ff;           /* share of these bytes that fused kernels move */
    double cw;           /* bytes of adding up gradients of experts, multiple of bytes/bandwidth */
    double fg, kf;       /* of an expert's layer the same, and kg, where its products are fused */
    double am, an, af;   /* s, floor of one MoE layer; on a domain of several nodes; what tensor
                            parallelism adds to either */
    double ts;           /* s, host work once per step while the GPU waits */
    double cs;           /* selective recompute, share of a forward pass */
    double e_nv, e_net;  /* link and network efficiency */
    double xtp, atp;     /* exposed share of tensor-parallel traffic; s per exchange */
    double xtq;          /* the former where the sequence is not divided: all-reduces that block */
    double xdp, x3;      /* exposed share of the reduction; of the shorter side under ZeRO 3 */
    double kdp;          /* share of the passes alongside the reduction that can hide it */
    double xpp;          /* exposed share of what interleaved stages send each other */
    double al;           /* s, latency of a ring per rank */
    double sa;           /* tokens of a sequence at which attention has half its efficiency */
    double hd;           /* how attention loses with heads below 128 elements, an exponent */
    double cm;           /* bytes of sorting tokens by expert and back, multiple of one pass */
    double gz;           /* fall of kz with TFLOP/s per watt */
    double ad;           /* s, floor of one dense layer */
    double host_staging; /* share of the PCIe rate where cards cannot reach each other directly */
    double host_memory_rate; /* bytes/s of host memory per GPU */
    double xa, e_a2a;        /* exposed share and efficiency of the all-to-all */
    double xo;               /* time lost per second of all-to-all that is overlapped */
    double xcp;              /* exposed share of context-parallel traffic */
    double co;               /* optimizer bytes, multiple of bytes/bandwidth */
    double cd;               /* bytes of unpacking 4-bit weights, the same */
    double ca;               /* passes of adapters over inputs and outputs of their products */
    double vendor, vendor_amd, vendor_mi300, vendor_mi350;
    double power_ratio; /* TFLOP/s per watt where the power of a part is not known */
    double cap_gemm, cap_attention;
    struct network_rates network;
    double global_batch_tokens, adapter_batch_sequences, sequence_tokens_default;
    double trainable_ratio; /* adapter weights over all weights */
    double micro_batch_tokens_max, micro_batch_memory_ratio;
    double runtime_reserve_gib;
    double dense_low, dense_high, moe_low, moe_high; /* 80 % interval of the step time */
    double adapter_low, adapter_high;                /* of LoRA and QLoRA */
    double card_low, card_high;                      /* on cards with GDDR */
    double other_low, other_high;                    /* on accelerators without runs in the fit */
    double dpo_low, dpo_high;                        /* with a preference objective */
    double rollout_ratio, rollout_low, rollout_high; /* generation phase over the engine's time */
    double calendar_low, calendar_high;              /* 80 % interval of calendar_ratio */
    double batch_compute, batch_exponent, batch_tokens_most; /* of the default batch */
};

/* Fill them once for all questions; constants_memoize(). */
void training_constants_memoize(struct catalog *catalog);
bool training_constants_fill(const struct catalog *catalog, struct training_constants *constants,
                             struct err *err) MUST_CHECK;

/* The member called `key` in the catalogue, of no scope; NULL where there is none. A fit sets it.
 */
double *training_constant(struct training_constants *constants, const char *key);

#endif

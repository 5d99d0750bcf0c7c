/* training.h - the time of a training step on a given GPU and strategy, and its parts.
 *
 * Symbols of the formulas are given in brackets. All figures are in SI units: bytes, seconds, FLOP.
 */
#ifndef ESTIMATE_TRAINING_TRAINING_H
#define ESTIMATE_TRAINING_TRAINING_H

#include "base/cancel.h"
#include "estimate/figures/collective.h"
#include "estimate/figures/model_shape.h"
#include "estimate/training/constants.h"

enum training_method {
    TRAINING_PRETRAIN,
    TRAINING_FULL,
    TRAINING_LORA,
    TRAINING_QLORA,
    TRAINING_METHODS
};

/* The training objective. */
enum training_objective {
    TRAINING_NEXT_TOKEN,
    TRAINING_DPO,  /* pairs of answers, one preferred (Rafailov et al., arXiv 2305.18290) */
    TRAINING_GRPO, /* answers it generates, scored within a group (Shao et al., arXiv 2402.03300) */
    TRAINING_PPO,  /* answers it generates, scored by a reward model and judged by a critic that is
                    * trained too (Ouyang et al., arXiv 2203.02155) */
    TRAINING_EMBEDDING, /* texts told apart from the others of their batch (InfoNCE; Wang et al.,
                         * arXiv 2212.03533) */
    TRAINING_OBJECTIVES
};

enum training_precision {
    TRAINING_BF16,
    TRAINING_FP16,
    TRAINING_FP32,
    TRAINING_TF32,
    TRAINING_FP8,
    TRAINING_FP4,
    TRAINING_PRECISIONS
};

enum training_optimizer {
    TRAINING_ADAMW,
    TRAINING_ADAM,
    TRAINING_SGD,
    TRAINING_ADAFACTOR,
    TRAINING_ADAMW_8BIT,
    TRAINING_MUON,
    TRAINING_OPTIMIZERS
};

enum training_recompute {
    TRAINING_RECOMPUTE_AUTO = -1,
    TRAINING_RECOMPUTE_NONE,
    TRAINING_RECOMPUTE_SELECTIVE,
    TRAINING_RECOMPUTE_FULL,
    TRAINING_RECOMPUTE_PARTIAL, /* modules of some layers, and some whole layers: recompute.h */
    TRAINING_RECOMPUTES
};

/* The training software, as far as it affects memory or time. */
enum training_stack {
    TRAINING_STACK_UNSPECIFIED,
    TRAINING_STACK_MEGATRON,
    TRAINING_STACK_GRAPHS, /* Megatron Core of June 2026: the step is one CUDA graph, products of
                              experts are one kernel with activation and quantization */
    TRAINING_STACK_FUSED,  /* llm.c, LLM.Q: few kernels, in C++ and CUDA, that keep their buffers */
    TRAINING_STACK_FSDP,   /* from here on gradients are allocated temporarily */
    TRAINING_STACK_DEEPSPEED,
    TRAINING_STACK_JAX,
    TRAINING_STACKS
};

/* What is kept in host memory and transferred over PCIe on use. */
enum training_offload {
    TRAINING_OFFLOAD_NONE,
    TRAINING_OFFLOAD_OPTIMIZER,  /* states, and the update itself */
    TRAINING_OFFLOAD_PARAMETERS, /* those and the weights */
    TRAINING_OFFLOADS
};

/* The order of micro-batches in a pipeline. */
enum training_schedule {
    TRAINING_1F1B,        /* one forward, one backward; interleaved if virtual_stages > 1 */
    TRAINING_ZERO_BUBBLE, /* weight gradients fill the bubble (Qi et al., arXiv 2401.10241) */
    TRAINING_DUALPIPE,    /* micro-batches from both ends (DeepSeek-V3, arXiv 2412.19437) */
    TRAINING_SCHEDULES
};

/* The software that sends tokens to their experts. */
enum training_dispatcher {
    TRAINING_DISPATCHER_UNSPECIFIED,
    TRAINING_ALL_TO_ALL, /* NCCL's all-to-all: one copy of the token per expert */
    TRAINING_DEEPEP,     /* these two: one copy per node with some of the experts */
    TRAINING_HYBRIDEP,
    TRAINING_DISPATCHERS
};

/* What is trained, how and on what: everything except the strategy. */
struct training_job {
    const struct training_constants *constants;
    const struct gpu *gpu;
    const struct cancel *cancel; /* polled by searches; NULL if they cannot be cancelled */
    struct model_shape shape;
    enum training_method method;
    enum training_objective objective;
    enum training_precision precision;
    enum training_optimizer optimizer;
    double trainable_ratio; /* adapter weights relative to all weights, for LoRA and QLoRA */
    double sequence_tokens; /* [s] */
    double batch_sequences; /* [B]; NAN: as close to batch_default as whole micro-batches allow */
    double batch_default;   /* sequences */
    double gpus_per_node;   /* a smaller run has a single, smaller node */
    double network_rate;    /* [B_net] bytes/s per GPU, one direction */
    double power;           /* W per GPU: TDP, or the power limit if set */
    bool flash_attention, communication_overlap;
    bool tensor_overlap; /* products run while tensor-parallel exchanges do */
    enum training_stack stack;
    double gradient_bytes, moment_bytes; /* per weight: its gradient, and each of its moments; 0: as
                                          * implied by precision, optimizer and stack */
    bool single_copy;                    /* 16-bit weights have no FP32 copy */
    bool fused_update;                   /* gradients are consumed during the backward pass */
    bool chunked_loss;                   /* the loss processes the logits in chunks */
    bool eager;                          /* PyTorch does not compile the model */
    bool native_attention;               /* PyTorch takes attention kernels written for this GPU */
    bool early_attention;     /* the software is older than attention kernels for this GPU */
    bool offload_activations; /* activations are kept in host memory until the backward
                               * pass */
    double frozen_layers;     /* the first n layers and the embedding are not trained */
    double critic_ratio; /* weights of critic and reward model over the policy's; 0 without them */
    enum training_offload offload;
    enum training_schedule schedule;
    enum training_dispatcher dispatcher;
    bool expert_overlap;  /* one micro-batch computes while another's tokens are exchanged */
    double memory_excess; /* of what the framework allocates over the account, by measured runs */
};

/* How the work is divided. NAN, or TRAINING_RECOMPUTE_AUTO, leaves the choice to a search. */
struct training_strategy {
    double gpu_count;
    double tensor, pipeline, context, expert, data; /* [t p c e D] */
    double virtual_stages, micro_batch, zero_stage; /* [v b z] */
    double shard;             /* replicas that share one copy of the states; NAN or 0 for all */
    double sequence_parallel; /* 0 or 1 */
    enum training_recompute recompute;
    unsigned modules;       /* with partial recompute: modules recomputed in `part` of the layers */
    double part, whole;     /* fractions of the layers; `whole` is recomputed entirely */
    double batch_sequences; /* [B]: the job's, or chosen by the search */
};

/* Bytes per parameter: the stored weight, its gradient, and the optimizer's data, which in
 * embeddings and head is larger by `table` if the optimizer treats layer matrices differently. */
struct training_bytes {
    double weight, gradient, optimizer, table;
};

/* Rates and widths that depend only on the job. */
struct training_rates {
    double power_ratio;       /* [x] dense 16-bit TFLOP/s per watt */
    double peak, peak_linear; /* [P P_l] FLOP/s of attention and head; of the layers */
    double eta_16, eta_linear, eta_attention; /* before the factor [kz] */
    double zero_3_attention;                  /* [kz] for this GPU */
    double operand_bytes;                     /* [ob] per element of a matrix operand */
    double element_bytes;                     /* per activation, and per weight as sent */
    double cb, ce, cq;  /* multiples of bytes over bandwidth: operands, elementwise work, casts */
    double logit_bytes; /* memory traffic of the loss */
    double expert_bytes, grouped; /* share of these bytes that layers of experts move; efficiency of
                                     grouped products over that of dense ones */
    double weight_gradient;       /* [w] 2 with weight gradients, 1 without */
    struct training_bytes bytes;  /* training_job_bytes() */
    double trained;               /* fraction of all weights: adapters, or layers that are not
                                   * frozen */
};

/* One layer, one micro-batch, one GPU, averaged over the model's layers. */
struct training_layer {
    double tokens;                             /* [T] */
    double flop_dense, bytes_dense;            /* [F_d Y_d] */
    double flop_expert, bytes_expert;          /* [F_e Y_e] */
    double t_gemm, t_experts, t_cast;          /* s */
    double bytes_elementwise, t_elementwise;   /* [Y_el] */
    double bytes_scores;                       /* the score matrix's part of these */
    double flop_attention, t_attention;        /* [F_att] */
    double t_dequantize;                       /* QLoRA: unpacking the weights once */
    double t_gradients;                        /* adding up those of the experts */
    double t_products;                         /* forward: all of the above except elementwise */
    double t_forward, t_backward, t_recompute; /* [t_fwd t_bwd t_rec] */
    double t_tensor, t_context, t_all_to_all;  /* [t_tp t_cp t_a2a] */
    double t_floor;                            /* added by the minimum time of an MoE layer */
    double t_total;                            /* [t_layer] */
    double t_arithmetic, t_memory;             /* of forward, backward and recompute */
};

/* Seconds of one step, and intermediate sums. */
struct training_step {
    struct training_layer layer;
    double micro_batches;                 /* [m] */
    double t_head, t_average, t_max;      /* [t_head t_avg t_max] */
    double t_point_to_point;              /* [t_p2p] */
    double ring_rate;                     /* [B_dp] */
    double weights_dense, weights_expert; /* [N_t N_e] on one GPU */
    double t_streamed, t_micro_batch;     /* with weights from ZeRO 3 or the host [t_z3], [t_mb] */
    double t_reduction, t_hidden; /* of gradients and weights; the part hidden by the passes */

    /* The lines, which add up to the step: */
    double compute, tensor_communication, pipeline_bubble, pipeline_communication,
        data_communication, expert_communication, context_communication, recompute, optimizer_step;
    double seconds;            /* [T_step] */
    double arithmetic, memory; /* parts of compute and recompute bound by each */
};

/* Names as in the API; find returns -1 for an unknown name. */
const char *training_method_name(enum training_method method);
const char *training_precision_name(enum training_precision precision);
const char *training_recompute_name(enum training_recompute recompute);
int training_method_find(const char *name);
int training_objective_find(const char *name);
int training_precision_find(const char *name);
int training_optimizer_find(const char *name);
int training_recompute_find(const char *name);
int training_stack_find(const char *name);
int training_offload_find(const char *name);
int training_schedule_find(const char *name);
const char *training_dispatcher_name(enum training_dispatcher dispatcher);
int training_dispatcher_find(const char *name);

static inline bool training_adapters(enum training_method method)
{
    return method == TRAINING_LORA || method == TRAINING_QLORA;
}

/* True if plain PyTorch trains it, with FSDP or DeepSpeed. */
static inline bool training_plain_torch(const struct training_job *job)
{
    return job->stack == TRAINING_STACK_FSDP || job->stack == TRAINING_STACK_DEEPSPEED;
}

/* True if answers are compared with those of a reference model. */
static inline bool training_compares(const struct training_job *job)
{
    return job->objective != TRAINING_NEXT_TOKEN && job->objective != TRAINING_EMBEDDING;
}

/* True if a frozen reference model is kept in memory. With adapters the reference is the same
 * weights with the adapters switched off. */
static inline bool training_holds_reference(const struct training_job *job)
{
    return training_compares(job) && !training_adapters(job->method);
}

/* True if each step begins with answers that the model generates. */
static inline bool training_generates(const struct training_job *job)
{
    return job->objective == TRAINING_GRPO || job->objective == TRAINING_PPO;
}

/* The GPU's dense rate in that precision, FLOP/s; NAN if it has none. */
double training_peak(const struct gpu *gpu, enum training_precision precision);
/* Fill in what is NAN in the job: sequence, batch, node, network, power, adapter share. `gpu_count`
 * is NAN if it is still to be chosen. */
void training_complete(struct training_job *job, double gpu_count);
/* Set the default batch for a run on that many tokens: it grows with the compute, as in published
 * runs. NAN leaves it unchanged. */
void training_set_default_batch(struct training_job *job, double tokens);
/* The ZeRO stage of a software where none is given, NAN if that is left to the search. */
double training_usual_zero_stage(enum training_stack stack, const struct training_strategy *pinned);
/* True for fine-tuning, unless the software is known not to be PyTorch's own. */
bool training_tunes_with_torch(const struct training_job *job);
/* What is stated, and full for fine-tuning with PyTorch where it is open. */
enum training_recompute training_usual_recompute(const struct training_job *job,
                                                 enum training_recompute stated);
/* Whether the software compiles the loss, so that FP32 logits are never in memory as a whole. */
bool training_compiles_loss(const struct training_job *job);
/* Whether the software overlaps the exchanges of tensor parallelism with products, where that is
 * not stated. */
bool training_usual_tensor_overlap(const struct training_job *job);
/* Whether PyTorch takes attention kernels written for the GPU, where that is not stated. */
bool training_usual_native_attention(const struct gpu *gpu);
/* Whether attention is fused, where that is not stated. */
bool training_usual_flash_attention(const struct training_job *job);
/* Whether norms may be single operations of PyTorch: other software has kernels of its own. */
bool training_may_be_eager(const struct training_job *job);
/* Whether one CUDA graph launches the whole step, so that nothing in it waits for the host. */
bool training_graphs(const struct training_job *job);
/* True if expert exchanges are overlapped by default, when the expert degree is chosen by the
 * search (NAN): Megatron-LM supports it since Core 0.14 of September 2025
 * (megatron/core/transformer/moe, README.md). Published runs that give the degree rarely say, and
 * are a mixture of both. */
bool training_usual_overlap(const struct training_job *job, double expert);
/* bf16 if the GPU has it, else fp16, else fp32. */
enum training_precision training_usual_precision(const struct gpu *gpu);

/* Rates of the job, and the links between its GPUs: scale-up link in a node, network beyond. */
struct training_rates training_rates(const struct training_job *job);
struct links training_links(const struct training_job *job, double gpu_count);

/* All members of the strategy except the recompute must be known. */
struct training_layer training_layer(const struct training_job *job,
                                     const struct training_rates *rates, const struct links *links,
                                     const struct training_strategy *strategy);
/* The same in two steps: its work, which does not depend on recompute and ZeRO stage; then the
 * rest. */
struct training_layer training_layer_work(const struct training_job *job,
                                          const struct training_rates *rates,
                                          const struct training_strategy *strategy);
void training_layer_time(const struct training_job *job, const struct training_rates *rates,
                         const struct links *links, const struct training_strategy *strategy,
                         struct training_layer *layer);
/* The exposed fraction of exchanges inside a layer: with sequence parallelism they overlap with the
 * products; all-reduces block the forward pass. */
double training_tensor_exposed(const struct training_job *job,
                               const struct training_strategy *strategy);
/* True if another micro-batch computes during the all-to-all; DualPipe pairs two for that. */
bool training_expert_overlap(const struct training_job *job);
/* Seconds of a layer's token exchange, one direction. */
double training_dispatch_time(const struct training_job *job, const struct links *links,
                              const struct training_strategy *strategy, double bytes);
/* Seconds that the launches of a layer take, forward and backward; a third more where it is
 * recomputed in full. In a mixture of experts the host waits for the number of tokens per expert;
 * on scale-up domains that span nodes, training software keeps that number on the GPU (HybridEP)
 * and captures more of a layer in CUDA graphs. Tensor parallelism launches its collectives one
 * after the other (CUDA_DEVICE_MAX_CONNECTIONS=1). */
double training_layer_floor(const struct training_job *job, double tensor);
/* The parts of a forward pass that the strategy recomputes. Selective recomputation covers the
 * attention core in Megatron-LM (Korthikanti et al., arXiv 2205.05198, section 5), and every second
 * product under FSDP (torchtitan) [cs]. */
struct training_again {
    double products, elementwise, attention;
};
struct training_again training_again(const struct training_job *job,
                                     const struct training_strategy *strategy,
                                     const struct training_layer *layer);

void training_step(const struct training_job *job, const struct training_rates *rates,
                   const struct training_strategy *strategy, struct training_step *step);
/* The same with a known layer: many strategies share one, since a layer depends only on tensor,
 * context and expert degree, micro-batch, sequence parallelism, recompute, and whether the ZeRO
 * stage is 3. `links` are those of the strategy's number of GPUs. */
void training_step_with_layer(const struct training_job *job, const struct training_rates *rates,
                              const struct links *links, const struct training_strategy *strategy,
                              const struct training_layer *layer, struct training_step *step);

/* Seconds of the output layer and the loss for a micro-batch of n tokens. */
struct training_head {
    double products, moved;
};
struct training_head training_head(const struct training_job *job,
                                   const struct training_rates *rates,
                                   const struct training_strategy *strategy, double tokens);
/* Seconds per micro-batch of n tokens to send activations between stages. */
double training_point_to_point(const struct training_job *job, const struct training_rates *rates,
                               const struct links *links, const struct training_strategy *strategy,
                               double tokens);

/* Layers and heads of the slowest stage. If layers do not divide evenly among the stages, embedding
 * and head take one layer's place each (as in Llama 3 405B with 126 layers); since layers are
 * whole, the slowest stage has the mean rounded up. */
void training_slowest_stage(const struct training_strategy *strategy, double layers,
                            double *n_layers, double *n_heads);

/* Model FLOP per token, forward and backward, without recomputation: causal attention, embedding
 * look-up not counted (Megatron-LM, training.py). */
double training_flop_per_token(const struct training_job *job);
/* The part of attention, forward: causal, so half of the square. */
double training_attention_flop(const struct training_job *job);
/* Hardware FLOP per model FLOP with that recompute: 4/3 for full recompute. */
double training_hardware_ratio(const struct training_job *job,
                               const struct training_strategy *strategy);
/* Fraction of the layers that are recomputed entirely. */
static inline double training_whole_layers(const struct training_strategy *on)
{
    return on->recompute == TRAINING_RECOMPUTE_FULL      ? 1
           : on->recompute == TRAINING_RECOMPUTE_PARTIAL ? on->whole
                                                         : 0;
}

/* Fraction of the causal square that is computed, averaged over all layers: a window reduces it,
 * linear attention has none, an encoder looks both ways. */
double training_attention_share(const struct model_shape *shape, double sequence);

/* Weights of one layer on one GPU, averaged over the layers. */
void training_layer_weights(const struct model_shape *shape,
                            const struct training_strategy *strategy, double *dense,
                            double *expert);
/* Weights of one stage on one GPU, dense and expert. `layers` is the number in the stage. */
void training_weights(const struct model_shape *shape, const struct training_strategy *strategy,
                      double layers, double *dense, double *expert);

/* Layers of a stage, and the first of them. If layers do not divide evenly, embedding and head take
 * one layer's place each. */
double training_stage_layers(const struct model_shape *shape, double pipeline, double stage,
                             double *begins);

/* Width of the output layer; 0 without one. */
static inline double training_output_vocabulary(const struct model_shape *shape)
{
    return shape->headless ? 0 : shape->vocab;
}

/* Matrix weights multiplied with one token: only the experts it is routed to count. */
double training_active_weights(const struct model_shape *shape);

struct training_bytes training_bytes(enum training_precision precision,
                                     enum training_optimizer optimizer);
/* The same, including what the job says about copies and widths. */
struct training_bytes training_job_bytes(const struct training_job *job);
/* The part of those for the compute precision. */
double training_weight_bytes(const struct training_job *job);
/* Bytes of each moment of a weight; 0 if the optimizer has none. */
double training_moment_bytes(const struct training_job *job);
/* True if the optimizer keeps an FP32 copy of each trained weight. */
bool training_master_copy(const struct training_job *job);
/* True if the FP32 shard is the only copy, and the 16-bit weights are made from it on gathering. */
bool training_only_master(const struct training_job *job, const struct training_strategy *on);

#endif

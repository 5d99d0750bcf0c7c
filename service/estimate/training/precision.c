/* precision.c - the words of a training job (methods, precisions, optimizers), and the bytes and
 * rates they imply. */
#include "estimate/training/memory.h"

#include <math.h>
#include <string.h>

/* Default GPUs per node. */
static const double NODE_GPUS = 8;

static const char *const methods[TRAINING_METHODS] = {"pretrain", "full", "lora", "qlora"};

static const struct {
    const char *name;
    enum peak peak;
    bool single; /* 4-byte weights and activations, without a second copy of the weights */
} precisions[TRAINING_PRECISIONS] = {
    [TRAINING_BF16] = {"bf16", PEAK_BF16, false}, [TRAINING_FP16] = {"fp16", PEAK_FP16, false},
    [TRAINING_FP32] = {"fp32", PEAK_FP32, true},  [TRAINING_TF32] = {"tf32", PEAK_TF32, true},
    [TRAINING_FP8] = {"fp8", PEAK_FP8, false},    [TRAINING_FP4] = {"fp4", PEAK_FP4, false},
};

/* Moments per trained weight, in addition to the FP32 master copy of mixed precision. Adafactor
 * keeps only rows and columns (arXiv 1804.04235), the 8-bit optimizer two one-byte moments (arXiv
 * 2110.02861). Muon keeps one momentum for the layers' matrices and leaves embeddings and head to
 * AdamW (Jordan et al. 2024; arXiv 2502.16982, section 2.2). */
static const struct {
    const char *name;
    double moments, table_moments;
    double moment_bytes; /* 0: as wide as what is updated */
} optimizers[TRAINING_OPTIMIZERS] = {
    [TRAINING_ADAMW] = {"adamw", 2, 2, 0},
    [TRAINING_ADAM] = {"adam", 2, 2, 0},
    [TRAINING_SGD] = {"sgd", 1, 1, 0},
    [TRAINING_ADAFACTOR] = {"adafactor", 0, 0, 0},
    [TRAINING_ADAMW_8BIT] = {"adamw_8bit", 2, 2, 1},
    [TRAINING_MUON] = {"muon", 1, 2, 0},
};

static const char *const recomputes[TRAINING_RECOMPUTES] = {"none", "selective", "full", "partial"};
static const char *const stacks[TRAINING_STACKS] = {
    "unspecified", "megatron", "megatron_graphs", "fused", "fsdp", "deepspeed", "jax"};
static const char *const offloads[TRAINING_OFFLOADS] = {"none", "optimizer", "parameters"};
static const char *const objectives[TRAINING_OBJECTIVES] = {"next_token", "dpo", "grpo", "ppo",
                                                            "embedding"};
static const char *const schedules[TRAINING_SCHEDULES] = {"1f1b", "zero_bubble", "dualpipe"};
static const char *const memory_kinds[TRAINING_MEMORY_KINDS] = {"allocated", "reserved", "device"};
static const char *const dispatchers[TRAINING_DISPATCHERS] = {"unspecified", "alltoall", "deepep",
                                                              "hybridep"};

const char *training_method_name(enum training_method method)
{
    return methods[method];
}

const char *training_precision_name(enum training_precision precision)
{
    return precisions[precision].name;
}

const char *training_recompute_name(enum training_recompute recompute)
{
    return recompute == TRAINING_RECOMPUTE_AUTO ? "auto" : recomputes[recompute];
}

/* The index of the name; -1 if unknown. */
static int find(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

int training_method_find(const char *name)
{
    return find(methods, TRAINING_METHODS, name);
}

int training_precision_find(const char *name)
{
    for (int i = 0; i < TRAINING_PRECISIONS; i++)
        if (strcmp(precisions[i].name, name) == 0)
            return i;
    return -1;
}

int training_optimizer_find(const char *name)
{
    for (int i = 0; i < TRAINING_OPTIMIZERS; i++)
        if (strcmp(optimizers[i].name, name) == 0)
            return i;
    return -1;
}

int training_recompute_find(const char *name)
{
    for (int i = 0; i < TRAINING_RECOMPUTES; i++)
        if (strcmp(recomputes[i], name) == 0)
            return i;
    return TRAINING_RECOMPUTE_AUTO;
}

int training_stack_find(const char *name)
{
    return find(stacks, TRAINING_STACKS, name);
}

int training_objective_find(const char *name)
{
    return find(objectives, TRAINING_OBJECTIVES, name);
}

int training_offload_find(const char *name)
{
    return find(offloads, TRAINING_OFFLOADS, name);
}

int training_schedule_find(const char *name)
{
    return find(schedules, TRAINING_SCHEDULES, name);
}

int training_memory_find(const char *kind)
{
    return find(memory_kinds, TRAINING_MEMORY_KINDS, kind);
}

const char *training_dispatcher_name(enum training_dispatcher dispatcher)
{
    return dispatchers[dispatcher];
}

int training_dispatcher_find(const char *name)
{
    return find(dispatchers, TRAINING_DISPATCHERS, name);
}

double training_peak(const struct gpu *gpu, enum training_precision precision)
{
    return gpu->peak[precisions[precision].peak];
}

bool training_master_copy(const struct training_job *job)
{
    return !job->single_copy && !precisions[job->precision].single;
}

bool training_only_master(const struct training_job *job, const struct training_strategy *on)
{
    bool gathered = on->zero_stage >= 3 && job->stack == TRAINING_STACK_FSDP;

    return (gathered || job->stack == TRAINING_STACK_JAX) && training_master_copy(job);
}

double training_weight_bytes(const struct training_job *job)
{
    return precisions[job->precision].single ? 4 : 2;
}

/* Without an FP32 copy the update works on the weights themselves, and its moments have their
 * width. */
static double update_bytes(const struct training_job *job)
{
    return training_master_copy(job) ? 4 : training_weight_bytes(job);
}

double training_moment_bytes(const struct training_job *job)
{
    double moment = optimizers[job->optimizer].moment_bytes;

    if (optimizers[job->optimizer].moments == 0)
        return 0;
    if (job->moment_bytes > 0)
        return job->moment_bytes;
    return moment > 0 ? moment : update_bytes(job);
}

/* Megatron adds up and reduces FP16 gradients in FP16 and copies them to FP32 for the update: 20
 * bytes a weight, 4 + 16 / d divided over d ranks (Megatron Core's guide, Distributed Optimizer).
 */
static bool copies_gradients(const struct training_job *job)
{
    bool megatron = job->stack == TRAINING_STACK_MEGATRON || job->stack == TRAINING_STACK_GRAPHS;

    return megatron && job->precision == TRAINING_FP16 && job->gradient_bytes < 4;
}

static bool narrow(const struct training_job *job)
{
    return job->precision == TRAINING_FP8 || job->precision == TRAINING_FP4;
}

/* DeepSpeed, llm.c and LLM.Q keep gradients in 16 bit; so do Megatron's fp8 recipes, which also
 * reduce them in 16 bit (Megatron-Bridge, mixed_precision.py, grad_reduce_in_fp32). */
static bool narrow_gradients(const struct training_job *job)
{
    return job->stack == TRAINING_STACK_DEEPSPEED || job->stack == TRAINING_STACK_FUSED ||
           copies_gradients(job) || (narrow(job) && job->stack <= TRAINING_STACK_GRAPHS);
}

struct training_bytes training_job_bytes(const struct training_job *job)
{
    double moment = training_moment_bytes(job), moments = optimizers[job->optimizer].moments;
    double gradient = job->gradient_bytes;

    if (gradient == 0)
        gradient = narrow_gradients(job) ? training_weight_bytes(job) : update_bytes(job);
    double copies = (training_master_copy(job) ? 4 : 0) + (copies_gradients(job) ? 4 : 0);
    return (struct training_bytes){training_weight_bytes(job), gradient, copies + moments * moment,
                                   (optimizers[job->optimizer].table_moments - moments) * moment};
}

struct training_bytes training_bytes(enum training_precision precision,
                                     enum training_optimizer optimizer)
{
    return training_job_bytes(
        &(struct training_job){.precision = precision, .optimizer = optimizer});
}

/* RTX 5060 to RTX 5090, but not RTX 5000 Ada. */
static bool is_geforce_50(const char *slug)
{
    return strncmp(slug, "rtx-50", 6) == 0 && slug[6] >= '6';
}

/* The efficiency of a vendor's software relative to NVIDIA's, by part if its runs support that;
 * GeForce RTX 50 cards run at a higher clock than their data sheets say. */
static double vendor(const struct training_job *job)
{
    const struct training_constants *k = job->constants;
    const char *slug = job->gpu->slug;

    if (!gpu_is_amd(job->gpu))
        return strncmp(slug, "trainium", 8) == 0 ? k->vendor_trainium
               : is_geforce_50(slug)             ? k->vendor_geforce_50
                                                 : k->vendor;
    return strncmp(slug, "mi30", 4) == 0   ? k->vendor_mi300
           : strncmp(slug, "mi35", 4) == 0 ? k->vendor_mi350
                                           : k->vendor_amd;
}

/* Systolic arrays of TPUs run at one clock whatever the load, so that their efficiency does not
 * fall with FLOP/s per watt; XLA loads operands of the next tile during the products of one. */
static double eta_16(const struct training_job *job, double x)
{
    const struct training_constants *k = job->constants;
    double eta = gpu_is_tpu(job->gpu) ? k->eta_tpu : k->eta1 * pow(x, -k->gam);

    return fmin(k->cap_gemm, eta) * vendor(job);
}

/* 16-bit rates for 16-bit and narrower precisions: attention and the head stay in 16 bit.
 */
static double wide_peak(const struct training_job *job)
{
    if (precisions[job->precision].single || job->precision == TRAINING_FP16)
        return training_peak(job->gpu, job->precision);
    return gpu_peak_16bit(job->gpu);
}

/* Exponentials per second: 16 per clock and multiprocessor from Hopper to Blackwell and before
 * (https://www.together.ai/blog/flashattention-4), twice that on Blackwell Ultra
 * (https://developer.nvidia.com/blog/making-softmax-more-efficient-with-nvidia-blackwell-ultra/). A
 * multiprocessor has 64 FP32 lanes up to compute capability 8.0, 128 since. NAN for other vendors.
 */
static double exponential_rate(const struct gpu *gpu)
{
    double capability = gpu_compute_capability(gpu);
    double lanes = capability < 8.5 ? 64 : 128, per_clock = 16;

    if (strcmp(gpu->architecture, "Blackwell Ultra") == 0)
        per_clock *= 2;
    return isnan(capability) ? (double)NAN : per_clock * gpu->peak[PEAK_FP32] / (2 * lanes);
}

/* TFLOP/s per watt of an A100, for which the kernels of FlashAttention 2 were written. */
static const double A100_POWER_RATIO = 0.78;

/* Time of attention's exponentials relative to that of its products. Each score takes one
 * exponential and four FLOP per element of a head; wider heads than 128 are computed in parts of
 * that width. For other vendors it is that of NVIDIA's data-centre GPUs at the same TFLOP/s per
 * watt: 0.25 for A100 (0.78), 0.46 for H100 (1.41), 0.88 for B200 (2.25). */
static double exponential_ratio(const struct training_job *job, double peak, double x)
{
    const double a100 = 0.25, growth = 1.2;
    double width = fmin(128, job->shape.prefill_key_dim), rate = exponential_rate(job->gpu);

    if (rate > 0)
        return peak / (4 * width) / rate;
    return a100 * pow(x / A100_POWER_RATIO, growth) * 128 / width;
}

/* TPUs compute scores in vector units that hold up their matrix units, at a rate that was timed
 * with both. */
static double attention_efficiency(const struct training_job *job, double peak, double x)
{
    const struct training_constants *k = job->constants;
    double full = job->sequence_tokens / (job->sequence_tokens + k->sa);

    if (gpu_is_tpu(job->gpu))
        return fmin(k->cap_attention, k->ka_tpu) * full;
    /* Without fusion they are a pass of its own over the scores, which is counted as memory
     * traffic. */
    double beside = job->flash_attention ? k->ke * exponential_ratio(job, peak, x) : 0;
    /* Kernels for the GPU before fall behind as those of PyTorch's stacks do, which `kz` is for. */
    double early = job->early_attention ? fmin(1, pow(x / A100_POWER_RATIO, -k->gz)) : 1;

    return fmin(k->cap_attention, k->ka / (1 + beside)) * early * vendor(job) * full;
}

/* Grouped products in 16 bit are near dense ones up to Hopper, not on Blackwell: there those of
 * PyTorch have 0.35 to 0.43 of the peak whatever the number of groups (pytorch/ao,
 * torchao/prototype/moe_training/README.md, BF16 column), as kg has them. */
static double grouped(const struct training_job *job)
{
    const struct training_constants *k = job->constants;
    bool blackwell = gpu_compute_capability(job->gpu) >= 10;

    if (training_graphs(job))
        return k->kf;
    return narrow(job) || blackwell ? k->kg : k->kg16;
}

/* Bytes that the loss moves per logit. Megatron-LM, NeMo and PyTorch pass logits in FP32 between
 * several kernels. A compiled loss reads the 16-bit logits three times, for their maximum, for the
 * sum of their exponentials and for the gradient, and writes the gradient. The kernels of llm.c and
 * LLM.Q read the logits once and overwrite them with the gradient (fused_classifier.cuh;
 * src/kernels/fused_classifier.cu). */
static double logit_bytes(const struct training_job *job, double element)
{
    const double single_operations = 24;

    if (job->stack == TRAINING_STACK_FUSED)
        return 2 * element;
    return training_compiles_loss(job) ? 4 * element : single_operations;
}

/* Memory traffic of kernels, as multiples of bytes over bandwidth. */
static void set_moved(const struct training_job *job, struct training_rates *rates)
{
    const struct training_constants *k = job->constants;
    bool fused = job->stack == TRAINING_STACK_FUSED;

    rates->cb = (gpu_is_tpu(job->gpu) ? k->cb_tpu : k->cb) * (fused ? k->ff : 1);
    rates->ce = k->ce * (fused ? k->ff : 1);
    rates->cq = k->cq * (fused ? k->ff : 1);
    rates->expert_bytes = training_graphs(job) ? k->fg : 1;
    rates->grouped = grouped(job);
    rates->logit_bytes = logit_bytes(job, rates->element_bytes);
}

struct training_rates training_rates(const struct training_job *job)
{
    const struct training_constants *k = job->constants;
    bool fp4 = job->precision == TRAINING_FP4;
    double x = isnan(job->power) ? k->power_ratio : gpu_peak_16bit(job->gpu) / 1e12 / job->power;
    struct training_rates rates = {.power_ratio = x};

    rates.eta_16 = eta_16(job, x);
    rates.eta_linear = rates.eta_16;
    if (narrow(job))
        rates.eta_linear = fmin(k->cap_gemm, k->eta8 * pow(x, -k->gam8)) * vendor(job);
    rates.zero_3_attention = gpu_is_tpu(job->gpu) ? k->kz_tpu : k->kz * pow(x, -k->gz);
    rates.peak = wide_peak(job);
    rates.eta_attention = attention_efficiency(job, rates.peak, x);
    rates.peak_linear = training_peak(job->gpu, job->precision) * (fp4 ? k->f4 : 1);
    rates.element_bytes = precisions[job->precision].single ? 4 : 2;
    rates.operand_bytes = narrow(job) ? 1 : rates.element_bytes;
    set_moved(job, &rates);
    rates.weight_gradient = training_adapters(job->method) ? 1 : 2;
    rates.bytes = training_job_bytes(job);
    rates.trained = (training_adapters(job->method) ? job->trainable_ratio : 1) *
                    (1 - job->frozen_layers / job->shape.layers);
    return rates;
}

struct links training_links(const struct training_job *job, double gpu_count)
{
    struct links links =
        collective_links(job->gpu, fmin(job->gpus_per_node, gpu_count), job->network_rate);

    /* The driver of GeForce cards disables peer-to-peer access: transfers go through host
     * memory. */
    if (gpu_is_consumer(job->gpu))
        links.pcie *= job->constants->host_staging;
    return links;
}

void training_complete(struct training_job *job, double gpu_count)
{
    const struct training_constants *k = job->constants;
    double longest = job->shape.max_tokens;

    if (isnan(job->sequence_tokens))
        job->sequence_tokens =
            longest > 0 ? fmin(k->sequence_tokens_default, longest) : k->sequence_tokens_default;
    job->batch_default = job->method == TRAINING_PRETRAIN
                             ? ceil(k->global_batch_tokens / job->sequence_tokens)
                             : k->adapter_batch_sequences;
    if (isnan(job->gpus_per_node))
        job->gpus_per_node = gpu_count < NODE_GPUS ? gpu_count : NODE_GPUS;
    if (isnan(job->network_rate))
        job->network_rate = network_rate(&k->network, job->gpu, job->gpus_per_node);
    if (isnan(job->power))
        job->power = job->gpu->tdp;
    if (!training_adapters(job->method))
        job->trainable_ratio = 1;
    else if (isnan(job->trainable_ratio))
        job->trainable_ratio = k->trainable_ratio;
    /* Hugging Face PEFT, torchtune, axolotl, LLaMA-Factory: adapters are trained with PyTorch. */
    if (training_adapters(job->method) && job->stack == TRAINING_STACK_UNSPECIFIED)
        job->stack = TRAINING_STACK_FSDP;
}

void training_set_default_batch(struct training_job *job, double tokens)
{
    const struct training_constants *k = job->constants;
    double compute = 6 * job->shape.params_total * tokens / 1e21; /* in ZFLOP, like the constant */

    if (isnan(tokens) || job->method != TRAINING_PRETRAIN)
        return;
    double grown = k->global_batch_tokens * pow(compute / k->batch_compute, k->batch_exponent);
    double wanted = fmin(k->batch_tokens_most, fmax(k->global_batch_tokens, grown));
    /* A power of two, so that common numbers of replicas and stages divide it. */
    job->batch_default = exp2(fmax(0, round(log2(wanted / job->sequence_tokens))));
}

/* torchtitan compiles the loss with the model (configs.py, compile: components). */
bool training_compiles_loss(const struct training_job *job)
{
    return job->stack == TRAINING_STACK_FSDP && job->method == TRAINING_PRETRAIN && !job->eager;
}

/* NVIDIA's recipes overlap the exchanges of tensor parallelism with products (tp_comm_overlap, user
 * buffers of Transformer Engine, which needs Ampere or later: NVIDIA/TransformerEngine,
 * README.rst), as XLA does. DTensor, DeepSpeed and other software wait for NCCL. A run in FP8 whose
 * stack is not stated most likely uses Transformer Engine: of the published families with tensor
 * parallelism in FP8 all are Megatron's but torchtitan. */
bool training_usual_tensor_overlap(const struct training_job *job)
{
    const double ampere = 8.0;
    enum training_stack stack = job->stack;
    bool megatron = stack == TRAINING_STACK_MEGATRON || stack == TRAINING_STACK_GRAPHS;

    return (megatron && !(gpu_compute_capability(job->gpu) < ampere)) ||
           stack == TRAINING_STACK_JAX || (narrow(job) && stack == TRAINING_STACK_UNSPECIFIED);
}

/* On Blackwell (compute capability 10) torchtitan and recent PyTorch take cuDNN's kernels first
 * (pytorch/torchtitan, torchtitan/models/attention.py; pytorch/pytorch,
 * aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, check_prefer_cudnn_attention). */
bool training_usual_native_attention(const struct gpu *gpu)
{
    double capability = gpu_compute_capability(gpu);

    return capability >= 10 && capability < 11;
}

/* FlashAttention was never written for Volta and earlier GPUs (Dao-AILab/flash-attention#148); only
 * PyTorch's memory-efficient attention runs there, with which FSDP and fine-tuning are used. */
bool training_usual_flash_attention(const struct training_job *job)
{
    const double turing = 7.5;
    bool own = training_plain_torch(job) || job->stack == TRAINING_STACK_UNSPECIFIED;
    bool torch = job->stack == TRAINING_STACK_FSDP || (own && job->method != TRAINING_PRETRAIN);

    return torch || !(gpu_compute_capability(job->gpu) < turing);
}

/* Megatron, JAX and fused software bring kernels of their own for norms. */
bool training_may_be_eager(const struct training_job *job)
{
    return training_plain_torch(job) || job->stack == TRAINING_STACK_UNSPECIFIED;
}

bool training_graphs(const struct training_job *job)
{
    return job->stack == TRAINING_STACK_GRAPHS;
}

/* With a graph of the whole step NVIDIA's recipes always overlap (Megatron-Bridge v0.5.0,
 * scripts/performance/configs, moe_a2a_overlap). */
bool training_usual_overlap(const struct training_job *job, double expert)
{
    return job->shape.moe && !training_adapters(job->method) &&
           (training_graphs(job) || (isnan(expert) && job->stack <= TRAINING_STACK_MEGATRON));
}

enum training_precision training_usual_precision(const struct gpu *gpu)
{
    if (gpu->peak[PEAK_BF16] > 0)
        return TRAINING_BF16;
    return gpu->peak[PEAK_FP16] > 0 ? TRAINING_FP16 : TRAINING_FP32;
}

/* training_kind.c - the words of a training job: methods, precisions, optimizers, and what each
 * means in bytes and rates. */
#include "estimate/training.h"

#include <math.h>
#include <string.h>

/* GPUs in a node where nothing is said. */
static const double NODE_GPUS = 8;

static const char *const methods[TRAINING_METHODS] = {"pretrain", "full", "lora", "qlora"};

static const struct {
    const char *name;
    enum peak peak;
    bool single; /* weights and activations of 4 bytes, no second copy of the weights */
} precisions[TRAINING_PRECISIONS] = {
    [TRAINING_BF16] = {"bf16", PEAK_BF16, false}, [TRAINING_FP16] = {"fp16", PEAK_FP16, false},
    [TRAINING_FP32] = {"fp32", PEAK_FP32, true},  [TRAINING_TF32] = {"tf32", PEAK_TF32, true},
    [TRAINING_FP8] = {"fp8", PEAK_FP8, false},    [TRAINING_FP4] = {"fp4", PEAK_FP4, false},
};

/* Moments kept per trained weight, beside the FP32 master copy of mixed precision. Adafactor keeps
 * rows and columns only (arXiv 1804.04235), the 8-bit optimizer two moments of one byte (arXiv
 * 2110.02861). */
static const struct {
    const char *name;
    double moment_bytes;
} optimizers[TRAINING_OPTIMIZERS] = {
    [TRAINING_ADAMW] = {"adamw", 8},
    [TRAINING_ADAM] = {"adam", 8},
    [TRAINING_SGD] = {"sgd", 4},
    [TRAINING_ADAFACTOR] = {"adafactor", 0},
    [TRAINING_ADAMW_8BIT] = {"adamw_8bit", 2},
    [TRAINING_MUON] = {"muon", 4},
};

static const char *const recomputes[TRAINING_RECOMPUTES] = {"none", "selective", "full"};

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

int training_method_find(const char *name)
{
    for (int i = 0; i < TRAINING_METHODS; i++)
        if (strcmp(methods[i], name) == 0)
            return i;
    return -1;
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

bool training_adapters(enum training_method method)
{
    return method == TRAINING_LORA || method == TRAINING_QLORA;
}

double training_peak(const struct gpu *gpu, enum training_precision precision)
{
    return gpu->peak[precisions[precision].peak];
}

struct training_bytes training_bytes(enum training_precision precision,
                                     enum training_optimizer optimizer)
{
    bool single = precisions[precision].single;
    double moments = optimizers[optimizer].moment_bytes;

    return (struct training_bytes){single ? 4 : 2, 4, single ? moments : 4 + moments};
}

static double vendor(const struct training_job *job)
{
    return gpu_is_amd(job->gpu) ? job->constants->vendor_amd : job->constants->vendor;
}

/* 16-bit rates where the precision is one of them or narrower: attention and the head stay there.
 */
static double wide_peak(const struct training_job *job)
{
    if (precisions[job->precision].single || job->precision == TRAINING_FP16)
        return training_peak(job->gpu, job->precision);
    return gpu_peak_16bit(job->gpu);
}

struct training_rates training_rates(const struct training_job *job)
{
    const struct training_constants *k = job->constants;
    bool fp8 = job->precision == TRAINING_FP8, fp4 = job->precision == TRAINING_FP4;
    struct training_rates rates = {.power_ratio = gpu_peak_16bit(job->gpu) / 1e12 / job->power};
    double x = rates.power_ratio;

    rates.eta_16 = fmin(k->cap_gemm, k->eta1 * pow(x, -k->gam)) * vendor(job);
    rates.eta_linear = rates.eta_16;
    if (fp8 || fp4)
        rates.eta_linear = fmin(k->cap_gemm, k->eta8 * pow(x, -k->gam8)) * vendor(job);
    rates.eta_attention = fmin(k->cap_attention, k->ka * pow(x, -k->ga)) * vendor(job);
    rates.peak = wide_peak(job);
    rates.peak_linear = training_peak(job->gpu, job->precision) * (fp4 ? k->f4 : 1);
    rates.element_bytes = precisions[job->precision].single ? 4 : 2;
    rates.operand_bytes = fp8 || fp4 ? 1 : rates.element_bytes;
    rates.weight_gradient = training_adapters(job->method) ? 1 : 2;
    return rates;
}

struct links training_links(const struct training_job *job, double gpu_count)
{
    return links_of(job->gpu, fmin(job->gpus_per_node, gpu_count), job->network_rate);
}

void training_complete(struct training_job *job, double gpu_count)
{
    const struct training_constants *k = job->constants;
    double longest = job->shape.max_tokens;

    if (isnan(job->sequence_tokens))
        job->sequence_tokens =
            longest > 0 ? fmin(k->sequence_tokens_default, longest) : k->sequence_tokens_default;
    job->batch_default = training_adapters(job->method)
                             ? k->adapter_batch_sequences
                             : ceil(k->global_batch_tokens / job->sequence_tokens);
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
}

enum training_precision training_usual_precision(const struct gpu *gpu)
{
    if (gpu->peak[PEAK_BF16] > 0)
        return TRAINING_BF16;
    return gpu->peak[PEAK_FP16] > 0 ? TRAINING_FP16 : TRAINING_FP32;
}

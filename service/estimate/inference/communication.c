#include "estimate/inference/communication.h"

#include <math.h>

static const double US = 1e-6;
/* Reference rate of a_pcie: PCIe generation 4 x16, one direction, bytes/s. */
static const double PCIE_GEN4_RATE = 31.5e9;

/* Cards with an optional link bridge behave in published tables as if they had none. */
static bool linked(const struct inference *inference, double gpus)
{
    return inference->has_link && gpus <= inference->job.gpu->scale_up_domain;
}

/* Latency of one message that waits for all of `gpus`. */
static double latency(const struct inference *inference, double gpus)
{
    const struct inference_constants *c = inference->constants;

    if (gpus <= 1)
        return 0;
    if (linked(inference, gpus))
        return c->a_nv_us * US;
    return c->a_pcie_us * US * PCIE_GEN4_RATE / inference->job.gpu->pcie_rate;
}

/* How much longer a round of an all-reduce takes than among at most 8 GPUs, for which the engines
 * have kernels of their own (vLLM, csrc/custom_all_reduce.cuh: 2, 4, 6 or 8); NCCL's trees for more
 * are log2(n) deep. */
static double depth(double gpus)
{
    const double log2_own_kernels = 3;

    return fmax(1, log2(gpus) / log2_own_kernels);
}

/* Rate from one GPU to the others of `gpus`, bytes/s; only those of the same node share its link or
 * bus. */
static double rate(const struct inference *inference, double gpus)
{
    const struct inference_job *job = &inference->job;

    if (linked(inference, gpus))
        return job->gpu->link_rate;
    return gpus > job->gpus_per_node ? job->network_rate : job->gpu->pcie_rate;
}

bool communication_one_sided(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return job->engine == ENGINE_TENSORRT_LLM && inference_exchanges_widely(job) &&
           linked(inference, job->tensor);
}

/* Seconds per byte handed through all stages. */
static double stage_seconds(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double gpus = job->tensor * job->pipeline, hops = job->pipeline - 1;
    bool over_link = linked(inference, gpus);
    double inside = over_link ? job->gpu->link_rate : job->gpu->pcie_rate;
    double crossings = over_link ? 0 : fmin(hops, ceil(gpus / job->gpus_per_node) - 1);
    double between = crossings > 0 ? crossings / job->network_rate : 0;

    return between + (hops > crossings ? (hops - crossings) / inside : 0);
}

void communication_set(struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *shape = &job->shape;
    double together = inference->attention_gpus, layers = shape->layers;
    double exchanging = job->attention_data > 1 ? shape->moe_layers : 0;

    inference->over_link = linked(inference, together);
    inference->link_rate = rate(inference, together);
    inference->all_reduces = together > 1 ? shape->all_reduces * layers - exchanging : 0;
    inference->all_reduce_seconds = latency(inference, together);
    if (inference->over_link)
        inference->all_reduce_seconds *= depth(together);
    if (inference->over_link && job->engine == ENGINE_TENSORRT_LLM)
        inference->all_reduce_seconds *= inference->constants->f_fused;
    inference->exchanges = 2 * exchanging; /* to the experts and back */
    inference->exchange_rate = rate(inference, job->tensor);
    inference->exchange_seconds = communication_one_sided(inference)
                                      ? inference->constants->a_exchange_us * US
                                      : latency(inference, job->tensor);
    inference->stage_seconds = job->pipeline > 1 ? stage_seconds(inference) : 0;
}

/* How often summed data crosses a GPU's link: in a ring, or if each GPU sums a part, each part
 * goes out twice. */
static double ring_crossings(const struct inference *inference)
{
    double t = inference->attention_gpus;

    return 2 * (t - 1) / t;
}

/* Seconds for summed data of `tokens` to cross a GPU's link once, over all layers. */
static double crossing_seconds(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;
    double each = tokens / job->attention_data;

    if (inference->all_reduces <= 0)
        return 0;
    return inference->all_reduces * each * job->shape.hidden * ACTIVATION_BYTES /
           (inference->constants->e_link * inference->link_rate);
}

/* Up to this many tokens the engine uses one round, even if two would be quicker. */
static double most_at_once(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    bool by_tokens = job->engine == ENGINE_TENSORRT_LLM && inference->attention_gpus > 2;

    return by_tokens ? inference->constants->one_round_tokens * job->attention_data
                     : (double)INFINITY;
}

/* An all-reduce in all layers: its rounds, and the seconds of its bytes. */
struct reduction {
    double rounds, volume;
};

/* Over a link engines sum few bytes in one round, in which each GPU reads those of all others, and
 * more in two, each GPU summing a part: whichever is quicker (vLLM, csrc/custom_all_reduce.cuh: one
 * up to 2 MiB over the number of GPUs). TensorRT-LLM decides by tokens alone; just beyond them two
 * rounds would be quicker than one was, and are taken to last as long, as a larger step is not
 * quicker. */
static struct reduction reduction_of(const struct inference *inference, double tokens)
{
    double crossing = crossing_seconds(inference, tokens), at_once = crossing;
    double in_parts = ring_crossings(inference) * crossing;

    if (!inference->over_link)
        return (struct reduction){1, in_parts};
    double once = inference->all_reduces * inference->all_reduce_seconds;
    double most = most_at_once(inference);
    if (tokens > most)
        at_once = crossing_seconds(inference, most);
    double to_all = (inference->attention_gpus - 1) * at_once; /* each GPU reads the others' */
    double one = once + to_all, two = 2 * once + in_parts;
    bool is_one = one <= two;
    if (isfinite(most))
        is_one = tokens <= most || two <= one;
    return is_one ? (struct reduction){1, to_all} : (struct reduction){2, in_parts};
}

double communication_rounds(const struct inference *inference, double tokens)
{
    return inference->all_reduces > 0 ? reduction_of(inference, tokens).rounds : 1;
}

/* Switches of NVLink 4 and newer (GPUs with FP8) sum and copy messages of many tokens themselves
 * (NVLS): data is sent once, and a fraction once more. */
bool communication_prompts_in_switch(const struct inference *inference)
{
    return inference->over_link && gpu_is_nvidia(inference->job.gpu) &&
           inference_native(inference->job.gpu, NUMBER_FP8);
}

static double prompt_crossings(const struct inference *inference)
{
    double t = inference->attention_gpus, ring = ring_crossings(inference);

    return communication_prompts_in_switch(inference) ? fmin(ring, (t + 1) / t) : ring;
}

/* Without an all-to-all (--moe-a2a-backend), SGLang gathers the tokens of all groups in a pass that
 * reads prompts by one all-reduce, and adds up the experts' outputs by another
 * (sgl-project/sglang, python/sglang/srt/layers/dp_attention.py, DpPaddingMode: SUM_LEN). Larger
 * groups than a server run with one (github.com/lm-sys/lm-sys.github.io,
 * blog/2025-05-05-large-scale-ep.md). */
bool communication_gathers_prompts(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return job->engine == ENGINE_SGLANG && inference->exchanges > 0 && !job->all_to_all &&
           job->tensor <= job->gpus_per_node;
}

bool communication_gathers_in_switch(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return linked(inference, job->tensor) && gpu_is_nvidia(job->gpu) &&
           inference_native(job->gpu, NUMBER_FP8);
}

static double gathering_seconds(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;
    double t = job->tensor, ring = 2 * (t - 1) / t;
    double crossings = communication_gathers_in_switch(inference) ? fmin(ring, (t + 1) / t) : ring;

    return inference->exchanges * crossings * tokens * job->shape.hidden * ACTIVATION_BYTES /
           (inference->constants->e_link * inference->exchange_rate);
}

bool communication_crosses(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return inference->exchanges > 0 && job->tensor > job->gpus_per_node &&
           !linked(inference, job->tensor);
}

double communication_copies(const struct inference_job *job)
{
    return job->tensor > job->gpus_per_node ? fmin(job->shape.top_k, job->tensor) : job->tensor;
}

/* Activations go to experts in 8 bit, or in FP4 with a scale for each 16 where GPUs of several
 * servers multiply it, and back in 16 (NVIDIA/TensorRT-LLM, tech_blog/
 * blog18_Optimizing_MoE_Communication_with_One_Sided_AlltoAll_Over_NVLink.md: 4,032 bytes of 7,168
 * elements; SGLang the same: lm-sys/lm-sys.github.io, blog/2025-09-25-gb200-part-2.md). */
double communication_exchange_bytes(const struct inference_job *job)
{
    const double in_8bit = 1, in_fp4 = 0.5625, back = ACTIVATION_BYTES;
    bool fp4 = inference_exchanges_widely(job) && job->weight_format == NUMBER_FP4 &&
               inference_native(job->gpu, NUMBER_FP4);

    return (fp4 ? in_fp4 : in_8bit) + back;
}

struct exchange_share communication_exchange_share(const struct inference *inference)
{
    const struct inference_constants *c = inference->constants;

    if (communication_crosses(inference))
        return (struct exchange_share){"e_exchange", c->e_exchange};
    if (inference_exchanges_widely(&inference->job) && linked(inference, inference->job.tensor))
        return (struct exchange_share){"e_exchange_link", c->e_exchange_link};
    return (struct exchange_share){"e_link", c->e_link};
}

/* Copies of a token that leave its GPU or, over the network, its server. */
static double copies_sent(const struct inference *inference, bool forwarded)
{
    const struct inference_job *job = &inference->job;
    double copies = communication_copies(job), servers = job->tensor / job->gpus_per_node;

    if (!communication_crosses(inference))
        return copies * (job->tensor - 1) / job->tensor;
    if (forwarded)
        return (servers - 1) * (1 - pow(1 - 1 / servers, copies));
    return copies * (servers - 1) / servers;
}

/* Over a bus all tokens are gathered on all GPUs, however experts are used. */
static double most_received(const struct inference *inference, double busiest)
{
    bool gathered = !communication_crosses(inference) && !linked(inference, inference->job.tensor);

    return gathered ? 1 : busiest;
}

static double exchange_volume(const struct inference *inference, double tokens, bool forwarded)
{
    const struct inference_job *job = &inference->job;
    double share = communication_exchange_share(inference).share;

    if (inference->exchanges <= 0)
        return 0;
    return job->shape.moe_layers * tokens / job->tensor * copies_sent(inference, forwarded) *
           job->shape.hidden * communication_exchange_bytes(job) /
           (share * inference->exchange_rate);
}

struct communication communication_of(const struct inference *inference, double tokens)
{
    struct communication of = {inference->exchanges * inference->exchange_seconds,
                               most_received(inference, inference->busiest) *
                                   exchange_volume(inference, tokens, false)};

    if (inference->all_reduces <= 0)
        return of;
    struct reduction sum = reduction_of(inference, tokens);
    of.latency = inference->all_reduces * sum.rounds * inference->all_reduce_seconds + of.latency;
    of.volume = sum.volume + of.volume;
    return of;
}

double communication_seconds(const struct inference *inference, double tokens)
{
    struct communication of = communication_of(inference, tokens);

    return of.latency + of.volume;
}

double communication_prompt_volume(const struct inference *inference, double tokens)
{
    double summed = prompt_crossings(inference) * crossing_seconds(inference, tokens);

    if (communication_gathers_prompts(inference))
        return summed + gathering_seconds(inference, tokens);
    return summed + most_received(inference, inference_prompt_busiest(inference)) *
                        exchange_volume(inference, tokens, true);
}

double communication_stages(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;

    if (job->pipeline <= 1)
        return 0;
    return tokens * job->shape.hidden * ACTIVATION_BYTES / inference->constants->e_link *
           inference->stage_seconds;
}

double communication_cache_rate(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double least = 2 * job->tensor * job->pipeline; /* one of each kind */

    return fmax(job->network_rate, rate(inference, job->pools_gpus > 0 ? job->pools_gpus : least));
}

double communication_together(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double domain = inference->has_link ? job->gpu->scale_up_domain : 1;

    return fmax(domain, job->gpus_per_node);
}

/* A latent is not divided by heads: each GPU of a group that writes has all of it, and each GPU of
 * the group that read the prompt sends its share of these copies (NVIDIA/TensorRT-LLM,
 * cpp/tensorrt_llm/batch_manager/mlaCacheFormatter.cpp, needSendCache). */
static double cache_copies(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    if (!job->shape.mla || job->reading_tensor <= 0)
        return 1;
    return fmax(1, inference->attention_gpus * fmax(1, job->reading_groups) / job->reading_tensor);
}

double communication_cache(const struct inference *inference, double tokens)
{
    return cache_copies(inference) * tokens * inference->pool.bytes_per_token /
           (inference->constants->e_link * communication_cache_rate(inference));
}

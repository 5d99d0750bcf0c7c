/* communication.h - communication between the GPUs of a replica in one pass over the layers.
 *
 * With tensor parallelism every layer ends in all-reduces. With data-parallel attention the
 * all-reduces stay within a group, and each token of a mixture travels to its experts' GPUs and
 * back (DeepSeek-V3 report, arXiv 2412.19437, section 3.4). Times in seconds.
 */
#ifndef ESTIMATE_INFERENCE_COMMUNICATION_H
#define ESTIMATE_INFERENCE_COMMUNICATION_H

#include "estimate/inference/inference.h"

/* Activations are kept, and sent between GPUs, in 16 bit. */
static const double ACTIVATION_BYTES = 2;

/* Sets the links and the cost of one message. */
void communication_set(struct inference *inference);
/* True if switches perform the all-reduces of prompts. */
bool communication_prompts_in_switch(const struct inference *inference);
/* True if all-reduces carry the tokens of prompts to the experts and back, not messages to each GPU
 * alone; and if switches perform them. */
bool communication_gathers_prompts(const struct inference *inference);
bool communication_gathers_in_switch(const struct inference *inference);
/* Rounds of an all-reduce of `tokens`: 1 or 2. */
double communication_rounds(const struct inference *inference, double tokens);
/* Seconds of a decode step of `tokens`: those that its messages take however large they are, and
 * those of their bytes at the link's achieved rate. */
struct communication {
    double latency, volume;
};

struct communication communication_of(const struct inference *inference, double tokens);
/* Both together. */
double communication_seconds(const struct inference *inference, double tokens);
/* The volume of prompts: DeepEP's prefill kernels send a token to each server once and copy it
 * there; its decode kernels send every copy. */
double communication_prompt_volume(const struct inference *inference, double tokens);
/* True if some experts are on other servers. */
bool communication_crosses(const struct inference *inference);
/* True if TensorRT-LLM's kernels exchange over a link of several servers. */
bool communication_one_sided(const struct inference *inference);
/* Bytes of an element on its way to an expert and back. */
double communication_exchange_bytes(const struct inference_job *job);

/* The share of a link's or a network's rate that exchanges with experts achieve, and its name in
 * formulas. */
struct exchange_share {
    const char *key;
    double share;
};

struct exchange_share communication_exchange_share(const struct inference *inference);
/* Number of GPUs an activation is sent to under data-parallel attention: within a node to all
 * (all-gather, the default of vLLM, SGLang and TensorRT-LLM), across nodes to those of its
 * experts. */
double communication_copies(const struct inference_job *job);
/* True if engines halve the tokens of a step across servers, and compute one half while the other
 * is sent to experts: two-batch overlap of SGLang (lm-sys/lm-sys.github.io,
 * blog/2025-05-05-large-scale-ep.md), dual batch overlap of vLLM, two micro-batches of DeepSeek
 * (deepseek-ai/profile-data, README.md). */
bool inference_overlaps_halves(const struct inference *inference);
/* Seconds by which two halves compute for longer than all tokens at once: kernels are launched
 * twice, and experts that both halves use read twice. */
double inference_halves_longer(const struct inference *inference, const struct step *step,
                               double tokens);
/* Seconds that a step's GPUs exchange while they do not compute. */
static inline double inference_communication(const struct step *step)
{
    return step->all_reduce_latency + step->all_reduce_volume - step->hidden;
}

/* Sending the activations of `tokens` from stage to stage, over the slowest connection between
 * neighbours: the link, PCIe within a node, or the network if a replica spans nodes. */
double communication_stages(const struct inference *inference, double tokens);
/* Rate at which a prefill GPU sends the KV cache to a decode GPU, bytes/s: over the link or PCIe if
 * all GPUs of the design share it, else over the network. */
double communication_cache_rate(const struct inference *inference);
/* The most GPUs that share it. */
double communication_together(const struct inference *inference);
/* Sending the KV cache of `tokens` from a prefill GPU to a decode GPU. */
double communication_cache(const struct inference *inference, double tokens);

#endif

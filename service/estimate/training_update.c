#include "estimate/training_update.h"

#include <math.h>

/* Ranks that hold the same dense weights, and the same experts. */
static double replicas(const struct training_strategy *on)
{
    return on->data * on->context;
}

static double expert_replicas(const struct training_strategy *on)
{
    return fmax(1, on->data * on->context * on->tensor / on->expert);
}

/* Of those, the ranks that divide one copy of the states: all, or a group of a hybrid sharding. */
static double sharing(const struct training_strategy *on, double ranks)
{
    return on->shard > 0 ? fmin(on->shard, ranks) : ranks;
}

/* Weights that are trained, over all: adapters, or the layers that are not frozen. */
static double trained_share(const struct training_job *job)
{
    double adapters = training_adapters(job->method) ? job->trainable_ratio : 1;

    return adapters * (1 - job->frozen_layers / job->shape.layers);
}

/* Bytes of a weight as it is sent: in the width it computes in, whatever its owner keeps. */
static double weight_sent(const struct training_job *job)
{
    return training_bytes(job->precision, job->optimizer).weight;
}

/* Bytes sent per weight among the ranks that share states: FP32 gradients all-reduced, or scattered
 * with the weights gathered after the step; under ZeRO 3 all weights gathered twice and the
 * gradients scattered in every micro-batch. */
static double bytes_sent(const struct training_job *job, const struct training_strategy *on)
{
    double gradient = trained_share(job) * training_job_bytes(job).gradient;

    if (on->zero_stage >= 3)
        return 2 * weight_sent(job) + gradient;
    return on->zero_stage >= 1 ? gradient + trained_share(job) * weight_sent(job) : 2 * gradient;
}

/* Weights a rank sends in a ring over `ranks`. */
static double in_ring(double weights, double ranks)
{
    return weights * (ranks - 1) / ranks;
}

/* Collectives of one reduction: FSDP has one per layer, Megatron-LM one per bucket of 40e6 weights,
 * or 1e6 per rank where that is more (DistributedDataParallelConfig.bucket_size). */
static double collectives(const struct training_job *job, const struct training_strategy *on,
                          const struct training_step *step, double ranks)
{
    const double bucket = 40e6, bucket_per_rank = 1e6;
    double weights = trained_share(job) * (step->weights_dense + step->weights_expert);

    if (on->zero_stage >= 2)
        return job->shape.layers / on->pipeline;
    return ceil(weights / fmax(bucket, bucket_per_rank * ranks));
}

/* Seconds of one exchange among the ranks that share states: bytes over the ring, and a ring's
 * latency, which grows with every rank it passes. */
static double shared_exchange(const struct training_job *job, const struct links *links,
                              const struct training_strategy *on, const struct training_step *step)
{
    const struct training_constants *k = job->constants;
    double ranks = sharing(on, replicas(on)), expert_ranks = sharing(on, expert_replicas(on));
    double weights =
        in_ring(step->weights_dense, ranks) + in_ring(step->weights_expert, expert_ranks);
    double rate = links_ring_rate(links, ranks, on->tensor) * k->e_net;
    double each = on->zero_stage >= 3 ? 3 : 2;

    return weights * bytes_sent(job, on) / rate +
           each * collectives(job, on, step, ranks) * (ranks - 1) * k->al;
}

/* Hybrid sharding: what each rank owns is all-reduced over the copies of the states. */
static double copies_exchange(const struct training_job *job, const struct links *links,
                              const struct training_strategy *on, const struct training_step *step)
{
    double ranks = sharing(on, replicas(on)), copies = replicas(on) / ranks;
    double owned = (step->weights_dense + step->weights_expert) / ranks;

    if (copies <= 1)
        return 0;
    double rate = links_ring_rate(links, copies, on->tensor * ranks) * job->constants->e_net;
    return in_ring(owned, copies) * trained_share(job) * 2 * training_job_bytes(job).gradient /
           rate;
}

/* Weights that come from the other ranks or from the host, layer by layer, in every micro-batch:
 * the shorter of compute and traffic hides all but x3 of itself. */
static void stream_weights(const struct training_job *job, double seconds,
                           struct training_step *step)
{
    double exposed = job->communication_overlap ? job->constants->x3 : 1;
    double longer = fmax(step->t_micro_batch, seconds),
           shorter = fmin(step->t_micro_batch, seconds);
    double total = longer + exposed * shorter;

    step->t_streamed += seconds;
    step->data_communication += step->micro_batches * (total - step->t_micro_batch);
    step->t_micro_batch = total;
}

/* The reduction runs beside the last backward and the next forward pass; where stages are cut into
 * chunks, what a chunk sends runs beside the other chunks of all micro-batches on their way. What
 * that does not cover waits, and a share of the rest does. */
static void expose_reduction(const struct training_job *job, const struct training_strategy *on,
                             struct training_step *step)
{
    const struct training_constants *k = job->constants;
    double others = fmin(on->pipeline, step->micro_batches) - 1;
    double beside = k->kdp * (1 + others * (1 - 1 / on->virtual_stages)) * step->t_max;

    step->t_hidden = 0;
    if (job->communication_overlap)
        step->t_hidden = (1 - k->xdp) * fmin(step->t_reduction, beside);
    step->data_communication += step->t_reduction - step->t_hidden;
}

void training_reduction(const struct training_job *job, const struct links *links,
                        const struct training_strategy *on, struct training_step *step)
{
    double layers = job->shape.layers / on->pipeline;

    training_weights(&job->shape, on, layers, &step->weights_dense, &step->weights_expert);
    step->ring_rate = links_ring_rate(links, sharing(on, replicas(on)), on->tensor);
    step->t_reduction = copies_exchange(job, links, on, step);
    double shared = shared_exchange(job, links, on, step);
    if (on->zero_stage >= 3)
        stream_weights(job, shared, step);
    else
        step->t_reduction += shared;
    if (job->offload == TRAINING_OFFLOAD_PARAMETERS)
        stream_weights(job,
                       2 * weight_sent(job) * (step->weights_dense + step->weights_expert) /
                           (links->pcie * job->constants->e_net),
                       step);
    expose_reduction(job, on, step);
}

/* States on the host: gradients go down, the host updates, weights come up (ZeRO-Offload, Ren et
 * al., arXiv 2101.06840). The host's memory is slower than the GPU's by far. */
static double host_update(const struct training_job *job, double owned)
{
    struct training_bytes bytes = training_job_bytes(job);
    double host = job->constants->host_memory_rate;
    double pcie = job->gpu->pcie_rate > 0 ? job->gpu->pcie_rate : job->network_rate;

    return owned * (bytes.gradient + bytes.weight) / (pcie * job->constants->e_net) +
           owned * (2 * bytes.optimizer + bytes.gradient + bytes.weight) / host;
}

/* The optimizer reads and writes its states and master weights and reads the gradient; below ZeRO 3
 * the full gradients and weights pass through memory once more. */
void training_update(const struct training_job *job, const struct training_strategy *on,
                     struct training_step *step)
{
    struct training_bytes bytes = training_job_bytes(job);
    bool shard = on->zero_stage >= 1;
    double owned = step->weights_dense / (shard ? sharing(on, replicas(on)) : 1) +
                   step->weights_expert / (shard ? sharing(on, expert_replicas(on)) : 1);
    /* Weights without a copy are read as well as written. */
    double weight = bytes.weight * (training_master_copy(job) ? 1 : 2);
    double moved = (2 * bytes.optimizer + bytes.gradient + weight) * owned;

    if (on->zero_stage < 3)
        moved += (bytes.gradient + bytes.weight) * (step->weights_dense + step->weights_expert);
    step->optimizer_step = job->constants->co * moved / job->gpu->memory_bandwidth;
    if (job->offload != TRAINING_OFFLOAD_NONE)
        step->optimizer_step = host_update(job, owned);
    step->optimizer_step *= trained_share(job);
    step->memory += step->optimizer_step;
}

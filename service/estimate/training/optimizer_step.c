#include "estimate/training/optimizer_step.h"

#include "base/minmax.h"
#include "estimate/training/gathered.h"

/* Ranks that hold the same dense weights, and the same experts. */
static double replicas(const struct training_strategy *on)
{
    return on->data * on->context;
}

static double expert_replicas(const struct training_strategy *on)
{
    return greater(1, on->data * on->context * on->tensor / on->expert);
}

double training_sharing_ranks(const struct training_strategy *on, double ranks)
{
    return on->shard > 0 ? lesser(on->shard, ranks) : ranks;
}

/* Bytes sent per weight among the ranks that share states, in compute precision, regardless of what
 * the owner stores: FP32 gradients all-reduced, or reduce-scattered with the weights gathered after
 * the step; under ZeRO 3 all weights gathered twice and the gradients scattered in every
 * micro-batch.
 */
static double bytes_sent(const struct training_job *job, const struct training_rates *rates,
                         const struct training_strategy *on)
{
    double gradient = rates->trained * rates->bytes.gradient;

    if (on->zero_stage >= 3)
        return 2 * training_sent_bytes(job, on) + gradient;
    return on->zero_stage >= 1 ? gradient + rates->trained * rates->bytes.weight : 2 * gradient;
}

/* Weights that a rank sends in a ring over `ranks`. */
static double in_ring(double weights, double ranks)
{
    return weights * (ranks - 1) / ranks;
}

/* Number of collectives per reduction: FSDP has one per layer, Megatron-LM one per bucket of 40e6
 * weights, or of 1e6 per rank if that is more (DistributedDataParallelConfig.bucket_size). */
static double collectives(const struct training_job *job, const struct training_rates *rates,
                          const struct training_strategy *on,
                          const struct training_exchange *exchange, double ranks)
{
    const double bucket = 40e6, bucket_per_rank = 1e6;
    double weights = rates->trained * (exchange->weights_dense + exchange->weights_expert);

    if (on->zero_stage >= 2)
        return job->shape.layers / on->pipeline;
    return round_up(weights / greater(bucket, bucket_per_rank * ranks));
}

/* One exchange among the ranks that share states: bytes over the ring, and the ring's latency,
 * proportional to its ranks. */
static void set_shared(const struct training_job *job, const struct training_rates *rates,
                       const struct training_strategy *on, struct training_exchange *exchange)
{
    const struct training_constants *k = job->constants;
    double ranks = training_sharing_ranks(on, replicas(on)),
           expert_ranks = training_sharing_ranks(on, expert_replicas(on));
    double dense = in_ring(exchange->weights_dense, ranks) / exchange->ring_rate;
    double experts = in_ring(exchange->weights_expert, expert_ranks) / exchange->expert_ring_rate;
    double each = on->zero_stage >= 3 ? 3 : 2;

    exchange->t_bytes = (dense + experts) * bytes_sent(job, rates, on) / k->e_net;
    exchange->t_latency = each * collectives(job, rates, on, exchange, ranks) * (ranks - 1) * k->al;
}

/* Hybrid sharding: each rank's part is all-reduced across the copies of the states. */
static double copies_exchange(const struct training_job *job, const struct training_rates *rates,
                              const struct links *links, const struct training_strategy *on,
                              const struct training_exchange *exchange)
{
    double ranks = training_sharing_ranks(on, replicas(on)), copies = replicas(on) / ranks;
    double owned = (exchange->weights_dense + exchange->weights_expert) / ranks;

    if (copies <= 1)
        return 0;
    double rate = collective_ring_rate(links, copies, on->tensor * ranks) * job->constants->e_net;
    return in_ring(owned, copies) * rates->trained * 2 * rates->bytes.gradient / rate;
}

/* Weights streamed layer by layer from other ranks or from the host, in every micro-batch: the
 * shorter of compute and traffic is hidden except for a fraction x3. */
static void stream_weights(const struct training_job *job, double seconds, double micro_batches,
                           struct training_exposed *exposed)
{
    double share = job->communication_overlap ? job->constants->x3 : 1;
    double longer = greater(exposed->t_micro_batch, seconds),
           shorter = lesser(exposed->t_micro_batch, seconds);
    double total = longer + share * shorter;

    exposed->t_streamed += seconds;
    exposed->communication += micro_batches * (total - exposed->t_micro_batch);
    exposed->t_micro_batch = total;
}

/* DeepSpeed's pipelines reduce after the last micro-batch (pipe/engine.py). */
bool training_overlaps_reduction(const struct training_job *job)
{
    return job->communication_overlap && job->stack != TRAINING_STACK_DEEPSPEED;
}

/* The reduction overlaps with the last backward and the next forward pass; with virtual stages, a
 * chunk's reduction overlaps with the other chunks of all micro-batches in flight. The rest is
 * exposed, and so is a fraction of the overlapped part. */
static void expose_reduction(const struct training_job *job, const struct training_strategy *on,
                             const struct training_passes *passes, struct training_exposed *exposed)
{
    const struct training_constants *k = job->constants;
    double others = lesser(on->pipeline, passes->micro_batches) - 1;
    double beside = k->kdp * (1 + others * (1 - 1 / on->virtual_stages)) * passes->t_max;

    if (training_overlaps_reduction(job))
        exposed->t_hidden = (1 - k->xdp) * lesser(exposed->t_reduction, beside);
    exposed->communication += exposed->t_reduction - exposed->t_hidden;
}

struct training_exposed training_exposed(const struct training_job *job,
                                         const struct training_strategy *on,
                                         const struct training_exchange *exchange,
                                         const struct training_passes *passes)
{
    struct training_exposed exposed = {.t_micro_batch = passes->t_micro_batch,
                                       .t_reduction = exchange->t_copies};

    if (on->zero_stage >= 3)
        stream_weights(job, exchange->t_bytes + exchange->t_latency, passes->micro_batches,
                       &exposed);
    else
        exposed.t_reduction += exchange->t_bytes + exchange->t_latency;
    if (job->offload == TRAINING_OFFLOAD_PARAMETERS)
        stream_weights(job, exchange->t_host, passes->micro_batches, &exposed);
    expose_reduction(job, on, passes, &exposed);
    return exposed;
}

double training_least_exposed(const struct training_job *job, double zero_stage,
                              const struct training_exchange *exchange, double micro_batches)
{
    bool overlap = job->communication_overlap;
    double streamed = job->offload == TRAINING_OFFLOAD_PARAMETERS ? exchange->t_host : 0;
    double reduced = exchange->t_copies;

    if (zero_stage >= 3)
        streamed += exchange->t_bytes;
    else
        reduced += exchange->t_bytes;
    return micro_batches * (overlap ? job->constants->x3 : 1) * streamed +
           (training_overlaps_reduction(job) ? job->constants->xdp : 1) * reduced;
}

/* States on the host: gradients are copied down, the host updates, weights are copied up
 * (ZeRO-Offload, Ren et al., arXiv 2101.06840). The host's memory is far slower than the GPU's. */
static double host_update(const struct training_job *job, const struct training_bytes *bytes,
                          double owned)
{
    double host = job->constants->host_memory_rate;
    double pcie = job->gpu->pcie_rate > 0 ? job->gpu->pcie_rate : job->network_rate;

    return owned * (bytes->gradient + bytes->weight) / (pcie * job->constants->e_net) +
           owned * (2 * bytes->optimizer + bytes->gradient + bytes->weight) / host;
}

/* The optimizer reads and writes its states and master weights and reads the gradient; below ZeRO 3
 * the full gradients and weights pass through memory once more. */
static double update(const struct training_job *job, const struct training_rates *rates,
                     const struct training_strategy *on, const struct training_exchange *exchange)
{
    const struct training_bytes *bytes = &rates->bytes;
    bool shard = on->zero_stage >= 1;
    double owned =
        exchange->weights_dense / (shard ? training_sharing_ranks(on, replicas(on)) : 1) +
        exchange->weights_expert / (shard ? training_sharing_ranks(on, expert_replicas(on)) : 1);
    /* Weights without a copy are read as well as written. */
    double weight = bytes->weight * (training_master_copy(job) ? 1 : 2);
    double moved = (2 * bytes->optimizer + bytes->gradient + weight) * owned;

    if (job->offload != TRAINING_OFFLOAD_NONE)
        return rates->trained * host_update(job, bytes, owned);
    if (on->zero_stage < 3)
        moved += (bytes->gradient + bytes->weight) *
                 (exchange->weights_dense + exchange->weights_expert);
    return rates->trained * (job->constants->co * moved / job->gpu->memory_bandwidth);
}

double training_host_step(const struct training_job *job)
{
    return job->stack == TRAINING_STACK_JAX ? 0 : job->constants->ts;
}

struct training_exchange training_exchange(const struct training_job *job,
                                           const struct training_rates *rates,
                                           const struct links *links,
                                           const struct training_strategy *on)
{
    double layers = job->shape.layers / on->pipeline;
    struct training_exchange exchange = {
        .ring_rate =
            collective_ring_rate(links, training_sharing_ranks(on, replicas(on)), on->tensor),
        /* Neighbours hold different experts: fewer network cards of a node serve a ring of equal
         * experts. */
        .expert_ring_rate = collective_ring_rate(
            links, training_sharing_ranks(on, expert_replicas(on)), on->expert)};

    training_weights(&job->shape, on, layers, &exchange.weights_dense, &exchange.weights_expert);
    exchange.t_copies = copies_exchange(job, rates, links, on, &exchange);
    set_shared(job, rates, on, &exchange);
    if (job->offload == TRAINING_OFFLOAD_PARAMETERS)
        exchange.t_host = 2 * training_sent_bytes(job, on) *
                          (exchange.weights_dense + exchange.weights_expert) /
                          (links->pcie * job->constants->e_net);
    exchange.t_update = training_host_step(job) + update(job, rates, on, &exchange);
    return exchange;
}

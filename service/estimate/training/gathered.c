#include "estimate/training/gathered.h"

#include "base/minmax.h"

/* Layers gathered at the peak: the current one, and in the backward pass the next one. FSDP2 holds
 * the next one as received and as copied out (torch.distributed.fsdp, foreach_all_gather); FSDP1,
 * with which accelerate trains adapters, gathers in place (_flat_param.py, _all_gather_flat_param).
 */
enum { FSDP2_GATHERED_LAYERS = 3, GATHERED_LAYERS = 2 };

/* DeepSpeed's default number of gathered weights under ZeRO 3 (stage3_max_live_parameters). */
static const double LIVE_WEIGHTS = 1e9;

/* NF4: half a byte per weight, and double-quantised scales: one byte per 64 weights, four per 64 x
 * 256 (QLoRA, arXiv 2305.14314, section 3). */
static const double NF4_BYTES = 0.5, NF4_SCALE_BYTES = 1.0 / 64 + 4.0 / (64 * 256);

double training_packed_bytes(const struct training_job *job)
{
    return job->method == TRAINING_QLORA ? NF4_BYTES + NF4_SCALE_BYTES : training_weight_bytes(job);
}

double training_sent_bytes(const struct training_job *job, const struct training_strategy *on)
{
    double layers = job->shape.layers / on->pipeline, wide = training_weight_bytes(job);
    double layer, expert, dense, experts;

    if (job->method != TRAINING_QLORA)
        return wide;
    training_layer_weights(&job->shape, on, &layer, &expert);
    training_weights(&job->shape, on, layers, &dense, &experts);
    double packed = layers * (layer + expert) / (dense + experts);
    return packed * training_packed_bytes(job) + (1 - packed) * wide;
}

/* Scales are not parameters, so FSDP replicates them on every GPU (bitsandbytes, functional.py,
 * QuantState). */
static double whole_scales(const struct training_job *job, const struct training_held *held)
{
    if (job->method != TRAINING_QLORA)
        return 0;
    return NF4_SCALE_BYTES * held->layers * held->layer;
}

double training_gathered_bytes(const struct training_job *job, const struct training_held *held)
{
    double layer = training_packed_bytes(job) * held->layer, wide = training_weight_bytes(job);
    double tables = wide * held->tables * held->table;

    if (job->stack == TRAINING_STACK_FSDP)
        return (training_adapters(job->method) ? GATHERED_LAYERS : FSDP2_GATHERED_LAYERS) * layer +
               tables + whole_scales(job, held);
    if (job->stack == TRAINING_STACK_DEEPSPEED)
        return lesser(LIVE_WEIGHTS * wide, held->layers * layer + tables);
    return GATHERED_LAYERS * layer;
}

double training_unpacked_bytes(const struct training_job *job, double tensor)
{
    const struct model_shape *shape = &job->shape;

    if (job->method != TRAINING_QLORA)
        return 0;
    double width =
        greater(shape->heads * shape->head_dim, greater(shape->ffn_width, shape->expert_width));
    return training_weight_bytes(job) * shape->hidden * width / tensor;
}

/* training.c - one step: micro-batches through the pipeline, the reduction, the optimizer. */
#include "estimate/training/constraints.h"
#include "estimate/training/optimizer_step.h"
#include "estimate/training/recompute.h"

#include <math.h>

double training_attention_flop(const struct training_job *job)
{
    const struct model_shape *shape = &job->shape;

    return shape->layers * training_attention_share(shape, job->sequence_tokens) *
           job->sequence_tokens * shape->heads *
           (shape->prefill_key_dim + shape->prefill_value_dim);
}

double training_flop_per_token(const struct training_job *job)
{
    double w = training_adapters(job->method) ? 1 : 2;

    return 2 * (1 + w) *
               (training_active_weights(&job->shape) +
                training_output_vocabulary(&job->shape) * job->shape.hidden) +
           3 * training_attention_flop(job);
}

double training_hardware_ratio(const struct training_job *job, const struct training_strategy *on)
{
    double w = training_adapters(job->method) ? 1 : 2, whole = training_whole_layers(on);
    double attention = training_attention_flop(job) / training_flop_per_token(job);
    double part = on->recompute == TRAINING_RECOMPUTE_SELECTIVE ? 1 : on->part;
    struct training_again again = {.attention = 1};

    if (on->recompute == TRAINING_RECOMPUTE_NONE || on->recompute == TRAINING_RECOMPUTE_FULL)
        part = 0;
    if (on->recompute == TRAINING_RECOMPUTE_PARTIAL && on->modules)
        again = training_modules_again(&job->shape, on->modules);
    return 1 + whole / (1 + w) +
           part * (again.attention * attention + again.products * (1 / (1 + w) - attention));
}

/* Output layer and loss on the last stage; 16-bit also in fp8 runs. Without an output layer the
 * states of the last layer are read to be pooled. */
struct training_head training_head(const struct training_job *job,
                                   const struct training_rates *rates,
                                   const struct training_strategy *on, double tokens)
{
    double h = job->shape.hidden, v = training_output_vocabulary(&job->shape) / on->tensor;
    double bandwidth = job->gpu->memory_bandwidth;

    return (struct training_head){
        .products =
            (1 + rates->weight_gradient) * 2 * tokens * v * h / (rates->peak * rates->eta_16),
        .moved = (3 * rates->element_bytes * (tokens * h + h * v + tokens * v) +
                  rates->logit_bytes * tokens * v) /
                 bandwidth,
    };
}

static void set_head(const struct training_job *job, const struct training_rates *rates,
                     const struct training_strategy *on, struct training_step *step)
{
    struct training_head head = training_head(job, rates, on, step->layer.tokens);

    step->t_head = head.products + head.moved;
    step->arithmetic += head.products;
    step->memory += head.moved;
}

void training_slowest_stage(const struct training_strategy *on, double layers, double *n_layers,
                            double *n_heads)
{
    double p = on->pipeline;

    *n_heads = 1;
    *n_layers = layers / p;
    if (p > 1 && !training_divides(p * on->virtual_stages, layers)) {
        *n_layers = ceil((layers + 2) / p);
        *n_heads = 0;
    }
}

/* Whether each tensor rank of a stage sends the whole activations to the next one. Megatron-LM
 * scatters them over the ranks before it sends them; other software does so only where the
 * sequence is divided, and DeepSpeed never. */
static bool sends_whole(const struct training_job *job, const struct training_strategy *on)
{
    bool own = job->stack == TRAINING_STACK_UNSPECIFIED;

    return job->stack == TRAINING_STACK_DEEPSPEED || (own && !(on->sequence_parallel > 0));
}

/* Activations between stages go to another node unless the whole run is within one. Interleaved
 * stages send while they compute. */
double training_point_to_point(const struct training_job *job, const struct training_rates *rates,
                               const struct links *links, const struct training_strategy *on,
                               double tokens)
{
    const struct training_constants *k = job->constants;
    double rate = on->gpu_count <= links->node
                      ? collective_pair_rate(links, on->gpu_count) * k->e_nv
                      : links->network * k->e_net;
    double exposed = job->communication_overlap && on->virtual_stages > 1 ? k->xpp : 1;

    double split = sends_whole(job, on) ? 1 : on->tensor;

    if (on->pipeline <= 1)
        return 0;
    return exposed * 2 * on->virtual_stages * rates->element_bytes * tokens * job->shape.hidden /
           split / rate;
}

/* The pipeline bubble. A zero-bubble schedule defers the weight gradients into it: with forward F,
 * backward B and weight gradients W it is F + B - W instead of F + B + W, with the memory of 1F1B
 * (ZB-H1, Qi et al., arXiv 2401.10241, table 2). With micro-batches from both ends half of the
 * stages wait, for a pair of passes and a backward pass less three times W (DualPipe, arXiv
 * 2412.19437, table 2, where B includes W). */
static double bubble(const struct training_job *job, const struct training_rates *rates,
                     const struct training_strategy *on, const struct training_step *step)
{
    double deferred =
        (rates->weight_gradient - 1) * step->layer.t_products * job->shape.layers / on->pipeline;
    double each = step->t_average - (job->schedule == TRAINING_ZERO_BUBBLE ? 2 * deferred : 0);
    double forward = step->layer.t_forward * job->shape.layers / on->pipeline;

    if (job->schedule == TRAINING_DUALPIPE && on->pipeline > 1)
        return (on->pipeline / 2 - 1) * fmax(0, 2 * step->t_average - forward - 3 * deferred);
    return (on->pipeline - 1) / on->virtual_stages * fmax(0, each);
}

/* Micro-batches through the slowest stage, and the pipeline bubble. */
static void set_micro_batches(const struct training_job *job, const struct training_rates *rates,
                              const struct training_strategy *on, struct training_step *step)
{
    const struct training_layer *layer = &step->layer;
    double n_layers, n_heads, m;

    training_slowest_stage(on, job->shape.layers, &n_layers, &n_heads);
    m = step->micro_batches = fmax(1, on->batch_sequences / (on->data * on->micro_batch));
    step->t_average = (job->shape.layers * layer->t_total + step->t_head) / on->pipeline;
    step->t_max = n_layers * layer->t_total + n_heads * step->t_head;
    step->compute = m * (n_layers * (layer->t_forward + layer->t_backward + layer->t_floor) +
                         n_heads * step->t_head);
    step->recompute = m * n_layers * layer->t_recompute;
    step->tensor_communication = m * n_layers * layer->t_tensor;
    step->context_communication = m * n_layers * layer->t_context;
    step->expert_communication = m * n_layers * layer->t_all_to_all;
    step->arithmetic = m * (n_heads * step->arithmetic + n_layers * layer->t_arithmetic);
    step->memory = m * (n_heads * step->memory + n_layers * (layer->t_memory + layer->t_floor));
    step->pipeline_bubble = bubble(job, rates, on, step);
}

/* Communication and optimizer step, in addition to the micro-batches. */
static void set_update(const struct training_job *job, const struct training_rates *rates,
                       const struct links *links, const struct training_strategy *on,
                       struct training_step *step)
{
    struct training_passes passes = {step->micro_batches, step->t_max, step->t_micro_batch};
    struct training_exchange exchange = training_exchange(job, rates, links, on);
    struct training_exposed exposed = training_exposed(job, on, &exchange, &passes);

    step->weights_dense = exchange.weights_dense;
    step->weights_expert = exchange.weights_expert;
    step->ring_rate = exchange.ring_rate;
    step->t_streamed = exposed.t_streamed;
    step->t_micro_batch = exposed.t_micro_batch;
    step->t_reduction = exposed.t_reduction;
    step->t_hidden = exposed.t_hidden;
    step->data_communication = exposed.communication;
    step->optimizer_step = exchange.t_update;
    step->memory += step->optimizer_step;
}

void training_step_with_layer(const struct training_job *job, const struct training_rates *rates,
                              const struct links *links, const struct training_strategy *on,
                              const struct training_layer *layer, struct training_step *step)
{
    *step = (struct training_step){.layer = *layer};
    set_head(job, rates, on, step);
    set_micro_batches(job, rates, on, step);
    step->t_point_to_point = training_point_to_point(job, rates, links, on, step->layer.tokens);
    step->pipeline_communication = step->micro_batches * step->t_point_to_point;
    step->t_micro_batch = step->t_max + step->t_point_to_point;
    set_update(job, rates, links, on, step);
    step->seconds = step->micro_batches * (step->t_max + step->t_point_to_point) +
                    step->pipeline_bubble + step->data_communication + step->optimizer_step;
}

void training_step(const struct training_job *job, const struct training_rates *rates,
                   const struct training_strategy *on, struct training_step *step)
{
    struct links links = training_links(job, on->gpu_count);
    struct training_layer layer = training_layer(job, rates, &links, on);

    training_step_with_layer(job, rates, &links, on, &layer, step);
}

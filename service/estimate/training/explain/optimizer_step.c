/* optimizer_step.c - the work done once per step: gradients reduced, weights gathered, states
 * updated. */
#include "estimate/training/explain/context.h"

#include "estimate/training/gathered.h"
#include "estimate/training/optimizer_step.h"

#include <math.h>

static double bytes_sent(const struct training_job *job, const struct training_strategy *on,
                         double trained, double weight)
{
    double gradient = trained * training_job_bytes(job).gradient;

    if (on->zero_stage >= 3)
        return 2 * training_sent_bytes(job, on) + gradient;
    return on->zero_stage >= 1 ? gradient + trained * weight : 2 * gradient;
}

/* Hybrid sharding: the ring across the copies of the states. */
static void set_copies(struct training_optimizer_step *u, const struct training_job *job,
                       const struct training_strategy *on, const struct training_step *step,
                       const struct links *links)
{
    double owned = (step->weights_dense + step->weights_expert) / u->ranks;

    u->copies = on->data * on->context / u->ranks;
    if (u->copies <= 1)
        return;
    u->copies_rate = collective_ring_rate(links, u->copies, on->tensor * u->ranks);
    u->copies_seconds = owned * (u->copies - 1) / u->copies * u->trained * 2 *
                        training_job_bytes(job).gradient / (u->copies_rate * job->constants->e_net);
}

struct training_optimizer_step training_explain_optimizer_step(const struct training_answer *a)
{
    const struct training_job *job = a->job;
    const struct training_strategy *on = &a->plan->on;
    const struct training_step *step = &a->plan->step;
    double weight = training_bytes(job->precision, job->optimizer).weight;
    double adapters = training_adapters(job->method) ? job->trainable_ratio : 1;
    double replicas = on->data * on->context;
    bool divided = on->zero_stage >= 1;
    struct links links = training_links(job, on->gpu_count);
    struct training_optimizer_step u = {
        .trained = adapters * (1 - job->frozen_layers / job->shape.layers),
        .ranks = training_sharing_ranks(on, replicas),
        .expert_ranks = training_sharing_ranks(on, fmax(1, replicas * on->tensor / on->expert)),
        .passes = step->t_max + step->t_point_to_point,
    };

    set_copies(&u, job, on, step, &links);
    if (job->offload == TRAINING_OFFLOAD_PARAMETERS)
        u.host_seconds = 2 * training_sent_bytes(job, on) *
                         (step->weights_dense + step->weights_expert) /
                         (links.pcie * job->constants->e_net);
    u.ring_weights = step->weights_dense * (u.ranks - 1) / u.ranks;
    u.ring_rate = collective_ring_rate(&links, u.ranks, on->tensor);
    u.expert_ring_weights = step->weights_expert * (u.expert_ranks - 1) / u.expert_ranks;
    u.expert_ring_rate = collective_ring_rate(&links, u.expert_ranks, on->expert);
    u.bytes_sent = bytes_sent(job, on, u.trained, weight);
    u.exchange = on->zero_stage >= 3 ? step->t_streamed - u.host_seconds
                                     : step->t_reduction - u.copies_seconds;
    u.waiting =
        step->t_streamed > 0 ? step->t_micro_batch - step->t_max - step->t_point_to_point : 0;
    u.owned_weights = step->weights_dense / (divided ? u.ranks : 1) +
                      step->weights_expert / (divided ? u.expert_ranks : 1);
    return u;
}

/* memory.c - the GPU with the highest memory use: weights by bytes and by the ranks that shard
 * them; and activations kept for the backward pass. */
#include "estimate/training/explain/context.h"

#include "estimate/training/activations.h"
#include "estimate/training/gathered.h"

#include <math.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Layers of the stage and how many of them are trained; the same for tables. */
struct stage {
    double layers, trained_layers;
    double tables, trained_tables;
};

static struct stage stage_of(const struct training_answer *a)
{
    const struct training_job *job = a->job;
    double layers = job->shape.layers, p = a->plan->on.pipeline, k = a->plan->memory.stage;
    double frozen = job->frozen_layers, most = ceil((layers + 2) / p);
    bool even = p == 1 || fmod(layers, p) == 0, first = k == 0, last = k == p - 1;
    double begins = even ? k * layers / p : first ? 0 : last ? layers - most + 1 : k * most - 1;
    struct stage stage;

    stage.layers = even ? layers / p : first || last ? most - 1 : most;
    stage.trained_layers = fmin(stage.layers, fmax(0, begins + stage.layers - frozen));
    bool output = last && !job->shape.headless;
    stage.tables = job->shape.tied && p == 1 ? 1 : first + output;
    stage.trained_tables = frozen > 0 && first ? output : stage.tables;
    return stage;
}

static void set_weights(struct training_holding *h, const struct training_answer *a)
{
    const struct training_job *job = a->job;
    struct stage stage = stage_of(a);
    double dense, expert, weight = training_job_bytes(job).weight;

    training_layer_weights(&job->shape, &a->plan->on, &dense, &expert);
    h->layer = dense + expert;
    h->table = job->shape.vocab * job->shape.hidden / a->plan->on.tensor;
    h->trained_layers = stage.trained_layers;
    h->trained_tables = stage.trained_tables;
    double ratio = training_adapters(job->method) ? job->trainable_ratio : 1;
    h->dense = ratio * (stage.trained_layers * dense + stage.trained_tables * h->table);
    h->expert = ratio * stage.trained_layers * expert;
    if (training_holds_reference(job)) {
        h->frozen_bytes = weight * (stage.layers * dense + stage.tables * h->table);
        h->frozen_expert_bytes = weight * stage.layers * expert;
    }
    if (training_adapters(job->method)) {
        double packed = training_packed_bytes(job);
        h->frozen_bytes = packed * stage.layers * dense + weight * stage.tables * h->table;
        h->frozen_expert_bytes = packed * stage.layers * expert;
        return;
    }
    double frozen_layers = stage.layers - stage.trained_layers;
    double frozen_tables = stage.tables - stage.trained_tables;
    h->frozen_bytes += weight * (frozen_layers * dense + frozen_tables * h->table);
    h->frozen_expert_bytes += weight * frozen_layers * expert;
}

/* The critic's weights are trained like the policy's; the reward model's and, with adapters, the
 * critic's own base are frozen. */
static void add_critic(struct training_holding *h, const struct training_answer *a)
{
    const struct training_job *job = a->job;
    double ratio = job->critic_ratio, weight = training_job_bytes(job).weight, dense, expert;
    bool adapters = training_adapters(job->method);
    struct stage stage = stage_of(a);

    training_layer_weights(&job->shape, &a->plan->on, &dense, &expert);
    double packed = adapters ? training_packed_bytes(job) : weight;
    double base = packed * stage.layers * dense + weight * stage.tables * h->table;
    double frozen = weight * ((stage.layers - stage.trained_layers) * dense +
                              (stage.tables - stage.trained_tables) * h->table);
    double frozen_expert = weight * (stage.layers - stage.trained_layers) * expert;
    h->frozen_bytes += ratio * (base + (adapters ? base : frozen));
    h->frozen_expert_bytes += ratio * (packed * stage.layers * expert +
                                       (adapters ? packed * stage.layers * expert : frozen_expert));
    h->dense *= 1 + ratio;
    h->expert *= 1 + ratio;
}

static void set_ranks(struct training_holding *h, const struct training_strategy *on)
{
    double ranks = on->shard > 0 ? on->shard : on->data * on->context;

    for (int stage = 0; stage < ZERO_STAGES; stage++) {
        bool divides = on->zero_stage >= stage;
        h->ranks[stage] = divides ? ranks : 1;
        h->expert_ranks[stage] = divides ? fmax(1, ranks * on->tensor / on->expert) : 1;
    }
}

static void set_gradients(struct training_holding *h, const struct training_answer *a)
{
    double width = training_job_bytes(a->job).gradient;
    double models = a->job->stack > TRAINING_STACK_FUSED ? 1 + a->job->critic_ratio : 1;
    double all =
        h->copies * width / models * (h->dense / h->ranks[2] + h->expert / h->expert_ranks[2]);

    if (a->job->fused_update)
        all = fmin(all, width * fmax(h->layer, h->trained_tables > 0 ? h->table : 0));
    h->all_gradients = h->gradients = all;
    if (a->job->offload != TRAINING_OFFLOAD_NONE && a->plan->on.zero_stage >= 2)
        h->gradients = 0;
    if (a->plan->memory.gradients < h->gradients)
        h->gradients = 0; /* they do not exist yet at the peak */
}

static void set_activations(struct training_holding *h, const struct training_answer *a)
{
    const struct training_strategy *on = &a->plan->on;
    double p = on->pipeline, v = on->virtual_stages, k = a->plan->memory.stage;
    double layers = a->plan->memory.layer_activations;
    struct training_activations of =
        training_activations(a->job, on, training_job_bytes(a->job).weight);
    bool once = near(layers, of.inside) || layers < of.kept;
    double again =
        a->job->stack <= TRAINING_STACK_FUSED ? training_whole_layers(on) * of.inside : 0;

    h->kept = of.kept;
    h->layers_in_flight = once || of.kept == 0 ? 0 : (layers - again) / of.kept;
    h->in_flight =
        fmin(a->plan->step.micro_batches, h->copies > 1    ? p + 1
                                          : p > 1 && v > 1 ? ((v - 1) * p + 2 * (p - k - 1) + 1) / v
                                                           : p - k);
    /* Partial recomputation is interpolated between two ends, which may peak at other moments. */
    double held = h->trained_layers * h->in_flight;
    if (!near(h->layers_in_flight, a->job->offload_activations ? fmin(2, held) : held))
        h->layers_in_flight = 0;
}

struct training_holding training_explain_holding(const struct training_answer *a)
{
    struct training_holding h = {0};

    set_weights(&h, a);
    add_critic(&h, a);
    set_ranks(&h, &a->plan->on);
    h.copies = a->job->schedule == TRAINING_DUALPIPE && a->plan->on.pipeline > 1 ? 2 : 1;
    h.stored_bytes = training_only_master(a->job, &a->plan->on)
                         ? 0
                         : h.copies * training_job_bytes(a->job).weight;
    h.frozen_bytes *= h.copies;
    h.frozen_expert_bytes *= h.copies;
    h.resident = h.stored_bytes * (h.dense / h.ranks[3] + h.expert / h.expert_ranks[3]) +
                 h.frozen_bytes / h.ranks[3] + h.frozen_expert_bytes / h.expert_ranks[3];
    set_gradients(&h, a);
    set_activations(&h, a);
    return h;
}

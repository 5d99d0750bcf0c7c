/* optimizer_step.c - what happens once per step: gradients reduced, weights gathered,
 * states updated. */
#include "estimate/training/explain/explain.h"

#include <math.h>

const char *training_explain_source(struct explanations *to, const struct gpu *gpu,
                                    const char *keys)
{
    static const char fit[] = "/v1/assumptions?group=training_model, fitted to published runs";

    if (!gpu)
        return arena_print(to->arena, "%s: %s", fit, keys);
    return arena_print(to->arena, "/v1/gpus/%s; %s: %s", gpu->slug, fit, keys);
}

/* What the rows share. */
struct ground {
    struct explanations *to;
    const struct training_job *job;
    const struct training_strategy *on;
    const struct training_step *step;
    struct training_bytes bytes;
    struct links links;
    double weight_sent;         /* bytes of a weight on its way */
    double trained;             /* share of the weights */
    double replicas;            /* ranks with the same dense weights */
    double ranks, expert_ranks; /* of those, that divide a copy of the states */
    double host_seconds;        /* weights from host memory, both passes of a micro-batch */
};

static double sharing(const struct training_strategy *on, double ranks)
{
    return on->shard > 0 ? fmin(on->shard, ranks) : ranks;
}

static struct ground ground_of(const struct training_answer *a, struct explanations *to)
{
    const struct training_job *job = a->job;
    const struct training_strategy *on = &a->plan->on;
    const struct training_step *step = &a->plan->step;
    double adapters = training_adapters(job->method) ? job->trainable_ratio : 1;
    double replicas = on->data * on->context;
    struct ground g = {
        .to = to,
        .job = job,
        .on = on,
        .step = step,
        .bytes = training_job_bytes(job),
        .links = training_links(job, on->gpu_count),
        .weight_sent = training_bytes(job->precision, job->optimizer).weight,
        .trained = adapters * (1 - job->frozen_layers / job->shape.layers),
        .replicas = replicas,
        .ranks = sharing(on, replicas),
        .expert_ranks = sharing(on, fmax(1, replicas * on->tensor / on->expert)),
    };

    if (job->offload == TRAINING_OFFLOAD_PARAMETERS)
        g.host_seconds = 2 * g.weight_sent * (step->weights_dense + step->weights_expert) /
                         (g.links.pcie * job->constants->e_net);
    return g;
}

static const char *fitted(const struct ground *g, const char *keys)
{
    return training_explain_source(g->to, NULL, keys);
}

/* Weights of which each rank sends its part round the ring. */
static double ring_weights(const struct ground *g)
{
    return g->step->weights_dense * (g->ranks - 1) / g->ranks +
           g->step->weights_expert * (g->expert_ranks - 1) / g->expert_ranks;
}

static double bytes_sent(const struct ground *g)
{
    double gradient = g->trained * g->bytes.gradient;

    if (g->on->zero_stage >= 3)
        return 2 * g->weight_sent + gradient;
    return g->on->zero_stage >= 1 ? gradient + g->trained * g->weight_sent : 2 * gradient;
}

/* Hybrid sharding: what each rank owns, all-reduced over the copies of the states. */
static double copies_seconds(const struct ground *g)
{
    double copies = g->replicas / g->ranks;
    double owned = (g->step->weights_dense + g->step->weights_expert) / g->ranks;
    double rate = links_ring_rate(&g->links, copies, g->on->tensor * g->ranks);

    if (copies <= 1)
        return 0;
    return owned * (copies - 1) / copies * g->trained * 2 * g->bytes.gradient /
           (rate * g->job->constants->e_net);
}

static void explain_copies(const struct ground *g)
{
    double copies = g->replicas / g->ranks;

    if (copies <= 1)
        return;
    EXPLAIN(g->to, "t_copies", copies_seconds(g), "s",
            "(weights_dense + weights_expert) / ranks x (copies - 1) / copies x trained x 2 x "
            "gradient_bytes / (rate x e_net)",
            fitted(g, "e_net; what a rank owns is added up over the copies of the states"),
            {"weights_dense", g->step->weights_dense, "weights"},
            {"weights_expert", g->step->weights_expert, "weights"}, {"ranks", g->ranks, "GPUs"},
            {"copies", copies, "copies"}, {"trained", g->trained, ""},
            {"gradient_bytes", g->bytes.gradient, "B"},
            {"rate", links_ring_rate(&g->links, copies, g->on->tensor * g->ranks), "B/s"},
            {"e_net", g->job->constants->e_net, ""});
}

/* The ring over the ranks that share states; under ZeRO 3 in every micro-batch. */
static double exchange_seconds(const struct ground *g)
{
    if (g->on->zero_stage >= 3)
        return g->step->t_streamed - g->host_seconds;
    return g->step->t_reduction - copies_seconds(g);
}

static void explain_exchange(const struct ground *g)
{
    const struct training_constants *k = g->job->constants;
    double rate = links_ring_rate(&g->links, g->ranks, g->on->tensor);
    double sent = ring_weights(g) * bytes_sent(g) / (rate * k->e_net);

    EXPLAIN(g->to, "ring_weights", ring_weights(g), "weights",
            "weights_dense x (ranks - 1) / ranks + weights_expert x (expert_ranks - 1) / "
            "expert_ranks",
            "of one GPU, sent once round a ring",
            {"weights_dense", g->step->weights_dense, "weights"}, {"ranks", g->ranks, "GPUs"},
            {"weights_expert", g->step->weights_expert, "weights"},
            {"expert_ranks", g->expert_ranks, "GPUs"});
    EXPLAIN(g->to, "t_exchange", exchange_seconds(g), "s",
            "ring_weights x bytes_sent / (ring_rate x e_net) + t_latency",
            fitted(g,
                   "e_net, al; bytes_sent: gradients twice, or once with the weights back (ZeRO "
                   "1, 2), or once with the weights twice (ZeRO 3); t_latency grows with the ranks "
                   "and the buckets"),
            {"ring_weights", ring_weights(g), "weights"}, {"bytes_sent", bytes_sent(g), "B"},
            {"ring_rate", rate, "B/s"}, {"e_net", k->e_net, ""},
            {"t_latency", exchange_seconds(g) - sent, "s"});
}

static void explain_reduction(const struct ground *g)
{
    const struct training_step *s = g->step;
    const struct training_constants *k = g->job->constants;
    double others = fmin(g->on->pipeline, s->micro_batches) - 1;
    bool overlap = g->job->communication_overlap;

    EXPLAIN(g->to, "t_reduction", s->t_reduction, "s",
            g->on->zero_stage >= 3 ? "t_copies" : "t_exchange + t_copies",
            "under ZeRO 3 the exchange is part of every micro-batch instead",
            {"t_exchange", exchange_seconds(g), "s"}, {"t_copies", copies_seconds(g), "s"});
    EXPLAIN(
        g->to, "t_hidden", s->t_hidden, "s",
        overlap ? "(1 - xdp) x min(t_reduction, kdp x (1 + others x (1 - 1 / virtual_stages)) x "
                  "t_max)"
                : "0",
        fitted(g, "xdp, kdp; beside the passes of this and the other micro-batches on their way"),
        {"xdp", k->xdp, ""}, {"t_reduction", s->t_reduction, "s"}, {"kdp", k->kdp, ""},
        {"others", others, ""}, {"virtual_stages", g->on->virtual_stages, ""},
        {"t_max", s->t_max, "s"});
}

/* How much longer a micro-batch is for the weights it waits for. */
static double waiting(const struct ground *g)
{
    const struct training_step *s = g->step;

    return s->t_streamed > 0 ? s->t_micro_batch - s->t_max - s->t_point_to_point : 0;
}

/* Where weights come from the other ranks or from the host, not both. */
static void explain_waiting(const struct ground *g)
{
    const struct training_step *s = g->step;
    double passes = s->t_max + s->t_point_to_point, streamed = s->t_streamed;
    double exposed = g->job->communication_overlap ? g->job->constants->x3 : 1;
    bool longer = streamed > passes;

    if (streamed <= 0 || (g->on->zero_stage >= 3 && g->host_seconds > 0))
        return;
    EXPLAIN(g->to, "t_waiting", waiting(g), "s",
            longer ? "t_streamed - (1 - exposed) x t_passes" : "exposed x t_streamed",
            fitted(g, "x3 (1 without overlap): weights come layer by layer beside the passes, and "
                      "the shorter of the two hides all but this share of itself"),
            {"t_streamed", streamed, "s"}, {"exposed", exposed, ""}, {"t_passes", passes, "s"});
}

static void explain_line(const struct ground *g)
{
    const struct training_step *s = g->step;

    EXPLAIN(
        g->to, "data_parallel_communication", s->data_communication, "s",
        "micro_batches x t_waiting + t_reduction - t_hidden",
        "what is not hidden of the weights that are gathered and the gradients that are reduced",
        {"micro_batches", s->micro_batches, ""}, {"t_waiting", waiting(g), "s"},
        {"t_reduction", s->t_reduction, "s"}, {"t_hidden", s->t_hidden, "s"});
}

static double owned_weights(const struct ground *g)
{
    bool shard = g->on->zero_stage >= 1;

    return g->step->weights_dense / (shard ? g->ranks : 1) +
           g->step->weights_expert / (shard ? g->expert_ranks : 1);
}

static void explain_owned(const struct ground *g)
{
    bool shard = g->on->zero_stage >= 1;

    EXPLAIN(g->to, "owned_weights", owned_weights(g), "weights",
            "weights_dense / ranks + weights_expert / expert_ranks",
            "what one GPU updates; ZeRO 1 to 3 divide it among ranks",
            {"weights_dense", g->step->weights_dense, "weights"},
            {"ranks", shard ? g->ranks : 1, "GPUs"},
            {"weights_expert", g->step->weights_expert, "weights"},
            {"expert_ranks", shard ? g->expert_ranks : 1, "GPUs"});
}

static void explain_update(const struct ground *g)
{
    const struct training_bytes *b = &g->bytes;
    double held = g->step->weights_dense + g->step->weights_expert;
    bool whole = g->on->zero_stage < 3;

    EXPLAIN(
        g->to, "optimizer_step", g->step->optimizer_step, "s",
        "trained x co x ((2 x optimizer_bytes + gradient_bytes + written_bytes) x owned_weights "
        "+ passed_bytes x held_weights) / bandwidth",
        training_explain_source(g->to, g->job->gpu,
                                "co; states are read and written, gradients read, weights "
                                "written; below ZeRO 3 all gradients and weights pass once more"),
        {"trained", g->trained, ""}, {"co", g->job->constants->co, ""},
        {"optimizer_bytes", b->optimizer, "B"}, {"gradient_bytes", b->gradient, "B"},
        {"written_bytes", b->weight * (training_master_copy(g->job) ? 1 : 2), "B"},
        {"owned_weights", owned_weights(g), "weights"},
        {"passed_bytes", whole ? b->gradient + b->weight : 0, "B"},
        {"held_weights", held, "weights"}, {"bandwidth", g->job->gpu->memory_bandwidth, "B/s"});
}

static void explain_host_update(const struct ground *g)
{
    const struct training_bytes *b = &g->bytes;
    double pcie = g->job->gpu->pcie_rate > 0 ? g->job->gpu->pcie_rate : g->job->network_rate;

    EXPLAIN(g->to, "optimizer_step", g->step->optimizer_step, "s",
            "trained x owned_weights x ((gradient_bytes + weight_bytes) / (pcie x e_net) + (2 x "
            "optimizer_bytes + gradient_bytes + weight_bytes) / host_memory_rate)",
            training_explain_source(g->to, g->job->gpu,
                                    "e_net, host_memory_rate; gradients go to the host, which "
                                    "updates, and weights come back (arXiv 2101.06840)"),
            {"trained", g->trained, ""}, {"owned_weights", owned_weights(g), "weights"},
            {"gradient_bytes", b->gradient, "B"}, {"weight_bytes", b->weight, "B"},
            {"pcie", pcie, "B/s"}, {"e_net", g->job->constants->e_net, ""},
            {"optimizer_bytes", b->optimizer, "B"},
            {"host_memory_rate", g->job->constants->host_memory_rate, "B/s"});
}

void training_explain_update(const struct training_answer *a, struct explanations *to)
{
    struct ground g = ground_of(a, to);

    explain_line(&g);
    explain_waiting(&g);
    explain_reduction(&g);
    explain_exchange(&g);
    explain_copies(&g);
    explain_owned(&g);
    if (a->job->offload == TRAINING_OFFLOAD_NONE)
        explain_update(&g);
    else
        explain_host_update(&g);
}

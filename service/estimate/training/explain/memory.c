/* memory.c - the lines of the memory of the fullest GPU: weights on it by bytes,
 * by the ranks that divide them; and what is kept for the backward pass. */
#include "estimate/training/explain/explain.h"

#include "base/units.h"
#include "estimate/training/activations.h"

#include <math.h>

static const char STACK[] = "; what is whole and when depends on the stack";

/* What the stage that needs most holds on one GPU. */
struct holding {
    struct explanations *to;
    const struct training_job *job;
    const struct training_strategy *on;
    const struct training_memory *memory;
    struct training_bytes bytes;
    double layer, table;           /* weights of a layer, and of embedding or head */
    double layers, trained_layers; /* of the stage */
    double tables, trained_tables; /* embedding and head on it */
    double dense, expert;          /* trained weights: of layers, tables, adapters; of experts */
    double frozen_bytes;           /* of weights that are not trained, experts apart */
    double frozen_expert_bytes;
    double shard, expert_shard; /* ranks that divide a copy of the states */
    double micro_batches;
    bool fleeting; /* gradients live from the backward pass to the update only */
};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Layers of the stage and how many of them are trained; tables likewise. */
static void set_stage(struct holding *h)
{
    double layers = h->job->shape.layers, p = h->on->pipeline, k = h->memory->stage;
    double frozen = h->job->frozen_layers, most = ceil((layers + 2) / p);
    bool even = p == 1 || fmod(layers, p) == 0, first = k == 0, last = k == p - 1;
    double begins = even ? k * layers / p : first ? 0 : last ? layers - most + 1 : k * most - 1;

    h->layers = even ? layers / p : first || last ? most - 1 : most;
    h->trained_layers = fmin(h->layers, fmax(0, begins + h->layers - frozen));
    h->tables = h->job->shape.tied && p == 1 ? 1 : first + last;
    h->trained_tables = frozen > 0 && first ? last : h->tables;
}

static void set_weights(struct holding *h)
{
    double dense, expert, weight = h->bytes.weight;

    training_layer_weights(&h->job->shape, h->on, &dense, &expert);
    h->layer = dense + expert;
    double frozen_layers = h->layers - h->trained_layers;
    double frozen_tables = h->tables - h->trained_tables;
    if (training_adapters(h->job->method)) {
        double packed = h->job->method == TRAINING_QLORA ? TRAINING_NF4_BYTES : weight;
        h->dense =
            h->job->trainable_ratio * (h->trained_layers * dense + h->trained_tables * h->table);
        h->expert = h->job->trainable_ratio * h->trained_layers * expert;
        h->frozen_bytes = packed * h->layers * dense + weight * h->tables * h->table;
        h->frozen_expert_bytes = packed * h->layers * expert;
        return;
    }
    h->dense = h->trained_layers * dense + h->trained_tables * h->table;
    h->expert = h->trained_layers * expert;
    h->frozen_bytes = weight * (frozen_layers * dense + frozen_tables * h->table);
    h->frozen_expert_bytes = weight * frozen_layers * expert;
}

static struct holding holding_of(const struct training_answer *a, struct explanations *to)
{
    const struct training_strategy *on = &a->plan->on;
    double ranks = on->shard > 0 ? on->shard : on->data * on->context;
    struct holding h = {
        .to = to,
        .job = a->job,
        .on = on,
        .memory = &a->plan->memory,
        .bytes = training_job_bytes(a->job),
        .table = a->job->shape.vocab * a->job->shape.hidden / on->tensor,
        .shard = ranks,
        .expert_shard = fmax(1, ranks * on->tensor / on->expert),
        .micro_batches = a->plan->step.micro_batches,
        .fleeting = a->job->stack > TRAINING_STACK_MEGATRON,
    };

    set_stage(&h);
    set_weights(&h);
    return h;
}

static const char *stage_of(const struct holding *h, const char *text)
{
    return arena_print(h->to->arena, "pipeline stage %.0f of %.0f: %s", h->memory->stage + 1,
                       h->on->pipeline, text);
}

static void explain_counts(const struct holding *h)
{
    bool adapters = training_adapters(h->job->method);
    const struct shape *shape = &h->job->shape;

    EXPLAIN(h->to, "trained_weights", h->dense, "weights",
            adapters ? "trainable_ratio x (trained_layers x layer_weights + trained_tables x "
                       "table_weights) - experts"
                     : "trained_layers x layer_weights + trained_tables x table_weights - experts",
            stage_of(h, "on its GPUs, experts apart; a table is the embedding or the head"),
            {"trainable_ratio", h->job->trainable_ratio, ""},
            {"trained_layers", h->trained_layers, "layers"}, {"layer_weights", h->layer, "weights"},
            {"trained_tables", h->trained_tables, "tables"}, {"table_weights", h->table, "weights"},
            {"experts", h->expert, "weights"});
    EXPLAIN(h->to, "table_weights", h->table, "weights", "vocabulary x width / tensor_parallel",
            "/v1/models", {"vocabulary", shape->vocab, ""}, {"width", shape->hidden, ""},
            {"tensor_parallel", h->on->tensor, "GPUs"});
}

/* Where the FP32 shard is the only copy of a trained weight. */
static bool only_master(const struct holding *h)
{
    bool gathered = h->on->zero_stage >= 3 && h->job->stack == TRAINING_STACK_FSDP;

    return (gathered || h->job->stack == TRAINING_STACK_JAX) && training_master_copy(h->job);
}

static double divided(const struct holding *h, double stage, double ranks)
{
    return h->on->zero_stage >= stage ? ranks : 1;
}

static double resident_weights(const struct holding *h)
{
    double weight = only_master(h) ? 0 : h->bytes.weight;

    return weight *
               (h->dense / divided(h, 3, h->shard) + h->expert / divided(h, 3, h->expert_shard)) +
           h->frozen_bytes / divided(h, 3, h->shard) +
           h->frozen_expert_bytes / divided(h, 3, h->expert_shard);
}

static void explain_weights(const struct holding *h)
{
    double resident = resident_weights(h);
    bool host = h->job->offload == TRAINING_OFFLOAD_PARAMETERS;

    EXPLAIN(h->to, "resident_weights", resident / GIB, "GiB",
            "(weight_bytes x (trained_weights / ranks + experts / expert_ranks) + frozen_bytes / "
            "ranks + frozen_expert_bytes / expert_ranks) / 1073741824",
            "ZeRO 3 divides weights among ranks; 0 bytes where the FP32 copy is the only one",
            {"weight_bytes", only_master(h) ? 0 : h->bytes.weight, "B"},
            {"trained_weights", h->dense, "weights"}, {"experts", h->expert, "weights"},
            {"ranks", divided(h, 3, h->shard), "GPUs"},
            {"expert_ranks", divided(h, 3, h->expert_shard), "GPUs"},
            {"frozen_bytes", h->frozen_bytes, "B"},
            {"frozen_expert_bytes", h->frozen_expert_bytes, "B"});
    EXPLAIN(h->to, "weights", h->memory->weights / GIB, "GiB",
            host ? "gathered" : "resident_weights + gathered",
            arena_print(h->to->arena,
                        "gathered: layers that are whole while in use, buckets, FP8 copies%s%s",
                        host ? "; the weights themselves are in host memory" : "", STACK),
            {"resident_weights", resident / GIB, "GiB"},
            {"gathered", (h->memory->weights - (host ? 0 : resident)) / GIB, "GiB"});
}

/* Gradients of all that is trained, wherever and however long they are. */
static double all_gradients(const struct holding *h)
{
    double all = h->bytes.gradient *
                 (h->dense / divided(h, 2, h->shard) + h->expert / divided(h, 2, h->expert_shard));

    if (h->job->fused_update)
        all = fmin(all, h->bytes.gradient * fmax(h->layer, h->trained_tables > 0 ? h->table : 0));
    return all;
}

static void explain_gradients(const struct holding *h)
{
    double all = all_gradients(h), value = h->memory->gradients, held = all;

    if (h->job->offload != TRAINING_OFFLOAD_NONE && h->on->zero_stage >= 2)
        held = 0;
    if (value < held)
        held = 0; /* the peak is when they are not there yet */
    EXPLAIN(
        h->to, "all_gradients", all / GIB, "GiB",
        h->job->fused_update
            ? "all_bytes / 1073741824"
            : "gradient_bytes x (trained_weights / ranks + experts / expert_ranks) / 1073741824",
        "ZeRO 2 and 3 divide gradients among ranks; updated in the backward pass they are those "
        "of one layer",
        {"gradient_bytes", h->bytes.gradient, "B"}, {"trained_weights", h->dense, "weights"},
        {"experts", h->expert, "weights"}, {"ranks", divided(h, 2, h->shard), "GPUs"},
        {"expert_ranks", divided(h, 2, h->expert_shard), "GPUs"}, {"all_bytes", all, "B"});
    EXPLAIN(h->to, "gradients", value / GIB, "GiB", "all_gradients x held + scratch",
            arena_print(h->to->arena,
                        "held is 0 where they are on the host or, at the moment that needs most, "
                        "not yet there; scratch is one layer's, or a copy for the update%s",
                        STACK),
            {"all_gradients", all / GIB, "GiB"}, {"held", all > 0 ? held / all : 0, ""},
            {"scratch", (value - held) / GIB, "GiB"});
}

static void explain_optimizer(const struct holding *h)
{
    bool host = h->job->offload != TRAINING_OFFLOAD_NONE;
    double tables = training_adapters(h->job->method) ? 0 : h->trained_tables * h->table;

    EXPLAIN(h->to, "optimizer_states", h->memory->optimizer / GIB, "GiB",
            host ? "0"
                 : "(optimizer_bytes x (trained_weights / ranks + experts / expert_ranks) + "
                   "table_bytes x tables / ranks) / 1073741824",
            host ? "in host memory"
                 : "FP32 copy and moments, divided by ZeRO 1 to 3; table_bytes is what embedding "
                   "and head have more, with muon",
            {"optimizer_bytes", h->bytes.optimizer, "B"}, {"trained_weights", h->dense, "weights"},
            {"ranks", divided(h, 1, h->shard), "GPUs"}, {"experts", h->expert, "weights"},
            {"expert_ranks", divided(h, 1, h->expert_shard), "GPUs"},
            {"table_bytes", h->bytes.table, "B"}, {"tables", tables, "weights"});
}

/* Micro-batches whose activations the stage holds at once, in units of its layers. */
static double in_flight(const struct holding *h)
{
    double p = h->on->pipeline, v = h->on->virtual_stages, k = h->memory->stage;

    return fmin(h->micro_batches, p > 1 && v > 1 ? ((v - 1) * p + 2 * (p - k - 1) + 1) / v : p - k);
}

static void explain_in_flight(const struct holding *h, double layers)
{
    bool interleaved = h->on->pipeline > 1 && h->on->virtual_stages > 1;

    EXPLAIN(h->to, "in_flight", in_flight(h), "",
            interleaved
                ? "min(micro_batches, ((virtual_stages - 1) x stages + 2 x (stages - stage - "
                  "1) + 1) / virtual_stages)"
                : "min(micro_batches, stages - stage)",
            "micro-batches that a stage, counted from 0, holds at once (Megatron-LM, schedules.py)",
            {"micro_batches", h->micro_batches, ""}, {"virtual_stages", h->on->virtual_stages, ""},
            {"stages", h->on->pipeline, "stages"}, {"stage", h->memory->stage, ""});
    EXPLAIN(h->to, "layers_in_flight", layers, "layers",
            h->job->offload_activations ? "min(2, trained_layers x in_flight)"
                                        : "trained_layers x in_flight",
            "offloaded activations come back two layers at a time",
            {"trained_layers", h->trained_layers, "layers"}, {"in_flight", in_flight(h), ""});
}

static void explain_activations(const struct holding *h)
{
    const struct training_memory *m = h->memory;
    struct training_activations of = training_activations(h->job, h->on, h->bytes.weight);
    double kept = of.kept, inside = of.inside;
    bool once = near(m->layer_activations, inside) || m->layer_activations < kept;
    double more = h->on->recompute == TRAINING_RECOMPUTE_FULL && !h->fleeting ? inside : 0;
    double count = once || kept == 0 ? 0 : (m->layer_activations - more) / kept;

    if (count > 0)
        explain_in_flight(h, count);
    EXPLAIN(
        h->to, "layer_activations", m->layer_activations / GIB, "GiB",
        "(kept_per_layer x layers_in_flight + inside) / 1073741824",
        arena_print(h->to->arena,
                    "Korthikanti et al., arXiv 2205.05198, table 2, with fused attention; the "
                    "stage's trained layers times the micro-batches it holds at once; inside is "
                    "that of one layer computed again%s",
                    STACK),
        {"kept_per_layer", kept, "B"}, {"layers_in_flight", count, "layers"},
        {"inside", m->layer_activations - count * kept, "B"});
    EXPLAIN(h->to, "activations", m->activations / GIB, "GiB", "layer_activations + logits",
            "logits on the last stage, where they are there at the moment that needs most",
            {"layer_activations", m->layer_activations / GIB, "GiB"},
            {"logits", (m->activations - m->layer_activations) / GIB, "GiB"});
}

static void explain_rest(const struct holding *h)
{
    const struct training_memory *m = h->memory;

    EXPLAIN(h->to, "kv_cache", m->kv_cache / GIB, "GiB", "0", "training keeps none",
            {"none", 0, ""});
    EXPLAIN(h->to, "overhead", m->overhead / GIB, "GiB", "runtime_reserve_gib + cached",
            "/v1/assumptions?key=runtime_reserve_gib; cached: freed by the stack, of no use to the "
            "peak",
            {"runtime_reserve_gib", h->job->constants->runtime_reserve_gib, "GiB"},
            {"cached", m->cached / GIB, "GiB"});
    EXPLAIN(h->to, "host_memory_gib", m->host / GIB, "GiB", "offloaded / 1073741824",
            "optimizer states with gradients, weights and activations that cpu_offload and "
            "activation_offload move to the host",
            {"offloaded", m->host, "B"});
    EXPLAIN(h->to, "memory_capacity_gib", m->capacity / GIB, "GiB", "memory / 1073741824",
            arena_print(h->to->arena, "/v1/gpus/%s, as the driver reports it where known",
                        h->job->gpu->slug),
            {"memory", m->capacity, "B"});
}

static void explain_sums(const struct training_memory *m, struct explanations *to)
{
    const struct explain_term weights = {"weights", m->weights / GIB, "GiB"},
                              gradients = {"gradients", m->gradients / GIB, "GiB"},
                              states = {"optimizer_states", m->optimizer / GIB, "GiB"},
                              activations = {"activations", m->activations / GIB, "GiB"},
                              required = {"memory_required_gib", m->required / GIB, "GiB"},
                              capacity = {"memory_capacity_gib", m->capacity / GIB, "GiB"};

    EXPLAIN(to, "memory_per_gpu_gib", m->allocated / GIB, "GiB",
            "weights + gradients + optimizer_states + activations",
            "what the framework allocates on the fullest GPU", weights, gradients, states,
            activations);
    EXPLAIN(to, "memory_required_gib", m->required / GIB, "GiB",
            "weights + gradients + optimizer_states + activations + kv_cache + overhead",
            "the sum of the memory lines", weights, gradients, states, activations,
            {"kv_cache", m->kv_cache / GIB, "GiB"}, {"overhead", m->overhead / GIB, "GiB"});
    EXPLAIN(to, "shortfall_gib", training_shortfall(m) / GIB, "GiB",
            "max(0, memory_required_gib - memory_capacity_gib)", "0 where it fits", required,
            capacity);
}

void training_explain_memory(const struct training_answer *a, struct explanations *to)
{
    struct holding h = holding_of(a, to);

    explain_counts(&h);
    explain_weights(&h);
    explain_gradients(&h);
    explain_optimizer(&h);
    explain_activations(&h);
    explain_rest(&h);
    explain_sums(h.memory, to);
}

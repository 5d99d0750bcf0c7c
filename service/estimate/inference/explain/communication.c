/* communication.c - what the GPUs of a replica send each other. */
#include "estimate/inference/explain/context.h"
#include "estimate/inference/communication.h"

#include <math.h>

/* Activations between GPUs travel in 16 bit; to the experts in 8 bit, and back in 16. */
static const double ACTIVATION_BYTES = 2, EXCHANGE_BYTES = 3;

static const char ALONE[] = "one GPU holds each layer: nothing is sent";

static struct explain_term tensor_of(const struct inference_ground *g)
{
    return (struct explain_term){"tensor_parallel", g->job->tensor, "GPUs"};
}

static struct explain_term attention_of(const struct inference_ground *g)
{
    return (struct explain_term){"attention_gpus", g->inference->attention_gpus, "GPUs"};
}

static bool linked(const struct inference_job *job, double gpus)
{
    return gpus <= job->gpu->scale_up_domain && isfinite(job->gpu->link_rate) &&
           (job->bridged || !gpu_has_bridge(job->gpu));
}

/* What one message takes however little it carries. */
static void explain_message(const struct inference_ground *g, const char *key, double seconds,
                            struct explain_term gpus)
{
    bool over_link = linked(g->job, gpus.value);

    EXPLAIN(g->to, key, seconds, "s",
            gpus.value <= 1 ? "0"
            : over_link     ? arena_print(g->to->arena, "a_nv x 1e-6 x log2(%s)", gpus.name)
                            : "a_pcie x 1e-6 x 31.5e9 / pcie_rate",
            inference_explain_source(g, over_link ? "a_nv" : "a_pcie gpu",
                                     over_link ? "for each doubling of the GPUs"
                                               : "as measured over PCIe 4.0 x16, 31.5 GB/s"),
            {"a_nv", g->constants->a_nv_us, "us"}, {"a_pcie", g->constants->a_pcie_us, "us"}, gpus,
            {"pcie_rate", g->job->gpu->pcie_rate, "B/s"});
}

/* Messages of a pass over the layers. */
static void explain_messages(const struct inference_ground *g)
{
    const struct inference *inference = g->inference;
    const struct shape *s = g->shape;
    double exchanging = inference->exchanges / 2;

    EXPLAIN(g->to, "all_reduces", inference->all_reduces, "",
            inference->all_reduces > 0 ? "all_reduces_per_layer x layers - exchanging_layers" : "0",
            inference_explain_source(g, "model", "of a pass, among the GPUs that attend together"),
            {"all_reduces_per_layer", s->all_reduces, ""}, {"layers", s->layers, "layers"},
            {"exchanging_layers", exchanging, "layers"});
    explain_message(g, "all_reduce_seconds", inference->all_reduce_seconds, attention_of(g));
    if (inference->exchanges <= 0)
        return;
    EXPLAIN(g->to, "exchanges", inference->exchanges, "", "2 x moe_layers",
            "to the experts and back (arXiv 2412.19437, section 3.4)",
            {"moe_layers", s->moe_layers, "layers"});
    explain_message(g, "exchange_seconds", inference->exchange_seconds, tensor_of(g));
}

static void explain_latency(const struct inference_ground *g)
{
    const struct inference *inference = g->inference;
    bool exchange = inference->exchanges > 0;

    EXPLAIN(g->to, "all_reduce_latency", g->at[FLIGHT_MEAN].step.all_reduce_latency, "s",
            exchange ? "all_reduces x all_reduce_seconds + exchanges x exchange_seconds"
                     : "all_reduces x all_reduce_seconds",
            "one after the other", {"all_reduces", inference->all_reduces, ""},
            {"all_reduce_seconds", inference->all_reduce_seconds, "s"},
            {"exchanges", inference->exchanges, ""},
            {"exchange_seconds", inference->exchange_seconds, "s"});
}

/* Where groups attend on their own, a token also goes to every other GPU with one of its experts.
 */
void inference_explain_volume(const struct inference_ground *g, const char *key, double seconds,
                              struct explain_term tokens)
{
    const struct inference *inference = g->inference;
    struct arena *arena = g->to->arena;
    bool reduce = inference->all_reduces > 0, exchange = inference->exchanges > 0;
    const char *reduced = arena_print(
        arena,
        "all_reduces x 2 x (attention_gpus - 1) / attention_gpus x %s / attention_groups x width x "
        "activation_bytes / (e_link x link_rate)",
        tokens.name);
    const char *exchanged =
        arena_print(arena,
                    "moe_layers x %s / tensor_parallel x min(top_k, tensor_parallel) x "
                    "(tensor_parallel - 1) / tensor_parallel x width x exchange_bytes / (e_link x "
                    "exchange_rate)",
                    tokens.name);

    EXPLAIN(g->to, key, seconds, "s",
            reduce && exchange ? arena_print(arena, "%s + %s", reduced, exchanged)
            : reduce           ? reduced
            : exchange         ? exchanged
                               : "0",
            reduce || exchange
                ? inference_explain_source(g, "gpu e_link",
                                           "a ring sends each byte (n - 1)/n twice; the rate of "
                                           "the link, or where there is none PCIe")
                : ALONE,
            {"all_reduces", inference->all_reduces, ""}, attention_of(g), tokens,
            {"attention_groups", g->job->attention_data, "groups"}, {"width", g->shape->hidden, ""},
            {"activation_bytes", ACTIVATION_BYTES, "B"}, {"e_link", g->constants->e_link, ""},
            {"link_rate", inference->link_rate, "B/s"},
            {"moe_layers", g->shape->moe_layers, "layers"}, tensor_of(g),
            {"top_k", g->shape->top_k, "experts"}, {"exchange_bytes", EXCHANGE_BYTES, "B"},
            {"exchange_rate", inference->exchange_rate, "B/s"});
}

void inference_explain_traffic(const struct inference_ground *g, struct explain_term tokens)
{
    const struct step *step = &g->at[FLIGHT_MEAN].step;
    double both = step->all_reduce_latency + step->all_reduce_volume;
    const char *key = inference_explain_line(g, "tensor_parallel_communication");

    if (g->job->tensor <= 1) {
        EXPLAIN(g->to, key, both, "s", "0", ALONE, tensor_of(g));
        return;
    }
    explain_messages(g);
    explain_latency(g);
    inference_explain_volume(g, "all_reduce_volume", step->all_reduce_volume, tokens);
    EXPLAIN(g->to, key, both, "s", "all_reduce_latency + all_reduce_volume", "of all layers",
            {"all_reduce_latency", step->all_reduce_latency, "s"},
            {"all_reduce_volume", step->all_reduce_volume, "s"});
}

void inference_explain_transfer(const struct inference_ground *g, const char *key, double seconds,
                                struct explain_term tokens)
{
    const struct inference_job *job = g->job;
    double gpus = job->tensor * job->pipeline, hops = job->pipeline - 1;
    bool over_link = linked(job, gpus);
    double crossings = over_link ? 0 : fmin(hops, ceil(gpus / job->gpus_per_node) - 1);
    const char *between = crossings <= 0      ? "hops / rate"
                          : crossings >= hops ? "crossings / network"
                                              : "(crossings / network + (hops - crossings) / rate)";

    EXPLAIN(g->to, key, seconds, "s",
            hops <= 0 ? "0"
                      : arena_print(g->to->arena, "%s x width x activation_bytes / e_link x %s",
                                    tokens.name, between),
            hops <= 0 ? "one stage: nothing is handed on"
                      : inference_explain_source(g, "gpu e_link",
                                                 "activations handed from stage to stage, over the "
                                                 "link or PCIe, and over the network where a "
                                                 "replica spans servers"),
            tokens, {"width", g->shape->hidden, ""}, {"activation_bytes", ACTIVATION_BYTES, "B"},
            {"e_link", g->constants->e_link, ""}, {"hops", hops, ""}, {"crossings", crossings, ""},
            {"network", job->network_rate, "B/s"},
            {"rate", over_link ? job->gpu->link_rate : job->gpu->pcie_rate, "B/s"});
}

void inference_explain_cache(const struct inference_ground *g)
{
    EXPLAIN(
        g->to, "cache_transfer", traffic_cache(g->inference, g->job->input_tokens), "s",
        "input_tokens x gpu_bytes_per_token / (e_link x network)",
        inference_explain_source(g, "e_link", "the cache of a prompt, from the GPUs that read it"),
        {"input_tokens", g->job->input_tokens, "tokens"},
        {"gpu_bytes_per_token", g->inference->pool.bytes_per_token, "B"},
        {"e_link", g->constants->e_link, ""}, {"network", g->job->network_rate, "B/s"});
}

/* time.c - the lines of a step: each from the times of a layer, those from FLOP,
 * bytes and rates. */
#include "estimate/training/explain/explain.h"

#include <math.h>
#include <string.h>

/* What the rows of time share. */
struct ground {
    struct explanations *to;
    const struct training_job *job;
    const struct training_strategy *on;
    const struct training_step *step;
    const struct training_layer *layer;
    struct training_rates rates;
    struct links links;
    double trained; /* share of the layers */
};

static const char *fitted(const struct ground *g, const char *keys)
{
    return training_explain_source(g->to, NULL, keys);
}

static const char *sheet(const struct ground *g, const char *keys)
{
    return training_explain_source(g->to, g->job->gpu, keys);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* Whether the slowest stage has an even share of the layers and a head, as its time says; else the
 * embedding and the head take a layer's place each. */
static bool even_stages(const struct ground *g)
{
    double even = g->job->shape.layers / g->on->pipeline * g->layer->t_total + g->step->t_head;

    return g->on->pipeline == 1 || near(even, g->step->t_max);
}

static double stage_layers(const struct ground *g)
{
    double layers = g->job->shape.layers;

    return even_stages(g) ? layers / g->on->pipeline : ceil((layers + 2) / g->on->pipeline);
}

static void explain_stage(const struct ground *g)
{
    bool even = even_stages(g);

    EXPLAIN(g->to, "stage_layers", stage_layers(g), "layers",
            even ? "layers / stages" : "ceil((layers + 2) / stages)",
            even ? "of the slowest stage"
                 : "of the slowest stage: where stages are uneven, embedding and head take a "
                   "layer's place each (The Llama 3 Herd of Models, arXiv 2407.21783, section 3.3)",
            {"layers", g->job->shape.layers, "layers"}, {"stages", g->on->pipeline, "stages"});
    EXPLAIN(g->to, "micro_batches", g->step->micro_batches, "",
            "max(1, batch / (replicas x micro_batch))", "of a step, one after the other",
            {"batch", g->on->batch_sequences, "sequences"}, {"replicas", g->on->data, ""},
            {"micro_batch", g->on->micro_batch, "sequences"});
}

static void explain_compute(const struct ground *g)
{
    const struct training_layer *l = g->layer;

    EXPLAIN(g->to, "compute", g->step->compute, "s",
            even_stages(g)
                ? "micro_batches x (stage_layers x (t_forward + t_backward + t_floor) + t_head)"
                : "micro_batches x stage_layers x (t_forward + t_backward + t_floor)",
            "layers and output layer of the slowest stage",
            {"micro_batches", g->step->micro_batches, ""},
            {"stage_layers", stage_layers(g), "layers"}, {"t_forward", l->t_forward, "s"},
            {"t_backward", l->t_backward, "s"}, {"t_floor", l->t_floor, "s"},
            {"t_head", g->step->t_head, "s"});
}

/* A line that is so many seconds of each layer and micro-batch. */
static void explain_of_layers(const struct ground *g, const char *key, double value,
                              const char *name, double seconds)
{
    EXPLAIN(g->to, key, value, "s",
            arena_print(g->to->arena, "micro_batches x stage_layers x %s", name),
            "every layer of every micro-batch", {"micro_batches", g->step->micro_batches, ""},
            {"stage_layers", stage_layers(g), "layers"}, {name, seconds, "s"});
}

static void explain_bubble(const struct ground *g)
{
    double deferred = (g->rates.weight_gradient - 1) * g->layer->t_products * g->job->shape.layers /
                      g->on->pipeline;
    bool zero = g->job->schedule == TRAINING_ZERO_BUBBLE;

    EXPLAIN(g->to, "t_average", g->step->t_average, "s", "(layers x t_layer + t_head) / stages",
            "a micro-batch in a stage, on average", {"layers", g->job->shape.layers, "layers"},
            {"t_layer", g->layer->t_total, "s"}, {"t_head", g->step->t_head, "s"},
            {"stages", g->on->pipeline, "stages"});
    EXPLAIN(g->to, "pipeline_bubble", g->step->pipeline_bubble, "s",
            zero ? "(stages - 1) / virtual_stages x max(0, t_average - 2 x t_deferred)"
                 : "(stages - 1) / virtual_stages x t_average",
            zero ? "ZB-H1: gradients of the weights fill the bubble (arXiv 2401.10241, table 2)"
                 : "Narayanan et al., arXiv 2104.04473, section 2.2",
            {"stages", g->on->pipeline, "stages"}, {"virtual_stages", g->on->virtual_stages, ""},
            {"t_average", g->step->t_average, "s"}, {"t_deferred", deferred, "s"});
}

static void explain_pipeline(const struct ground *g)
{
    const struct training_constants *k = g->job->constants;
    bool inside = g->on->gpu_count <= g->links.node;
    double rate = inside ? links_rate(&g->links, g->on->gpu_count) : g->links.network;
    double exposed = g->job->communication_overlap && g->on->virtual_stages > 1 ? k->xpp : 1;

    if (g->on->pipeline > 1)
        EXPLAIN(g->to, "t_point_to_point", g->step->t_point_to_point, "s",
                "exposed x 2 x virtual_stages x element_bytes x tokens x width / tensor_parallel / "
                "(rate x efficiency)",
                sheet(g, inside ? "xpp, e_nv" : "xpp, e_net"), {"exposed", exposed, ""},
                {"virtual_stages", g->on->virtual_stages, ""},
                {"element_bytes", g->rates.element_bytes, "B"},
                {"tokens", g->layer->tokens, "tokens"}, {"width", g->job->shape.hidden, ""},
                {"tensor_parallel", g->on->tensor, "GPUs"}, {"rate", rate, "B/s"},
                {"efficiency", inside ? k->e_nv : k->e_net, ""});
    EXPLAIN(g->to, "pipeline_communication", g->step->pipeline_communication, "s",
            "micro_batches x t_point_to_point", "activations and their gradients between stages",
            {"micro_batches", g->step->micro_batches, ""},
            {"t_point_to_point", g->step->t_point_to_point, "s"});
}

static void explain_slowest(const struct ground *g)
{
    EXPLAIN(g->to, "t_max", g->step->t_max, "s",
            even_stages(g) ? "stage_layers x t_layer + t_head" : "stage_layers x t_layer",
            "a micro-batch in the slowest stage", {"stage_layers", stage_layers(g), "layers"},
            {"t_layer", g->layer->t_total, "s"}, {"t_head", g->step->t_head, "s"});
}

static void explain_layer(const struct ground *g)
{
    const struct training_layer *l = g->layer;

    EXPLAIN(g->to, "t_layer", l->t_total, "s",
            "t_forward + t_backward + t_recompute + t_tensor + t_context + t_all_to_all + t_floor",
            "a layer and micro-batch on one GPU, the mean over the layers",
            {"t_forward", l->t_forward, "s"}, {"t_backward", l->t_backward, "s"},
            {"t_recompute", l->t_recompute, "s"}, {"t_tensor", l->t_tensor, "s"},
            {"t_context", l->t_context, "s"}, {"t_all_to_all", l->t_all_to_all, "s"},
            {"t_floor", l->t_floor, "s"});
    EXPLAIN(g->to, "t_forward", l->t_forward, "s", "t_products + t_elementwise + t_attention",
            "one pass", {"t_products", l->t_products, "s"},
            {"t_elementwise", l->t_elementwise, "s"}, {"t_attention", l->t_attention, "s"});
    EXPLAIN(g->to, "t_backward", l->t_backward, "s",
            "trained x (w x t_products + 2 x t_elementwise + 2.5 x t_attention)",
            "w is 2 with gradients of the weights, 1 without; attention is computed again inside "
            "(FlashAttention-2, arXiv 2307.08691)",
            {"trained", g->trained, ""}, {"w", g->rates.weight_gradient, ""},
            {"t_products", l->t_products, "s"}, {"t_elementwise", l->t_elementwise, "s"},
            {"t_attention", l->t_attention, "s"});
    struct training_again again = training_again(g->job, g->on, l);
    EXPLAIN(g->to, "t_recompute", l->t_recompute, "s",
            "trained x (of_products x t_products + of_elementwise x t_elementwise + of_attention x "
            "t_attention)",
            fitted(g,
                   "cs, the part that FSDP's selective recomputation does again; Megatron-LM's is "
                   "of attention alone; 1 with full"),
            {"trained", g->trained, ""}, {"of_products", again.products, ""},
            {"t_products", l->t_products, "s"}, {"of_elementwise", again.elementwise, ""},
            {"t_elementwise", l->t_elementwise, "s"}, {"of_attention", again.attention, ""},
            {"t_attention", l->t_attention, "s"});
}

static void explain_products(const struct ground *g)
{
    const struct training_layer *l = g->layer;
    const struct training_constants *k = g->job->constants;
    const struct explain_term peak = {"peak", g->rates.peak_linear, "FLOP/s"},
                              eta = {"eta", g->rates.eta_linear, ""}, cb = {"cb", k->cb, ""},
                              band = {"bandwidth", g->job->gpu->memory_bandwidth, "B/s"};

    EXPLAIN(g->to, "t_products", l->t_products, "s", "t_gemm + t_experts + t_cast + t_dequantize",
            "matrix products, casts to FP8, unpacking of 4-bit weights", {"t_gemm", l->t_gemm, "s"},
            {"t_experts", l->t_experts, "s"}, {"t_cast", l->t_cast, "s"},
            {"t_dequantize", l->t_dequantize, "s"});
    EXPLAIN(g->to, "t_gemm", l->t_gemm, "s",
            "flop_dense / (peak x eta) + cb x bytes_dense / bandwidth",
            sheet(g, "eta1, gam (eta8, gam8 in FP8), cb"), {"flop_dense", l->flop_dense, "FLOP"},
            peak, eta, cb, {"bytes_dense", l->bytes_dense, "B"}, band);
    if (g->job->shape.moe)
        EXPLAIN(g->to, "t_experts", l->t_experts, "s",
                "flop_expert / (peak x eta x kg) + cb x bytes_expert / bandwidth",
                sheet(g, "eta1, gam (eta8, gam8 in FP8), kg, cb"),
                {"flop_expert", l->flop_expert, "FLOP"}, peak, eta, {"kg", k->kg, ""}, cb,
                {"bytes_expert", l->bytes_expert, "B"}, band);
    EXPLAIN(g->to, "t_elementwise", l->t_elementwise, "s", "ce x bytes_elementwise / bandwidth",
            sheet(g, "ce"), {"ce", k->ce, ""}, {"bytes_elementwise", l->bytes_elementwise, "B"},
            band);
    EXPLAIN(g->to, "t_attention", l->t_attention, "s",
            "flop_attention / (attention_peak x eta_attention x factor)",
            sheet(g, "ka, ga, sa; factor is kz and gz under ZeRO 3, else 1"),
            {"flop_attention", l->flop_attention, "FLOP"},
            {"attention_peak", g->rates.peak, "FLOP/s"},
            {"eta_attention", g->rates.eta_attention, ""},
            {"factor",
             l->flop_attention > 0
                 ? l->flop_attention / (g->rates.peak * g->rates.eta_attention * l->t_attention)
                 : 1,
             ""});
}

static void explain_head(const struct ground *g)
{
    const struct training_rates *r = &g->rates;

    EXPLAIN(
        g->to, "t_head", g->step->t_head, "s",
        "(1 + w) x 2 x tokens x vocabulary x width / (peak x eta) + (3 x element_bytes x (tokens "
        "x width + width x vocabulary + tokens x vocabulary) + 24 x tokens x vocabulary) / "
        "bandwidth",
        sheet(g, "eta1, gam; output layer and loss in 16 bit"), {"w", r->weight_gradient, ""},
        {"tokens", g->layer->tokens, "tokens"},
        {"vocabulary", g->job->shape.vocab / g->on->tensor, ""},
        {"width", g->job->shape.hidden, ""}, {"peak", r->peak, "FLOP/s"}, {"eta", r->eta_16, ""},
        {"element_bytes", r->element_bytes, "B"},
        {"bandwidth", g->job->gpu->memory_bandwidth, "B/s"});
}

static double exchanges(const struct ground *g)
{
    return g->on->recompute == TRAINING_RECOMPUTE_FULL ? 6 : 4;
}

static void explain_tensor(const struct ground *g)
{
    const struct training_constants *k = g->job->constants;
    double t = g->on->tensor;

    if (t <= 1)
        return;
    EXPLAIN(g->to, "t_tensor", g->layer->t_tensor, "s",
            "exchanges x all_reduces / 2 x exposed x (2 x element_bytes x tokens x width x "
            "(tensor_parallel - 1) / tensor_parallel / (rate x e_nv) + 2 x atp)",
            sheet(g, "xtp (1 without overlap), e_nv, atp"), {"exchanges", exchanges(g), ""},
            {"all_reduces", g->job->shape.all_reduces, ""},
            {"exposed", g->job->communication_overlap ? k->xtp : 1, ""},
            {"element_bytes", g->rates.element_bytes, "B"}, {"tokens", g->layer->tokens, "tokens"},
            {"width", g->job->shape.hidden, ""}, {"tensor_parallel", t, "GPUs"},
            {"rate", links_rate(&g->links, t), "B/s"}, {"e_nv", k->e_nv, ""}, {"atp", k->atp, "s"});
}

static void explain_context(const struct ground *g)
{
    const struct training_constants *k = g->job->constants;
    const struct shape *shape = &g->job->shape;
    double t = g->on->tensor, c = g->on->context;
    double keys = shape->mla ? 2 * shape->kv_lora_rank
                             : 2 * shape->kv_heads * (shape->head_dim + shape->value_dim) / t;

    if (c <= 1)
        return;
    EXPLAIN(g->to, "t_context", g->layer->t_context, "s",
            "exposed x 1.5 x element_bytes x tokens x kv_width x (context_parallel - 1) / "
            "(rate x e_nv)",
            sheet(g, "xcp (1 without overlap), e_nv"),
            {"exposed", g->job->communication_overlap ? k->xcp : 1, ""},
            {"element_bytes", g->rates.element_bytes, "B"}, {"tokens", g->layer->tokens, "tokens"},
            {"kv_width", keys, ""}, {"context_parallel", c, "GPUs"},
            {"rate", links_rate(&g->links, t * c), "B/s"}, {"e_nv", k->e_nv, ""});
}

static void explain_experts(const struct ground *g)
{
    const struct training_constants *k = g->job->constants;
    const struct shape *shape = &g->job->shape;
    double bytes = g->rates.element_bytes * g->layer->tokens / g->on->tensor * shape->hidden;

    if (g->on->expert <= 1 || shape->experts <= 0)
        return;
    EXPLAIN(g->to, "t_all_to_all", g->layer->t_all_to_all, "s",
            "exposed x exchanges x moe_layers / layers x t_dispatch / e_a2a",
            sheet(g, "xa (1 without overlap), e_a2a"),
            {"exposed", g->job->communication_overlap ? k->xa : 1, ""},
            {"exchanges", exchanges(g), ""}, {"moe_layers", shape->moe_layers, "layers"},
            {"layers", shape->layers, "layers"},
            {"t_dispatch", links_dispatch(&g->links, g->on->expert, shape->top_k, bytes), "s"},
            {"e_a2a", k->e_a2a, ""});
}

static void explain_lines(const struct ground *g)
{
    const struct training_step *s = g->step;
    const struct training_layer *l = g->layer;

    explain_compute(g);
    explain_of_layers(g, "tensor_parallel_communication", s->tensor_communication, "t_tensor",
                      l->t_tensor);
    explain_bubble(g);
    explain_pipeline(g);
    explain_slowest(g);
    explain_of_layers(g, "expert_parallel_communication", s->expert_communication, "t_all_to_all",
                      l->t_all_to_all);
    explain_of_layers(g, "context_parallel_communication", s->context_communication, "t_context",
                      l->t_context);
    explain_of_layers(g, "recompute", s->recompute, "t_recompute", l->t_recompute);
}

/* A utilization the caller states says nothing of how the step divides. */
static void explain_stated(const struct training_answer *a, struct explanations *to)
{
    const struct account *account = &a->bill->account;

    for (size_t i = 0; i < account->n; i++)
        if (strcmp(account->at[i].group, "time") == 0)
            EXPLAIN(to, account->at[i].key, account->at[i].value, "s", "step_seconds",
                    "the utilization given makes one line of the whole step",
                    {"step_seconds", a->totals->step_seconds, "s"});
}

void training_explain_time(const struct training_answer *a, struct explanations *to)
{
    const struct training_job *job = a->job;
    struct ground g = {
        .to = to,
        .job = job,
        .on = &a->plan->on,
        .step = &a->plan->step,
        .layer = &a->plan->step.layer,
        .rates = training_rates(job),
        .links = training_links(job, a->plan->on.gpu_count),
        .trained = 1 - job->frozen_layers / job->shape.layers,
    };

    if (!isnan(a->goal->model_flops_utilization)) {
        explain_stated(a, to);
        return;
    }
    explain_stage(&g);
    explain_lines(&g);
    training_explain_update(a, to);
    explain_layer(&g);
    explain_products(&g);
    explain_head(&g);
    explain_tensor(&g);
    explain_context(&g);
    explain_experts(&g);
}

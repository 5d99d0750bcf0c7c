/* Worked examples A, B and C of the step time formulas, each printed intermediate to 1e-6: a dense
 * model under tensor, pipeline and context parallelism, ZeRO 3 with full recompute, and an MoE in
 * fp8 under expert parallelism. They are worked with constants of their own, so that a calibration
 * does not move them, and without the terms that came later; those are checked one by one. And the
 * memory check against 24 measured B200 allocations' model. */
#include "estimate/training/memory.h"

#include "fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

static struct catalog *catalog;
static struct training_constants constants;
static const double unknown = (double)NAN;

static void set(const char *key, double value)
{
    *training_constant(&constants, key) = value;
}

/* Relative, also below one; the sources print nine digits. */
static void near(double got, double want, const char *what)
{
    if (want == 0)
        is_near(got, 0, 1e-12, "%s is 0", what);
    else
        is_near(got / want, 1, 1e-6, "%s is %.9g", what, want);
}

static const struct model *model_of(const char *slug)
{
    const struct model *model = catalog_model(catalog, slug);

    if (!model) {
        printf("Bail out! no model %s\n", slug);
        exit(1);
    }
    return model;
}

/* MosaicML's 70B: plain FFN, multi-head, tied. */
static struct model mpt_70b(void)
{
    return (struct model){.slug = "mpt-70b",
                          .model_type = "mpt",
                          .attention = "MHA",
                          .params_total = 64862400000,
                          .params_active = 64862400000,
                          .n_layers = 80,
                          .n_full_layers = 80,
                          .hidden = 8192,
                          .n_heads = 64,
                          .n_kv_heads = 64,
                          .head_dim = 128,
                          .intermediate = 32768,
                          .vocab = 50368,
                          .tied = true,
                          .n_all_reduces = 2};
}

/* The examples' attention falls with the TFLOP/s per watt and has no term of exponentials. */
static void set_attention(const struct gpu *gpu)
{
    set("ka", 0.661 * pow(gpu->peak[PEAK_BF16] / 1e12 / gpu->tdp, -0.7032));
    set("ke", 0);
}

static struct training_job job_of(const struct model *model, const char *gpu, double sequence,
                                  double network)
{
    set_attention(catalog_gpu(catalog, gpu));
    return (struct training_job){.constants = &constants,
                                 .gpu = catalog_gpu(catalog, gpu),
                                 .shape = model_shape_of(model),
                                 .precision = TRAINING_BF16,
                                 .sequence_tokens = sequence,
                                 .batch_sequences = unknown,
                                 .batch_default = unknown,
                                 .gpus_per_node = 8,
                                 .network_rate = network,
                                 .power = catalog_gpu(catalog, gpu)->tdp,
                                 .flash_attention = true,
                                 .communication_overlap = true,
                                 .tensor_overlap = true};
}

static void check_layer(const struct training_layer *layer, const double want[20], const char *name)
{
    const struct {
        const char *name;
        double got;
    } rows[] = {
        {"tok", layer->tokens},
        {"F_dense", layer->flop_dense},
        {"B_dense", layer->bytes_dense},
        {"F_exp", layer->flop_expert},
        {"B_exp", layer->bytes_expert},
        {"t_gemm", layer->t_gemm},
        {"t_exp", layer->t_experts},
        {"t_cast", layer->t_cast},
        {"B_elem", layer->bytes_elementwise},
        {"t_elem", layer->t_elementwise},
        {"F_att", layer->flop_attention},
        {"t_att", layer->t_attention},
        {"t_fwd", layer->t_forward},
        {"t_bwd", layer->t_backward},
        {"t_rec", layer->t_recompute},
        {"t_tp", layer->t_tensor},
        {"t_cp", layer->t_context},
        {"t_a2a", layer->t_all_to_all},
        {"t_layer", layer->t_total},
    };
    char what[32];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(what, sizeof(what), "%s: %s", name, rows[i].name);
        near(rows[i].got, want[i], what);
    }
}

static void check_step(const struct training_step *step, const double want[14], const char *name)
{
    const struct {
        const char *name;
        double got;
    } rows[] = {
        {"m", step->micro_batches},          {"t_head", step->t_head},
        {"t_avg", step->t_average},          {"t_max", step->t_max},
        {"t_p2p", step->t_point_to_point},   {"B_dp", step->ring_rate},
        {"N_t", step->weights_dense},        {"N_e", step->weights_expert},
        {"t_z3", step->t_streamed},          {"t_mb", step->t_micro_batch},
        {"t_bubble", step->pipeline_bubble}, {"t_opt", step->optimizer_step},
        {"T_step", step->seconds},
    };
    char what[32];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(what, sizeof(what), "%s: %s", name, rows[i].name);
        near(rows[i].got, want[i], what);
    }
    double sum = step->compute + step->tensor_communication + step->pipeline_bubble +
                 step->pipeline_communication + step->data_communication +
                 step->expert_communication + step->context_communication + step->recompute +
                 step->optimizer_step;
    is_near(sum / step->seconds, 1, 1e-12, "%s: the lines add up to the step", name);
}

static void check_rates(const struct training_job *job, double x, double eta_16, double eta_linear,
                        double eta_attention, double kz, const char *name)
{
    struct training_rates rates = training_rates(job);
    char what[32];

    snprintf(what, sizeof(what), "%s: x", name);
    near(rates.power_ratio, x, what);
    snprintf(what, sizeof(what), "%s: eta_16", name);
    near(rates.eta_16, eta_16, what);
    snprintf(what, sizeof(what), "%s: eta_lin", name);
    near(rates.eta_linear, eta_linear, what);
    snprintf(what, sizeof(what), "%s: eta_att", name);
    near(rates.eta_attention * kz, eta_attention, what);
}

static struct training_step step_of(const struct training_job *job,
                                    const struct training_strategy *strategy)
{
    struct training_rates rates = training_rates(job);
    struct training_step step;

    training_step(job, &rates, strategy, &step);
    return step;
}

static void example_a(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-70b"), "h100-sxm5-80gb", 8192, 50e9);
    struct training_strategy on = {.gpu_count = 64,
                                   .tensor = 4,
                                   .pipeline = 4,
                                   .context = 2,
                                   .expert = 1,
                                   .data = 2,
                                   .virtual_stages = 5,
                                   .micro_batch = 1,
                                   .zero_stage = 1,
                                   .sequence_parallel = 1,
                                   .batch_sequences = 128};
    struct training_step step = step_of(&job, &on);

    check_rates(&job, 1.41342857, 0.697443549, 0.697443549, 0.518237549, 1, "A");
    check_layer(&step.layer,
                (double[20]){4096, 1.75234666e+12, 910163968, 0, 0, 0.00320889241, 0, 0, 381681664,
                             0.000114504499, 1.37438953e+11, 0.000268045831, 0.00359144274,
                             0.0073169084, 0, 0.000495864333, 1.10872429e-05, 0, 0.0114153027},
                "A");
    check_step(&step,
               (double[14]){64, 0.0110615474, 0.231071441, 0.239367602, 0.00473865725, 1e11,
                            4.54085837e+09, 0, 0, 0.244106259, 0.138642865, 0.0416301829,
                            15.9460327},
               "A");
    near(step.data_communication, 0.142959124, "A: t_dp");
}

static void example_b(void)
{
    struct model model = mpt_70b();
    struct training_job job = job_of(&model, "a100-sxm4-80gb", 2048, 25e9);
    struct training_strategy on = {.gpu_count = 64,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 64,
                                   .virtual_stages = 1,
                                   .micro_batch = 8,
                                   .zero_stage = 3,
                                   .recompute = TRAINING_RECOMPUTE_FULL,
                                   .batch_sequences = 2048};
    struct training_step step = step_of(&job, &on);

    check_rates(&job, 0.78, 0.771613001, 0.771613001, 0.323378372, constants.kz, "B");
    check_layer(&step.layer,
                (double[20]){16384, 2.63882791e+13, 5.90558003e+09, 0, 0, 0.116748219, 0, 0,
                             5.90558003e+09, 0.00291079349, 5.49755814e+11, 0.00544884266,
                             0.125107855, 0.252940131, 0.125107855, 0, 0, 0, 0.503155841},
                "B");
    check_step(&step,
               (double[14]){4, 0.182235978, 40.4347033, 40.4347033, 0, 2e11, 6.48371241e+10, 0,
                            3.60536896, 41.5332592, 0, 0.03391011, 166.166947},
               "B");
}

static void example_c(void)
{
    struct training_job job = job_of(model_of("qwen3-30b-a3b"), "b200-sxm", 4096, 50e9);
    struct training_strategy on = {.gpu_count = 8,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 8,
                                   .data = 8,
                                   .virtual_stages = 1,
                                   .micro_batch = 4,
                                   .zero_stage = 1,
                                   .batch_sequences = 512};

    job.precision = TRAINING_FP8;
    job.gradient_bytes = 4; /* the reference reduces in FP32 */
    struct training_step step = step_of(&job, &on);
    check_rates(&job, 2.25, 0.644443119, 0.730309466, 0.373720321, 1, "C");
    check_layer(&step.layer,
                (double[20]){16384, 6.27065225e+11, 392429568, 1.23695058e+12, 1.38412032e+09,
                             0.000316384009, 0.00124169931, 0.00061640581, 3.72454195e+09,
                             0.000486125281, 5.49755814e+11, 0.000653793502, 0.00331440792,
                             0.00695571258, 0, 0, 0, 0.00197956236, 0.0122496829},
                "C");
    check_step(&step,
               (double[14]){16, 0.0310629975, 0.619047775, 0.619047775, 0, 9e11, 1.54088243e+09,
                            3.62387866e+09, 0, 0.619047775, 0, 0.0429836832, 9.95403659},
               "C");
    near(step.data_communication, 0.00628850927, "C: t_dp");
}

/* Example A without pipeline and context: what most of the checks below start from. */
static struct training_strategy plain_strategy(void)
{
    return (struct training_strategy){.gpu_count = 64,
                                      .tensor = 1,
                                      .pipeline = 1,
                                      .context = 1,
                                      .expert = 1,
                                      .data = 64,
                                      .virtual_stages = 1,
                                      .micro_batch = 1,
                                      .zero_stage = 1,
                                      .batch_sequences = 128};
}

static void dense_floor(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-8b"), "h100-sxm5-80gb", 128, 50e9);
    struct training_strategy on = plain_strategy();

    set("ad", 1);
    is_near(step_of(&job, &on).layer.t_total, 1, 1e-12, "no layer is faster than its launches");
    set("ad", 0);
}

/* F + B - W in place of F + B + W; W is one pass of the products. */
static void zero_bubble(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-70b"), "h100-sxm5-80gb", 8192, 50e9);
    struct training_strategy on = plain_strategy();

    on.pipeline = 4;
    on.data = 16;
    struct training_step plain = step_of(&job, &on);
    job.schedule = TRAINING_ZERO_BUBBLE;
    struct training_step filled = step_of(&job, &on);
    double products = plain.layer.t_gemm + plain.layer.t_experts + plain.layer.t_cast;
    is_near(plain.pipeline_bubble - filled.pipeline_bubble, 3 * 2 * products * 80 / 4, 1e-9,
            "zero bubble: every stage but one fills in two passes of products");
    ok(filled.compute == plain.compute, "zero bubble: the work is the same");
}

static void frozen(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-70b"), "h100-sxm5-80gb", 8192, 50e9);
    struct training_strategy on = plain_strategy();
    struct training_step all = step_of(&job, &on);

    job.frozen_layers = 40;
    struct training_step half = step_of(&job, &on);
    is_near(half.layer.t_backward / all.layer.t_backward, 0.5, 1e-12,
            "half the layers frozen: half the backward pass");
    is_near(half.t_reduction / all.t_reduction, 0.5, 1e-12, "and half the reduction");
    is_near(half.optimizer_step / all.optimizer_step, 0.5, 1e-12, "and half the update");
    ok(half.layer.t_forward == all.layer.t_forward, "and the whole forward pass");
}

/* 64 ranks: 64 x 63 hops of 1 us in each of 2 x buckets; 80 layers where FSDP has one each. */
static void ring_latency(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-70b"), "h100-sxm5-80gb", 8192, 50e9);
    struct training_strategy on = plain_strategy();
    struct training_step before = step_of(&job, &on);
    double buckets = ceil(before.weights_dense / 64e6);

    set("al", 1e-6);
    is_near(step_of(&job, &on).t_reduction - before.t_reduction, 2 * buckets * 63e-6, 1e-9,
            "a bucket goes round the ring twice");
    on.zero_stage = 3;
    double streamed = step_of(&job, &on).t_streamed;
    set("al", 0);
    is_near(streamed - step_of(&job, &on).t_streamed, 3 * 80 * 63e-6, 1e-9,
            "ZeRO 3: every layer goes round three times a micro-batch");
}

static void hidden_reduction(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-70b"), "h100-sxm5-80gb", 8192, 50e9);
    struct training_strategy on = plain_strategy();

    set("kdp", 1e-3);
    struct training_step step = step_of(&job, &on);
    is_near(step.t_hidden, (1 - constants.xdp) * 1e-3 * step.t_max, 1e-12,
            "no more is hidden than there are passes to hide it");
    job.communication_overlap = false;
    is_near(step_of(&job, &on).t_hidden, 0, 0, "without overlap nothing is");
    set("kdp", 1e9);
}

/* 8 groups of one node: the states divide among 8 ranks, and what a rank owns is all-reduced over 8
 * nodes by a card of 50e9 B/s. */
static void hybrid_sharding(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-70b"), "h100-sxm5-80gb", 8192, 50e9);
    struct training_strategy on = plain_strategy();

    on.shard = 8;
    struct training_step step = step_of(&job, &on);
    double n = step.weights_dense, inside = n * 7 / 8 * 6 / (450e9 * constants.e_net);
    double across = n / 8 * 7 / 8 * 8 / (50e9 * constants.e_net);
    is_near(step.t_reduction / (inside + across), 1, 1e-12, "inside the node, then across");
    on.shard = unknown;
    double whole = step_of(&job, &on).optimizer_step;
    ok(step.optimizer_step > whole, "each of fewer ranks updates more");
}

/* 4 bytes of gradient down and 2 of weight up over PCIe; 2 x 12 + 4 + 2 in host memory. */
static void offload(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-70b"), "h100-sxm5-80gb", 8192, 50e9);
    struct training_strategy on = plain_strategy();

    job.offload = TRAINING_OFFLOAD_OPTIMIZER;
    struct training_step step = step_of(&job, &on);
    double owned = step.weights_dense / 64, pcie = job.gpu->pcie_rate * constants.e_net;
    is_near(step.optimizer_step / (owned * (6 / pcie + 30 / constants.host_memory_rate)), 1, 1e-12,
            "the host updates");
    ok(step.t_streamed == 0, "weights stay");
    job.offload = TRAINING_OFFLOAD_PARAMETERS;
    step = step_of(&job, &on);
    is_near(step.t_streamed / (4 * step.weights_dense / pcie), 1, 1e-12,
            "weights come for the forward and for the backward pass");
}

/* 16 ranks in two nodes, 8 copies of a token: it reaches 2 (1 - 1/2^8) nodes, half of them its own.
 */
static void dispatch(void)
{
    struct links links = {
        .domain = 8, .node = 8, .link = 400e9, .pair = 400e9, .pcie = 50e9, .network = 10e9};

    is_near(collective_dispatch(&links, 8, 4, 1e9), 4e9 * 7 / 8 / 400e9, 1e-15,
            "inside: every copy");
    is_near(collective_dispatch(&links, 16, 8, 1e9), 2 * (1 - pow(0.5, 8)) * 1e9 / 2 / 10e9, 1e-15,
            "between nodes: once a node");
}

static void no_peer_to_peer(void)
{
    struct training_job job = job_of(model_of("meta-llama-3-8b"), "rtx-4090", 2048, 1e9);
    struct links links = training_links(&job, 4);

    is_near(links.pcie, job.gpu->pcie_rate / 2, 1e-3, "what GeForce cards send crosses PCIe twice");
    job.gpu = catalog_gpu(catalog, "l40s");
    links = training_links(&job, 4);
    is_near(links.pcie, job.gpu->pcie_rate, 1e-3, "others reach each other");
}

/* Twelve layers of 70B on 8 B200: measured 41.951 GB. */
static void memory_check(void)
{
    struct model model = *model_of("meta-llama-3-70b");

    model.kv_bytes_per_token_bf16 *= 12 / model.n_layers;
    model.n_layers = model.n_full_layers = 12;
    struct training_job job = job_of(&model, "b200-sxm", 4096, 50e9);
    struct training_strategy on = {.gpu_count = 8,
                                   .tensor = 4,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 2,
                                   .virtual_stages = 1,
                                   .micro_batch = 1,
                                   .zero_stage = 1,
                                   .sequence_parallel = 1,
                                   .batch_sequences = 8};
    struct training_memory memory = training_memory(&job, &on);

    ok(memory.states == 37107007488.0, "weights and states to the byte");
    ok(memory.scratch == 427819008.0, "S to the byte");
    ok(memory.layer_activations == 3375366144.0, "A to the byte");
    ok(memory.logits == 788004864.0, "G to the byte");
    is_near(memory.allocated / 41.698e9, 1, 2e-5, "allocated as printed");
    is_near(memory.required - memory.allocated, constants.runtime_reserve_gib * 1073741824.0, 1e-9,
            "the overhead is the reserve");
}

/* The constants the examples were worked with; the later terms without effect. */
static void set_reference(void)
{
    static const struct {
        const char *key;
        double value;
    } rows[] = {{"eta1", 0.7397}, {"gam", 0.17},      {"eta8", 0.792},    {"gam8", 0.10},
                {"cb", 2.464},    {"ce", 1.005},      {"cq", 1.448},      {"kz", 0.4108},
                {"kg", 0.4712},   {"am", 0.005668},   {"cs", 0.4781},     {"e_nv", 0.6305},
                {"xtp", 0.2087},  {"atp", 0.0001196}, {"e_net", 0.7081},  {"xdp", 0.4954},
                {"x3", 0.3047},   {"co", 2.275},      {"xa", 0.6637},     {"e_a2a", 0.7},
                {"xcp", 0.25},    {"f4", 0.78},       {"cap_gemm", 0.92}, {"cap_attention", 0.90},
                {"vendor", 1},    {"kdp", 1e9},       {"xpp", 1},         {"al", 0},
                {"sa", 0},        {"gz", 0},          {"ad", 0},          {"host_staging", 0.5},
                {"cm", 1},        {"xtq", 0.2087},    {"an", 0.005668},   {"af", 0},
                {"ts", 0},        {"cw", 0}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        set(rows[i].key, rows[i].value);
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    set_reference();
    example_a();
    example_b();
    example_c();
    dense_floor();
    zero_bubble();
    frozen();
    ring_latency();
    hidden_reduction();
    hybrid_sharding();
    offload();
    dispatch();
    no_peer_to_peer();
    memory_check();
    catalog_free(catalog);
    return tap_done();
}

/* What happens once a step, and what the host adds to a step and to the layers of a mixture. */
#include "estimate/training/optimizer_step.h"
#include "estimate/training/training.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <math.h>

static const double NETWORK = 50e9;

static struct training_exchange exchange(const struct training_job *job, double expert)
{
    struct training_strategy on = {
        .gpu_count = 64,
        .tensor = 1,
        .pipeline = 1,
        .context = 1,
        .expert = expert,
        .data = 64,
        .virtual_stages = 1,
        .micro_batch = 4,
        .zero_stage = 1,
    };
    struct links links = training_links(job, on.gpu_count);
    struct training_rates rates = training_rates(job);

    return training_exchange(job, &rates, &links, &on);
}

static struct training_job job_of(const struct catalog *catalog,
                                  const struct training_constants *constants, const char *gpu)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "gpt-oss-120b"));
    struct training_job job = fixture_job(constants, catalog_gpu(catalog, gpu), &shape);

    job.gpus_per_node = 8;
    job.network_rate = NETWORK;
    training_complete(&job, 64);
    return job;
}

/* Gradients of experts go round the GPUs that hold the same ones: in a server of eight that hold
 * eight parts, one network card serves each ring, where all of them serve that of the rest. */
static void rings(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_job job = job_of(catalog, constants, "b200-sxm");
    struct training_exchange each = exchange(&job, 8), none = exchange(&job, 64);
    double bytes = each.weights_expert * 7 / 8 * (4 + 2); /* FP32 gradients, 16-bit weights */

    is_near(each.ring_rate / (8 * NETWORK), 1, 1e-9, "eight cards serve the ring of all GPUs");
    is_near(each.expert_ring_rate / NETWORK, 1, 1e-9, "one serves that of the same experts");
    is_near((each.t_bytes - none.t_bytes) / (bytes / NETWORK / constants->e_net), 1, 1e-9,
            "which takes as long as that card");
    job = job_of(catalog, constants, "gb200-nvl72");
    each = exchange(&job, 8);
    is_near(each.expert_ring_rate / each.ring_rate, 1, 1e-9, "a rack of links has no such card");
}

/* Under ZeRO 3, and from the host, weights of QLoRA go packed: a little over half a byte, and two
 * bytes in embedding and head. */
static void packed(const struct catalog *catalog, const struct training_constants *constants)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "llama-2-70b"));
    struct training_job job = fixture_job(constants, catalog_gpu(catalog, "rtx-4090"), &shape);
    struct training_strategy on = {.gpu_count = 2,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 2,
                                   .virtual_stages = 1,
                                   .micro_batch = 2,
                                   .zero_stage = 3};

    job.offload = TRAINING_OFFLOAD_PARAMETERS;
    job.method = TRAINING_LORA;
    training_complete(&job, 2);
    struct training_rates rates = training_rates(&job);
    struct links links = training_links(&job, 2);
    struct training_exchange wide = training_exchange(&job, &rates, &links, &on);
    job.method = TRAINING_QLORA;
    struct training_exchange narrow = training_exchange(&job, &rates, &links, &on);
    double tables = 2 * shape.vocab * shape.hidden / wide.weights_dense;
    double sent = 2 * tables + (0.5 + 1.0 / 64 + 1.0 / 4096) * (1 - tables);
    double gradients = rates.trained * rates.bytes.gradient;

    is_near(narrow.t_host / wide.t_host, sent / 2, 1e-9, "from the host");
    is_near(narrow.t_bytes / wide.t_bytes, (2 * sent + gradients) / (4 + gradients), 1e-9,
            "from the other replicas");
}

/* The host takes its time once a step, whatever is trained; under JAX it is part of one program. */
static void host(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_constants waiting = *constants;
    struct training_job job = job_of(catalog, constants, "b200-sxm");
    double before = exchange(&job, 8).t_update;

    waiting.ts = constants->ts + 0.5;
    job.constants = &waiting;
    is_near(exchange(&job, 8).t_update - before, 0.5, 1e-12, "the host's part of an update");
    job.stack = TRAINING_STACK_JAX;
    is_near(before - exchange(&job, 8).t_update, constants->ts, 1e-12, "none under JAX");
}

/* Fewer launches where a domain spans nodes, more where tensor groups exchange. */
static void launches(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_job node = job_of(catalog, constants, "b200-sxm");
    struct training_job domain = job_of(catalog, constants, "gb200-nvl72");

    is_near(training_layer_floor(&node, 1), constants->am, 1e-12, "launches in a node");
    is_near(training_layer_floor(&domain, 1), constants->an, 1e-12, "on a domain of several");
    is_near(training_layer_floor(&domain, 2), constants->an + constants->af, 1e-12,
            "and with tensor parallelism");
    ok(constants->an < constants->am, "a domain of several launches less");
}

static struct links links_of(const struct catalog *catalog, const char *gpu)
{
    return collective_links(catalog_gpu(catalog, gpu), 8, 1e9);
}

/* V100 and MI300X have a link to each other card, of which a smaller group has fewer; behind a
 * switch and along the axes of a torus all are for everybody. */
static void meshes(const struct catalog *catalog)
{
    struct links v100 = links_of(catalog, "v100-sxm2-16gb"), mi300x = links_of(catalog, "mi300x");
    struct links h100 = links_of(catalog, "h100-sxm5-80gb"), tpu = links_of(catalog, "tpu-v5p");

    is_near(collective_rate(&v100, 2) / 25e9, 1, 1e-9, "a pair of V100 has one link");
    is_near(collective_rate(&v100, 4) / 75e9, 1, 1e-9, "four have three each");
    is_near(collective_rate(&v100, 8) / 150e9, 1, 1e-9, "eight have all six");
    is_near(collective_ring_rate(&v100, 2, 4) / 25e9, 1, 1e-9, "far apart they have no more");
    is_near(collective_pair_rate(&v100, 8) / 25e9, 1, 1e-9, "from stage to stage there is one");
    is_near(collective_rate(&mi300x, 2) / 64e9, 1, 1e-9, "a pair of MI300X has one of seven");
    is_near(collective_rate(&h100, 2) / 450e9, 1, 1e-9, "a switch gives a pair all of them");
    is_near(collective_pair_rate(&h100, 8) / 450e9, 1, 1e-9, "and two of eight");
    ok(collective_rate(&tpu, 4) == tpu.link, "a torus is divided along its axes");
    is_near(collective_ring_rate(&v100, 16, 1) / 8e9, 1, 1e-9, "two nodes use all their cards");
}

/* A tensor group of two nodes: the bytes of its exchanges cross by all network cards. */
static void wide_tensor(const struct catalog *catalog, const struct training_constants *constants)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "llama-2-70b"));
    struct training_job job =
        fixture_job(constants, catalog_gpu(catalog, "h100-sxm5-80gb"), &shape);
    struct training_strategy on = {.gpu_count = 16,
                                   .tensor = 16,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .micro_batch = 1};

    job.sequence_tokens = 4096;
    job.gpus_per_node = 8;
    job.network_rate = 1e9;
    training_complete(&job, 16);
    struct training_rates rates = training_rates(&job);
    struct links links = training_links(&job, 16);
    struct training_layer layer = training_layer(&job, &rates, &links, &on);
    double bytes = 4 * layer.tokens * shape.hidden * 15 / 16;
    double each = bytes / (8 * job.network_rate * constants->e_nv) + 2 * constants->atp;

    is_near(layer.t_tensor / (4 * training_tensor_exposed(&job, &on) * each), 1, 1e-9,
            "tensor parallelism over two nodes");
}

/* Megatron Core's guide: 20 bytes a weight of FP16, 18 of BF16, and what is sent of them. */
static void fp16(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_job job = job_of(catalog, constants, "v100-sxm2-32gb");

    job.stack = TRAINING_STACK_MEGATRON;
    job.precision = TRAINING_FP16;
    struct training_bytes bytes = training_job_bytes(&job);
    is_near(bytes.weight + bytes.gradient + bytes.optimizer, 20, 1e-12, "20 bytes a weight");
    is_near(bytes.gradient, 2, 1e-12, "reduced in 16 bit");
    job.gradient_bytes = 4;
    bytes = training_job_bytes(&job);
    is_near(bytes.weight + bytes.gradient + bytes.optimizer, 18, 1e-12, "18 with FP32 gradients");
    job.gradient_bytes = 0;
    job.precision = TRAINING_BF16;
    bytes = training_job_bytes(&job);
    is_near(bytes.weight + bytes.gradient + bytes.optimizer, 18, 1e-12, "and in BF16");
}

/* Adapters of software of few kernels move what they are counted to, whatever its other bytes. */
static void fused_adapters(const struct catalog *catalog,
                           const struct training_constants *constants)
{
    struct training_constants fewer = *constants;
    struct model_shape shape = model_shape_of(catalog_model(catalog, "meta-llama-3-8b"));
    struct training_job job = fixture_job(&fewer, catalog_gpu(catalog, "h100-sxm5-80gb"), &shape);
    struct training_strategy on = {.gpu_count = 1,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .micro_batch = 1};
    double elements = 4. * 4096 + 2. * (32 + 8) * 128 + 3. * (4096 + 14336);

    job.method = TRAINING_LORA;
    job.stack = TRAINING_STACK_FUSED;
    job.sequence_tokens = 2048;
    training_complete(&job, 1);
    struct training_rates rates = training_rates(&job);
    struct links links = training_links(&job, 1);
    double with = training_layer(&job, &rates, &links, &on).t_elementwise;
    fewer.ca_fused = 0;
    double without = training_layer(&job, &rates, &links, &on).t_elementwise;
    double passes = constants->ce * constants->ca_fused;
    is_near((with - without) / (passes * 2 * 2048 * elements / job.gpu->memory_bandwidth), 1, 1e-9,
            "adapters of few kernels");
}

/* Seconds of the casts of a layer of Llama 3 8B in FP8, one pass of 2,048 tokens. */
static double cast(const struct catalog *catalog, const struct training_constants *constants,
                   enum training_method method, enum training_stack stack)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "meta-llama-3-8b"));
    struct training_job job =
        fixture_job(constants, catalog_gpu(catalog, "h100-sxm5-80gb"), &shape);
    struct training_strategy on = {
        .gpu_count = 1, .tensor = 1, .pipeline = 1, .context = 1, .expert = 1, .micro_batch = 1};

    job.method = method;
    job.stack = stack;
    job.precision = TRAINING_FP8;
    job.sequence_tokens = 2048;
    training_complete(&job, 1);
    struct training_rates rates = training_rates(&job);
    return training_layer_work(&job, &rates, &on).t_cast;
}

/* Frozen weights that stay in 16 bit are cast for each product. */
static void cast_weights(const struct catalog *catalog, const struct training_constants *constants)
{
    double weights = 2. * 4096 * (32 + 8) * 128 + 3. * 4096 * 14336, bandwidth = 3.35e12;
    double all = cast(catalog, constants, TRAINING_FULL, TRAINING_STACK_FUSED);
    double adapters = cast(catalog, constants, TRAINING_LORA, TRAINING_STACK_FUSED);

    is_near((adapters - all) / (constants->cq * 6 * weights / bandwidth), 1, 1e-9,
            "six bytes a weight and pass");
    is_near(cast(catalog, constants, TRAINING_LORA, TRAINING_STACK_MEGATRON),
            cast(catalog, constants, TRAINING_FULL, TRAINING_STACK_MEGATRON), 1e-12,
            "once a step in other software");
}

/* Seconds of sends between two stages of tensor degree 8. */
static double sent(struct training_job *job, enum training_stack stack, double sequence_parallel)
{
    struct training_strategy on = {.gpu_count = 64,
                                   .tensor = 8,
                                   .pipeline = 4,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 2,
                                   .virtual_stages = 1,
                                   .micro_batch = 1,
                                   .zero_stage = 1,
                                   .sequence_parallel = sequence_parallel};

    job->stack = stack;
    struct training_rates rates = training_rates(job);
    struct links links = training_links(job, on.gpu_count);
    return training_point_to_point(job, &rates, &links, &on, 4096);
}

/* A rank that holds a part sends a part; Megatron's sends a part in any case. */
static void sends(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_job job = job_of(catalog, constants, "a100-sxm4-80gb");
    double part = sent(&job, TRAINING_STACK_UNSPECIFIED, 1);

    is_near(sent(&job, TRAINING_STACK_UNSPECIFIED, 0) / part, 8, 1e-9, "whole activations");
    is_near(sent(&job, TRAINING_STACK_MEGATRON, 0) / part, 1, 1e-9, "scattered by Megatron");
    is_near(sent(&job, TRAINING_STACK_DEEPSPEED, 1) / part, 8, 1e-9, "whole under DeepSpeed");
}

static struct training_rates rates_of(const struct catalog *catalog,
                                      const struct training_constants *constants, const char *gpu,
                                      enum training_precision precision)
{
    struct training_job job = job_of(catalog, constants, gpu);

    job.precision = precision;
    return training_rates(&job);
}

/* Seconds of one layer's attention on one of 64 TPUs under ZeRO 3. */
static double attention_of(struct training_job *job, enum training_stack stack)
{
    struct training_strategy on = {.gpu_count = 64,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 64,
                                   .virtual_stages = 1,
                                   .micro_batch = 1,
                                   .zero_stage = 3,
                                   .batch_sequences = 64};
    struct training_rates rates = training_rates(job);
    struct links links = training_links(job, 64);

    job->stack = stack;
    return training_layer(job, &rates, &links, &on).t_attention;
}

static void attention_on_tpu(const struct catalog *catalog,
                             const struct training_constants *constants)
{
    struct training_job job = job_of(catalog, constants, "tpu-v6e");
    double jax = attention_of(&job, TRAINING_STACK_JAX);
    double any = attention_of(&job, TRAINING_STACK_UNSPECIFIED);
    double torch = attention_of(&job, TRAINING_STACK_FSDP);

    is_near(any, jax, 1e-12, "a TPU is trained with JAX where nothing is stated");
    is_near(torch * constants->kz_tpu, jax, 1e-12, "PyTorch has another kernel there");
    job.native_attention = true;
    is_near(attention_of(&job, TRAINING_STACK_FSDP), jax, 1e-12, "unless it is told to take JAX's");
}

static void products(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_job job = job_of(catalog, constants, "tpu-v5e");
    struct training_rates v5e = rates_of(catalog, constants, "tpu-v5e", TRAINING_BF16);
    struct training_rates h100 = rates_of(catalog, constants, "h100-sxm5-80gb", TRAINING_BF16);

    is_near(v5e.eta_linear, constants->eta_tpu, 1e-12, "no fall with power on a TPU");
    is_near(v5e.cb, constants->cb_tpu, 1e-12, "nor waits for operands");
    is_near(v5e.eta_attention,
            constants->ka_tpu * job.sequence_tokens / (job.sequence_tokens + constants->sa), 1e-12,
            "a TPU's attention has a rate of its own");
    ok(h100.eta_linear < constants->eta1 && h100.cb == constants->cb, "other than on a GPU");
    is_near(h100.grouped, constants->kg16, 1e-12, "experts in 16 bit");
    is_near(rates_of(catalog, constants, "h100-sxm5-80gb", TRAINING_FP8).grouped, constants->kg,
            1e-12, "in FP8");
    is_near(rates_of(catalog, constants, "b200-sxm", TRAINING_BF16).grouped, constants->kg, 1e-12,
            "in 16 bit on Blackwell");
}

int main(void)
{
    struct training_constants constants;
    struct err err = {0};
    struct catalog *catalog = fixture_catalog();

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    rings(catalog, &constants);
    packed(catalog, &constants);
    host(catalog, &constants);
    launches(catalog, &constants);
    meshes(catalog);
    wide_tensor(catalog, &constants);
    fp16(catalog, &constants);
    fused_adapters(catalog, &constants);
    cast_weights(catalog, &constants);
    sends(catalog, &constants);
    products(catalog, &constants);
    attention_on_tpu(catalog, &constants);
    catalog_free(catalog);
    return tap_done();
}

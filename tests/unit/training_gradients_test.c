/* Adding up gradients of experts, their biases, the kernels of a step that is one CUDA graph, and
 * what the loss moves. */
#include "estimate/training/training.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <math.h>

static struct training_constants constants;

static struct training_layer layer_of(const struct training_job *job,
                                      const struct training_strategy *on)
{
    struct training_rates rates = training_rates(job);
    struct links links = training_links(job, on->gpu_count);

    return training_layer(job, &rates, &links, on);
}

static struct training_job job_of(const struct catalog *catalog, const char *slug, const char *gpu)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, slug));
    struct training_job job = fixture_job(&constants, catalog_gpu(catalog, gpu), &shape);

    job.sequence_tokens = 4096;
    training_complete(&job, 64);
    return job;
}

static struct training_strategy strategy(double expert)
{
    return (struct training_strategy){.gpu_count = 64,
                                      .tensor = 1,
                                      .pipeline = 1,
                                      .context = 1,
                                      .expert = expert,
                                      .data = 64,
                                      .virtual_stages = 1,
                                      .micro_batch = 1,
                                      .zero_stage = 1,
                                      .batch_sequences = 256};
}

/* Each micro-batch reads and writes the FP32 gradients of a layer's experts; adapters have none. */
static void gradients(const struct catalog *catalog)
{
    struct training_job job = job_of(catalog, "qwen3-30b-a3b", "h100-sxm5-80gb");
    struct training_job other = job_of(catalog, "meta-llama-3-70b", "h100-sxm5-80gb");
    struct training_strategy on = strategy(8), alone = strategy(1);
    double dense, expert, fitted = constants.cw;

    training_layer_weights(&job.shape, &on, &dense, &expert);
    constants.cw = 0;
    struct training_layer without = layer_of(&job, &on);
    constants.cw = 1.5;
    struct training_layer with = layer_of(&job, &on);
    is_near((with.t_backward - without.t_backward) /
                (1.5 * 2 * 4 * expert / job.gpu->memory_bandwidth),
            1, 1e-9, "gradients are read and written in FP32");
    ok(layer_of(&other, &alone).t_gradients == 0, "those of dense products are hidden");
    job.gradient_bytes = 2;
    is_near(layer_of(&job, &on).t_gradients / with.t_gradients, 0.5, 1e-12, "or in 16 bit");
    job.method = TRAINING_LORA;
    job.trainable_ratio = 0.01;
    ok(layer_of(&job, &on).t_gradients == 0, "adapters: none of frozen products");
    constants.cw = fitted;
}

/* One graph launches all; the kernels of experts move a share of the bytes. */
static void graphs(const struct catalog *catalog)
{
    struct training_job job = job_of(catalog, "qwen3-30b-a3b", "gb200-nvl72");
    struct training_strategy on = strategy(8);

    job.precision = TRAINING_FP8;
    struct training_layer other = layer_of(&job, &on);
    job.stack = TRAINING_STACK_GRAPHS;
    struct training_layer one = layer_of(&job, &on);
    ok(other.t_floor > 0 && one.t_floor == 0, "nothing waits for launches");
    is_near(one.bytes_expert / other.bytes_expert, constants.fg, 1e-12, "operands of experts");
    ok(one.bytes_dense == other.bytes_dense, "not of other products");
    ok(one.t_cast < other.t_cast, "casts of experts");
    ok(one.t_elementwise < other.t_elementwise, "activations of experts");
    double moved = constants.cb * other.bytes_expert / job.gpu->memory_bandwidth;
    is_near((one.t_experts - constants.fg * moved) / (other.t_experts - moved),
            constants.kg / constants.kf, 1e-9, "grouped products of kf instead of kg");
    ok(training_usual_overlap(&job, 8), "exchanges are overlapped whatever the expert degree");
    job.stack = TRAINING_STACK_MEGATRON;
    ok(!training_usual_overlap(&job, 8), "not so under Megatron otherwise");
}

static double moved_by_biases(struct training_job job)
{
    struct training_strategy on = strategy(8);
    double with = layer_of(&job, &on).bytes_elementwise;

    job.shape.expert_bias = false;
    return with - layer_of(&job, &on).bytes_elementwise;
}

/* Bytes per element of what four experts give a token: of 28 forward and 40 backward for the bias,
 * and 16 and 20 for the clamp of either half of the gate, 20 each have operands that are not alike.
 */
static void biases(const struct catalog *catalog)
{
    struct training_job job = job_of(catalog, "gpt-oss-120b", "gb200-nvl72");
    double bias = 48 + 20 * constants.eb, clamp = 16 + 20 * constants.eb;
    double bytes = (bias + clamp) / 3 * 4096 * 4 * 2880;

    is_near(moved_by_biases(job) / bytes, 1, 1e-9, "biases are added outside the products");
    job.precision = TRAINING_FP8;
    job.stack = TRAINING_STACK_GRAPHS;
    is_near(moved_by_biases(job) / bytes, constants.fg, 1e-9, "a share of it in one kernel");
    job.stack = TRAINING_STACK_JAX;
    ok(moved_by_biases(job) == 0, "XLA adds them inside");
    ok(moved_by_biases(job_of(catalog, "qwen3-30b-a3b", "gb200-nvl72")) == 0, "Qwen3 has none");
}

static double logit_bytes(const struct training_job *job)
{
    return training_rates(job).logit_bytes;
}

/* PyTorch's single operations widen the logits to FP32; compiled, they stay in 16 bit. */
static void losses(const struct catalog *catalog)
{
    struct training_job job = job_of(catalog, "meta-llama-3-70b", "h100-sxm5-80gb");

    ok(logit_bytes(&job) == 24, "no stack is stated");
    job.stack = TRAINING_STACK_FSDP;
    ok(logit_bytes(&job) == 8, "a compiled loss reads 16-bit logits three times and writes once");
    job.eager = true;
    ok(logit_bytes(&job) == 24, "without torch.compile");
    job.eager = false;
    job.method = TRAINING_FULL;
    ok(logit_bytes(&job) == 24, "a model that returns its logits");
    job.stack = TRAINING_STACK_FUSED;
    ok(logit_bytes(&job) == 4, "the gradient overwrites the logits");
}

int main(void)
{
    struct catalog *catalog = fixture_catalog();
    struct err err = {0};

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    gradients(catalog);
    graphs(catalog);
    biases(catalog);
    losses(catalog);
    catalog_free(catalog);
    return tap_done();
}

/* What attention's exponentials add to its products, by GPU and width of the heads, and kernels
 * that are older than the GPU. */
#include "base/arena.h"
#include "estimate/measurement/training_run.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct training_constants constants;
static const struct catalog *catalog;

/* Products and exponentials in units of the products: with one second of either for each other's,
 * attention takes 1 + ratio times as long as its products. */
static double ratio_of(const char *gpu, double width)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "meta-llama-3-8b"));
    struct training_job job;

    shape.prefill_key_dim = shape.prefill_value_dim = width;
    job = fixture_job(&constants, catalog_gpu(catalog, gpu), &shape);
    job.sequence_tokens = 8192;
    training_complete(&job, 8);
    return 1 / training_rates(&job).eta_attention - 1;
}

/* FP32 lanes and 16 exponentials per clock: 64 x 2 FLOP up to A100, 128 x 2 since. */
static void by_gpu(void)
{
    double a100 = 312e12 / (4 * 128) / (19.5e12 / 128 * 16);
    double h100 = 989.4e12 / (4 * 128) / (66.9e12 / 256 * 16);

    is_near(ratio_of("a100-sxm4-80gb", 128), a100, 1e-9, "A100 has 64 lanes: 0.25");
    is_near(ratio_of("h100-sxm5-80gb", 128), h100, 1e-9, "H100 has 128 lanes: 0.46");
    is_near(ratio_of("gb300-nvl72", 128), ratio_of("gb200-nvl72", 128) / 2, 1e-9,
            "Blackwell Ultra computes twice as many exponentials");
}

static void by_width(void)
{
    double whole = ratio_of("h100-sxm5-80gb", 128);

    is_near(ratio_of("h100-sxm5-80gb", 64), 2 * whole, 1e-9,
            "half the width has half the products for one exponential");
    is_near(ratio_of("h100-sxm5-80gb", 256), whole, 1e-9, "wider heads are computed in parts");
}

static void short_sequences(void)
{
    double whole = 1 + ratio_of("h100-sxm5-80gb", 128);

    constants.sa = 8192;
    is_near(1 + ratio_of("h100-sxm5-80gb", 128), 2 * whole, 1e-9,
            "attention has half its efficiency at sa tokens");
    constants.sa = 0;
}

/* Scores that go through memory take their exponentials there. */
static void unfused(void)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "meta-llama-3-8b"));
    struct training_job job =
        fixture_job(&constants, catalog_gpu(catalog, "h100-sxm5-80gb"), &shape);

    job.sequence_tokens = 8192;
    job.flash_attention = false;
    training_complete(&job, 8);
    is_near(training_rates(&job).eta_attention, 1, 1e-12, "unfused attention is products alone");
}

/* Other vendors' rates are not known: as NVIDIA's parts at the same TFLOP/s per watt. */
static void other_vendors(void)
{
    const struct gpu *gpu = catalog_gpu(catalog, "mi300x");
    double x = gpu->peak[PEAK_BF16] / 1e12 / gpu->tdp;

    constants.vendor_mi300 = 1;
    is_near(ratio_of("mi300x", 128), 0.25 * pow(x / 0.78, 1.2), 1e-9, "MI300X by its watts");
    is_near(ratio_of("mi300x", 64), 2 * ratio_of("mi300x", 128), 1e-9, "and by the width");
}

static double eta_of(const char *gpu, bool early)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "meta-llama-3-8b"));
    struct training_job job = fixture_job(&constants, catalog_gpu(catalog, gpu), &shape);

    job.sequence_tokens = 8192;
    job.early_attention = early;
    training_complete(&job, 8);
    return training_rates(&job).eta_attention;
}

/* Kernels written for A100 fall behind as those of PyTorch's stacks do. */
static void early_kernels(void)
{
    double x = 989.4 / 700; /* TFLOP/s per watt of an H100 */

    is_near(eta_of("h100-sxm5-80gb", true) / eta_of("h100-sxm5-80gb", false),
            pow(x / 0.78, -constants.gz), 1e-3, "on an H100 by gz");
    is_near(eta_of("a100-sxm4-80gb", true), eta_of("a100-sxm4-80gb", false), 1e-12,
            "on an A100 they are its own");
}

/* A layer of Llama 3 8B on one of eight A100s. */
static struct training_layer layer_with(enum training_stack stack, double zero_stage, bool eager,
                                        bool native)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "meta-llama-3-8b"));
    struct training_job job =
        fixture_job(&constants, catalog_gpu(catalog, "a100-sxm4-80gb"), &shape);
    struct training_strategy on = {.gpu_count = 8,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 8,
                                   .virtual_stages = 1,
                                   .micro_batch = 1,
                                   .zero_stage = zero_stage};

    job.stack = stack;
    job.eager = eager;
    job.native_attention = native;
    job.sequence_tokens = 8192;
    training_complete(&job, 8);
    struct training_rates rates = training_rates(&job);
    struct links links = training_links(&job, 8);
    return training_layer(&job, &rates, &links, &on);
}

static struct training_layer layer_of(enum training_stack stack, double zero_stage, bool eager)
{
    return layer_with(stack, zero_stage, eager, false);
}

static double attention_of(enum training_stack stack, double zero_stage)
{
    return layer_of(stack, zero_stage, false).t_attention;
}

/* FSDP trains with PyTorch's kernels, DeepSpeed with those of the package flash-attn. */
static void by_software(void)
{
    ok(attention_of(TRAINING_STACK_FSDP, 3) > 1.5 * attention_of(TRAINING_STACK_FSDP, 1),
       "PyTorch's kernels under FSDP are slower");
    is_near(attention_of(TRAINING_STACK_DEEPSPEED, 3), attention_of(TRAINING_STACK_DEEPSPEED, 1),
            1e-12, "dividing the weights with DeepSpeed does not slow attention");
    is_near(layer_with(TRAINING_STACK_FSDP, 3, false, true).t_attention,
            attention_of(TRAINING_STACK_DEEPSPEED, 3), 1e-12,
            "nor do PyTorch's where they are written for the GPU");
}

static void usual_kernels(void)
{
    ok(training_usual_native_attention(catalog_gpu(catalog, "b200-sxm")) &&
           training_usual_native_attention(catalog_gpu(catalog, "gb300-nvl72")),
       "Blackwell's own kernels are taken there");
    ok(!training_usual_native_attention(catalog_gpu(catalog, "h100-sxm5-80gb")) &&
           !training_usual_native_attention(catalog_gpu(catalog, "rtx-5090")) &&
           !training_usual_native_attention(catalog_gpu(catalog, "mi300x")),
       "and nowhere else");
}

/* 32 bytes more for each element of two norms, 16 of queries and keys, 4 behind the gate. */
static void single_operations(void)
{
    double fused = layer_of(TRAINING_STACK_FSDP, 1, false).bytes_elementwise;
    double more = 64. * 4096 + 16. * (32 + 8) * 128 + 4. * 14336;

    is_near((layer_of(TRAINING_STACK_FSDP, 1, true).bytes_elementwise - fused) / (more * 8192), 1,
            1e-9, "PyTorch's single operations");
}

/* Which runs have them: by the release that the run states. */
static void early_releases(void)
{
    struct arena arena = {0};
    size_t n, early = 0, wrong = 0;
    const struct measurement *runs =
        fixture_measurements("sql/seed/measurement_training.csv", &arena, &n);

    for (size_t i = 0; i < n; i++) {
        struct training_run run;
        struct err err = {0};
        fixture_need(training_run_read(&runs[i], catalog, &constants, &run, &err), &err);
        early += run.job.early_attention;
        wrong += run.job.early_attention != (strcmp(runs[i].engine_version, "24.03.01") == 0);
    }
    ok(early == 9 && wrong == 0, "%zu of %zu runs are of NeMo before 24.07", early, n);
    arena_free(&arena);
}

int main(void)
{
    struct catalog *owned = fixture_catalog();
    struct err err = {0};

    catalog = owned;
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    constants.ka = constants.ke = constants.cap_attention = constants.vendor = 1;
    constants.sa = 0;
    by_gpu();
    by_width();
    short_sequences();
    unfused();
    other_vendors();
    early_kernels();
    by_software();
    usual_kernels();
    single_operations();
    early_releases();
    catalog_free(owned);
    return tap_done();
}

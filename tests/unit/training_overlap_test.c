/* Exchanges of tensor parallelism, overlapped with products or not; exchanges of experts that
 * another micro-batch hides, and DualPipe's schedule: over random mixtures, GPUs and strategies
 * nothing is hidden that does not fit behind what computes meanwhile.
 */
#include "estimate/training/memory.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <math.h>

enum { DRAWS = 2000 };

static const double ROUNDING = 1e-12;
static unsigned long long seed = 20261124;

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(seed >> 33) % n;
}

static const char *random_of(const char *const names[], size_t n)
{
    return names[random_below(n)];
}

static struct training_job random_job(const struct catalog *catalog,
                                      const struct training_constants *constants)
{
    static const char *const models[] = {"deepseek-v3", "gpt-oss-120b", "mixtral-8x7b-v0.1",
                                         "qwen3-235b-a22b"};
    static const char *const gpus[] = {"h800-sxm5-80gb", "h100-sxm5-80gb", "a100-sxm4-80gb",
                                       "gb200-nvl72"};
    struct model_shape shape = model_shape_of(catalog_model(catalog, random_of(models, 4)));
    struct training_job job =
        fixture_job(constants, catalog_gpu(catalog, random_of(gpus, 4)), &shape);

    job.gpus_per_node = 8;
    job.network_rate = (double[]){12.5e9, 50e9, 100e9}[random_below(3)];
    job.sequence_tokens = (double[]){512, 4096, 32768}[random_below(3)];
    job.communication_overlap = random_below(2) > 0;
    training_complete(&job, 1024);
    return job;
}

static struct training_strategy random_strategy(void)
{
    double pipeline = (double[]){2, 4, 8, 16}[random_below(4)];

    return (struct training_strategy){
        .gpu_count = 1024,
        .tensor = 1,
        .pipeline = pipeline,
        .context = 1,
        .expert = (double[]){2, 8, 16, 64}[random_below(4)],
        .data = 1024 / pipeline,
        .virtual_stages = 1,
        .micro_batch = 1 + (double)random_below(2),
        .zero_stage = (double)random_below(2),
        .batch_sequences = 16384,
        .recompute = random_below(2) ? TRAINING_RECOMPUTE_FULL : TRAINING_RECOMPUTE_NONE,
    };
}

static struct training_step step_of(const struct training_job *job,
                                    const struct training_strategy *on)
{
    struct training_rates rates = training_rates(job);
    struct training_step step;

    training_step(job, &rates, on, &step);
    return step;
}

static double computing(const struct training_layer *layer)
{
    return layer->t_forward + layer->t_backward + layer->t_recompute;
}

struct counts {
    int faster, hidden, filled, whole, sent, doubled, exposed, partly;
};

static void draw(const struct catalog *catalog, const struct training_constants *constants,
                 struct counts *counts)
{
    struct training_job job = random_job(catalog, constants);
    struct training_strategy on = random_strategy();
    struct training_step plain = step_of(&job, &on);
    struct training_memory single = training_memory(&job, &on);

    job.expert_overlap = true;
    struct training_step overlapped = step_of(&job, &on);
    double saved = plain.layer.t_all_to_all - overlapped.layer.t_all_to_all;
    counts->faster += saved >= 0;
    counts->hidden += saved <= computing(&plain.layer) * (1 + ROUNDING);
    counts->exposed += overlapped.layer.t_all_to_all > 0;
    counts->partly += saved > 0 && saved < computing(&plain.layer) / 2;

    job.schedule = TRAINING_DUALPIPE;
    struct training_step paired = step_of(&job, &on);
    counts->filled += paired.pipeline_bubble <= overlapped.pipeline_bubble * (1 + ROUNDING);
    counts->whole += paired.seconds <= overlapped.seconds * (1 + ROUNDING);
    struct training_memory memory = training_memory(&job, &on); /* of the busiest stage */
    counts->doubled +=
        memory.stage != single.stage || fabs(memory.weights / single.weights - 2) < ROUNDING;

    job.dispatcher = TRAINING_ALL_TO_ALL;
    counts->sent += step_of(&job, &on).layer.t_all_to_all >= paired.layer.t_all_to_all;
}

/* Exchanges inside a layer of one bytes and latencies: the exposed fractions alone differ. */
static void tensor_exchanges(const struct catalog *catalog,
                             const struct training_constants *constants)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "llama-2-70b"));
    struct training_job job =
        fixture_job(constants, catalog_gpu(catalog, "a100-sxm4-80gb"), &shape);
    struct training_strategy on = {.gpu_count = 8,
                                   .tensor = 8,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .micro_batch = 1,
                                   .sequence_parallel = 1,
                                   .batch_sequences = 8};

    training_complete(&job, 8);
    double beside = step_of(&job, &on).layer.t_tensor;
    on.sequence_parallel = 0;
    double whole = step_of(&job, &on).layer.t_tensor;
    job.tensor_overlap = false;
    double exposed = step_of(&job, &on).layer.t_tensor;
    is_near(whole / beside, constants->xtq / constants->xtp, 1e-9, "all-reduces block more");
    is_near(exposed / beside, constants->xts / constants->xtp, 1e-9,
            "without overlap most is exposed");
    on.sequence_parallel = 1;
    is_near(step_of(&job, &on).layer.t_tensor, exposed, 1e-15,
            "whether the sequence is divided or not");
    job.communication_overlap = false;
    is_near(step_of(&job, &on).layer.t_tensor / exposed, 1 / constants->xts, 1e-9, "or all of it");
}

static bool usual(const struct catalog *catalog, const char *gpu, enum training_stack stack,
                  enum training_precision precision)
{
    return training_usual_tensor_overlap(&(struct training_job){
        .gpu = catalog_gpu(catalog, gpu), .stack = stack, .precision = precision});
}

static void usual_exchanges(const struct catalog *catalog)
{
    const char *hopper = "h100-sxm5-80gb", *ampere = "a100-sxm4-80gb", *volta = "v100-sxm2-32gb";

    ok(usual(catalog, hopper, TRAINING_STACK_MEGATRON, TRAINING_BF16) &&
           !usual(catalog, hopper, TRAINING_STACK_FSDP, TRAINING_BF16) &&
           !usual(catalog, hopper, TRAINING_STACK_UNSPECIFIED, TRAINING_BF16),
       "NVIDIA's recipes overlap, DTensor and software not named do not");
    ok(usual(catalog, hopper, TRAINING_STACK_UNSPECIFIED, TRAINING_FP8) &&
           !usual(catalog, hopper, TRAINING_STACK_FSDP, TRAINING_FP8),
       "but in FP8, as that is Transformer Engine");
    ok(usual(catalog, ampere, TRAINING_STACK_MEGATRON, TRAINING_BF16) &&
           !usual(catalog, volta, TRAINING_STACK_MEGATRON, TRAINING_FP16),
       "which needs Ampere");
}

int main(void)
{
    struct training_constants constants;
    struct err err = {0};
    struct catalog *catalog = fixture_catalog();
    struct counts counts = {0};

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    tensor_exchanges(catalog, &constants);
    usual_exchanges(catalog);
    for (int i = 0; i < DRAWS; i++)
        draw(catalog, &constants, &counts);
    ok(counts.faster == DRAWS, "overlap never costs time");
    ok(counts.hidden == DRAWS, "no more is hidden than what computes meanwhile takes");
    ok(counts.exposed == DRAWS, "what is hidden still takes some of the GPU");
    ok(counts.partly > 0, "some exchanges are shorter than that (%d)", counts.partly);
    ok(counts.filled == DRAWS, "DualPipe waits no longer than one forward, one backward");
    ok(counts.whole == DRAWS, "and its steps take no longer");
    ok(counts.doubled == DRAWS, "for weights in two copies");
    ok(counts.sent == DRAWS, "a copy for each expert is never sent sooner than one for each node");
    catalog_free(catalog);
    return tap_done();
}

/* Memory per GPU: compared with what was measured (tests/accuracy/memory.csv), and each method
 * computed by hand on a model small enough for it: 4 layers of 640 weights, two tables of 800, 4160
 * in all.
 */
#include "memory_rows.h"
#include "tap.h"

#include <stdlib.h>

static struct catalog *catalog;
static struct training_constants constants;

/* --- measured */

/* What each group of rows is held to, in percent. */
static const struct bar {
    const char *group;
    double mean, worst;
} bars[] = {
    {"simumax_b200", 2, 5},     {"torchtitan_h100", 5, 10}, {"ao_h100", 2, 5},
    {"torchtune_ladder", 2, 5}, {"torchtune_8b", 3, 10},    {"qwen_lora", 5, 15},
    {"qwen_lora_4gpu", 5, 10},  {"qwen_full", 5, 15},       {"qwen_qlora", 12, 35},
    {"fsdp_qlora", 9, 27},      {"fsdp_lora", 2, 5},
};

/* Rows beyond the bar of their group, and why. */
static const struct {
    const char *id;
    double worst;
    const char *why;
} exceptions[] = {
    {"torchtitan_h100-011", 14,
     "whole inputs of tensor-parallel products: 012 is the same run "
     "with asynchronous exchanges, 6 % less"},
    {"torchtune-016", 13, "the update unpacks 8-bit states of the tied embedding to FP32"},
};

static double exception(const char *id)
{
    for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
        if (strcmp(exceptions[i].id, id) == 0)
            return exceptions[i].worst;
    return 0;
}

static void check_bar(const struct memory_rows *rows, const struct bar *bar)
{
    double sum = 0, worst = 0;
    size_t n = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct memory_row *row = &rows->at[i];
        if (!row->scored || strcmp(row->group, bar->group) != 0)
            continue;
        double error = 100 * fabs(memory_row_error(row)), allowed = exception(row->id);
        if (allowed > 0) {
            ok(error <= allowed && error > bar->worst, "%s: %.1f %%, an exception", row->id, error);
            continue;
        }
        sum += error;
        worst = fmax(worst, error);
        n++;
    }
    ok(n > 0 && sum / (double)n <= bar->mean, "%s: %zu rows, mean error %.1f %% of %.0f",
       bar->group, n, sum / (double)n, bar->mean);
    ok(worst <= bar->worst, "%s: worst %.1f %% of %.0f", bar->group, worst, bar->worst);
}

/* Allocations whose source states every input: 2 % on average, 5 % at worst, without exceptions. */
static void check_stated(const struct memory_rows *rows)
{
    double sum = 0, worst = 0;
    size_t n = 0;

    for (size_t i = 0; i < rows->n; i++) {
        double error = 100 * fabs(memory_row_error(&rows->at[i]));
        if (rows->at[i].kind != MEMORY_ALLOCATED || rows->at[i].unstated[0])
            continue;
        sum += error;
        worst = fmax(worst, error);
        n++;
    }
    ok(n >= 34 && sum / (double)n <= 2 && worst <= 5,
       "%zu allocations that state their inputs: mean error %.1f %%, worst %.1f", n,
       sum / (double)n, worst);
}

static void measured(void)
{
    struct memory_rows rows;

    memory_rows_read(&rows, catalog, &constants);
    for (size_t i = 0; i < sizeof(bars) / sizeof(bars[0]); i++)
        check_bar(&rows, &bars[i]);
    check_stated(&rows);
    memory_rows_free(&rows);
}

/* --- by hand */

static struct training_job small(void)
{
    struct model model = {.slug = "small",
                          .model_type = "",
                          .attention = "",
                          .sliding_pattern = "",
                          .n_layers = 4,
                          .n_full_layers = 4,
                          .hidden = 8,
                          .n_heads = 2,
                          .n_kv_heads = 2,
                          .head_dim = 4,
                          .intermediate = 16,
                          .gated = true,
                          .vocab = 100};

    return (struct training_job){.constants = &constants,
                                 .gpu = catalog_gpu(catalog, "h100-sxm5-80gb"),
                                 .shape = model_shape_of(&model),
                                 .trainable_ratio = 1,
                                 .sequence_tokens = 16,
                                 .flash_attention = true};
}

static const struct training_strategy one = {.gpu_count = 1,
                                             .tensor = 1,
                                             .pipeline = 1,
                                             .context = 1,
                                             .expert = 1,
                                             .data = 1,
                                             .virtual_stages = 1,
                                             .micro_batch = 1,
                                             .batch_sequences = 1};

/* One layer, sixteen tokens: 8 h + queries, keys, values + output + statistics + 6 f. */
enum { WEIGHTS = 4160, LAYER = 640, TABLE = 800, KEPT = 16 * (64 + 48 + 16 + 8 + 96) };

static void states(void)
{
    static const struct {
        const char *what;
        enum training_optimizer optimizer;
        enum training_stack stack;
        double gradient, moment;
        bool single;
        double bytes; /* of all states */
    } rows[] = {
        {"AdamW, mixed precision", TRAINING_ADAMW, 0, 0, 0, false, 18 * WEIGHTS},
        {"gradients of 16 bit", TRAINING_ADAMW, 0, 2, 0, false, 16 * WEIGHTS},
        {"moments of 16 bit", TRAINING_ADAMW, 0, 0, 2, false, 14 * WEIGHTS},
        {"8-bit AdamW", TRAINING_ADAMW_8BIT, 0, 0, 0, false, 12 * WEIGHTS},
        {"AdamW with moments of one byte", TRAINING_ADAMW, 0, 0, 1, false, 12 * WEIGHTS},
        {"16 bit alone", TRAINING_ADAMW, 0, 0, 0, true, 8 * WEIGHTS},
        {"16 bit alone, FP32 gradients", TRAINING_ADAMW, 0, 4, 0, true, 10 * WEIGHTS},
        {"16 bit alone, 8-bit AdamW", TRAINING_ADAMW_8BIT, 0, 0, 0, true, 6 * WEIGHTS},
        {"Muon", TRAINING_MUON, 0, 0, 0, false, 14 * WEIGHTS + 4 * 2 * TABLE},
        {"Muon with momentum of 16 bit", TRAINING_MUON, 0, 0, 2, false,
         12 * WEIGHTS + 2 * 2 * TABLE},
        {"Muon, 16 bit alone", TRAINING_MUON, 0, 0, 0, true, 6 * WEIGHTS + 2 * 2 * TABLE},
        {"DeepSpeed", TRAINING_ADAMW, TRAINING_STACK_DEEPSPEED, 0, 0, false, 16 * WEIGHTS},
        {"JAX", TRAINING_ADAMW, TRAINING_STACK_JAX, 0, 0, false, 16 * WEIGHTS},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct training_job job = small();
        job.optimizer = rows[i].optimizer;
        job.stack = rows[i].stack;
        job.gradient_bytes = rows[i].gradient;
        job.moment_bytes = rows[i].moment;
        job.single_copy = rows[i].single;
        is_near(training_memory(&job, &one).states, rows[i].bytes, 1e-12, "%s", rows[i].what);
        is_near(training_least_bytes(&job), rows[i].bytes, 1e-12, "%s: counted once", rows[i].what);
    }
}

static void adapters(void)
{
    struct training_job job = small();

    job.trainable_ratio = 0.01;
    job.method = TRAINING_LORA;
    is_near(training_memory(&job, &one).states, 2 * WEIGHTS + 18 * 0.01 * WEIGHTS, 1e-12, "LoRA");
    job.method = TRAINING_QLORA;
    is_near(training_memory(&job, &one).states,
            (0.5 + 1.0 / 64 + 1.0 / 4096) * 4 * LAYER + 2 * 2 * TABLE + 18 * 0.01 * WEIGHTS, 1e-12,
            "QLoRA: NF4 in the layers, 16 bit in embedding and head");
    job.frozen_layers = 2;
    is_near(training_memory(&job, &one).optimizer, 12 * 0.01 * (2 * LAYER + TABLE), 1e-12,
            "no adapters in frozen layers");
}

static void frozen(void)
{
    struct training_job job = small();
    struct training_strategy two = one;

    job.frozen_layers = 2;
    struct training_memory memory = training_memory(&job, &one);
    is_near(memory.states, 18 * (2 * LAYER + TABLE) + 2 * (2 * LAYER + TABLE), 1e-12,
            "frozen layers and embedding: two bytes a weight");
    is_near(memory.layer_activations, 2 * KEPT, 1e-12, "nothing is kept below what is trained");
    two.pipeline = 2;
    two.batch_sequences = 8;
    memory = training_memory(&job, &two);
    ok(memory.stage == 1, "the frozen stage is not the busiest");
    is_near(memory.states, 18 * (2 * LAYER + TABLE), 1e-12, "the last stage is trained whole");
    job.frozen_layers = 1;
    job.shape.vocab = 10;
    memory = training_memory(&job, &two);
    ok(memory.stage == 1,
       "half a stage in flight twice keeps less than a whole one and its logits");
}

static void divided(void)
{
    struct training_job job = small();
    struct training_strategy on = one;

    on.gpu_count = on.data = on.batch_sequences = 8;
    on.zero_stage = 3;
    is_near(training_memory(&job, &on).states, 18.0 * WEIGHTS / 8, 1e-12, "among all replicas");
    on.shard = 2;
    is_near(training_memory(&job, &on).states, 18.0 * WEIGHTS / 2, 1e-12, "among each two");
    on.zero_stage = 1;
    is_near(training_memory(&job, &on).states, (6 + 12.0 / 2) * WEIGHTS, 1e-12, "states alone");
    on.shard = (double)NAN;
    is_near(training_memory(&job, &on).states, (6 + 12.0 / 8) * WEIGHTS, 1e-12,
            "open: all of them");
    job.stack = TRAINING_STACK_FSDP;
    on.zero_stage = 3;
    struct training_memory memory = training_memory(&job, &on);
    is_near(memory.states, 16.0 * WEIGHTS / 8, 1e-12, "FSDP: the FP32 shard is the only copy");
    is_near(memory.weights, 2 * (3 * LAYER + 2 * TABLE), 1e-12,
            "three layers and the tables in 16 bit");
    job.method = TRAINING_QLORA;
    job.trainable_ratio = 0.01;
    memory = training_memory(&job, &on);
    double scales = 1.0 / 64 + 1.0 / 4096, packed = 0.5 + scales, tables = 2 * 2 * TABLE;
    is_near(memory.weights - (packed * 4 * LAYER + tables) / 8,
            packed * 2 * LAYER + tables + scales * 4 * LAYER, 1e-12,
            "QLoRA: two layers arrive packed, and every GPU has all scales");
    is_near(memory.cached, 0.01 * 4 * WEIGHTS / 8 + packed * LAYER + (2 + 4) * 16 * 100, 1e-12,
            "a third stays with the allocator, in addition to gradients and logits");
    job.offload = TRAINING_OFFLOAD_PARAMETERS;
    memory = training_memory(&job, &on);
    is_near(memory.weights, packed * 2 * LAYER + tables + scales * 4 * LAYER, 1e-12,
            "the scales also where host memory has the weights");
}

/* Four experts in two groups on four replicas: each expert is on two GPUs. */
static void experts(void)
{
    struct training_job job = small();
    struct training_strategy on = one;

    job.shape.moe = true;
    job.shape.moe_layers = 4;
    job.shape.dense_layers = 0;
    job.shape.dense_ffn_weights = 0;
    job.shape.experts = 4;
    job.shape.top_k = 2;
    job.shape.expert_width = 16;
    job.shape.expert_weights = 384;
    on.gpu_count = on.data = on.batch_sequences = 4;
    on.expert = 2;
    on.zero_stage = 1;
    double dense = 4 * (256 + 8 * 4) + 2 * TABLE, held = 4 * 2 * 384;
    struct training_memory memory = training_memory(&job, &on);
    is_near(memory.states, (6 + 12.0 / 4) * dense + (6 + 12.0 / 2) * held, 1e-12,
            "the dense part among four, experts among two");
    is_near(memory.layer_activations, 4 * 16 * (64 + 48 + 16 + 8 + 6 * 2 * 16 + 4 * 2 * 8), 1e-12,
            "two experts' inside and their tokens' copies");
}

static void offloaded(void)
{
    struct training_job job = small();
    struct training_strategy on = one;

    job.offload = TRAINING_OFFLOAD_OPTIMIZER;
    is_near(training_memory(&job, &one).states, 2 * WEIGHTS, 1e-12,
            "of a GPU that is alone gradients go as they come");
    on.gpu_count = on.data = on.batch_sequences = 2;
    on.zero_stage = 1;
    struct training_memory memory = training_memory(&job, &on);
    is_near(memory.states, 6 * WEIGHTS, 1e-12, "weights and gradients stay");
    is_near(memory.host, 12.0 * WEIGHTS / 2 + 4 * WEIGHTS, 1e-12,
            "states and gradients on the host");
    on.zero_stage = 2;
    memory = training_memory(&job, &on);
    is_near(memory.states, 2 * WEIGHTS, 1e-12, "divided gradients go as they come");
    is_near(memory.host, (12.0 + 4) * WEIGHTS / 2, 1e-12, "to the host");
    on.zero_stage = 3;
    job.offload = TRAINING_OFFLOAD_PARAMETERS;
    memory = training_memory(&job, &on);
    ok(memory.states == 0, "nothing stays");
    is_near(memory.weights, 2 * 2 * LAYER, 1e-12, "but two layers as they are needed");
    is_near(memory.host, 18.0 * WEIGHTS / 2, 1e-12, "all is on the host");
    job.offload = TRAINING_OFFLOAD_NONE;
    job.offload_activations = true;
    memory = training_memory(&job, &on);
    is_near(memory.layer_activations, 2 * KEPT, 1e-12, "two layers' activations stay");
    is_near(memory.host, 2 * KEPT, 1e-12, "two go");
}

static void in_backward(void)
{
    struct training_job job = small();

    job.single_copy = job.fused_update = true;
    is_near(training_memory(&job, &one).states, (2 + 4) * WEIGHTS + 2 * TABLE, 1e-12,
            "gradients of the largest matrix alone");
    job.shape.vocab = 10;
    is_near(training_memory(&job, &one).gradients, 2 * LAYER + 2 * LAYER, 1e-12,
            "of a layer, and its scratch");
}

/* PyTorch frees gradients after the update: they are there when the backward pass begins only if
 * micro-batches add up. */
static void moments_of_fsdp(void)
{
    struct training_job job = small();
    struct training_strategy on = one;

    job.stack = TRAINING_STACK_FSDP;
    on.gpu_count = on.data = on.batch_sequences = 2;
    on.zero_stage = 3;
    struct training_memory memory = training_memory(&job, &on);
    ok(memory.gradients == 0, "none as the backward pass begins");
    is_near(memory.activations, 4 * KEPT + 16 * (12 * 100 + 2 * 8), 1e-12,
            "all layers, the head's input and logits three times in FP32");
    is_near(memory.cached, 4.0 * WEIGHTS / 2 + 2 * 16 * 100, 1e-12,
            "their blocks and the 16-bit logits' stay with the allocator");
    job.eager = true;
    is_near(training_memory(&job, &on).layer_activations, 4 * (KEPT + 16 * (2 * 4 * 8 + 2 * 16)),
            1e-12, "not compiled: norms' inputs in FP32 and their results, and activated halves");
    job.eager = false;
    is_near(memory.required - memory.allocated,
            memory.cached + constants.runtime_reserve_gib * 1073741824.0, 1e-12,
            "what is cached is overhead");
    on.batch_sequences = 4;
    memory = training_memory(&job, &on);
    is_near(memory.gradients, 4.0 * WEIGHTS / 2, 1e-12, "those of the micro-batch before");
    on.batch_sequences = 2;
    on.recompute = TRAINING_RECOMPUTE_FULL;
    job.shape.vocab = 10;
    memory = training_memory(&job, &on);
    is_near(memory.gradients, 4.0 * (4 * LAYER + 160) / 2 + 2 * LAYER, 1e-12,
            "few logits: most is needed as it ends");
    is_near(memory.activations, KEPT, 1e-12, "with the inside of one layer");
    on.recompute = TRAINING_RECOMPUTE_SELECTIVE;
    job.shape.vocab = 100;
    is_near(training_memory(&job, &on).layer_activations,
            4 * 16 * (2 * (8 + 8 + 8) + 8 + 2 * 16 + 4 * 8), 1e-12, "every second product");
    on.tensor = 2;
    on.sequence_parallel = 1;
    is_near(training_memory(&job, &on).layer_activations,
            4.0 * 16 * (2 * (8 + 8 + 8) + 8 + 2 * 16 + 4 * 8 + 4 * 8) / 2, 1e-12,
            "and what tensor parallelism scatters");
}

static void update_of_deepspeed(void)
{
    struct training_job job = small();
    struct training_strategy on = one;

    job.stack = TRAINING_STACK_DEEPSPEED;
    job.shape.vocab = 10;
    on.recompute = TRAINING_RECOMPUTE_FULL;
    double weights = 4 * LAYER + 2 * 80;
    struct training_memory memory = training_memory(&job, &on);
    is_near(memory.allocated, (2 + 12 + 2 + 2 + 4) * weights, 1e-12,
            "gradients, flattened and in FP32, when they are used");
    ok(memory.activations == 0, "and no activations any more");
}

static void logits(void)
{
    struct training_job job = small();

    is_near(training_memory(&job, &one).logits, 6 * 16 * 100, 1e-12, "fused cross-entropy");
    job.chunked_loss = true;
    is_near(training_memory(&job, &one).logits, 2 * 16 * 100 + 2 * 2 * TABLE, 1e-12,
            "piece by piece: 16 bit, and the head's gradient twice");
    job.method = TRAINING_LORA;
    is_near(training_memory(&job, &one).logits, 2 * 16 * 100, 1e-12, "the head is frozen");
}

static void stages(void)
{
    struct training_job job = small();
    struct training_strategy on = one;

    on.pipeline = 2;
    on.batch_sequences = 8;
    struct training_memory memory = training_memory(&job, &on);
    ok(memory.stage == 1, "many logits: the last stage is the busiest");
    is_near(memory.activations, 2 * KEPT + 6 * 16 * 100, 1e-12, "one micro-batch in flight");
    job.shape.vocab = 20;
    memory = training_memory(&job, &on);
    ok(memory.stage == 0, "few logits: the first is");
    is_near(memory.activations, 2 * 2 * KEPT, 1e-12, "two micro-batches in flight");
    job.schedule = TRAINING_ZERO_BUBBLE;
    is_near(training_memory(&job, &on).required, memory.required, 1e-12, "ZB-H1 needs no more");
    job.schedule = TRAINING_1F1B;
    on.virtual_stages = 2;
    is_near(training_memory(&job, &on).activations, 2 * 2 * 1.25 * KEPT, 1e-12,
            "interleaved: p (1 + (p - 1) / (p v)) in flight");
    on.batch_sequences = 1;
    ok(training_memory(&job, &on).layer_activations == 2 * KEPT, "never more than there are");
    on.pipeline = 3;
    on.virtual_stages = 1;
    on.batch_sequences = 8;
    memory = training_memory(&job, &on);
    ok(memory.stage == 1, "uneven: the second stage has a layer more");
    is_near(memory.activations, 2 * 2 * KEPT, 1e-12, "two layers, two in flight");
    is_near(memory.states, 18 * 2 * LAYER, 1e-12, "and no table");
}

static void precisions(void)
{
    struct training_job job = small();

    job.precision = TRAINING_FP8;
    is_near(training_memory(&job, &one).weights, 2 * WEIGHTS, 1e-12, "fp8: weights stay 16 bit");
    job.precision = TRAINING_FP32;
    is_near(training_memory(&job, &one).states, 16 * WEIGHTS, 1e-12, "fp32: one copy");
    is_near(training_memory(&job, &one).layer_activations, 2 * 4 * KEPT, 1e-12, "twice as wide");
}

static void vision_tower(void)
{
    struct training_job job = small();
    struct training_strategy halves = one;

    job.shape.frozen_weights = 1000;
    is_near(training_memory(&job, &one).weights, 2 * (WEIGHTS + 1000), 1e-12,
            "a tower is 16-bit weights and nothing else");
    is_near(training_memory(&job, &one).optimizer, 12 * WEIGHTS, 1e-12, "without states");
    halves.gpu_count = halves.data = 2;
    halves.zero_stage = 3;
    double divided = training_memory(&job, &halves).states;
    job.shape.frozen_weights = 0;
    is_near(divided - training_memory(&job, &halves).states, 1000, 1e-9, "divided under ZeRO 3");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    measured();
    states();
    adapters();
    frozen();
    divided();
    experts();
    offloaded();
    in_backward();
    moments_of_fsdp();
    update_of_deepspeed();
    logits();
    stages();
    precisions();
    vision_tower();
    catalog_free(catalog);
    return tap_done();
}

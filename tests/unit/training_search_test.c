/* The search against brute force, its pins and refusals, and the choice of a GPU count. */
#include "estimate/training/plan/search.h"
#include "estimate/training/plan/least_recompute.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <stdlib.h>

static struct catalog *catalog;
static struct training_constants constants;
static const double unknown = (double)NAN;

static struct training_job job_of(const char *model, const char *gpu)
{
    const struct model *record = catalog_model(catalog, model);
    const struct gpu *card = catalog_gpu(catalog, gpu);

    if (!record || !card) {
        printf("Bail out! no %s or no %s\n", model, gpu);
        exit(1);
    }
    struct model_shape shape = model_shape_of(record);
    struct training_job job = fixture_job(&constants, card, &shape);
    training_complete(&job, unknown);
    return job;
}

static struct training_strategy open_strategy(double gpu_count)
{
    struct training_strategy open = training_strategy_free();

    open.gpu_count = gpu_count;
    return open;
}

static struct training_goal open_goal(double tokens)
{
    return (struct training_goal){.tokens = tokens,
                                  .goodput = 0.95,
                                  .model_flops_utilization = unknown,
                                  .deadline_days = unknown,
                                  .budget = unknown,
                                  .price_per_gpu_hour = unknown};
}

static struct training_plan search(const struct training_job *job,
                                   const struct training_strategy *pinned)
{
    struct training_plan plan;

    if (!training_search(job, pinned, &plan)) {
        printf("Bail out! nothing found\n");
        exit(1);
    }
    return plan;
}

/* Time per sequence of the best of every ZeRO stage and number of virtual stages. */
static double best_of(const struct training_job *job, const struct training_rates *rates,
                      struct training_strategy on)
{
    double best = (double)INFINITY, stage = job->shape.layers / on.pipeline;
    double spare = constants.micro_batch_memory_ratio * job->gpu->memory_bytes;
    double room = on.micro_batch > 1 ? spare : job->gpu->memory_bytes;

    for (on.zero_stage = 0; on.zero_stage <= (on.pipeline > 1 ? 1 : 3); on.zero_stage++)
        for (double v = 1; v <= stage / 2; v += stage / 2 - 1) {
            struct training_step step;
            on.recompute = TRAINING_RECOMPUTE_AUTO;
            on.virtual_stages = on.pipeline > 1 ? v : 1;
            if (training_recompute_settle(job, &on, spare) ||
                training_memory(job, &on).required <= room) {
                training_step(job, rates, &on, &step);
                best = fmin(best, step.seconds / on.batch_sequences);
            }
            if (stage / 2 <= 1 || on.pipeline == 1)
                break;
        }
    return best;
}

/* 64 A100 and 80 layers: tensor 1 to 8, stages that divide, micro-batches of 1 and 2 fit 8192
 * tokens. */
static void brute_force(void)
{
    struct training_job job = job_of("llama-2-70b", "a100-sxm4-80gb");
    struct training_rates rates = training_rates(&job);
    struct training_strategy pinned = open_strategy(64);
    struct training_plan plan = search(&job, &pinned);
    double best = (double)INFINITY;
    size_t n = 0;

    for (double t = 1; t <= 8; t *= 2)
        for (double p = 1; p <= 16; p *= 2)
            for (double b = 1; b <= 2 && t * p <= 64; b++, n++) {
                struct training_strategy on = {.gpu_count = 64,
                                               .tensor = t,
                                               .pipeline = p,
                                               .context = 1,
                                               .expert = 1,
                                               .data = 64 / (t * p),
                                               .micro_batch = b,
                                               .sequence_parallel = t > 1,
                                               .batch_sequences = 1024};
                best = fmin(best, best_of(&job, &rates, on));
            }
    ok(plan.fits, "something fits");
    is_near(plan.step.seconds / plan.on.batch_sequences / best, 1, 1e-9,
            "nothing of %zu combinations and all their stages is faster", n);
    ok(plan.on.tensor * plan.on.pipeline * plan.on.context * plan.on.data == 64,
       "the degrees multiply to the GPUs");
}

static void pins(void)
{
    struct training_job job = job_of("llama-2-70b", "a100-sxm4-80gb");
    struct training_strategy pinned = open_strategy(64);
    struct training_plan open = search(&job, &pinned);

    pinned.tensor = 2;
    pinned.pipeline = 4;
    pinned.context = 1;
    pinned.zero_stage = 0;
    pinned.micro_batch = 2;
    pinned.recompute = TRAINING_RECOMPUTE_FULL;
    struct training_plan plan = search(&job, &pinned);
    ok(plan.on.tensor == 2 && plan.on.pipeline == 4 && plan.on.data == 8, "degrees as pinned");
    ok(plan.on.zero_stage == 0 && plan.on.micro_batch == 2, "stage and micro-batch as pinned");
    ok(plan.on.recompute == TRAINING_RECOMPUTE_FULL, "recompute as pinned");
    ok(plan.step.seconds >= open.step.seconds, "a pinned plan is not faster than the open one");

    job.batch_sequences = 96;
    pinned = open_strategy(64);
    plan = search(&job, &pinned);
    ok(plan.on.batch_sequences == 96 && fmod(96, plan.on.data * plan.on.micro_batch) == 0,
       "the batch as given, in whole micro-batches");
}

static void not_fitting(void)
{
    struct training_job job = job_of("llama-2-13b", "rtx-4090");
    struct training_strategy pinned = open_strategy(8);

    pinned.tensor = pinned.pipeline = 1;
    pinned.zero_stage = 3;
    struct training_plan plan = search(&job, &pinned);
    ok(!plan.fits && training_shortfall(&plan.memory) > 0, "13B under ZeRO 3 overfills 8 x 24 GB");
    ok(plan.on.recompute == TRAINING_RECOMPUTE_FULL, "and the plan shown is the smallest");
    ok(!training_fits(&job, &pinned, 8), "training_fits() agrees");
    double n = training_fewest(&job, &pinned);
    ok(n > 8 && training_fits(&job, &pinned, n), "%.0f would do", n);
}

static void fewest(void)
{
    struct training_job job = job_of("llama-2-70b", "a100-sxm4-80gb");
    struct training_strategy open = open_strategy(unknown);
    double n = training_fewest(&job, &open);

    ok(n == 16, "70B takes two nodes of A100, got %.0f", n);
    ok(!training_fits(&job, &open, 8), "one is too small: 18 bytes a weight are 1.24 TB");
    job = job_of("meta-llama-3-8b", "rtx-4090");
    job.method = TRAINING_QLORA;
    job.trainable_ratio = unknown;
    training_complete(&job, unknown);
    ok(training_fewest(&job, &open) == 1, "QLoRA of 8B takes one RTX 4090");
    job.method = TRAINING_PRETRAIN;
    open.zero_stage = 0;
    open.tensor = open.pipeline = 1;
    ok(isnan(training_fewest(&job, &open)), "replicas alone never make a model fit");
}

static void deadline(void)
{
    struct training_job job = job_of("llama-2-70b", "a100-sxm4-80gb");
    struct training_strategy open = open_strategy(unknown);
    struct training_goal goal = open_goal(2e12);
    struct training_plan plan;
    struct err err = {0};

    goal.deadline_days = 30;
    ok(training_choose_gpu_count(&job, &open, &goal, &plan, &err), "30 days can be met");
    ok(training_totals(&job, &plan, &goal).days <= 30, "and are");
    open.gpu_count = plan.on.gpu_count / 2;
    struct training_plan half = search(&job, &open);
    ok(training_totals(&job, &half, &goal).days > 30, "half the GPUs are too slow");
    goal.deadline_days = 0.001;
    open.gpu_count = unknown;
    ok(!training_choose_gpu_count(&job, &open, &goal, &plan, &err) && err.code == ERR_NO_SOLUTION,
       "86 seconds are not enough: %s", err.text);
}

static void budget(void)
{
    struct training_job job = job_of("meta-llama-3-8b", "h100-sxm5-80gb");
    struct training_strategy open = open_strategy(unknown);
    struct training_goal goal = open_goal(1e11);
    struct training_plan plan;
    struct err err = {0};

    goal.price_per_gpu_hour = 2;
    goal.budget = 8000;
    ok(training_choose_gpu_count(&job, &open, &goal, &plan, &err), "8000 USD are enough: %s",
       err.text);
    struct training_totals totals = training_totals(&job, &plan, &goal);
    ok(totals.gpu_hours * 2 <= 8000, "and are kept to");
    open.gpu_count = 2 * plan.on.gpu_count;
    struct training_plan twice = search(&job, &open);
    struct training_totals more = training_totals(&job, &twice, &goal);
    ok(more.gpu_hours * 2 > 8000 || more.days >= totals.days,
       "twice the GPUs cost too much or gain nothing");
    goal.budget = 10;
    open.gpu_count = unknown;
    ok(!training_choose_gpu_count(&job, &open, &goal, &plan, &err) && err.code == ERR_NO_SOLUTION,
       "10 USD are not: %s", err.text);
}

/* Each row breaks one rule; the culprit is named. */
static void refusals(void)
{
    static const struct {
        const char *field;
        size_t offset;
        double value;
    } rows[] = {
        {"tensor_parallel", offsetof(struct training_strategy, tensor), 3},
        {"tensor_parallel", offsetof(struct training_strategy, tensor), 16},
        {"pipeline_parallel", offsetof(struct training_strategy, pipeline), 81},
        {"context_parallel", offsetof(struct training_strategy, context), 3},
        {"expert_parallel", offsetof(struct training_strategy, expert), 2},
        {"gpu_count", offsetof(struct training_strategy, data), 3},
    };
    struct training_job job = job_of("llama-2-70b", "a100-sxm4-80gb");

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct training_strategy pinned = open_strategy(64);
        struct err err = {0};
        memcpy((char *)&pinned + rows[i].offset, &rows[i].value, sizeof(double));
        bool refused = !training_check(&job, &pinned, &err) && err.n_culprits > 0;
        ok(refused && strcmp(err.culprits[0].field, rows[i].field) == 0, "%s: %s", rows[i].field,
           refused ? err.culprits[0].text : "accepted");
    }
    struct training_strategy open = open_strategy(64);
    struct err err = {0};
    ok(training_check(&job, &open, &err), "nothing pinned breaks nothing");
    job.precision = TRAINING_FP8;
    ok(!training_check(&job, &open, &err), "no fp8 on an A100: %s", err.text);
}

/* What has to hold whatever the constants are. */
static void properties(void)
{
    struct training_job job = job_of("meta-llama-3-8b", "h100-sxm5-80gb");
    struct training_goal goal = open_goal(1e12);
    double days = (double)INFINITY;

    for (double n = 4; n <= 256; n *= 2) {
        struct training_strategy open = open_strategy(n);
        struct training_plan plan = search(&job, &open);
        double now = training_totals(&job, &plan, &goal).days;
        ok(now < days, "%.0f GPUs are faster than half of them", n);
        days = now;
    }
    struct training_strategy open = open_strategy(8);
    struct training_plan plan = search(&job, &open);
    struct training_strategy on = plan.on;
    double before = (double)INFINITY;
    for (on.zero_stage = 0; on.zero_stage <= 3; on.zero_stage++) {
        double states = training_memory(&job, &on).states;
        ok(states < before, "ZeRO %.0f needs less than the stage before", on.zero_stage);
        before = states;
    }
    on = plan.on;
    on.recompute = TRAINING_RECOMPUTE_NONE;
    double kept = training_memory(&job, &on).activations;
    on.recompute = TRAINING_RECOMPUTE_FULL;
    ok(training_memory(&job, &on).activations < kept, "recompute saves activations");
    job.flash_attention = false;
    on.recompute = TRAINING_RECOMPUTE_NONE;
    ok(training_memory(&job, &on).activations > 2 * kept, "score matrices are large");
    job.flash_attention = true;
    on.pipeline = 4;
    on.data = 2;
    on.zero_stage = 1;
    on.virtual_stages = 1;
    is_near(training_memory(&job, &on).layer_activations /
                (kept - training_memory(&job, &on).logits),
            1, 1e-9, "a quarter of the layers, four micro-batches in flight: nothing saved");
}

static void is_searched(const struct training_job *job, const struct training_strategy *pinned,
                        bool division, bool recompute, const char *what)
{
    struct training_plan plan = search(job, pinned);

    ok(plan.division_searched == division, "%s: division", what);
    ok(plan.recompute_searched == recompute, "%s: recomputation", what);
}

/* A plan whose recomputation we choose leaves memory free unless it recomputes all it can. */
static void memory_left(void)
{
    static const char *const models[] = {"llama-2-7b", "llama-2-13b", "llama-2-70b"};
    static const char *const gpus[] = {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm"};

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (double n = 16; n <= 256; n *= 4) {
                struct training_job job = job_of(models[i], gpus[j]);
                struct training_strategy open = open_strategy(n);
                struct training_plan plan = search(&job, &open);
                double full = plan.memory.required / plan.memory.capacity;
                ok(!plan.fits || plan.on.recompute == TRAINING_RECOMPUTE_FULL ||
                       full <= constants.micro_batch_memory_ratio + 1e-9,
                   "%s on %.0f %s: %.3f of the memory", models[i], n, gpus[j], full);
            }
}

/* What a plan says that it chose. */
static void searched(void)
{
    struct training_job job = job_of("llama-2-7b", "a100-sxm4-80gb");
    struct training_strategy pinned = open_strategy(8), one = open_strategy(1);

    pinned.recompute = TRAINING_RECOMPUTE_AUTO;
    is_searched(&job, &pinned, true, true, "nothing is stated");
    pinned.micro_batch = 1;
    is_searched(&job, &pinned, true, true, "a micro-batch");
    pinned.recompute = TRAINING_RECOMPUTE_NONE;
    is_searched(&job, &pinned, true, false, "no recomputation");
    pinned.tensor = 2;
    is_searched(&job, &pinned, false, false, "a degree");
    pinned = open_strategy(8);
    pinned.zero_stage = 1;
    is_searched(&job, &pinned, false, pinned.recompute == TRAINING_RECOMPUTE_AUTO, "a stage");
    job.stack = TRAINING_STACK_MEGATRON;
    is_searched(&job, &pinned, true, pinned.recompute == TRAINING_RECOMPUTE_AUTO,
                "Megatron's only stage");
    one.recompute = TRAINING_RECOMPUTE_FULL;
    is_searched(&job, &one, false, false, "one GPU");
    job.method = TRAINING_LORA;
    job.stack = TRAINING_STACK_FSDP;
    pinned = open_strategy(8);
    pinned.recompute = TRAINING_RECOMPUTE_FULL;
    is_searched(&job, &pinned, false, false, "adapters of PyTorch");
}

/* What software does where nothing is stated. */
static void usual(void)
{
    const struct training_strategy open = training_strategy_free();
    struct training_job job = job_of("llama-2-7b", "a100-sxm4-80gb");

    ok(training_usual_zero_stage(TRAINING_STACK_FSDP, &open) == 3 &&
           training_usual_zero_stage(TRAINING_STACK_JAX, &open) == 3,
       "FSDP and JAX divide the weights");
    ok(training_usual_zero_stage(TRAINING_STACK_MEGATRON, &open) == 1, "Megatron its states");
    ok(isnan(training_usual_zero_stage(TRAINING_STACK_UNSPECIFIED, &open)), "others as is best");
    job.method = TRAINING_PRETRAIN;
    ok(training_usual_recompute(&job, TRAINING_RECOMPUTE_AUTO) == TRAINING_RECOMPUTE_AUTO,
       "pre-training recomputes the least that leaves memory free");
    job.method = TRAINING_FULL;
    ok(training_usual_recompute(&job, TRAINING_RECOMPUTE_AUTO) == TRAINING_RECOMPUTE_FULL,
       "fine-tuning recomputes everything");
    ok(training_usual_recompute(&job, TRAINING_RECOMPUTE_NONE) == TRAINING_RECOMPUTE_NONE,
       "unless something else is stated");
    job.stack = TRAINING_STACK_MEGATRON;
    ok(training_usual_recompute(&job, TRAINING_RECOMPUTE_AUTO) == TRAINING_RECOMPUTE_AUTO,
       "but not under Megatron");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    brute_force();
    pins();
    not_fitting();
    fewest();
    deadline();
    budget();
    refusals();
    properties();
    memory_left();
    searched();
    usual();
    catalog_free(catalog);
    return tap_done();
}

/* The search against brute force: over random jobs every legal strategy is estimated in plain loops
 * that share nothing with it, and the best, the number of strategies and whether any fits agree. */
#include "estimate/training/plan/search_space.h"

#include "estimate/training/plan/search.h"
#include "estimate/training/plan/least_recompute.h"
#include "estimate/training/recompute.h"
#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <stdlib.h>

static struct catalog *catalog;
static struct training_constants constants;
static struct training_constants slow, large; /* long latency of exchanges; large micro-batches */
static const double unknown = (double)NAN;

/* The same jobs on every run. */
static unsigned long long seed = 20261122;

static size_t any_of(size_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(seed >> 33) % n;
}

static bool one_in(size_t n)
{
    return any_of(n) == 0;
}

static struct model_shape any_shape(void)
{
    static const char *const models[] = {"llama-2-7b", "llama-2-13b", "llama-2-70b",
                                         "meta-llama-3-8b", "mixtral-8x7b-v0.1"};
    struct model typical;

    if (one_in(3)) {
        model_shape_typical(1e9 * (double)(1 + any_of(200)), &typical);
        return model_shape_of(&typical);
    }
    const struct model *model = catalog_model(catalog, models[any_of(5)]);
    fixture_need(model != NULL, &(struct err){.text = "a model of the list is not in the seed"});
    return model_shape_of(model);
}

static const struct gpu *any_gpu(void)
{
    const struct gpu *gpu;

    do
        gpu = &catalog->gpus[any_of(catalog->n_gpus)];
    while (!(gpu->tdp > 0 && gpu->memory_bandwidth > 0));
    return gpu;
}

static struct training_job any_job(void)
{
    static const double lengths[] = {1024, 2048, 3072, 8192}, batches[] = {48, 60, 64, 128, 240};
    struct training_job job = {.constants = one_in(3) ? &slow : &constants,
                               .gpu = any_gpu(),
                               .shape = any_shape(),
                               .method = (enum training_method)any_of(TRAINING_METHODS),
                               .optimizer = (enum training_optimizer)any_of(TRAINING_OPTIMIZERS),
                               .trainable_ratio = unknown,
                               .sequence_tokens = lengths[any_of(4)],
                               .batch_sequences = one_in(2) ? batches[any_of(5)] : unknown,
                               .gpus_per_node = one_in(3) ? 4 : 8,
                               .network_rate = one_in(3)   ? 1.25e9
                                               : one_in(4) ? 100e9 /* faster than PCIe */
                                                           : unknown,
                               .power = unknown,
                               .flash_attention = !one_in(4),
                               .communication_overlap = !one_in(4),
                               .tensor_overlap = one_in(2),
                               .stack = (enum training_stack)any_of(TRAINING_STACKS),
                               .single_copy = one_in(5),
                               .fused_update = one_in(5)};

    job.precision = training_usual_precision(job.gpu);
    if (one_in(5) && training_peak(job.gpu, TRAINING_FP32) > 0)
        job.precision = TRAINING_FP32;
    if (one_in(4))
        job.offload = (enum training_offload)any_of(TRAINING_OFFLOADS);
    if (one_in(4))
        job.schedule = TRAINING_ZERO_BUBBLE;
    if (one_in(5))
        job.frozen_layers = floor(job.shape.layers / 3);
    if (one_in(5))
        job.gradient_bytes = 2;
    training_complete(&job, unknown);
    return job;
}

/* Now and then one of the degrees is given. */
static struct training_strategy any_pins(void)
{
    struct training_strategy pinned = training_strategy_free();

    if (one_in(8))
        pinned.tensor = one_in(2) ? 1 : 2;
    if (one_in(8))
        pinned.pipeline = one_in(2) ? 1 : 4;
    if (one_in(8))
        pinned.context = one_in(2) ? 1 : 2;
    if (one_in(8))
        pinned.micro_batch = one_in(2) ? 1 : 2;
    if (one_in(8))
        pinned.data = one_in(2) ? 4 : 8;
    if (one_in(8))
        pinned.expert = one_in(2) ? 1 : 4;
    if (one_in(8))
        pinned.zero_stage = (double)any_of(4);
    if (one_in(8))
        pinned.recompute = (enum training_recompute)any_of(TRAINING_RECOMPUTES);
    if (pinned.recompute == TRAINING_RECOMPUTE_PARTIAL) {
        pinned.modules = 1U << TRAINING_LAYERNORM | 1U << TRAINING_MLP;
        pinned.whole = one_in(2) ? 0 : 0.25;
        pinned.part = 1 - pinned.whole;
    }
    if (one_in(8))
        pinned.sequence_parallel = (double)any_of(2);
    return pinned;
}

struct brute {
    const struct training_job *job;
    const struct training_strategy *pinned;
    struct training_rates rates;
    double node, best, least;
    size_t n;
};

static bool may_be(double pinned, double value)
{
    return isnan(pinned) || pinned == value;
}

static bool divides(double divisor, double whole)
{
    return fmod(whole, divisor) == 0;
}

static void brute_estimate(struct brute *brute, const struct training_strategy *open)
{
    bool chosen = isnan(brute->pinned->micro_batch) && open->micro_batch > 1;
    double spare = brute->job->gpu->memory_bytes * constants.micro_batch_memory_ratio;
    double room = chosen ? spare : brute->job->gpu->memory_bytes;
    struct training_strategy on = *open;
    struct training_memory memory;
    struct training_step step;

    brute->n++;
    if (on.recompute == TRAINING_RECOMPUTE_AUTO)
        training_recompute_settle(brute->job, &on, spare);
    memory = training_memory(brute->job, &on);
    brute->least = fmin(brute->least, memory.required);
    if (memory.required > room)
        return;
    training_step(brute->job, &brute->rates, &on, &step);
    brute->best = fmin(brute->best, step.seconds / on.batch_sequences);
}

/* Sequence parallelism; recompute as pinned, or the least that leaves memory free. */
static void brute_layers(struct brute *brute, struct training_strategy on)
{
    const struct training_strategy *pinned = brute->pinned;

    on.recompute = pinned->recompute;
    on.modules = pinned->modules;
    on.part = pinned->part;
    on.whole = pinned->whole;
    for (on.sequence_parallel = 0; on.sequence_parallel <= (on.tensor > 1); on.sequence_parallel++)
        if (on.tensor == 1 || may_be(pinned->sequence_parallel, on.sequence_parallel))
            brute_estimate(brute, &on);
}

/* ZeRO and the nodes that share states. */
static void brute_states(struct brute *brute, struct training_strategy on)
{
    double replicas = on.data * on.context, pinned = brute->pinned->zero_stage;

    for (on.zero_stage = 0; on.zero_stage <= 3; on.zero_stage++) {
        bool legal =
            on.zero_stage == 0 || (replicas > 1 && (on.zero_stage == 1 || on.pipeline == 1));
        if (isnan(pinned) ? !legal : pinned != on.zero_stage)
            continue;
        on.shard = 0;
        brute_layers(brute, on);
        for (on.shard = 2; isnan(pinned) && on.zero_stage == 3 && on.shard < replicas; on.shard++)
            if (divides(on.shard, replicas) && divides(brute->node, on.shard * on.tensor))
                brute_layers(brute, on);
    }
}

/* Sequences of a step that has `at_once` at a time; 0 if it cannot. */
static double whole_batch(const struct training_job *job, double at_once)
{
    bool open = isnan(job->batch_sequences);
    double batch = open ? ceil(job->batch_default / at_once) * at_once : job->batch_sequences;

    return divides(at_once, batch) && !(open && batch > 1.25 * job->batch_default) ? batch : 0;
}

static void brute_schedules(struct brute *brute, struct training_strategy on)
{
    const struct training_job *job = brute->job;
    double at_once = on.data * on.micro_batch;
    double layers = job->shape.layers,
           places = divides(on.pipeline, layers) ? layers
                                                 : on.pipeline * ceil((layers + 2) / on.pipeline);

    on.batch_sequences = whole_batch(job, at_once);
    if (on.batch_sequences == 0)
        return;
    on.virtual_stages = 1;
    brute_states(brute, on);
    if (job->schedule == TRAINING_ZERO_BUBBLE)
        return;
    for (on.virtual_stages = 2; on.pipeline > 1 && on.virtual_stages <= places; on.virtual_stages++)
        if (divides(on.pipeline * on.virtual_stages, places) &&
            on.pipeline * on.virtual_stages <= layers + 2 &&
            divides(on.pipeline, on.batch_sequences / at_once))
            brute_states(brute, on);
}

static bool may_expert(const struct brute *brute, double expert)
{
    double experts = brute->job->shape.experts, pinned = brute->pinned->expert;

    if (!isnan(pinned))
        return pinned == expert;
    return expert == 1 || (expert <= experts && divides(expert, experts));
}

static void brute_row(struct brute *brute, struct training_strategy on)
{
    const struct training_job *job = brute->job;
    bool adapters = job->method == TRAINING_LORA || job->method == TRAINING_QLORA;
    double tokens = job->shape.moe && !adapters ? job->constants->micro_batch_tokens_moe
                                                : job->constants->micro_batch_tokens_max;
    double most = tokens * on.context / job->sequence_tokens;

    on.data = on.gpu_count / (on.tensor * on.context * on.pipeline);
    if (on.data != floor(on.data) || !may_be(brute->pinned->data, on.data))
        return;
    for (on.expert = 1; on.expert <= fmax(4, job->shape.experts); on.expert++)
        for (on.micro_batch = 1; on.micro_batch <= fmax(2, most); on.micro_batch++) {
            bool given = !isnan(brute->pinned->micro_batch);
            double b = on.micro_batch,
                   whole = isnan(job->batch_sequences) ? 64 : job->batch_sequences;
            if (!may_expert(brute, on.expert) ||
                !divides(on.expert, on.tensor * on.context * on.data))
                continue;
            if (given ? brute->pinned->micro_batch == b
                      : b == 1 || (b <= most && divides(b, whole)))
                brute_schedules(brute, on);
        }
}

/* What PyTorch trains adapters with divides the model among replicas alone, and no sequence that
 * one GPU takes at once. */
static bool may_divide(const struct brute *brute, const struct training_strategy *on)
{
    const struct training_job *job = brute->job;
    bool torch = job->stack == TRAINING_STACK_FSDP || job->stack == TRAINING_STACK_DEEPSPEED;
    bool alone = job->method == TRAINING_QLORA || (job->method == TRAINING_LORA && torch);

    return !alone || !isnan(brute->pinned->data) ||
           ((on->tensor == 1 || !isnan(brute->pinned->tensor)) &&
            (on->pipeline == 1 || !isnan(brute->pinned->pipeline)) &&
            (on->context == 1 || !isnan(brute->pinned->context) ||
             job->sequence_tokens > job->constants->micro_batch_tokens_max));
}

/* A model that half of a GPU holds is no pipeline, unless its length, its batch or what is stated
 * takes one. */
static bool may_pipeline(const struct brute *brute, const struct training_strategy *on)
{
    const struct training_strategy *pinned = brute->pinned;
    const struct training_job *job = brute->job;
    bool stated = !isnan(pinned->pipeline) || !isnan(pinned->data) ||
                  !isnan(pinned->virtual_stages) || job->schedule != TRAINING_1F1B;

    return on->pipeline == 1 || stated || training_least_bytes(job) > job->gpu->memory_bytes / 2 ||
           job->sequence_tokens > job->constants->micro_batch_tokens_max ||
           whole_batch(job, on->gpu_count) == 0;
}

static void brute_search(struct brute *brute, double gpu_count)
{
    const struct training_job *job = brute->job;
    struct training_strategy on = {.gpu_count = gpu_count};

    brute->rates = training_rates(job);
    brute->node = fmin(job->gpus_per_node, gpu_count);
    brute->best = brute->least = (double)INFINITY;
    brute->n = 0;
    for (on.tensor = 1; on.tensor <= brute->node; on.tensor++)
        for (on.context = 1; on.context <= fmax(2, job->sequence_tokens / 1024); on.context++)
            for (on.pipeline = 1; on.pipeline <= job->shape.layers; on.pipeline++) {
                bool whole = on.context == 1 || (divides(on.context, job->sequence_tokens) &&
                                                 job->sequence_tokens / on.context >= 1024);
                if ((isnan(brute->pinned->tensor)
                         ? divides(on.tensor, job->shape.heads) && divides(on.tensor, brute->node)
                         : brute->pinned->tensor == on.tensor) &&
                    (isnan(brute->pinned->context) ? whole
                                                   : brute->pinned->context == on.context) &&
                    may_be(brute->pinned->pipeline, on.pipeline) && may_divide(brute, &on) &&
                    may_pipeline(brute, &on))
                    brute_row(brute, on);
            }
}

/* One number of GPUs of a space that others may have been asked of before. */
static bool agrees(struct training_space *space, double gpu_count, char *why, size_t size)
{
    struct brute brute = {.job = space->job, .pinned = space->pinned};
    struct training_strategy alone = *space->pinned;
    struct training_plan plan, once; /* the latter of a space for that number of GPUs alone */

    brute_search(&brute, gpu_count);
    alone.gpu_count = gpu_count;
    if (!fixture_search_within_batch(space->job, &alone, &once))
        once.fits = false;
    training_space_set_count(space, gpu_count, false);
    bool found = training_space_search(space, &plan), fits = training_space_fits(space);
    double best = plan.fits ? plan.step.seconds / plan.on.batch_sequences : (double)INFINITY;
    double off = plan.fits ? best / brute.best - 1 : isinf(brute.best) ? 0 : 1;
    double best_once = once.fits ? once.step.seconds / once.on.batch_sequences : (double)INFINITY;

    snprintf(why, size, "%s on %.0f %s: %zu strategies of %zu, %.3g off, %s",
             found ? "" : "nothing", gpu_count, space->job->gpu->slug, plan.n_considered, brute.n,
             off, fits ? "fits" : "does not fit");
    return found == (brute.n > 0) && plan.n_considered == brute.n && fabs(off) < 1e-8 &&
           fits == !isinf(brute.best) && once.fits == fits &&
           (!fits || fabs(best_once / brute.best - 1) < 1e-8);
}

/* A job on several numbers of GPUs in turn, up and down: what a space remembers of one must not
 * mislead it on the next. */
static void search_all(int i, const struct training_job *job,
                       const struct training_strategy *pinned)
{
    static const double counts[] = {1, 4, 8, 16, 24, 40, 48, 64, 96, 112, 120, 256, 360};
    const size_t n_counts = sizeof(counts) / sizeof(counts[0]);
    struct training_space space;
    char why[200];
    bool good = true, up = !one_in(4);

    training_space_init(&space, job, pinned);
    for (size_t j = any_of(3); good && j < n_counts; j += 1 + any_of(4))
        good = agrees(&space, counts[up ? j : n_counts - 1 - j], why, sizeof(why));
    ok(good, "job %d: %s", i, why);
    training_space_free(&space);
}

static void random_jobs(void)
{
    for (int i = 0; i < 400; i++) {
        struct training_job job = any_job();
        struct training_strategy pinned = any_pins();
        search_all(i, &job, &pinned);
    }
}

/* So few sequences that a step may be one micro-batch, during which weights that stream in do not
 * hide. */
static void short_steps(void)
{
    for (int i = 0; i < 1000; i++) {
        struct training_job job = any_job();
        struct training_strategy pinned = any_pins();
        job.batch_sequences = 64;
        pinned.zero_stage = 3;
        search_all(i, &job, &pinned);
    }
}

/* One or two large micro-batches on a slow network, during whose recomputation more of the
 * reduction hides than it takes. */
static void slower_may_win(void)
{
    for (int i = 0; i < 400; i++) {
        struct training_job job = any_job();
        struct training_strategy pinned = training_strategy_free();
        job.constants = &large;
        job.sequence_tokens = 2048;
        job.batch_sequences = 128;
        job.network_rate = 1.25e9;
        job.communication_overlap = true;
        training_complete(&job, unknown);
        pinned.pipeline = 1;
        search_all(i, &job, &pinned);
    }
}

/* Experts whose states fewer ranks divide than hold them: what is known of fewer replicas must not
 * count more of those. */
static void sharded_experts(void)
{
    const struct model *model = catalog_model(catalog, "deepseek-v2-lite");
    struct training_strategy pinned = training_strategy_free();
    struct training_space space;
    char why[200];

    fixture_need(model != NULL, &(struct err){.text = "deepseek-v2-lite is not in the seed"});
    struct model_shape shape = model_shape_of(model);
    struct training_job job =
        fixture_job(&constants, catalog_gpu(catalog, "a800-sxm4-80gb"), &shape);
    job.stack = TRAINING_STACK_FSDP;
    job.sequence_tokens = 3072;
    job.network_rate = 1.25e9;
    job.communication_overlap = false;
    training_complete(&job, unknown);
    pinned.tensor = 8;
    pinned.expert = 2;
    pinned.zero_stage = 3;
    training_space_init(&space, &job, &pinned);
    for (double count = 16; count <= 1024; count *= 2)
        ok(agrees(&space, count, why, sizeof(why)), "sharded experts: %s", why);
    training_space_free(&space);
}

/* More contexts leave the node, and talk over a network that is faster than its PCIe. */
static void fast_network(void)
{
    struct training_strategy pinned = training_strategy_free();
    char why[200];

    for (size_t i = 0; i < catalog->n_models; i++) {
        const struct model *model = &catalog->models[i];
        if (!(model->params_total < 20e9) || model->n_experts > 0)
            continue;
        struct model_shape shape = model_shape_of(model);
        struct training_job job = fixture_job(&constants, catalog_gpu(catalog, "a10"), &shape);
        job.sequence_tokens = 4096;
        job.batch_sequences = 60;
        job.gpus_per_node = 8;
        job.network_rate = 400e9;
        training_complete(&job, unknown);
        struct training_space space;
        training_space_init(&space, &job, &pinned);
        ok(agrees(&space, 112, why, sizeof(why)), "%s: %s", model->slug, why);
        training_space_free(&space);
    }
}

/* The plan shown where nothing fits is the smallest there is. */
static void smallest(void)
{
    size_t n = 0;

    for (int i = 0; n < 15 && i < 400; i++) {
        struct training_job job = any_job();
        struct training_strategy pinned = any_pins();
        struct brute brute = {.job = &job, .pinned = &pinned};
        struct training_plan plan;
        pinned.gpu_count = 8;
        if (!fixture_search_within_batch(&job, &pinned, &plan) || plan.fits)
            continue;
        brute_search(&brute, 8);
        n++;
        is_near(plan.memory.required / brute.least, 1, 1e-9,
                "job %d: nothing fits, nothing smaller", i);
    }
    ok(n == 15, "so many jobs were too large");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    slow = constants;
    slow.al *= 100;
    large = constants;
    large.micro_batch_tokens_max = 32768;
    random_jobs();
    short_steps();
    slower_may_win();
    sharded_experts();
    fast_network();
    smallest();
    catalog_free(catalog);
    return tap_done();
}

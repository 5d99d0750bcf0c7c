/* search.c - how fast strategies are searched: whole searches, full estimates, and all GPUs with
 * all numbers of them. Prints the median of the runs with the fastest and the slowest; run from the
 * root of the tree. */
#include "estimate/training/plan/options.h"
#include "estimate/training/plan/search_space.h"
#include "estimate/training/recompute.h"

#include "fixture.h"
#include "timing.h"
#include "training_fixture.h"
#include "base/arena.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct catalog *catalog;
static struct training_constants constants;
static const double unknown = (double)NAN;

static struct training_job job_of(const struct gpu *gpu, const struct model_shape *shape)
{
    struct training_job job = fixture_job(&constants, gpu, shape);

    job.precision = training_usual_precision(gpu);
    training_complete(&job, unknown);
    return job;
}

/* A GPT: plain FFN of four times the width, sequences of 2048, 51200 words. */
static struct model_shape gpt(double layers, double hidden, double heads)
{
    double ffn = 4 * hidden, vocab = 51200;
    struct model model = {.slug = "gpt",
                          .name = "GPT",
                          .n_layers = layers,
                          .n_full_layers = layers,
                          .hidden = hidden,
                          .n_heads = heads,
                          .n_kv_heads = heads,
                          .head_dim = hidden / heads,
                          .intermediate = ffn,
                          .vocab = vocab,
                          .max_position = 2048,
                          .tied = true,
                          .n_all_reduces = 2};

    model.params_total = layers * 12 * hidden * hidden + vocab * hidden;
    return model_shape_of(&model);
}

/* One whole search, from nothing to the best strategy. */
static void time_search(const char *what, const struct training_job *job, double gpu_count)
{
    struct training_strategy open = training_strategy_free();
    struct training_plan plan;
    double runs[RUNS];
    char text[200];
    bool found = false;

    open.gpu_count = gpu_count;
    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        found = training_search(job, &open, &plan);
        runs[i] = seconds_now() - start;
    }
    print_runs(what, runs, (double)plan.n_considered, "strategies");
    if (!found)
        return;
    training_describe(&plan.on, text, sizeof(text));
    printf("    %zu weighed, %s%s\n", plan.n_weighed, plan.fits ? "" : "does not fit: ", text);
}

/* Every strategy of a space estimated in full, nothing bounded away: step and memory. */
static size_t estimate_layer(const struct training_space *space,
                             const struct training_grid_row *row,
                             const struct training_group *group, struct training_strategy *on,
                             double *sum)
{
    struct training_list chunks = training_space_chunks(space, row, group);
    struct training_layer layer = training_layer(space->job, &space->rates, &space->links, on);
    struct training_values stages, shards;
    size_t n = 0;

    training_constraints_zero(space->pinned, on, &stages);
    training_space_shards(space, on, &shards);
    for (size_t i = 0; i < chunks.n; i++)
        for (size_t j = 0; j < stages.n; j++)
            for (size_t k = 0; k < shards.n; k++, n++) {
                struct training_step step;
                on->virtual_stages = chunks.at[i];
                on->zero_stage = stages.at[j];
                on->shard = shards.at[k];
                training_step_with_layer(space->job, &space->rates, &space->links, on, &layer,
                                         &step);
                *sum += step.seconds + training_memory(space->job, on).required;
            }
    return n;
}

static size_t estimate_group(const struct training_space *space,
                             const struct training_grid_row *row,
                             const struct training_group *group, double *sum)
{
    struct training_values divided;
    struct training_strategy on;
    size_t n = 0;

    training_constraints_sequence_parallel(space->pinned, group->on.tensor, &divided);
    for (int i = 0; i < TRAINING_RECOMPUTE_ENDS; i++)
        for (size_t j = 0; j < divided.n; j++) {
            if (!training_space_join(space, group, row, &on))
                continue;
            on.sequence_parallel = divided.at[j];
            on = training_recompute_end(&on, i);
            n += estimate_layer(space, row, group, &on, sum);
        }
    return n;
}

/* All micro-batches, those too that the search leaves out. */
static size_t estimate_block(const struct training_space *space, const struct training_block *block,
                             double *sum)
{
    const struct training_frame *frame = &space->frames[block->frame];
    struct training_group group = {.on = block->groups[0].on};
    size_t n = 0;

    for (size_t i = 0; i < frame->n_rows; i++)
        for (size_t j = 0; j < frame->n_micro; j++) {
            group.micro = j;
            group.on.micro_batch = frame->micro[j];
            n += estimate_group(space, &frame->rows[i], &group, sum);
        }
    return n;
}

static void time_all(const char *what, const struct training_job *job, double gpu_count)
{
    struct training_strategy open = training_strategy_free();
    double runs[RUNS], sum = 0;
    size_t n = 0;

    for (int i = 0; i < RUNS; i++) {
        struct training_space space;
        double start = seconds_now();
        training_space_init(&space, job, &open);
        training_space_set_count(&space, gpu_count, false);
        if (training_space_size(&space) == 0)
            training_space_set_count(&space, gpu_count, true);
        training_space_arrange(&space);
        n = 0;
        for (size_t j = 0; j < space.n_blocks; j++)
            n += estimate_block(&space, &space.blocks[j], &sum);
        training_space_free(&space);
        runs[i] = seconds_now() - start;
    }
    print_runs(what, runs, (double)n, "estimates");
    if (!(sum > 0))
        printf("    nothing was estimated\n");
}

/* Estimates that share nothing, layer and all. */
static void time_one(const struct training_job *job)
{
    struct training_rates rates = training_rates(job);
    struct training_strategy on = {.gpu_count = 64,
                                   .tensor = 4,
                                   .pipeline = 4,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 4,
                                   .virtual_stages = 2,
                                   .zero_stage = 1,
                                   .sequence_parallel = 1,
                                   .batch_sequences = 512};
    const int n = 100000;
    double runs[RUNS], sum = 0;

    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        for (int j = 0; j < n; j++) {
            struct training_step step;
            on.micro_batch = 1 + j % 4;
            training_step(job, &rates, &on, &step);
            sum += step.seconds + training_memory(job, &on).required;
        }
        runs[i] = seconds_now() - start;
    }
    print_runs("full estimates, nothing shared", runs, n, "estimates");
    if (!(sum > 0))
        printf("    nothing was estimated\n");
}

/* All GPUs that have a usable precision, with all numbers of them. */
static void time_options(const char *what, const struct model_shape *shape, double gpu_count_max)
{
    struct training_job *jobs = mem_alloc(catalog->n_gpus * sizeof(*jobs));
    struct training_candidate *candidates = mem_alloc(catalog->n_gpus * sizeof(*candidates));
    struct training_strategy open = training_strategy_free();
    struct training_options_ask ask = {
        .candidates = candidates,
        .n_candidates = catalog->n_gpus,
        .pinned = &open,
        .gpu_count_max = gpu_count_max,
        .goal = {.tokens = 15e12,
                 .goodput = 0.95,
                 .model_flops_utilization = unknown,
                 .deadline_days = unknown,
                 .budget = unknown},
    };
    struct training_goal price = {.price_per_gpu_hour = 2};
    struct training_option_list list;
    double runs[RUNS];

    for (size_t i = 0; i < catalog->n_gpus; i++) {
        jobs[i] = job_of(&catalog->gpus[i], shape);
        candidates[i] = (struct training_candidate){&jobs[i], &price};
    }
    for (int i = 0; i < RUNS; i++) {
        struct arena arena = {0};
        double start = seconds_now();
        fixture_options(&ask, &arena, &list);
        runs[i] = seconds_now() - start;
        arena_free(&arena);
    }
    print_runs(what, runs, (double)list.n_considered, "strategies");
    printf("    %zu weighed, %zu GPUs, %zu options\n", list.n_weighed, ask.n_candidates, list.n);
    free(jobs);
    free(candidates);
}

static struct training_job gpt_job(double layers, double hidden, double heads, double batch)
{
    struct model_shape shape = gpt(layers, hidden, heads);
    struct training_job job = job_of(catalog_gpu(catalog, "a100-sxm4-80gb"), &shape);

    job.batch_sequences = batch;
    job.flash_attention = false; /* as there */
    return job;
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    struct training_job turing = gpt_job(105, 20480, 128, 2520),
                        gpt3 = gpt_job(96, 12288, 96, 1024);
    struct model_shape llama = model_shape_of(catalog_model(catalog, "meta-llama-3-70b"));
    struct training_job job = job_of(catalog_gpu(catalog, "h100-sxm5-80gb"), &llama);

    struct training_job open = turing;

    /* 5128 is 8 x 641: with a batch of 2520 no number of replicas comes out whole. */
    open.batch_sequences = unknown;
    time_search("Turing-NLG 530B, 5128 A100, batch 2520", &turing, 5128);
    time_search("Turing-NLG 530B, 5128 A100, batch open", &open, 5128);
    time_all("  all of them estimated in full", &open, 5128);
    time_search("Turing-NLG 530B, 5120 A100, batch 2520", &turing, 5120);
    time_all("  all of them estimated in full", &turing, 5120);
    time_search("Turing-NLG 530B, 5040 A100, batch 2520", &turing, 5040);
    time_all("  all of them estimated in full", &turing, 5040);
    time_search("GPT-3 175B, 1024 A100, batch 1024", &gpt3, 1024);
    time_all("  all of them estimated in full", &gpt3, 1024);
    time_search("Llama 3 70B, 1024 H100", &job, 1024);
    time_all("  all of them estimated in full", &job, 1024);
    time_one(&job);
    time_options("Llama 3 70B, all GPUs, all numbers to 64", &llama, 64);
    time_options("Llama 3 70B, all GPUs, all numbers to 512", &llama, 512);
    time_options("Llama 3 70B, all GPUs, all numbers to 4096", &llama, 4096);
    time_options("Llama 3 70B, all GPUs, all numbers to 131072", &llama, TRAINING_GPUS_MAX);
    catalog_free(catalog);
    return 0;
}

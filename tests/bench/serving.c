/* inference/serving/serving.c - how fast inference is estimated: one estimate with nothing shared,
 * a design for a load, and every design on every GPU. Run from the root of the tree. */
#include "estimate/inference/serving/options.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "timing.h"
#include "base/arena.h"
#include "base/mem.h"

#include <math.h>

static struct catalog *catalog;
static struct inference_constants constants;

/* 1,000 requests a minute of 512 and 200 tokens, 95 of 100 within 5 s. */
static struct serving_request request_of(const char *model, const char *gpu, enum number weights)
{
    struct serving_request request = fixture_serving(catalog, &constants, model, gpu, weights);

    request.job.engine = ENGINE_VLLM;
    request.limits.latency_p95_seconds = 5;
    return request;
}

static void time_estimate(const char *what, const char *model)
{
    const int n = 100000;
    struct serving_request request = request_of(model, "h200-sxm5-141gb", NUMBER_FP8);
    double runs[RUNS], sum = 0;

    request.job.tensor = 8;
    request.job.pipeline = 1;
    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        for (int j = 0; j < n; j++) {
            struct inference inference = inference_of(&constants, &request.job);
            sum += inference_serve(&inference, 1 + j % 64).tpot;
        }
        runs[i] = seconds_now() - start;
    }
    print_runs(what, runs, n, "estimates");
    if (!(sum > 0))
        printf("    nothing was estimated\n");
}

static void time_design(const char *what, const char *model)
{
    const int n = 1000;
    struct serving_request request = request_of(model, "h200-sxm5-141gb", NUMBER_FP8);
    struct serving_design design = {.tensor = 8, .pipeline = 1, .replicas = 4};
    double runs[RUNS], sum = 0;

    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        for (int j = 0; j < n; j++) {
            struct serving_plan plan;
            serving_evaluate(&request, &design, &plan);
            sum += plan.tpot.middle;
        }
        runs[i] = seconds_now() - start;
    }
    print_runs(what, runs, n, "designs");
    if (!(sum > 0))
        printf("    nothing was estimated\n");
}

/* Every GPU with a 16-bit peak, in 16 bit and int4, at the same price. */
static void time_options(const char *what, const char *model)
{
    static const enum number formats[] = {NUMBER_FP16, NUMBER_INT4};
    size_t room = 2 * catalog->n_gpus, n = 0, designs = 0;
    struct serving_request *requests = mem_alloc(room * sizeof(*requests));
    struct serving_candidate *candidates = mem_alloc(room * sizeof(*candidates));
    double runs[RUNS];

    for (size_t i = 0; i < room; i++) {
        const struct gpu *gpu = &catalog->gpus[i / 2];
        requests[n] = request_of(model, gpu->slug, formats[i % 2]);
        candidates[n] =
            (struct serving_candidate){.request = &requests[n], .price_per_gpu_hour = 2};
        n += isfinite(gpu_peak_16bit(gpu)) ? 1 : 0;
    }
    for (int i = 0; i < RUNS; i++) {
        struct arena arena = {0};
        double start = seconds_now();
        designs = 0;
        for (size_t j = 0; j < n; j++) {
            struct serving_options_part part;
            serving_options_of(candidates, j, &arena, &part);
            designs += part.n_considered;
        }
        runs[i] = seconds_now() - start;
        arena_free(&arena);
    }
    print_runs(what, runs, (double)designs, "designs");
    free(requests);
    free(candidates);
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    time_estimate("estimates, nothing shared: dense 70B", "llama-3.1-70b");
    time_estimate("estimates, nothing shared: mixture", "deepseek-r1");
    time_design("a design for a load: dense 70B", "llama-3.1-70b");
    time_options("all GPUs, designs and two formats: 70B", "llama-3.1-70b");
    catalog_free(catalog);
    return 0;
}

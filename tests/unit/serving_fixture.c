#include "serving_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct serving_request fixture_serving(const struct catalog *catalog,
                                       const struct inference_constants *constants,
                                       const char *model, const char *gpu, enum number weights)
{
    const double open = (double)NAN;
    const struct model *record = catalog_model(catalog, model);
    struct serving_request request = {.constants = constants, .peak_ratio = 1};

    if (!record || !catalog_gpu(catalog, gpu)) {
        printf("Bail out! no %s or no %s\n", model, gpu);
        exit(1);
    }
    request.job = (struct inference_job){
        .shape = model_shape_of(record),
        .gpu = catalog_gpu(catalog, gpu),
        .weight_format = weights,
        .kv_format = NUMBER_BF16,
        .bytes_per_weight = open,
        .gpus_per_node = 8,
        .network_rate = 50e9,
        .input_tokens = 512,
        .output_tokens = 200,
        .memory_utilization = catalog_default(catalog, "memory_utilization", ""),
    };
    request.free_gpus_per_node = 8;
    request.expert_parallel = open;
    request.limits = (struct serving_limits){open, open, open};
    request.pinned = (struct serving_design){open, open, open, open, open, open, 0};
    serving_set_load(&request, open, open, 1000, open);
    return request;
}

/* A number below n (Knuth's MMIX generator). */
size_t fixture_draw(size_t n)
{
    static unsigned long long seed = 20261123;

    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)((seed >> 33) % n);
}

/* One of a few, `span` apart from first to last. */
double fixture_spread(double first, double span)
{
    return first * pow(span, (double)fixture_draw(7) / 6);
}

bool fixture_is_usable(const struct gpu *gpu)
{
    return isfinite(gpu_peak_16bit(gpu)) && isfinite(gpu->pcie_rate) &&
           isfinite(gpu->memory_bandwidth);
}

static const struct gpu *random_gpu(const struct catalog *catalog)
{
    const struct gpu *gpu;

    do
        gpu = &catalog->gpus[fixture_draw(catalog->n_gpus)];
    while (!fixture_is_usable(gpu));
    return gpu;
}

static bool draws_all;

void fixture_draw_all(void)
{
    draws_all = true;
}

/* Encoders write nothing, and rerankers are the shapes of other models once more. */
static bool is_drawn(const struct model *model)
{
    return draws_all || (!model->encoder && !strstr(model->slug, "reranker"));
}

static const struct model *random_model(const struct catalog *catalog)
{
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_models; i++)
        n += is_drawn(&catalog->models[i]);
    size_t drawn = fixture_draw(n);
    for (size_t i = 0; i < catalog->n_models; i++)
        if (is_drawn(&catalog->models[i]) && drawn-- == 0)
            return &catalog->models[i];
    return NULL;
}

struct serving_request fixture_random_request(const struct catalog *catalog,
                                              const struct inference_constants *constants)
{
    const double open = (double)NAN;
    static const enum number formats[] = {NUMBER_BF16, NUMBER_FP8, NUMBER_INT4};
    const struct model *model = random_model(catalog);
    struct serving_request request = fixture_serving(
        catalog, constants, model->slug, random_gpu(catalog)->slug, formats[fixture_draw(3)]);

    request.job.gpus_per_node = request.free_gpus_per_node = (double)(1 << fixture_draw(4));
    request.job.input_tokens = fixture_spread(100, 100);
    request.job.output_tokens = fixture_spread(10, 100);
    if (model->reads_only) {
        request.job.output_tokens = 1;
        request.job.writes_nothing = true;
    }
    request.spare_replicas = (double)fixture_draw(2);
    request.passes_open = request.apart_open = true;
    serving_set_load(&request, open, open, fixture_spread(10, 100), open);
    if (fixture_draw(2))
        request.limits.latency_p95_seconds = fixture_spread(5, 20);
    if (fixture_draw(2))
        request.limits.ttft_seconds = fixture_spread(0.3, 20);
    if (fixture_draw(2))
        request.limits.user_tokens_per_second = fixture_spread(5, 20);
    return request;
}

/* A request whose lengths are not all alike. */
struct serving_request fixture_spread_request(const struct catalog *catalog,
                                              const struct inference_constants *constants, size_t i)
{
    static const double spreads[] = {0, 0.5, 1, 1.6};
    struct serving_request request = fixture_random_request(catalog, constants);

    request.job.input_cv = spreads[i % 4];
    request.job.output_cv = spreads[i / 4 % 4];
    request.peak_load_most = i / 16 % 3 ? 0.7 : 0;
    if (i % 3)
        serving_set_roomy(&request);
    return request;
}

double fixture_fewest(const struct serving_request *request)
{
    struct serving_plan plan;

    return serving_search(request, &plan) ? plan.design.gpu_count : (double)INFINITY;
}

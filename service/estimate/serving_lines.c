#include "estimate/serving_lines.h"

#include <assert.h>
#include <math.h>

static const double GIB = 1073741824.0;

static struct serving_line *add(struct serving_lines *lines, const char *group, const char *key,
                                double value, const char *unit, const char *formula)
{
    const double none = (double)NAN;

    assert(lines->n < SERVING_LINES_MAX);
    lines->at[lines->n] = (struct serving_line){group, key, unit, formula, value, none, none, none};
    return &lines->at[lines->n++];
}

static void add_memory(struct serving_lines *lines, const struct serving_plan *plan)
{
    const struct kv_pool *pool = &plan->inference.pool;
    double cache = plan->sized_requests * pool->bytes_per_request;
    double rest = pool->capacity - pool->weights - cache - pool->reserve;

    add(lines, "memory", "weights", pool->weights / GIB, "GiB",
        "layers / (tensor x pipeline) + embedding and head / tensor");
    add(lines, "memory", "kv_cache", cache / GIB, "GiB",
        "requests in flight at full length / (GPUs a layer's heads are split over x pipeline)");
    add(lines, "memory", "overhead", pool->reserve / GIB, "GiB",
        "what engine and driver take beside weights and cache");
    add(lines, "memory", "unused", rest / GIB, "GiB",
        "what is left of the capacity; negative: what is missing");
}

static void add_time(struct serving_lines *lines, const struct serving_plan *plan)
{
    const struct served *mean = &plan->mean;
    const struct step *step = &mean->step;

    add(lines, "time", "weights", step->weights, "s",
        "bytes of the weights read / (tensor x achieved bandwidth)");
    add(lines, "time", "kv_cache", step->kv_cache, "s",
        "batch x bytes of a cache half written / (GPUs its heads are split over x achieved "
        "bandwidth)");
    add(lines, "time", "compute", step->gemm, "s",
        "2 x active weights x batch / (tensor x achieved FLOP/s)");
    add(lines, "time", "attention", step->attention, "s",
        "2 x batch x heads x head work x context x layers / (tensor x achieved FLOP/s)");
    add(lines, "time", "tensor_parallel_communication",
        step->all_reduce_latency + step->all_reduce_volume, "s",
        "all-reduces x (latency + 2 (tensor - 1) / tensor x batch x width / achieved link rate)");
    add(lines, "time", "pipeline_communication", step->transfer, "s",
        "(stages - 1) x batch x width / achieved rate between stages");
    add(lines, "time", "overhead", step->launch + step->requests, "s",
        "layers x launch time + batch x time per request");
    add(lines, "time", "prefill_interference", mean->interference, "s",
        "(batch - 1) / output tokens x time of a prompt: the prompts that pass meanwhile");
}

static void add_cost(struct serving_lines *lines, const struct serving_plan *plan,
                     double price_per_gpu_hour)
{
    struct serving_line *line = add(lines, "cost", "gpu_rental", (double)NAN, "GPU-hours",
                                    "GPUs x 1 hour x price per GPU-hour");

    line->quantity = plan->design.gpu_count;
    line->unit_price = price_per_gpu_hour;
    line->amount = line->quantity * line->unit_price;
}

void serving_lines(const struct serving_plan *plan, double price_per_gpu_hour,
                   struct serving_lines *lines)
{
    lines->n = 0;
    add_memory(lines, plan);
    if (plan->fits)
        add_time(lines, plan);
    add_cost(lines, plan, price_per_gpu_hour);
}

#include "estimate/serving_lines.h"

static void add_memory(struct account *account, const struct serving_plan *plan)
{
    const struct kv_pool *pool = &plan->inference.pool;
    double cache = plan->sized_requests * pool->bytes_per_request;
    double rest = pool->capacity - pool->weights - cache - pool->reserve;

    account_add_memory(account, "weights", pool->weights,
                       "layers / (tensor x pipeline) + embedding and head / tensor");
    account_add_memory(
        account, "kv_cache", cache,
        "requests in flight at full length / (GPUs a layer's heads are split over x pipeline)");
    account_add_memory(account, "overhead", pool->reserve,
                       "what engine and driver take beside weights and cache");
    account_add_memory(account, "unused", rest,
                       "what is left of the capacity; negative: what is missing");
}

static void add_time(struct account *account, const struct serving_plan *plan)
{
    const struct served *mean = &plan->mean;
    const struct step *step = &mean->step;

    account_add_time(account, "weight_reads", step->weights,
                     "bytes of the weights read / (tensor x achieved bandwidth)");
    account_add_time(
        account, "kv_cache_reads", step->kv_cache,
        "batch x bytes of a cache half written / (GPUs its heads are split over x achieved "
        "bandwidth)");
    account_add_time(account, "compute", step->gemm,
                     "2 x active weights x batch / (tensor x achieved FLOP/s)");
    account_add_time(
        account, "attention", step->attention,
        "2 x batch x heads x head work x context x layers / (tensor x achieved FLOP/s)");
    account_add_time(
        account, "tensor_parallel_communication",
        step->all_reduce_latency + step->all_reduce_volume,
        "all-reduces x (latency + 2 (tensor - 1) / tensor x batch x width / achieved link rate)");
    account_add_time(account, "pipeline_communication", step->transfer,
                     "(stages - 1) x batch x width / achieved rate between stages");
    account_add_time(account, "launch_overhead", step->launch + step->requests,
                     "layers x launch time + batch x time per request");
    account_add_time(
        account, "prefill_interference", mean->interference,
        "(batch - 1) / output tokens x time of a prompt: the prompts that pass meanwhile");
}

void serving_lines(const struct serving_plan *plan, double price_per_gpu_hour,
                   struct account *account)
{
    account->n = 0;
    add_memory(account, plan);
    if (plan->fits)
        add_time(account, plan);
    account_add_cost(account, "gpu_rental", plan->design.gpu_count, "GPU-hours", price_per_gpu_hour,
                     "GPUs x 1 hour x price per GPU-hour");
}

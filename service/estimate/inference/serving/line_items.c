#include "estimate/inference/serving/line_items.h"

#include "estimate/inference/communication.h"

#include <string.h>

static void add_memory(struct line_items *line_items, const struct serving_plan *plan)
{
    const struct kv_pool *pool = &plan->inference.pool;
    double cache = plan->group_requests * pool->bytes_per_request;
    double rest = pool->capacity - pool->weights - cache - pool->reserve;

    line_items_add_memory(
        line_items, "weights", pool->weights - pool->adapters,
        "layers / (tensor x pipeline) + embedding and head / tensor, and a draft's");
    if (pool->adapters > 0)
        line_items_add_memory(line_items, "adapter_weights", pool->adapters,
                              "adapters x bytes of one / (tensor x pipeline)");
    line_items_add_memory(line_items, "kv_cache", cache,
                          "requests in flight at full length / (attention groups x GPUs a layer's "
                          "heads are split over x pipeline)");
    line_items_add_memory(line_items, "overhead", pool->reserve,
                          "other memory of engine and driver");
    line_items_add_memory(line_items, "unused", rest, "capacity left; negative: missing");
}

/* A part of a step, which yields tokens_per_step tokens for each request. */
struct part {
    const char *key;
    double seconds;
    const char *formula;
};

bool serving_line_is_optional(const char *key)
{
    return strcmp(key, "state_reads") == 0 || strcmp(key, "expert_routing") == 0 ||
           strcmp(key, "draft") == 0;
}

static void add_step(struct line_items *line_items, const struct step *step, double tokens_per_step)
{
    const struct part parts[] = {
        {"weight_reads", step->weights,
         "bytes of the weights read / (tensor x achieved bandwidth)"},
        {"kv_cache_reads", step->kv_cache,
         "batch / groups x bytes of a cache half written / (GPUs its heads are split over x "
         "achieved bandwidth)"},
        {"state_reads", step->state,
         "2 x batch x bytes of a recurrent state / (tensor x achieved bandwidth)"},
        {"compute", step->gemm, "2 x active weights x tokens / (tensor x achieved FLOP/s)"},
        {"expert_routing", step->routing,
         "passes x expert layers x tokens x experts of a token x width / achieved bandwidth"},
        {"attention", step->attention,
         "2 x tokens x heads x head work x context of all layers / (tensor x achieved FLOP/s), of "
         "a "
         "latent beyond the time in which it is read"},
        {"tensor_parallel_communication", inference_communication(step),
         "all-reduces x (latency + 2 (tensor - 1) / tensor x tokens x width / achieved link "
         "rate), and the exchange with experts, but for what is hidden while half of the tokens "
         "are computed"},
        {"pipeline_communication", step->transfer,
         "(stages - 1) x tokens x width / achieved rate between stages"},
        {"launch_overhead", step->launch + step->requests,
         "layers x launch time + tokens x time per request"},
        {"draft", step->draft, "tokens guessed ahead x share of a step that a guess takes"},
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i].seconds != 0 || !serving_line_is_optional(parts[i].key))
            line_items_add_time(line_items, parts[i].key, parts[i].seconds / tokens_per_step,
                                parts[i].formula);
}

/* A prompt that nothing else delays; what only some models or designs have is shown where it is. */
static void add_prompt(struct line_items *line_items, const struct prefill *prompt, double stages)
{
    double shared = prompt->marginal + prompt->fixed + prompt->transfer;
    const struct part parts[] = {
        {"prefill_products", prompt->gemm,
         "2 x weights used per token x tokens / (tensor x achieved FLOP/s)"},
        {"prefill_attention", prompt->attention,
         "heads x head work x pairs of tokens that attend / (tensor x achieved FLOP/s)"},
        {"prefill_weights", prompt->weights,
         "bytes of the weights read / (tensor x achieved bandwidth)"},
        {"prefill_launches", prompt->launch, "layers x launch time"},
        {"prefill_routing", prompt->routing,
         "expert layers x tokens x experts of a token x width / achieved bandwidth"},
        {"prefill_norms", prompt->norms,
         "4 x layers x tokens x width x bytes of an activation / achieved bandwidth"},
        {"prefill_scan", prompt->scan,
         "layers with a state x its elements x tokens x FLOP of each / (tensor x FLOP/s in FP32)"},
        {"prefill_all_reduce", prompt->all_reduce,
         "all-reduces x 2 (tensor - 1) / tensor x tokens x width / achieved link rate"},
        {"prefill_images", prompt->tower, "arithmetic of the vision tower / achieved FLOP/s"},
        {"prefill_transfer", prompt->transfer,
         "(stages - 1) x tokens x width / achieved rate between stages"},
        {"prefill_alone", prompt->one - shared + (stages - 1) * prompt->tower,
         "the part that attention groups do not share"},
    };
    const size_t always = 4;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (i < always || parts[i].seconds > 1e-12)
            line_items_add_time(line_items, parts[i].key, parts[i].seconds, parts[i].formula);
}

double serving_interference(const struct serving_plan *plan)
{
    return plan->mean.interference + (plan->tpot.middle - plan->mean.tpot);
}

static void add_time(struct line_items *line_items, const struct serving_plan *plan)
{
    const struct served *mean = &plan->mean;
    const struct inference_job *job = &plan->inference.job;

    if (job->writes_nothing) {
        add_prompt(line_items, &plan->inference.prefill, job->pipeline);
        return;
    }
    add_step(line_items, &mean->step, inference_tokens_per_step(&plan->inference.job.speculation));
    line_items_add_time(
        line_items, "prefill_interference", serving_interference(plan),
        plan->inference.job.engine == ENGINE_SGLANG
            ? "share that delays tokens x (batch - 1) / output tokens x time of a prompt: the "
              "prompts that pass meanwhile"
            : "(batch - 1) / output tokens x time of a prompt: the prompts that pass meanwhile");
}

void serving_lines(const struct serving_plan *plan, double price_per_gpu_hour,
                   struct line_items *line_items)
{
    line_items->n = 0;
    add_memory(line_items, plan);
    if (plan->fits)
        add_time(line_items, plan);
    line_items_add_cost(line_items, "gpu_rental", plan->design.gpu_count, "GPU-hours",
                        price_per_gpu_hour, "GPUs x 1 hour x price per GPU-hour");
}

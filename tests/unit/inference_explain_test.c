/* Explanations of a sizing: every substitution, evaluated here, comes to its figure, whatever is
 * served how; and what they say is what the figures are. */
#include "estimate/inference/explain/explain.h"
#include "estimate/inference/serving/queue.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static struct catalog *catalog;
static struct inference_constants constants;
static const double OPEN = (double)NAN;

/* ---- the value of a substitution: numbers, functions, + - x / and brackets; other words are units
 */

static double sum(const char **p);

static void skip_spaces(const char **p)
{
    *p += strspn(*p, " ");
}

/* Where the word stands here, step over it. */
static bool takes(const char **p, const char *word)
{
    size_t n = strlen(word);

    skip_spaces(p);
    if (strncmp(*p, word, n) != 0)
        return false;
    *p += n;
    return true;
}

static double call(const char *name, double a, double b)
{
    if (strcmp(name, "max(") == 0)
        return fmax(a, b);
    if (strcmp(name, "min(") == 0)
        return fmin(a, b);
    if (strcmp(name, "pow(") == 0)
        return pow(a, b);
    if (strcmp(name, "poisson_quantile(") == 0)
        return queue_poisson_quantile(a, b);
    if (strcmp(name, "poisson_mean(") == 0)
        return queue_poisson_mean(a, b);
    if (strcmp(name, "sqrt(") == 0)
        return sqrt(a);
    if (strcmp(name, "log2(") == 0)
        return log2(a);
    return strcmp(name, "ceil(") == 0 ? ceil(a) : floor(a);
}

/* A unit begins with a letter and is not an operator. */
static void skip_unit(const char **p)
{
    skip_spaces(p);
    if (isalpha((unsigned char)**p) && strncmp(*p, "x ", 2) != 0)
        *p += strcspn(*p, " ,)");
}

static double factor(const char **p)
{
    static const char *const names[] = {"max(",  "min(",  "pow(",  "poisson_quantile(",
                                        "sqrt(", "log2(", "ceil(", "poisson_mean(",
                                        "floor("};
    double value = OPEN;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (takes(p, names[i])) {
            double a = sum(p), b = takes(p, ",") ? sum(p) : 0;
            value = takes(p, ")") ? call(names[i], a, b) : OPEN;
            skip_unit(p);
            return value;
        }
    if (takes(p, "(")) {
        value = sum(p);
        value = takes(p, ")") ? value : OPEN;
    } else {
        char *end;
        skip_spaces(p);
        value = strtod(*p, &end);
        *p = end;
    }
    skip_unit(p);
    return value;
}

static double product(const char **p)
{
    double value = factor(p);

    for (;;)
        if (takes(p, "x "))
            value *= factor(p);
        else if (takes(p, "/ "))
            value /= factor(p);
        else
            return value;
}

static double sum(const char **p)
{
    double value = product(p);

    for (;;)
        if (takes(p, "+ "))
            value += product(p);
        else if (takes(p, "- "))
            value -= product(p);
        else
            return value;
}

static double evaluate(const char *text)
{
    double value = sum(&text);

    skip_spaces(&text);
    return *text ? OPEN : value; /* all of it was read */
}

/* ---- questions */

static struct serving_request request_of(const char *model, const char *gpu, enum number weights)
{
    struct serving_request request = fixture_serving(catalog, &constants, model, gpu, weights);

    request.peak_ratio = 1.5;
    request.job.kv_format = NUMBER_FP8;
    request.job.engine = ENGINE_SGLANG;
    request.job.input_tokens = 1000;
    request.job.output_tokens = 300;
    request.limits.latency_p95_seconds = 20;
    serving_set_load(&request, OPEN, OPEN, 600, OPEN);
    return request;
}

static const struct explanation *row_of(const struct explanations *rows, const char *key)
{
    for (size_t i = 0; i < rows->n; i++)
        if (strcmp(rows->at[i].key, key) == 0)
            return &rows->at[i];
    return NULL;
}

/* Rows of the best design, or of the nearest to it. */
static struct explanations explain(const struct serving_request *request, struct arena *arena)
{
    struct explanations rows;
    struct serving_plan plan;

    (void)serving_search(request, &plan);
    struct serving_cost cost = serving_cost(request, &plan, 2.5);
    struct inference_answer answer = {
        .request = request, .plan = &plan, .cost = &cost, .price_per_gpu_hour = 2.5};
    explain_init(&rows, arena);
    inference_explain(&answer, &rows);
    return rows;
}

/* Nine digits of numbers that may cancel, so six of the figure. */
static bool is_true(const struct explanation *row)
{
    if (!isfinite(row->value))
        return !row->substitution;
    double got = row->substitution ? evaluate(row->substitution) : OPEN;
    bool good = fabs(got - row->value) <= 1e-6 * fabs(row->value) + 1e-9;
    if (!good)
        printf("# %s = %.9g, but %s = %.9g\n", row->key, row->value,
               row->substitution ? row->substitution : row->inputs, got);
    return good;
}

static void all_true(const struct serving_request *request, const char *what, const char *has)
{
    struct arena arena = {0};
    struct explanations rows = explain(request, &arena);
    size_t good = 0;

    for (size_t i = 0; i < rows.n; i++)
        good += is_true(&rows.at[i]) && row_of(&rows, rows.at[i].key) == &rows.at[i] &&
                rows.at[i].source[0];
    ok(good == rows.n && row_of(&rows, has), "%s: each of %zu figures is what is said, %s too",
       what, rows.n, has);
    arena_free(&arena);
}

static void whatever_is_served(void)
{
    struct serving_request dense = request_of("llama-3.1-70b", "h100-sxm5-80gb", NUMBER_FP8);
    all_true(&dense, "dense", "batch_size_p95");
    struct serving_request staged = dense;
    staged.pinned = (struct serving_design){4, 3, 1, OPEN, OPEN, OPEN, 0};
    all_true(&staged, "stages across servers", "pipeline_communication");
    struct serving_request together = dense;
    together.job.static_batching = true;
    all_true(&together, "static batches", "requests_running");
    struct serving_request narrow = request_of("llama-3.1-8b", "rtx-4090", NUMBER_INT4);
    narrow.job.engine = ENGINE_LLAMA_CPP;
    serving_set_load(&narrow, 4, OPEN, OPEN, OPEN);
    all_true(&narrow, "GGUF", "prefill_weights");
    struct serving_request over_pcie = request_of("llama-3.1-70b", "a100-pcie-80gb", NUMBER_INT8);
    over_pcie.pinned.tensor = 4;
    over_pcie.pinned.replicas = 3;
    serving_set_load(&over_pcie, OPEN, 50, OPEN, OPEN);
    all_true(&over_pcie, "PCIe", "all_reduce_seconds");
    struct serving_request linear = request_of("qwen3-next-80b-a3b", "h200-sxm5-141gb", NUMBER_FP8);
    linear.job.engine = ENGINE_TENSORRT_LLM;
    all_true(&linear, "layers with a state", "state_reads");
    linear.job.speculation = (struct speculation){2, 0.7, 0.05};
    all_true(&linear, "a state and guessing ahead", "state_reads_step");
    struct serving_request indexed = request_of("deepseek-v3.2", "b200-sxm", NUMBER_FP8);
    indexed.job.engine = ENGINE_SGLANG;
    serving_set_load(&indexed, OPEN, 200, OPEN, OPEN); /* clients of a fixed number, in step */
    all_true(&indexed, "an indexer and block scales", "prompt_pause");
    struct serving_request selects = request_of("deepseek-v3.2", "gb200-nvl72", NUMBER_FP8);
    selects.job.engine = ENGINE_SGLANG;
    selects.job.input_tokens = 4096;
    serving_set_load(&selects, OPEN, 64, OPEN, OPEN);
    all_true(&selects, "a prompt that selects tokens, on Grace", "prefill_pairs");
}

static void ways_of_serving(void)
{
    struct serving_request experts = request_of("deepseek-v3", "h200-sxm5-141gb", NUMBER_FP8);
    experts.pinned.tensor = 8;
    all_true(&experts, "mixture", "distinct_experts");
    experts.pinned.attention_data = 8;
    all_true(&experts, "attention apart on each GPU", "exchange_seconds");
    experts.pinned.attention_data = 4;
    all_true(&experts, "attention in pairs", "prefill_alone");
    experts.pinned.tensor = experts.pinned.attention_data = 16;
    all_true(&experts, "experts on two servers", "exchange_seconds");
    experts.pinned.tensor = experts.pinned.attention_data = 32;
    all_true(&experts, "halves of a step on four servers", "hidden_communication");
    struct serving_request rack = request_of("deepseek-r1", "gb200-nvl72", NUMBER_FP4);
    rack.pinned.tensor = rack.pinned.attention_data = 32;
    rack.job.gpus_per_node = 4;
    all_true(&rack, "experts placed in a rack, sent in FP4", "exchange_seconds");
    rack.job.engine = ENGINE_TENSORRT_LLM;
    all_true(&rack, "by kernels of TensorRT-LLM", "exchange_seconds");
    struct serving_request ahead = request_of("llama-3.1-70b", "h100-sxm5-80gb", NUMBER_FP8);
    ahead.job.speculation = (struct speculation){3, 0.7, 0.05};
    all_true(&ahead, "guessing ahead", "tokens_per_step");
    ahead.job.speculation.acceptance = 1;
    all_true(&ahead, "always right", "draft");
    struct serving_request adapted = request_of("deepseek-v3", "h200-sxm5-141gb", NUMBER_FP8);
    adapted.job.adapters = 50;
    adapted.job.adapter_rank = 32;
    all_true(&adapted, "LoRA adapters", "distinct_adapters");
    adapted.pinned.tensor = 8;
    adapted.pinned.attention_data = 4;
    adapted.job.speculation = (struct speculation){1, 0.8, 0.05};
    all_true(&adapted, "LoRA adapters and guessing ahead", "adapter_launches");
    struct serving_request seen = request_of("kimi-k2.5", "b200-sxm", NUMBER_INT4);
    seen.job.images = 3;
    seen.job.image_tokens = 1024;
    seen.job.input_tokens += 3 * 1024;
    seen.pinned = (struct serving_design){8, 2, 2, OPEN, OPEN, OPEN, 0};
    all_true(&seen, "images and stages", "prefill_images");
    seen.pinned.pipeline = 1;
    seen.pinned.attention_data = 4;
    all_true(&seen, "images in groups", "prefill_alone");
    struct serving_request shared = request_of("llama-3.1-8b", "h100-sxm5-80gb", NUMBER_FP8);
    shared.job.sharing = 3;
    shared.pinned.tensor = shared.pinned.pipeline = shared.pinned.attention_data = 1;
    all_true(&shared, "parts of a GPU", "replicas_per_gpu");
    struct serving_request mixed = request_of("gpt-oss-120b", "h100-sxm5-80gb", NUMBER_FP4);
    mixed.job.longest_tokens = 130000;
    all_true(&mixed, "mixed lengths", "kv_cache_longest");
    struct serving_request apart = request_of("llama-3.1-70b", "h100-sxm5-80gb", NUMBER_FP8);
    apart.job.separate_prefill = true;
    all_true(&apart, "prompts read elsewhere", "prompts_per_second");
    struct serving_request halves = request_of("deepseek-v3", "h100-sxm5-80gb", NUMBER_FP8);
    halves.job.separate_prefill = true;
    halves.pinned.tensor = halves.pinned.attention_data = 32;
    all_true(&halves, "readers on four servers", "reader_hidden");
    apart.limits.ttft_seconds = 0.5;
    apart.spare_replicas = 1;
    all_true(&apart, "prompts read elsewhere within a limit", "reader_utilization");
    apart.limits.ttft_seconds = OPEN;
    apart.pinned.tensor = 4;
    apart.pinned.gpu_count = 32;
    all_true(&apart, "on so many GPUs", "cache_transfer");
    apart.pinned.prefill_replicas = 3;
    all_true(&apart, "three readers", "prefill_replica_count");
}

static void what_is_said(void)
{
    struct arena arena = {0};
    struct serving_request request = request_of("llama-3.1-70b", "h200-sxm5-141gb", NUMBER_FP8);
    request.job.engine = ENGINE_VLLM;
    request.job.input_tokens = request.job.output_tokens = 1024;
    request.pinned.tensor = 4;
    serving_set_load(&request, 64, OPEN, OPEN, OPEN);
    constants.e_mem = 0.83;
    constants.a_nv_us = 4.2;
    struct explanations rows = explain(&request, &arena);

    /* Worked example A of the inference time formulas: 64 requests, 4 GPUs. */
    is_str(row_of(&rows, "weight_reads")->substitution,
           "7.05523876e+10 B / 4 GPUs / (0.83 x 4.8e+12 B/s)", "weights over bandwidth");
    is_str(row_of(&rows, "all_reduce_seconds")->substitution, "4.2 us x 1e-6",
           "a round waits once, however many GPUs");
    is_str(row_of(&rows, "context")->inputs,
           "input_tokens = 1024 tokens, output_tokens = 1024 "
           "tokens",
           "inputs are those of the formula");
    ok(!row_of(&rows, "requests_in_flight_p95"), "a state that is an earlier one has no rows");
    arena_free(&arena);
}

static void where_it_ends(void)
{
    struct arena arena = {0};
    struct serving_request request = request_of("deepseek-v3", "rtx-4090", NUMBER_FP16);
    request.pinned = (struct serving_design){1, 1, 1, OPEN, OPEN, OPEN, 0};
    struct explanations rows = explain(&request, &arena);

    all_true(&request, "what does not fit", "memory_shortfall_gib");
    ok(!row_of(&rows, "weight_reads") && !row_of(&rows, "batch_size"),
       "no time of what cannot run");
    arena_free(&arena);
    struct serving_request busy = request_of("llama-3.1-8b", "h100-sxm5-80gb", NUMBER_BF16);
    busy.pinned = (struct serving_design){1, 1, 1, OPEN, OPEN, OPEN, 0};
    serving_set_load(&busy, OPEN, OPEN, 1e6, OPEN);
    all_true(&busy, "a queue without end", "latency_p95_seconds_estimate");
    busy.limits.latency_p95_seconds = 1e-3;
    all_true(&busy, "a limit nobody keeps", "requests_per_minute_within_limits");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    whatever_is_served();
    ways_of_serving();
    what_is_said();
    where_it_ends();
    catalog_free(catalog);
    return tap_done();
}

/* replicas.c - random replicas under random arrivals: what a simulation of them has to know, and
 * the percentiles that the estimate gives.
 *
 *   replicas COUNT SEED [prompts|chosen|routed]
 *
 * Prints a line of JSON for each: the load, how long a step takes by requests and context, how
 * long a prompt takes by its length. Run from the root of the tree.
 */
#include "estimate/inference/serving/serving.h"

#include "estimate/inference/serving/latency.h"
#include "estimate/inference/serving/queue.h"
#include "fixture.h"
#include "serving_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state;
static bool prompts_alone; /* nothing is written, and a router chooses among several replicas */
static bool routed;        /* a router chooses among several, and answers are written */

/* Uniform in [0, 1) (Knuth's MMIX generator). */
static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 33) / 2147483648.0;
}

static int draw(int n)
{
    return (int)(n * uniform());
}

static double log_uniform(double low, double high)
{
    return floor(low * pow(high / low, uniform()));
}

static const char *const MODELS[] = {"llama-3.1-8b",      "llama-3.1-70b", "qwen2.5-72b",
                                     "mixtral-8x7b-v0.1", "deepseek-v3",   "gpt-oss-120b"};
static const char *const GPUS[] = {"h100-sxm5-80gb", "h200-sxm5-141gb", "a100-sxm4-80gb",
                                   "l40s",           "b200-sxm",        "mi300x"};
static const double SPREADS[] = {0, 0.3, 0.77, 0.96, 1.31};

struct names {
    const char *model, *gpu;
};

static struct serving_request random_request(const struct catalog *catalog,
                                             const struct inference_constants *constants,
                                             struct names *names)
{
    enum {
        MODEL_COUNT = sizeof(MODELS) / sizeof(*MODELS),
        GPU_COUNT = sizeof(GPUS) / sizeof(*GPUS),
        SPREAD_COUNT = sizeof(SPREADS) / sizeof(*SPREADS)
    };
    static const enum engine engines[] = {ENGINE_UNSPECIFIED, ENGINE_VLLM, ENGINE_TENSORRT_LLM};

    *names = (struct names){MODELS[draw(MODEL_COUNT)], GPUS[draw(GPU_COUNT)]};
    struct serving_request request = fixture_serving(catalog, constants, names->model, names->gpu,
                                                     draw(2) ? NUMBER_FP8 : NUMBER_BF16);
    struct inference_job *job = &request.job;
    job->engine = engines[draw(3)];
    job->input_tokens = log_uniform(50, 16000);
    job->output_tokens = log_uniform(10, 4000);
    job->input_cv = SPREADS[draw(SPREAD_COUNT)];
    job->output_cv = draw(10) ? SPREADS[draw(SPREAD_COUNT)] : 2.15;
    job->tensor = 1 << draw(4);
    /* inference_stages_test.c simulates stages; the draw keeps the designs of README.md. */
    (void)draw(6);
    job->pipeline = 1;
    if (draw(6) == 0)
        job->speculation = (struct speculation){2, 0.7, 0.05};
    if (job->shape.moe && job->tensor > 2 && draw(3) == 0)
        job->attention_data = 2;
    if (prompts_alone) {
        job->output_tokens = 1;
        job->output_cv = 0;
        job->speculation = (struct speculation){0, 0, 0};
        job->routed = 1 + draw(16);
    }
    if (routed)
        job->routed = 2 + draw(15);
    return request;
}

static void print_steps(const struct inference *inference, double most)
{
    static const double contexts[] = {0.25, 0.5, 1, 2, 4, 8, 16};
    double mean = inference_context(&inference->job);

    printf(", \"contexts\": [");
    for (size_t i = 0; i < sizeof(contexts) / sizeof(*contexts); i++)
        printf("%s%.9g", i ? ", " : "", contexts[i] * mean);
    printf("], \"steps\": [");
    for (double n = 1, first = 1; n <= most; first = 0) {
        double batch = fmax(1, n / inference->job.pipeline);
        printf("%s[%.9g", first > 0 ? "" : ", ", n);
        for (size_t i = 0; i < sizeof(contexts) / sizeof(*contexts); i++)
            printf(", %.9g", inference_step(inference, batch, contexts[i] * mean).total);
        printf("]");
        double next = fmax(n + 1, floor(n * 1.2));
        n = n < most && next > most ? most : next;
    }
    printf("]");
}

static void print_prompts(const struct inference *inference)
{
    printf(", \"prompts\": [");
    for (int i = -24; i <= 24; i++) { /* between two of them attention's square is off by 1 % */
        struct inference_job job = inference->job;
        job.input_tokens *= pow(2, i / 4.0);
        job.input_cv = 0;
        struct inference of = inference_of(inference->constants, &job);
        printf("%s[%.9g, %.9g, %.9g]", i > -24 ? ", " : "", job.input_tokens, of.prefill.marginal,
               of.prefill.one);
    }
    printf("]");
}

/* The replica at `rate` requests per second, of `high`; false if the queue is unstable. */
static bool print_replica(const struct inference *inference, const struct names *names, double rate,
                          double high)
{
    const struct inference_job *job = &inference->job;
    double batch = queue_batch(inference, rate, serving_most_in_flight(inference));
    struct served served = inference_serve(inference, batch);
    double most = floor(serving_most_in_flight(inference));
    struct latency latency = latency_of(inference, rate, most);
    if (isnan(latency.p95))
        return false;
    printf("{\"model\": \"%s\", \"gpu\": \"%s\", \"tensor\": %.0f, \"pipeline\": %.0f, "
           "\"input_tokens\": %.0f, \"output_tokens\": %.0f, \"input_cv\": %.9g, "
           "\"output_cv\": %.9g, \"rate\": %.9g, \"rate_share\": %.9g, \"most\": %.9g, "
           "\"batch\": %.9g, \"tokens_per_step\": %.9g, \"pass_tokens\": %.9g, "
           "\"fixed\": %.9g, \"host\": %.9g, \"routed\": %.0f",
           names->model, names->gpu, job->tensor, job->pipeline, job->input_tokens,
           job->output_tokens, job->input_cv, job->output_cv, rate, rate / high, most, batch,
           inference_tokens_per_step(&job->speculation), inference_step_tokens(inference),
           inference->prefill.fixed, served.waiting.host, job->routed);
    printf(", \"p50\": %.9g, \"p95\": %.9g, \"ttft_p95\": %.9g, "
           "\"ttft_p95_most\": %.9g, \"tpot\": %.9g, \"mean\": %.9g, "
           "\"ttft_mean\": %.9g, \"prompts_share\": %.9g, \"slot_chance\": %.9g, \"slot_seconds\": "
           "%.9g, "
           "\"max_tokens\": %.9g",
           latency.p50, latency.p95, latency.ttft_p95, latency.ttft_p95_most,
           latency_token(&latency, served.tpot), latency.whole.mean, latency.first.mean,
           latency.turns_share, latency.slot_chance, latency.slot_seconds, job->shape.max_tokens);
    print_steps(inference, most);
    print_prompts(inference);
    printf("}\n");
    return true;
}

/* A replica with a load that it carries; false where the model does not fit. */
static bool print(const struct serving_request *request, const struct names *names)
{
    const struct inference_job *job = &request->job;
    struct inference inference = inference_of(request->constants, job);
    struct serving_design design = {
        .tensor = job->tensor, .pipeline = job->pipeline, .attention_data = job->attention_data};
    struct serving_replica replica;

    serving_replica_of(&inference, &design, &replica);
    if (!replica.fits)
        return false;
    serving_replica_limit(request, &replica);
    serving_replica_size(&replica);
    double rate = replica.rate_within * (0.02 + 0.97 * uniform());
    return print_replica(&inference, names, rate, replica.rate_within);
}

/* A replica of the design that is chosen for 0.05 to 50 requests a second, with room as services
 * have it: without a limit, or with a limit on whole requests or on first tokens, of 1.3 to 10
 * times what 8 GPUs take for a request alone. False if there is none. */
static bool print_chosen(struct serving_request *request, const struct names *names)
{
    static const double multiples[] = {1.3, 2, 3, 5, 10};
    static const double room = 0.7; /* assumption peak_load_ratio_max */
    const double open = (double)NAN;
    struct serving_design eight = {.tensor = 8, .pipeline = 1, .attention_data = 1};
    struct serving_replica replica;
    struct serving_plan plan;
    double per_minute = 60 * 0.05 * pow(1000, uniform()), multiple = multiples[draw(5)];
    int limit = draw(3);

    request->job.attention_data = 1;
    serving_set_load(request, open, open, per_minute, open);
    request->peak_load_most = room;
    struct inference inference = inference_of(request->constants, &request->job);
    serving_replica_of(&inference, &eight, &replica);
    if (!replica.fits)
        return false;
    struct latency alone = latency_tails(&replica.inference, 0, (double)INFINITY);
    if (limit == 1)
        request->limits.latency_p95_seconds = multiple * alone.p95;
    if (limit == 2)
        request->limits.ttft_seconds = multiple * alone.ttft_p95;
    if (!serving_search(request, &plan) || plan.design.pipeline > 1)
        return false; /* batching.c simulates one stage, inference_stages_test.c several */
    return print_replica(&plan.inference, names, plan.requests_per_second / plan.design.replicas,
                         serving_rate_full(&plan.inference));
}

int main(int argc, char **argv)
{
    struct catalog *catalog = fixture_catalog();
    struct inference_constants constants;
    struct err err = {0};
    struct names names;

    const char *which = argc == 4 ? argv[3] : "";
    bool chosen = strcmp(which, "chosen") == 0;
    prompts_alone = strcmp(which, "prompts") == 0;
    routed = strcmp(which, "routed") == 0;
    if (argc != 3 && !chosen && !prompts_alone && !routed)
        return 64;
    state = strtoull(argv[2], NULL, 10);
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    for (long n = strtol(argv[1], NULL, 10); n > 0;) {
        struct serving_request request = random_request(catalog, &constants, &names);
        n -= chosen ? print_chosen(&request, &names) : print(&request, &names);
    }
    catalog_free(catalog);
    return 0;
}

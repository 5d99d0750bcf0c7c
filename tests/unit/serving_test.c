/* Loads, limits and the search: against arithmetic by hand and against trying everything. */
#include "estimate/inference/serving/rules.h"
#include "estimate/inference/serving/serving.h"
#include "estimate/inference/serving/line_items.h"
#include "estimate/inference/serving/disaggregation.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/search.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <stdlib.h>

static struct catalog *catalog;
static struct inference_constants constants;
static const double OPEN = (double)NAN;

static struct serving_request request_of(const char *model, const char *gpu, enum number weights)
{
    return fixture_serving(catalog, &constants, model, gpu, weights);
}

static void poisson(void)
{
    size_t good = 0, n = 0;

    is_near(queue_poisson_below(0, 2), 0.1353352832366127, 1e-12, "P(X <= 0) at mean 2");
    is_near(queue_poisson_below(3, 2), 0.857123460498547, 1e-12, "P(X <= 3) at mean 2");
    is_near(queue_poisson_below(1000, 1000), 0.508409366573, 1e-9, "P(X <= 1000) at mean 1000");
    ok(queue_poisson_quantile(0.95, 1000.0 / 60 * 5) == 99,
       "83.3 on average: 99 at most, 95%% of the time");
    double low, high;
    for (double k = 16; k < 1e5; k = floor(k * 1.1), n++) {
        double mean = queue_poisson_mean(0.95, k);
        queue_poisson_mean_within(k, &low, &high);
        good += low <= mean && mean <= high;
    }
    ok(good == n, "the mean is within its bounds, for all %zu", n);
    good = n = 0;
    for (double k = 0; k <= 2048; k = k < 8 ? k + 1 : floor(k * 1.7)) {
        double mean = queue_poisson_mean(0.95, k);
        n++;
        good += queue_poisson_quantile(0.95, mean * (1 - 1e-9)) == k &&
                queue_poisson_quantile(0.95, mean * (1 + 1e-6)) == k + 1;
    }
    ok(good == n, "the mean for a quantile is where the quantile steps, for all %zu", n);
}

static void little(void)
{
    struct serving_request request = request_of("llama-3.1-8b", "h100-sxm5-80gb", NUMBER_BF16);
    struct inference_job job = request.job;

    job.tensor = job.pipeline = 1;
    struct inference inference = inference_of(&constants, &job);
    double batch = queue_batch(&inference, 5, 500);
    is_near(batch / inference_serve(&inference, batch).request_seconds, 5, 1e-6,
            "what is in flight over what it takes is what arrives");
    ok(isnan(queue_batch(&inference, 1e4, 500)), "no batch keeps up with too much");
    is_near(queue_batch(&inference, 1e-5, 500) / (1e-5 * serving_lone(&inference).request_seconds),
            1, 1e-6, "a rare request is served alone");
    serving_set_load(&request, OPEN, OPEN, 60, OPEN);
    ok(request.job.open_arrivals, "requests a minute come at random");
    serving_set_load(&request, OPEN, 8, OPEN, OPEN);
    ok(!request.job.open_arrivals, "those of a fixed number of clients started together");
}

/* Two A100 for 70B in 16 bit at 1000 requests a minute, 512 in, 200 out, within 5 s. */
static void interview(void)
{
    struct serving_request request = request_of("llama-2-70b", "a100-sxm4-80gb", NUMBER_FP16);
    struct serving_plan naive, met, one_less;

    request.limits.latency_p95_seconds = 5;
    request.pinned.gpu_count = 2;
    request.job.gpus_per_node = 2;
    ok(!serving_search(&request, &naive) && serving_is_stated(&request.pinned),
       "the naive design does not do");
    ok(naive.fits && naive.design.tensor == 2 && naive.design.replicas == 1, "it fits on both");
    ok(!naive.meets_limits && !naive.meets_load && naive.binding == SERVING_LATENCY,
       "neither limit nor load is kept, and latency is named");
    /* Reading 137.4e9 bytes over two cards at 83 % of 2039 GB/s takes 40.6 ms a token, and more. */
    ok(naive.gap.available > 200 * 0.0406 && naive.gap.available < 200 * 0.0406 * 1.25,
       "a single request takes %.2f s", naive.gap.available);
    ok(serving_search_free(&request, &met), "with free choice there is a design");
    ok(met.fits && met.meets_load && met.meets_limits && met.latency_p95.middle <= 5,
       "%.0f x %.0f GPUs within %.2f s", met.design.replicas, met.design.tensor,
       met.latency_p95.middle);
    struct serving_design design = met.design;
    design.replicas--;
    request.job.gpus_per_node = 8;
    serving_evaluate(&request, &design, &one_less);
    ok(!one_less.meets_limits || !one_less.meets_load, "one replica less does not do");
}

/* Fewest GPUs of all splits of a node and all numbers of replicas, by trying them. */
static double fewest_by_trying(const struct serving_request *request)
{
    double best = (double)INFINITY;

    for (double t = 1; t <= 8; t *= 2)
        for (double p = 1; p * t <= 8; p *= 2)
            for (double r = 1; r * p * t < best && r * p * t <= 512; r++) {
                struct serving_design design = {t, p, r, OPEN, OPEN, 1, 0};
                struct serving_plan plan;
                bool wider = t < 8 && serving_divides_heads(&request->job, 2 * t);
                if (!serving_divides_heads(&request->job, t) || (p > 1 && wider))
                    continue;
                serving_evaluate(request, &design, &plan);
                if (plan.fits && plan.meets_load && plan.meets_limits)
                    best = r * p * t;
            }
    return best;
}

static void search_against_trying(void)
{
    static const char *const models[] = {"llama-3.1-8b",     "llama-2-70b",     "mixtral-8x7b-v0.1",
                                         "deepseek-v2-lite", "mistral-7b-v0.1", "qwen2.5-7b"};
    static const char *const gpus[] = {"h100-sxm5-80gb", "a100-sxm4-80gb", "l40s", "rtx-4090"};
    static const double limits[] = {(double)NAN, 20, 4};
    size_t same = 0, n = 0, solved = 0;

    for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++)
        for (size_t g = 0; g < sizeof(gpus) / sizeof(gpus[0]); g++)
            for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
                struct serving_request request = request_of(models[m], gpus[g], NUMBER_FP8);
                struct serving_plan plan;
                request.limits.latency_p95_seconds = limits[l];
                request.pinned.attention_data = 1;
                bool found = serving_search_free(&request, &plan);
                double best = fewest_by_trying(&request);
                bool agree = found ? plan.design.gpu_count == best : isinf(best);
                if (!agree)
                    printf("# %s on %s within %g: %g, by trying %g\n", models[m], gpus[g],
                           limits[l], found ? plan.design.gpu_count : OPEN, best);
                same += agree;
                solved += found;
                n++;
            }
    ok(same == n, "the search finds as few GPUs as trying everything, %zu of %zu", same, n);
    ok(solved > n / 2 && solved < n, "some questions have no answer, most do");
}

/* A number below n (Knuth's MMIX generator). */
static int draw(unsigned n)
{
    static unsigned long long seed = 20261122;

    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((seed >> 33) % n);
}

/* Some request for a random model, GPU, load and way of serving. */
static struct serving_request random_request(void)
{
    static const char *const models[] = {"llama-3.1-8b", "llama-2-70b", "mixtral-8x7b-v0.1",
                                         "deepseek-v2-lite", "llama-3.1-70b"};
    static const char *const gpus[] = {"h100-sxm5-80gb", "a100-sxm4-80gb", "l40s", "rtx-4090"};
    struct serving_request request =
        request_of(models[draw(5)], gpus[draw(4)], draw(2) ? NUMBER_FP8 : NUMBER_BF16);

    request.job.input_tokens = 1 + draw(draw(2) ? 500 : 8000);
    request.job.output_tokens = 1 + draw(draw(2) ? 30 : 1000);
    request.job.static_batching = draw(5) == 0;
    request.job.separate_prefill = !request.job.static_batching && draw(4) == 0;
    request.job.speculation = (struct speculation){draw(3), 0.7, 0.1};
    request.spare_replicas = draw(3);
    if (request.job.shape.moe && draw(3) == 0)
        request.pinned.attention_data = 2;
    if (draw(3) == 0)
        request.limits.latency_p95_seconds = 1 + draw(60);
    if (draw(4) == 0)
        request.pinned.tensor = 1 << draw(4);
    if (draw(5) == 0)
        request.pinned.replicas = 1 + draw(4);
    else if (draw(5) == 0)
        request.pinned.gpu_count = 4 << draw(4);
    if (draw(5) == 0)
        serving_set_load(&request, 1 + draw(50), OPEN, OPEN, OPEN);
    else if (draw(4) == 0)
        serving_set_load(&request, OPEN, 1 + draw(2000), OPEN, OPEN);
    else
        serving_set_load(&request, OPEN, OPEN, 1 + draw(5000), OPEN);
    return request;
}

/* A split with as many replicas as the load needs, by every step there is. */
static bool plan_of(const struct serving_request *request, const struct inference *unsplit,
                    const struct serving_split *split, double pipeline, struct serving_plan *plan)
{
    struct serving_design design = {
        .tensor = split->tensor, .attention_data = split->attention_data, .pipeline = pipeline};
    struct serving_replica replica;

    serving_replica_of(unsplit, &design, &replica);
    serving_replica_limit(request, &replica);
    serving_replica_size(&replica);
    serving_replica_finish(&replica);
    design.replicas = serving_replicas(request, &replica);
    bool possible = serving_set_prefill(request, &replica, &design);
    serving_evaluate_with(request, &replica, &design, plan);
    plan->fits &= possible;
    return replica.fits;
}

/* Attention over several GPUs, groups of them that attend on their own, and servers; of as many
 * stages. */
static int dimensions(const struct serving_plan *plan)
{
    const struct serving_design *design = &plan->design;
    const struct inference_job *job = &plan->inference.job;
    bool linked = isfinite(job->gpu->link_rate) && !gpu_has_bridge(job->gpu);
    double within = fmax(job->gpus_per_node, linked ? job->gpu->scale_up_domain : 1);

    return (design->tensor > fmax(1, design->attention_data)) + (design->attention_data > 1) +
           (design->tensor * design->pipeline > within);
}

static bool goes_before(const struct serving_plan *a, const struct serving_plan *b)
{
    if (a->design.gpu_count != b->design.gpu_count)
        return a->design.gpu_count < b->design.gpu_count;
    if (a->design.pipeline != b->design.pipeline)
        return a->design.pipeline < b->design.pipeline;
    if (dimensions(a) != dimensions(b))
        return dimensions(a) < dimensions(b);
    return a->kept.latency < b->kept.latency;
}

static bool best_by_trying(const struct serving_request *request, struct serving_plan *best)
{
    struct inference unsplit = inference_unsharded(request->constants, &request->job);
    struct serving_split splits[SERVING_SPLITS_MAX];
    double node = request->job.gpus_per_node;
    struct serving_plan plan;
    bool found = false;

    for (size_t i = 0, n = serving_splits(request, splits); i < n; i++) {
        bool fitted = false;
        for (double p = 1, t = splits[i].tensor; p <= request->job.shape.layers; p++) {
            if (!serving_suits_nodes(request, t, p) || (t * p > node && fitted))
                continue;
            fitted |= plan_of(request, &unsplit, &splits[i], p, &plan);
            if (serving_meets(&plan) && (!found || goes_before(&plan, best)))
                *best = plan;
            found |= serving_meets(&plan);
        }
    }
    return found;
}

static void search_against_all(void)
{
    enum { REQUESTS = 1000 };
    struct serving_plan plan, best = {.fits = false};
    size_t same = 0, found = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = random_request();
        bool do_find = serving_search(&request, &plan), would = best_by_trying(&request, &best);
        const struct serving_design *a = &plan.design, *b = &best.design;
        same += do_find == would &&
                (!would || (a->tensor == b->tensor && a->pipeline == b->pipeline &&
                            a->attention_data == b->attention_data && a->replicas == b->replicas &&
                            a->gpu_count == b->gpu_count));
        found += do_find;
    }
    ok(same == REQUESTS, "the design is the best of all that are tried, %zu of %d", same, REQUESTS);
    ok(found > REQUESTS / 2 && found < REQUESTS, "and there is one for %zu", found);
}

/* The rates that a search passes designs over for. */
static void rate_bound(void)
{
    enum { REQUESTS = 500 };
    size_t good = 0, near = 0, n = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = random_request();
        struct inference unsplit = inference_unsharded(&constants, &request.job);
        struct serving_replica replica;
        struct serving_design design = {.tensor = 2 << draw(3), .pipeline = 1 << draw(3)};
        design.attention_data = fmin(request.pinned.attention_data, design.tensor);
        serving_replica_of(&unsplit, &design, &replica);
        for (double most = replica.batch_within; replica.fits && most >= 1;
             most = floor(most / 3)) {
            double bound = serving_rate_most(&replica.inference, most);
            for (double batch = most; batch >= 1; batch = batch * 0.8 - 0.1, n++)
                good += queue_rate(&replica.inference, batch) <= bound;
            near += queue_rate(&replica.inference, most) > bound / 2;
        }
    }
    ok(good == n && n > REQUESTS, "no batch is answered faster than the bound, %zu of %zu", good,
       n);
    ok(near > 0, "which is within a factor of two %zu times", near);
}

static void orders(void)
{
    struct serving_request request = request_of("llama-3.1-70b", "h100-sxm5-80gb", NUMBER_FP8);
    struct serving_plan plan;
    double last = 0, tightest = 0;
    bool more = true, tighter = true;

    for (double rate = 10; rate < 1e5; rate *= 3) {
        serving_set_load(&request, OPEN, OPEN, rate, OPEN);
        more &= serving_search_free(&request, &plan) && plan.design.gpu_count >= last;
        last = plan.design.gpu_count;
    }
    ok(more, "more requests never take fewer GPUs");
    serving_set_load(&request, OPEN, OPEN, 1000, OPEN);
    for (double limit = 60; limit > 4; limit *= 0.8) {
        request.limits.latency_p95_seconds = limit;
        tighter &= serving_search_free(&request, &plan) && plan.design.gpu_count >= tightest;
        tightest = plan.design.gpu_count;
    }
    ok(tighter, "a tighter limit never takes fewer GPUs");
    request.peak_ratio = 3;
    ok(serving_search_free(&request, &plan) && plan.design.gpu_count >= tightest,
       "nor does a higher peak");
    ok(plan.utilization < 0.4, "and the mean load then fills less of it: %.2f", plan.utilization);
}

static void memory(void)
{
    struct serving_request request = request_of("llama-2-70b", "rtx-4090", NUMBER_FP16);
    struct serving_plan plan;
    struct serving_design one = {1, 1, 1, OPEN, OPEN, 1, 0};

    serving_set_load(&request, OPEN, OPEN, OPEN, OPEN);
    ok(!request.load_stated && request.amount == 1, "no load stated: one request");
    serving_evaluate(&request, &one, &plan);
    ok(!plan.fits && plan.binding == SERVING_WEIGHTS, "140 GB do not fit on 24");
    /* Weights without norms, reserve, and 712 tokens of cache over 0.9. */
    double needed = 68975329280.0 * 2 + 1.5e9 + 712 * 327680 / 0.9;
    is_near(plan.memory_needed_bytes / needed, 1, 1e-6, "needed: %.1f GiB", needed / 1073741824);
    is_near(plan.memory_shortfall_bytes, needed - 25757220864.0, 1e-6, "and by how much not");
    ok(isnan(plan.tpot.middle) && isnan(plan.output_tokens_per_second.middle) &&
           isnan(plan.utilization),
       "what does not run has no times");
    request.job.gpu = catalog_gpu(catalog, "h100-sxm5-80gb");
    request.job.input_tokens = 3840;
    request.job.output_tokens = 256;
    serving_set_load(&request, 8, OPEN, OPEN, OPEN);
    serving_evaluate(&request, &(struct serving_design){2, 1, 1, OPEN, OPEN, 1, 0}, &plan);
    is_near(plan.sized_requests * plan.inference.pool.bytes_per_request * 2, 10.7374e9, 1e-5,
            "8 x 4096 tokens: 10.74 GB of cache");
    ok(plan.fits && plan.meets_load, "which two H100 hold in addition to the weights");
    serving_set_load(&request, 32, OPEN, OPEN, OPEN);
    serving_evaluate(&request, &(struct serving_design){2, 1, 1, OPEN, OPEN, 1, 0}, &plan);
    ok(plan.fits && !plan.meets_load && plan.binding == SERVING_CACHE &&
           plan.memory_shortfall_bytes > 0,
       "but not that of 32");
}

static void static_batches(void)
{
    struct serving_request request = request_of("llama-3.1-8b", "h100-sxm5-80gb", NUMBER_BF16);
    struct serving_design one = {1, 1, 1, OPEN, OPEN, 1, 0};
    struct serving_plan plan;

    request.job.static_batching = true;
    serving_set_load(&request, 16, OPEN, OPEN, OPEN);
    serving_evaluate(&request, &one, &plan);
    const struct inference *inference = &plan.inference;
    is_near(plan.ttft.middle / (16 * inference->prefill.marginal + inference->prefill.fixed), 1,
            1e-12, "static: the first token waits for all prompts");
    is_near(plan.tpot.middle / inference_step(inference, 16, 612).total, 1, 1e-12,
            "and no prompt interferes");
    double u = constants.interval[INTERVAL_STATIC];
    is_near(plan.tpot.high / plan.tpot.middle, u * u, 1e-9,
            "the factor, squared without an engine");
    serving_set_load(&request, 1e5, OPEN, OPEN, OPEN);
    serving_evaluate(&request, &one, &plan);
    ok(plan.mean.batch == inference->pool.held && !plan.meets_load,
       "above the pool it is served at what the pool holds");
}

static void costs(void)
{
    struct serving_request request = request_of("llama-3.1-8b", "h100-sxm5-80gb", NUMBER_BF16);
    struct line_items lines;
    struct serving_plan plan;
    double memory_sum = 0, time_sum = 0, cost_sum = 0;

    ok(serving_search_free(&request, &plan), "a design for 1000 requests a minute");
    struct serving_cost cost = serving_cost(&request, &plan, 2.5);
    double hourly = plan.design.gpu_count * 2.5;
    is_near(cost.per_hour, hourly, 1e-12, "per hour");
    is_near(cost.per_month, hourly * 730, 1e-12, "per month of 730 h");
    is_near(cost.per_million_output_tokens, hourly / (1000 * 60 * 200.0) * 1e6, 1e-9,
            "over the tokens of the load");
    is_near(cost.per_million_tokens, hourly / (1000 * 60 * 712.0) * 1e6, 1e-9, "prompts counted");
    ok(cost.per_million_output_tokens_saturated < cost.per_million_output_tokens,
       "a full design is cheaper by the token");
    serving_lines(&plan, 2.5, &lines);
    for (size_t i = 0; i < lines.n; i++) {
        memory_sum += lines.at[i].group[0] == 'm' ? lines.at[i].value : 0;
        time_sum += lines.at[i].group[0] == 't' ? lines.at[i].value : 0;
        cost_sum += lines.at[i].group[0] == 'c' ? lines.at[i].amount : 0;
    }
    is_near(memory_sum * 1073741824 / plan.inference.pool.capacity, 1, 1e-9, "memory lines add up");
    is_near(time_sum / plan.tpot.middle, 1, 1e-9, "time lines add up");
    is_near(cost_sum, hourly, 0.005, "and so does the bill");
    request.load_stated = false;
    cost = serving_cost(&request, &plan, 2.5);
    is_near(cost.per_million_output_tokens, cost.per_million_output_tokens_saturated, 1e-12,
            "without a load: what it can write");
}

static void degrees(void)
{
    struct serving_request request = request_of("llama-2-70b", "h100-sxm5-80gb", NUMBER_FP8);
    struct err err = {0};

    ok(serving_check(&request, &err), "nothing pinned, nothing wrong");
    request.pinned = (struct serving_design){3, 100, 2, 7, OPEN, OPEN, 0};
    request.expert_parallel = 2;
    ok(!serving_check(&request, &err) && err.n_culprits == 4, "each culprit is named: %zu",
       err.n_culprits);
    is_str(err.culprits[0].field, "tensor_parallel", "heads");
    is_str(err.culprits[1].field, "expert_parallel", "no experts");
    is_str(err.culprits[2].field, "gpu_count", "the product");
    is_str(err.culprits[3].field, "pipeline_parallel", "layers");
    request.expert_parallel = OPEN;
    request.pinned = (struct serving_design){16, OPEN, OPEN, OPEN, OPEN, OPEN, 0};
    err = (struct err){0};
    ok(!serving_check(&request, &err), "all-reduces stay in a node");
    request.pinned.tensor = 2;
    err = (struct err){0};
    request.job.engine = ENGINE_LLAMA_CPP;
    ok(!serving_check(&request, &err), "llama.cpp splits by layers");
    request.pinned.tensor = OPEN;
    struct serving_plan plan;
    request.job.weight_format = NUMBER_FP16;
    ok(serving_search_free(&request, &plan) && plan.design.tensor == 1 && plan.design.pipeline > 1,
       "and gets stages");
}

static double rule(const struct rules *rules, const char *key)
{
    for (size_t i = 0; i < rules->n; i++)
        if (strcmp(rules->at[i].key, key) == 0)
            return rules->at[i].value;
    printf("# no rule %s\n", key);
    return (double)NAN;
}

static void rules_of_thumb(void)
{
    struct serving_request request = request_of("llama-2-70b", "rtx-4090", NUMBER_FP16);
    struct inference_rule_inputs inputs = {1, OPEN, 400, 8000, 40000 / 26280.0 / 8};
    struct rules rules = {0};
    struct serving_plan plan;

    request.job.shape.params_active = request.job.shape.params_total = 70e9;
    request.peak_ratio = 1.2;
    request.limits.latency_p95_seconds = 5;
    serving_evaluate(&request, &(struct serving_design){8, 1, 1, 8, OPEN, 1, 0}, &plan);
    inference_rules(&request, &plan, &inputs, &rules);
    is_near(rule(&rules, "tokens_per_second_tensor_parallel"), 45.12, 2e-4, "8 RTX 4090");
    is_near(rule(&rules, "cost_per_million_tokens_tensor_parallel"), 9.37, 1e-3,
            "40,000 USD over three years at 45.12 tokens/s");
    is_near(rule(&rules, "weights_gb"), 140, 1e-9, "70B in 16 bit");
    is_near(rule(&rules, "output_tokens_per_second_needed_at_peak"), 4000, 1e-9, "needed");
    is_near(rule(&rules, "replicas_for_throughput"), 10, 1e-9, "replicas of 400 tokens/s");
    is_near(rule(&rules, "concurrency_little"), 250 / 3.0, 1e-9, "in flight");
    is_near(rule(&rules, "kv_cache_bytes_per_token_mha"), 2621440, 1e-9, "every head its own");
    ok(rules.n <= RULES_MAX, "%zu rules", rules.n);
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    poisson();
    little();
    interview();
    search_against_trying();
    search_against_all();
    rate_bound();
    orders();
    memory();
    static_batches();
    costs();
    degrees();
    rules_of_thumb();
    catalog_free(catalog);
    return tap_done();
}

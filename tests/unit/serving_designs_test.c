/* The search of designs against every legal design, and what looser limits must never cost. */
#include "estimate/inference/serving/design_cache.h"
#include "estimate/inference/serving/options.h"

#include "every_design.h"
#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

static struct catalog *catalog;
static struct inference_constants constants;
static const double OPEN = (double)NAN;

/* A plain build asks every question. With a sanitizer, where one takes twice as long, a tenth of
 * them is asked: it looks for faults of memory, and other designs are found by the plain build. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SHARE = 10 };
#else
enum { SHARE = 1 };
#endif

static void search_against_all(void)
{
    enum { REQUESTS = 4000 / SHARE };
    const double most = 400;
    size_t same = 0, found = 0, grouped = 0, passes = 0, apart = 0, tried = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = fixture_spread_request(catalog, &constants, i);
        struct serving_plan plan;
        bool meets = serving_search(&request, &plan) && plan.design.gpu_count <= most;
        double best = every_design_fewest(&request, meets ? plan.design.gpu_count : most, &tried);
        same += meets ? plan.design.gpu_count == best : best > most;
        found += meets;
        grouped += meets && plan.design.attention_data > 1;
        passes += meets && plan.design.pass_tokens > 0;
        apart += meets && plan.design.prefill_replicas > 0;
    }
    ok(same == REQUESTS, "no legal design has fewer GPUs, %zu of %d requests, %zu designs tried",
       same, REQUESTS, tried);
    ok(found > REQUESTS / 4 && grouped > REQUESTS / 400, "%zu have a design, %zu with groups",
       found, grouped);
    ok(passes > REQUESTS / 200 && apart > REQUESTS / 200, "%zu with other passes, %zu read apart",
       passes, apart);
}

/* Pools of replicas for a fixed number of clients: what one kind does changes how busy the other
 * is. */
static void loops_against_all(void)
{
    enum { REQUESTS = 300 / SHARE };
    const double most = 120;
    size_t same = 0, found = 0, several = 0, tried = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = fixture_spread_request(catalog, &constants, i);
        struct serving_plan plan;
        request.job.separate_prefill = true;
        request.limits.latency_p95_seconds *= 2;
        request.limits.ttft_seconds *= 2;
        serving_set_load(&request, OPEN, ceil(fixture_spread(4, 100)), OPEN, OPEN);
        bool meets = serving_search(&request, &plan) && plan.design.gpu_count <= most;
        double best = every_design_fewest(&request, meets ? plan.design.gpu_count : most, &tried);
        same += meets ? plan.design.gpu_count == best : best > most;
        found += meets;
        several += meets && plan.design.replicas > 1 && plan.design.prefill_replicas > 1;
    }
    ok(same == REQUESTS,
       "closed loops with pools: no legal design has fewer GPUs, %zu of %d, %zu "
       "tried",
       same, REQUESTS, tried);
    ok(found > REQUESTS / 4 && several > REQUESTS / 100, "%zu have a design, %zu several of each",
       found, several);
}

/* ---- what arithmetic, memory and links can do at most */

/* FLOP of a request: products and attention of the prompt, and of each token that is written. */
static double request_flop(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *s = &job->shape;
    double prompt = job->input_tokens, written = job->output_tokens - 1;
    double decode = s->heads * s->decode_head_work * inference_context(job) * s->layers;

    return 2 * inference->body_weights * prompt +
           2 * written * (inference->active_weights + decode);
}

/* Bytes of the cache that a request has read, each once. */
static double request_bytes(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return (job->output_tokens - 1) *
           memory_kv_bytes_per_request(&job->shape, inference->kv_bytes, inference_context(job));
}

/* Bytes that one GPU sends for a request in all-reduces of its prompt and answer. */
static double request_sent(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double t = inference->attention_gpus, tokens = job->input_tokens + job->output_tokens - 1;

    return inference->all_reduces / job->pipeline * 2 * (t - 1) / t * tokens / job->attention_data *
           job->shape.hidden * 2;
}

static bool within_physics(const struct serving_plan *plan)
{
    const struct inference *inference = &plan->inference;
    const struct inference_job *job = &inference->job;
    const struct serving_design *design = &plan->design;
    double gpus = design->gpu_count, each = design->replicas + design->prefill_replicas;
    double rates[] = {plan->capacity_requests_per_second, plan->limited_requests_per_second,
                      plan->offline_tokens_per_second.middle / job->output_tokens,
                      plan->requests_per_second};
    bool good = true;

    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        good &= rates[i] * request_flop(inference) <= gpus * inference->peak &&
                rates[i] * request_bytes(inference) <= gpus * job->gpu->memory_bandwidth &&
                rates[i] / each * request_sent(inference) <= inference->link_rate;
    return good && plan->output_tokens_per_second.middle <=
                       plan->offline_tokens_per_second.middle * (1 + 1e-9);
}

/* Prompts alone too, as embeddings, rerankers and classifiers have them: one token each. */
static void physics(void)
{
    enum { REQUESTS = 20000 / SHARE };
    size_t good = 0, n = 0, alone = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = fixture_random_request(catalog, &constants);
        struct serving_plan plan;
        if (fixture_draw(3) == 0)
            request.job.output_tokens = 1 + (double)fixture_draw(2);
        request.job.engine = (enum engine)fixture_draw(ENGINE_COUNT);
        serving_search(&request, &plan);
        if (!plan.fits || isnan(plan.tpot.middle))
            continue;
        bool possible = within_physics(&plan);
        if (!possible)
            printf("# %s: %g GPUs, %g requests/s of %g + %g tokens\n", request.job.gpu->slug,
                   plan.design.gpu_count, plan.capacity_requests_per_second,
                   request.job.input_tokens, request.job.output_tokens);
        good += possible;
        alone += request.job.output_tokens == 1;
        n++;
    }
    ok(good == n, "%zu of %zu designs compute, read and send no more than their GPUs can", good, n);
    ok(n > REQUESTS / 2 && alone > REQUESTS / 20, "%zu of them for prompts alone", alone);
}

/* ---- what must never cost more */

static struct serving_request easier(const struct serving_request *request, size_t how)
{
    struct serving_request easy = *request;

    if (how == 0)
        easy.amount /= 1.5;
    else if (how == 1)
        easy.limits.latency_p95_seconds *= 1.3;
    else if (how == 2)
        easy.limits.ttft_seconds *= 1.3;
    else if (how == 3)
        easy.limits.user_tokens_per_second /= 1.3;
    else
        easy.limits = (struct serving_limits){OPEN, OPEN, OPEN};
    return easy;
}

static void looser_never_costs_more(void)
{
    enum { REQUESTS = 4000 / SHARE, WAYS = 5 };
    size_t good = 0, n = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = fixture_spread_request(catalog, &constants, i);
        double gpus = fixture_fewest(&request);
        for (size_t how = 0; how < WAYS; how++, n++) {
            struct serving_request easy = easier(&request, how);
            good += fixture_fewest(&easy) <= gpus;
        }
    }
    ok(good == n, "fewer requests and looser limits never take more GPUs, %zu of %zu", good, n);
}

/* A router sends each request to the replica with the fewest: what one of them carries depends on
 * how many there are. Of half the requests nothing is written. */
static void routed_against_all(void)
{
    enum { REQUESTS = 600 / SHARE, WAYS = 3 };
    const double most = 400;
    size_t same = 0, found = 0, fewer = 0, more = 0, no_worse = 0, tried = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = fixture_spread_request(catalog, &constants, i);
        struct serving_plan plan;
        bool alone = i % 2;
        if (alone) {
            request.job.output_tokens = 1;
            request.job.output_cv = 0;
        }
        request.job.least_requests = true;
        request.amount *= alone ? 20 : 3;
        bool meets = serving_search(&request, &plan) && plan.design.gpu_count <= most;
        double best = every_design_fewest(&request, meets ? plan.design.gpu_count : most, &tried),
               gpus = fixture_fewest(&request);
        same += meets ? plan.design.gpu_count == best : best > most;
        found += meets && plan.design.replicas > 1;
        if (meets != (best <= most) || (meets && plan.design.gpu_count != best))
            printf("# %zu %s: %g GPUs, TP%g x PP%g x %g, of all designs %g\n", i,
                   request.job.gpu->slug, plan.design.gpu_count, plan.design.tensor,
                   plan.design.pipeline, plan.design.replicas, best);
        for (size_t how = 0; how < WAYS; how++) {
            struct serving_request easy = easier(&request, how);
            no_worse += fixture_fewest(&easy) <= gpus;
        }
        request.job.least_requests = false;
        double at_random = fixture_fewest(&request);
        fewer += gpus < at_random;
        more += gpus > at_random;
    }
    ok(same == REQUESTS, "routed: no legal design has fewer GPUs, %zu of %d, %zu tried", same,
       REQUESTS, tried);
    ok(found > REQUESTS / 10, "%zu have several replicas", found);
    ok(no_worse == (size_t)REQUESTS * WAYS, "fewer requests and looser limits take no more, %zu",
       no_worse);
    ok(more == 0 && fewer > REQUESTS / 50, "a router saves GPUs for %zu, costs some for %zu", fewer,
       more);
}

/* Whether a search at that load finds the same with what earlier ones sized. */
static bool cached_alike(struct serving_request *request, double requests_per_minute,
                         struct design_cache *cache)
{
    struct serving_plan plain, kept;

    serving_set_load(request, OPEN, OPEN, requests_per_minute, OPEN);
    request->cache = NULL;
    bool met = serving_search(request, &plain);
    request->cache = cache;
    return serving_search(request, &kept) == met &&
           memcmp(&kept.design, &plain.design, sizeof(plain.design)) == 0 &&
           (kept.utilization == plain.utilization ||
            (isnan(kept.utilization) && isnan(plain.utilization)));
}

/* Loads up and down, as a bisection has them. */
static void cache_finds_the_same(void)
{
    enum { REQUESTS = 150 / SHARE, LOADS = 40 };
    struct arena arena = {0};
    size_t good = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = fixture_spread_request(catalog, &constants, i);
        struct design_cache *cache = design_cache_new(&arena);
        for (size_t j = 0; j < LOADS; j++)
            good += cached_alike(&request, fixture_spread(1, 1e4) * (1 + 0.01 * (double)j), cache);
        arena_free(&arena);
    }
    ok(good == (size_t)REQUESTS * LOADS,
       "what searches at other loads sized changes no design, %zu of %d", good, REQUESTS * LOADS);
}

/* Pairs of a list in which one takes and costs at least twice as much as the other, and its
 * requests take over 80 % of the other's time. */
static size_t absurd_pairs(const struct serving_options_part *part)
{
    size_t n = 0;

    for (size_t i = 0; i < part->n; i++)
        for (size_t j = 0; j < part->n; j++)
            n += part->at[i].cost.per_hour > 1.999 * part->at[j].cost.per_hour &&
                 part->at[i].seconds > 0.801 * part->at[j].seconds &&
                 part->at[j].meets_limits >= part->at[i].meets_limits;
    return n;
}

/* Whether one that meets the limits has no more GPUs. */
static bool lists(const struct serving_options_part *part, double gpu_count)
{
    bool listed = false;

    for (size_t i = 0; i < part->n; i++)
        listed |= part->at[i].meets_limits && part->at[i].design.gpu_count <= gpu_count;
    return listed;
}

/* Designs somebody would consider: nobody pays double for what is not noticed. */
static void nothing_absurd_is_listed(void)
{
    enum { REQUESTS = 1000 / SHARE };
    struct arena arena = {0};
    size_t absurd = 0, listed = 0, smallest = 0, found = 0;

    for (size_t i = 0; i < REQUESTS; i++) {
        struct serving_request request = fixture_spread_request(catalog, &constants, i);
        struct serving_candidate candidate = {.request = &request, .price_per_gpu_hour = 2};
        struct serving_options_part part;
        struct serving_plan plan;
        if (i % 2)
            request.limits = (struct serving_limits){OPEN, OPEN, OPEN};
        serving_options_of(&candidate, 0, &arena, &part);
        absurd += absurd_pairs(&part);
        listed += part.n;
        if (serving_search(&request, &plan)) {
            found++;
            smallest += lists(&part, plan.design.gpu_count);
        }
        arena_free(&arena);
    }
    ok(absurd == 0 && listed > REQUESTS,
       "no option costs twice another that is within a fifth of its time: %zu of %zu options",
       absurd, listed);
    ok(smallest == found && found > REQUESTS / 2,
       "none smaller than those listed is found, %zu of %zu", smallest, found);
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_draw_all();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    search_against_all();
    loops_against_all();
    physics();
    looser_never_costs_more();
    routed_against_all();
    cache_finds_the_same();
    nothing_absurd_is_listed();
    catalog_free(catalog);
    return tap_done();
}

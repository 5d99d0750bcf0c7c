#include "estimate/inference/serving/options.h"

#include "estimate/inference/serving/disaggregation.h"
#include "estimate/inference/serving/routing.h"
#include "estimate/inference/serving/search.h"
#include "estimate/ownership/owned.h"

#include <math.h>
#include <string.h>

enum { REPLICA_COUNTS_MAX = 5, ROOM_FIRST = 64, RENTS_KEPT = 16 };

/* The rent of n GPUs, of which `connected` must be connected. */
struct rent {
    double gpu_count, connected, price_per_gpu_hour;
    enum price_doubt doubt;
};

/* Results for one candidate. */
struct listing {
    struct rent rents[RENTS_KEPT];
    size_t n_rents;
    const struct serving_candidate *candidate;
    size_t index;
    bool limited;
    struct serving_request unlimited; /* the same load without limits */
    struct inference unsplit;
    struct arena *arena;
    struct serving_options_part *part;
    size_t room;
};

static struct serving_option *new_option(struct listing *listing)
{
    struct serving_options_part *part = listing->part;

    if (part->n == listing->room) {
        size_t room = listing->room ? 2 * listing->room : ROOM_FIRST;
        struct serving_option *more = arena_room(listing->arena, room * sizeof(*more));
        if (part->n)
            memcpy(more, part->at, part->n * sizeof(*more));
        part->at = more;
        listing->room = room;
    }
    return &part->at[part->n++];
}

/* Cached, since many designs have the same number of GPUs. */
static struct rent rent_of(struct listing *listing, const struct serving_design *design)
{
    double gpus = design->gpu_count, connected = serving_connected(design);

    for (size_t i = 0; i < RENTS_KEPT; i++)
        if (listing->rents[i].gpu_count == gpus && listing->rents[i].connected == connected)
            return listing->rents[i];
    struct price_summary price =
        price_match_summary(listing->candidate->request->book, gpus, connected);
    struct rent *oldest = &listing->rents[listing->n_rents++ % RENTS_KEPT];
    *oldest = (struct rent){gpus, connected, price.per_gpu_hour, price_doubt(&price)};
    return *oldest;
}

static void set_price(struct listing *listing, const struct serving_plan *plan,
                      struct serving_option *option)
{
    const struct serving_candidate *candidate = listing->candidate;
    struct err err = {0};

    option->price_per_gpu_hour = candidate->price_per_gpu_hour;
    option->confirmed = true;
    if (!isnan(candidate->price_per_gpu_hour))
        return;
    if (candidate->request->book) {
        struct rent rent = rent_of(listing, &plan->design);
        option->price_per_gpu_hour = rent.price_per_gpu_hour;
        option->confirmed = !rent.doubt;
        option->one_provider = rent.doubt == PRICE_ONE_PROVIDER;
    } else if (!candidate->catalog ||
               !serving_owned_price(candidate->request, plan, candidate->catalog, candidate->as_of,
                                    &option->price_per_gpu_hour, &err)) {
        option->price_per_gpu_hour = (double)NAN;
    }
}

static void add(struct listing *listing, const struct serving_plan *plan)
{
    struct serving_option *option = new_option(listing);
    const struct inference *inference = &plan->inference;
    const struct serving_request *request = listing->candidate->request;
    double peak = request->load == SERVING_RATE ? plan->utilization * request->peak_ratio : 0;

    *option = (struct serving_option){
        .candidate = listing->index,
        .design = plan->design,
        .complexity = serving_complexity(&inference->job, &plan->design),
        .gpus_paid = listing->candidate->boards ? serving_bought(request, &plan->design)
                                                : plan->design.gpu_count,
        .unlinked = serving_is_unlinked(&inference->job),
        .batch = plan->batch,
        .utilization = plan->utilization,
        .correction = plan->correction,
        .requests_held = inference->pool.held,
        .weights_bytes = memory_weights_total(&inference->bytes),
        .ttft = plan->ttft.middle,
        .tpot = plan->tpot,
        .latency = plan->latency_p95,
        .latency_p50 = plan->latency_p50,
        .ttft_p95 = plan->ttft_p95,
        .seconds = plan->kept.latency,
        .tokens_per_second = plan->output_tokens_per_second.middle,
        .bound = inference_bound(&plan->inference, &plan->mean.step),
        .meets_limits = plan->meets_limits,
        .busy = peak * sway_speed(inference, plan->tpot.high / plan->tpot.middle),
        .power_kw = (double)NAN,
    };
    set_price(listing, plan, option);
    option->confirmed &= !option->unlinked;
    option->cost = serving_cost(request, plan, option->price_per_gpu_hour);
    listing->part->will_do |= plan->meets_limits;
}

/* Try this number of replicas; false if more would not be faster. */
static bool consider(struct listing *listing, const struct serving_replica *replica,
                     const struct serving_design *design)
{
    struct serving_plan plan;

    if (design->tensor * design->pipeline * design->replicas > SERVING_GPUS_MAX)
        return false;
    const struct serving_request *request = listing->candidate->request;
    if (request->residuals.correct) {
        serving_evaluate(request, design, &plan);
    } else {
        struct serving_replica one = *replica;
        one.inference.job.routed = serving_routes(request) ? design->replicas : 0;
        serving_evaluate_with(request, &one, design, &plan);
    }
    listing->part->n_considered++;
    if (!plan.fits || !isfinite(plan.mean.tpot))
        return false;
    if (plan.meets_load)
        add(listing, &plan);
    return !(plan.batch_p95 <= 1);
}

/* The same design with that many. */
static bool consider_more(struct listing *listing, const struct serving_replica *replica,
                          double replicas, struct serving_design *design)
{
    design->replicas = replicas;
    (void)serving_set_prefill(listing->candidate->request, replica, design);
    return consider(listing, replica, design);
}

/* As many replicas as keep up even if they are as slow as their interval allows, if the option of
 * `design`, listed last, does not. */
static bool consider_sturdy(struct listing *listing, const struct serving_replica *replica,
                            struct serving_design design)
{
    double busy = listing->part->at[listing->part->n - 1].busy;

    return busy <= 1 || consider_more(listing, replica, ceil(design.replicas * busy), &design);
}

/* Who pins both degrees wants to see what more replicas do. */
static bool lists_every(const struct serving_candidate *candidate)
{
    const struct serving_design *pinned = &candidate->request->pinned;

    return candidate->every || (!isnan(pinned->tensor) && !isnan(pinned->pipeline));
}

/* Whether the last of the options listed after `before` others is worth its money compared with the
 * one with fewer replicas: if not, twice as many will not be. */
static bool is_worth_more(const struct listing *listing, size_t before)
{
    const struct serving_options_part *part = listing->part;
    const struct serving_option *last = part->at + part->n - 1;

    return lists_every(listing->candidate) || part->n < before + 2 ||
           !serving_is_overpriced(last, last - 1);
}

/* Number of sized replicas that the request needs. */
static double replicas_of(const struct serving_request *request,
                          const struct serving_replica *replica,
                          const struct serving_design *design)
{
    struct serving_design sized = *design;

    sized.replicas = serving_replicas(request, replica);
    if (!request->residuals.correct)
        return sized.replicas;
    struct serving_replica corrected = *replica;
    serving_replicas_correct(request, &sized, &corrected);
    return sized.replicas;
}

/* The fewest that carry the load, regardless of limits; `within` them it takes that many. */
static double replicas_for_load(const struct listing *listing,
                                const struct serving_replica *replica,
                                const struct serving_design *design, double within)
{
    struct serving_replica unlimited = *replica;

    if (!listing->limited)
        return within;
    serving_replica_within(&listing->unlimited, &unlimited);
    return replicas_of(&listing->unlimited, &unlimited, design);
}

/* Try one sharding, with few and with more replicas; false if memory rules it out. */
static bool try_replicas(struct listing *listing, const struct serving_split *split,
                         double pipeline)
{
    const struct serving_request *request = listing->candidate->request;
    const struct serving_design *pinned = &request->pinned;
    struct serving_design design = {
        .tensor = split->tensor, .attention_data = split->attention_data, .pipeline = pipeline};
    bool open = isnan(pinned->replicas) && isnan(pinned->gpu_count);
    bool grows = open && request->load != SERVING_BATCH;
    bool wide = split->attention_data > 1 && split->tensor > request->job.gpus_per_node;
    size_t before = listing->part->n;
    struct serving_replica replica;

    serving_replica_of(&listing->unsplit, &design, &replica);
    serving_replica_within(request, &replica);
    if (!request->job.separate_prefill)
        serving_replica_finish(&replica);
    double within = replicas_of(request, &replica, &design);
    design.replicas = open ? replicas_for_load(listing, &replica, &design, within) : within;
    if (!serving_set_prefill(request, &replica, &design))
        return true;
    bool more = consider(listing, &replica, &design) && grows;
    /* A limit may need more replicas even where they make few requests no faster. */
    if (grows && within > design.replicas)
        more = consider_more(listing, &replica, within, &design);
    if (more && listing->part->n > before)
        more = consider_sturdy(listing, &replica, design);
    for (int i = 2; more && !wide && is_worth_more(listing, before) && i < REPLICA_COUNTS_MAX; i++)
        more = consider_more(listing, &replica, 2 * design.replicas, &design);
    return replica.fits;
}

/* Tries the same stages as the search for one design, but skips none for needing more GPUs. */
static void try_stages(struct listing *listing, const struct serving_split *split)
{
    const struct serving_request *request = listing->candidate->request;
    bool fitted = false;

    if (!isnan(request->pinned.pipeline)) {
        try_replicas(listing, split, request->pinned.pipeline);
        return;
    }
    for (double p = 1; p <= request->job.shape.layers; p++) {
        double gpus = split->tensor * p;
        if (gpus > request->job.gpus_per_node && fitted)
            break;
        if (serving_suits_nodes(request, split->tensor, p))
            fitted |= try_replicas(listing, split, p);
    }
}

/* The listed design with the fewest GPUs that meets the limits, of those with at most `most` GPUs
 * connected (0: any number); NULL if there is none. */
static const struct serving_option *fewest_listed(const struct serving_options_part *part,
                                                  double most)
{
    const struct serving_option *fewest = NULL;

    for (size_t i = 0; i < part->n; i++) {
        const struct serving_option *option = &part->at[i];
        if (option->meets_limits && (most <= 0 || serving_connected(&option->design) <= most) &&
            (!fewest || option->design.gpu_count < fewest->design.gpu_count))
            fewest = option;
    }
    return fewest;
}

static double gpus_of(const struct serving_option *option)
{
    return option ? option->design.gpu_count : SERVING_GPUS_MAX;
}

/* Whether the same number of GPUs costs less, or has a confirmed price, if they need no connection.
 */
static bool costs_less_unconnected(struct listing *listing, const struct serving_option *option)
{
    const struct serving_candidate *candidate = listing->candidate;
    const struct serving_design unconnected = {
        .gpu_count = option->design.gpu_count, .tensor = 1, .pipeline = 1};

    if (!candidate->request->book || !isnan(candidate->price_per_gpu_hour) ||
        serving_connected(&option->design) <= 1)
        return false;
    struct rent rent = rent_of(listing, &unconnected);
    return rent.price_per_gpu_hour < option->price_per_gpu_hour ||
           (isnan(option->price_per_gpu_hour) && !isnan(rent.price_per_gpu_hour)) ||
           (!rent.doubt && !option->confirmed);
}

/* Tries other passes. They are listed if they take fewer GPUs than every listed design, or fewer
 * than every one with smaller replicas: GPUs that are connected may cost more. */
static void try_passes(struct listing *listing)
{
    struct serving_request request = *listing->candidate->request;
    const struct serving_options_part *part = listing->part;
    const struct serving_option *fewest;
    struct serving_plan plan;

    do {
        fewest = fewest_listed(part, request.connected_most);
        if (serving_search_passes(&request, gpus_of(fewest), &plan)) {
            add(listing, &plan);
            fewest = &part->at[part->n - 1];
        }
        request.connected_most = fewest ? serving_connected(&fewest->design) - 1 : 0;
    } while (fewest && costs_less_unconnected(listing, fewest));
}

/* Other passes, and prompts read on GPUs of their own, where that takes fewer GPUs. */
static void try_variants(struct listing *listing)
{
    const struct serving_request *request = listing->candidate->request;
    struct serving_plan plan;

    try_passes(listing);
    if (serving_search_apart(request, gpus_of(fewest_listed(listing->part, 0)), &plan))
        add(listing, &plan);
}

static bool no_more(double a, double b)
{
    return a <= b || isnan(b);
}

/* Whether `a` has fewer stages, no more GPUs and no higher cost, and is no slower in anything. */
static bool outdoes(const struct serving_option *a, const struct serving_option *b)
{
    return a->design.pipeline < b->design.pipeline && a->design.gpu_count <= b->design.gpu_count &&
           a->meets_limits >= b->meets_limits && no_more(a->cost.per_hour, b->cost.per_hour) &&
           no_more(a->seconds, b->seconds) && no_more(a->ttft, b->ttft) &&
           no_more(a->ttft_p95.middle, b->ttft_p95.middle) &&
           no_more(a->tpot.middle, b->tpot.middle) && a->tokens_per_second >= b->tokens_per_second;
}

/* Stages are for what a tensor degree does not hold (docs.vllm.ai/en/latest/serving/
 * parallelism_scaling, read 2026-11-27): a design that they give nothing is not listed. */
static void leave_out_needless_stages(struct serving_options_part *part)
{
    struct serving_option *at = part->at;
    size_t n = 0;

    for (size_t i = 0; i < part->n; i++) {
        bool needless = false;
        for (size_t j = 0; j < part->n && !needless && at[i].design.pipeline > 1; j++)
            needless = at[j].design.pipeline < at[i].design.pipeline && outdoes(&at[j], &at[i]);
        if (!needless)
            at[n++] = at[i];
    }
    part->n = n;
}

/* True if several providers rent out `more` GPUs for about the same price: this confirms `fewer` of
 * them, which only one provider is known to rent out. */
static bool confirms(const struct serving_option *more, const struct serving_option *fewer)
{
    return more->confirmed && fewer->one_provider && !fewer->unlinked &&
           more->design.gpu_count >= fewer->design.gpu_count &&
           serving_connected(&more->design) >= serving_connected(&fewer->design) &&
           more->price_per_gpu_hour <= (1 + PRICE_NEAR) * fewer->price_per_gpu_hour;
}

static void confirm_fewer(struct serving_options_part *part)
{
    for (size_t i = 0; i < part->n; i++)
        for (size_t j = 0; j < part->n && !part->at[i].confirmed; j++)
            part->at[i].confirmed = confirms(&part->at[j], &part->at[i]);
}

void serving_options_of(const struct serving_candidate *candidates, size_t candidate,
                        struct arena *arena, struct serving_options_part *part)
{
    const double open = (double)NAN;
    struct serving_split splits[SERVING_SPLITS_MAX];
    struct serving_request own = *candidates[candidate].request;
    const struct serving_request *request = &own;
    struct serving_candidate of = candidates[candidate];

    own.residuals.arena = arena; /* candidates run on separate threads */
    own.listed = own.counted = true;
    of.request = &own;
    struct listing listing = {
        .candidate = &of,
        .index = candidate,
        .limited = serving_limited(&request->limits),
        .unlimited = *request,
        .unsplit = inference_unsharded(request->constants, &request->job),
        .arena = arena,
        .part = part,
    };

    *part = (struct serving_options_part){.n = 0};
    listing.unlimited.limits = (struct serving_limits){open, open, open};
    size_t n = serving_splits(request, splits);
    for (size_t i = 0; i < n; i++)
        try_stages(&listing, &splits[i]);
    try_variants(&listing);
    leave_out_needless_stages(part);
    if (!lists_every(&of))
        serving_leave_out_overpriced(part, arena);
    confirm_fewer(part);
    own.counted = false;
    if (!part->will_do)
        serving_search_nearest(request, &part->nearest);
}

void serving_options_limit_power(const struct serving_candidate *candidate,
                                 const struct catalog *catalog, day as_of, double limit_kw,
                                 struct serving_options_part *part)
{
    double least = (double)NAN;
    bool will_do = false, out = false;
    size_t n = 0;

    for (size_t i = 0; !isnan(limit_kw) && i < part->n; i++) {
        const struct serving_option option = part->at[i];
        double power = serving_power(candidate->request, &option.design, catalog, as_of).kw;
        if (owned_power_is_within(power, limit_kw)) {
            will_do |= option.meets_limits;
            part->at[n++] = option;
        } else if (option.meets_limits) {
            out = true;
            least = fmin(least, power);
        }
    }
    if (isnan(limit_kw))
        return;
    part->n = n;
    part->power_kw_least = out && !will_do ? least : 0;
}

/* sizing.c - /v1/inference-sizing: the GPUs needed to serve a model to a load within limits.
 */
#include "api/inference/sizing.h"

#include "api/inference/sizing_correction.h"
#include "api/inference/sizing_remedy.h"
#include "api/inference/sizing_wording.h"
#include "api/resource/line_items.h"
#include "api/options/advice.h"
#include "api/options/unusual_input.h"
#include "api/resource/nearest_measurements.h"
#include "api/routes/resources.h"
#include "base/number.h"
#include "base/units.h"
#include "estimate/inference/explain/explain.h"
#include "estimate/inference/serving/line_items.h"
#include "estimate/inference/serving/search.h"
#include "estimate/inference/support.h"
#include "estimate/inference/words.h"
#include "estimate/ownership/owned.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define TABLE inference_sizing_in
#define TABLE_FILE "api/inference/sizing_in.def"
#define TABLE_ONLY
#include "base/field/table.h"

#define TABLE inference_sizing_out
#define TABLE_FILE "api/inference/sizing_out.def"
#define TABLE_ONLY
#include "base/field/table.h"

const struct inference_sizing_in *inference_sizing_inputs(const struct request_context *answered)
{
    assert(answered->resource == &inference_sizing_resource);
    return answered->inputs.values;
}

const struct inference_sizing_out *inference_sizing_figures(const struct request_context *answered)
{
    assert(answered->resource == &inference_sizing_resource);
    return answered->answer.values;
}

static void fill_verdict(struct request_context *context, const struct serving_request *request,
                         const struct serving_plan *plan, struct inference_sizing_out *out)
{
    const struct serving_limits *limits = &request->limits;
    bool limited = !isnan(limits->latency_p95_seconds) || !isnan(limits->ttft_seconds) ||
                   !isnan(limits->user_tokens_per_second);

    out->fits = plan->fits;
    out->meets_load = plan->meets_load;
    out->meets_latency = limited ? plan->meets_limits : (double)NAN;
    out->binding_constraint = inference_sizing_binding(plan->binding);
    out->reason = inference_sizing_reason(context, request, plan);
    out->shortfall = plan->gap.missing;
    out->shortfall_unit = plan->gap.unit;
}

double inference_sizing_credit_months(const struct inference_sizing_in *in, double rent_per_month)
{
    bool rented = strcmp(in->purchase_option, "owned") != 0;

    return serving_credit_months(rented ? in->cloud_credits : 0, in->cloud_credits_months,
                                 rent_per_month);
}

/* A stated design that fails is answered with a warning; a chosen one is refused. */
static bool check_power(struct request_context *context, const struct inference_sizing_in *in,
                        const struct serving_request *request, const struct serving_plan *plan,
                        double power_kw, struct inference_sizing_out *out, struct err *err)
{
    double limit = in->power_budget_kw;
    bool within;

    out->power_kw = power_kw;
    within = owned_power_is_within(out->power_kw, limit);
    out->within_power_budget = isnan(limit) || isnan(out->power_kw) ? (double)NAN : within;
    if (within)
        return true;
    const char *over =
        isnan(out->power_kw)
            ? arena_print(context->arena,
                          "the power of %s is not known: power_budget_kw cannot be checked",
                          request->job.gpu->slug)
            : arena_print(context->arena,
                          "%.0f GPUs draw up to %.10g kW at the meter; power_budget_kw is %.6g kW",
                          plan->design.gpu_count, owned_power_told(out->power_kw), limit);
    if (!serving_is_stated(&request->pinned))
        return err_set(err, ERR_NO_SOLUTION, "No setup keeps the power limit. The smallest: %s",
                       over);
    context_warn(context, "power_budget_exceeded", "%s", over);
    return true;
}

static void fill_design(const struct serving_request *request, const struct serving_plan *plan,
                        struct inference_sizing_out *out)
{
    out->gpu_count = plan->design.gpu_count;
    out->bought_gpu_count = serving_bought(request, &plan->design);
    out->replica_count = plan->design.replicas;
    out->replicas_per_gpu = request->job.sharing > 0 ? request->job.sharing : (double)NAN;
    out->prefill_replica_count = plan->design.prefill_replicas;
    out->tensor_parallel = plan->design.tensor;
    out->pipeline_parallel = plan->design.pipeline;
    out->attention_data_parallel = plan->inference.job.attention_data;
    out->expert_parallel = request->expert_parallel;
    if (isnan(out->expert_parallel))
        out->expert_parallel = out->attention_data_parallel > 1 ? out->tensor_parallel : 1;
    out->batch_size = plan->batch;
    out->batch_size_p95 = plan->batch_p95;
}

/* Record the choices for open inputs. */
static void echo_design(struct request_context *context, const struct serving_request *request,
                        const struct inference_sizing_out *out)
{
    const struct serving_design *pinned = &request->pinned;

    if (isnan(pinned->gpu_count))
        context_set_number(context, "gpu_count", out->gpu_count, SOURCE_CHOSEN, NULL);
    if (isnan(pinned->replicas))
        context_set_number(context, "replica_count", out->replica_count, SOURCE_CHOSEN, NULL);
    if (request->apart_open)
        context_set_number(context, "separate_prefill", request->job.separate_prefill,
                           SOURCE_CHOSEN, NULL);
    if (request->passes_open && request->job.pass_tokens > 0)
        context_set_number(context, "tokens_per_pass", request->job.pass_tokens, SOURCE_CHOSEN,
                           NULL);
    if (request->job.separate_prefill && isnan(pinned->prefill_replicas))
        context_set_number(context, "prefill_replica_count", out->prefill_replica_count,
                           SOURCE_CHOSEN, NULL);
    if (isnan(pinned->tensor))
        context_set_number(context, "tensor_parallel", out->tensor_parallel, SOURCE_CHOSEN, NULL);
    if (isnan(pinned->attention_data))
        context_set_number(context, "attention_data_parallel", out->attention_data_parallel,
                           SOURCE_CHOSEN, NULL);
    if (isnan(pinned->pipeline))
        context_set_number(context, "pipeline_parallel", out->pipeline_parallel, SOURCE_CHOSEN,
                           NULL);
    if (isnan(request->expert_parallel))
        context_set_number(context, "expert_parallel", out->expert_parallel, SOURCE_CHOSEN, NULL);
}

/* The smallest design that meets every limit, when the stated one does not. */
static void fill_nearest(struct request_context *context, const struct serving_request *request,
                         const struct serving_plan *plan, bool met,
                         struct inference_sizing_out *out)
{
    struct serving_plan nearest;
    bool found = !met && serving_search_free(request, &nearest);
    const struct serving_plan *to = found ? &nearest : NULL;

    out->narrower_weights_sentence = inference_sizing_narrower(context, request, plan, to);
    out->reason =
        arena_join(context->arena, out->reason,
                   inference_sizing_remedy(context, plan, to, out->narrower_weights_sentence));
    out->nearest_gpu_count = found ? nearest.design.gpu_count : (double)NAN;
    out->nearest_replica_count = found ? nearest.design.replicas : (double)NAN;
    out->nearest_prefill_replica_count = found ? nearest.design.prefill_replicas : (double)NAN;
    out->nearest_tensor_parallel = found ? nearest.design.tensor : (double)NAN;
    out->nearest_pipeline_parallel = found ? nearest.design.pipeline : (double)NAN;
    out->nearest_attention_data_parallel =
        found ? nearest.inference.job.attention_data : (double)NAN;
    out->nearest_tokens_per_pass =
        found && nearest.design.pass_tokens > 0 ? nearest.design.pass_tokens : (double)NAN;
}

static void fill_memory(const struct serving_plan *plan, struct inference_sizing_out *out)
{
    const struct inference *inference = &plan->inference;
    const struct inference_job *job = &inference->job;
    const struct kv_pool *pool = &inference->pool;
    double kv_bytes = memory_kv_bytes(&inference->constants->memory, job->kv_format);

    out->weights_gib = memory_weights_total(&inference->bytes) / GIB;
    out->adapters_gib =
        job->adapters > 0 ? job->adapters * inference->adapter_bytes / GIB : (double)NAN;
    out->kv_cache_gib = plan->sized_requests *
                        (memory_kv_bytes_per_request(&job->shape, kv_bytes,
                                                     job->input_tokens + job->output_tokens) +
                         memory_state_bytes(&inference->constants->memory, &job->shape)) /
                        GIB;
    out->kv_cache_bytes_per_token = memory_kv_bytes_per_token(&job->shape, kv_bytes);
    out->kv_cache_window_gib_per_request =
        memory_kv_window_bytes(&job->shape, kv_bytes, job->input_tokens + job->output_tokens) / GIB;
    out->memory_per_gpu_gib = plan->memory_needed_bytes / GIB;
    out->memory_capacity_gib = pool->capacity / GIB;
    out->memory_shortfall_gib = plan->memory_shortfall_bytes / GIB;
    out->max_concurrent_requests = number_finite(pool->held);
    out->kv_cache_tokens = number_finite(pool->tokens);
    out->max_context_tokens =
        number_finite(memory_max_context(pool, &job->shape, kv_bytes, plan->design.pipeline));
}

static void fill_times(const struct serving_plan *plan, struct inference_sizing_out *out)
{
    RANGE_SET(out, prefill_seconds, plan->prefill);
    RANGE_SET(out, time_to_first_token_seconds, plan->ttft);
    RANGE_SET(out, time_per_output_token_seconds, plan->tpot);
    out->tokens_per_step =
        plan->fits ? inference_tokens_per_step(&plan->inference.job.speculation) : (double)NAN;
    out->single_request_seconds = plan->lone.request_seconds;
    RANGE_SET(out, latency_p50_seconds_estimate, plan->latency_p50);
    RANGE_SET(out, latency_p95_seconds_estimate, plan->latency_p95);
    RANGE_SET(out, time_to_first_token_p95_seconds_estimate, plan->ttft_p95);
}

static void fill_rates(const struct serving_plan *plan, struct inference_sizing_out *out)
{
    out->utilization = plan->utilization;
    out->survives_replica_loss = plan->failover.known ? plan->failover.survived : (double)NAN;
    out->gpu_count_surviving_loss = plan->fits ? plan->failover.gpus : (double)NAN;
    RANGE_SET(out, output_tokens_per_second, plan->output_tokens_per_second);
    out->output_tokens_per_second_per_user = plan->user_tokens_per_second;
    out->output_tokens_per_second_per_replica = plan->replica_tokens_per_second;
    RANGE_SET(out, offline_output_tokens_per_second, plan->offline_tokens_per_second);
    out->output_tokens_per_second_capacity = plan->capacity_tokens_per_second;
    out->prefill_tokens_per_second = plan->prefill_tokens_per_second;
    out->requests_per_minute_capacity = plan->capacity_requests_per_second * SECONDS_PER_MINUTE;
    out->requests_per_minute_within_limits = plan->limited_requests_per_second * SECONDS_PER_MINUTE;
}

/* Prefill-only requests write no tokens: requests_per_minute_capacity and prefill_tokens_per_second
 * describe the design. */
static void clear_output(struct inference_sizing_out *out)
{
    out->time_per_output_token_seconds = (double)NAN;
    out->time_per_output_token_seconds_low = out->time_per_output_token_seconds_high = (double)NAN;
    out->output_tokens_per_second_per_user = (double)NAN;
    out->arithmetic_intensity_flop_per_byte = out->ridge_batch_size = (double)NAN;
}

static void fill_roofline(const struct serving_plan *plan, struct inference_sizing_out *out)
{
    const struct inference *inference = &plan->inference;

    out->arithmetic_intensity_flop_per_byte =
        inference_intensity(inference, plan->fits ? plan->mean.batch : 1);
    out->ridge_point_flop_per_byte = inference_ridge_point(inference);
    out->ridge_batch_size = inference_ridge_batch(inference);
    out->bound = plan->fits ? inference_bound(&plan->inference, &plan->mean.step) : NULL;
}

static void fill_cost(const struct serving_cost *cost, struct inference_sizing_out *out)
{
    out->cost_per_hour = cost->per_hour;
    out->cost_per_month = cost->per_month;
    out->cost_per_million_output_tokens = cost->per_million_output_tokens;
    out->cost_per_million_tokens = cost->per_million_tokens;
    out->cost_per_million_input_tokens = cost->per_million_input_tokens;
    out->cost_per_million_generated_tokens = cost->per_million_generated_tokens;
    out->cost_per_million_output_tokens_saturated = cost->per_million_output_tokens_saturated;
    out->cost_per_hour_low = cost->per_hour_low;
    out->cost_per_hour_high = cost->per_hour_high;
    out->cost_per_million_tokens_low = cost->per_million_tokens_low;
    out->cost_per_million_tokens_high = cost->per_million_tokens_high;
    double price_low = cost->per_hour_low / cost->per_hour;
    double price_high = cost->per_hour_high / cost->per_hour;
    out->cost_per_month_low = cost->per_month * price_low;
    out->cost_per_month_high = cost->per_month * price_high;
    out->cost_per_million_output_tokens_low =
        cost->per_million_output_tokens * cost->per_million_tokens_low / cost->per_million_tokens;
    out->cost_per_million_output_tokens_high =
        cost->per_million_output_tokens * cost->per_million_tokens_high / cost->per_million_tokens;
    out->cost_basis = cost->from_load ? "load" : "saturated";
}

static struct range rented_price(struct request_context *context,
                                 const struct inference_sizing_in *in, const struct gpu *gpu,
                                 const struct serving_design *design,
                                 struct price_basis_fields *basis)
{
    struct price price = pricing_price(
        context, (struct price_query){.gpu = gpu,
                                      .purchase_option = in->purchase_option,
                                      .provider = in->provider,
                                      .region = in->region,
                                      .provider_discounts = in->provider_discounts,
                                      .gpu_count = design->gpu_count,
                                      .connected_gpu_count = serving_connected(design)});

    *basis = pricing_basis(context, &price);
    pricing_offers_used(context, &price);
    context_set_number(context, "price_per_gpu_hour", price.per_gpu_hour, SOURCE_CATALOG,
                       arena_join(context->arena, "/v1/offers?gpu=", gpu->slug,
                                  "&purchase_option=", in->purchase_option));
    return (struct range){
        .low = price.band_low, .middle = price.per_gpu_hour, .high = price.band_high};
}

static struct range owned_price(struct request_context *context,
                                const struct serving_request *request,
                                const struct serving_plan *plan)
{
    double price = (double)NAN;
    struct err err = {0};
    struct ownership_band band = serving_owned_band(request, &plan->design, plan->utilization,
                                                    context->catalog, context->as_of);

    if (!serving_owned_price(request, plan, context->catalog, context->as_of, &price, &err))
        context_warn(context, "no_price",
                     "the cost of owning %s cannot be calculated: %s; enter price_per_gpu_hour",
                     request->job.gpu->slug, err.text);
    else if (isnan(price))
        context_warn(context, "no_price",
                     "no purchase price of %s is known: enter price_per_gpu_hour",
                     request->job.gpu->slug);
    context_set_number(context, "price_per_gpu_hour", price, SOURCE_CHOSEN,
                       arena_join(context->arena, "/v1/break-even?gpu=", request->job.gpu->slug,
                                  "&utilization=1"));
    return (struct range){.low = price * band.low, .middle = price, .high = price * band.high};
}

static struct range price_per_gpu_hour(struct request_context *context,
                                       const struct inference_sizing_in *in,
                                       const struct serving_request *request,
                                       const struct serving_plan *plan,
                                       struct price_basis_fields *basis)
{
    bool given = !isnan(in->price_per_gpu_hour);

    if (given) {
        double price = in->price_per_gpu_hour;
        unusual_input_warn_rent(context, "price_per_gpu_hour", price,
                                catalog_gpu(context->catalog, in->gpu), plan->design.gpu_count);
        *basis = pricing_own(PRICE_GIVEN, price, plan->design.gpu_count);
        return (struct range){.low = price, .middle = price, .high = price};
    }
    if (strcmp(in->purchase_option, "owned") == 0) {
        struct range price = owned_price(context, request, plan);
        *basis = pricing_own(PRICE_OWNED, price.middle, serving_bought(request, &plan->design));
        return price;
    }
    /* The catalogue's own record: offers point to it, not to the copy with the caller's figures. */
    return rented_price(context, in, catalog_gpu(context->catalog, in->gpu), &plan->design, basis);
}

static void add_rules(struct request_context *context, const struct inference_sizing_in *in,
                      const struct serving_request *request, const struct serving_plan *plan,
                      double price)
{
    struct inference_rule_inputs inputs = {
        .bandwidth_efficiency = in->bandwidth_efficiency,
        .link_latency_seconds = in->link_latency_us * MICRO,
        .replica_tokens_per_second = in->replica_tokens_per_second,
        .card_price = in->gpu_card_price,
        .price_per_gpu_hour = price,
    };
    struct rules rules = {0};

    if (isnan(inputs.card_price)) {
        inputs.card_price = owned_card_price(
            context->catalog, catalog_gpu(context->catalog, in->gpu), context->as_of);
        context_set_number(context, "gpu_card_price", inputs.card_price, SOURCE_CATALOG,
                           "/v1/hardware");
    }
    inference_rules(request, plan, &inputs, &rules);
    pricing_rules_of_thumb(context, &rules);
}

static bool is_open(const struct serving_design *pinned)
{
    return isnan(pinned->gpu_count) && isnan(pinned->replicas) && isnan(pinned->tensor) &&
           isnan(pinned->pipeline);
}

/* A design the caller stated is answered as it is; one that we choose must meet every limit. The
 * request has its passes then, and reads prompts where it does. */
static bool choose(struct request_context *context, struct serving_request *request,
                   struct serving_plan *plan, bool *met, struct err *err)
{
    const char *unsupported = inference_unsupported(
        &request->job, words_of_number(request->job.weight_format), false, context->arena);

    if (unsupported && !serving_is_stated(&request->pinned))
        return err_set(err, ERR_NO_SOLUTION, "%s",
                       inference_refusal(&request->job, unsupported, false, context->arena));
    *met = serving_search(request, plan);
    *request = serving_request_of(request, &plan->design);
    if (*met)
        return true;
    if (plan->design.gpu_count < 1 && is_open(&request->pinned))
        return err_set(
            err, ERR_NO_SOLUTION,
            "No setup of up to %s GPUs carries this load: is it in the unit of its input, "
            "requests per minute or tokens per day?",
            context_count(context, SERVING_GPUS_MAX));
    if (plan->design.gpu_count < 1)
        return context_refuse(
            context, err, "gpu_count", "contradiction",
            "no parallelism that divides the heads and layers evenly uses this many GPUs");
    if (serving_is_stated(&request->pinned))
        return true;
    return err_set(
        err, ERR_NO_SOLUTION, "No setup meets the limits. The closest, %.0f x %.0f GPUs: %s%s",
        plan->design.replicas + plan->design.prefill_replicas,
        plan->design.tensor * plan->design.pipeline,
        inference_sizing_reason(context, request, plan),
        inference_sizing_remedy(context, plan, NULL,
                                inference_sizing_narrower(context, request, plan, NULL)));
}

/* Only on request: it takes longer than the estimate. */
static void explain(struct request_context *context, const struct inference_sizing_in *in,
                    const struct inference_answer *told)
{
    const struct model *model =
        in->model ? catalog_model_meant(context->catalog, in->model, NULL) : NULL;
    struct inference_answer answered = *told;
    struct explanations explanations;

    if (!explain_is_wanted(context))
        return;
    answered.model = model ? model->slug : NULL;
    explain_init(&explanations, context->arena);
    inference_explain(&answered, &explanations);
    explain_answer(context, &explanations);
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct inference_sizing_in *in = input;
    struct inference_sizing_out *out = arena_alloc(context->arena, sizeof(*out));
    struct serving_request request = {0};
    struct serving_plan plain, plan = {0}; /* the analyzer does not see that choose() sets it */
    struct line_items line_items;
    bool met;

    if (!inference_sizing_request(context, in, &request, err) ||
        !inference_sizing_correct(context, in, &request, &plain, err) ||
        !choose(context, &request, &plan, &met, err))
        return false;
    struct nearest_features features = nearest_of_inference(&plan.inference.job, plan.batch);
    if (nearest_measurements_answer(context, &features) && plan.fits &&
        !(plan.correction.runs > 0) && !inference_sizing_widen(context, &request, &plan, err))
        return false;
    struct price_basis_fields basis;
    struct range price = price_per_gpu_hour(context, in, &request, &plan, &basis);
    struct serving_cost cost = serving_cost(&request, &plan, price.middle);
    serving_cost_interval(&plan, &price, &cost);
    struct owned_power power =
        serving_power(&request, &plan.design, context->catalog, context->as_of);
    if (!check_power(context, in, &request, &plan, power.kw, out, err))
        return false;
    fill_verdict(context, &request, &plan, out);
    fill_design(&request, &plan, out);
    echo_design(context, &request, out);
    fill_nearest(context, &request, &plan, met, out);
    fill_memory(&plan, out);
    fill_times(&plan, out);
    fill_rates(&plan, out);
    fill_roofline(&plan, out);
    if (request.job.writes_nothing)
        clear_output(out);
    fill_cost(&cost, out);
    out->months_paid_by_credits = inference_sizing_credit_months(in, cost.per_month);
    inference_sizing_fill_correction(context, in, &request, &plan, &plain, out);
    PRICE_BASIS_SET(out, basis);
    context_values(context, out);
    serving_lines(&plan, price.middle, &line_items);
    line_items_table(context, &line_items);
    line_items_chart(
        context, &line_items, out->memory_capacity_gib,
        arena_join(context->arena, "Serving on ", context_count(context, out->gpu_count),
                   " \u00d7 ", request.job.gpu->name),
        request.job.writes_nothing ? "Time to read a prompt" : "Time per output token");
    add_rules(context, in, &request, &plan, price.middle);
    inference_sizing_advise(context, &request, &plan);
    inference_sizing_warn(context, in, &request, &plan);
    inference_sizing_warn_narrower(context, &request, &plan);
    explain(context, in,
            &(struct inference_answer){.request = &request,
                                       .plan = &plan,
                                       .cost = &cost,
                                       .price_per_gpu_hour = price.middle,
                                       .power = power});
    return true;
}

const struct resource inference_sizing_resource = {
    .name = "inference_sizing",
    .headline = "gpu_count",
    .summary = "What it takes to serve a model under a load within given limits",
    .in = &inference_sizing_in_fields,
    .in_size = sizeof(struct inference_sizing_in),
    .out = &inference_sizing_out_fields,
    .tables = {LINE_ITEMS_TABLE, OFFERS_USED_TABLE, RULES_TABLE, NEAREST_MEASUREMENTS_TABLE,
               ADVICE_TABLE, EXPLANATIONS_TABLE},
    .needs_model = true,
    .takes_model_config = true,
    .answer = answer,
};

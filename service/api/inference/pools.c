/* pools.c - /v1/inference-sizing/pools: a load that a router divides among models, each sized by
 * its own question to /v1/inference-sizing. */
#include "api/inference/pools.h"

#include "api/analysis/sensitivity_run.h"
#include "api/inference/options.h"
#include "api/options/options.h"
#include "api/resource/query.h"
#include "api/routes/resources.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/inference/serving/tail.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TABLE inference_pools_in
#define TABLE_FILE "api/inference/pools_in.def"
#define TABLE_ONLY
#include "base/field/table.h"

#define TABLE inference_pools_out
#define TABLE_FILE "api/inference/pools_out.def"
#include "base/field/table.h"

#define TABLE inference_pools_row
#define TABLE_FILE "api/inference/pools_row.def"
#include "base/field/table.h"

/* A request of a pool to another resource, and its answer. */
struct asked {
    struct params params;
    struct request_context *plan;
};

struct pools {
    struct request_context *context;
    const struct inference_pools_in *in;
    struct inference_pool *pools;
    struct asked *asked;
    size_t n;
};

/* ---- the question of one pool */

static bool check_load(struct request_context *context, const struct inference_pools_in *in,
                       struct err *err)
{
    bool good = context_at_most_one(context, "requests_per_minute tokens_per_day daily_users", err);

    if (isnan(in->requests_per_minute) && isnan(in->tokens_per_day) && isnan(in->daily_users))
        good = context_refuse(context, err, "requests_per_minute", "missing_parameter",
                              "is required, or tokens_per_day or daily_users: the load of all "
                              "models together");
    if (isnan(in->daily_users) != isnan(in->requests_per_user_per_day))
        good =
            context_refuse(context, err, "requests_per_user_per_day",
                           isnan(in->daily_users) ? "contradiction" : "missing_parameter",
                           isnan(in->daily_users)
                               ? "has no effect without daily_users"
                               : "is required with daily_users: the requests each sends per day");
    return good;
}

static bool add_number(struct request_context *context, const char *name, double value,
                       struct params *params, struct err *err)
{
    return params_add(params, name, query_number(context->arena, value), PARAM_ANY, err);
}

/* Add the pool's share of the load. Users are converted to requests, because a share of them need
 * not be whole. */
static bool add_load(struct request_context *context, const struct inference_pools_in *in,
                     double share, struct params *params, struct err *err)
{
    double rate = isnan(in->daily_users)
                      ? in->requests_per_minute
                      : serving_requests_per_minute(in->daily_users, in->requests_per_user_per_day);

    if (!isnan(in->tokens_per_day))
        return add_number(context, "tokens_per_day", in->tokens_per_day * share, params, err);
    return add_number(context, "requests_per_minute", rate * share, params, err);
}

/* Inputs common to all pools are passed on unchanged. */
static bool add_given(struct request_context *context, struct params *params, struct err *err)
{
    static const char own[] =
        "pools,gpu,requests_per_minute,tokens_per_day,daily_users,requests_per_user_per_day";

    for (size_t i = 0; i < inference_pools_in_fields.n; i++) {
        const struct field *field = &inference_pools_in_fields.at[i];
        if (context_given(context, field->name) && !text_in_list(own, field->name) &&
            !query_hand_on(context, field, field->name, params, err))
            return false;
    }
    return true;
}

/* Errors in a pool's own inputs are reported at that pool. */
static bool refuse_pool(const struct inference_pool *pool, struct err *err)
{
    struct err refusal = *err;

    if (!err->n_culprits)
        return err_set(err, refusal.code, "%s: %s", pool->model->slug, refusal.text);
    for (size_t i = 0; i < err->n_culprits && i < ERR_CULPRITS_MAX; i++)
        if (!fields_find(inference_pools_in_fields, err->culprits[i].field))
            snprintf(err->culprits[i].field, sizeof(err->culprits[i].field), "pools");
    return false;
}

/* Ask a resource about that share of the load. */
static struct request_context *ask(const struct pools *all, const struct resource *resource,
                                   const struct inference_pool *pool, double share,
                                   struct params *params, struct err *err)
{
    struct request_context *context = all->context, *asked = NULL;

    *params = (struct params){.n = 0};
    if ((!pool->gpu || params_add(params, "gpu", pool->gpu->slug, PARAM_ANY, err)) &&
        params_add(params, "model", pool->model->slug, PARAM_ANY, err) &&
        add_load(context, all->in, share, params, err) && add_given(context, params, err))
        asked = query_ask(context, resource, params, err);
    return asked && resource->answer(asked, asked->inputs.values, err) ? asked : NULL;
}

/* The sizing at the address without its day, which comes from this request. */
static struct request_context *ask_address(struct request_context *context, const char *address,
                                           struct params *params, struct err *err)
{
    const struct resource *resource = &inference_sizing_resource;
    struct params *read = arena_alloc(context->arena, sizeof(*read));
    struct request_context *asked = NULL;

    *params = *read = (struct params){.n = 0};
    bool good = params_read_query(read, strchr(address, '?') + 1, context->arena, err);
    for (size_t i = 0; i < read->n && good; i++)
        if (fields_find(*resource->in, read->at[i].name))
            good = params_add(params, read->at[i].name, read->at[i].value, PARAM_ANY, err);
    if (good)
        asked = query_ask(context, resource, params, err);
    return asked && resource->answer(asked, asked->inputs.values, err) ? asked : NULL;
}

/* The plan for that share of the load on the pool's GPU or, if none is named, in the recommended
 * design over all GPUs. */
static struct request_context *plan_of(const struct pools *all, const struct inference_pool *pool,
                                       double share, struct params *params, struct err *err)
{
    if (pool->gpu)
        return ask(all, &inference_sizing_resource, pool, share, params, err);
    const struct request_context *options =
        ask(all, &inference_options_resource, pool, share, params, err);
    const char *best = options ? inference_options_figures(options)->recommended_plan : NULL;
    if (options && !best)
        err_set(err, ERR_NO_SOLUTION,
                "no GPU meets the limits: /v1/inference-sizing/options gives the reason for each");
    return best ? ask_address(all->context, best, params, err) : NULL;
}

static bool ask_pools(struct pools *all, struct err *err)
{
    all->asked = arena_alloc(all->context->arena, all->n * sizeof(*all->asked));
    for (size_t i = 0; i < all->n; i++) {
        const struct inference_pool *pool = &all->pools[i];
        struct asked *asked = &all->asked[i];
        asked->plan = plan_of(all, pool, pool->share, &asked->params, err);
        if (!asked->plan)
            return refuse_pool(pool, err);
        if (cancelled(all->context->cancel))
            return false;
    }
    return true;
}

/* ---- the table */

static const char *address_of(const struct request_context *context, const struct params *params)
{
    struct buf out;

    buf_init(&out, OPTIONS_LINK_MAX);
    for (size_t i = 0; i < params->n; i++)
        options_link_text(&out, params->at[i].name, params->at[i].value);
    options_link_day(&out, context);
    const char *address = arena_print(context->arena, "/v1/inference-sizing%s", buf_data(&out));
    buf_free(&out);
    return address;
}

static struct inference_pools_row *add_rows(const struct pools *all)
{
    struct request_context *context = all->context;
    struct inference_pools_row *rows = arena_alloc(context->arena, all->n * sizeof(*rows));

    for (size_t i = 0; i < all->n; i++) {
        const struct request_context *plan = all->asked[i].plan;
        fields_clear(inference_pools_row_fields, &rows[i]);
        sensitivity_run_copy(context->arena, plan, inference_pools_row_fields, &rows[i]);
        rows[i].model = all->pools[i].model->slug;
        rows[i].share = all->pools[i].share;
        rows[i].gpu = inference_sizing_inputs(plan)->gpu;
        rows[i].weight_dtype = inference_sizing_inputs(plan)->weight_dtype;
        rows[i].requests_per_minute = inference_sizing_figures(plan)->output_tokens_per_second /
                                      inference_sizing_inputs(plan)->output_tokens *
                                      SECONDS_PER_MINUTE;
        rows[i].plan = address_of(context, &all->asked[i].params);
    }
    context_table(context, "pools", rows, all->n, sizeof(*rows));
    return rows;
}

/* ---- all models together */

static void fill_sums(const struct inference_pools_row *rows, size_t n,
                      struct inference_pools_out *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct inference_pools_row *row = &rows[i];
        out->gpu_count += row->gpu_count;
        out->replica_count += row->replica_count;
        out->bought_gpu_count += row->bought_gpu_count;
        out->requests_per_minute += row->requests_per_minute;
        out->output_tokens_per_second += row->output_tokens_per_second;
        out->cost_per_hour += row->cost_per_hour;
        out->cost_per_hour_low += row->cost_per_hour_low;
        out->cost_per_hour_high += row->cost_per_hour_high;
        out->cost_per_month += row->cost_per_month;
        out->power_kw += row->power_kw;
        /* The total load at which this pool is full. */
        out->requests_per_minute_capacity =
            fmin(out->requests_per_minute_capacity, row->requests_per_minute_capacity / row->share);
        out->requests_per_minute_within_limits =
            fmin(out->requests_per_minute_within_limits,
                 row->requests_per_minute_within_limits / row->share);
    }
    out->cost_per_million_output_tokens =
        out->cost_per_hour / (out->output_tokens_per_second * SECONDS_PER_HOUR) * 1e6;
}

static double figure_at(const struct inference_pools_row *row, size_t offset)
{
    double figure;

    memcpy(&figure, (const char *)row + offset, sizeof(figure));
    return figure;
}

/* A percentile over all requests; p50 and p95 are the offsets in a row of the pools' 50th and 95th
 * percentile times. */
static double together(const struct inference_pools_row *rows, size_t n, size_t p50, size_t p95,
                       double below)
{
    struct tail_part parts[INFERENCE_POOLS_MOST];

    for (size_t i = 0; i < n; i++)
        parts[i] =
            (struct tail_part){rows[i].share, figure_at(&rows[i], p50), figure_at(&rows[i], p95)};
    return tail_of_mixture(parts, n, below);
}

static void fill_latency(const struct inference_pools_row *rows, size_t n,
                         struct inference_pools_out *out)
{
    const double half = 0.5, most = 0.95;
#define AT(name) offsetof(struct inference_pools_row, name)
#define TOGETHER(end, below)                                 \
    together(rows, n, AT(latency_p50_seconds_estimate##end), \
             AT(latency_p95_seconds_estimate##end), below)

    out->latency_p50_seconds_estimate = TOGETHER(, half);
    out->latency_p50_seconds_estimate_low = TOGETHER(_low, half);
    out->latency_p50_seconds_estimate_high = TOGETHER(_high, half);
    out->latency_p95_seconds_estimate = TOGETHER(, most);
    out->latency_p95_seconds_estimate_low = TOGETHER(_low, most);
    out->latency_p95_seconds_estimate_high = TOGETHER(_high, most);
    out->time_to_first_token_p95_seconds_estimate =
        together(rows, n, AT(time_to_first_token_seconds),
                 AT(time_to_first_token_p95_seconds_estimate), most);
#undef TOGETHER
#undef AT
}

/* The GPUs needed without a router. */
static void fill_largest(const struct pools *all, struct inference_pools_out *out)
{
    const struct inference_pool *largest = &all->pools[0];
    struct params params;
    struct err err = {0};

    out->largest_model_gpu_count = out->largest_model_cost_per_month = (double)NAN;
    out->routing_saving_per_month = (double)NAN;
    if (all->n < 2)
        return;
    for (size_t i = 1; i < all->n; i++)
        if (all->pools[i].model->params_total > largest->model->params_total)
            largest = &all->pools[i];
    out->largest_model = largest->model->slug;
    const struct request_context *plan = plan_of(all, largest, 1, &params, &err);
    if (!plan)
        return;
    out->largest_model_gpu_count = inference_sizing_figures(plan)->gpu_count;
    out->largest_model_cost_per_month = inference_sizing_figures(plan)->cost_per_month;
    out->routing_saving_per_month = out->largest_model_cost_per_month - out->cost_per_month;
}

static const char *sentence_of(struct request_context *context,
                               const struct inference_pools_row *rows, size_t n,
                               const struct inference_pools_out *out)
{
    const char *text = "";

    for (size_t i = 0; i < n; i++)
        text = arena_print(context->arena, "%s%s%s x %s for %s (%.3g%%)", text,
                           i == 0      ? ""
                           : i + 1 < n ? ", "
                                       : " and ",
                           context_count(context, rows[i].gpu_count), rows[i].gpu, rows[i].model,
                           100 * rows[i].share);
    if (isnan(out->routing_saving_per_month))
        return arena_print(context->arena, "%s.", text);
    return arena_print(context->arena, "%s: %s %s a month %s than %s for every request.", text,
                       context_count(context, fabs(out->routing_saving_per_month)),
                       context->answer.meta.currency,
                       out->routing_saving_per_month < 0 ? "more" : "less", out->largest_model);
}

/* ---- warnings */

/* Warnings common to all pools are given once; others name their model. */
static void repeat_warning(const struct pools *all, size_t pool, const struct warning *warning)
{
    bool of_all = true;

    for (size_t i = 0; i < all->n; i++)
        of_all =
            of_all && answer_warns(&all->asked[i].plan->answer, warning->code, warning->detail);
    if (of_all && pool > 0)
        return;
    if (of_all)
        context_warn(all->context, warning->code, "%s", warning->detail);
    else
        context_warn(all->context, warning->code, "%s: %s", all->pools[pool].model->slug,
                     warning->detail);
}

/* Limits are checked once, against the percentile of all requests. */
static void warn(const struct pools *all, const struct inference_pools_out *out)
{
    struct request_context *context = all->context;

    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->asked[i].plan->answer.n_warnings; k++)
            if (!text_in_list(INFERENCE_NO_LIMIT ",no_peak,prefix_cache",
                              all->asked[i].plan->answer.warnings[k].code))
                repeat_warning(all, i, &all->asked[i].plan->answer.warnings[k]);
    inference_demand_warn(context, out->latency_p95_seconds_estimate, (double)NAN);
    if (all->n > 1)
        context_warn(context, "router",
                     "the router that chooses a model for each request (a classifier, or rules) is "
                     "not counted, neither its time nor its GPUs, and no request is repeated on a "
                     "larger model. Measure the shares on your own traffic");
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct pools all = {.context = context, .in = input};
    struct inference_pools_out *out = arena_alloc(context->arena, sizeof(*out));

    bool good = inference_pools_read(context, all.in, &all.pools, &all.n, err);
    good = check_load(context, all.in, err) && good;
    if (!good || !ask_pools(&all, err))
        return false;
    *out = (struct inference_pools_out){
        .pool_count = (double)all.n,
        .requests_per_minute_capacity = INFINITY,
        .requests_per_minute_within_limits = INFINITY,
    };
    const struct inference_pools_row *rows = add_rows(&all);
    fill_sums(rows, all.n, out);
    fill_latency(rows, all.n, out);
    fill_largest(&all, out);
    out->sentence = sentence_of(context, rows, all.n, out);
    context_values(context, out);
    warn(&all, out);
    return true;
}

const struct resource inference_pools_resource = {
    .name = "inference_sizing_pools",
    .headline = "gpu_count",
    .summary = "One load shared out among several models by a router: what each takes, and all of "
               "them together",
    .in = &inference_pools_in_fields,
    .in_size = sizeof(struct inference_pools_in),
    .out = &inference_pools_out_fields,
    .tables = {{"pools", "pool", &inference_pools_row_fields, NULL,
                "Each model, sized for its share of the load"}},
    .cost = COST_SHORT,
    .work = "the search of designs for every model",
    .smaller = "name the GPU of each",
    .answer = answer,
};

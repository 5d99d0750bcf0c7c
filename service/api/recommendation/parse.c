/* parse.c - the inputs of /v1/recommendation, and the questions to the training and serving
 * searches made from them. */
#include "api/recommendation/parse.h"

#include "api/recommendation/growth.h"
#include "api/recommendation/recommendation.h"

#include "api/inference/request_lengths.h"
#include "api/options/country.h"
#include "api/options/hosted_price.h"
#include "api/resource/query.h"
#include "api/routes/resources.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/recommendation/option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const workload_words[RECOMMENDATION_WORKLOADS] = {"train", "finetune", "serve"};

const char *recommendation_workload(enum recommendation_workload workload)
{
    return workload_words[workload];
}

/* Call `take` for each item of a comma-separated list; false if one was refused. */
static bool each_item(struct recommendation *recommendation, const char *list,
                      bool (*take)(struct recommendation *recommendation, const char *item,
                                   struct err *err),
                      struct err *err)
{
    const char *item;
    bool good = true;

    while ((item = arena_next_item(recommendation->context->arena, &list)))
        good = take(recommendation, item, err) && good;
    return good;
}

static bool take_workload(struct recommendation *recommendation, const char *item, struct err *err)
{
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (strcasecmp(item, workload_words[w]) == 0) {
            recommendation->wanted[w] = true;
            return true;
        }
    return context_refuse(
        recommendation->context, err, "workload", "unknown_choice",
        "must be one or more of: train, finetune, serve; write several as train,serve");
}

static bool check_acquisition(struct recommendation *recommendation, const char *item,
                              struct err *err)
{
    for (int m = 0; m < RECOMMENDATION_IN_HAND; m++)
        if (strcasecmp(item, recommendation_acquisition_name((enum recommendation_acquisition)m)) ==
            0)
            return true;
    const char *meant = lookup_choice_meant("on_demand spot reserved_1yr reserved_3yr owned", item);
    return context_refuse(
        recommendation->context, err, "purchase_options", "unknown_choice",
        "must be one or more of: on_demand, spot, reserved_1yr, reserved_3yr, owned%s%s%s",
        meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

static bool check_lists(struct recommendation *recommendation, struct err *err)
{
    const struct recommendation_in *in = recommendation->in;
    bool good = true;

    if (in->housing && in->hosting)
        good = context_refuse(recommendation->context, err, "hosting", "contradiction",
                              "is the former name of housing: give one of them");
    good = each_item(recommendation, in->purchase_options, check_acquisition, err) && good;
    good =
        options_check_figures(recommendation->context, "gpus_owned", in->gpus_owned, true, err) &&
        good;
    good = lookup_check_discounts(recommendation->context, in->provider_discounts, err) && good;
    good = pricing_settle_credits(recommendation->context, NULL, NULL, err) && good;
    good = country_fill(recommendation->context, in->country, err) && good;
    return options_check_gpus(recommendation->context, in->gpu, err) && good;
}

/* Inputs that apply only to a workload that was not requested. */
static bool check_needed(struct recommendation *recommendation,
                         enum recommendation_workload workload, const char *names, struct err *err)
{
    struct request_context *context = recommendation->context;
    bool good = true;

    for (const char *p = names; *p && !recommendation->wanted[workload];) {
        size_t n = strcspn(p, " ");
        const char *name = arena_print(context->arena, "%.*s", (int)n, p);
        if (context_given(context, name))
            good = context_refuse(context, err, name, "contradiction", "is for workload=%s",
                                  workload_words[workload]);
        p += n + (p[n] == ' ');
    }
    return good;
}

static bool check_workloads(struct recommendation *recommendation, struct err *err)
{
    struct request_context *context = recommendation->context;
    const bool *wanted = recommendation->wanted;
    bool good = check_needed(
        recommendation, RECOMMENDATION_SERVE,
        "daily_users requests_per_user_per_day requests_per_minute "
        "tokens_per_day concurrent_requests peak_to_average_ratio "
        "peak_load_ratio_max "
        "input_tokens output_tokens request_lengths images_per_request image_tokens "
        "input_tokens_cv output_tokens_cv "
        "prefix_cache_ratio adapters adapter_rank gpu_fraction mig_profile tokens_per_pass "
        "weight_dtype engine router latency_p95_seconds "
        "time_to_first_token_seconds_max tokens_per_second_per_user_min "
        "growth_ratio_per_month rent_schedule min_replicas "
        "service_start_seconds billing_minimum_seconds "
        "active_hours_per_day active_days_per_week hosted_provider "
        "cached_input_ratio hosted_input_price_per_million_tokens "
        "hosted_output_price_per_million_tokens "
        "hosted_cached_input_price_per_million_tokens "
        "hosted_price_decline_ratio",
        err);

    good = hosted_price_check(context, err) && good;
    if (recommendation_is_budget_alone(recommendation) && recommendation->in->measurement_set)
        good = context_refuse(context, err, "measurement_set", "contradiction",
                              "corrects a workload: give one");
    good = check_needed(recommendation, RECOMMENDATION_FINETUNE,
                        "finetune_tokens method objective completion_tokens completion_tokens_max "
                        "critic_parameters",
                        err) &&
           good;
    if (!wanted[RECOMMENDATION_TRAIN] && !wanted[RECOMMENDATION_FINETUNE] &&
        (context_given(context, "tokens") || context_given(context, "deadline_days")))
        good = context_refuse(context, err,
                              context_given(context, "tokens") ? "tokens" : "deadline_days",
                              "contradiction", "is for workload=train or finetune");
    return good;
}

/* ---- asking another resource */

static bool add_given(struct request_context *context, const struct fields *known,
                      const char *except, struct params *params, struct err *err)
{
    for (size_t i = 0; i < context->inputs.fields.n; i++) {
        const struct field *field = &context->inputs.fields.at[i];
        if (fields_find(*known, field->name) && context_given(context, field->name) &&
            !text_in_list(except, field->name) &&
            !query_hand_on(context, field, field->name, params, err))
            return false;
    }
    return true;
}

/* A request to another resource with those of our inputs that it has, except those in the
 * comma-separated `except`, plus those in `more`; NULL with *err if it refuses one. */
static struct request_context *ask(struct recommendation *recommendation,
                                   const struct resource *resource, const char *except,
                                   const struct params *more, struct err *err)
{
    struct request_context *context = recommendation->context;
    struct params *params = arena_alloc(context->arena, sizeof(*params));

    *params = *more;
    return add_given(context, resource->in, except, params, err)
               ? query_ask(context, resource, params, err)
               : NULL;
}

/* ---- the searches */

/* Inputs that have a different meaning there, and those that pre-training does not have. */
#define NOT_OF_JOBS                                                                          \
    "tokens,method,budget,deadline_days,power_budget_kw,cloud_credits,cloud_credits_months," \
    "cloud_credits_provider,tokens_per_parameter"
static const char *const not_of_job[RECOMMENDATION_JOBS] = {
    [RECOMMENDATION_TRAIN] =
        NOT_OF_JOBS ",objective,completion_tokens,completion_tokens_max,critic_parameters",
    [RECOMMENDATION_FINETUNE] = NOT_OF_JOBS,
};

static double tokens_of(const struct recommendation *recommendation,
                        enum recommendation_workload job)
{
    const struct recommendation_in *in = recommendation->in;
    bool alone = !recommendation->wanted[RECOMMENDATION_TRAIN];

    if (job == RECOMMENDATION_TRAIN)
        return in->tokens;
    return isnan(in->finetune_tokens) && alone ? in->tokens : in->finetune_tokens;
}

/* If every GPU type is refused for reasons that are not inputs here, such as a figure of the GPU,
 * the caller made no error: the types are excluded, each with its reason. */
static bool is_of_gpus(struct request_context *context, size_t n_refusals, struct err *err)
{
    const char *field = err->n_culprits ? err->culprits[0].field : "";

    if (!n_refusals || (fields_find(context->inputs.fields, field) && strcmp(field, "gpu") != 0))
        return false;
    *err = (struct err){0};
    return true;
}

static bool owns_gpus(const struct recommendation *recommendation)
{
    return recommendation->in->gpus_owned && recommendation->in->gpus_owned[0];
}

/* The fastest strategy for every number of GPUs: deadline and budget are applied later, to all
 * workloads together. */
static bool ask_job(struct recommendation *recommendation, enum recommendation_workload job,
                    struct err *err)
{
    struct request_context *context = recommendation->context;
    struct options_question *question = arena_alloc(context->arena, sizeof(*question));
    struct params more = {
        .n = 4,
        .at = {{"tokens", query_number(context->arena, tokens_of(recommendation, job)), PARAM_ANY},
               {"method", job == RECOMMENDATION_TRAIN ? "pretrain" : recommendation->in->method,
                PARAM_ANY},
               {"rank", "time", PARAM_ANY},
               {"per_gpu", "0", PARAM_ANY}}};

    if (!context_given(context, "gpu_count_max"))
        more.at[more.n++] = (struct param){
            "gpu_count_max", query_number(context->arena, recommendation->in->gpu_count_max),
            PARAM_ANY};
    question->context =
        ask(recommendation, &training_options_resource, not_of_job[job], &more, err);
    if (!question->context)
        return false;
    question->in = question->context->inputs.values;
    question->every = owns_gpus(recommendation);
    recommendation->jobs[job] = question;
    return training_options_read(question, err) ||
           is_of_gpus(context, question->list.n_refusals, err);
}

struct inference_options *recommendation_service(struct recommendation *recommendation,
                                                 const struct params *more, struct err *err)
{
    struct inference_options *service =
        arena_alloc(recommendation->context->arena, sizeof(*service));
    const char *except = more->n ? "daily_users,requests_per_user_per_day,requests_per_minute,"
                                   "tokens_per_day,concurrent_requests,power_budget_kw,"
                                   "cloud_credits,cloud_credits_months,cloud_credits_provider"
                                 : "power_budget_kw,cloud_credits,cloud_credits_months,"
                                   "cloud_credits_provider";

    struct params params = *more;
    if (recommendation->schedule.kind == RENT_SCHEDULE_ACTIVE_HOURS &&
        !context_given(recommendation->context, "peak_to_average_ratio"))
        params.at[params.n++] = (struct param){
            "peak_to_average_ratio",
            query_number(recommendation->context->arena, recommendation->in->peak_to_average_ratio),
            PARAM_ANY};
    service->context = ask(recommendation, &inference_options_resource, except, &params, err);
    if (!service->context)
        return NULL;
    service->in = service->context->inputs.values;
    service->every = owns_gpus(recommendation);
    service->boards = true;
    return inference_options_read(service, err) ||
                   is_of_gpus(recommendation->context, service->list.n_refusals, err)
               ? service
               : NULL;
}

/* Defaults to compute-optimal tokens for the parameters (Chinchilla). */
static bool fill_tokens(struct recommendation *recommendation, struct err *err)
{
    struct request_context *context = recommendation->context;
    const struct recommendation_in *in = recommendation->in;
    const struct model *model;

    if (recommendation->wanted[RECOMMENDATION_FINETUNE] &&
        isnan(tokens_of(recommendation, RECOMMENDATION_FINETUNE)))
        return context_refuse(context, err, "finetune_tokens", "missing_parameter",
                              "is required with workload=finetune: how much there is to train on");
    if (!recommendation->wanted[RECOMMENDATION_TRAIN] || !isnan(in->tokens))
        return true;
    if (!lookup_model(context, in->model, in->parameters, &model, err))
        return false;
    context_set_number(context, "tokens", ceil(in->tokens_per_parameter * model->params_total),
                       SOURCE_CHOSEN, "/v1/assumptions?key=tokens_per_parameter");
    return true;
}

/* Without a deadline the cheapest would be one GPU for decades, and the fastest all there are: at
 * most as many as the largest published training used, Llama 3.1 405B on up to 16K H100 (arXiv
 * 2407.21783, section 3.3.1, 2024-07-31). */
static void fill_deadline(struct recommendation *recommendation)
{
    const double without_deadline = 16384;
    struct request_context *context = recommendation->context;

    if (!context_given(context, "gpu_count_max"))
        context_set_number(context, "gpu_count_max",
                           isnan(recommendation->in->deadline_days) ? without_deadline
                                                                    : TRAINING_GPUS_MAX,
                           SOURCE_DEFAULT, NULL);
    if (isnan(recommendation->in->deadline_days) &&
        (recommendation->wanted[RECOMMENDATION_TRAIN] ||
         recommendation->wanted[RECOMMENDATION_FINETUNE]))
        context_set_number(context, "deadline_days",
                           catalog_default(context->catalog, "options_deadline_days", ""),
                           SOURCE_DEFAULT, "/v1/assumptions?key=options_deadline_days");
}

static bool ask_searches(struct recommendation *recommendation, struct err *err)
{
    struct params load = {.n = 0};

    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (recommendation->wanted[w] &&
            !ask_job(recommendation, (enum recommendation_workload)w, err))
            return false;
    if (!recommendation->wanted[RECOMMENDATION_SERVE])
        return true;
    if (!recommendation_growth_check(recommendation, err))
        return false;
    if (recommendation_grows(recommendation))
        recommendation_growth_load(
            recommendation,
            recommendation_growth_factor(recommendation, recommendation->in->horizon_months),
            &load);
    recommendation->service = recommendation_service(recommendation, &load, err);
    if (!recommendation->service)
        return false;
    const struct serving_request *request = &recommendation->service->kinds[0].request;
    if (recommendation->service->list.n_kinds && !request->load_stated)
        context_set_number(recommendation->context, "concurrent_requests", request->amount,
                           SOURCE_CHOSEN, NULL);
    if (recommendation->service->list.n_kinds && recommendation->in->request_lengths)
        request_lengths_set(recommendation->context, &request->job);
    else if (recommendation->service->list.n_kinds && request->job.writes_nothing)
        context_set_number(recommendation->context, "output_tokens", 0, SOURCE_CATALOG, NULL);
    return true;
}

/* A load is for serving, tokens are for training: the workload need not be said as well. */
static void fill_workload(struct request_context *context)
{
    static const struct {
        const char *input, *workload;
    } implied[] = {{"daily_users", "serve"},        {"requests_per_minute", "serve"},
                   {"tokens_per_day", "serve"},     {"concurrent_requests", "serve"},
                   {"finetune_tokens", "finetune"}, {"tokens", "train"},
                   {"deadline_days", "train"}};

    for (size_t i = 0; i < sizeof(implied) / sizeof(implied[0]); i++)
        if (!context_text(context, "workload") && context_given(context, implied[i].input))
            context_set_text(context, "workload", implied[i].workload, SOURCE_CHOSEN, NULL);
}

/* A budget and a deadline, but nothing to train. */
static bool needs_model(const struct recommendation *recommendation)
{
    const struct recommendation_in *in = recommendation->in;

    return !in->model && isnan(in->parameters) && !recommendation->context->model_config &&
           !isnan(in->budget) && !isnan(in->deadline_days);
}

static bool refuse_without_model(struct recommendation *recommendation, struct err *err)
{
    const struct recommendation_in *in = recommendation->in;
    struct arena *arena = recommendation->context->arena;

    return context_refuse(
        recommendation->context, err, "model", "missing_parameter",
        "is required with deadline_days. The largest model that the budget trains in that time: "
        "/v1/training-plan/options?maximize=parameters&budget=%s&deadline_days=%s; what it rents "
        "or "
        "buys: leave out deadline_days",
        query_number(arena, in->budget), query_number(arena, in->deadline_days));
}

bool recommendation_read(struct recommendation *recommendation, struct err *err)
{
    fill_workload(recommendation->context);

    bool known = each_item(recommendation, recommendation->in->workload, take_workload, err);
    bool good = check_lists(recommendation, err) && known;

    if (!recommendation->in->workload && !recommendation_is_budget_alone(recommendation))
        return context_refuse(recommendation->context, err, "workload", "missing_parameter",
                              "is required: train, finetune or serve; or give a budget alone, for "
                              "what it pays for");
    if (recommendation_is_budget_alone(recommendation))
        return good && check_workloads(recommendation, err);
    if (!context_given(recommendation->context, "workload") && needs_model(recommendation))
        return refuse_without_model(recommendation, err);
    if (known) /* else no input can be said to be of another workload */
        good = check_workloads(recommendation, err) && good;
    good = lookup_names(recommendation->context, err) && good;
    if (!good || !fill_tokens(recommendation, err))
        return false;
    fill_deadline(recommendation);
    if (recommendation->wanted[RECOMMENDATION_SERVE] &&
        !rent_schedule_read(recommendation->context, &recommendation->schedule, err))
        return false;
    return ask_searches(recommendation, err);
}

/* parse.c - the inputs of /v1/recommendation, and with them the questions that the
 * searches of training and serving are asked. */
#include "api/recommendation/recommendation.h"

#include "api/resource/query.h"
#include "api/routes/resources.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const workload_words[RECOMMEND_WORKLOADS] = {"train", "finetune", "serve"};

const char *recommendation_workload(enum recommend_workload workload)
{
    return workload_words[workload];
}

/* Call `take` with each item of a comma-separated list; false where one was refused. */
static bool each_item(struct recommendation *recommendation, const char *list,
                      bool (*take)(struct recommendation *recommendation, const char *item,
                                   struct err *err),
                      struct err *err)
{
    bool good = true;

    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ",");
        const char *item = arena_print(recommendation->call->arena, "%.*s", (int)n, p);
        good = take(recommendation, item, err) && good;
        p += n + (p[n] == ',');
    }
    return good;
}

static bool take_workload(struct recommendation *recommendation, const char *item, struct err *err)
{
    for (int w = 0; w < RECOMMEND_WORKLOADS; w++)
        if (strcasecmp(item, workload_words[w]) == 0) {
            recommendation->wanted[w] = true;
            return true;
        }
    return call_refuse(recommendation->call, err, "workload", "unknown_choice",
                       "must be some of: train, finetune, serve");
}

static bool take_means(struct recommendation *recommendation, const char *item, struct err *err)
{
    for (int m = 0; m < RECOMMEND_IN_HAND; m++)
        if (strcasecmp(item, recommend_means_name((enum recommend_means)m)) == 0)
            return true;
    return call_refuse(recommendation->call, err, "purchase_options", "unknown_choice",
                       "must be some of: on_demand, spot, reserved_1yr, reserved_3yr, owned");
}

static bool check_lists(struct recommendation *recommendation, struct err *err)
{
    const struct recommendation_in *in = recommendation->in;
    bool good = each_item(recommendation, in->workload, take_workload, err);

    good = each_item(recommendation, in->purchase_options, take_means, err) && good;
    good = options_check_figures(recommendation->call, "gpus_owned", in->gpus_owned, true, err) &&
           good;
    return options_check_gpus(recommendation->call, in->gpu, err) && good;
}

/* Inputs that apply only to a workload that was not requested. */
static bool check_needed(struct recommendation *recommendation, enum recommend_workload workload,
                         const char *names, struct err *err)
{
    struct call *call = recommendation->call;
    bool good = true;

    for (const char *p = names; *p && !recommendation->wanted[workload];) {
        size_t n = strcspn(p, " ");
        const char *name = arena_print(call->arena, "%.*s", (int)n, p);
        if (call_given(call, name))
            good = call_refuse(call, err, name, "contradiction", "is for workload=%s",
                               workload_words[workload]);
        p += n + (p[n] == ' ');
    }
    return good;
}

static bool check_workloads(struct recommendation *recommendation, struct err *err)
{
    struct call *call = recommendation->call;
    const bool *wanted = recommendation->wanted;
    bool good = check_needed(recommendation, RECOMMEND_SERVE,
                             "daily_users requests_per_user_per_day requests_per_minute "
                             "tokens_per_day concurrent_requests peak_to_average_ratio "
                             "input_tokens output_tokens weight_dtype latency_p95_seconds "
                             "time_to_first_token_seconds_max tokens_per_second_per_user_min "
                             "growth_ratio_per_month",
                             err);

    good = check_needed(recommendation, RECOMMEND_FINETUNE, "finetune_tokens method", err) && good;
    if (!wanted[RECOMMEND_TRAIN] && !wanted[RECOMMEND_FINETUNE] &&
        (call_given(call, "tokens") || call_given(call, "deadline_days")))
        good = call_refuse(call, err, call_given(call, "tokens") ? "tokens" : "deadline_days",
                           "contradiction", "is for workload=train or finetune");
    return good;
}

/* ---- asking another resource */

static bool add_given(struct call *call, const struct fields *known, const char *except,
                      struct params *params, struct err *err)
{
    for (size_t i = 0; i < call->inputs.fields.n; i++) {
        const struct field *field = &call->inputs.fields.at[i];
        if (fields_find(*known, field->name) && call_given(call, field->name) &&
            !text_in_list(except, field->name) &&
            !question_hand_on(call, field, field->name, params, err))
            return false;
    }
    return true;
}

struct call *recommendation_ask(struct recommendation *recommendation,
                                const struct resource *resource, const char *except,
                                const struct params *more, struct err *err)
{
    struct call *call = recommendation->call;
    struct params *params = arena_alloc(call->arena, sizeof(*params));

    *params = *more;
    return add_given(call, resource->in, except, params, err)
               ? query_ask(call, resource, params, err)
               : NULL;
}

/* ---- the searches */

/* What of the inputs means something else there. */
static const char NOT_OF_JOBS[] = "tokens,method,budget,deadline_days,tokens_per_parameter";

static double tokens_of(const struct recommendation *recommendation, enum recommend_workload job)
{
    const struct recommendation_in *in = recommendation->in;
    bool alone = !recommendation->wanted[RECOMMEND_TRAIN];

    if (job == RECOMMEND_TRAIN)
        return in->tokens;
    return isnan(in->finetune_tokens) && alone ? in->tokens : in->finetune_tokens;
}

/* Where every kind is refused for what is not an input here, as a figure of the GPU, that is no
 * mistake of the caller's: the kinds are ruled out, each for its reason. */
static bool is_of_gpus(struct call *call, size_t n_refusals, struct err *err)
{
    const char *field = err->n_culprits ? err->culprits[0].field : "";

    if (!n_refusals || (fields_find(call->inputs.fields, field) && strcmp(field, "gpu") != 0))
        return false;
    *err = (struct err){0};
    return true;
}

/* The fastest strategy of every number of GPUs: deadline and budget are judged afterwards, of all
 * workloads together. */
static bool ask_job(struct recommendation *recommendation, enum recommend_workload job,
                    struct err *err)
{
    struct call *call = recommendation->call;
    struct options_question *question = arena_alloc(call->arena, sizeof(*question));
    struct params more = {
        .n = 4,
        .at = {
            {"tokens", question_number(call->arena, tokens_of(recommendation, job)), PARAM_ANY},
            {"method", job == RECOMMEND_TRAIN ? "pretrain" : recommendation->in->method, PARAM_ANY},
            {"rank", "time", PARAM_ANY},
            {"per_gpu", "0", PARAM_ANY}}};

    if (!call_given(call, "gpu_count_max"))
        more.at[more.n++] = (struct param){
            "gpu_count_max", question_number(call->arena, recommendation->in->gpu_count_max),
            PARAM_ANY};
    question->call =
        recommendation_ask(recommendation, &training_options_resource, NOT_OF_JOBS, &more, err);
    if (!question->call)
        return false;
    question->in = question->call->inputs.values;
    recommendation->jobs[job] = question;
    return options_read(question, err) || is_of_gpus(call, question->list.n_refusals, err);
}

struct inference_options *recommendation_service(struct recommendation *recommendation,
                                                 const struct params *more, struct err *err)
{
    struct inference_options *service = arena_alloc(recommendation->call->arena, sizeof(*service));
    const char *except = more->n ? "daily_users,requests_per_user_per_day,requests_per_minute,"
                                   "tokens_per_day,concurrent_requests"
                                 : "";

    service->call =
        recommendation_ask(recommendation, &inference_options_resource, except, more, err);
    if (!service->call)
        return NULL;
    service->in = service->call->inputs.values;
    return inference_options_read(service, err) ||
                   is_of_gpus(recommendation->call, service->list.n_refusals, err)
               ? service
               : NULL;
}

/* Tokens as many as the parameters make best (Chinchilla), where nobody says. */
static bool fill_tokens(struct recommendation *recommendation, struct err *err)
{
    struct call *call = recommendation->call;
    const struct recommendation_in *in = recommendation->in;
    const struct model *model;

    if (recommendation->wanted[RECOMMEND_FINETUNE] &&
        isnan(tokens_of(recommendation, RECOMMEND_FINETUNE)))
        return call_refuse(call, err, "finetune_tokens", "missing_parameter",
                           "is required with workload=finetune: how much there is to train on");
    if (!recommendation->wanted[RECOMMEND_TRAIN] || !isnan(in->tokens))
        return true;
    if (!call_model(call, in->model, in->parameters, &model, err))
        return false;
    call_set_number(call, "tokens", ceil(in->tokens_per_parameter * model->params_total),
                    SOURCE_CHOSEN, "/v1/assumptions?key=tokens_per_parameter");
    return true;
}

/* Without any the cheapest would be a GPU for decades. */
static void fill_deadline(struct recommendation *recommendation)
{
    struct call *call = recommendation->call;

    if (isnan(recommendation->in->deadline_days) &&
        (recommendation->wanted[RECOMMEND_TRAIN] || recommendation->wanted[RECOMMEND_FINETUNE]))
        call_set_number(call, "deadline_days",
                        catalog_default(call->catalog, "options_deadline_days", ""), SOURCE_DEFAULT,
                        "/v1/assumptions?key=options_deadline_days");
}

static bool ask_searches(struct recommendation *recommendation, struct err *err)
{
    const struct params none = {.n = 0};

    for (int w = 0; w < RECOMMEND_JOBS; w++)
        if (recommendation->wanted[w] && !ask_job(recommendation, (enum recommend_workload)w, err))
            return false;
    if (!recommendation->wanted[RECOMMEND_SERVE])
        return true;
    recommendation->service = recommendation_service(recommendation, &none, err);
    if (!recommendation->service)
        return false;
    const struct serving_request *request = &recommendation->service->kinds[0].request;
    if (recommendation->service->list.n_kinds && !request->load_stated)
        call_set_number(recommendation->call, "concurrent_requests", request->amount, SOURCE_CHOSEN,
                        NULL);
    return true;
}

bool recommendation_read(struct recommendation *recommendation, struct err *err)
{
    bool good = check_lists(recommendation, err);

    good = check_workloads(recommendation, err) && good;
    if (!good || !fill_tokens(recommendation, err))
        return false;
    fill_deadline(recommendation);
    return ask_searches(recommendation, err);
}

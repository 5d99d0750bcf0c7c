/* plan.c - plans a workload by asking the resource for such plans: passes on the inputs under its
 * names, and brings back its choices. */
#include "api/break_even/plan.h"

#include "api/inference/sizing.h"
#include "api/options/options.h"
#include "api/resource/query.h"
#include "api/routes/resources.h"
#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const enum workload BOTH = WORKLOAD_TRAIN_THEN_SERVE;

/* Which inputs belong to which workload. */
static const struct handed {
    const char *name;
    const char *as; /* name in the plan's question; NULL if not passed on */
    enum workload to;
    bool asks; /* belongs only to the workload: giving it requests a plan */
    bool is_text;
    size_t offset; /* the input's place in its struct, if `asks` */
} handed[] = {
/* Macros for inputs that belong to a workload, and for those that also request it. */
#define GOES(name, as, to)             \
    {                                  \
#name, as, to, false, false, 0 \
    }
#define ASKS(name, as, to)                                                       \
    {                                                                            \
#name, as, to, true, IS_TEXT(name), offsetof(struct break_even_in, name) \
    }
#define IS_TEXT(name) _Generic(((struct break_even_in *)0)->name, double : false, default : true)
    GOES(gpu, "gpu", BOTH),
    GOES(gpu_count, "gpu_count", BOTH),
    GOES(gpus_per_node, "gpus_per_node", BOTH),
    GOES(purchase_option, "purchase_option", BOTH),
    GOES(provider, "provider", BOTH),
    GOES(region, "region", BOTH),
    GOES(rent_price_per_gpu_hour, "price_per_gpu_hour", BOTH),
    GOES(goodput, "goodput", WORKLOAD_TRAIN),
    ASKS(measurement_set, "measurement_set", BOTH),
    GOES(gpu_tdp_w, "power_limit_w", WORKLOAD_TRAIN),
    ASKS(model, "model", BOTH),
    ASKS(parameters, "parameters", BOTH),
    ASKS(requests_per_minute, "requests_per_minute", WORKLOAD_SERVE),
    ASKS(tokens_per_day, "tokens_per_day", WORKLOAD_SERVE),
    ASKS(concurrent_requests, "concurrent_requests", WORKLOAD_SERVE),
    ASKS(daily_users, "daily_users", WORKLOAD_SERVE),
    ASKS(requests_per_user_per_day, "requests_per_user_per_day", WORKLOAD_SERVE),
    ASKS(input_tokens, "input_tokens", WORKLOAD_SERVE),
    ASKS(output_tokens, "output_tokens", WORKLOAD_SERVE),
    ASKS(input_tokens_cv, "input_tokens_cv", WORKLOAD_SERVE),
    ASKS(output_tokens_cv, "output_tokens_cv", WORKLOAD_SERVE),
    ASKS(peak_to_average_ratio, "peak_to_average_ratio", WORKLOAD_SERVE),
    ASKS(peak_load_ratio_max, "peak_load_ratio_max", WORKLOAD_SERVE),
    ASKS(latency_p95_seconds, "latency_p95_seconds", WORKLOAD_SERVE),
    ASKS(time_to_first_token_seconds_max, "time_to_first_token_seconds_max", WORKLOAD_SERVE),
    ASKS(tokens_per_second_per_user_min, "tokens_per_second_per_user_min", WORKLOAD_SERVE),
    ASKS(weight_dtype, "weight_dtype", WORKLOAD_SERVE),
    ASKS(kv_cache_dtype, "kv_cache_dtype", WORKLOAD_SERVE),
    ASKS(engine, "engine", WORKLOAD_SERVE),
    ASKS(prefix_cache_ratio, "prefix_cache_ratio", WORKLOAD_SERVE),
    ASKS(request_lengths, "request_lengths", WORKLOAD_SERVE),
    ASKS(images_per_request, "images_per_request", WORKLOAD_SERVE),
    ASKS(image_tokens, "image_tokens", WORKLOAD_SERVE),
    ASKS(adapters, "adapters", WORKLOAD_SERVE),
    ASKS(adapter_rank, "adapter_rank", WORKLOAD_SERVE),
    ASKS(gpu_fraction, "gpu_fraction", WORKLOAD_SERVE),
    ASKS(mig_profile, "mig_profile", WORKLOAD_SERVE),
    ASKS(tokens_per_pass, "tokens_per_pass", WORKLOAD_SERVE),
    ASKS(rent_schedule, NULL, WORKLOAD_SERVE),
    ASKS(min_replicas, NULL, WORKLOAD_SERVE),
    ASKS(service_start_seconds, NULL, WORKLOAD_SERVE),
    ASKS(billing_minimum_seconds, NULL, WORKLOAD_SERVE),
    ASKS(active_hours_per_day, NULL, WORKLOAD_SERVE),
    ASKS(active_days_per_week, NULL, WORKLOAD_SERVE),
    ASKS(hosted_provider, NULL, WORKLOAD_SERVE),
    ASKS(cached_input_ratio, NULL, WORKLOAD_SERVE),
    ASKS(hosted_input_price_per_million_tokens, NULL, WORKLOAD_SERVE),
    ASKS(hosted_output_price_per_million_tokens, NULL, WORKLOAD_SERVE),
    ASKS(hosted_cached_input_price_per_million_tokens, NULL, WORKLOAD_SERVE),
    ASKS(hosted_price_decline_ratio, NULL, WORKLOAD_SERVE),
    ASKS(tokens, "tokens", WORKLOAD_TRAIN),
    ASKS(deadline_days, "deadline_days", WORKLOAD_TRAIN),
    ASKS(runs_per_year, NULL, WORKLOAD_TRAIN),
    ASKS(method, "method", WORKLOAD_TRAIN),
    ASKS(precision, "precision", WORKLOAD_TRAIN),
    ASKS(sequence_tokens, "sequence_tokens", WORKLOAD_TRAIN),
    ASKS(global_batch_sequences, "global_batch_sequences", WORKLOAD_TRAIN),
    ASKS(experiment_ratio, "experiment_ratio", WORKLOAD_TRAIN),
    ASKS(repeated_run_ratio, "repeated_run_ratio", WORKLOAD_TRAIN),
    ASKS(training_staff_fte, "training_staff_fte", WORKLOAD_TRAIN),
    ASKS(setup_seconds, "setup_seconds", WORKLOAD_TRAIN),
#undef GOES
#undef ASKS
#undef IS_TEXT
};

enum { HANDED = sizeof(handed) / sizeof(handed[0]) };

const char *break_even_workload_word(enum workload kind)
{
    static const char *const words[] = {
        [WORKLOAD_NONE] = "none",
        [WORKLOAD_TRAIN] = "train",
        [WORKLOAD_SERVE] = "serve",
        [WORKLOAD_TRAIN_THEN_SERVE] = "train_then_serve",
    };

    return words[kind];
}

/* True if an input that requests a plan is set: given, or filled in. */
static bool is_known(const struct handed *row, const void *input)
{
    const struct field field = {.offset = row->offset};

    return row->is_text ? field_text(&field, input) != NULL : !isnan(field_number(&field, input));
}

/* True if it requests a plan and was given. */
static bool is_asked(const struct request_context *context, const struct handed *row)
{
    return row->asks && is_known(row, context->inputs.values) && context_given(context, row->name);
}

const char *break_even_asks(const struct request_context *context, enum workload kind)
{
    for (size_t i = 0; i < HANDED; i++)
        if (handed[i].to == kind && is_asked(context, &handed[i]))
            return handed[i].name;
    return NULL;
}

bool break_even_refuse_others(struct request_context *context, enum workload kind, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < HANDED; i++)
        if (!(handed[i].to & kind) && is_asked(context, &handed[i]))
            good = context_refuse(
                context, err, handed[i].name, "contradiction", "requires workload=%s",
                handed[i].to == BOTH ? "train or serve" : break_even_workload_word(handed[i].to));
    return good;
}

bool break_even_has_workload(const void *input)
{
    for (size_t i = 0; i < HANDED; i++)
        if (handed[i].asks && is_known(&handed[i], input))
            return true;
    return false;
}

/* True if the input was given, or is the peak implied by the service's active hours. */
static bool is_handed(const struct request_context *context, const struct break_even_in *in,
                      const char *name)
{
    return context_given(context, name) || (in->schedule.kind == RENT_SCHEDULE_ACTIVE_HOURS &&
                                            strcmp(name, "peak_to_average_ratio") == 0);
}

/* Pass on the workload's inputs under the plan's names. */
static bool hand_on(struct request_context *context, const struct break_even_in *in,
                    enum workload kind, struct params *params, struct err *err)
{
    for (size_t i = 0; i < HANDED; i++)
        if ((handed[i].to & kind) && handed[i].as && is_handed(context, in, handed[i].name) &&
            !query_hand_on(context, fields_find(context->inputs.fields, handed[i].name),
                           handed[i].as, params, err))
            return false;
    return true;
}

/* The plan's address: those inputs and the day; NULL if the model was posted in the body. */
static const char *address_of(struct request_context *context, enum workload kind,
                              const struct params *params)
{
    struct buf out;

    if (context->model_config)
        return NULL;
    buf_init(&out, OPTIONS_LINK_MAX);
    for (size_t i = 0; i < params->n; i++)
        options_link_text(&out, params->at[i].name, params->at[i].value);
    options_link_day(&out, context);
    const char *address =
        arena_print(context->arena, "/v1/%s%s",
                    kind == WORKLOAD_SERVE ? "inference-sizing" : "training-plan", buf_data(&out));
    buf_free(&out);
    return address;
}

/* The plan's errors name its own inputs: rename those that have other names here. */
static void rename_culprits(struct err *err)
{
    for (size_t c = 0; c < err->n_culprits; c++)
        for (size_t i = 0; i < HANDED; i++)
            if (handed[i].as && strcmp(handed[i].as, err->culprits[c].field) == 0) {
                snprintf(err->culprits[c].field, sizeof(err->culprits[c].field), "%s",
                         handed[i].name);
                break;
            }
}

struct request_context *break_even_plan_question(struct request_context *context,
                                                 struct break_even_in *in, enum workload kind,
                                                 struct err *err)
{
    struct params *params = arena_alloc(context->arena, sizeof(*params));
    const struct resource *resource =
        kind == WORKLOAD_SERVE ? &inference_sizing_resource : &training_plan_resource;
    struct request_context *asked =
        hand_on(context, in, kind, params, err) ? query_ask(context, resource, params, err) : NULL;

    if (!asked)
        rename_culprits(err);
    in->plan.address = address_of(context, kind, params);
    return asked;
}

/* Copy the plan's value of an input that was left open here. */
static void bring_back(struct request_context *context, const struct request_context *plan,
                       const struct handed *from)
{
    const struct inputs *inputs = &plan->inputs;
    const struct field *field = fields_find(inputs->fields, from->as);
    size_t i = (size_t)(field - inputs->fields.at);

    if (field_is_text(field))
        context_set_text(context, from->name, field_text(field, inputs->values), inputs->sources[i],
                         inputs->references[i]);
    else
        context_set_number(context, from->name, field_number(field, inputs->values),
                           inputs->sources[i], inputs->references[i]);
}

/* Warnings on prices and licences are given here; those about the model once for both plans. */
static void repeat_warnings(struct request_context *context, const struct request_context *plan)
{
    static const char ours[] = "no_price,stale_price,datacenter_licence,list_price,derived_price,"
                               "availability_unknown,single_provider";

    for (size_t i = 0; i < plan->answer.n_warnings; i++) {
        const struct warning *warning = &plan->answer.warnings[i];
        if (text_in_list(ours, warning->code) ||
            answer_warns(&context->answer, warning->code, warning->detail))
            continue;
        if (strcmp(warning->code, INFERENCE_NO_LIMIT) == 0)
            answer_warn_first(&context->answer, warning->code, warning->detail);
        else
            answer_warn(&context->answer, warning->code, warning->detail);
    }
}

struct request_context *break_even_plan(struct request_context *context, struct break_even_in *in,
                                        enum workload kind, struct err *err)
{
    struct request_context *plan = break_even_plan_question(context, in, kind, err);

    if (!plan)
        return NULL;
    if (!plan->resource->answer(plan, plan->inputs.values, err)) {
        rename_culprits(err);
        return NULL;
    }
    for (size_t i = 0; i < HANDED; i++)
        if (handed[i].asks && handed[i].as && (handed[i].to & kind) &&
            !context_given(context, handed[i].name))
            bring_back(context, plan, &handed[i]);
    repeat_warnings(context, plan);
    return plan;
}

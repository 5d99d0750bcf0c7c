#include "api/resource/query.h"

#include "api/resource/decode.h"
#include "api/resource/currency.h"
#include "api/resource/pinned.h"
#include "api/routes/routes.h"
#include "api/resource/version.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "catalog/currency.h"
#include "catalog/required.h"
#include "estimate/measurement/correction.h"
#include "estimate/training/plan/goodput.h"
#include "estimate/inference/inference.h"
#include "estimate/ownership/ownership.h"
#include "estimate/training/constants.h"

#include <math.h>
#include <string.h>

/* Assumptions that questions look up directly, with the range of the input each is a default
 * for. */
static const struct required looked_up[] = {
    {"options_deadline_days", "", BOUND_VALUE, RANGE_POSITIVE},
    {"training_efficiency_floor", "", BOUND_VALUE, RANGE_PART},
    {"cluster_premium", "", BOUND_VALUE, RANGE_AMOUNT},
    {"fleet_gpu_count_max", "", BOUND_VALUE, RANGE_POSITIVE},
    {"hourly_cluster_gpu_count_max", "", BOUND_VALUE, RANGE_AMOUNT},
    {"reserved_cluster_gpu_count_max", "", BOUND_VALUE, RANGE_AMOUNT},
    {"cluster_term_days", "", BOUND_VALUE, RANGE_AMOUNT},
    {"cluster_contract_days", "", BOUND_VALUE, RANGE_AMOUNT},
    {"image_tokens", "", BOUND_VALUE, RANGE_POSITIVE},
    {"speculative_acceptance_rate", "", BOUND_VALUE, RANGE_PART},
    {"setup_seconds", "", BOUND_VALUE, RANGE_AMOUNT},
    {"setup_seconds", "owned", BOUND_VALUE, RANGE_AMOUNT},
    {"weights_download_rate", "", BOUND_VALUE, RANGE_POSITIVE},
    {"experiment_ratio", "", BOUND_VALUE, RANGE_AMOUNT},
    {"experiment_ratio", "finetune", BOUND_VALUE, RANGE_AMOUNT},
    {"storage_price_per_gb_month", "training", BOUND_VALUE, RANGE_AMOUNT},
    {"lease_term_threshold_ratio", "", BOUND_VALUE, RANGE_AMOUNT},
    {"lease_present_value_threshold_ratio", "", BOUND_VALUE, RANGE_AMOUNT},
    {"negotiated_discount_ratio", "", BOUND_LOW, RANGE_PART},
    {"negotiated_discount_ratio", "", BOUND_HIGH, RANGE_PART},
    {"negotiated_rent_from_gpus", "", BOUND_VALUE, RANGE_AMOUNT},
    {"provider_price_ratio", "", BOUND_LOW, 1e-9, 1},
    {"provider_price_ratio", "", BOUND_HIGH, RANGE_ABOVE},
    {"commitment_discount_ratio", "", BOUND_VALUE, RANGE_PART},
    {"commitment_discount_ratio", "reserved_3yr", BOUND_VALUE, RANGE_PART},
    {"spot_discount_ratio", "", BOUND_VALUE, RANGE_PART},
    {"facility_fitout_cost", "own_room", BOUND_VALUE, RANGE_AMOUNT},
    {"export_licence_performance", "", BOUND_VALUE, RANGE_AMOUNT},
    {"whole_run_flops_utilization", "", BOUND_LOW, RANGE_SHARE},
    {"whole_run_flops_utilization", "", BOUND_VALUE, RANGE_SHARE},
    {"whole_run_flops_utilization", "", BOUND_HIGH, RANGE_SHARE},
    {"time_to_first_token_seconds_max", "conversation", BOUND_VALUE, RANGE_POSITIVE},
    {"tokens_per_second_per_user_min", "conversation", BOUND_VALUE, RANGE_POSITIVE},
    {"sequence_tokens_default", "embedding", BOUND_VALUE, RANGE_POSITIVE},
};

bool query_prepare(struct catalog *catalog, const struct catalog *former, struct err *err)
{
    training_constants_memoize(catalog);
    inference_constants_memoize(catalog);
    goodput_constants_memoize(catalog);
    correction_constants_memoize(catalog);
    ownership_require(catalog);
    for (size_t i = 0; i < sizeof(looked_up) / sizeof(looked_up[0]); i++)
        catalog_require(catalog, &looked_up[i]);
    price_books_memoize(catalog, clock_today());
    evidence_memoize(catalog, former);
    decode_defaults_memoize(catalog, common_fields);
    decode_defaults_memoize(catalog, list_fields);
    for (size_t i = 0; i < n_routes; i++) {
        decode_defaults_memoize(catalog, *routes[i].resource->in);
        if (routes[i].post)
            decode_defaults_memoize(catalog, *routes[i].post->in);
    }
    return catalog_complete(catalog, err);
}

/* Select a day: its prices, and the rest of the catalogue as of then. */
static void set_day(struct request_context *context, day as_of)
{
    context->as_of = as_of;
    context->catalog = catalog_as_of(
        catalog_in_currency(context->catalog, "USD", as_of, context->arena), as_of, context->arena);
}

/* Decoded first, because defaults depend on the day. An invalid day is refused later. */
static void read_day(struct request_context *context, const struct params *params)
{
    const char *given = params_find(params, "as_of");
    day as_of = context->as_of ? context->as_of : context->today;

    if (given)
        text_day(given, &as_of);
    set_day(context, as_of);
}

/* A write accepts only its own inputs: format and day of its reply are the defaults. */
static bool decode_change(struct request_context *context, const struct params *params,
                          const struct decode_target *own, const struct decode_target *common,
                          struct err *err)
{
    static const struct params none = {0};

    set_day(context, context->today);
    bool good = decode_params(&none, common, 1, context->catalog, context->arena, err) &&
                decode_params(params, own, 1, context->catalog, context->arena, err);
    lookup_gpu_slugs(context);
    return good;
}

bool query_decode(struct request_context *context, const struct params *params, struct err *err)
{
    const struct resource *resource = context->resource;
    void *in = arena_alloc(context->arena, resource->in_size ? resource->in_size : 1);
    struct inputs *list_inputs = arena_alloc(context->arena, sizeof(*list_inputs));
    struct inputs *common_inputs = arena_alloc(context->arena, sizeof(*common_inputs));

    decode_inputs_init(&context->inputs, *resource->in, in, context->arena);
    decode_inputs_init(common_inputs, common_fields, &context->common, context->arena);
    decode_inputs_init(list_inputs, list_fields, &context->list, context->arena);
    struct decode_target targets[] = {
        {context->inputs.fields, in, &context->inputs},
        {common_fields, &context->common, common_inputs},
        {list_fields, &context->list, list_inputs},
    };
    size_t n = resource_is_list(resource) ? 3 : 2;
    if (resource->writes)
        return decode_change(context, params, &targets[0], &targets[1], err);
    read_day(context, params);
    currency_choose(context, params);
    bool good = decode_params(params, targets, n, context->catalog, context->arena, err);
    if (good && context->as_of > context->today)
        good = err_add(err, "as_of", context->common.as_of, "out_of_range",
                       "must not be in the future");
    lookup_gpu_slugs(context);
    if (!good && resource->takes_model_config)
        (void)lookup_names(context, err); /* else they are refused one reply later */
    return good;
}

bool query_check(const struct request_context *context, struct err *err)
{
    const char *version = context->common.model_version;

    if (pinned_is_earlier(version))
        return pinned_refuse(version, err);
    if (version && strcmp(version, MODEL_VERSION) != 0)
        return err_add(err, "model_version", version, "unknown_version",
                       "only version " MODEL_VERSION " of the formulas is here");
    return currency_check(context, err);
}

void query_start(struct request_context *context)
{
    struct answer *answer = &context->answer;

    answer->name = context->resource->name;
    answer->headline = context->resource->headline;
    answer->listed = context->resource->listed;
    answer->inputs = context->inputs;
    answer->count = (double)NAN;
    currency_say(context);
    answer->meta.as_of = context_day(context, context->as_of);
    answer->meta.catalog_version = arena_text(context->arena, context->catalog->version);
    answer->meta.model_version = MODEL_VERSION;
}

const char *query_number(struct arena *arena, double number)
{
    char text[NUMBER_SIZE];

    number_exact(text, number);
    return arena_text(arena, text);
}

bool query_hand_on(struct request_context *context, const struct field *field, const char *as,
                   struct params *params, struct err *err)
{
    const void *values = context->inputs.values;
    const char *text = field_is_text(field)
                           ? field_text(field, values)
                           : query_number(context->arena, field_number(field, values));

    return params_add(params, as, text, PARAM_ANY, err);
}

struct request_context *query_ask(const struct request_context *context,
                                  const struct resource *resource, const struct params *params,
                                  struct err *err)
{
    struct request_context *asked = arena_alloc(context->arena, sizeof(*asked));
    void *values = arena_alloc(context->arena, resource->in_size);

    *asked = *context;
    asked->search_cache = NULL;
    asked->risk_cache = NULL;
    asked->resource = resource;
    asked->project = NULL;
    asked->common.explain = 0;
    asked->answer = (struct answer){.meta = context->answer.meta};
    decode_inputs_init(&asked->inputs, *resource->in, values, context->arena);
    struct decode_target target = {asked->inputs.fields, values, &asked->inputs};
    return decode_params(params, &target, 1, context->catalog, context->arena, err) ? asked : NULL;
}

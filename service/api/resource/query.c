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
#include "estimate/training/plan/goodput.h"
#include "estimate/inference/inference.h"
#include "estimate/ownership/ownership.h"
#include "estimate/training/constants.h"

#include <math.h>
#include <string.h>

/* What is looked up where a question needs it, in the range of the input it stands in for. */
static const struct required looked_up[] = {
    {"options_deadline_days", "", BOUND_VALUE, RANGE_POSITIVE},
    {"speculative_acceptance_rate", "", BOUND_VALUE, RANGE_PART},
    {"commitment_discount_ratio", "", BOUND_VALUE, RANGE_PART},
    {"spot_discount_ratio", "", BOUND_VALUE, RANGE_PART},
    {"facility_fitout_cost", "own_room", BOUND_VALUE, RANGE_AMOUNT},
};

bool query_prepare(struct catalog *catalog, struct err *err)
{
    training_constants_memoize(catalog);
    inference_constants_memoize(catalog);
    goodput_constants_keep(catalog);
    ownership_require(catalog);
    for (size_t i = 0; i < sizeof(looked_up) / sizeof(looked_up[0]); i++)
        catalog_require(catalog, &looked_up[i]);
    prices_memoize(catalog, clock_today());
    decode_defaults_memoize(catalog, common_fields);
    decode_defaults_memoize(catalog, list_fields);
    for (size_t i = 0; i < n_routes; i++) {
        decode_defaults_memoize(catalog, *routes[i].resource->in);
        if (routes[i].post)
            decode_defaults_memoize(catalog, *routes[i].post->in);
    }
    return catalog_complete(catalog, err);
}

/* Ask about a day: its prices, and the rest of the catalogue as it was then. */
static void set_day(struct call *call, day as_of)
{
    call->as_of = as_of;
    call->catalog = catalog_as_of(catalog_in_currency(call->catalog, "USD", as_of, call->arena),
                                  as_of, call->arena);
}

/* Before all else is decoded: defaults are those of the day. What is no day is refused there. */
static void read_day(struct call *call, const struct params *params)
{
    const char *given = params_find(params, "as_of");
    day as_of = call->as_of ? call->as_of : call->today;

    if (given)
        text_day(given, &as_of);
    set_day(call, as_of);
}

static bool check_day(const struct call *call, struct err *err)
{
    return call->as_of <= call->today ||
           err_add(err, "as_of", call->common.as_of, "out_of_range", "must not be in the future");
}

/* Who changes something says what: how answers are written and dated is as without a word. */
static bool decode_change(struct call *call, const struct params *params,
                          const struct decode_target *own, const struct decode_target *common,
                          struct err *err)
{
    static const struct params none = {0};

    set_day(call, call->today);
    return decode_params(&none, common, 1, call->catalog, call->arena, err) &&
           decode_params(params, own, 1, call->catalog, call->arena, err);
}

bool query_decode(struct call *call, const struct params *params, struct err *err)
{
    const struct resource *resource = call->resource;
    void *in = arena_alloc(call->arena, resource->in_size ? resource->in_size : 1);
    struct inputs *list_inputs = arena_alloc(call->arena, sizeof(*list_inputs));
    struct inputs *common_inputs = arena_alloc(call->arena, sizeof(*common_inputs));

    decode_inputs_init(&call->inputs, *resource->in, in, call->arena);
    decode_inputs_init(common_inputs, common_fields, &call->common, call->arena);
    decode_inputs_init(list_inputs, list_fields, &call->list, call->arena);
    struct decode_target targets[] = {
        {call->inputs.fields, in, &call->inputs},
        {common_fields, &call->common, common_inputs},
        {list_fields, &call->list, list_inputs},
    };
    size_t n = resource_is_list(resource) ? 3 : 2;
    if (resource->writes)
        return decode_change(call, params, &targets[0], &targets[1], err);
    read_day(call, params);
    currency_choose(call, params);
    return decode_params(params, targets, n, call->catalog, call->arena, err) &&
           check_day(call, err);
}

bool query_check(const struct call *call, struct err *err)
{
    const char *version = call->common.model_version;

    if (pinned_is_earlier(version))
        return pinned_refuse(version, err);
    if (version && strcmp(version, MODEL_VERSION) != 0)
        return err_add(err, "model_version", version, "unknown_version",
                       "only version " MODEL_VERSION " of the formulas is here");
    return currency_check(call, err);
}

void query_start(struct call *call)
{
    struct answer *answer = &call->answer;

    answer->name = call->resource->name;
    answer->headline = call->resource->headline;
    answer->listed = call->resource->listed;
    answer->inputs = call->inputs;
    answer->count = (double)NAN;
    currency_say(call);
    answer->meta.as_of = call_day(call, call->as_of);
    answer->meta.catalog_version = arena_text(call->arena, call->catalog->version);
    answer->meta.model_version = MODEL_VERSION;
}

const char *question_number(struct arena *arena, double number)
{
    char text[NUMBER_SIZE];

    number_exact(text, number);
    return arena_text(arena, text);
}

bool question_hand_on(struct call *call, const struct field *field, const char *as,
                      struct params *params, struct err *err)
{
    const void *values = call->inputs.values;
    const char *text = field_is_text(field)
                           ? field_text(field, values)
                           : question_number(call->arena, field_number(field, values));

    return params_add(params, as, text, PARAM_ANY, err);
}

struct call *query_ask(const struct call *call, const struct resource *resource,
                       const struct params *params, struct err *err)
{
    struct call *asked = arena_alloc(call->arena, sizeof(*asked));
    void *values = arena_alloc(call->arena, resource->in_size);

    *asked = *call;
    asked->found = NULL;
    asked->resource = resource;
    asked->project = NULL;
    asked->common.explain = 0;
    asked->answer = (struct answer){.meta = call->answer.meta};
    decode_inputs_init(&asked->inputs, *resource->in, values, call->arena);
    struct decode_target target = {asked->inputs.fields, values, &asked->inputs};
    return decode_params(params, &target, 1, call->catalog, call->arena, err) ? asked : NULL;
}

/* hosted.c - the hosted API as the third way to pay for a served load. */
#include "api/break_even/break_even.h"
#include "api/inference/sizing.h"

#include "estimate/break_even/volume.h"

#include <math.h>

bool break_even_has_hosted(const struct break_even_in *in)
{
    return !isnan(in->hosted_input_price_per_million_tokens) &&
           !isnan(in->hosted_output_price_per_million_tokens);
}

static bool any_given(const struct request_context *context)
{
    return context_given(context, "hosted_input_price_per_million_tokens") ||
           context_given(context, "hosted_output_price_per_million_tokens") ||
           context_given(context, "hosted_cached_input_price_per_million_tokens") ||
           context_given(context, "hosted_price_decline_ratio");
}

static bool check_price(struct request_context *context, const char *name, struct err *err)
{
    return context_given(context, name) ||
           context_refuse(
               context, err, name, "missing_parameter",
               "is required to compare with the hosted API: its price is not known here");
}

bool break_even_check_hosted(struct request_context *context, const struct break_even_in *in,
                             struct err *err)
{
    if (!any_given(context))
        return true;
    bool good = check_price(context, "hosted_input_price_per_million_tokens", err);
    good = check_price(context, "hosted_output_price_per_million_tokens", err) && good;
    if (!context_given(context, "hosted_cached_input_price_per_million_tokens"))
        context_set_number(context, "hosted_cached_input_price_per_million_tokens",
                           in->hosted_input_price_per_million_tokens, SOURCE_DEFAULT, NULL);
    if (!context_given(context, "hosted_price_decline_ratio"))
        context_set_number(context, "hosted_price_decline_ratio", 0, SOURCE_DEFAULT, NULL);
    return good;
}

struct hosted_api break_even_hosted(const struct break_even_in *in)
{
    return (struct hosted_api){
        .input_price = in->hosted_input_price_per_million_tokens,
        .cached_price = in->hosted_cached_input_price_per_million_tokens,
        .output_price = in->hosted_output_price_per_million_tokens,
        .cached_ratio = in->prefix_cache_ratio,
        .price_decline_ratio = in->hosted_price_decline_ratio,
        .input_tokens = in->plan.input_tokens,
        .output_tokens = in->plan.output_tokens,
        .tokens_per_day = in->plan.tokens_per_day,
    };
}

bool break_even_volumes(struct request_context *context, struct break_even_in *in,
                        const struct gpu *gpu, struct threshold *buy, struct threshold *rent,
                        struct err *err)
{
    struct serving_request request = {0};
    struct request_context *plan = break_even_plan_question(context, in, WORKLOAD_SERVE, err);

    if (!plan || !inference_sizing_request(plan, plan->inputs.values, &request, err))
        return false;
    struct volume volume = {
        .request = &request,
        .own = &in->open,
        .catalog = context->catalog,
        .gpu = gpu,
        .as_of = context->as_of,
        .book = in->book,
        .hosted = break_even_hosted(in),
        .schedule = in->schedule,
    };
    *buy = volume_break_even(&volume, BRIDGE_BUY);
    *rent = volume_break_even(&volume, BRIDGE_RENT);
    return true;
}

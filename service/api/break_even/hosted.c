/* hosted.c - the hosted API as a third option to serve a load. */
#include "api/break_even/break_even.h"
#include "api/break_even/plan.h"
#include "api/inference/sizing.h"
#include "api/inference/sizing_correction.h"

#include "estimate/break_even/volume.h"
#include "estimate/inference/serving/design_cache.h"

#include <math.h>
#include <string.h>

/* Correct each volume by the runs of the set, like the plan. */
static bool correct(struct request_context *plan, struct serving_request *request, struct err *err)
{
    const struct inference_sizing_in *in = plan->inputs.values;
    const struct correction_served_runs *runs;

    if (!in->measurement_set || in->use_measurements == 0)
        return true;
    if (!inference_sizing_runs(plan, in->measurement_set, &runs, err))
        return false;
    (void)inference_sizing_take(plan, runs, request);
    return true;
}

/* The volumes at which buying and renting cost as much as the hosted API. */
static bool find_volumes(struct request_context *context, struct break_even_in *in,
                         const struct gpu *gpu, struct threshold *buy, struct threshold *rent,
                         struct err *err)
{
    struct serving_request request = {0};
    struct request_context *plan = break_even_plan_question(context, in, WORKLOAD_SERVE, err);

    if (!plan || !inference_sizing_request(plan, plan->inputs.values, &request, err) ||
        !correct(plan, &request, err))
        return false;
    struct volume volume = {
        .request = &request,
        .cache = request.residuals.correct ? NULL : design_cache_new(context->arena),
        .own = &in->open,
        .catalog = context->catalog,
        .gpu = gpu,
        .as_of = context->as_of,
        .book = in->book,
        .hosted = in->hosted_api.api,
        .schedule = in->schedule,
    };
    *buy = volume_break_even(&volume, BRIDGE_BUY);
    *rent = volume_break_even(&volume, BRIDGE_RENT);
    return true;
}

/* The cheapest of the options compared; NULL if one is unknown. */
static const char *cheapest_of(const struct break_even_out *out)
{
    double owned_or_rented = fmin(out->buy_total_cost, out->rent_total_cost);

    return out->verdict && out->hosted_total_cost < owned_or_rented ? "hosted" : out->verdict;
}

/* Comparison with one of the other two, in words. */
static const char *against(struct request_context *context, double hosted, double other,
                           const char *verb)
{
    if (isnan(other))
        return arena_print(context->arena, "what %s costs is not known", verb);
    return arena_print(context->arena, "%s than %s, %s %s", hosted < other ? "less" : "more", verb,
                       context_count(context, other), context->answer.meta.currency);
}

static const char *sentence_of(struct request_context *context, const struct break_even_in *in,
                               const struct break_even_out *out,
                               const struct hosted_figures *figures)
{
    const char *words = hosted_price_words(context, &in->hosted_api, figures,
                                           out->hosted_total_cost, in->own.horizon_months);

    if (!hosted_price_is_known(&in->hosted_api))
        return words;
    return arena_print(context->arena, "%s: %s; %s (%s x %s).%s %s", words,
                       against(context, out->hosted_total_cost, out->buy_total_cost, "buying"),
                       against(context, out->hosted_total_cost, out->rent_total_cost, "renting"),
                       context_count(context, in->own.gpu_count), in->gpu,
                       hosted_price_cheapest_words(context, figures, out->hosted_total_cost,
                                                   fmin(out->buy_total_cost, out->rent_total_cost)),
                       hosted_price_until_words(context, figures, in->gpu));
}

bool break_even_fill_hosted(struct request_context *context, struct break_even_in *in,
                            const struct gpu *gpu, const struct hosted_api_ledger *bill,
                            struct break_even_out *out, struct err *err)
{
    struct threshold buy = {(double)NAN, NULL}, rent = {(double)NAN, NULL};
    const struct hosted_choice *choice = &in->hosted_api;
    bool known = hosted_price_is_known(choice);
    struct hosted_figures figures;

    if (known && !context->light && !find_volumes(context, in, gpu, &buy, &rent, err))
        return false;
    out->hosted_total_cost = known ? bill->total : (double)NAN;
    out->hosted_cost_per_million_tokens_blended =
        known ? hosted_api_blended_price(&choice->api) : (double)NAN;
    out->hosted_cost_per_month = known ? hosted_api_cost_per_month(&choice->api) : (double)NAN;
    out->cheapest_option = cheapest_of(out);
    if (out->sentence && strcmp(out->cheapest_option, "hosted") == 0)
        out->sentence =
            arena_print(context->arena,
                        "If your data may go to its provider, the hosted API costs "
                        "least: %s %s over %.0f month%s. If not: %s",
                        context_count(context, bill->total), context->answer.meta.currency,
                        in->own.horizon_months, text_plural(in->own.horizon_months), out->sentence);
    out->break_even_tokens_per_day = buy.value;
    out->break_even_tokens_status = buy.status;
    out->rent_break_even_tokens_per_day = rent.value;
    out->rent_break_even_tokens_status = rent.status;
    hosted_price_figures(context, choice, &in->own, &figures);
    if (context->light)
        return true;
    if (known)
        hosted_price_until(choice, &buy, &rent, in->requests_per_user_per_day, &figures);
    figures.hosted_sentence = sentence_of(context, in, out, &figures);
    hosted_price_say(&figures, context->resource->out, out);
    return true;
}

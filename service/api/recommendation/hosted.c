/* hosted.c - the hosted API as the last row of the list: always shown, never recommended by itself,
 * because data leaves the company. */
#include "api/recommendation/hosted.h"

#include "api/recommendation/search.h"
#include "api/recommendation/wording.h"
#include "api/resource/currency.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/break_even/volume.h"
#include "estimate/ownership/used.h"
#include "estimate/inference/serving/design_cache.h"
#include "estimate/recommendation/option.h"

#include <math.h>
#include <string.h>

static const struct recommendation_option *recommended_of(const struct recommendation *from)
{
    return from->list.recommended < from->list.n ? &from->list.at[from->list.recommended] : NULL;
}

/* Prompt tokens including those of images. */
static double prompt_tokens(const struct recommendation *from)
{
    const struct inference_options *service = from->service;

    return service->list.n_kinds ? service->kinds[0].request.job.input_tokens
                                 : from->in->input_tokens;
}

/* The load that the recommended option serves; NAN without one. */
static double served_per_day(const struct recommendation *from)
{
    const struct recommendation_in *in = from->in;
    const struct recommendation_option *best = recommended_of(from);
    double all = (prompt_tokens(from) + in->output_tokens) / fmax(1, in->output_tokens);

    return best ? recommendation_serving(from, best)->tokens_per_second * all * SECONDS_PER_DAY
                : (double)NAN;
}

/* True if there is a service and no job before it. */
static bool load_of(const struct recommendation *from, struct hosted_load *load)
{
    const struct recommendation_in *in = from->in;

    if (!from->service || from->wanted[RECOMMENDATION_TRAIN] ||
        from->wanted[RECOMMENDATION_FINETUNE])
        return false;
    double growth = in->growth_ratio_per_month;
    *load = (struct hosted_load){in->model, prompt_tokens(from), in->output_tokens,
                                 served_per_day(from), isnan(growth) ? 0 : growth};
    return true;
}

/* The break-even ledger, before values derived from the number of GPUs are filled in. */
static struct ownership ledger_of(const struct recommendation *from)
{
    struct ownership own = from->ask.ledger;

    own.horizon_months = from->in->horizon_months;
    own.goodput = 1; /* as for all options here */
    own.purchase_option = recommendation_acquisition_name(RECOMMENDATION_ON_DEMAND);
    return own;
}

/* The break-even volume of a way to pay that the caller did not exclude. */
static struct threshold threshold_of(const struct recommendation *from, const struct volume *volume,
                                     enum bridge_side side)
{
    const char *acquisition = side == BRIDGE_BUY ? "owned" : "on_demand";

    return text_in_list(from->in->purchase_options, acquisition)
               ? volume_break_even(volume, side)
               : (struct threshold){(double)NAN, "hosted_cheaper_throughout"};
}

/* Find the volume from which the recommended GPU costs no more. */
static void find_until(const struct recommendation *from, struct ownership own,
                       struct hosted_row *hosted)
{
    const struct recommendation_option *best = recommended_of(from);

    if (!best)
        return;
    const struct serving_option *serving = recommendation_serving(from, best);
    const struct recommendation_gpu_type *gpu_type =
        &from->gpu_types[recommendation_part(best, RECOMMENDATION_SERVE)->gpu_type];
    const struct serving_request *request = from->service->candidates[serving->candidate].request;
    struct volume volume = {
        .request = request,
        .cache = request->residuals.correct ? NULL : design_cache_new(from->context->arena),
        .own = &own,
        .catalog = from->ask.catalog,
        .gpu = gpu_type->gpu,
        .as_of = from->ask.as_of,
        .book = gpu_type->on_demand,
        .hosted = hosted->choice.api,
        .schedule = from->schedule,
    };
    if (gpu_type->used)
        ownership_make_used(&own, from->ask.catalog, gpu_type->gpu, from->ask.as_of);
    volume.hosted.growth_ratio_per_month = 0; /* each volume is constant */
    struct threshold buy = threshold_of(from, &volume, BRIDGE_BUY);
    struct threshold rent = threshold_of(from, &volume, BRIDGE_RENT);
    hosted_price_until(&hosted->choice, &buy, &rent, from->in->requests_per_user_per_day,
                       &hosted->figures);
}

static const char *sentence_of(const struct recommendation *from, const struct hosted_row *hosted)
{
    struct request_context *context = from->context;
    const struct recommendation_option *best = recommended_of(from);
    const char *words = hosted_price_words(context, &hosted->choice, &hosted->figures,
                                           hosted->bill.total, from->in->horizon_months);

    if (!hosted_price_is_known(&hosted->choice))
        return words;
    if (!best)
        return arena_print(context->arena, "%s. %s", words,
                           hosted_price_until_words(context, &hosted->figures, NULL));
    const char *gpu = recommendation_gpus(from, best);
    return arena_print(context->arena, "%s: %s than %s x %s, %s %s.%s %s", words,
                       hosted->bill.total < best->total.middle ? "less" : "more",
                       context_count(context, best->gpu_count), gpu,
                       context_count(context, best->total.middle), context->answer.meta.currency,
                       hosted_price_cheapest_words(context, &hosted->figures, hosted->bill.total,
                                                   best->total.middle),
                       hosted_price_until_words(context, &hosted->figures, gpu));
}

void recommendation_price_hosted(struct recommendation *from)
{
    struct hosted_row *hosted = arena_alloc(from->context->arena, sizeof(*hosted));
    struct ownership own = ledger_of(from);
    struct hosted_load load;

    *hosted = (struct hosted_row){.payments = (double)NAN};
    hosted_price_choose(from->context, load_of(from, &load) ? &load : NULL, &hosted->choice);
    hosted_price_figures(from->context, &hosted->choice, &own, &hosted->figures);
    if (hosted_price_is_known(&hosted->choice)) {
        hosted_api_ledger(&hosted->choice.api, &own, (int)own.horizon_months, &hosted->bill);
        hosted->payments = 0;
        for (size_t i = 0; i < HOSTED_LINES; i++)
            if (strcmp(hosted->bill.lines[i].group, "recurring") == 0)
                hosted->payments += hosted->bill.lines[i].amount;
        find_until(from, own, hosted);
    }
    hosted->figures.hosted_sentence = sentence_of(from, hosted);
    from->hosted = hosted;
}

/* Where no option meets every limit, the API may keep the budget; no limit on latency is known to
 * be met. */
static const char *within_budget(const struct recommendation *from, const char *sentence)
{
    struct request_context *context = from->context;
    double months = from->in->horizon_months, paid = from->hosted->payments;
    double budget = recommendation_budget_of(from->in, months);

    if (!(paid <= budget))
        return sentence;
    return arena_print(context->arena,
                       "If your data may go to its provider, the hosted API %s: you pay %s in %.0f "
                       "month%s, and its response times are unknown. If not: %s",
                       isfinite(budget) ? "keeps the budget" : "remains",
                       currency_amount(context, paid), months, text_plural(months), sentence);
}

const char *recommendation_hosted_first(const struct recommendation *from, const char *sentence)
{
    struct request_context *context = from->context;
    const struct recommendation_option *best = recommended_of(from);

    if (!hosted_price_is_known(&from->hosted->choice))
        return sentence;
    if (!best)
        return within_budget(from, sentence);
    if (!(from->hosted->bill.total < best->total.middle))
        return sentence;
    return arena_print(context->arena,
                       "If your data may go to its provider, the hosted API costs least: %s over "
                       "%.0f month%s. If not: %s",
                       currency_amount(context, from->hosted->bill.total), from->in->horizon_months,
                       text_plural(from->in->horizon_months), sentence);
}

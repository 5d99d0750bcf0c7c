/* warnings.c - warnings of a recommendation: about prices, limits, delay and what the options
 * assume. */
#include "api/recommendation/warnings.h"

#include "api/recommendation/growth.h"
#include "api/recommendation/hosted.h"
#include "api/recommendation/search.h"
#include "api/recommendation/wording.h"
#include "api/inference/options_search.h"
#include "api/options/housing_step.h"
#include "api/options/sold_new.h"
#include "api/options/unusual_input.h"
#include "api/resource/currency.h"
#include "api/resource/gpu_warnings.h"
#include "api/resource/nearest_measurements.h"
#include "base/cents.h"
#include "estimate/ownership/facility.h"
#include "estimate/recommendation/option.h"

#include <math.h>
/* Warnings about the model hold for every option. */
static void warn_model(struct recommendation *recommendation)
{
    struct request_context *context = recommendation->context;

    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (recommendation->jobs[w])
            options_warn_model(context, recommendation->jobs[w]->questions[0].context);
    if (recommendation->service)
        options_warn_model(context, recommendation->service->kinds[0].context);
}

/* A rent that no provider is known to offer, or that is one of public lists. */
static void warn_rent(struct recommendation *recommendation, const struct recommendation_part *part)
{
    struct price price = recommendation_part_price(&recommendation->ask, part);

    if (part->acquisition < RECOMMENDATION_BOUGHT && price.per_gpu_hour > 0)
        pricing_warn_list(recommendation->context,
                          recommendation_acquisition_name(part->acquisition), part->gpu_count,
                          &price);
    if (price.n_derived)
        context_warn(recommendation->context, "derived_price",
                     "for %zu of the %zu providers behind the recommended rent of %s only an "
                     "on-demand price is known; the commitment is priced at that less a usual "
                     "discount: ask for a quote before you rely on it",
                     price.n_derived, price.n_offers,
                     recommendation->gpu_types[part->gpu_type].gpu->slug);
}

/* What is bought is paid for at the start, which a budget per month is only in the mean. */
static void warn_paid_at_start(struct recommendation *recommendation,
                               const struct recommendation_part *part)
{
    struct request_context *context = recommendation->context;
    struct ledger *ledger = arena_alloc(context->arena, sizeof(*ledger));
    double monthly = recommendation->in->budget_per_month;
    struct ownership own;

    if (!(monthly > 0) || part->acquisition != RECOMMENDATION_BOUGHT ||
        !recommendation_ledger(&recommendation->ask, part, &own))
        return;
    ownership_ledger(&own, part->months, ledger);
    double initial = ledger->group_cents[SIDE_BUY][GROUP_INITIAL] / 100;
    if (initial > monthly)
        context_warn(context, "paid_at_start",
                     "%s of that is paid at the start, %.3g times budget_per_month, which is a "
                     "mean over the time frame: without a loan or a lease this needs the cash",
                     currency_amount(context, initial), initial / monthly);
}

static void warn_parts(struct recommendation *recommendation,
                       const struct recommendation_option *best)
{
    for (size_t i = 0; i < best->n_parts; i++) {
        size_t gpu_type = best->parts[i].gpu_type;
        if (i == 0 || gpu_type != best->parts[i - 1].gpu_type)
            options_warn_licence(recommendation->context, recommendation->gpu_types[gpu_type].gpu);
        if (best->parts[i].acquisition == RECOMMENDATION_BOUGHT &&
            !recommendation_buys_used(recommendation, &best->parts[i]))
            options_warn_not_sold_new(recommendation->context,
                                      recommendation->gpu_types[gpu_type].gpu,
                                      recommendation->in->country);
        if (best->parts[i].acquisition == RECOMMENDATION_BOUGHT)
            options_warn_export(recommendation->context, recommendation->gpu_types[gpu_type].gpu,
                                recommendation->in->country);
        warn_rent(recommendation, &best->parts[i]);
        warn_paid_at_start(recommendation, &best->parts[i]);
    }
}

static void warn_stale(struct recommendation *recommendation)
{
    const struct recommendation_in *in = recommendation->in;
    struct request_context *context = recommendation->context;
    struct options_staleness stale = {0};

    for (size_t i = 0; i < recommendation->ask.n_gpu_types; i++) {
        struct price_query query = {.gpu = recommendation->gpu_types[i].gpu,
                                    .purchase_option = "on_demand",
                                    .provider = in->provider,
                                    .region = in->region,
                                    .provider_discounts = in->provider_discounts,
                                    .as_of = context->as_of};
        struct price price = catalog_price(context->catalog, &query);
        options_count_stale(context, &stale, &price);
    }
    options_warn_prices(context, 0, &stale, recommendation->ask.n_gpu_types);
}

static struct nearest_words nearest_of(const struct recommendation *recommendation,
                                       const struct recommendation_option *option,
                                       enum recommendation_workload workload)
{
    struct request_context *context = recommendation->context;

    if (workload == RECOMMENDATION_SERVE) {
        struct serving_option serving = *recommendation_serving(recommendation, option);
        return inference_options_compare(recommendation->service, &serving);
    }
    const struct options_found *found = recommendation_job(recommendation, option, workload);
    struct nearest_features asked = nearest_of_training(
        &recommendation->jobs[workload]->questions[found->candidate].job, &found->plan->on);
    return nearest_measurements_words(context, evidence_of(context->catalog, context->arena),
                                      &asked);
}

/* Times of the recommended option that no published run supports. */
static void warn_evidence(const struct recommendation *recommendation,
                          const struct recommendation_option *best)
{
    static const char *const names[RECOMMENDATION_WORKLOADS] = {"training", "fine-tuning",
                                                                "service"};

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++) {
        if (!recommendation->wanted[w])
            continue;
        if (w < RECOMMENDATION_JOBS)
            gpu_warnings_training(
                recommendation->context,
                recommendation->gpu_types[best->parts[best->part[w]].gpu_type].gpu);
        struct nearest_words words =
            nearest_of(recommendation, best, (enum recommendation_workload)w);
        if (!words.near)
            context_warn(recommendation->context, "no_near_measurement",
                         "no published run is similar to the recommended %s: %s; measure one "
                         "yourself on a rented GPU before you order",
                         names[w],
                         words.difference ? words.difference : "nothing similar was published");
    }
}

/* A list in which some options finish later than others, and waiting costs nothing. */
static void warn_delay(struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    double least = (double)INFINITY, most = 0;

    for (size_t i = 0; i < list->n; i++) {
        least = fmin(least, list->at[i].days.middle);
        most = fmax(most, list->at[i].days.middle);
    }
    if (most > least && recommendation->in->delay_cost_per_month == 0)
        context_warn(recommendation->context, "delay_unpriced",
                     "training takes %s depending on the option, and a later finish costs "
                     "nothing here; enter delay_cost_per_month to price it%s",
                     recommendation_duration(recommendation->context->arena, least, most),
                     recommendation_sooner(recommendation));
}

/* It is never recommended by itself, whatever its cost. */
static void warn_hosted(struct recommendation *recommendation)
{
    const struct hosted_row *hosted = recommendation->hosted;
    const struct recommendation_list *list = &recommendation->list;

    if (hosted_price_is_known(&hosted->choice) && list->recommended < list->n &&
        hosted->bill.total < list->at[list->recommended].total.middle)
        context_warn(recommendation->context, "hosted_costs_less",
                     "the hosted API costs less than the recommended option; it is listed last "
                     "and never recommended, because its provider sees the data: hosted=0 leaves "
                     "it out");
}

/* Warns about unconfirmed options that are cheaper, are the only ones within the limits, or are
 * recommended because nothing is confirmed. */
static void warn_unconfirmed(struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;

    for (size_t i = 0; i < list->n; i++) {
        const struct recommendation_option *option = &list->at[i];
        const char *doubt = option->confirmed ? NULL : recommendation_doubt(recommendation, option);
        if (!doubt || (i != list->recommended && !(option->roles & RECOMMENDATION_UNCONFIRMED)))
            continue;
        context_warn(recommendation->context, "unconfirmed_option", "option %zu %s: %s; %s", i + 1,
                     recommendation_unconfirmed(recommendation, i), doubt,
                     recommendation_remedy(option));
    }
}

/* Warns about a cheaper option that is not recommended because it may break a limit. */
static void warn_risky(struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;

    for (size_t i = 0; i < list->recommended && list->recommended < list->n; i++)
        if (list->at[i].within && !(list->at[i].roles & RECOMMENDATION_UNCONFIRMED)) {
            context_warn(
                recommendation->context, "riskier_option",
                list->at[i].keeps_up || !list->at[list->recommended].keeps_up
                    ? "option %zu costs less, but at the high ends of its intervals it misses "
                      "a limit that option %zu meets: that one is recommended"
                    : "option %zu costs less, but its replicas are so full that, if they are as "
                      "slow as its interval allows, they do not keep up with the load. Those of "
                      "option %zu do: that one is recommended",
                i + 1, list->recommended + 1);
            return;
        }
}

/* Warns if the recommended option itself misses a limit at the high end of its durations: no other
 * option is safer. */
static void warn_limit_at_risk(struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    const struct recommendation_option *best = &list->at[list->recommended];
    struct request_context *context = recommendation->context;

    if (list->recommended == list->n || (best->timely_high && best->paid_high))
        return;
    if (best->timely_high)
        context_warn(context, "limit_at_risk",
                     "you pay %s %s if training takes as long as the high end of its interval, "
                     "which exceeds the budget: no option listed is safer",
                     context_count(context, best->payments.high), currency_text(context, "USD"));
    else
        context_warn(context, "limit_at_risk",
                     "training takes %s at the high end of its interval, which misses the "
                     "deadline: no option listed is safer",
                     recommendation_duration_words(context->arena, best->days.high));
}

static void warn_growth(struct recommendation *recommendation)
{
    double months = recommendation->in->horizon_months;

    if (recommendation_grows(recommendation))
        context_warn(recommendation->context, "load_grows",
                     "the options carry the load of month %.0f, %.4g times that of today: bought "
                     "GPUs are there from the start, rented ones are added replica by replica as "
                     "it grows; see upgrade_path",
                     months, recommendation_growth_factor(recommendation, months));
}

/* Warns about housing under a desk if the caller did not choose it: it leaves out most of the cost
 * of a server room. */
static void warn_desk(const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    const struct recommendation_in *in = recommendation->in;
    struct arena *arena = recommendation->context->arena;
    const char *ranks = NULL;
    bool several = false;

    for (size_t i = 0; i < list->n && !in->housing && !in->hosting; i++) {
        const char *housing = recommendation_housing(recommendation, &list->at[i]);
        if (housing && strcmp(housing, "desk") == 0) {
            several = ranks != NULL;
            ranks = ranks ? arena_print(arena, "%s, %zu", ranks, i + 1)
                          : arena_print(arena, "%zu", i + 1);
            housing_step_warn_fans(recommendation->context,
                                   recommendation->gpu_types[list->at[i].parts[0].gpu_type].gpu);
        }
    }
    if (ranks)
        context_warn(recommendation->context, "on_a_desk",
                     "the GPUs bought in option%s %s are assumed to be under a desk, without "
                     "rack, network, transit or staff; housing=own_room and housing=colocation "
                     "include them%s",
                     several ? "s" : "", ranks, recommendation_off_desk(recommendation));
}

static bool rents(const struct recommendation_option *option)
{
    for (size_t i = 0; i < option->n_parts; i++)
        if (option->parts[i].acquisition < RECOMMENDATION_BOUGHT)
            return true;
    return false;
}

/* A buyer that states where bought GPUs stand may have no other place for them. */
static void warn_elsewhere(const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    const struct recommendation_in *in = recommendation->in;

    if ((in->housing || in->hosting) && list->recommended < list->n &&
        rents(&list->at[list->recommended]))
        context_warn(recommendation->context, "rented_elsewhere",
                     "%s applies to bought GPUs, but the recommended option rents GPUs in a "
                     "provider's data centre: if yours must be on site, purchase_options=owned "
                     "considers no others",
                     in->housing ? "housing" : "hosting");
}

/* The first option that is bought and takes a room only because its cards are too many for desks.
 */
static void warn_room(const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    const struct recommendation_in *in = recommendation->in;
    struct request_context *context = recommendation->context;

    for (size_t i = 0; i < list->n && !in->housing && !in->hosting; i++)
        for (size_t k = 0; k < list->at[i].n_parts; k++) {
            const struct recommendation_part *part = &list->at[i].parts[k];
            const struct gpu *gpu = recommendation->gpu_types[part->gpu_type].gpu;
            struct ownership own;
            if (part->acquisition != RECOMMENDATION_BOUGHT || gpu->board_gpu_count != 1 ||
                !recommendation_ledger(&recommendation->ask, part, &own) ||
                !housing_step_is_taken(&own, gpu))
                continue;
            housing_step_warn(context, &own,
                              arena_print(context->arena, "option %zu buys %s: ", i + 1, gpu->slug),
                              "housing=desk leaves them out");
            return;
        }
}

/* GPU types whose purchase was not considered although buying was. */
static void warn_not_sold_new(struct recommendation *recommendation)
{
    const struct recommendation_in *in = recommendation->in;
    size_t n = 0;

    for (size_t i = 0; i < recommendation->ask.n_gpu_types; i++) {
        const struct gpu *gpu = recommendation->gpu_types[i].gpu;
        double price = catalog_card_price(recommendation->context->catalog, gpu,
                                          recommendation->context->as_of, &(bool){false});
        n += !isnan(price) && recommendation_not_sold_new(recommendation, gpu) != NULL;
    }
    if (n && text_in_list(in->purchase_options, "owned"))
        context_warn(
            recommendation->context, "not_sold_new",
            "%zu of the %zu GPU types are no longer sold new, only in China or only by the "
            "rack, and were %s; ask for one by name to consider buying it",
            n, recommendation->ask.n_gpu_types,
            strcmp(in->purchase_options, "owned") == 0 ? "left out" : "considered for rent only");
}

static void warn_purchase_price(struct recommendation *recommendation,
                                const struct recommendation_part *part, struct ownership *own)
{
    struct request_context *context = recommendation->context;
    const struct gpu *gpu = recommendation->gpu_types[part->gpu_type].gpu;
    const struct hardware *server =
        catalog_server(context->catalog, gpu, own->gpus_per_node, context->as_of);

    if (!server || !server->quote)
        context_warn(context, "purchase_list_price",
                     "a server of %.0f is taken to cost %s, from public lists "
                     "(/v1/hardware?gpu=%s): no vendor was asked. A quote for this order "
                     "(/v1/quotes) replaces it",
                     own->gpus_per_node, currency_amount(context, own->server_price), gpu->slug);
}

static void warn_purchase(struct recommendation *recommendation,
                          const struct recommendation_part *part)
{
    struct request_context *context = recommendation->context;
    struct ownership own;

    if (!recommendation_ledger(&recommendation->ask, part, &own))
        return;
    warn_purchase_price(recommendation, part, &own);
    if (!own.housing || strcmp(own.housing, "desk") != 0)
        return;
    context_warn(context, "on_a_desk",
                 "the GPUs bought are assumed to be under a desk, without rack, network, "
                 "transit or staff; housing=own_room and housing=colocation include them");
    housing_step_warn_fans(context, recommendation->gpu_types[part->gpu_type].gpu);
}

static void warn_best(struct recommendation *recommendation,
                      const struct recommendation_affordable *best)
{
    struct request_context *context = recommendation->context;
    const struct recommendation_affordable *first = best - (size_t)(best->rank - 1);
    double budget = recommendation_budget_of(recommendation->in, best->months);

    if (cents_round(best->payments_high) > budget)
        context_warn(context, "limit_at_risk",
                     "you pay %s if the price of %s x %s is the high end of its interval, which "
                     "exceeds the budget: affordable_counts lists smaller numbers",
                     currency_amount(context, best->payments_high),
                     context_count(context, best->gpu_count), best->gpu);
    if (best->confirmed != 1)
        context_warn(context, "unconfirmed_option",
                     "row %.0f of affordable is recommended as no row is confirmed: %s; ask for a "
                     "quote and enter it at /v1/quotes to confirm it",
                     best->rank,
                     recommendation_doubt(recommendation,
                                          recommendation_affordable_option(recommendation, best)));
    else if (first != best)
        context_warn(context, "unconfirmed_option",
                     "row 1 of affordable has %.3g times the compute but is not recommended: %s; "
                     "ask for a quote and enter it at /v1/quotes to confirm it",
                     recommendation_compute_ratio(first, best),
                     recommendation_doubt(recommendation,
                                          recommendation_affordable_option(recommendation, first)));
}

void recommendation_warn_budget(struct recommendation *recommendation,
                                const struct recommendation_affordable *best)
{
    const struct recommendation_option *option =
        recommendation_affordable_option(recommendation, best);

    unusual_input_warn_rates(recommendation->context);
    warn_best(recommendation, best);
    warn_parts(recommendation, option);
    if (option->parts[0].acquisition == RECOMMENDATION_BOUGHT)
        warn_purchase(recommendation, &option->parts[0]);
    warn_stale(recommendation);
    warn_not_sold_new(recommendation);
}

/* A purchase is recommended at a price that no vendor has offered. */
static void warn_purchases(struct recommendation *recommendation,
                           const struct recommendation_option *best)
{
    const struct fields fields = recommendation->context->inputs.fields;
    bool given = fields_find(fields, "server_price") &&
                 (context_given(recommendation->context, "server_price") ||
                  context_given(recommendation->context, "gpu_card_price"));
    struct ownership own;

    for (size_t i = 0; i < best->n_parts && !given; i++)
        if (best->parts[i].acquisition == RECOMMENDATION_BOUGHT &&
            !recommendation_buys_used(recommendation, &best->parts[i]) &&
            recommendation_ledger(&recommendation->ask, &best->parts[i], &own)) {
            warn_purchase_price(recommendation, &best->parts[i], &own);
            options_warn_by_rack(recommendation->context,
                                 recommendation->gpu_types[best->parts[i].gpu_type].gpu,
                                 own.gpu_count);
        }
}

static bool any_used(const struct recommendation *recommendation)
{
    for (size_t i = 0; i < recommendation->ask.n_gpu_types; i++)
        if (recommendation->gpu_types[i].used && recommendation->gpu_types[i].may_buy)
            return true;
    return false;
}

void recommendation_warn(struct recommendation *recommendation, struct range latency)
{
    const struct recommendation_list *list = &recommendation->list;
    struct request_context *context = recommendation->context;

    unusual_input_warn_rates(context);
    warn_model(recommendation);
    if (recommendation->service)
        inference_demand_warn_recommended(context, latency, (double)NAN);
    warn_stale(recommendation);
    if (recommendation->in->hosting)
        context_warn(context, "deprecated", "hosting is the former name of housing");
    warn_delay(recommendation);
    warn_unconfirmed(recommendation);
    warn_risky(recommendation);
    warn_limit_at_risk(recommendation);
    warn_growth(recommendation);
    recommendation_warn_correction(recommendation);
    warn_desk(recommendation);
    warn_elsewhere(recommendation);
    warn_room(recommendation);
    warn_not_sold_new(recommendation);
    options_warn_used(context, any_used(recommendation));
    if (!list->n)
        answer_warn_first(&context->answer, "no_option",
                          "none of the options can do this at a known price; see ruled_out");
    else if (list->recommended == list->n)
        answer_warn_first(
            &context->answer, "no_option",
            arena_print(context->arena,
                        "no option%s meets every limit; the closest are listed, see ruled_out",
                        list->n_within ? " that may be recommended" : ""));
    else {
        warn_evidence(recommendation, &list->at[list->recommended]);
        warn_parts(recommendation, &list->at[list->recommended]);
        warn_purchases(recommendation, &list->at[list->recommended]);
        if (recommendation->service)
            inference_options_warn_lengths(
                context, recommendation->service,
                recommendation_serving(recommendation, &list->at[list->recommended]));
    }
    warn_hosted(recommendation);
}

/* refuse.c - all excluded GPU types, and the rule that excludes each. */
#include "api/recommendation/parse.h"
#include "api/recommendation/recommendation.h"
#include "api/recommendation/search.h"

#include "api/resource/currency.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/ownership/owned.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static void add(struct recommendation *recommendation, struct recommendation_ruled_out row)
{
    recommendation->ruled_out[recommendation->n_ruled_out++] = row;
}

/* A rule without figures. */
static struct recommendation_ruled_out plain(const struct gpu *gpu, const char *rule,
                                             const char *sentence)
{
    return (struct recommendation_ruled_out){.gpu = gpu->slug,
                                             .rule = rule,
                                             .value = (double)NAN,
                                             .threshold = (double)NAN,
                                             .sentence = sentence};
}

static struct recommendation_ruled_out measured(const struct gpu *gpu, const char *rule,
                                                double value, double threshold, const char *unit,
                                                const char *sentence)
{
    return (struct recommendation_ruled_out){gpu->slug, NULL, rule,    value,
                                             threshold, unit, sentence};
}

static void refuse_filtered(struct recommendation *recommendation, const struct gpu *gpu)
{
    const struct recommendation_in *in = recommendation->in;
    struct arena *arena = recommendation->context->arena;
    double memory = gpu->memory_marketed_bytes / GIB;

    if (in->gpu_vendor && strcasecmp(in->gpu_vendor, gpu->vendor) != 0)
        add(recommendation,
            plain(gpu, "vendor", arena_print(arena, "it is made by %s", gpu->vendor)));
    else if (in->datacenter_only == 1 && !gpu->datacenter_licensed)
        add(recommendation,
            plain(gpu, "licence", "its driver's licence forbids use in data centres"));
    else
        add(recommendation, measured(gpu, "min_gpu_memory_gb", memory, in->min_gpu_memory_gb, "GB",
                                     "it has less memory than asked for"));
}

/* The rule that excludes all prices: there is none at all, or the provider, the region or the
 * purchase options exclude them. */
static const char *price_rule(const struct recommendation *recommendation, const struct gpu *gpu)
{
    const struct recommendation_in *in = recommendation->in;
    struct price_query query = {
        .gpu = gpu, .purchase_option = "on_demand", .as_of = recommendation->context->as_of};
    const struct catalog *catalog = recommendation->context->catalog;

    if (isnan(catalog_price(catalog, &query).per_gpu_hour))
        return "price";
    query.provider = in->provider;
    if (in->provider && isnan(catalog_price(catalog, &query).per_gpu_hour))
        return "provider";
    query.region = in->region;
    if (in->region && isnan(catalog_price(catalog, &query).per_gpu_hour))
        return "region";
    return "purchase_options";
}

static void refuse_unpriced(struct recommendation *recommendation, const struct gpu *gpu)
{
    struct arena *arena = recommendation->context->arena;
    const char *rule = price_rule(recommendation, gpu);
    const char *unsold = recommendation_not_sold_new(recommendation, gpu);

    if (unsold && text_in_list(recommendation->in->purchase_options, "owned"))
        add(recommendation, plain(gpu, "sold_new",
                                  arena_print(arena,
                                              "it %s, and no rent is known for this job; name it "
                                              "in gpu to consider buying it",
                                              unsold)));
    else if (strcmp(rule, "price") == 0)
        add(recommendation, plain(gpu, rule, "no rental or purchase price is known for that day"));
    else
        add(recommendation,
            plain(gpu, rule, arena_print(arena, "it has prices, but none matches %s", rule)));
}

/* Repeat the searches' refusals of the type; returns their number. */
static size_t repeat(struct recommendation *recommendation, const struct gpu *gpu,
                     enum recommendation_workload workload, const struct options_refusal *refusals,
                     size_t n)
{
    size_t repeated = 0;

    for (size_t i = 0; i < n; i++)
        if (strcmp(refusals[i].gpu, gpu->slug) == 0) {
            struct recommendation_ruled_out row =
                plain(gpu, refusals[i].reason, refusals[i].sentence);
            row.workload = recommendation_workload(workload);
            add(recommendation, row);
            repeated++;
        }
    return repeated;
}

static size_t repeat_service(struct recommendation *recommendation, const struct gpu *gpu)
{
    const struct inference_options *service = recommendation->service;

    return repeat(recommendation, gpu, RECOMMENDATION_SERVE, service->list.refusals,
                  service->list.n_refusals);
}

/* Types refused by the searches. */
static void refuse_unable(struct recommendation *recommendation,
                          const struct recommendation_gpu_type *gpu_type)
{
    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (recommendation->wanted[w] && !gpu_type->n_configurations[w])
            repeat(recommendation, gpu_type->gpu, (enum recommendation_workload)w,
                   recommendation->jobs[w]->list.refusals,
                   recommendation->jobs[w]->list.n_refusals);
    if (recommendation->wanted[RECOMMENDATION_SERVE] &&
        !gpu_type->n_configurations[RECOMMENDATION_SERVE])
        repeat_service(recommendation, gpu_type->gpu);
}

/* Also refuses a type if only 4-bit weights meet a latency limit. */
static void refuse_slow(struct recommendation *recommendation, const struct gpu *gpu,
                        const struct recommendation_verdict *verdict)
{
    if (!repeat_service(recommendation, gpu))
        add(recommendation,
            measured(gpu, "latency_p95", verdict->value, recommendation->in->latency_p95_seconds,
                     "s", "no design with it meets the service's time limits"));
}

/* Three digits, or whole days with their thousands apart. */
static const char *days_text(struct request_context *context, double days)
{
    const double three_digits = 999.5;

    return days < three_digits ? arena_print(context->arena, "%.3g", days)
                               : context_count(context, round(days));
}

/* The default limit on GPUs, which nobody asked for; "" if there is none. */
static const char *most_gpus(const struct recommendation *recommendation)
{
    const struct request_context *context = recommendation->context;
    double most = recommendation->in->gpu_count_max;

    return most < TRAINING_GPUS_MAX && !context_given(context, "gpu_count_max")
               ? arena_join(context->arena, " on up to ",
                            context_count(recommendation->context, most), " GPUs (gpu_count_max)")
               : "";
}

static void refuse_measured(struct recommendation *recommendation, const struct gpu *gpu,
                            const struct recommendation_verdict *verdict)
{
    struct arena *arena = recommendation->context->arena;
    double value = verdict->value, limit = verdict->limit;
    const char *rule = verdict->rule == RECOMMENDATION_BUDGET             ? "budget"
                       : verdict->rule == RECOMMENDATION_BUDGET_PER_MONTH ? "budget_per_month"
                       : verdict->rule == RECOMMENDATION_DEADLINE         ? "deadline"
                                                                          : "horizon";
    bool money = verdict->rule >= RECOMMENDATION_BUDGET;
    const char *sentence =
        money ? arena_join(arena, "what is asked for costs at least ",
                           currency_amount(recommendation->context, value), "; the budget is ",
                           currency_amount(recommendation->context, limit))
              : arena_print(arena, "the jobs take at least %s days%s; the %s is %s day%s",
                            days_text(recommendation->context, value), most_gpus(recommendation),
                            verdict->rule == RECOMMENDATION_DEADLINE &&
                                    !context_given(recommendation->context, "deadline_days")
                                ? "usual limit (deadline_days)"
                                : "limit",
                            days_text(recommendation->context, limit), text_plural(limit));

    add(recommendation, measured(gpu, rule, value, limit, money ? "USD" : "days", sentence));
}

static void refuse_power(struct recommendation *recommendation, const struct gpu *gpu,
                         double least_kw, bool rentable)
{
    double limit = recommendation->in->power_budget_kw;

    add(recommendation,
        measured(gpu, "power", least_kw, limit, "kW",
                 arena_print(recommendation->context->arena,
                             "%s it takes at least %.10g kW at the meter; power_budget_kw is "
                             "%.6g kW",
                             rentable ? "renting it is possible, but buying" : "buying",
                             owned_power_told(least_kw), limit)));
}

static void refuse_kind(struct recommendation *recommendation, size_t i)
{
    const struct recommendation_verdict *verdict = &recommendation->list.verdicts[i];
    const struct gpu *gpu = recommendation->gpu_types[i].gpu;

    switch (verdict->rule) {
    case RECOMMENDATION_RULED_IN:
        if (!isnan(verdict->buy_power_kw))
            refuse_power(recommendation, gpu, verdict->buy_power_kw, true);
        break;
    case RECOMMENDATION_POWER:
        refuse_power(recommendation, gpu, verdict->value, false);
        break;
    case RECOMMENDATION_NO_WAY:
        refuse_unable(recommendation, &recommendation->gpu_types[i]);
        break;
    case RECOMMENDATION_NO_PRICE:
        refuse_unpriced(recommendation, gpu);
        break;
    case RECOMMENDATION_LATENCY:
        refuse_slow(recommendation, gpu, verdict);
        break;
    default:
        refuse_measured(recommendation, gpu, verdict);
    }
}

static bool considered(const struct recommendation *recommendation, const struct gpu *gpu)
{
    for (size_t i = 0; i < recommendation->ask.n_gpu_types; i++)
        if (recommendation->gpu_types[i].gpu == gpu)
            return true;
    return false;
}

void recommendation_rule_out(struct recommendation *recommendation)
{
    const struct catalog *catalog = recommendation->context->catalog;
    const char *listed = recommendation->in->gpu;

    recommendation->ruled_out = arena_alloc(recommendation->context->arena,
                                            (RECOMMENDATION_WORKLOADS * catalog->n_gpus + 1) *
                                                sizeof(*recommendation->ruled_out));
    for (size_t i = 0; i < recommendation->ask.n_gpu_types; i++)
        refuse_kind(recommendation, i);
    for (size_t i = 0; i < catalog->n_gpus; i++)
        if (!considered(recommendation, &catalog->gpus[i]) &&
            (!listed || text_in_list(listed, catalog->gpus[i].slug)))
            refuse_filtered(recommendation, &catalog->gpus[i]);
}

/* reasons.c - compares the figures of each option with its limits, buying with renting, and the
 * option with another of the list. */
#include "api/recommendation/reasons.h"

#include "api/recommendation/search.h"
#include "api/recommendation/wording.h"
#include "api/resource/currency.h"
#include "base/cents.h"
#include "estimate/recommendation/option.h"

#include <math.h>
#include <string.h>

#define TABLE recommendation_reason
#define TABLE_FILE "api/recommendation/reason.def"
#include "base/field/table.h"

const struct fields recommendation_reason_table = FIELDS_INIT(recommendation_reason_rows);

enum { REASONS_MAX = 16 }; /* per option */

bool recommendation_has_jobs(const struct recommendation *recommendation)
{
    return recommendation->wanted[RECOMMENDATION_TRAIN] ||
           recommendation->wanted[RECOMMENDATION_FINETUNE];
}

struct reasons {
    struct recommendation_reason *at;
    size_t n;
};

/* A figure with its unit for a sentence: "2,048 USD", "2.79 USD per GPU-hour". */
static const char *figure_text(const struct recommendation_row_of *of, double value,
                               const char *unit)
{
    const double whole = 1000;
    struct request_context *context = of->recommendation->context;

    if (isnan(value))
        return "none";
    if (!unit[0])
        return arena_print(context->arena, "%.3g%%", 100 * value);
    if (strcmp(unit, "days") == 0)
        return recommendation_duration_words(context->arena, value);
    unit = currency_text(context, unit);
    const char *per = strchr(unit, '/');
    const char *number = fabs(value) >= whole ? context_count(context, value)
                         : per                ? arena_print(context->arena, "%.2f", value)
                                              : arena_print(context->arena, "%.4g", value);
    return per ? arena_print(context->arena, "%s %.*s per %s", number, (int)(per - unit), unit,
                             per + 1)
               : arena_print(context->arena, "%s %s", number, unit);
}

/* A figure of an option, and what it is compared with; NAN if unknown or if there is none. */
struct compared {
    const char *code;
    double value, threshold;
    const char *unit; /* of both; "" for a ratio */
};

/* Money to the cent, as the rest of the answer has it; other figures in 6 digits. */
static double rounded(double value, const char *unit)
{
    const double digits = 6;

    if (strcmp(unit, "USD") == 0)
        return cents_round(value);
    if (!isfinite(value) || value == 0)
        return value;
    double scale = pow(10, digits - 1 - floor(log10(fabs(value))));
    return round(value * scale) / scale;
}

static void add_reason(const struct recommendation_row_of *of, struct reasons *reasons,
                       const struct compared *compared, const char *sentence)
{
    bool known = !isnan(compared->value) && !isnan(compared->threshold);

    reasons->at[reasons->n++] = (struct recommendation_reason){
        .option = of->row->rank,
        .code = compared->code,
        .value = rounded(compared->value, compared->unit),
        .threshold = rounded(compared->threshold, compared->unit),
        .unit = currency_text(of->recommendation->context, compared->unit),
        .kept = known ? compared->value <= compared->threshold : (double)NAN,
        .sentence = sentence,
    };
}

/* Add a figure named `what` with its limit. */
static void add_limit(const struct recommendation_row_of *of, struct reasons *reasons,
                      const struct compared *compared, const char *what)
{
    if (!isnan(compared->value) || !isnan(compared->threshold))
        add_reason(of, reasons, compared,
                   arena_print(of->recommendation->context->arena, "%s: %s; limit: %s", what,
                               figure_text(of, compared->value, compared->unit),
                               figure_text(of, compared->threshold, compared->unit)));
}

static void add_limits(const struct recommendation_row_of *of, struct reasons *reasons)
{
    const struct recommendation_in *in = of->recommendation->in;
    const struct recommendation_row *row = of->row;

    if (!isnan(in->budget))
        add_limit(of, reasons, &(struct compared){"budget", row->payments, in->budget, "USD"},
                  "paid over the time frame");
    if (!isnan(in->budget_per_month))
        add_limit(of, reasons,
                  &(struct compared){"budget_per_month", row->payments / in->horizon_months,
                                     in->budget_per_month, "USD/month"},
                  "paid on average");
    if (!isnan(in->power_budget_kw))
        add_limit(of, reasons,
                  &(struct compared){"power", row->power_kw, in->power_budget_kw, "kW"},
                  "drawn at your meter at most");
    if (recommendation_has_jobs(of->recommendation))
        add_limit(of, reasons, &(struct compared){"deadline", row->days, in->deadline_days, "days"},
                  "training time");
    if (!isnan(in->latency_p95_seconds))
        add_limit(of, reasons,
                  &(struct compared){"latency_p95", row->latency_p95_seconds_estimate,
                                     in->latency_p95_seconds, "s"},
                  "response time of 95% of requests");
    if (of->recommendation->wanted[RECOMMENDATION_TRAIN])
        add_limit(of, reasons,
                  &(struct compared){"train_memory", row->train_memory_per_gpu_gib,
                                     row->train_memory_capacity_gib, "GiB"},
                  "memory that training uses on each GPU");
    if (of->recommendation->wanted[RECOMMENDATION_FINETUNE])
        add_limit(of, reasons,
                  &(struct compared){"finetune_memory", row->finetune_memory_per_gpu_gib,
                                     row->finetune_memory_capacity_gib, "GiB"},
                  "memory that fine-tuning uses on each GPU");
}

/* If GPUs are bought although renting costs less: the only provider that rents them out, which
 * leaves the rent unconfirmed. */
static const char *only_renter(const struct recommendation_row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_part *part = recommendation_weighed(recommendation, of->option);

    if (part->acquisition != RECOMMENDATION_BOUGHT ||
        of->weighed->ledger.buy_total <= of->weighed->ledger.rent_total)
        return "";
    struct price rent = recommendation_part_price(&recommendation->ask, part);
    if (rent.n_offers != 1)
        return "";
    return arena_join(
        recommendation->context->arena, ", but only one provider, ",
        catalog_provider_name(recommendation->ask.catalog, rent.offers[0].rental->provider),
        ", is known to rent them out");
}

/* Buying compared with renting the same GPUs: at the horizon, and where the verdict turns. */
static void add_turns(const struct recommendation_row_of *of, struct reasons *reasons)
{
    const struct break_even *weighed = of->weighed;

    if (!weighed || isnan(weighed->ledger.buy_total) || isnan(weighed->ledger.rent_total))
        return;
    struct arena *arena = of->recommendation->context->arena;
    double month = weighed->months, used = of->own.utilization;
    double rent = of->own.rent_price_per_gpu_hour;
    const struct threshold *utilization = &weighed->utilization;
    const struct threshold *price = &weighed->rent_price_per_gpu_hour;

    add_reason(of, reasons,
               &(struct compared){"buy_or_rent", weighed->ledger.buy_total,
                                  weighed->ledger.rent_total, "USD"},
               arena_print(arena, "buying these GPUs costs %s, renting them %s%s",
                           figure_text(of, weighed->ledger.buy_total, "USD"),
                           figure_text(of, weighed->ledger.rent_total, "USD"), only_renter(of)));
    add_reason(of, reasons,
               &(struct compared){"break_even_months", month, of->own.horizon_months, "months"},
               isnan(month)
                   ? arena_print(arena, "buying costs more than renting throughout all %.0f months",
                                 weighed->search_months)
                   : arena_print(arena, "buying becomes cheaper in month %.3g", month));
    add_reason(
        of, reasons, &(struct compared){"break_even_utilization", utilization->value, used, ""},
        isnan(utilization->value)
            ? arena_print(arena, "no utilization changes that; here it is %s",
                          figure_text(of, used, ""))
            : arena_print(arena, "that changes at a utilization of %s; here it is %s",
                          figure_text(of, utilization->value, ""), figure_text(of, used, "")));
    add_reason(of, reasons,
               &(struct compared){"break_even_rent_price", price->value, rent, "USD/GPU-hour"},
               isnan(price->value)
                   ? arena_print(arena, "no rent changes that; here it is %s",
                                 figure_text(of, rent, "USD/GPU-hour"))
                   : arena_print(arena, "that changes at a rent of %s; here it is %s",
                                 figure_text(of, price->value, "USD/GPU-hour"),
                                 figure_text(of, rent, "USD/GPU-hour")));
}

/* ---- one option against another */

/* The option to compare with: for the recommended one the next eligible, else the previous; for
 * others the recommended one; `n` if there is none. */
static size_t held_against(const struct recommendation_list *list, size_t i)
{
    size_t best = list->recommended;

    if (best == list->n || i != best)
        return best;
    for (size_t k = best + 1; k < list->n; k++)
        if (list->at[k].confirmed == list->at[best].confirmed)
            return k;
    return best > 0 ? best - 1 : list->n;
}

/* Times that differ by less than 1 % are equal, since neither is known that precisely. */
static bool differ(double time, double other)
{
    const double same = 0.01;

    return fabs(time - other) > same * fmax(time, other);
}

static const char *days_between(struct arena *arena, double days, double other)
{
    if (!differ(days, other))
        return "";
    return arena_print(arena, ", finishing %s %s",
                       recommendation_duration_words(arena, fabs(days - other)),
                       days > other ? "later" : "sooner");
}

static const char *latency_between(struct arena *arena, double seconds, double other)
{
    if (!differ(seconds, other))
        return "";
    return arena_print(arena, ", with 95%% of answers within %.3g s instead of %.3g s", seconds,
                       other);
}

/* Why a cheaper option is not recommended. */
static const char *but(const struct recommendation_row_of *of,
                       const struct recommendation_option *best)
{
    const char *doubt =
        of->option->confirmed ? NULL : recommendation_doubt(of->recommendation, of->option);

    if (!of->option->within && best->within)
        return ", but misses a limit";
    if (!of->option->keeps_up && best->keeps_up)
        return ", but does not keep up with the load at the slow end of its interval";
    if (!of->option->within_high && best->within_high)
        return ", but misses a limit at the high ends of its intervals";
    if (!of->option->timely_high && best->timely_high)
        return ", but misses the deadline at the high end of its interval";
    return doubt ? arena_join(of->recommendation->context->arena, ", but is not confirmed: ", doubt)
                 : "";
}

static void add_other(const struct recommendation_row_of *of, size_t i, struct reasons *reasons)
{
    const struct recommendation_list *list = &of->recommendation->list;
    const struct recommendation_option *option = &list->at[i];
    struct arena *arena = of->recommendation->context->arena;
    size_t k = held_against(list, i);

    if (k == list->n)
        return;
    const struct recommendation_option *other = &list->at[k];
    double more = option->total.middle - other->total.middle;
    add_reason(of, reasons,
               &(struct compared){"other_option", option->total.middle, other->total.middle, "USD"},
               arena_print(arena, "costs %s %s than option %zu%s%s%s%s",
                           figure_text(of, fabs(more), "USD"), more > 0 ? "more" : "less", k + 1,
                           k == list->recommended ? ", the recommended one" : "",
                           days_between(arena, option->days.middle, other->days.middle),
                           latency_between(arena, option->latency.middle, other->latency.middle),
                           k == list->recommended ? but(of, other) : ""));
}

/* ---- rent billed beyond the hours that the GPUs work */

/* The part that idles most of its billed time. */
static const struct recommendation_part *most_idle(const struct recommendation_option *option)
{
    const struct recommendation_part *most = &option->parts[0];

    for (size_t i = 1; i < option->n_parts; i++)
        if (option->parts[i].unused_ratio > most->unused_ratio)
            most = &option->parts[i];
    return most;
}

/* Adds the billed time of an option and, at the fastest one, why a faster cluster is not listed. */
static void add_billed(const struct recommendation_row_of *of, struct reasons *reasons)
{
    const double noticeable = 1.05;
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_option *idle = &recommendation->list.idle;
    struct request_context *context = recommendation->context;
    struct compared billed = {"billed_time", of->option->billed_ratio, PRICE_BILLED_RATIO_MAX,
                              "hours"};

    if (billed.value > noticeable)
        add_limit(of, reasons, &billed, "rent billed per hour that its GPUs work");
    if (!idle->n_parts || !(of->option->roles & RECOMMENDATION_FASTEST))
        return;
    const struct recommendation_part *part = most_idle(idle);
    billed.value = idle->billed_ratio;
    add_reason(of, reasons, &billed,
               arena_print(context->arena,
                           "%s x %s would take %s for %s, but are not offered as the fastest: "
                           "rent billed per hour that they work: %s; limit: %s",
                           context_count(context, part->gpu_count),
                           recommendation->gpu_types[part->gpu_type].gpu->slug,
                           recommendation_duration_words(context->arena, idle->days.middle),
                           figure_text(of, idle->total.middle, "USD"),
                           figure_text(of, billed.value, billed.unit),
                           figure_text(of, billed.threshold, billed.unit)));
}

void recommendation_add_reasons(const struct recommendation_row_of *of, size_t n,
                                struct request_context *context)
{
    struct reasons reasons = {
        arena_alloc(context->arena, (n + 1) * REASONS_MAX * sizeof(*reasons.at)), 0};

    for (size_t i = 0; i < n; i++) {
        add_limits(&of[i], &reasons);
        add_turns(&of[i], &reasons);
        add_other(&of[i], i, &reasons);
        add_billed(&of[i], &reasons);
    }
    context_table(context, "reasons", reasons.at, reasons.n, sizeof(*reasons.at));
}

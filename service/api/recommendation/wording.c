/* wording.c - describes an option in words, from its figures. */
#include "api/recommendation/wording.h"
#include "api/options/options.h"
#include "api/recommendation/search.h"
#include "api/resource/currency.h"
#include "base/units.h"
#include "estimate/recommendation/option.h"

#include <math.h>
#include <string.h>

static bool has_acquisition(const struct recommendation_option *option,
                            enum recommendation_acquisition from,
                            enum recommendation_acquisition to)
{
    for (size_t i = 0; i < option->n_parts; i++)
        if (option->parts[i].acquisition >= from && option->parts[i].acquisition <= to)
            return true;
    return false;
}

const char *recommendation_acquisition(const struct recommendation_option *option)
{
    bool rents = has_acquisition(option, RECOMMENDATION_ON_DEMAND, RECOMMENDATION_RESERVED_3YR);
    bool buys = has_acquisition(option, RECOMMENDATION_BOUGHT, RECOMMENDATION_BOUGHT);

    return rents && buys ? "rent_and_buy" : buys ? "buy" : rents ? "rent" : "in_hand";
}

static bool one_gpu_type(const struct recommendation_option *option)
{
    for (size_t i = 1; i < option->n_parts; i++)
        if (option->parts[i].gpu_type != option->parts[0].gpu_type)
            return false;
    return true;
}

/* NULL if the GPUs are not bought. */
static const char *housing_of(const struct recommendation *recommendation,
                              const struct recommendation_part *part)
{
    struct ownership own;

    return part->acquisition == RECOMMENDATION_BOUGHT &&
                   recommendation_ledger(&recommendation->ask, part, &own)
               ? own.housing
               : NULL;
}

const char *recommendation_housing(const struct recommendation *recommendation,
                                   const struct recommendation_option *option)
{
    const char *housing = NULL;

    for (size_t i = 0; i < option->n_parts && !housing; i++)
        housing = housing_of(recommendation, &option->parts[i]);
    return housing;
}

const char *recommendation_gpus(const struct recommendation *recommendation,
                                const struct recommendation_option *option)
{
    const char *text = recommendation->gpu_types[option->parts[0].gpu_type].gpu->slug;

    if (one_gpu_type(option))
        return text;
    for (size_t i = 1; i < option->n_parts; i++)
        text = arena_print(recommendation->context->arena, "%s,%s", text,
                           recommendation->gpu_types[option->parts[i].gpu_type].gpu->slug);
    return text;
}

/* How GPUs are acquired, in the order of enum recommendation_acquisition. */
static const char *const acquisition_words[RECOMMENDATION_ACQUISITIONS] = {
    "rented by the hour",       "rented as spot", "reserved for a year",
    "reserved for three years", "bought",         "in hand already"};

/* How many GPUs are paid for, if more than the service runs on, or else that they are under a desk.
 */
static const char *servers_text(const struct recommendation *recommendation,
                                const struct recommendation_part *part)
{
    double all = part->paid_gpus;
    const char *housing = housing_of(recommendation, part);

    if (all > part->gpu_count)
        return arena_join(recommendation->context->arena, " in whole servers, ",
                          context_count(recommendation->context, all), " GPUs");
    return housing && strcmp(housing, "desk") == 0 ? " and kept under a desk" : "";
}

bool recommendation_buys_used(const struct recommendation *recommendation,
                              const struct recommendation_part *part)
{
    return part->acquisition == RECOMMENDATION_BOUGHT &&
           recommendation->gpu_types[part->gpu_type].used;
}

static const char *acquisition_text(const struct recommendation *recommendation,
                                    const struct recommendation_part *part)
{
    bool bought = part->acquisition == RECOMMENDATION_BOUGHT;
    struct price rent = recommendation_part_price(&recommendation->ask, part);

    if (part->acquisition < RECOMMENDATION_BOUGHT && rent.per_gpu_hour == 0)
        return "already paid for";
    if (part->acquisition == RECOMMENDATION_ON_DEMAND && rent.term_hours > 0)
        return arena_print(recommendation->context->arena, "reserved for at least %.6g day%s",
                           rent.term_hours / HOURS_PER_DAY,
                           text_plural(rent.term_hours / HOURS_PER_DAY));
    return bought && recommendation_buys_used(recommendation, part)
               ? "bought used"
               : acquisition_words[part->acquisition];
}

static const char *correction_text(const struct recommendation *recommendation,
                                   const struct recommendation_option *option,
                                   enum recommendation_workload workload)
{
    struct recommendation_correction of =
        recommendation_correction(recommendation, option, workload);

    if (!(of.runs > 0))
        return "";
    return arena_print(recommendation->context->arena,
                       ", corrected by x %.3g from %.0f run%s (%.3g %s without),", of.factor,
                       of.runs, of.runs == 1 ? "" : "s", of.without,
                       workload == RECOMMENDATION_SERVE ? "s" : "days");
}

/* Two significant digits, or whole numbers from 10: in minutes below an hour, in hours below 1.5
 * days, else in days. */
static const char *duration_text(struct arena *arena, double days, const char **unit)
{
    const double hours = days * HOURS_PER_DAY;
    const double amount = hours < 1 ? hours * 60 : days < 1.5 ? hours : days;

    const char *text = arena_print(arena, amount < 10 ? "%.2g" : "%.0f", amount);

    *unit = hours < 1 ? "minutes" : days < 1.5 ? "hours" : "days";
    if (strcmp(text, "1") == 0)
        *unit = hours < 1 ? "minute" : days < 1.5 ? "hour" : "day";
    return text;
}

const char *recommendation_duration_words(struct arena *arena, double days)
{
    const char *unit, *amount = duration_text(arena, days, &unit);

    return arena_print(arena, "%s %s", amount, unit);
}

const char *recommendation_duration(struct arena *arena, double least, double most)
{
    const char *unit, *last_unit;
    const char *from = duration_text(arena, least, &unit);
    const char *to = duration_text(arena, most, &last_unit);

    return strncmp(unit, last_unit, 3) == 0 /* "1 to 2 hours" */
               ? arena_print(arena, "%s to %s %s", from, to, last_unit)
               : arena_print(arena, "%s %s to %s %s", from, unit, to, last_unit);
}

static const char *phase_text(const struct recommendation *recommendation,
                              const struct recommendation_option *option,
                              enum recommendation_workload workload, bool first)
{
    static const char *const verbs[][RECOMMENDATION_WORKLOADS] = {{"train", "fine-tune", "serve"},
                                                                  {"Train", "Fine-tune", "Serve"}};
    struct arena *arena = recommendation->context->arena;
    const struct recommendation_part *part = recommendation_part(option, workload);
    const struct recommendation_configuration *configuration =
        recommendation_configuration_of(&recommendation->ask, option, workload);
    const char *unit, *amount = duration_text(arena, configuration->time.middle, &unit);
    const char *time =
        workload == RECOMMENDATION_SERVE
            ? arena_print(arena, "(95%% of answers within %.3g s)", configuration->time.middle)
            : arena_print(arena, "in %s %s (%s)", amount, unit,
                          recommendation_duration(arena, configuration->time.low,
                                                  configuration->time.high));

    return arena_print(arena, "%s %s%s on %s x %s, %s%s", verbs[first][workload], time,
                       correction_text(recommendation, option, workload),
                       context_count(recommendation->context, configuration->gpu_count),
                       recommendation->gpu_types[part->gpu_type].gpu->slug,
                       acquisition_text(recommendation, part), servers_text(recommendation, part));
}

/* Whole currency units; small amounts with cents. */
static const char *amount_text(struct request_context *context, double amount)
{
    const double small = 100;

    return fabs(amount) < small ? arena_print(context->arena, "%.2f", amount)
                                : context_count(context, amount);
}

/* What the total includes but the payments do not. */
static const char *total_words(const struct recommendation_option *option)
{
    bool buys = has_acquisition(option, RECOMMENDATION_BOUGHT, RECOMMENDATION_BOUGHT);

    if (option->delay_cost > 0)
        return buys ? "with cost of capital, delay and resale" : "with cost of capital and delay";
    return buys ? "with cost of capital and resale" : "with cost of capital";
}

const char *recommendation_sentence(const struct recommendation *recommendation,
                                    const struct recommendation_option *option)
{
    struct arena *arena = recommendation->context->arena;
    const char *text = "";

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (recommendation->wanted[w])
            text = arena_print(
                arena, "%s%s%s", text, text[0] ? "; " : "",
                phase_text(recommendation, option, (enum recommendation_workload)w, !text[0]));
    struct request_context *context = recommendation->context;
    const char *currency = context->answer.meta.currency;
    const char *paid = amount_text(context, option->payments.middle);
    const char *total = amount_text(context, option->total.middle);
    double months = recommendation->in->horizon_months;
    bool buys = has_acquisition(option, RECOMMENDATION_BOUGHT, RECOMMENDATION_BOUGHT);
    if (!recommendation->wanted[RECOMMENDATION_SERVE] && strcmp(paid, total) == 0)
        return arena_print(arena, "%s: you pay %s %s.", text, paid, currency);
    if (!recommendation->wanted[RECOMMENDATION_SERVE])
        return arena_print(arena, "%s: you pay %s %s, %s %s %s %s.", text, paid, currency, total,
                           currency, total_words(option),
                           buys ? "once that is done" : "until that is done");
    return arena_print(arena, "%s: you pay %s %s in %.0f month%s, %s %s %s.", text, paid, currency,
                       months, text_plural(months), total, currency, total_words(option));
}

/* Why an option is not recommended: the limits it misses, or that it is not confirmed.
 */
static const char *failing_words(const struct recommendation *recommendation,
                                 const struct recommendation_option *option)
{
    struct request_context *context = recommendation->context;
    struct arena *arena = context->arena;
    const char *deadline = context_given(context, "deadline_days")
                               ? "the deadline"
                               : arena_print(arena, "the usual deadline of %.6g days",
                                             recommendation->in->deadline_days);
    const struct {
        bool kept;
        const char *words;
    } limits[] = {{option->paid, "the budget"},
                  {option->paid_monthly, "the monthly budget"},
                  {option->in_time, deadline},
                  {option->quick, "the limits on latency"},
                  {option->powered, "the power budget"}};
    const char *missed = NULL;

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (!limits[i].kept)
            missed = missed ? arena_join(arena, missed, " and ", limits[i].words) : limits[i].words;
    return missed ? arena_join(arena, "misses ", missed) : "is not confirmed";
}

const char *recommendation_none_sentence(const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    struct arena *arena = recommendation->context->arena;
    size_t i = 0;

    if (!list->n)
        return "No GPU can do this at a known price.";
    while (i < list->n && !list->at[i].within && !(list->at[i].roles & RECOMMENDATION_NEAREST))
        i++;
    const struct recommendation_option *nearest = &list->at[i < list->n ? i : 0];
    return arena_print(arena, "No option%s meets every limit. Nearest is option %zu, which %s: %s",
                       list->n_within ? " that may be recommended" : "", i < list->n ? i + 1 : 1,
                       failing_words(recommendation, nearest),
                       recommendation_sentence(recommendation, nearest));
}

static const struct options_caveat *caveat_of(const struct recommendation_part *part)
{
    return part->unlinked ? &options_unlinked : part->tight ? &options_tight : NULL;
}

const char *recommendation_doubt(const struct recommendation *recommendation,
                                 const struct recommendation_option *option)
{
    struct arena *arena = recommendation->context->arena;

    for (size_t i = 0; i < option->n_parts; i++) {
        const struct recommendation_part *part = &option->parts[i];
        if (recommendation_part_is_confirmed(part))
            continue;
        const char *what = arena_print(arena, "%s x %s (%s)",
                                       context_count(recommendation->context, part->gpu_count),
                                       recommendation->gpu_types[part->gpu_type].gpu->slug,
                                       acquisition_text(recommendation, part));
        if (part->resold)
            return arena_print(
                arena,
                "%s for %d month%s cost less than renting them only if they can then be sold at "
                "the price that annual_value_retention implies, and no buyer was asked",
                what, part->months, part->months == 1 ? "" : "s");
        const struct options_caveat *caveat = caveat_of(part);
        if (caveat)
            return caveat->doubt;
        struct price price = recommendation_part_price(&recommendation->ask, part);
        return options_doubt(recommendation->context, part->doubt, &price, what);
    }
    return NULL;
}

const char *recommendation_remedy(const struct recommendation_option *option)
{
    size_t i = 0;

    while (i + 1 < option->n_parts && recommendation_part_is_confirmed(&option->parts[i]))
        i++;
    const struct options_caveat *caveat = caveat_of(&option->parts[i]);
    if (caveat)
        return caveat->remedy;
    return option->parts[i].resold
               ? "if you have more work for them, /v1/break-even weighs buying for all of it"
               : "ask for a quote and enter it at /v1/quotes to confirm it";
}

static const char *parameters_text(struct request_context *context, double parameters)
{
    const double billion = 1e9, trillion = 1e12;

    return parameters < trillion
               ? arena_print(context->arena, "%.3g billion", parameters / billion)
               : arena_print(context->arena, "%.4g trillion", parameters / trillion);
}

static const char *rent_words(const struct recommendation_affordable *row)
{
    size_t acquisition = 0;

    while (strcmp(recommendation_acquisition_name((enum recommendation_acquisition)acquisition),
                  row->purchase_option) != 0)
        acquisition++;
    return acquisition_words[acquisition];
}

/* Words for what is rented for a term, as ", reserved for three years,". */
static const char *commitment_words(const struct recommendation_affordable *row)
{
    return strcmp(row->purchase_option, "reserved_1yr") == 0   ? ", reserved for a year at a time,"
           : strcmp(row->purchase_option, "reserved_3yr") == 0 ? ", reserved for three years,"
                                                               : "";
}

/* Another row with more compute for the money; empty if `best` has the most. */
static const char *value_text(const struct recommendation *recommendation,
                              const struct recommendation_affordable *best,
                              const struct recommendation_affordable *value)
{
    struct request_context *context = recommendation->context;

    if (value == best)
        return "";
    return arena_print(
        context->arena, " More for the money, %.0f%% of that compute for %s: %s x %s, %s.",
        100 * recommendation_compute_ratio(value, best), currency_amount(context, value->payments),
        context_count(context, value->gpu_count), value->gpu, rent_words(value));
}

const char *recommendation_budget_sentence(const struct recommendation *recommendation,
                                           const struct recommendation_affordable *best,
                                           const struct recommendation_affordable *value)
{
    const char *currency = recommendation->context->answer.meta.currency;

    return arena_print(recommendation->context->arena,
                       "%s %s %s %s x %s%s for %.0f month%s, the most compute that the budget pays "
                       "for: enough to train a model of %s parameters from scratch, and memory "
                       "for one of %s in 16 bit.%s",
                       context_count(recommendation->context, best->payments), currency,
                       best->acquisition[0] == 'b' ? "buys and runs" : "rents",
                       context_count(recommendation->context, best->gpu_count), best->gpu,
                       commitment_words(best), recommendation->in->horizon_months,
                       text_plural(recommendation->in->horizon_months),
                       parameters_text(recommendation->context, best->trainable_parameters),
                       parameters_text(recommendation->context, best->servable_parameters),
                       value_text(recommendation, best, value));
}

const char *recommendation_unconfirmed(const struct recommendation *recommendation, size_t i)
{
    const struct recommendation_list *list = &recommendation->list;
    struct request_context *context = recommendation->context;

    if (i == list->recommended)
        return "is recommended as no option is confirmed";
    if (list->recommended == list->n)
        return list->at[i].within
                   ? "meets every limit, as no confirmed option does, but is not recommended"
                   : "is cheapest but takes no other role";
    double saved = list->at[list->recommended].total.middle - list->at[i].total.middle;
    return arena_print(context->arena, "costs %s less than option %zu but is not recommended",
                       currency_amount(context, saved), list->recommended + 1);
}

/* Extra USD per month saved, compared with the recommended option; INFINITY if the option is not
 * faster or may not be recommended. */
static double price_of_sooner(const struct recommendation_option *option,
                              const struct recommendation_option *best)
{
    double months = (best->days.middle - option->days.middle) * HOURS_PER_DAY / HOURS_PER_MONTH;
    bool may = option->within && option->confirmed >= best->confirmed && months > 0;

    return may ? (option->total.middle - best->total.middle) / months : (double)INFINITY;
}

const char *recommendation_sooner(const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    const struct recommendation_option *best = &list->at[list->recommended];
    struct request_context *context = recommendation->context;
    size_t sooner = 0;

    if (list->recommended >= list->n)
        return "";
    for (size_t i = 1; i < list->n; i++)
        if (price_of_sooner(&list->at[i], best) < price_of_sooner(&list->at[sooner], best))
            sooner = i;
    double price = price_of_sooner(&list->at[sooner], best);
    if (!(price > 0 && price < (double)INFINITY))
        return "";
    return arena_print(context->arena,
                       ". Option %zu takes %s and is the better one if a month of waiting costs "
                       "you more than %s",
                       sooner + 1,
                       recommendation_duration_words(context->arena, list->at[sooner].days.middle),
                       currency_amount(context, ceil(price)));
}

const char *recommendation_off_desk(const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    struct request_context *context = recommendation->context;
    size_t n = list->n;

    if (!recommendation->wanted[RECOMMENDATION_SERVE])
        return "";
    for (size_t i = 0; i < list->n; i++) {
        const char *housing = recommendation_housing(recommendation, &list->at[i]);
        bool desk = housing && strcmp(housing, "desk") == 0;
        if (!desk && list->at[i].within && list->at[i].confirmed &&
            (n == list->n || list->at[i].total.middle < list->at[n].total.middle))
            n = i;
    }
    return arena_print(
        context->arena,
        ". The service then depends on one power feed and one Internet line: if it must not go "
        "down with them, %s",
        n == list->n ? "ask with housing=colocation, which compares a data centre with renting"
                     : arena_print(context->arena, "option %zu is the cheapest elsewhere, at %s",
                                   n + 1, currency_amount(context, list->at[n].total.middle)));
}

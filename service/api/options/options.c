#include "api/options/options.h"

#include "base/number.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/ownership/owned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool options_wanted(const struct options_filter *filter, const struct gpu *gpu)
{
    return (!filter->gpus || text_in_list(filter->gpus, gpu->slug)) &&
           (!filter->vendor || strcasecmp(filter->vendor, gpu->vendor) == 0) &&
           (!filter->datacenter_only || gpu->datacenter_licensed) &&
           (isnan(filter->min_memory_gb) ||
            gpu->memory_marketed_bytes / GIB >= filter->min_memory_gb);
}

enum cost options_cost(const char *gpus)
{
    return gpus && !strchr(gpus, ',') ? COST_SHORT : COST_LONG;
}

bool options_check_gpus(struct request_context *context, const char *gpus, struct err *err)
{
    const struct gpu *gpu;
    const char *slug;
    bool good = true;

    while ((slug = arena_next_item(context->arena, &gpus)))
        good = lookup_gpu(context, "gpu", slug, &gpu, err) && good;
    return good;
}

static bool check_figure(struct request_context *context, const char *parameter, const char *before,
                         const char *item, bool whole, struct err *err)
{
    const char *colon = strchr(item, ':');
    const struct gpu *gpu;
    double figure;

    if (!colon || !text_number(colon + 1, &figure) || !(figure > 0) ||
        (whole && figure != floor(figure)))
        return context_refuse(context, err, parameter, "not_a_list",
                              "must be names and %s, such as rtx-4090:4; %s is not",
                              whole ? "whole numbers of GPUs" : "prices", item);
    if (!lookup_gpu(context, parameter,
                    arena_print(context->arena, "%.*s", (int)(colon - item), item), &gpu, err))
        return false;
    return isnan(text_figure_in_list(before, gpu->slug)) ||
           context_refuse(context, err, parameter, "contradiction", "names %s twice", gpu->slug);
}

bool options_check_figures(struct request_context *context, const char *parameter, const char *list,
                           bool whole, struct err *err)
{
    bool good = true;

    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ",");
        const char *before = arena_print(context->arena, "%.*s", (int)(p - list), list);
        const char *item = arena_print(context->arena, "%.*s", (int)n, p);
        good = check_figure(context, parameter, before, item, whole, err) && good;
        p += n + (p[n] == ',');
    }
    return good;
}

bool options_refuse_pair(struct request_context *context, struct err *err, const char *name,
                         const char *other)
{
    if (!context_given(context, name))
        return true;
    return context_refuse(context, err, name, "contradiction", "does not go with %s", other);
}

void options_refuse(struct option_list *list, const struct gpu *gpu, const char *reason,
                    const char *sentence)
{
    list->refusals[list->n_refusals++] = (struct options_refusal){gpu->slug, reason, sentence};
}

const char *options_power_words(struct option_list *list, double least_kw, double limit_kw)
{
    if (isnan(least_kw))
        return "its power is not known, so power_budget_kw cannot be checked";
    return arena_print(list->context->arena,
                       "it takes at least %.10g kW at the meter; power_budget_kw is %.6g kW",
                       owned_power_told(least_kw), limit_kw);
}

const char *options_refusal_text(struct request_context *context, const struct err *err,
                                 bool with_field)
{
    const struct culprit *culprit = &err->culprits[0];
    bool named = err->n_culprits && with_field;

    return arena_print(context->arena, "%s%s%s", named ? culprit->field : "", named ? " " : "",
                       err->n_culprits ? culprit->text : err->text);
}

bool options_ask_kinds(struct option_list *list, const struct options_filter *filter,
                       options_ask_fn ask, options_reason_fn reason, void *context, struct err *err)
{
    const struct catalog *catalog = list->context->catalog;
    struct arena *arena = list->context->arena;
    struct err first = {0};

    list->refusals = arena_alloc(arena, (catalog->n_gpus + 1) * sizeof(*list->refusals));
    for (size_t i = 0; i < catalog->n_gpus; i++) {
        struct err own = {0};
        bool with_field = true;
        if (!options_wanted(filter, &catalog->gpus[i]))
            continue;
        list->n_considered++;
        if (ask(context, &catalog->gpus[i], &own)) {
            list->n_kinds++;
            continue;
        }
        if (!list->n_refusals)
            first = own;
        const char *code = reason(&own, &with_field);
        options_refuse(list, &catalog->gpus[i], code,
                       options_refusal_text(list->context, &own, with_field));
    }
    if (!list->n_considered)
        return err_set(err, ERR_NO_SOLUTION,
                       "no GPU in the catalogue matches gpu, gpu_vendor, datacenter_only and "
                       "min_gpu_memory_gb together");
    if (!list->n_kinds)
        *err = first;
    return list->n_kinds > 0;
}

size_t *options_listed(const struct option_list *list, bool frontier_only, double per_gpu,
                       size_t *n)
{
    struct arena *arena = list->context->arena;
    size_t *listed = arena_alloc(arena, (list->n + 1) * sizeof(*listed));
    double *of_kind = arena_alloc(arena, (list->n_kinds + 1) * sizeof(*of_kind));

    *n = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct option *option = &list->at[i];
        if (option->left_out || (frontier_only && !option->on_frontier))
            continue;
        if (per_gpu > 0 && of_kind[option->kind] >= per_gpu)
            continue;
        of_kind[option->kind]++;
        listed[(*n)++] = i;
    }
    return listed;
}

bool options_least(const struct option_list *list, bool by_cost, size_t *index)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < list->n; i++) {
        double value = by_cost ? list->at[i].cost : list->at[i].time;
        if (value < least) {
            least = value;
            *index = i;
        }
    }
    return least < (double)INFINITY;
}

size_t options_frontier_count(const struct option_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++)
        n += list->at[i].on_frontier;
    return n;
}

void options_link_text(struct buf *out, const char *name, const char *value)
{
    buf_print(out, "%s%s=", out->length ? "&" : "?", name);
    buf_encoded(out, value);
}

void options_link_number(struct buf *out, const char *name, double value)
{
    char text[NUMBER_SIZE];

    number_exact(text, value);
    options_link_text(out, name, text);
}

void options_link_day(struct buf *out, const struct request_context *context)
{
    const struct answer_meta *meta = &context->answer.meta;

    if (context->catalog->rate)
        options_link_text(out, "currency", meta->currency);
    options_link_text(out, "as_of", meta->as_of);
}

void options_link_given(struct buf *out, const struct request_context *context,
                        const struct fields *fields, const char *except)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->at[i];
        if (!context_given(context, field->name) || text_in_list(except, field->name))
            continue;
        if (field_is_text(field))
            options_link_text(out, field->name, field_text(field, context->inputs.values));
        else
            options_link_number(out, field->name, field_number(field, context->inputs.values));
    }
}

void options_warn_licence(struct request_context *context, const struct gpu *gpu)
{
    if (!gpu->datacenter_licensed)
        context_warn(context, "datacenter_licence",
                     "NVIDIA's driver licence does not allow the %s in data centres; "
                     "datacenter_only=1 leaves such GPUs out",
                     gpu->slug);
}

void options_warn_choice(const struct option_list *list, const struct gpu *best,
                         const char *none_will_do)
{
    if (!list->n)
        context_warn(list->context, "no_option", "none of the options can do this; see ruled_out");
    else if (!best)
        context_warn(list->context, "no_option", "%s", none_will_do);
    else
        options_warn_licence(list->context, best);
}

void options_warn_model(struct request_context *context, const struct request_context *of_gpu)
{
    static const char codes[] =
        "typical_shape model_config model_tuning context_too_long uncalibrated_method";
    const struct answer *answer = &of_gpu->answer;

    for (size_t i = 0; i < answer->n_warnings; i++) {
        const char *code = answer->warnings[i].code;
        if (text_in_words(codes, code) && !answer_warns(&context->answer, code, NULL))
            answer_warn(&context->answer, code, answer->warnings[i].detail);
    }
}

void options_count_stale(const struct request_context *context, struct options_staleness *stale,
                         const struct price *price)
{
    day oldest, newest;

    if (!price->n_offers || price->n_stale < price->n_offers)
        return;
    price_observed(price, &oldest, &newest);
    stale->n++;
    stale->newest = newest > stale->newest ? newest : stale->newest;
    price_feeds_add(&stale->feeds, context->catalog, price, context->as_of);
}

static const char *old_words(struct request_context *context, const struct price *price,
                             const char *what)
{
    day oldest, newest;

    price_observed(price, &oldest, &newest);
    return arena_print(context->arena, "the rent of %s was %s", what,
                       oldest ? arena_join(context->arena, "last seen over a year ago, on ",
                                           context_day(context, oldest))
                              : "seen on an unknown day");
}

const char *options_doubt(struct request_context *context, enum price_doubt doubt,
                          const struct price *price, const char *what)
{
    if (isnan(price->per_gpu_hour))
        return arena_print(context->arena, "no rent of %s is known", what);
    if (doubt == PRICE_NOT_OFFERED)
        return arena_print(
            context->arena,
            pricing_is_networked(price)
                ? "no provider is known to rent out %s as one cluster at that price (availability)"
                : "its providers are not known to have %s free at once (availability)",
            what);
    if (doubt == PRICE_MOSTLY_DERIVED)
        return arena_print(context->arena,
                           "the rent of %s is mostly derived from on-demand prices "
                           "(price_derived_provider_count)",
                           what);
    if (doubt == PRICE_MOSTLY_OLD)
        return old_words(context, price, what);
    return arena_print(context->arena, "only one provider, %s, is known to rent out %s",
                       catalog_provider_name(context->catalog, price->offers[0].rental->provider),
                       what);
}

const struct options_caveat options_unlinked = {
    "a replica is divided over servers whose GPUs have no link between them; engines run it, but "
    "their guides divide models over servers of linked GPUs, except DeepSeek-R1 in INT8 over 32 "
    "L40S (docs.sglang.io, DeepSeek V3/R1 usage)",
    "measure a replica before you rely on it"};
const struct options_caveat options_tight = {
    "the fullest GPU is over 95% full, and measured memory was 5% off this estimate on average",
    "run one step before you rely on it"};

bool options_unconfirmed(const struct option_list *list, size_t best, bool by_cost, size_t *index,
                         double *less)
{
    const double alike = 0.01;
    const struct option *first = &list->at[best];

    *index = best;
    *less = 0;
    for (size_t i = 0; i < list->n && first->confirmed; i++) {
        const struct option *other = &list->at[i];
        double saves = 1 - (by_cost ? other->cost / first->cost : other->time / first->time);
        if (!other->confirmed && other->will_do && saves > fmax(alike, *less)) {
            *index = i;
            *less = saves;
        }
    }
    return !list->at[*index].confirmed;
}

void options_warn_unconfirmed(const struct option_list *list, size_t index, double less,
                              bool by_cost, const struct options_rent *rent)
{
    struct request_context *context = list->context;
    struct price price = price_match(rent->book, rent->gpu_count, rent->connected);
    struct price_summary summary =
        price_match_summary(rent->book, rent->gpu_count, rent->connected);
    const char *what =
        arena_print(context->arena, "%s x %s", context_count(context, rent->gpu_count),
                    list->at[index].gpu->slug);
    const char *doubt = rent->caveat ? rent->caveat->doubt
                                     : options_doubt(context, price_doubt(&summary), &price, what);
    const char *remedy = rent->caveat ? rent->caveat->remedy
                                      : "ask for a quote and enter it at /v1/quotes to confirm it";

    if (less > 0)
        context_warn(context, "unconfirmed_option",
                     "%s %s %.2g%% less but is not confirmed: %s; %s", what,
                     by_cost ? "costs" : "takes", 100 * less, doubt, remedy);
    else
        answer_warn_first(&context->answer, "unconfirmed_option",
                          arena_print(context->arena,
                                      "option 1 is recommended as no suitable option is confirmed: "
                                      "%s; %s",
                                      doubt, remedy));
}

void options_warn_prices(struct request_context *context, size_t n_unpriced,
                         const struct options_staleness *stale, size_t n)
{
    if (lookup_region(context, context_text(context, "region")) && n_unpriced)
        context_warn(context, "no_price",
                     "no price is known for %zu of the %zu GPU types on that day with these "
                     "filters: their cost is unknown",
                     n_unpriced, n);
    if (stale->n)
        context_warn(
            context, "stale_price",
            "the prices of %zu of the %zu GPU types come only from stale offers, the newest seen "
            "on %s%s; /v1/price-summary has their dates",
            stale->n, n, stale->newest ? context_day(context, stale->newest) : "no day",
            pricing_refresh(context, &stale->feeds));
    pricing_warn_discounts(context, NULL, NULL);
}

/* pricing.c - prices, line items and rules of thumb, as shown by all answers. */
#include "api/resource/context.h"

#include "api/resource/currency.h"
#include "base/number.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TABLE rule_row
#define TABLE_FILE "api/resource/rule_of_thumb.def"
#include "base/field/table.h"
const struct fields rules_fields = FIELDS_INIT(rule_row_rows);

#define TABLE offer_used
#define TABLE_FILE "api/resource/offers_used.def"
#define TABLE_ONLY
#include "base/field/table.h"
const struct fields offers_used_fields = FIELDS_INIT(offer_used_rows);

void pricing_rules_of_thumb(struct request_context *context, const struct rules *rules)
{
    struct rule_row *rows = arena_alloc(context->arena, rules->n * sizeof(*rows));

    for (size_t i = 0; i < rules->n; i++) {
        const struct rule *rule = &rules->at[i];
        rows[i] =
            (struct rule_row){rule->key, rule->value, rule->unit, rule->formula, rule->leaves_out};
    }
    context_table(context, "rule_of_thumb", rows, rules->n, sizeof(*rows));
}

void pricing_offers_used(struct request_context *context, const struct price *price)
{
    struct offer_used *rows = arena_alloc(context->arena, price->n_offers * sizeof(*rows));

    for (size_t i = 0; i < price->n_offers; i++) {
        const struct rental *rental = price->offers[i].rental;
        const struct observation *seen = price->offers[i].seen;
        const struct billing *billing = price_billing(context->catalog, rental);
        struct money_own own =
            currency_of(context, seen->price_per_gpu_hour, seen->origin->currency);
        bool same_day = i && seen->from == price->offers[i - 1].seen->from;
        rows[i] = (struct offer_used){
            rental->id,
            rental->provider,
            rental->region,
            own.converted,
            same_day ? rows[i - 1].observed_date : context_day(context, seen->from),
            seen->origin->source,
            seen->origin->currency,
            seen->price_per_gpu_hour,
            own.per_usd,
            own.rate_date,
            price_offer_is_stale(context->catalog, &price->offers[i], context->as_of),
            price->offers[i].rented_gpu_count,
            own.converted * price->offers[i].job_price_ratio,
            billing ? billing->granularity_seconds : (double)NAN,
            billing ? billing->minimum_seconds : (double)NAN};
    }
    context_table(context, "offers_used", rows, price->n_offers, sizeof(*rows));
}

const struct table *pricing_offers_of(const struct request_context *answered)
{
    const struct answer *answer = &answered->answer;

    for (size_t i = 0; i < answer->n_tables; i++)
        if (answer->tables[i].fields.at == offers_used_fields.at)
            return &answer->tables[i];
    return NULL;
}

/* "14 of the 15 offers", "both offers"; one sentence, because most prices carry a warning. */
static const char *count_stale(struct request_context *context, const struct price *price)
{
    char stale[NUMBER_SIZE], all[NUMBER_SIZE];

    if (price->n_offers == 1)
        return "the only offer";
    if (price->n_offers == 2 && price->n_stale == 2)
        return "both offers";
    number_fixed(stale, (double)price->n_stale, 0);
    number_fixed(all, (double)price->n_offers, 0);
    if (price->n_stale == price->n_offers)
        return arena_join(context->arena, "all ", all, " offers");
    return arena_join(context->arena, stale, " of the ", all, " offers");
}

const char *pricing_refresh(const struct request_context *context, const struct price_feeds *feeds)
{
    const char *names = "";

    if (context->as_of != context->today)
        return "";
    if (!feeds->n)
        return "; no list that gpuplan fetch knows has them: a quote of your own (/v1/quotes) does";
    for (size_t i = 0; i < feeds->n; i++)
        names = arena_join(context->arena, names, " ", feeds->names[i]);
    return arena_join(context->arena, "; run gpuplan fetch", names,
                      " on the server to update them");
}

static void warn_stale(struct request_context *context, const struct gpu *gpu,
                       const struct price *price)
{
    const char *count = count_stale(context, price), *verb = price->n_stale == 1 ? " is " : " are ";
    const char *state = "stale";
    struct price_feeds feeds = {0};
    day oldest, newest;

    price_stale_observed(context->catalog, price, context->as_of, &oldest, &newest);
    if (!newest)
        state = "undated";
    else if (text_days_between(newest, context->as_of) > PRICE_STALE_DAYS)
        state = "over 90 days old";
    const char *said =
        arena_join(context->arena, count, " behind the price of ", gpu->slug, verb, state);
    if (newest && newest == oldest)
        said = arena_join(context->arena, said, ": seen on ", context_day(context, newest));
    else if (newest)
        said = arena_join(context->arena, said, ": the newest was seen on ",
                          context_day(context, newest), ", the oldest on ",
                          context_day(context, oldest));
    price_feeds_add(&feeds, context->catalog, price, context->as_of);
    answer_warn(&context->answer, "stale_price",
                arena_join(context->arena, said, pricing_refresh(context, &feeds)));
}

/* "on_demand offers of h100-sxm5-80gb by aws in eu-north-1" */
static const char *in_words(struct request_context *context, const struct price_query *query)
{
    const char *provider = query->provider && query->provider[0] ? query->provider : NULL;
    const char *region = query->region && query->region[0] ? query->region : NULL;

    return arena_print(context->arena, "%s offer of %s%s%s%s%s",
                       query->purchase_option ? query->purchase_option : "", query->gpu->slug,
                       provider ? " by " : "", provider ? provider : "", region ? " in " : "",
                       region ? region : "");
}

/* Offers on any day, under any option. */
struct known_offers {
    size_t n, without_region;
    double largest; /* GPUs of the largest */
};

static void count_rentals(const struct request_context *context, const struct gpu *gpu,
                          struct known_offers *known)
{
    struct rentals parts[RENTALS_PARTS];

    catalog_rentals(context->catalog, gpu, NULL, parts);
    for (size_t part = 0; part < RENTALS_PARTS; part++) {
        known->n += parts[part].n;
        for (size_t i = 0; i < parts[part].n; i++) {
            known->without_region += !parts[part].at[i]->region[0];
            known->largest = fmax(known->largest, parts[part].at[i]->gpu_count);
        }
    }
}

void pricing_warn_empty(struct request_context *context, const char *gpu, const char *region,
                        const char *country, double min_gpu_count)
{
    struct known_offers known = {0};
    const char *why = "";

    if (!lookup_region(context, region))
        return;
    for (size_t i = 0; i < context->catalog->n_gpus; i++)
        if (!gpu || strcmp(gpu, context->catalog->gpus[i].slug) == 0)
            count_rentals(context, &context->catalog->gpus[i], &known);
    if (min_gpu_count > known.largest)
        why = arena_print(context->arena,
                          ": an offer is of one machine, and the largest has %.0f GPUs; what %.0f "
                          "GPUs joined by a network rent for is in /v1/break-even with gpu_count",
                          known.largest, min_gpu_count);
    else if (known.without_region && ((region && region[0]) || country))
        why = arena_print(context->arena,
                          "; %zu of them have no known region and match no region or country "
                          "filter",
                          known.without_region);
    if (known.n)
        context_warn(context, "no_price",
                     "%zu offers of %s are known, but none matches the filters and is valid on "
                     "that day%s",
                     known.n, gpu ? gpu : "GPUs", why);
    else
        context_warn(context, "no_price",
                     "no provider is known to rent out %s: a quote you enter (/v1/quotes) takes "
                     "effect at once",
                     gpu ? gpu : "GPUs");
}

/* Such as ", but spot is"; "" if no other option has a price either. */
static const char *other_options(struct request_context *context, const struct price_query *query)
{
    struct price_query other = *query;
    const char *known = "";

    other.gpu_count = 0;
    for (size_t i = 0; i < PURCHASE_OPTIONS; i++) {
        other.purchase_option = purchase_options[i];
        if (!isnan(catalog_price(context->catalog, &other).per_gpu_hour))
            known = arena_join(context->arena, known,
                               known[0] ? ", "
                                        : ", but one is with "
                                          "purchase_option=",
                               purchase_options[i]);
    }
    return known;
}

void pricing_warn_none(struct request_context *context, const struct price_query *query,
                       const char *enter)
{
    struct price_query any = *query;

    any.gpu_count = 0;
    if (!lookup_region(context, query->region))
        return;
    if (isnan(catalog_price(context->catalog, &any).per_gpu_hour))
        context_warn(context, "no_price",
                     "no %s is known for that day and these filters%s: enter %s",
                     in_words(context, query), other_options(context, query), enter);
    else
        context_warn(context, "no_price",
                     "no %s holds %s GPUs that must be connected: no machine is that large, and no "
                     "network between machines is known; enter %s",
                     in_words(context, query), context_count(context, query->connected_gpu_count),
                     enter);
}

/* Many price lists do not give a region. */
static void warn_without_region(struct request_context *context, const struct price_query *query)
{
    size_t n =
        query->region && query->region[0] ? price_without_region(context->catalog, query) : 0;

    if (n)
        context_warn(context, "unknown_region",
                     n == 1 ? "%zu offer of %s that names no region is left out of region=%s"
                            : "%zu offers of %s that name no region are left out of region=%s",
                     n, query->gpu->slug, query->region);
}

struct price pricing_price(struct request_context *context, struct price_query query)
{
    query.as_of = context->as_of;
    struct price price = catalog_price(context->catalog, &query);

    warn_without_region(context, &query);
    if (price.n_without_rate)
        context_warn(
            context, "no_exchange_rate",
            "%zu offers of %s are left out: their currency has no exchange rate up to that day",
            price.n_without_rate, query.gpu->slug);
    if (isnan(price.per_gpu_hour)) {
        pricing_warn_none(context, &query, "price_per_gpu_hour");
        return price;
    }
    if (price.per_gpu_hour == 0) { /* whatever lists say */
        pricing_warn_paid(context, &price);
        return price;
    }
    if (price.n_stale)
        warn_stale(context, query.gpu, &price);
    pricing_warn_matched(context, &query, &price);
    pricing_warn_discounts(context, &query, &price);
    return price;
}

const char *pricing_network_source(struct request_context *context, const struct gpu *gpu,
                                   const struct price_book *book)
{
    if (book && !isnan(price_book_network(book)))
        return arena_join(context->arena, "/v1/offers?gpu=", gpu->slug);
    return gpu->network_rate > 0 ? arena_join(context->arena, "/v1/gpus/", gpu->slug)
                                 : "/v1/assumptions?key=b_net_node";
}

struct price_basis_fields pricing_basis(struct request_context *context, const struct price *price)
{
    struct price_basis_fields fields = {.basis = price_bases[price->basis],
                                        .n_offers = (double)price->n_matching,
                                        .n_providers = (double)price->n_offers,
                                        .n_oversized = (double)price->n_too_large,
                                        .n_outdated = (double)price->n_old,
                                        .n_derived = (double)price->n_derived,
                                        .rented = price->rented_gpu_count,
                                        .term_days = (double)NAN};
    day oldest, newest;

    if (!price->n_offers)
        return fields;
    price_observed(price, &oldest, &newest);
    fields.oldest = context_day(context, oldest);
    fields.newest = context_day(context, newest);
    fields.availability = price->offered ? "offered" : "unknown";
    fields.term_days = price->term_hours / HOURS_PER_DAY;
    return fields;
}

struct price_basis_fields pricing_own(enum price_basis basis, double price_per_gpu_hour,
                                      double gpu_count)
{
    return (struct price_basis_fields){
        .basis = price_bases[isnan(price_per_gpu_hour) ? PRICE_NONE : basis],
        .n_offers = (double)NAN,
        .n_providers = (double)NAN,
        .n_oversized = (double)NAN,
        .n_outdated = (double)NAN,
        .n_derived = (double)NAN,
        .rented = gpu_count,
        .term_days = (double)NAN,
    };
}

bool pricing_check_provider(struct request_context *context, const char *provider, struct err *err)
{
    return !provider || lookup_check_provider(context, "provider", provider, err);
}

/* True if the list contains all of those providers. */
static bool all_among(struct request_context *context, const char *list, const char *those)
{
    const char *provider;

    while ((provider = arena_next_item(context->arena, &list)))
        if (!text_in_list(those, provider))
            return false;
    return true;
}

bool pricing_settle_credits(struct request_context *context, const char *rent, double *elsewhere,
                            struct err *err)
{
    const char *owner = context_text(context, "cloud_credits_provider");
    const char *provider = context_text(context, "provider");
    double credits = context_number(context, "cloud_credits");

    if (elsewhere)
        *elsewhere = 0;
    if (!owner)
        return true;
    if (!lookup_check_provider(context, "cloud_credits_provider", owner, err))
        return false;
    if (credits == 0)
        context_warn(context, "without_effect",
                     "cloud_credits_provider has an effect only with cloud_credits");
    if (credits == 0 || (rent && context_given(context, rent)) ||
        (provider && all_among(context, provider, owner)))
        return true;
    context_warn(context, "credits_elsewhere",
                 "credits of %s pay none of this rent, which is a median over other providers too: "
                 "give provider=%s to rent there",
                 catalog_provider_name(context->catalog, owner), owner);
    context_set_number(context, "cloud_credits", 0, SOURCE_CHOSEN, NULL);
    if (elsewhere)
        *elsewhere = credits;
    return true;
}

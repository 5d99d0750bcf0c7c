/* offers.c - /v1/offers and /v1/offers/history: rental prices, current on a day or over time. */
#include "api/prices/offers_chart.h"
#include "api/resource/list.h"
#include "api/routes/resources.h"

#include "api/resource/currency.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "catalog/price_statistics.h"
#include "catalog/region.h"
#include "estimate/ownership/ownership.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TABLE offers_in
#define TABLE_FILE "api/prices/offers_in.def"
#include "base/field/table.h"

/* The filters of /v1/offers come first, so that their table's offsets are valid here too. */
struct offers_history_in {
    struct offers_in of;
#include "base/field/members.h"
#include "api/prices/offers_history_in.def"
#include "base/field/end.h"
};

static const struct field history_rows[] = {
#define FIELDS_OF struct offers_in
#include "base/field/rows.h"
#include "api/prices/offers_in.def"
#include "base/field/end.h"
#define FIELDS_OF struct offers_history_in
#include "base/field/rows.h"
#include "api/prices/offers_history_in.def"
#include "base/field/end.h"
};
static const struct fields history_fields = FIELDS_INIT(history_rows);

#define TABLE offer_row
#define TABLE_FILE "api/prices/offer_row.def"
#include "base/field/table.h"

static bool in_range(double value, double min, double max)
{
    return (isnan(min) || value >= min) && (isnan(max) || value <= max);
}

static bool wanted_gpu(const struct offers_in *in, const struct gpu *gpu)
{
    return (!in->gpu || strcmp(in->gpu, gpu->slug) == 0) &&
           in_range(gpu->memory_marketed_bytes / GIB, in->min_gpu_memory_gb, (double)NAN);
}

static bool is_of_market(const struct catalog *catalog, const struct rental *rental,
                         const char *market)
{
    const struct provider *provider = catalog_provider(catalog, rental->provider);

    return provider && strcmp(provider->market, market) == 0;
}

static bool wanted(const struct catalog *catalog, const struct offers_in *in,
                   const struct rental *rental)
{
    return (in->include_unusable == 1 || rental->usable) &&
           (!in->market || is_of_market(catalog, rental, in->market)) &&
           (!in->provider || text_in_list(in->provider, rental->provider)) &&
           in_range(rental->gpu_count, in->min_gpu_count, in->max_gpu_count);
}

static bool is_there(const struct catalog *catalog, const struct offers_in *in,
                     const struct rental *rental)
{
    const char *country = in->country ? region_country(catalog, rental) : NULL;

    return (!in->region || region_matches(catalog, in->region, rental)) &&
           (!in->country || (country && strcasecmp(in->country, country) == 0));
}

static struct offer_row row_of(struct request_context *context, const struct offer *offer,
                               bool outlier)
{
    const struct rental *rental = offer->rental;
    const struct observation *seen = offer->seen;
    const struct feed_run *run = catalog_run(context->catalog, seen->origin->run);
    struct money_own own = currency_of(context, seen->price_per_gpu_hour, seen->origin->currency);
    const struct provider *provider = catalog_provider(context->catalog, rental->provider);
    const struct instance *instance = catalog_instance(context->catalog, rental);
    const struct billing *billing = price_billing(context->catalog, rental);
    const struct region *region = region_find(context->catalog, rental);
    int months = price_term_months(rental->purchase_option);
    const char *observed = context_day(context, seen->from);

    return (struct offer_row){
        .offer_id = rental->id,
        .provider = rental->provider,
        .instance = rental->instance,
        .region = rental->region,
        .zone = rental->zone[0] ? rental->zone : NULL,
        .gpu = rental->gpu,
        .gpu_count = rental->gpu_count,
        .purchase_option = rental->purchase_option,
        .price_per_hour = own.converted / seen->price_per_gpu_hour * seen->price_per_hour,
        .price_per_gpu_hour = own.converted,
        .offer_currency = seen->origin->currency,
        .observed_date = observed,
        .valid_until_date = context_day(context, offer_index_until(rental, seen)),
        .observed_text = seen->origin->observed_text ? seen->origin->observed_text : observed,
        .stale = price_offer_is_stale(context->catalog, offer, context->as_of),
        .outlier = outlier,
        .undated = !seen->from,
        .usable = rental->usable,
        .source_url = seen->origin->source,
        .feed_run = seen->origin->run,
        .source_file = run ? run->file : NULL,
        .source_line = seen->line ? seen->line : (double)NAN,
        .imported_date = context_day(context, run ? run->imported : 0),
        .normalization_note = seen->origin->note,
        .offer_price_per_hour = seen->price_per_hour,
        .offer_price_per_gpu_hour = seen->price_per_gpu_hour,
        .exchange_rate = own.per_usd,
        .exchange_rate_date = own.rate_date,
        .market = provider && provider->market[0] ? provider->market : NULL,
        .network_gbit_per_second = instance ? instance->network_gbit_per_second : (double)NAN,
        .cluster_gpu_count_max = instance ? instance->cluster_gpu_count_max : (double)NAN,
        .network_source_url = instance ? instance->source : NULL,
        .billing_granularity_seconds = billing ? billing->granularity_seconds : (double)NAN,
        .billing_minimum_seconds = billing ? billing->minimum_seconds : (double)NAN,
        .commitment_months = months > 1 ? months : (double)NAN, /* a capacity block is bought by the
                                                                 * day */
        .billing_source_url = billing ? billing->source : NULL,
        .country = region ? region->country : NULL,
        .country_basis = region ? region->basis : NULL,
    };
}

/* All matching rows are counted; those inside the window are stored. */
struct collector {
    struct request_context *context;
    const struct offers_in *in;
    bool history;
    struct window_of_days days; /* for the history */
    struct page window;
    struct offer *offers;
    size_t n, room, n_matching;
    struct price_markets *markets;
    size_t n_without_region; /* current offers excluded by a region filter because they have no
                              * region */
};

/* In the history, each price is compared with others of its own first day. */
static bool is_outlier(struct collector *to, const struct offer *offer)
{
    const struct catalog *catalog = to->context->catalog;
    day as_of = to->history && offer->seen->from ? offer->seen->from : to->context->as_of;

    return price_is_outlier(price_statistics_kept(to->markets, catalog, offer->gpu,
                                                  offer->rental->purchase_option, as_of),
                            price_of_observation(catalog, offer->seen, as_of));
}

static void add_offer(struct collector *to, const struct offer *offer)
{
    size_t at = to->n_matching++;

    if (at - to->window.first >= to->window.n) /* wraps around before the first row */
        return;
    to->offers = mem_grow(to->offers, to->n, &to->room, sizeof(*to->offers));
    to->offers[to->n++] = *offer;
}

/* The offer as shown in a row: with its price on the day, in the requested currency. */
static struct offer offer_of(const struct collector *to, const struct gpu *gpu,
                             const struct rental *rental, const struct observation *seen)
{
    double price = price_of_observation(to->context->catalog, seen, to->context->as_of);

    return (struct offer){gpu, rental, seen, price, 0, 0, 0, 0};
}

static bool fits(const struct collector *to, const struct offer *offer)
{
    return in_range(offer->price_per_gpu_hour, (double)NAN, to->in->max_price_per_gpu_hour) &&
           (isnan(to->in->max_age_days) ||
            (offer->seen->from &&
             text_days_between(offer->seen->from, to->context->as_of) <= to->in->max_age_days));
}

/* Add the observation valid on the day; undated ones too, since they are used if there are no
 * others. */
static void add_current(struct collector *to, const struct gpu *gpu, const struct rental *rental)
{
    const struct observation *seen = offer_index_at(rental, to->context->as_of);

    if (!seen)
        return;
    struct offer offer = offer_of(to, gpu, rental, seen);
    if (fits(to, &offer))
        add_offer(to, &offer);
}

static bool was_seen(const struct collector *to, const struct observation *seen)
{
    const struct window_of_days *days = &to->days;

    bool undated = !seen->from;

    return (!days->from || seen->from >= days->from) &&
           (!days->to || (!undated && seen->from <= days->to));
}

/* Every observation up to the day. Observations of a rental that lies wholly outside the window
 * are counted without reading them, unless their prices or days matter. */
static void add_history(struct collector *to, const struct gpu *gpu, const struct rental *rental)
{
    size_t n = offer_index_known(rental, to->context->as_of);
    bool outside = to->n == to->window.n || to->n_matching + n <= to->window.first;

    if (outside && isnan(to->in->max_price_per_gpu_hour) && isnan(to->in->max_age_days) &&
        !to->days.from && !to->days.to) {
        to->n_matching += n;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct offer offer = offer_of(to, gpu, rental, &rental->seen[i]);
        if (fits(to, &offer) && was_seen(to, offer.seen))
            add_offer(to, &offer);
    }
}

static void add_rental(struct collector *to, const struct gpu *gpu, const struct rental *rental)
{
    const struct catalog *catalog = to->context->catalog;

    if (!wanted(catalog, to->in, rental))
        return;
    if (is_there(catalog, to->in, rental))
        (to->history ? add_history : add_current)(to, gpu, rental);
    else if (!rental->region[0] && offer_index_at(rental, to->context->as_of))
        to->n_without_region++;
}

static void add_gpu(struct collector *to, const struct gpu *gpu)
{
    struct rentals parts[RENTALS_PARTS];

    catalog_rentals(to->context->catalog, gpu, to->in->purchase_option, parts);
    for (size_t part = 0; part < RENTALS_PARTS; part++)
        for (size_t i = 0; i < parts[part].n; i++)
            add_rental(to, gpu, parts[part].at[i]);
}

static void warn_without_region(const struct collector *to)
{
    if (to->n_without_region)
        context_warn(to->context, "unknown_region",
                     to->n_without_region == 1
                         ? "%zu offer that names no region is left out of %s=%s"
                         : "%zu offers that name no region are left out of %s=%s",
                     to->n_without_region, to->in->country ? "country" : "region",
                     to->in->country ? to->in->country : to->in->region);
}

static bool check_names(struct request_context *context, const struct offers_in *in,
                        struct err *err)
{
    const struct gpu *gpu;

    if (in->gpu)
        lookup_gpu(context, "gpu", in->gpu, &gpu, err);
    pricing_check_provider(context, in->provider, err);
    lookup_check_country(context, in->country, err);
    return err->n_culprits == 0;
}

/* The order without `sort`: what can be rented on the day comes first. */
enum rank {
    RANK_CURRENT,
    RANK_CURRENT_OUTLIER,
    RANK_STALE,
    RANK_STALE_OUTLIER,
    RANK_NOT_FOR_RENT, /* a median or a range of others' prices, or unusable */
    RANK_UNDATED,
    RANK_WITHOUT_RATE
};

struct place {
    const struct offer *offer;
    enum rank rank;
};

/* The team's own quotes are never outliers. */
static enum rank rank_of(struct collector *from, const struct offer *offer)
{
    const struct catalog *catalog = from->context->catalog;
    const struct rental *rental = offer->rental;

    if (isnan(offer->price_per_gpu_hour))
        return RANK_WITHOUT_RATE;
    if (!offer->seen->from)
        return RANK_UNDATED;
    if (!rental->usable || !price_is_for_rent(catalog, rental))
        return RANK_NOT_FOR_RENT;
    bool outlier = !rental->quote && is_outlier(from, offer);
    if (price_offer_is_stale(catalog, offer, from->context->as_of))
        return outlier ? RANK_STALE_OUTLIER : RANK_STALE;
    return outlier ? RANK_CURRENT_OUTLIER : RANK_CURRENT;
}

/* By rank, then by price; equal or unknown prices keep the catalogue's order. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    double price_x = x->offer->price_per_gpu_hour, price_y = y->offer->price_per_gpu_hour;
    int order = (x->rank > y->rank) - (x->rank < y->rank);

    order = order ? order : (price_x > price_y) - (price_x < price_y);
    return order ? order : (x->offer > y->offer) - (x->offer < y->offer);
}

/* The offers in list order. Sorting by a field happens later. */
static struct place *places_of(struct collector *from)
{
    struct place *places = mem_alloc((from->n + 1) * sizeof(*places));
    bool ranked = !from->history && !from->context->list.sort;

    for (size_t i = 0; i < from->n; i++) {
        const struct offer *offer = &from->offers[i];
        places[i] = (struct place){offer, ranked ? rank_of(from, offer) : RANK_CURRENT};
    }
    if (ranked)
        sort_items(places, from->n, sizeof(*places), compare_places);
    return places;
}

/* A larger page would not fit into a reply or be finished in time. */
enum { ROWS_MAX = 100000 };

static bool refuse_rows(const struct collector *from, struct err *err)
{
    return err_add(err, "gpu", from->in->gpu ? from->in->gpu : "", "too_many_rows",
                   "%zu rows match, but a sheet or a sorted list takes at most %d: narrow them "
                   "down by gpu, provider, region or purchase_option, or page through JSON "
                   "unsorted",
                   from->n_matching, ROWS_MAX);
}

/* Make the rows of the page, or all rows if they are still to be sorted. Current offers are all
 * collected first, history rows only for the page. */
static bool make_rows(struct collector *from, const struct page *page, struct err *err)
{
    struct request_context *context = from->context;
    size_t first = from->history ? 0 : page->first;
    size_t n = first > from->n ? 0 : from->n - first;
    bool whole = page->n == SIZE_MAX;

    if (whole && from->n_matching > ROWS_MAX)
        return refuse_rows(from, err);
    n = n < page->n ? n : page->n;
    struct offer_row *rows = arena_alloc(context->arena, n * sizeof(*rows));
    from->markets = arena_alloc(context->arena, sizeof(*from->markets));
    struct place *places = places_of(from);
    for (size_t i = 0; i < n; i++) {
        const struct offer *offer = places[first + i].offer;
        rows[i] = row_of(context, offer, is_outlier(from, offer));
    }
    free(places);
    context_table(context, "rows", rows, n, sizeof(*rows));
    if (!whole)
        list_set_page(context, from->n_matching);
    return true;
}

static void draw(const struct collector *from)
{
    const struct offers_in *in = from->in;

    offers_chart(from->context, from->offers, from->n,
                 (struct price_query){
                     .gpu = catalog_gpu(from->context->catalog, in->gpu),
                     .purchase_option = in->purchase_option ? in->purchase_option : "on_demand",
                     .provider = in->provider,
                     .region = in->region,
                 },
                 from->days);
}

static bool answer(struct collector *to, struct err *err)
{
    struct request_context *context = to->context;
    const struct offers_in *in = to->in;
    const struct catalog *catalog = context->catalog;
    struct page page;

    if (!check_names(context, in, err) || !list_page(context, &page, err))
        return false;
    to->window = (struct page){0, SIZE_MAX};
    if (to->history)
        to->window = (struct page){page.first, page.n < ROWS_MAX ? page.n : ROWS_MAX};
    for (size_t i = 0; i < catalog->n_gpus; i++)
        if (wanted_gpu(in, &catalog->gpus[i]))
            add_gpu(to, &catalog->gpus[i]);
    bool made = make_rows(to, &page, err);
    if (made && !to->n_matching)
        pricing_warn_empty(context, in->gpu, in->region, in->country, in->min_gpu_count);
    else if (made)
        warn_without_region(to);
    if (made && to->history && in->gpu)
        draw(to);
    free(to->offers);
    return made;
}

static bool answer_offers(struct request_context *context, void *in, struct err *err)
{
    return answer(&(struct collector){.context = context, .in = in}, err);
}

static bool answer_history(struct request_context *context, void *input, struct err *err)
{
    const struct offers_history_in *in = input;
    struct collector to = {.context = context, .in = &in->of, .history = true};

    if (in->from_date)
        text_day(in->from_date, &to.days.from);
    if (in->to_date)
        text_day(in->to_date, &to.days.to);
    if (to.days.from && to.days.to && to.days.from > to.days.to)
        return context_refuse(context, err, "to_date", "contradiction", "is before from_date");
    return answer(&to, err);
}

/* The list of all GPUs can be long. */
static enum cost cost_of(const void *in)
{
    return !((const struct offers_in *)in)->gpu ? COST_SHORT : COST_NONE;
}

#define OFFER_ROWS                                                                      \
    {                                                                                   \
        "rows", "offer", &offer_row_fields, NULL, "One observation of an offer per row" \
    }

const struct resource offers_resource = {
    .name = "offers",
    .headline = "price_per_gpu_hour",
    .summary =
        "Rental offers valid on a day: current ones before stale ones, outliers last of each, "
        "then the cheapest first; undated ones at the end",
    .in = &offers_in_fields,
    .in_size = sizeof(struct offers_in),
    .tables = {OFFER_ROWS},
    .cost_of = cost_of,
    .work = "the list of all offers",
    .smaller = "name the gpu",
    .answer = answer_offers,
};

const struct resource offers_history_resource = {
    .name = "offers_history",
    .headline = "price_per_gpu_hour",
    .summary = "Every observation of the rental offers up to a day",
    .in = &history_fields,
    .in_size = sizeof(struct offers_history_in),
    .tables = {OFFER_ROWS},
    .cost_of = cost_of,
    .work = "the list of all offers",
    .smaller = "name the gpu",
    .answer = answer_history,
};

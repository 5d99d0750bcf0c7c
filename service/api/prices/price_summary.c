/* price_summary.c - /v1/price-summary: the catalogue price of every GPU and purchase option. */
#include "api/routes/resources.h"

#include "base/text.h"
#include "catalog/price_index.h"
#include "catalog/price_statistics.h"

#include <math.h>
#include <string.h>

#define TABLE price_summary_in
#define TABLE_FILE "api/prices/price_summary_in.def"
#include "base/field/table.h"

#define TABLE price_summary_row
#define TABLE_FILE "api/prices/price_summary_row.def"
#include "base/field/table.h"

/* Days before as_of; NAN if undated. */
static double age(const struct request_context *context, day observed)
{
    return observed ? text_days_between(observed, context->as_of) : (double)NAN;
}

/* NAN if the change is that of a single provider, unless the query names it. Lists round the same
 * price differently: smaller differences are no change. */
static double change_ratio(const struct price_query *query, struct price_change change)
{
    static const double rounding = 1e-5;
    bool asked_about_one = query->provider && query->provider[0];
    double ratio = change.ratio - 1;

    if (change.n_providers < 2 && !asked_about_one)
        return (double)NAN;
    return fabs(ratio) < rounding ? 0 : ratio;
}

/* They cover all providers and regions, whatever filter the question has. */
static struct price_statistics statistics_of(const struct request_context *context,
                                             const struct price_query *query,
                                             const struct price *price)
{
    bool all = (!query->provider || !query->provider[0]) && (!query->region || !query->region[0]);

    return all ? price_statistics_from(price)
               : price_statistics_of(context->catalog, query->gpu, query->purchase_option,
                                     query->as_of);
}

static size_t count_outliers(const struct price_statistics *statistics, const struct price *price)
{
    size_t n = 0;

    for (size_t i = 0; i < price->n_offers; i++)
        n += price_is_outlier(statistics, price->offers[i].price_per_gpu_hour);
    return n;
}

enum { MONTH, QUARTER, YEAR, PERIODS };

static struct price_summary_row row_of(struct request_context *context,
                                       const struct price_query *query, struct price *price)
{
    double median = price->per_gpu_hour;
    struct price_statistics statistics = statistics_of(context, query, price);
    day as_of = query->as_of, oldest, newest;
    const day since[] = {[MONTH] = text_day_plus(as_of, -30),
                         [QUARTER] = text_day_plus(as_of, -90),
                         [YEAR] = text_day_plus(as_of, -365)};
    struct price_change change[PERIODS];

    price_index_since(context->catalog, query, since, PERIODS, change);
    price_trim_ends(price, &statistics, as_of);
    price_observed(price, &oldest, &newest);
    return (struct price_summary_row){
        .gpu = query->gpu->slug,
        .purchase_option = query->purchase_option,
        .min_price_per_gpu_hour = price->low,
        .lower_quartile_price_per_gpu_hour = price_quantile(price, 0.25),
        .median_price_per_gpu_hour = median,
        .upper_quartile_price_per_gpu_hour = price_quantile(price, 0.75),
        .max_price_per_gpu_hour = price->high,
        .provider_count = (double)price->n_offers,
        .offer_count = (double)price->n_matching,
        .outlier_count = (double)count_outliers(&statistics, price),
        .oldest_observed_date = context_day(context, oldest),
        .newest_observed_date = context_day(context, newest),
        .oldest_observed_days = age(context, oldest),
        .newest_observed_days = age(context, newest),
        .change_30_days_ratio = change_ratio(query, change[MONTH]),
        .change_90_days_ratio = change_ratio(query, change[QUARTER]),
        .change_365_days_ratio = change_ratio(query, change[YEAR]),
        .change_365_days_provider_count = (double)change[YEAR].n_providers,
        .stale = price->n_stale == price->n_offers,
        .stale_provider_count = (double)price->n_stale,
    };
}

static size_t add_gpu(struct request_context *context, const struct price_summary_in *in,
                      const struct gpu *gpu, struct price_summary_row *rows, size_t n,
                      size_t *without_region)
{
    for (size_t i = 0; i < PURCHASE_OPTIONS; i++) {
        struct price_query query = {.gpu = gpu,
                                    .purchase_option = purchase_options[i],
                                    .provider = in->provider,
                                    .region = in->region,
                                    .as_of = context->as_of};
        if (in->purchase_option && strcmp(in->purchase_option, purchase_options[i]) != 0)
            continue;
        struct price price = catalog_price(context->catalog, &query);
        if (in->region && in->region[0])
            *without_region += price_without_region(context->catalog, &query);
        if (price.n_offers)
            rows[n++] = row_of(context, &query, &price);
    }
    return n;
}

/* Warn if a reservation appears more expensive than on demand: the two medians are over different
 * providers. */
static void warn_reserved(struct request_context *context, const struct price_summary_row *rows,
                          size_t n)
{
    const struct price_summary_row *on_demand = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct price_summary_row *row = &rows[i];
        if (strcmp(row->purchase_option, "on_demand") == 0)
            on_demand = row;
        if (strncmp(row->purchase_option, "reserved", strlen("reserved")) == 0 && on_demand &&
            strcmp(on_demand->gpu, row->gpu) == 0 &&
            row->median_price_per_gpu_hour > on_demand->median_price_per_gpu_hour)
            context_warn(context, "other_providers",
                         "%s of %s comes from %.0f provider%s, on_demand from %.0f, some of them "
                         "cheaper: compare the offers of one provider; plans derive the reserved "
                         "prices of the others",
                         row->purchase_option, row->gpu, row->provider_count,
                         row->provider_count == 1 ? "" : "s", on_demand->provider_count);
    }
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct price_summary_in *in = input;
    const struct catalog *catalog = context->catalog;
    const struct gpu *gpu;

    if (in->gpu)
        lookup_gpu(context, "gpu", in->gpu, &gpu, err);
    pricing_check_provider(context, in->provider, err);
    if (err->n_culprits)
        return false;
    struct price_summary_row *rows =
        arena_alloc(context->arena, catalog->n_gpus * PURCHASE_OPTIONS * sizeof(*rows));
    size_t n = 0, without_region = 0;
    for (size_t i = 0; i < catalog->n_gpus; i++)
        if (!in->gpu || strcmp(in->gpu, catalog->gpus[i].slug) == 0)
            n = add_gpu(context, in, &catalog->gpus[i], rows, n, &without_region);
    context_table(context, "rows", rows, n, sizeof(*rows));
    warn_reserved(context, rows, n);
    if (without_region && n)
        context_warn(context, "unknown_region",
                     "%zu offers that name no region are left out of region=%s", without_region,
                     in->region);
    if (!n)
        pricing_warn_empty(context, in->gpu, in->region, NULL, (double)NAN);
    return true;
}

/* All GPUs together can take long. */
static enum cost cost_of(const void *in)
{
    return !((const struct price_summary_in *)in)->gpu ? COST_SHORT : COST_NONE;
}

const struct resource price_summary_resource = {
    .name = "price_summary",
    .headline = "median_price_per_gpu_hour",
    .summary = "Rental prices by GPU and purchase option: spread, sample, age and trend",
    .in = &price_summary_in_fields,
    .in_size = sizeof(struct price_summary_in),
    .tables = {{"rows", "price", &price_summary_row_fields, NULL,
                "One GPU and purchase option per row"}},
    .cost_of = cost_of,
    .work = "the summary of all offers",
    .smaller = "name the gpu",
    .answer = answer,
};

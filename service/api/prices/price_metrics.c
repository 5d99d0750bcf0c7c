/* price_metrics.c - the catalogue's prices in Prometheus text. One series per GPU and purchase
 * option, regardless of the number of offers, so the number of series is bounded. */
#include "api/prices/price_metrics.h"

#include "base/text.h"
#include "base/units.h"
#include "catalog/price_statistics.h"

#include <math.h>
#include <string.h>

/* A GPU that can be rented under the purchase option. */
struct line {
    const char *gpu, *option;
    struct price price;
};

static double median_of(const struct price *price)
{
    return price->per_gpu_hour;
}

static double low_of(const struct price *price)
{
    return price->low;
}

static double high_of(const struct price *price)
{
    return price->high;
}

static double providers_of(const struct price *price)
{
    return (double)price->n_offers;
}

/* Seconds since 1970; NAN if undated. */
static double seconds_of(day date)
{
    enum { EPOCH = 19700101 };

    return date ? (double)text_days_between(EPOCH, date) * SECONDS_PER_DAY : (double)NAN;
}

static double observed_of(const struct price *price)
{
    day oldest, newest;

    price_observed(price, &oldest, &newest);
    return seconds_of(newest);
}

static double oldest_of(const struct price *price)
{
    day oldest, newest;

    price_observed(price, &oldest, &newest);
    return seconds_of(oldest);
}

static double stale_of(const struct price *price)
{
    return price->n_stale > 0;
}

static double n_stale_of(const struct price *price)
{
    return (double)price->n_stale;
}

static const struct metric {
    const char *name, *help;
    double (*of)(const struct price *price);
} metrics[] = {
    {"gpuplan_offer_price_usd_per_gpu_hour",
     "Rental price: median over providers of each one's cheapest current offer.", median_of},
    {"gpuplan_offer_price_min_usd_per_gpu_hour",
     "The cheapest provider's cheapest offer that is no outlier and not outdated.", low_of},
    {"gpuplan_offer_price_max_usd_per_gpu_hour",
     "The most expensive provider's cheapest offer that is no outlier and not outdated.", high_of},
    {"gpuplan_offer_providers", "Providers in the median.", providers_of},
    {"gpuplan_offer_price_observed_timestamp_seconds",
     "Day of the newest observation among the offers used.", observed_of},
    {"gpuplan_offer_price_oldest_timestamp_seconds",
     "Day of the oldest observation among the offers used.", oldest_of},
    {"gpuplan_offer_price_stale", "Whether some offer used is stale, as /v1/offers shows.",
     stale_of},
    {"gpuplan_offer_stale_providers", "Providers in the median whose offer is stale.", n_stale_of},
};

static void write_head(struct buf *out, const char *name, const char *help)
{
    buf_print(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static size_t list_prices(const struct request_context *context, struct line *lines)
{
    const struct catalog *catalog = context->catalog;
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_gpus * PURCHASE_OPTIONS; i++) {
        const struct gpu *gpu = &catalog->gpus[i / PURCHASE_OPTIONS];
        const char *option = purchase_options[i % PURCHASE_OPTIONS];
        struct price price = catalog_price(
            catalog,
            &(struct price_query){.gpu = gpu, .purchase_option = option, .as_of = context->today});
        struct price_statistics statistics = price_statistics_from(&price);
        price_trim_ends(&price, &statistics, context->today);
        if (price.n_offers)
            lines[n++] = (struct line){gpu->slug, option, price};
    }
    return n;
}

static void write_offers(const struct request_context *context, struct buf *out)
{
    size_t n_pairs = context->catalog->n_gpus * PURCHASE_OPTIONS;
    struct line *lines = arena_alloc(context->arena, n_pairs * sizeof(*lines));
    size_t n = list_prices(context, lines);

    for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++) {
        write_head(out, metrics[m].name, metrics[m].help);
        for (size_t i = 0; i < n; i++) {
            double value = metrics[m].of(&lines[i].price);
            if (!isnan(value))
                buf_print(out, "%s{gpu=\"%s\",purchase_option=\"%s\"} %.10g\n", metrics[m].name,
                          lines[i].gpu, lines[i].option, value);
        }
    }
}

static void write_cards(const struct request_context *context, struct buf *out)
{
    static const char name[] = "gpuplan_card_price_usd";
    const struct catalog *catalog = context->catalog;

    write_head(out, name, "Purchase price of one card.");
    for (size_t i = 0; i < catalog->n_gpus; i++) {
        bool undated;
        double price = catalog_card_price(catalog, &catalog->gpus[i], context->today, &undated);
        if (isfinite(price))
            buf_print(out, "%s{gpu=\"%s\"} %.10g\n", name, catalog->gpus[i].slug, price);
    }
}

/* No metric if no feed was ever imported: the seed prices get old, but no feed has failed. */
static void write_import(const struct request_context *context, struct buf *out)
{
    static const char name[] = "gpuplan_feed_imported_timestamp_seconds";
    const struct catalog *catalog = context->catalog;
    day last = 0;

    for (size_t i = 0; i < catalog->n_runs; i++)
        if (text_in_list("skypilot,gpuhunt,offers", catalog->runs[i].format) &&
            catalog->runs[i].imported > last)
            last = catalog->runs[i].imported;
    if (!last)
        return;
    write_head(out, name, "Day of the last import of a feed of rental prices.");
    buf_print(out, "%s %.10g\n", name, seconds_of(last));
}

bool price_metrics_answer(const struct request_context *context, struct reply *reply)
{
    static const char path[] = "/metrics/prices";
    const struct request *request = context->request;

    if (strcmp(request->path, path) != 0 ||
        (request->method != METHOD_GET && request->method != METHOD_HEAD))
        return false;
    reply->route = path;
    reply->format = "txt";
    reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply_header(reply, "Cache-Control", "no-store");
    if (!context->catalog) {
        reply->status = 503;
        return true;
    }
    write_offers(context, &reply->body);
    write_cards(context, &reply->body);
    write_import(context, &reply->body);
    return true;
}

/* offer.c - shared by all feeds of rental prices. */
#include "feed/formats.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const columns[OFFER_COLUMNS] = {
    [OFFER_PROVIDER] = "provider",
    [OFFER_INSTANCE] = "instance",
    [OFFER_REGION] = "region",
    [OFFER_ZONE] = "zone",
    [OFFER_GPU] = "gpu",
    [OFFER_GPU_COUNT] = "gpu_count",
    [OFFER_OPTION] = "purchase_option",
    [OFFER_PRICE] = "price_per_hour",
    [OFFER_CURRENCY] = "currency",
    [OFFER_FROM] = "valid_from",
    [OFFER_UNTIL] = "valid_until",
    [OFFER_TEXT] = "observed_text",
    [OFFER_STALE] = "flagged_stale",
    [OFFER_USABLE] = "usable",
    [OFFER_SOURCE] = "source",
    [OFFER_NOTE] = "note",
};
const struct feed_table feed_table_offer = {
    "offer", columns, OFFER_COLUMNS,
    "provider, instance, region, zone, gpu, gpu_count, purchase_option, valid_from, usable",
    "price_per_hour, currency, valid_until"};

/* Per GPU-hour, in any currency; a price outside this range is in a wrong unit. */
static const double PRICE_MIN = 1e-4, PRICE_MAX = 1e7;

static bool check_days(struct feed_reader *reader, const struct feed_offer *offer)
{
    const char *from = feed_given(offer->from, reader->input->observed);
    int32_t first = 0, end = 0;

    if (!text_day(from, &first)) {
        feed_refuse(reader, "has no day: neither the row nor the file states when it was observed");
        return false;
    }
    if (!feed_given(offer->until, NULL) || (text_day(offer->until, &end) && end > first))
        return true;
    feed_refuse(reader, "ends on %.10s, before it begins on %.10s", offer->until, from);
    return false;
}

/* Quotes may come from anyone, list prices only from known providers, since a typing error would
 * create a new provider. */
static bool refuse_provider(struct feed_reader *reader, const char *provider)
{
    const char *slug = feed_is_slug(provider, "-") ? provider : "its-slug";

    feed_refuse(reader,
                "the catalogue has no provider \"%.60s\"; if it is a new one, --new-providers "
                "takes it, or add it: insert into "
                "provider (slug, name, kind) values ('%.60s', 'Its Name', 'cloud')",
                provider, slug);
    return false;
}

/* Our slug of the provider, if the feed uses another name. */
static const char *provider_of(const struct feed_reader *reader, const struct feed_offer *offer)
{
    const char *said = feed_given(offer->provider, reader->input->provider);
    const char *slug = feed_find_provider(reader->input->known, said);

    return slug ? slug : said;
}

bool feed_check_offer(struct feed_reader *reader, const struct feed_offer *offer)
{
    const struct feed_known *known = reader->input->known;
    const char *provider = provider_of(reader, offer);
    double price = offer->price_per_hour / offer->gpu_count;

    if (!feed_known_provider(known, provider) &&
        !(reader->input->new_providers && feed_is_slug(provider, "-")))
        return refuse_provider(reader, provider);
    if (!offer->instance || !offer->instance[0]) {
        feed_refuse(reader, "has no name of the machine");
        return false;
    }
    if (!(offer->gpu_count >= 1 && offer->gpu_count <= 1e5) ||
        offer->gpu_count != floor(offer->gpu_count)) {
        feed_refuse(reader, "%g is not a number of GPUs: a whole number from 1 to 100000",
                    offer->gpu_count);
        return false;
    }
    if (!(price >= PRICE_MIN && price <= PRICE_MAX)) {
        feed_refuse(reader, "%g per GPU-hour is not a price: it must be from %g to %g", price,
                    PRICE_MIN, PRICE_MAX);
        return false;
    }
    return feed_check_currency(reader, feed_given(offer->currency, "USD")) &&
           feed_check_gpu(reader, offer->gpu) && check_days(reader, offer);
}

void feed_give_offer(struct feed_reader *reader, size_t line, const struct feed_offer *offer)
{
    const struct feed_input *input = reader->input;
    char count[32], price[32];
    const char *values[OFFER_COLUMNS] = {
        [OFFER_PROVIDER] = provider_of(reader, offer),
        [OFFER_INSTANCE] = offer->instance,
        [OFFER_REGION] = feed_given(offer->region, ""),
        [OFFER_ZONE] = feed_given(offer->zone, ""),
        [OFFER_GPU] = offer->gpu,
        [OFFER_GPU_COUNT] = feed_print(offer->gpu_count, count),
        [OFFER_OPTION] = offer->option,
        [OFFER_PRICE] = feed_print(offer->price_per_hour, price),
        [OFFER_CURRENCY] = feed_given(offer->currency, "USD"),
        [OFFER_FROM] = feed_given(offer->from, input->observed),
        [OFFER_UNTIL] = feed_given(offer->until, NULL),
        [OFFER_TEXT] = feed_given(offer->text, feed_given(offer->from, input->observed)),
        [OFFER_STALE] = offer->stale ? "t" : "f",
        [OFFER_USABLE] = offer->unusable ? "f" : "t",
        [OFFER_SOURCE] = feed_given(offer->source, input->source),
        [OFFER_NOTE] = feed_given(offer->note, NULL),
    };

    feed_give(reader, line, values);
}

enum feed_fate feed_take_offer(struct feed_reader *reader, const struct feed_accelerator *said,
                               struct feed_offer *offer)
{
    struct feed_match match = feed_find_gpu(reader->input->known, said);

    if (match.unknown)
        snprintf(reader->unknown, sizeof(reader->unknown), "%s", said->name);
    if (!match.gpu)
        return feed_refuse(reader, "%s", match.why);
    offer->gpu = match.gpu;
    offer->gpu_count = match.count;
    offer->note = feed_given(offer->note, match.note);
    if (!feed_check_offer(reader, offer))
        return FEED_REFUSED;
    feed_give_offer(reader, reader->csv.line, offer);
    return FEED_GOOD;
}

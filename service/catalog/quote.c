#include "catalog/quote.h"

#include <math.h>
#include <string.h>

bool quote_known(const struct quote *quote, day as_of)
{
    return quote->recorded <= as_of && (!quote->superseded || as_of < quote->superseded);
}

bool quote_valid(const struct quote *quote, day as_of)
{
    return quote->valid_from <= as_of && (!quote->valid_until || as_of <= quote->valid_until);
}

const struct quote *catalog_quote(const struct catalog *catalog, double id, day as_of)
{
    for (size_t i = 0; i < catalog->n_quotes; i++)
        if (catalog->quotes[i].id == id && quote_known(&catalog->quotes[i], as_of))
            return &catalog->quotes[i];
    return NULL;
}

bool quote_is_rental(const struct quote *quote)
{
    return strcmp(quote->kind, "rental") == 0;
}

bool quote_is_discount(const struct quote *quote)
{
    return strcmp(quote->kind, "discount") == 0;
}

bool quote_is_paid(const struct quote *quote)
{
    return quote_is_rental(quote) && quote->price == 0;
}

const struct quote *quote_discount(const struct catalog *catalog, const char *provider,
                                   const char *gpu, const char *purchase_option, day as_of)
{
    const struct quote *largest = NULL;

    for (size_t i = 0; i < catalog->n_discounts; i++) {
        const struct quote *quote = catalog->discounts[i];
        if (strcmp(quote->provider, provider) == 0 && quote_known(quote, as_of) &&
            quote_valid(quote, as_of) && (!quote->gpu[0] || strcmp(quote->gpu, gpu) == 0) &&
            (!quote->purchase_option[0] || strcmp(quote->purchase_option, purchase_option) == 0) &&
            (!largest || quote->discount_ratio > largest->discount_ratio))
            largest = quote;
    }
    return largest;
}

double quote_price_per_gpu(const struct quote *quote)
{
    bool whole = strcmp(quote->price_unit, "per_node_hour") == 0 ||
                 strcmp(quote->price_unit, "per_server") == 0;

    return whole ? quote->price / quote->gpu_count : quote->price;
}

/* The earlier of two end dates; 0 means no end. */
static day sooner(day a, day b)
{
    if (!a || !b)
        return a ? a : b;
    return a < b ? a : b;
}

static const char *note_of(struct arena *arena, const struct quote *quote)
{
    const char *joint = quote->attachment[0] && quote->note[0] ? "; " : "";

    return arena_print(arena, "%s%s%s", quote->attachment, joint, quote->note);
}

/* The days on which a version is current and valid; false if there are none. */
static bool days_of(const struct quote *quote, day *from, day *until)
{
    *from = quote->valid_from > quote->recorded ? quote->valid_from : quote->recorded;
    *until = sooner(quote->valid_before, quote->superseded);
    return !*until || *from < *until;
}

static struct rental *rental_of(struct arena *arena, const struct quote *quote,
                                const struct gpu *gpu, day from, day until)
{
    const char *name = arena_print(arena, "quote %.0f", quote->id);
    double price = quote_price_per_gpu(quote);
    struct rental *rental = arena_alloc(arena, sizeof(*rental));
    struct observation *seen = arena_alloc(arena, sizeof(*seen));
    struct origin *origin = arena_alloc(arena, sizeof(*origin));

    *origin = (struct origin){name, note_of(arena, quote), quote->currency, "", (double)NAN, until,
                              false};
    *seen = (struct observation){
        .price_per_hour = price * quote->gpu_count,
        .price_per_gpu_hour = price,
        .origin = origin,
        .from = from,
    };
    *rental = (struct rental){
        .gpu = gpu->slug,
        .purchase_option = quote->purchase_option,
        .provider = quote->provider,
        .id = arena_print(arena, "quote/%.0f", quote->id),
        .instance = name,
        .region = quote->region,
        .zone = "",
        .gpu_count = quote->gpu_count,
        .usable = true,
        .quote = quote,
        .seen = seen,
        .n_seen = 1,
    };
    return rental;
}

static struct hardware hardware_of(struct arena *arena, const struct quote *quote,
                                   const struct gpu *gpu)
{
    double price = quote_price_per_gpu(quote);

    return (struct hardware){
        .id = arena_print(arena, "quote/%.0f", quote->id),
        .kind = strcmp(quote->price_unit, "per_card") == 0 ? "card" : "server",
        .seller = quote->provider,
        .gpu = gpu,
        .gpu_count = quote->gpu_count,
        .price = price * quote->gpu_count,
        .price_per_gpu = price,
        .currency = quote->currency,
        .observed_text = "",
        .source = arena_print(arena, "quote %.0f", quote->id),
        .note = note_of(arena, quote),
        .usable = true,
        .quote = quote,
    };
}

/* A longer copy of an array in the arena. */
static void *lengthen(struct arena *arena, const void *rows, size_t n, size_t more, size_t size)
{
    void *longer = arena_alloc(arena, (n + more) * size);

    return n ? memcpy(longer, rows, n * size) : longer;
}

static void add_quote(struct catalog *catalog, const struct quote *quote)
{
    const struct gpu *gpu = catalog_gpu(catalog, quote->gpu);
    day from, until;

    if (!quote->hidden && quote_is_discount(quote))
        catalog->discounts[catalog->n_discounts++] = quote;
    if (quote->hidden || !gpu || quote_is_discount(quote) || !days_of(quote, &from, &until))
        return;
    if (quote_is_rental(quote)) {
        catalog->quoted[catalog->n_quoted++] = rental_of(&catalog->arena, quote, gpu, from, until);
    } else {
        struct hardware *hardware = &catalog->hardware[catalog->n_hardware++];
        *hardware = hardware_of(&catalog->arena, quote, gpu);
        hardware->observed = from;
        hardware->until = until;
    }
}

void catalog_add_quotes(struct catalog *catalog)
{
    struct arena *arena = &catalog->arena;
    size_t n = catalog->n_quotes;

    catalog->quoted = arena_alloc(arena, n * sizeof(struct rental *));
    catalog->discounts = arena_alloc(arena, n * sizeof(struct quote *));
    catalog->hardware =
        lengthen(arena, catalog->hardware, catalog->n_hardware, n, sizeof(struct hardware));
    for (size_t i = 0; i < n; i++)
        add_quote(catalog, &catalog->quotes[i]);
}

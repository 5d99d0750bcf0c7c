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

double quote_price_per_gpu(const struct quote *quote)
{
    bool whole = strcmp(quote->price_unit, "per_node_hour") == 0 ||
                 strcmp(quote->price_unit, "per_server") == 0;

    return whole ? quote->price / quote->gpu_count : quote->price;
}

const struct exchange_rate *catalog_rate(const struct catalog *catalog, const char *currency,
                                         day as_of)
{
    const struct exchange_rate *latest = NULL;

    for (size_t i = 0; i < catalog->n_rates; i++) {
        const struct exchange_rate *rate = &catalog->rates[i];
        if (strcmp(rate->currency, currency) == 0 && rate->observed <= as_of &&
            (!latest || rate->observed > latest->observed))
            latest = rate;
    }
    return latest;
}

/* Days over which a version counts at one exchange rate. */
struct stretch {
    const struct quote *quote;
    const struct gpu *gpu;
    const struct exchange_rate *rate; /* NULL: USD */
    day from, until;                  /* until 0: open */
};

/* Of two ends the earlier; 0 is none. */
static day sooner(day a, day b)
{
    if (!a || !b)
        return a ? a : b;
    return a < b ? a : b;
}

/* The day another rate of the same currency takes over, 0 where none does. */
static day rate_end(const struct catalog *catalog, const struct exchange_rate *rate)
{
    day end = 0;

    for (size_t i = 0; i < catalog->n_rates; i++)
        if (strcmp(catalog->rates[i].currency, rate->currency) == 0 &&
            catalog->rates[i].observed > rate->observed)
            end = sooner(end, catalog->rates[i].observed);
    return end;
}

/* What the version is at that rate; false where the two never meet. */
static bool make_stretch(const struct catalog *catalog, const struct quote *quote,
                         const struct exchange_rate *rate, struct stretch *stretch)
{
    day from = quote->valid_from > quote->recorded ? quote->valid_from : quote->recorded;
    day until = sooner(quote->valid_before, quote->superseded);

    if (rate) {
        from = rate->observed > from ? rate->observed : from;
        until = sooner(until, rate_end(catalog, rate));
    }
    *stretch = (struct stretch){quote, catalog_gpu(catalog, quote->gpu), rate, from, until};
    return stretch->gpu && (!until || from < until);
}

/* Collect the stretches of all quotes; `to` is NULL to count them. */
static size_t make_stretches(const struct catalog *catalog, struct stretch *to)
{
    struct stretch one;
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_quotes; i++) {
        const struct quote *quote = &catalog->quotes[i];
        bool usd = strcmp(quote->currency, "USD") == 0;
        for (size_t r = 0; !quote->hidden && r < (usd ? 1 : catalog->n_rates); r++) {
            const struct exchange_rate *rate = usd ? NULL : &catalog->rates[r];
            if (rate && strcmp(rate->currency, quote->currency) != 0)
                continue;
            if (make_stretch(catalog, quote, rate, &one)) {
                if (to)
                    to[n] = one;
                n++;
            }
        }
    }
    return n;
}

static const char *note_of(struct arena *arena, const struct stretch *stretch)
{
    const struct quote *quote = stretch->quote;
    const struct exchange_rate *rate = stretch->rate;
    const char *joint = quote->attachment[0] && quote->note[0] ? "; " : "";

    if (!rate)
        return arena_print(arena, "%s%s%s", quote->attachment, joint, quote->note);
    return arena_print(arena, "%.10g %s %s at %.10g per USD of %d-%02d-%02d (%s)%s%s%s%s",
                       quote->price, quote->currency, quote->price_unit, rate->per_usd,
                       rate->observed / 10000, rate->observed / 100 % 100, rate->observed % 100,
                       rate->source, quote->attachment[0] || quote->note[0] ? "; " : "",
                       quote->attachment, joint, quote->note);
}

static double usd_per_gpu(const struct stretch *stretch)
{
    double price = quote_price_per_gpu(stretch->quote);

    return stretch->rate ? price / stretch->rate->per_usd : price;
}

static struct rental *rental_of(struct arena *arena, const struct stretch *stretch)
{
    const struct quote *quote = stretch->quote;
    const char *name = arena_print(arena, "quote %.0f", quote->id);
    struct rental *rental = arena_alloc(arena, sizeof(*rental));
    struct observation *seen = arena_alloc(arena, sizeof(*seen));
    struct origin *origin = arena_alloc(arena, sizeof(*origin));

    *origin = (struct origin){name, note_of(arena, stretch), "USD", "", (double)NAN};
    *seen = (struct observation){
        .price_per_hour = usd_per_gpu(stretch) * quote->gpu_count,
        .price_per_gpu_hour = usd_per_gpu(stretch),
        .origin = origin,
        .from = stretch->from,
        .until = stretch->until,
    };
    *rental = (struct rental){
        .gpu = stretch->gpu->slug,
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

static struct hardware hardware_of(struct arena *arena, const struct stretch *stretch)
{
    const struct quote *quote = stretch->quote;

    return (struct hardware){
        .id = arena_print(arena, "quote/%.0f", quote->id),
        .kind = strcmp(quote->price_unit, "per_card") == 0 ? "card" : "server",
        .seller = quote->provider,
        .gpu = stretch->gpu,
        .gpu_count = quote->gpu_count,
        .price = usd_per_gpu(stretch) * quote->gpu_count,
        .price_per_gpu = usd_per_gpu(stretch),
        .currency = "USD",
        .observed = stretch->from,
        .until = stretch->until,
        .observed_text = "",
        .source = arena_print(arena, "quote %.0f", quote->id),
        .note = note_of(arena, stretch),
        .usable = true,
        .quote = quote,
    };
}

/* A longer copy of an array of the arena's. */
static void *lengthen(struct arena *arena, const void *rows, size_t n, size_t more, size_t size)
{
    void *longer = arena_alloc(arena, (n + more) * size);

    return n ? memcpy(longer, rows, n * size) : longer;
}

void catalog_add_quotes(struct catalog *catalog)
{
    struct arena *arena = &catalog->arena;
    size_t n = make_stretches(catalog, NULL);
    struct stretch *stretches = arena_alloc(arena, n * sizeof(*stretches));

    make_stretches(catalog, stretches);
    catalog->quoted = arena_alloc(arena, n * sizeof(struct rental *));
    catalog->hardware =
        lengthen(arena, catalog->hardware, catalog->n_hardware, n, sizeof(struct hardware));
    for (size_t i = 0; i < n; i++)
        if (quote_is_rental(stretches[i].quote))
            catalog->quoted[catalog->n_quoted++] = rental_of(arena, &stretches[i]);
        else
            catalog->hardware[catalog->n_hardware++] = hardware_of(arena, &stretches[i]);
}

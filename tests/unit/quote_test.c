/* quote_test.c - quotes as offers and purchase prices: the days they count, precedence. */
#include "catalog/quote.h"

#include "catalog/price.h"
#include "tap.h"

static struct gpu gpus[] = {{.slug = "h100"}};

static const struct quote plain = {
    .id = 1,
    .version = 1,
    .kind = "rental",
    .provider = "acme",
    .gpu = "h100",
    .purchase_option = "spot",
    .region = "",
    .gpu_count = 8,
    .price = 16,
    .price_unit = "per_node_hour",
    .currency = "USD",
    .valid_from = 20260101,
    .attachment = "",
    .note = "",
    .recorded = 20260201,
};

/* A catalogue of these quotes and rates alone; free its arena. */
static struct catalog with(struct quote *quotes, size_t n, struct exchange_rate *rates,
                           size_t n_rates)
{
    struct catalog catalog = {.gpus = gpus,
                              .n_gpus = 1,
                              .quotes = quotes,
                              .n_quotes = n,
                              .rates = rates,
                              .n_rates = n_rates};

    catalog_add_quotes(&catalog);
    return catalog;
}

static void has_offer(const struct catalog *catalog, size_t i, double price, day from, day until)
{
    ok(i < catalog->n_quoted, "offer %zu", i);
    if (i >= catalog->n_quoted)
        return;
    const struct observation *offer = catalog->quoted[i]->seen;
    is_near(offer->price_per_gpu_hour, price, 1e-12, "price of offer %zu", i);
    is_near(offer->from, from, 0, "first day of offer %zu", i);
    is_near(offer->origin->until, until, 0, "end of offer %zu", i);
}

/* From the later of two beginnings to the earlier of two ends. */
static void days(void)
{
    static const struct {
        day from, before, recorded, superseded, want_from, want_until;
    } cases[] = {
        {20260101, 0, 20260201, 0, 20260201, 0},
        {20260301, 0, 20260201, 0, 20260301, 0},
        {20260101, 20260401, 20260201, 0, 20260201, 20260401},
        {20260101, 20260401, 20260201, 20260301, 20260201, 20260301},
        {20260101, 0, 20260201, 20260301, 20260201, 20260301},
        {20260101, 0, 20260201, 20260201, 0, 0}, /* replaced on the day it came */
        {20260101, 20260115, 20260201, 0, 0, 0}, /* over before it came */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct quote quote = plain;
        quote.valid_from = cases[i].from;
        quote.valid_before = cases[i].before;
        quote.recorded = cases[i].recorded;
        quote.superseded = cases[i].superseded;
        struct catalog catalog = with(&quote, 1, NULL, 0);
        if (cases[i].want_from)
            has_offer(&catalog, 0, 2, cases[i].want_from, cases[i].want_until);
        else
            ok(!catalog.n_quoted, "case %zu counts on no day", i);
        arena_free(&catalog.arena);
    }
}

/* It stays in its own currency: each answer converts it at the rate of its day. */
static void foreign(void)
{
    struct exchange_rate rate = {"EUR", 0.8, 20260105, "a"};
    struct quote quote = plain;

    quote.currency = "EUR";
    struct catalog catalog = with(&quote, 1, &rate, 1);
    has_offer(&catalog, 0, 2, 20260201, 0);
    is_str(catalog.quoted[0]->seen->origin->currency, "EUR", "in the currency of the quote");
    arena_free(&catalog.arena);
}

static void left_out(void)
{
    struct quote quotes[] = {plain, plain};

    quotes[0].hidden = true;
    quotes[1].gpu = "gone";
    struct catalog catalog = with(quotes, 2, NULL, 0);
    ok(!catalog.n_quoted && !catalog.n_hardware, "hidden ones, and of a GPU that is gone");
    arena_free(&catalog.arena);
}

static void servers(void)
{
    struct quote quotes[] = {plain, plain, plain};
    struct hardware listed[] = {{.id = "list",
                                 .kind = "server",
                                 .seller = "other",
                                 .gpu = gpus,
                                 .gpu_count = 8,
                                 .price = 100,
                                 .currency = "USD",
                                 .observed = 20260601,
                                 .usable = true}};
    struct catalog catalog = {.gpus = gpus,
                              .n_gpus = 1,
                              .hardware = listed,
                              .n_hardware = 1,
                              .quotes = quotes,
                              .n_quotes = 3};

    for (size_t i = 0; i < 3; i++) {
        quotes[i].id = (double)i + 1;
        quotes[i].kind = "hardware";
        quotes[i].price_unit = "per_server";
        quotes[i].price = 300 - 10 * (double)i;
    }
    quotes[2].valid_before = 20260301;
    catalog_add_quotes(&catalog);
    is_str(catalog_server(&catalog, gpus, 8, 20260215)->id, "quote/3", "the cheapest quote");
    is_str(catalog_server(&catalog, gpus, 8, 20260701)->id, "quote/2", "of those in force");
    ok(!catalog_server(&catalog, gpus, 8, 20260131), "none before any was known");
    ok(!catalog_server(&catalog, gpus, 4, 20260701), "none of another size");
    arena_free(&catalog.arena);
}

static void staleness(void)
{
    struct quote quote = plain;
    struct origin origin = {0};
    struct observation seen = {.from = 20260201, .origin = &origin};
    struct rental rental = {.provider = "acme", .quote = &quote, .seen = &seen, .n_seen = 1};
    struct offer offer = {.gpu = gpus, .rental = &rental, .seen = &seen};
    struct catalog catalog = {0};

    ok(price_offer_is_stale(&catalog, &offer, 20260601), "an open quote is old after 90 days");
    quote.valid_until = 20270101;
    ok(!price_offer_is_stale(&catalog, &offer, 20260601), "one that says how long it holds is not");
}

int main(void)
{
    days();
    foreign();
    left_out();
    servers();
    staleness();
    return tap_done();
}

/* price_book_memo.c - memoized books for the most frequent queries of a published catalogue, and
 * prices by them. */
#include "catalog/price_book.h"
#include "base/arena.h"

#include <string.h>

static struct price *copy_listed(const struct price *price, struct arena *arena)
{
    size_t size = offsetof(struct price, offers) + price->n_offers * sizeof(price->offers[0]);

    return memcpy(arena_room(arena, size), price, size);
}

/* The first of purchase_options. */
enum { ON_DEMAND, SPOT, RESERVED_1YR, RESERVED_3YR, OPTIONS };

struct books_memo {
    day as_of;
    struct books {
        const struct price_book *book;
        struct price *listed; /* truncated after its offers */
    } at[][OPTIONS];          /* by GPU and option */
};

static const char books_key; /* its address is the key */

/* The book of a commitment contains those of the shorter ones. */
static void make_books(struct catalog *catalog, const struct gpu *gpu, day as_of,
                       struct books kept[OPTIONS])
{
    for (size_t option = 0; option < OPTIONS; option++) {
        struct price_query query = {
            .gpu = gpu, .purchase_option = purchase_options[option], .as_of = as_of};
        struct price listed = price_listed(catalog, &query);
        kept[option].listed = copy_listed(&listed, &catalog->arena);
        if (option == SPOT || option == RESERVED_3YR)
            kept[option].book = price_book_make(catalog, &query, &catalog->arena);
    }
    kept[RESERVED_1YR].book = price_book_shorter(kept[RESERVED_3YR].book);
    kept[ON_DEMAND].book = price_book_shorter(kept[RESERVED_1YR].book);
}

void price_books_memoize(struct catalog *catalog, day as_of)
{
    struct books_memo *kept =
        arena_alloc(&catalog->arena, sizeof(*kept) + catalog->n_gpus * sizeof(kept->at[0]));

    kept->as_of = as_of;
    for (size_t i = 0; i < catalog->n_gpus; i++)
        make_books(catalog, &catalog->gpus[i], as_of, kept->at[i]);
    catalog_memo_put(catalog, &books_key, kept);
}

static bool is_open(const char *filter)
{
    return !filter || !filter[0];
}

/* Returns NULL if the query is not memoized, or the GPU is not the catalogue's own. */
static const struct books *find_books(const struct catalog *catalog,
                                      const struct price_query *query)
{
    const struct books_memo *kept = catalog_memo_get(catalog, &books_key);
    const char *name = query->purchase_option;
    size_t option = 0;

    if (!kept || kept->as_of != query->as_of || !name || query->gpu < catalog->gpus ||
        query->gpu >= catalog->gpus + catalog->n_gpus || !is_open(query->provider) ||
        !is_open(query->provider_discounts) || !is_open(query->region))
        return NULL;
    while (option < OPTIONS && strcmp(purchase_options[option], name) != 0)
        option++;
    return option < OPTIONS ? &kept->at[query->gpu - catalog->gpus][option] : NULL;
}

const struct price_book *price_book(const struct catalog *catalog, const struct price_query *query,
                                    struct arena *arena)
{
    const struct books *kept = find_books(catalog, query);

    return kept ? kept->book : price_book_make(catalog, query, arena);
}

static struct price listed(const struct catalog *catalog, const struct price_query *query)
{
    const struct books *kept = find_books(catalog, query);
    struct price price;

    if (!kept)
        return price_listed(catalog, query);
    memcpy(&price, kept->listed,
           offsetof(struct price, offers) + kept->listed->n_offers * sizeof(price.offers[0]));
    return price;
}

double price_match_per_gpu_hour(const struct price_book *book, double gpu_count, double connected)
{
    return price_match_summary(book, gpu_count, connected).per_gpu_hour;
}

struct price catalog_price(const struct catalog *catalog, const struct price_query *query)
{
    struct arena arena = {0};

    if (!(query->gpu_count > 0))
        return listed(catalog, query);
    struct price price = price_match(price_book(catalog, query, &arena), query->gpu_count,
                                     query->connected_gpu_count);
    arena_free(&arena);
    return price;
}

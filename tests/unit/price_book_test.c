/* price_book_test.c - what jobs of any size cost in random markets: whole machines and no more, the
 * median over providers, and never less for more GPUs. */
#include "catalog/price_book.h"

#include "base/random.h"
#include "fixture.h"
#include "tap.h"

#include <stdio.h>

enum { PROVIDERS = 6, OFFERS = 4, MARKETS = 300, AS_OF = 20261101 };

static const char *const gpus[] = {"h100-sxm5-80gb", "l40s", "gb200-nvl72"};
static const double counts[] = {
    1,  2,   3,   4,   5,   7,    8,    9,    12,   15,   16,    17,    24,    63,    64,    65,
    72, 100, 511, 512, 513, 1000, 4000, 4001, 4007, 4008, 16383, 16384, 16385, 20000, 20001, 32768};
static uint64_t n_draws;

/* Evenly from 0 to 1. */
static double draw(void)
{
    double unit;

    random_units(&unit, 1, 19, n_draws++, 1);
    return unit;
}

static double one_of(const double *values, size_t n)
{
    return values[(size_t)(draw() * (double)n)];
}

static void add_offer(struct offer_index_maker *maker, const char *gpu, const char *provider,
                      int which)
{
    static const double sizes[] = {1, 1, 2, 4, 8, 8, 16};
    double size = one_of(sizes, 7), price = 1 + 9 * draw();
    char id[32];

    (void)snprintf(id, sizeof(id), "%s/%d", provider, which);
    offer_index_add(
        maker, &(struct offer_index_row){
                   .rental = {gpu, "on_demand", provider, id, which ? "" : "cluster", "", "", size,
                              true, NULL, NULL, 0},
                   .origin = {"source", "", "USD", "", (double)NAN},
                   .seen = {price * size, price, NULL, draw() < 0.8 ? 20260601 : 0, 0, 0, false},
               });
}

/* A few providers, of whom some have a network and some of those a largest cluster. */
static struct offer_index *make_market(const char *gpu, struct instance *instances, size_t *n)
{
    static const char *const names[PROVIDERS] = {"a", "b", "c", "d", "e", "f"};
    static const double networks[] = {50, 200, 400, 400}, largest[] = {16, 512, 4000, 16384};
    struct offer_index_maker *maker = offer_index_begin(gpu, "");

    *n = 0;
    for (int i = 0; i < PROVIDERS; i++) {
        for (int j = 0; j < OFFERS; j++)
            if (draw() < 0.5)
                add_offer(maker, gpu, names[i], j);
        if (draw() < 0.6)
            instances[(*n)++] = (struct instance){
                .provider = names[i],
                .gpu = gpu,
                .name = "cluster",
                .network_gbit_per_second = one_of(networks, 4),
                .cluster_gpu_count_max = draw() < 0.7 ? one_of(largest, 4) : (double)NAN,
                .source = "source"};
    }
    return offer_index_end(maker);
}

/* The last machine of each bill holds some of the job, or the one replica that it is. */
static bool is_whole(const struct price *price, const struct gpu *gpu, double n)
{
    for (size_t i = 0; i < price->n_offers; i++) {
        const struct offer *offer = &price->offers[i];
        double size = offer->rental->gpu_count, node = fmax(size, gpu->board_gpu_count);
        if (offer->rented_gpu_count < n || offer->rented_gpu_count - node >= n ||
            fmod(offer->rented_gpu_count, size) != 0)
            return false;
    }
    return price->rented_gpu_count >= n;
}

static bool is_median(const struct price *price)
{
    size_t n = price->n_offers;
    const struct offer *low = &price->offers[(n - 1) / 2], *high = &price->offers[n / 2];
    double middle = (low->price_per_gpu_hour * low->job_price_ratio +
                     high->price_per_gpu_hour * high->job_price_ratio) /
                    2;

    return fabs(price->per_gpu_hour - middle) <= 1e-9 * middle;
}

static void check_market(const struct catalog *seed, const char *slug)
{
    struct instance instances[PROVIDERS];
    struct catalog catalog = *seed;
    struct arena arena = {0};
    struct offer_index *index = make_market(slug, instances, &catalog.n_instances);
    const struct gpu *gpu = catalog_gpu(seed, slug);
    size_t n_dearer = 0, n_whole = 0, n_median = 0, n_same = 0, n = 0, n_shrunk = 0;
    double last = 0;

    catalog.instances = instances;
    catalog.offer_indexes = &index;
    catalog.n_offer_indexes = 1;
    catalog.n_quoted = 0;
    const struct price_book *book = price_book_make(
        &catalog, &(struct price_query){.gpu = gpu, .purchase_option = "on_demand", .as_of = AS_OF},
        &arena);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct price price = price_match(book, counts[i], counts[i]);
        double alone = price_match_per_gpu_hour(book, counts[i], counts[i]);
        double replicas = price_match_per_gpu_hour(book, 3 * counts[i], counts[i]);
        if (isnan(price.per_gpu_hour)) {
            n_shrunk += !isnan(alone) || price.basis != PRICE_NONE;
            continue;
        }
        n++;
        n_dearer += price.per_gpu_hour * counts[i] >= last * (1 - 1e-12) &&
                    3 * replicas >= price.per_gpu_hour * (1 - 1e-12);
        n_whole += is_whole(&price, gpu, counts[i]);
        n_median += is_median(&price);
        n_same += alone == price.per_gpu_hour;
        last = price.per_gpu_hour * counts[i];
    }
    ok(n_dearer == n && n_whole == n && n_median == n && n_same == n && !n_shrunk,
       "%s: of %zu jobs %zu cost no less than smaller ones, %zu whole machines, %zu the median",
       slug, n, n_dearer, n_whole, n_median);
    arena_free(&arena);
    offer_index_release(index);
}

int main(void)
{
    struct catalog *seed = fixture_catalog();

    for (int i = 0; i < MARKETS; i++)
        check_market(seed, gpus[i % 3]);
    catalog_free(seed);
    return tap_done();
}

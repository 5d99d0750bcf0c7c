/* price_book_test.c - what jobs of any size cost in random markets: whole machines and no more, the
 * median over providers, and never less for more GPUs. */
#include "catalog/price_book.h"

#include "base/random.h"
#include "fixture.h"
#include "tap.h"

#include <stdio.h>

enum { PROVIDERS = 6, OFFERS = 4, MARKETS = 300, TERMS = 3, AS_OF = 20261101 };

static const char *const terms[TERMS] = {"on_demand", "reserved_1yr", "reserved_3yr"};
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

/* Within a year of AS_OF, before, or not known. */
static day one_of_days(void)
{
    static const double days[] = {20260601, 20260601, 20260601, 20240601, 0};

    return (day)one_of(days, 5);
}

static void add_offer(struct offer_index_maker *maker, const char *gpu, const char *provider,
                      const char *option, int which)
{
    static const double sizes[] = {1, 1, 2, 4, 8, 8, 16};
    double size = one_of(sizes, 7), price = 1 + 9 * draw();
    char id[64];

    (void)snprintf(id, sizeof(id), "%s/%s/%d", provider, option, which);
    offer_index_add(maker, &(struct offer_index_row){
                               .rental = {id, gpu, option, provider, which ? "" : "cluster", "", "",
                                          size, true, NULL, NULL, 0},
                               .origin = {"source", "", "USD", "", (double)NAN, 0, false},
                               .seen = {price * size, price, NULL, one_of_days(), 0},
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
                add_offer(maker, gpu, names[i], terms[0], j);
        for (int term = 1; term < TERMS; term++)
            if (draw() < 0.3)
                add_offer(maker, gpu, names[i], terms[term], (int)(draw() * 2));
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
static bool is_whole_for(const struct price *price, const struct gpu *gpu, double n)
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

/* For the job itself, or for a larger one that costs no more: one GPU more than some machine has.
 */
static bool is_whole(const struct price_book *book, const struct price *price,
                     const struct gpu *gpu, double n)
{
    static const double larger[] = {2, 3, 5, 9, 17, 73};
    bool whole = is_whole_for(price, gpu, n);

    for (size_t i = 0; i < sizeof(larger) / sizeof(larger[0]); i++)
        if (larger[i] > n && larger[i] * price_match_per_gpu_hour(book, larger[i], larger[i]) <=
                                 n * price->per_gpu_hour * (1 + 1e-12))
            whole = whole || is_whole_for(price, gpu, larger[i]);
    return whole;
}

/* At least two providers where too large machines were left out, three that are new enough where
 * old prices were, and no old price then. */
static bool is_left_out_rightly(const struct price *price)
{
    size_t n_old = 0;

    for (size_t i = 0; i < price->n_offers; i++)
        n_old += price->offers[i].seen->from < 20251101;
    return (!price->n_too_large || price->n_offers >= 2) &&
           (!price->n_old || (price->n_offers + price->n_too_large >= 3 && !n_old));
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

/* Three years never cost more than one, nor one more than none; nor more GPUs less. */
static bool is_no_dearer_longer(const struct price_book *const books[TERMS], double n)
{
    bool holds = true;

    for (int term = 1; term < TERMS; term++) {
        double price = price_match_per_gpu_hour(books[term], n, n);
        holds = holds && price <= price_match_per_gpu_hour(books[term - 1], n, n) &&
                !(price_match_per_gpu_hour(books[term], n + 1, n + 1) * (n + 1) <
                  price * n * (1 - 1e-12));
    }
    return holds;
}

static void check_market(const struct catalog *seed, const char *slug)
{
    struct instance instances[PROVIDERS];
    struct catalog catalog = *seed;
    struct arena arena = {0};
    struct offer_index *index = make_market(slug, instances, &catalog.n_instances);
    const struct gpu *gpu = catalog_gpu(seed, slug);
    size_t n_dearer = 0, n_whole = 0, n_median = 0, n_same = 0, n = 0, n_shrunk = 0, n_left_out = 0,
           n_longer = 0;
    double last = 0;

    catalog.instances = instances;
    catalog.offer_indexes = &index;
    catalog.n_offer_indexes = 1;
    catalog.n_quoted = 0;
    const struct price_book *books[TERMS], *book;
    for (int term = 0; term < TERMS; term++)
        books[term] = price_book_make(
            &catalog,
            &(struct price_query){.gpu = gpu, .purchase_option = terms[term], .as_of = AS_OF},
            &arena);
    book = books[0];
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct price price = price_match(book, counts[i], counts[i]);
        double alone = price_match_per_gpu_hour(book, counts[i], counts[i]);
        double replicas = price_match_per_gpu_hour(book, 3 * counts[i], counts[i]);
        double singly = price_match_per_gpu_hour(book, counts[i], 1);
        if (isnan(price.per_gpu_hour)) {
            n_shrunk += !isnan(alone) || price.basis != PRICE_NONE;
            continue;
        }
        n++;
        n_dearer += price.per_gpu_hour * counts[i] >= last * (1 - 1e-12) &&
                    3 * replicas >= price.per_gpu_hour * (1 - 1e-12) &&
                    singly <= price.per_gpu_hour * (1 + 1e-12);
        n_whole += is_whole(book, &price, gpu, counts[i]);
        n_median += is_median(&price);
        n_longer += is_no_dearer_longer(books, counts[i]);
        n_left_out += is_left_out_rightly(&price);
        n_same += alone == price.per_gpu_hour;
        last = price.per_gpu_hour * counts[i];
    }
    ok(n_dearer == n && n_whole == n && n_median == n && n_same == n && n_left_out == n &&
           n_longer == n && !n_shrunk,
       "%s: of %zu jobs %zu cost no less than smaller ones, %zu whole machines, %zu the median",
       slug, n, n_dearer, n_whole, n_median);
    arena_free(&arena);
    offer_index_release(index);
}

/* What a job costs where each provider has one kind of machine, provider a a second one as the
 * last of six; `most`: GPUs that provider a has in one machine at the price of one. */
static struct price price_in_parts(const struct catalog *seed, const double (*machines)[3],
                                   size_t n, double most, double gpu_count, double connected,
                                   enum price_doubt *doubt)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "a"};
    static const char *const ids[] = {"a", "b", "c", "d", "e", "a/2"};
    struct offer_index_maker *maker = offer_index_begin("l40s", "");
    struct catalog catalog = *seed;
    struct arena arena = {0};

    for (size_t i = 0; i < n; i++) {
        double size = machines[i][0], price = machines[i][1];
        offer_index_add(maker, &(struct offer_index_row){
                                   .rental = {ids[i], "l40s", "on_demand", names[i], "", "", "",
                                              size, true, NULL, NULL, 0},
                                   .origin = {"source", "", "USD", "", (double)NAN, 0, false},
                                   .seen = {price * size, price, NULL, (day)machines[i][2], 0}});
    }
    struct offer_index *index = offer_index_end(maker);
    struct instance larger = {.provider = "a",
                              .gpu = "l40s",
                              .name = "",
                              .network_gbit_per_second = (double)NAN,
                              .cluster_gpu_count_max = (double)NAN,
                              .machine_gpu_count_max = most,
                              .source = "source"};
    catalog.instances = &larger;
    catalog.n_instances = 1;
    catalog.n_quoted = 0;
    catalog.offer_indexes = &index;
    catalog.n_offer_indexes = 1;
    const struct price_book *book = price_book_make(
        &catalog,
        &(struct price_query){
            .gpu = catalog_gpu(seed, "l40s"), .purchase_option = "on_demand", .as_of = AS_OF},
        &arena);
    struct price price = price_match(book, gpu_count, connected);
    struct price_summary summary = price_match_summary(book, gpu_count, connected);
    *doubt = price_doubt(&summary);
    arena_free(&arena);
    offer_index_release(index);
    return price;
}

static struct price price_of(const struct catalog *seed, const double (*machines)[3], size_t n,
                             double most, double gpu_count)
{
    enum price_doubt doubt;

    return price_in_parts(seed, machines, n, most, gpu_count, gpu_count, &doubt);
}

/* About the rent of single GPUs. */
static enum price_doubt doubt_of(const struct catalog *seed, const double (*machines)[3], size_t n,
                                 double gpu_count)
{
    enum price_doubt doubt;

    (void)price_in_parts(seed, machines, n, (double)NAN, gpu_count, 1, &doubt);
    return doubt;
}

/* Fleets of single GPUs: each provider that asks about as much is taken to have some free. */
static void check_fleets(const struct catalog *seed)
{
    static const double alike[][3] = {{1, 1, 20260601}, {1, 1.05, 20260601}, {1, 1.05, 20260601}};
    static const double apart[][3] = {{1, 1, 20260601}, {1, 1.05, 20260601}, {1, 2, 20260601}};
    static const double boards[][3] = {
        {1, 1, 20260601}, {1, 1, 20260601}, {8, 0.68, 20260601}, {1, 2, 20260601}};
    double each = catalog_default(seed, "fleet_gpu_count_max", "");
    struct provider large = {"c", "C", "cloud", "hyperscaler", "", 90};
    struct provider maker = {"a", "A", "cloud", "", catalog_gpu(seed, "l40s")->vendor, 90};
    struct catalog cloud = *seed, made = *seed;

    cloud.providers = &large;
    made.providers = &maker;
    cloud.n_providers = made.n_providers = 1;
    ok(!doubt_of(seed, alike, 3, 3 * each) &&
           doubt_of(seed, alike, 3, 3 * each + 1) == PRICE_NOT_OFFERED,
       "three providers have three times %g GPUs free, and no more", each);
    ok(!doubt_of(seed, apart, 3, 2 * each) &&
           doubt_of(seed, apart, 3, 2 * each + 1) == PRICE_NOT_OFFERED,
       "one that asks for more than the price is not among them");
    ok(!doubt_of(&cloud, alike, 3, 1000 * each), "a hyperscaler has as many as are asked for");
    ok(!doubt_of(seed, boards, 3, 17), "where 17 GPUs cost what one provider asks for 24, others "
                                       "that ask about as much confirm it");
    ok(doubt_of(seed, boards + 2, 2, 17) == PRICE_ONE_PROVIDER, "but not one that asks twice that");
    ok(doubt_of(seed, alike, 1, each) == PRICE_ONE_PROVIDER && !doubt_of(&made, alike, 1, each) &&
           doubt_of(&made, alike, 1, each + 1) == PRICE_NOT_OFFERED,
       "the maker of the GPU confirms a rent alone, up to what it has free");
}

/* Provider a lists one GPU anew for more than it once did, in a machine of another name. */
static void check_renewed(const struct catalog *seed)
{
    static const double renewed[][3] = {{1, 3, 20260601}, {4, 9, 20240601}, {4, 9, 20240601},
                                        {4, 9, 20240601}, {4, 9, 20240601}, {1, 1, 20240601}};
    struct price price = price_of(seed, renewed, 6, (double)NAN, 1);

    ok(price.low == 3, "a provider's price of years ago gives way to its new one");
}

static void check_left_out(const struct catalog *seed)
{
    static const double large[][3] = {
        {1, 1, 20260601}, {1, 2, 20260601}, {2, 1.5, 20260601}, {8, 1, 20260601}, {8, 3, 20260601}};
    static const double old[][3] = {
        {1, 1, 20240601}, {1, 1, 20240601}, {1, 2, 20260601}, {1, 3, 20260601}, {1, 4, 20260601}};
    struct price price = price_of(seed, large, 5, (double)NAN, 1);
    ok(price.per_gpu_hour == 1.5 && price.n_too_large == 3 && price.n_offers == 2,
       "one GPU is neither two nor eight: three providers are left out");
    price = price_of(seed, large + 1, 4, (double)NAN, 1);
    ok(price.per_gpu_hour == 2.5 && price.n_too_large == 2,
       "with one provider of one GPU, those of eight are left out");
    price = price_of(seed, large + 2, 3, (double)NAN, 1);
    ok(price.per_gpu_hour == 8 && price.n_too_large == 0,
       "with one provider that would remain, none is left out");
    price = price_of(seed, old, 5, (double)NAN, 1);
    ok(price.per_gpu_hour == 3 && price.n_old == 2, "two prices of over a year ago are left out");
    price = price_of(seed, old, 4, (double)NAN, 1);
    ok(price.per_gpu_hour == 1.5 && price.n_old == 0, "with two newer ones they count");
    price = price_of(seed, large, 1, 4, 3);
    ok(price.per_gpu_hour * 3 == 4 && price.rented_gpu_count == 4 && price.offered,
       "three GPUs are had as the four that a provider of one GPU rents in a machine");
    price = price_of(seed, large, 1, 4, 8);
    ok(price.basis == PRICE_NONE || !price.offered, "eight are not, without a network");
}

int main(void)
{
    struct catalog *seed = fixture_catalog();

    check_left_out(seed);
    check_renewed(seed);
    check_fleets(seed);
    for (int i = 0; i < MARKETS; i++)
        check_market(seed, gpus[i % 3]);
    catalog_free(seed);
    return tap_done();
}

/* price_statistics_test.c - quantiles of the providers' prices, and which of them are far off. */
#include "catalog/price_statistics.h"

#include "tap.h"

enum { PROVIDERS_MAX = 8 };

static struct gpu gpus[] = {{.slug = "h100"}};
static const char *const names[PROVIDERS_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* A catalogue of one spot offer per provider; offer_index_release() its shelf. */
static struct catalog of(const double *prices, size_t n, struct offer_index **index)
{
    struct offer_index_maker *maker = offer_index_begin("h100", "");

    for (size_t i = 0; i < n; i++) {
        struct offer_index_row row = {
            .rental = {names[i], "h100", "spot", names[i], "x", "", "", 1, true, NULL, NULL, 0},
            .origin = {"source", "", "USD", "", (double)NAN, 0, false},
            .seen = {prices[i], prices[i], NULL, 20260101, 0},
        };
        offer_index_add(maker, &row);
    }
    *index = offer_index_end(maker);
    return (struct catalog){
        .gpus = gpus, .n_gpus = 1, .offer_indexes = index, .n_offer_indexes = 1};
}

static struct price_statistics market_of(const double *prices, size_t n)
{
    struct offer_index *index;
    struct catalog catalog = of(prices, n, &index);
    struct price_statistics statistics = price_statistics_of(&catalog, gpus, "spot", 20260601);

    offer_index_release(index);
    return statistics;
}

static void quantiles(void)
{
    static const double prices[] = {4, 1, 2, 3, 10};
    struct offer_index *index;
    struct catalog catalog = of(prices, 5, &index);
    struct price price =
        catalog_price(&catalog, &(struct price_query){.gpu = gpus, .as_of = 20260601});

    is_near(price_quantile(&price, 0.25), 2, 1e-12, "the second of five");
    is_near(price_quantile(&price, 0.75), 4, 1e-12, "the fourth");
    is_near(price_quantile(&price, 0.875), 7, 1e-12, "half-way between the last two");
    is_near(price_quantile(&price, 1), 10, 1e-12, "the last");
    ok(price.n_matching == 5, "of five offers");
    price = catalog_price(&catalog, &(struct price_query){.gpu = gpus, .as_of = 20250601});
    ok(isnan(price_quantile(&price, 0.5)), "unknown where there is none");
    offer_index_release(index);
}

static void outliers(void)
{
    /* ln: distances from ln 2 are ln 2, ln 4/3, 0, ln 1.5, ln 2; median ln 1.5, scale 0.6011 */
    static const double spread[] = {1, 1.5, 2, 3, 4};
    static const double equal[] = {2, 2, 2, 2, 2, 9};
    struct price_statistics statistics = market_of(spread, 5);

    is_near(statistics.median, log(2), 1e-12, "the median in ln");
    is_near(statistics.scale, 1.4826 * log(1.5), 1e-12, "the scale");
    double edge = 3.5 * 1.4826 * log(1.5);
    ok(!price_is_outlier(&statistics, 2 * exp(edge - 0.01)),
       "expensive, but not out of the ordinary");
    ok(price_is_outlier(&statistics, 2 * exp(edge + 0.01)), "too expensive");
    ok(price_is_outlier(&statistics, 2 / exp(edge + 0.01)), "too cheap");
    ok(!price_is_outlier(&statistics, 2 / exp(edge - 0.01)), "cheap, but not out of the ordinary");
    statistics = market_of(equal, 6);
    ok(price_is_outlier(&statistics, 9), "one among equals");
    ok(!price_is_outlier(&statistics, 2 * exp(0.349)) &&
           price_is_outlier(&statistics, 2 * exp(0.351)),
       "a scale is a tenth at least");
    statistics = market_of(equal + 2, 4);
    ok(!price_is_outlier(&statistics, 9), "four are too few to say");
    statistics = market_of(equal, 0);
    ok(!price_is_outlier(&statistics, 9), "and none certainly");
}

int main(void)
{
    quantiles();
    outliers();
    return tap_done();
}

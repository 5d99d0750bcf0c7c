/* market_test.c - quantiles of the providers' prices, and which of them are far off. */
#include "catalog/price_statistics.h"

#include "tap.h"

enum { PROVIDERS_MAX = 8 };

static struct gpu gpus[] = {{.slug = "h100"}};
static const char *const names[PROVIDERS_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* A catalogue of one spot offer per provider; shelf_release() its shelf. */
static struct catalog of(const double *prices, size_t n, struct shelf **shelf)
{
    struct shelf_maker *maker = shelf_begin("h100", "");

    for (size_t i = 0; i < n; i++) {
        struct shelf_row row = {
            .rental = {"h100", "spot", names[i], names[i], "x", "", "", 1, true, NULL, NULL, 0},
            .origin = {"source", "", "USD", "", (double)NAN},
            .seen = {prices[i], prices[i], NULL, 20260101, 0, 0, false},
        };
        shelf_add(maker, &row);
    }
    *shelf = shelf_end(maker);
    return (struct catalog){.gpus = gpus, .n_gpus = 1, .shelves = shelf, .n_shelves = 1};
}

static struct market market_of(const double *prices, size_t n)
{
    struct shelf *shelf;
    struct catalog catalog = of(prices, n, &shelf);
    struct market market = catalog_market(&catalog, gpus, "spot", 20260601);

    shelf_release(shelf);
    return market;
}

static void quantiles(void)
{
    static const double prices[] = {4, 1, 2, 3, 10};
    struct shelf *shelf;
    struct catalog catalog = of(prices, 5, &shelf);
    struct price price =
        catalog_price(&catalog, &(struct price_query){.gpu = gpus, .as_of = 20260601});

    is_near(price_quantile(&price, 0.25), 2, 1e-12, "the second of five");
    is_near(price_quantile(&price, 0.75), 4, 1e-12, "the fourth");
    is_near(price_quantile(&price, 0.875), 7, 1e-12, "half-way between the last two");
    is_near(price_quantile(&price, 1), 10, 1e-12, "the last");
    ok(price.n_matching == 5, "of five offers");
    price = catalog_price(&catalog, &(struct price_query){.gpu = gpus, .as_of = 20250601});
    ok(isnan(price_quantile(&price, 0.5)), "unknown where there is none");
    shelf_release(shelf);
}

static void outliers(void)
{
    /* ln: distances from ln 2 are ln 2, ln 4/3, 0, ln 1.5, ln 2; median ln 1.5, scale 0.6011 */
    static const double spread[] = {1, 1.5, 2, 3, 4};
    static const double equal[] = {2, 2, 2, 2, 2, 9};
    struct market market = market_of(spread, 5);

    is_near(market.median, log(2), 1e-12, "the median in ln");
    is_near(market.scale, 1.4826 * log(1.5), 1e-12, "the scale");
    double edge = 3.5 * 1.4826 * log(1.5);
    ok(!market_outlier(&market, 2 * exp(edge - 0.01)), "dear, but not out of the ordinary");
    ok(market_outlier(&market, 2 * exp(edge + 0.01)), "too dear");
    ok(market_outlier(&market, 2 / exp(edge + 0.01)), "too cheap");
    ok(!market_outlier(&market, 2 / exp(edge - 0.01)), "cheap, but not out of the ordinary");
    market = market_of(equal, 6);
    ok(market_outlier(&market, 9), "one among equals");
    ok(!market_outlier(&market, 2 * exp(0.349)) && market_outlier(&market, 2 * exp(0.351)),
       "a scale is a tenth at least");
    market = market_of(equal + 2, 4);
    ok(!market_outlier(&market, 9), "four are too few to say");
    market = market_of(equal, 0);
    ok(!market_outlier(&market, 9), "and none certainly");
}

int main(void)
{
    quantiles();
    outliers();
    return tap_done();
}

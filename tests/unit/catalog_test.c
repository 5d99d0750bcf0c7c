/* catalog_test.c - looking things up in the real catalogue, prices included. */
#include "catalog/price_book.h"

#include "base/text.h"
#include "fixture.h"
#include "tap.h"

static struct catalog *catalog;

static void names_alike(void)
{
    static const struct {
        const char *typed, *first;
        size_t n;
    } gpus[] = {{"h100", "h100-nvl-94gb", 3},
                {"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb", 1},
                {"h100-sxm-80gb", "h100-sxm5-80gb", 1},
                {"b200-sxm6-192gb", "b200-sxm", 1},
                {"h20-sxm5-96gb", "h20", 1},
                {"NVIDIA-L40S-48GB", "l40s", 1},
                {"Tesla T4 16GB", "t4", 1},
                {"RTX4090", "rtx-4090", 1},
                {"a100-sxm", "a100-sxm4-40gb", 2},
                {"h100-sxm", "h100-sxm5-80gb", 1},
                {"NVIDIA RTX 4090", "rtx-4090", 1},
                {"b200", "b200-sxm", 1},
                {"mi300", "mi300x", 1},
                {"rtx-4080", "", 0},
                {"something else entirely", "", 0}},
      models[] = {{"lama-2-70b", "llama-2-70b", 1},
                  {"Qwen/Qwen3-32B-AWQ", "qwen3-32b", 1},
                  {"Qwen3-235B-A22B-Instruct-2507", "qwen3-235b-a22b", 1},
                  {"llama-70b", "llama-2-70b", 4},
                  {"Qwen/Qwen2.5-VL-7B-Instruct", "", 0},
                  {"qwen3-vl-8b-instruc", "qwen3-vl-8b-instruct", 1},
                  {"all-minilm-l6-v2", "", 0},
                  {"llama-3.1-9b", "", 0},
                  {"gpt-4", "", 0}};
    const char *names[CATALOG_ALIKE_MAX];

    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++) {
        size_t n = catalog_gpus_alike(catalog, gpus[i].typed, names);
        is_str(n ? names[0] : "", gpus[i].first, "%s", gpus[i].typed);
        ok(n == gpus[i].n, "%s: %zu in all", gpus[i].typed, n);
    }
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        size_t n = catalog_models_alike(catalog, models[i].typed, names);
        is_str(n ? names[0] : "", models[i].first, "%s", models[i].typed);
        ok(n == models[i].n, "%s: %zu in all", models[i].typed, n);
    }
    is_str(catalog_nearest_provider(catalog, "lamda"), "lambda", "a provider");
}

static void gpus_meant(void)
{
    static const struct {
        const char *typed, *slug;
    } gpus[] = {{"H100-SXM5-80GB", "h100-sxm5-80gb"},
                {"nvidia h100 sxm5 80gb", "h100-sxm5-80gb"},
                {"rtx 4090", "rtx-4090"},
                {"RTX4090", "rtx-4090"},
                {"h100-sxm", ""},
                {"b200", ""},
                {"rtx-4090-48gb", ""},
                {"h1", ""},
                {"", ""}};

    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++) {
        const struct gpu *gpu = catalog_gpu_meant(catalog, gpus[i].typed);
        is_str(gpu ? gpu->slug : "", gpus[i].slug, "%s", gpus[i].typed);
    }
}

static void models_meant(void)
{
    static const struct {
        const char *typed, *slug;
        bool tuned;
    } models[] = {{"llama-3-8b", "meta-llama-3-8b", false},
                  {"Qwen/QwQ-32B", "qwq-32b", false},
                  {"llama 3.1 70b", "llama-3.1-70b", false},
                  {"llama3.1-70b", "llama-3.1-70b", false},
                  {"gemma3-27b", "gemma-3-27b-it", true},
                  {"somebody/QwQ-32B", "qwq-32b", false},
                  {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", true},
                  {"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b-v0.1", true},
                  {"Qwen/Qwen3-32B-AWQ", "", false},
                  {"llama-3.1-9b", "", false},
                  {"-", "", false}};

    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        bool tuned = false;
        const struct model *model = catalog_model_meant(catalog, models[i].typed, &tuned);
        is_str(model ? model->slug : "", models[i].slug, "%s", models[i].typed);
        ok(tuned == models[i].tuned, "%s: another tuning or not", models[i].typed);
    }
}

static struct price ask(const char *gpu, const char *option, day as_of)
{
    struct price_query query = {
        .gpu = catalog_gpu(catalog, gpu), .purchase_option = option, .as_of = as_of};

    return catalog_price(catalog, &query);
}

/* The median over providers, each by its cheapest: every provider once, cheapest first. */
static void medians(void)
{
    struct price price = ask("h100-sxm5-80gb", "on_demand", 20261120);
    size_t n = price.n_offers;

    ok(n > 5, "%zu providers", n);
    for (size_t i = 1; i < n; i++) {
        ok(price.offers[i - 1].seen->price_per_gpu_hour <= price.offers[i].seen->price_per_gpu_hour,
           "cheapest first");
        for (size_t j = 0; j < i; j++)
            ok(strcmp(price.offers[i].rental->provider, price.offers[j].rental->provider) != 0,
               "once each");
    }
    double middle = n % 2 ? price.offers[n / 2].seen->price_per_gpu_hour
                          : (price.offers[n / 2 - 1].seen->price_per_gpu_hour +
                             price.offers[n / 2].seen->price_per_gpu_hour) /
                                2;
    is_near(price.per_gpu_hour, middle, 1e-12, "the median of %zu", n);
    is_near(price.low, price.offers[0].seen->price_per_gpu_hour, 0, "the lowest");
    is_near(price.high, price.offers[n - 1].seen->price_per_gpu_hour, 0, "the highest");
    ok(price.n_stale && price.n_stale <= n, "some are old, and it says how many");
}

static void days(void)
{
    ok(isnan(ask("b200-sxm", "on_demand", 20200101).per_gpu_hour), "no price before any");
    ok(isnan(ask("gaudi3", "on_demand", 20261120).per_gpu_hour), "none where nobody offers it");
    double then = ask("a100-sxm4-40gb", "on_demand", 20241201).per_gpu_hour;
    double now = ask("a100-sxm4-40gb", "on_demand", 20261120).per_gpu_hour;
    ok(then > 0 && now > 0 && then != now, "a day's price is that day's: %g, %g", then, now);
}

static void purchase(void)
{
    bool undated;
    const struct gpu *h100 = catalog_gpu(catalog, "h100-sxm5-80gb");

    ok(catalog_card_price(catalog, h100, 20261120, &undated) > 10000, "a card");
    const struct hardware *server = catalog_server(catalog, h100, 8, 20261120);
    ok(server && server->price >= 250000, "a server of eight");
    ok(!catalog_server(catalog, h100, 5, 20261120), "none of five");
}

static size_t not_found(const struct catalog *in)
{
    size_t wrong = 0;

    for (size_t i = 0; i < in->n_assumptions; i++) {
        const struct assumption *row = &in->assumptions[i];
        wrong += catalog_assumption(in, row->key, row->scope) != row;
        wrong += catalog_assumption(in, row->key, "nowhere") != NULL;
        wrong += catalog_assumption(in, row->source, row->scope) != NULL;
    }
    return wrong;
}

/* Where to look first is said of today's rows; in those of another day it is only a guess. */
static void assumptions(void)
{
    struct catalog other = *catalog;

    ok(catalog->hints && not_found(catalog) == 0, "each assumption, and no other");
    other.hints = NULL;
    ok(not_found(&other) == 0, "without a hint");
    other.hints = catalog->hints;
    other.assumptions++;
    other.n_assumptions--;
    ok(not_found(&other) == 0, "with hints that are wrong");
}

static bool same_price(const struct price *a, const struct price *b)
{
    bool known = !isnan(a->per_gpu_hour);

    return a->n_offers == b->n_offers && a->n_matching == b->n_matching &&
           a->n_stale == b->n_stale && known == !isnan(b->per_gpu_hour) &&
           (!known ||
            (a->per_gpu_hour == b->per_gpu_hour && a->low == b->low && a->high == b->high)) &&
           memcmp(a->offers, b->offers, a->n_offers * sizeof(a->offers[0])) == 0;
}

/* What is kept for a day is what is worked out, of every GPU and option; another day's and another
 * question's is not mistaken for it. */
static void kept_prices(void)
{
    enum { GPUS_MAX = 256 };
    static const day days[] = {20261120, 20250601};
    static struct price before[2][GPUS_MAX][PURCHASE_OPTIONS], of_provider;
    struct price_query query = {.gpu = catalog_gpu(catalog, "h100-sxm5-80gb"),
                                .purchase_option = "on_demand",
                                .provider = "lambda",
                                .as_of = 20261120};
    size_t wrong = 0, known = 0;

    of_provider = catalog_price(catalog, &query);
    for (int kept = 0; kept < 2; kept++) {
        for (size_t d = 0; d < 2; d++)
            for (size_t i = 0; i < catalog->n_gpus; i++)
                for (size_t o = 0; o < PURCHASE_OPTIONS; o++) {
                    struct price price = ask(catalog->gpus[i].slug, purchase_options[o], days[d]);
                    if (!kept)
                        before[d][i][o] = price;
                    wrong += kept && !same_price(&price, &before[d][i][o]);
                    known += kept && price.n_offers > 0;
                }
        price_books_memoize(catalog, days[0]);
    }
    ok(wrong == 0 && known > 100, "%zu prices are the same when kept, %zu are not", known, wrong);
    struct price price = catalog_price(catalog, &query);
    ok(price.n_offers == 1 && same_price(&price, &of_provider), "one provider's is its own");
}

int main(void)
{
    catalog = fixture_catalog();
    names_alike();
    gpus_meant();
    models_meant();
    medians();
    days();
    purchase();
    assumptions();
    kept_prices();
    catalog_free(catalog);
    return tap_done();
}

#include "catalog/hosted_price.h"

#include "base/text.h"
#include "catalog/currency.h"

#include <math.h>
#include <string.h>

enum { PROVIDERS_MAX = 128 };

bool hosted_price_is_current(const struct hosted_price *price, day as_of)
{
    return price->first_observed <= as_of && (!price->until || as_of < price->until);
}

static day last_read(const struct hosted_price *price, day as_of)
{
    return price->last_observed < as_of ? price->last_observed : as_of;
}

bool hosted_price_is_stale(const struct hosted_price *price, day as_of)
{
    return text_days_between(last_read(price, as_of), as_of) > price->stale_days;
}

/* 0 tokens cost 0 even if their price is unknown. */
static double times(double tokens, double price)
{
    return tokens == 0 ? 0 : tokens * price;
}

double hosted_price_blended(const struct hosted_rates *rates, const struct hosted_mix *mix)
{
    double cached = mix->input_tokens * mix->cached_ratio;

    return (times(mix->input_tokens - cached, rates->input) + times(cached, rates->cached_input) +
            times(mix->output_tokens, rates->output)) /
           (mix->input_tokens + mix->output_tokens);
}

/* The best price of one provider so far. */
struct candidate {
    const struct hosted_price *price;
    struct hosted_rates rates;
    double blended;
};

static bool make_candidate(const struct catalog *catalog, const struct hosted_price *price,
                           const struct hosted_mix *mix, day as_of, struct candidate *out)
{
    double input = catalog_amount(catalog, price->input, price->currency, as_of);
    double cached = catalog_amount(catalog, price->cached_input, price->currency, as_of);

    *out = (struct candidate){
        .price = price,
        .rates = {input, isnan(cached) ? input : cached,
                  catalog_amount(catalog, price->output, price->currency, as_of)},
    };
    out->blended = hosted_price_blended(&out->rates, mix);
    return !isnan(out->blended) &&
           !(price->context_tokens < mix->input_tokens + mix->output_tokens);
}

static bool is_better(const struct candidate *a, const struct candidate *b, day as_of)
{
    day x = last_read(a->price, as_of), y = last_read(b->price, as_of);

    return x != y ? x > y : a->blended < b->blended;
}

/* One candidate per provider, cheapest first. */
struct candidates {
    struct candidate at[PROVIDERS_MAX];
    size_t n;
};

static void add(struct candidates *to, const struct candidate *candidate, day as_of)
{
    size_t i = 0;

    while (i < to->n && strcmp(to->at[i].price->provider, candidate->price->provider) != 0)
        i++;
    if (i == to->n && to->n == PROVIDERS_MAX)
        return;
    if (i < to->n && !is_better(candidate, &to->at[i], as_of))
        return;
    to->n += i == to->n;
    to->at[i] = *candidate;
}

static void sort(struct candidates *all)
{
    for (size_t i = 1; i < all->n; i++) {
        struct candidate moved = all->at[i];
        size_t k = i;
        for (; k > 0 && all->at[k - 1].blended > moved.blended; k--)
            all->at[k] = all->at[k - 1];
        all->at[k] = moved;
    }
}

static struct hosted_rates between(const struct hosted_rates *a, const struct hosted_rates *b)
{
    return (struct hosted_rates){(a->input + b->input) / 2, (a->cached_input + b->cached_input) / 2,
                                 (a->output + b->output) / 2};
}

static struct hosted_market market_of(struct candidates *all, day as_of)
{
    size_t n = all->n;

    sort(all);
    struct hosted_market market = {
        .n_providers = n,
        .median = between(&all->at[(n - 1) / 2].rates, &all->at[n / 2].rates),
        .low = all->at[0].rates,
        .high = all->at[n - 1].rates,
        .cheapest_provider = all->at[0].price->provider,
        .oldest = last_read(all->at[0].price, as_of),
        .newest = last_read(all->at[0].price, as_of),
        .stale = true,
    };
    for (size_t i = 0; i < n; i++) {
        day read = last_read(all->at[i].price, as_of);
        market.oldest = read < market.oldest ? read : market.oldest;
        market.newest = read > market.newest ? read : market.newest;
        market.stale = market.stale && hosted_price_is_stale(all->at[i].price, as_of);
    }
    return market;
}

struct hosted_market hosted_price_market(const struct catalog *catalog, const char *model,
                                         const char *providers, const struct hosted_mix *mix,
                                         day as_of)
{
    const struct hosted_rates unknown = {(double)NAN, (double)NAN, (double)NAN};
    struct candidates all = {.n = 0};

    for (size_t i = 0; i < catalog->n_hosted_prices; i++) {
        const struct hosted_price *price = &catalog->hosted_prices[i];
        struct candidate candidate;
        if (strcmp(price->model, model) == 0 && hosted_price_is_current(price, as_of) &&
            (!providers || text_in_list(providers, price->provider)) &&
            make_candidate(catalog, price, mix, as_of, &candidate))
            add(&all, &candidate, as_of);
    }
    return all.n ? market_of(&all, as_of)
                 : (struct hosted_market){.median = unknown, .low = unknown, .high = unknown};
}

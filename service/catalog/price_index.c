#include "catalog/price_index.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { YEAR = 365, PROVIDERS_MIN = 3 /* required for an interval */ };
static const double MEAN_YEAR_DAYS = 365.25;

/* Who owns the machines: the provider itself, third parties whose machines it rents out for less
 * (RunPod's community cloud), or sellers on a marketplace. Their prices are not comparable. */
enum tier { TIER_OWN, TIER_COMMUNITY, TIER_MARKETPLACE };

/* The lowest price of an offer in a quarter. */
struct seen {
    const char *provider, *gpu;
    double gpu_count, price;
    enum tier tier;
    day from;
    int quarter;
};

struct gathering {
    const struct catalog *catalog;
    const struct price_query *query;
    struct seen *at;
    size_t n, room;
    void *context; /* of the function that receives the rentals */
};

static int quarter_of(day on)
{
    return on / 10000 * 4 + (on / 100 % 100 - 1) / 3;
}

static day first_day_of(int quarter)
{
    return quarter / 4 * 10000 + (quarter % 4 * 3 + 1) * 100 + 1;
}

/* ---- observations */

/* Tests first for the word's initial letter in either case, which few names have, because this runs
 * for every offer.
 */
static bool has_word(const char *name, const char *letter, const char *word)
{
    return (strchr(name, letter[0]) || strchr(name, letter[1])) && strcasestr(name, word);
}

static enum tier tier_of(const struct rental *rental)
{
    if (has_word(rental->instance, "yY", "community"))
        return TIER_COMMUNITY;
    return has_word(rental->instance, "kK", "marketplace") ? TIER_MARKETPLACE : TIER_OWN;
}

static bool is_repeated(const struct seen *last, const struct seen *seen)
{
    return last->provider == seen->provider && last->gpu == seen->gpu &&
           last->gpu_count == seen->gpu_count && last->tier == seen->tier &&
           last->quarter == seen->quarter;
}

/* A feed may have observed the same offer on every day of the quarter, and a provider may ask the
 * same in every region: the last two are looked at, as the prices of two days alternate. */
static void add(struct gathering *to, const struct seen *seen)
{
    for (size_t back = 1; back <= 2 && back <= to->n; back++) {
        struct seen *last = &to->at[to->n - back];
        if (!is_repeated(last, seen))
            continue;
        if (seen->price < last->price)
            *last = *seen;
        return;
    }
    to->at = mem_grow(to->at, to->n, &to->room, sizeof(*to->at));
    to->at[to->n++] = *seen;
}

static void gather_rental(struct gathering *to, const struct rental *rental)
{
    day as_of = to->query->as_of;
    size_t n = offer_index_known(rental, as_of);
    enum tier tier = tier_of(rental);

    for (size_t i = 0; i < n; i++) {
        const struct observation *seen = &rental->seen[i];
        double price = price_of_observation(to->catalog, seen, as_of);
        if (seen->from && !seen->origin->flagged_stale && !isnan(price))
            add(to, &(struct seen){rental->provider, rental->gpu, rental->gpu_count, price, tier,
                                   seen->from, quarter_of(seen->from)});
    }
}

/* Of quotes and of averages over others' prices nothing is gathered. */
static void gather_gpu(struct gathering *to, const struct gpu *gpu,
                       void (*take)(struct gathering *to, const struct rental *rental))
{
    struct rentals parts[RENTALS_PARTS];
    const char *provider = NULL; /* of the rental before; they are sorted by it */
    bool for_rent = false;

    catalog_rentals(to->catalog, gpu, to->query->purchase_option, parts);
    for (size_t part = 0; part < RENTALS_PARTS; part++)
        for (size_t i = 0; i < parts[part].n; i++) {
            const struct rental *rental = parts[part].at[i];
            if (rental->quote || !price_matches(to->catalog, rental, to->query))
                continue;
            if (rental->provider != provider)
                for_rent = price_is_for_rent(to->catalog, rental);
            provider = rental->provider;
            if (for_rent)
                take(to, rental);
        }
}

/* An offer index stores each text once, so most comparisons end at equal pointers. */
static int compare_texts(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

static int compare_offers(const struct seen *a, const struct seen *b)
{
    int order = compare_texts(a->provider, b->provider);

    order = order ? order : compare_texts(a->gpu, b->gpu);
    order = order ? order : (a->gpu_count > b->gpu_count) - (a->gpu_count < b->gpu_count);
    return order ? order : (a->tier > b->tier) - (a->tier < b->tier);
}

static int compare_seen(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    int order = compare_offers(a, b);

    order = order ? order : a->quarter - b->quarter;
    order = order ? order : (a->price > b->price) - (a->price < b->price);
    return order ? order : a->from - b->from;
}

/* Keep the cheapest of each offer and quarter; sorted, it comes first. */
static void keep_cheapest(struct gathering *to)
{
    size_t kept = 0;

    sort_items(to->at, to->n, sizeof(*to->at), compare_seen);
    for (size_t i = 0; i < to->n; i++)
        if (!kept || compare_offers(&to->at[kept - 1], &to->at[i]) != 0 ||
            to->at[kept - 1].quarter != to->at[i].quarter)
            to->at[kept++] = to->at[i];
    to->n = kept;
}

/* ---- averages over providers */

struct average {
    const char *provider;
    double sum, n;         /* over the pairs of the current provider */
    double total, squares; /* over the averages of earlier providers */
    struct price_change change;
};

static void end_provider(struct average *to)
{
    double mean = to->sum / to->n;

    if (!(to->n > 0))
        return;
    to->total += mean;
    to->squares += mean * mean;
    to->change.n_providers++;
    to->sum = to->n = 0;
}

static void add_pair(struct average *to, const char *provider, double logarithm)
{
    if (to->provider && strcmp(to->provider, provider) != 0)
        end_provider(to);
    to->provider = provider;
    to->sum += logarithm;
    to->n++;
    to->change.n_pairs++;
}

/* Two-sided 95 % quantile of Student's t, by degrees of freedom from 2; beyond the table accurate
 * to 0.01. */
static double student(size_t freedom)
{
    static const double table[] = {4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                   2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
                                   2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048};
    size_t n = sizeof(table) / sizeof(table[0]);

    return freedom - 2 < n ? table[freedom - 2] : 1.96 + 2.4 / (double)freedom;
}

static struct price_change change_of(struct average *average)
{
    struct price_change change;

    end_provider(average);
    change = average->change;
    change.ratio = change.low = change.high = (double)NAN;
    double n = (double)change.n_providers, mean = average->total / n;
    if (!change.n_providers)
        return change;
    change.ratio = exp(mean);
    if (change.n_providers < PROVIDERS_MIN)
        return change;
    double variance = fmax(0, average->squares - n * mean * mean) / (n - 1);
    double half = student(change.n_providers - 1) * sqrt(variance / n);
    change.low = exp(mean - half);
    change.high = exp(mean + half);
    return change;
}

/* ---- the index */

static size_t end_of_offer(const struct gathering *from, size_t first)
{
    size_t end = first + 1;

    while (end < from->n && compare_offers(&from->at[first], &from->at[end]) == 0)
        end++;
    return end;
}

static struct price_change level_of(const struct gathering *from, int quarter)
{
    day year_before = text_day_plus(from->query->as_of, -YEAR);
    struct average average = {.provider = NULL};

    for (size_t first = 0, end; first < from->n; first = end) {
        end = end_of_offer(from, first);
        const struct seen *newest = &from->at[end - 1];
        for (const struct seen *seen = &from->at[first]; seen < newest; seen++)
            if (seen->quarter == quarter && newest->from >= year_before)
                add_pair(&average, seen->provider, log(seen->price / newest->price));
    }
    return change_of(&average);
}

static void set_per_year(const struct gathering *from, struct price_index *index)
{
    day year_before = text_day_plus(from->query->as_of, -YEAR);
    struct average average = {.provider = NULL};

    for (size_t first = 0, end; first < from->n; first = end) {
        end = end_of_offer(from, first);
        const struct seen *oldest = &from->at[first], *newest = &from->at[end - 1];
        double days = text_days_between(oldest->from, newest->from);
        if (newest->from < year_before || days < YEAR)
            continue;
        add_pair(&average, oldest->provider,
                 log(newest->price / oldest->price) * MEAN_YEAR_DAYS / days);
        if (!index->first || oldest->from < index->first)
            index->first = oldest->from;
        if (newest->from > index->last)
            index->last = newest->from;
    }
    index->per_year = change_of(&average);
}

static void set_quarters(const struct gathering *from, struct price_index *index,
                         struct arena *arena)
{
    int first = 0, last = 0;

    for (size_t i = 0; i < from->n; i++) {
        first = !first || from->at[i].quarter < first ? from->at[i].quarter : first;
        last = from->at[i].quarter > last ? from->at[i].quarter : last;
    }
    if (!from->n)
        return;
    index->quarters = arena_alloc(arena, (size_t)(last - first + 1) * sizeof(*index->quarters));
    for (int quarter = first; quarter < last; quarter++) {
        struct price_change level = level_of(from, quarter);
        if (level.n_pairs)
            index->quarters[index->n++] = (struct price_quarter){first_day_of(quarter), level};
    }
    index->quarters[index->n++] =
        (struct price_quarter){first_day_of(last), {1, (double)NAN, (double)NAN, 0, 0}};
}

struct price_index price_index_of(const struct catalog *catalog, const struct price_query *query,
                                  struct arena *arena)
{
    struct gathering seen = {.catalog = catalog, .query = query};
    struct price_index index = {.n = 0};

    for (size_t i = 0; i < catalog->n_gpus; i++)
        if (!query->gpu || query->gpu == &catalog->gpus[i])
            gather_gpu(&seen, &catalog->gpus[i], gather_rental);
    keep_cheapest(&seen);
    set_quarters(&seen, &index, arena);
    set_per_year(&seen, &index);
    free(seen.at);
    return index;
}

/* ---- two days */

enum { THEN, NOW };

/* The prices of one of several earlier days, and those of the query's day. */
struct since {
    struct gathering seen;
    day then, fresh; /* prices of before `fresh` are ignored */
};

struct windows {
    struct since at[PRICE_CHANGES_MAX];
    size_t n;
};

/* Prices whose currency had no exchange rate on the day are ignored. Both prices of a pair use the
 * rate of the later day, so that currency movements are not price changes. */
static void add_day(struct gathering *to, const struct rental *rental,
                    const struct observation *seen, enum tier tier, day on, int which)
{
    if (isnan(price_of_observation(to->catalog, seen, on)))
        return;
    double price = price_of_observation(to->catalog, seen, to->query->as_of);
    add(to, &(struct seen){rental->provider, rental->gpu, rental->gpu_count, price, tier,
                           seen->from, which});
}

/* All days at once: finding the rental's observations takes longest. */
static void gather_days(struct gathering *all, const struct rental *rental)
{
    struct windows *windows = all->context;
    day as_of = all->query->as_of;
    const struct observation *now = offer_index_at(rental, as_of);
    enum tier tier = tier_of(rental);

    for (size_t i = 0; i < windows->n; i++) {
        struct since *since = &windows->at[i];
        const struct observation *then = offer_index_at(rental, since->then);
        if (then && then->from >= since->fresh)
            add_day(&since->seen, rental, then, tier, since->then, THEN);
        if (now && now->from > since->then)
            add_day(&since->seen, rental, now, tier, as_of, NOW);
    }
}

static struct price_change change_since(struct gathering *seen)
{
    struct average average = {.provider = NULL};

    keep_cheapest(seen);
    for (size_t i = 1; i < seen->n; i++) {
        const struct seen *old = &seen->at[i - 1], *new = &seen->at[i];
        if (compare_offers(old, new) == 0)
            add_pair(&average, new->provider, log(new->price / old->price));
    }
    free(seen->at);
    return change_of(&average);
}

void price_index_since(const struct catalog *catalog, const struct price_query *query,
                       const day *since, size_t n, struct price_change *changes)
{
    struct windows windows = {.n = n};
    struct gathering all = {.catalog = catalog, .query = query, .context = &windows};

    for (size_t i = 0; i < n; i++)
        windows.at[i] = (struct since){
            .seen = {.catalog = catalog, .query = query},
            .then = since[i],
            .fresh = text_day_plus(since[i], -PRICE_FRESH_DAYS),
        };
    gather_gpu(&all, query->gpu, gather_days);
    for (size_t i = 0; i < n; i++)
        changes[i] = change_since(&windows.at[i].seen);
}

/* skypilot_offers.c - converts the rows of a whole file to offers. A region's on-demand price is
 * one offer if most of its zones share it; a zone with another price is an offer of its own, as
 * spot always is. Two rows with different prices for the same thing are both refused. */
#include "feed/skypilot.h"

#include "base/sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_groups(const struct skypilot_offer *a, const struct skypilot_offer *b)
{
    int order = strcmp(a->instance, b->instance);

    if (!order)
        order = strcmp(a->gpu, b->gpu);
    if (!order)
        order = (a->count > b->count) - (a->count < b->count);
    return order ? order : strcmp(a->region, b->region);
}

/* By location, then by line; accelerators already attached go last. */
static int compare_offers(const void *x, const void *y)
{
    const struct skypilot_offer *a = x, *b = y;
    int order = (a->accelerator != NULL) - (b->accelerator != NULL);

    if (!order)
        order = compare_groups(a, b);
    if (!order)
        order = strcmp(a->zone, b->zone);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static bool same_price(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void refuse(struct skypilot *state, struct arena *arena, const struct skypilot_offer *offer,
                   const struct skypilot_offer *other)
{
    struct skypilot_line *line = &state->lines[offer->line];

    line->fate = FEED_REFUSED;
    line->why = arena_print(arena,
                            "line %zu gives the same offer another price: %g and %g here, "
                            "%g and %g (spot) there",
                            state->lines[other->line].number, offer->price, offer->spot,
                            other->price, other->spot);
}

static bool same_offer(const struct skypilot_offer *a, const struct skypilot_offer *b)
{
    return compare_groups(a, b) == 0 && strcmp(a->zone, b->zone) == 0;
}

static bool agree(const struct skypilot_offer *a, const struct skypilot_offer *b)
{
    return same_price(a->price, b->price) && same_price(a->spot, b->spot);
}

/* Rows of one offer must agree, otherwise all are refused. */
static void refuse_contradictions(struct skypilot *state, struct arena *arena, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        const struct skypilot_offer *offer = &state->offers[first], *other = NULL;
        for (end = first + 1; end < n && same_offer(offer, &state->offers[end]); end++)
            if (!agree(offer, &state->offers[end]))
                other = &state->offers[end];
        for (size_t i = first; other && i < end; i++) {
            const struct skypilot_offer *that = &state->offers[i];
            refuse(state, arena, that, agree(that, offer) ? other : offer);
        }
    }
}

static struct feed_offer offer_of(const struct skypilot_offer *from, const char *option,
                                  double price)
{
    return (struct feed_offer){
        .provider = from->provider,
        .instance = from->instance,
        .region = from->region,
        .zone = from->zone,
        .gpu = from->gpu,
        .option = option,
        .note = from->note,
        .gpu_count = from->count,
        .price_per_hour = price,
    };
}

static bool check(struct feed_reader *reader, const struct skypilot_offer *from, double price)
{
    struct feed_offer offer = offer_of(from, "on_demand", price);

    return isnan(price) || feed_check_offer(reader, &offer);
}

static void check_offers(struct feed_reader *reader, struct skypilot *state, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct skypilot_offer *offer = &state->offers[i];
        struct skypilot_line *line = &state->lines[offer->line];
        if (line->fate == FEED_REFUSED ||
            (check(reader, offer, offer->price) && check(reader, offer, offer->spot)))
            continue;
        line->fate = FEED_REFUSED;
        line->why = arena_text(&reader->arena, reader->why);
    }
}

/* The rows of one machine type in one region, sorted by zone. */
struct group {
    struct feed_reader *reader;
    struct skypilot *state;
    const struct skypilot_offer *at;
    size_t n;
};

static bool counts(const struct group *group, size_t i)
{
    return group->state->lines[group->at[i].line].fate == FEED_GOOD;
}

/* True for the first row of its zone, so that duplicates count once. */
static bool is_first(const struct group *group, size_t i)
{
    return i == 0 || !counts(group, i - 1) || strcmp(group->at[i].zone, group->at[i - 1].zone) != 0;
}

/* Number of zones with the price; *zones is the number with any price. */
static size_t count_zones(const struct group *group, double price, size_t *zones)
{
    size_t n = 0;

    *zones = 0;
    for (size_t i = 0; i < group->n; i++) {
        if (!counts(group, i) || !is_first(group, i) || isnan(group->at[i].price))
            continue;
        ++*zones;
        n += group->at[i].price == price;
    }
    return n;
}

/* The row with the price of most zones, the first in the file; NULL if there is none. */
static const struct skypilot_offer *find_common(const struct group *group)
{
    const struct skypilot_offer *found = NULL;
    size_t zones;

    for (size_t i = 0; i < group->n; i++) {
        const struct skypilot_offer *offer = &group->at[i];
        if (!counts(group, i) || isnan(offer->price) ||
            (found && (offer->price != found->price || offer->line > found->line)))
            continue;
        if (2 * count_zones(group, offer->price, &zones) > zones)
            found = offer;
    }
    return found;
}

static void give(const struct group *group, const struct skypilot_offer *from, const char *option,
                 double price, bool in_region)
{
    struct feed_offer offer = offer_of(from, option, price);

    if (in_region)
        offer.zone = "";
    feed_give_offer(group->reader, group->state->lines[from->line].number, &offer);
}

static void give_group(const struct group *group)
{
    const struct skypilot_offer *common = find_common(group);

    if (common)
        give(group, common, "on_demand", common->price, true);
    for (size_t i = 0; i < group->n; i++) {
        const struct skypilot_offer *offer = &group->at[i];
        if (!counts(group, i) || !is_first(group, i))
            continue;
        if (!isnan(offer->price) && !(common && offer->price == common->price))
            give(group, offer, "on_demand", offer->price, false);
        if (!isnan(offer->spot))
            give(group, offer, "spot", offer->spot, false);
    }
}

static void give_offers(struct feed_reader *reader, struct skypilot *state, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n; end++)
            if (compare_groups(&state->offers[first], &state->offers[end]) != 0)
                break;
        give_group(&(struct group){reader, state, &state->offers[first], end - first});
    }
}

static void settle(struct feed_reader *reader, const struct skypilot *state)
{
    for (size_t i = 0; i < state->n_lines; i++) {
        const struct skypilot_line *line = &state->lines[i];
        snprintf(reader->why, sizeof(reader->why), "%s", line->why ? line->why : "");
        feed_settle(reader, line->fate, line->number, line->text, line->length);
    }
}

void skypilot_finish(struct feed_reader *reader)
{
    struct skypilot *state = reader->state;
    size_t n = 0;

    if (!state)
        return;
    skypilot_attach(state, &reader->arena);
    sort_items(state->offers, state->n_offers, sizeof(*state->offers), compare_offers);
    while (n < state->n_offers && !state->offers[n].accelerator)
        n++;
    refuse_contradictions(state, &reader->arena, n);
    check_offers(reader, state, n);
    give_offers(reader, state, n);
    settle(reader, state);
    free(state->lines);
    free(state->offers);
    free(state->hosts);
}

/* skypilot_hosts.c - accelerators that a feed lists separately from their machines. */
#include "feed/skypilot.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct attachment {
    const char *accelerator;
    double count;
    const char *instance;
} attachments[] = {
#define HOST(accelerator, count, machine) {accelerator, count, machine},
#include "feed/gcp_host.def"
#undef HOST
};
enum { N_ATTACHMENTS = sizeof(attachments) / sizeof(attachments[0]) };

void skypilot_add_offer(struct skypilot *state, const struct skypilot_offer *offer)
{
    state->offers =
        mem_grow(state->offers, state->n_offers, &state->room_offers, sizeof(*state->offers));
    state->offers[state->n_offers++] = *offer;
}

bool skypilot_is_host(const char *instance)
{
    for (size_t i = 0; i < N_ATTACHMENTS; i++)
        if (strcmp(attachments[i].instance, instance) == 0)
            return true;
    return false;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct skypilot_host *x = a, *y = b;
    int order = strcmp(x->instance, y->instance);

    return order ? order : strcmp(x->zone, y->zone);
}

static const struct skypilot_host *find_host(const struct skypilot *state, const char *instance,
                                             const char *zone)
{
    struct skypilot_host key = {.instance = instance, .zone = zone};

    return state->n_hosts ? bsearch(&key, state->hosts, state->n_hosts, sizeof(key), compare_hosts)
                          : NULL;
}

/* Prices have at most nine decimals; a sum of two must not have more. */
static double add(double a, double b)
{
    return round((a + b) * 1e9) / 1e9;
}

/* Duplicate rows of a host count once; with two different prices the host is not used. */
static bool host_is_clear(const struct skypilot *state, const struct skypilot_host *host)
{
    for (size_t i = 0; i < state->n_hosts; i++) {
        const struct skypilot_host *other = &state->hosts[i];
        bool same = isnan(other->price) ? isnan(host->price) : other->price == host->price;
        if (compare_hosts(other, host) == 0 && !same)
            return false;
    }
    return true;
}

static const char *attach_one(struct skypilot *state, struct arena *arena,
                              const struct skypilot_offer *accelerator, const struct attachment *to)
{
    const struct skypilot_host *host = find_host(state, to->instance, accelerator->zone);
    struct skypilot_offer offer = *accelerator;

    if (!host)
        return arena_print(arena, "its host %s is not in the file for zone %s", to->instance,
                           accelerator->zone);
    if (!host_is_clear(state, host))
        return arena_print(arena, "its host %s has two prices in zone %s", to->instance,
                           accelerator->zone);
    offer.accelerator = NULL;
    offer.instance = host->instance;
    offer.price = add(accelerator->price, host->price);
    offer.spot = add(accelerator->spot, host->spot);
    offer.note =
        arena_print(arena, "%s of %.15g (line %zu) and %g accelerators of %.15g", host->instance,
                    host->price, host->line, accelerator->count, accelerator->price);
    if (isnan(offer.price) && isnan(offer.spot))
        return arena_print(arena, "its host %s has no price", to->instance);
    skypilot_add_offer(state, &offer);
    return NULL;
}

/* Returns the reason if it can be attached to no host. */
static const char *attach(struct skypilot *state, struct arena *arena,
                          const struct skypilot_offer *accelerator)
{
    const char *why = NULL;
    bool done = false;

    for (size_t i = 0; i < N_ATTACHMENTS; i++) {
        if (strcmp(attachments[i].accelerator, accelerator->accelerator) != 0 ||
            attachments[i].count != accelerator->count)
            continue;
        why = attach_one(state, arena, accelerator, &attachments[i]);
        done = done || !why;
    }
    if (done)
        return NULL;
    return why ? why
               : arena_print(arena, "no known machine has %g %s attached", accelerator->count,
                             accelerator->accelerator);
}

void skypilot_attach(struct skypilot *state, struct arena *arena)
{
    size_t n = state->n_offers;

    sort_items(state->hosts, state->n_hosts, sizeof(*state->hosts), compare_hosts);
    for (size_t i = 0; i < n; i++) {
        struct skypilot_offer offer = state->offers[i];
        const char *why = offer.accelerator ? attach(state, arena, &offer) : NULL;
        if (!why)
            continue;
        state->lines[offer.line].fate = FEED_REFUSED;
        state->lines[offer.line].why = why;
    }
}

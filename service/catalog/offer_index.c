#include "catalog/offer_index.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An observation, until the number of its rental's observations is known. */
struct draft {
    struct rental *rental;
    struct observation seen;
};

struct offer_index_maker {
    struct offer_index *index;
    struct intern texts;                 /* of rentals */
    struct intern origins, origin_texts; /* few, and looked up for every row */
    struct intern rentals[2]; /* unusable observations are kept apart and never selected */
    struct draft *drafts;
    size_t n_drafts, room;
    const struct origin *last; /* of the row before; NULL: there is none */
};

struct offer_index_maker *offer_index_begin(const char *gpu, const char *stamp)
{
    struct offer_index_maker *maker = mem_alloc(sizeof(*maker));

    maker->index = mem_alloc(sizeof(*maker->index));
    maker->texts.arena = maker->origins.arena = maker->origin_texts.arena = &maker->index->arena;
    maker->rentals[0].arena = maker->rentals[1].arena = &maker->index->arena;
    maker->index->gpu = arena_text(&maker->index->arena, gpu);
    maker->index->stamp = arena_text(&maker->index->arena, stamp);
    maker->index->users = 1;
    return maker;
}

/* Rentals are identified by id, which includes the other texts. */
struct rental *offer_index_keep(struct offer_index_maker *maker, struct rental rental)
{
    rental.id = intern_text(&maker->texts, rental.id);
    struct rental *kept =
        intern_struct(&maker->rentals[rental.usable], &rental, sizeof(rental.id), sizeof(rental));
    const char **texts[] = {&kept->gpu,      &kept->purchase_option, &kept->provider,
                            &kept->instance, &kept->region,          &kept->zone};

    for (size_t i = 0; !kept->n_seen && i < sizeof(texts) / sizeof(texts[0]); i++)
        *texts[i] = intern_text(&maker->texts, *texts[i]);
    return kept;
}

/* Reuses the previous row's text if equal, as sources and currencies often are; NULL remains. */
static const char *keep_text(struct offer_index_maker *maker, const char *text, const char *before)
{
    if (!text)
        return NULL;
    return before && strcmp(before, text) == 0 ? before : intern_text(&maker->origin_texts, text);
}

/* The key has no padding up to its last byte. */
static const struct origin *keep_origin(struct offer_index_maker *maker, struct origin origin)
{
    const size_t key = offsetof(struct origin, flagged_stale) + sizeof(origin.flagged_stale);
    const struct origin *last = maker->last;

    origin.source = keep_text(maker, origin.source, last ? last->source : NULL);
    origin.note = keep_text(maker, origin.note, last ? last->note : NULL);
    origin.currency = keep_text(maker, origin.currency, last ? last->currency : NULL);
    origin.observed_text =
        keep_text(maker, origin.observed_text, last ? last->observed_text : NULL);
    if (!last || memcmp(last, &origin, key) != 0)
        maker->last = intern_struct(&maker->origins, &origin, key, sizeof(origin));
    return maker->last;
}

void offer_index_see(struct offer_index_maker *maker, struct rental *kept, struct origin origin,
                     struct observation seen)
{
    maker->drafts = mem_grow(maker->drafts, maker->n_drafts, &maker->room, sizeof(*maker->drafts));
    seen.origin = keep_origin(maker, origin);
    maker->drafts[maker->n_drafts++] = (struct draft){kept, seen};
    kept->n_seen++;
}

void offer_index_add(struct offer_index_maker *maker, const struct offer_index_row *row)
{
    offer_index_see(maker, offer_index_keep(maker, row->rental), row->origin, row->seen);
}

int offer_index_order(const void *left, const void *right)
{
    const struct rental *a = *(struct rental *const *)left, *b = *(struct rental *const *)right;
    int order = strcmp(a->gpu, b->gpu);

    order = order ? order : strcmp(a->purchase_option, b->purchase_option);
    order = order ? order : strcmp(a->provider, b->provider);
    order = order ? order : strcmp(a->id, b->id);
    return order ? order : b->usable - a->usable;
}

/* Within a day, order by import run; rows without a run come first. */
static int compare_seen(const void *a, const void *b)
{
    const struct observation *x = a, *y = b;
    double run_x = isnan(x->origin->run) ? 0 : x->origin->run;
    double run_y = isnan(y->origin->run) ? 0 : y->origin->run;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (run_x != run_y)
        return run_x < run_y ? -1 : 1;
    return strcmp(x->origin->source, y->origin->source);
}

/* Feeds are read day by day, so they nearly always are. */
static bool in_order(const struct rental *rental)
{
    for (size_t i = 1; i < rental->n_seen; i++)
        if (compare_seen(&rental->seen[i - 1], &rental->seen[i]) > 0)
            return false;
    return true;
}

/* Give each rental its part of one array, sorted by day. */
static void distribute(struct offer_index_maker *maker)
{
    struct offer_index *index = maker->index;
    struct observation *next =
        arena_alloc(&index->arena, maker->n_drafts * sizeof(struct observation));

    index->rentals = arena_alloc(&index->arena, (maker->rentals[0].n + maker->rentals[1].n) *
                                                    sizeof(struct rental *));
    for (size_t i = 0; i < maker->n_drafts; i++) {
        struct rental *rental = maker->drafts[i].rental;
        if (!rental->seen) {
            rental->seen = next;
            next += rental->n_seen;
            rental->n_seen = 0; /* counted again while inserting */
            index->rentals[index->n_rentals++] = rental;
        }
        rental->seen[rental->n_seen++] = maker->drafts[i].seen;
    }
    for (size_t i = 0; i < index->n_rentals; i++) {
        struct rental *rental = index->rentals[i];
        if (!in_order(rental))
            sort_items(rental->seen, rental->n_seen, sizeof(*rental->seen), compare_seen);
    }
}

struct offer_index *offer_index_end(struct offer_index_maker *maker)
{
    struct offer_index *index = maker->index;

    index->n_observations = maker->n_drafts;
    distribute(maker);
    sort_items(index->rentals, index->n_rentals, sizeof(struct rental *), offer_index_order);
    intern_end(&maker->texts);
    intern_end(&maker->origins);
    intern_end(&maker->origin_texts);
    intern_end(&maker->rentals[0]);
    intern_end(&maker->rentals[1]);
    free(maker->drafts);
    free(maker);
    return index;
}

void offer_index_release(struct offer_index *index)
{
    if (!index || --index->users)
        return;
    arena_free(&index->arena);
    free(index);
}

size_t offer_index_known(const struct rental *rental, day as_of)
{
    size_t low = 0, high = rental->n_seen; /* the first one after the day is in [low, high] */

    if (high && rental->seen[high - 1].from <= as_of) /* mostly the day is today */
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rental->seen[middle].from <= as_of)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

day offer_index_until(const struct rental *rental, const struct observation *seen)
{
    day end = seen->origin->until;
    day next = seen + 1 < rental->seen + rental->n_seen ? seen[1].from : 0;

    return next && (!end || end > next) ? next : end;
}

const struct observation *offer_index_at(const struct rental *rental, day as_of)
{
    size_t n = offer_index_known(rental, as_of);
    const struct observation *last = n ? &rental->seen[n - 1] : NULL;
    day until = last ? offer_index_until(rental, last) : 0;

    return !until || as_of < until ? last : NULL;
}

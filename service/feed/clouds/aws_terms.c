#include "feed/clouds/aws_terms.h"

#include "base/mem.h"
#include "base/sort.h"
#include "feed/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct aws_terms {
    struct aws_term *at;
    size_t n, room;
};

enum feed_fate aws_terms_give(struct feed_reader *reader, const struct aws_term *term)
{
    struct feed_accelerator said = {
        .format = term->format,
        .provider = "aws",
        .name = term->name,
        .instance = term->instance,
        .memory_gib = (double)NAN,
        .count = term->count,
    };
    struct feed_offer offer = {
        .provider = "aws",
        .instance = term->instance,
        .region = term->region,
        .option = term->option,
        .currency = term->currency,
        .from = reader->published,
        .note = term->note,
        .price_per_hour = term->per_hour,
    };

    return feed_take_offer(reader, &said, &offer);
}

enum feed_fate aws_terms_wait(struct feed_reader *reader, const struct aws_term *term)
{
    struct aws_terms *state = reader->state;
    struct arena *arena = &reader->arena;

    if (!state)
        reader->state = state = arena_alloc(arena, sizeof(*state));
    state->at = mem_grow(state->at, state->n, &state->room, sizeof(*state->at));
    struct aws_term *kept = &state->at[state->n++];
    *kept = *term;
    kept->name = arena_text(arena, term->name);
    kept->instance = arena_text(arena, term->instance);
    kept->region = arena_text(arena, term->region);
    kept->currency = arena_text(arena, term->currency);
    return FEED_LATER;
}

static int compare_subjects(const struct aws_term *a, const struct aws_term *b)
{
    int order = strcmp(a->instance, b->instance);

    order = order ? order : strcmp(a->region, b->region);
    return order ? order : strcmp(a->option, b->option);
}

/* Sorts the payment option to be used first. */
static int compare_terms(const void *left, const void *right)
{
    const struct aws_term *a = left, *b = right;
    int order = compare_subjects(a, b);

    order = order ? order : a->order - b->order;
    order = order ? order : (a->per_hour > b->per_hour) - (a->per_hour < b->per_hour);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

void aws_terms_finish(struct feed_reader *reader)
{
    struct aws_terms *state = reader->state;

    if (!state)
        return;
    sort_items(state->at, state->n, sizeof(*state->at), compare_terms);
    for (size_t i = 0; i < state->n && !reader->stopped; i++) {
        const struct aws_term *term = &state->at[i];
        bool first = i == 0 || compare_subjects(&state->at[i - 1], term) != 0;
        reader->csv.line = term->line;
        feed_settle(reader, first ? aws_terms_give(reader, term) : FEED_NO_PRICE, term->line,
                    term->text, term->length);
    }
    free(state->at);
}

#include "base/spelling.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

/* Of longer texts text_distance() compares so much. */
enum { COMPARED = 63 };

static size_t length_of(const char *text)
{
    return strnlen(text, COMPARED + 1);
}

static size_t compared(size_t length)
{
    return length > COMPARED ? COMPARED : length;
}

/* The same for both cases of a letter, and for some others: that makes two texts seem nearer only,
 * never farther apart. */
static unsigned letter(char c)
{
    return (unsigned char)c % NEAR_LETTERS;
}

void spelling_begin(struct spelling *near, const char *typed)
{
    *near = (struct spelling){.typed = typed, .length = length_of(typed), .least = (size_t)-1};
    for (size_t i = 0; i < compared(near->length); i++)
        near->count[letter(typed[i])]++;
}

/* Edits that it takes at least: one for each letter of the longer text that the shorter has not, as
 * often as it is there. A swap takes none of them away. */
static size_t edits_at_least(const struct spelling *near, const char *name, size_t length)
{
    unsigned char left[NEAR_LETTERS];
    size_t typed = compared(near->length), common = 0;

    length = compared(length);
    memcpy(left, near->count, sizeof(left));
    for (size_t i = 0; i < length; i++) {
        unsigned char *of = &left[letter(name[i])];
        if (*of == 0)
            continue;
        common++;
        --*of;
    }
    return (typed > length ? typed : length) - common;
}

void spelling_try(struct spelling *near, const char *name)
{
    const char *typed = near->typed;
    size_t length = length_of(name);
    bool whole = near->length <= COMPARED && length <= COMPARED;

    if (near->best && edits_at_least(near, name, length) >= near->least)
        return;
    const char *rest = name;
    for (; whole && *rest && *rest == *typed; rest++) /* what both begin with takes no edits */
        typed++;
    size_t distance = text_distance(typed, rest);
    if (distance >= near->least)
        return;
    near->best = name;
    near->least = distance;
}

const char *spelling_get(const struct spelling *near)
{
    return near->best && text_near(near->typed, near->best, near->least) ? near->best : NULL;
}

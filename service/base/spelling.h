/* spelling.h - of names, offered one by one, that nearest to what was typed; those are passed over
 * whose lengths and letters alone put them no nearer than the best so far.
 */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stddef.h>

enum { NEAR_LETTERS = 32 };

struct spelling {
    const char *typed, *best;
    size_t length, least;              /* of what was typed; the distance of the best */
    unsigned char count[NEAR_LETTERS]; /* of its letters, of which spelling.c tells so many apart */
};

void spelling_begin(struct spelling *near, const char *typed);
void spelling_try(struct spelling *near, const char *name);
/* The first of the nearest names; NULL where none is near enough to be what was meant. */
const char *spelling_get(const struct spelling *near);

#endif

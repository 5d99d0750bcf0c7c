/* recent.h - the last n results of a calculation, per thread, found by everything they depend on.
 *
 * A key is a sequence of bytes, compared with memcmp(): padding in it must be cleared.
 */
#ifndef BASE_RECENT_H
#define BASE_RECENT_H

#include <stddef.h>

struct recent;  /* of one thread */
struct recents; /* of all threads */

struct recents *recent_new(unsigned n_threads, size_t n);
void recent_free(struct recents *all); /* NULL is allowed */
struct recent *recent_of(struct recents *all, unsigned thread);

/* The result added under that key; NULL if it is not among the last n. */
const void *recent_find(const struct recent *recent, const void *key, size_t key_size);
/* Copies both; the oldest result makes room. */
void recent_add(struct recent *recent, const void *key, size_t key_size, const void *result,
                size_t result_size);

#endif

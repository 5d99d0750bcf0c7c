/* live.h - the catalog being served: replaced by one refresher thread, read by many threads.
 *
 * Each reader thread has a slot that holds the catalog it reads. The slot's lock is held only to
 * enter and to leave, never while reading, so a long calculation delays only the refresher, which
 * frees the old catalog once no slot refers to it. There is no reference count.
 */
#ifndef CATALOG_LIVE_H
#define CATALOG_LIVE_H

#include "catalog/catalog.h"

#include <stdint.h>

struct live;

/* Create with n_readers empty slots. */
struct live *live_new(unsigned n_readers);

/* Free it with the last published catalog. There must be no active reader. NULL is allowed. */
void live_free(struct live *live);

unsigned live_readers(const struct live *live);

/* Start reading as `reader`; not reentrant. Returns the catalog, borrowed until live_exit(), which
 * must be called on every path; NULL before the first publish. */
const struct catalog *live_enter(struct live *live, unsigned reader);
void live_exit(struct live *live, unsigned reader);

/* Publish `next`, taking ownership; wait for the readers of the previous catalog, and free it. */
void live_publish(struct live *live, struct catalog *next);

/* A generation number that changes once `next` is in every slot. If it is read before live_enter()
 * and is unchanged, the data came from the same catalogue. */
uint64_t live_serial(const struct live *live);

#endif

/* live.h - the catalog being served: one refresher replaces it, many threads read it.
 *
 * Every thread that answers requests has its own slot, which says what it reads. Its lock is held
 * for an instant to enter and to leave, never while reading: a long calculation delays nobody but
 * the refresher, who frees the old catalog once it is in no slot any more. Nothing is counted.
 */
#ifndef CATALOG_LIVE_H
#define CATALOG_LIVE_H

#include "catalog/catalog.h"

#include <stdint.h>

struct live;

/* Create with n_readers empty slots. */
struct live *live_new(unsigned n_readers);

/* Free, along with the catalog last published. No reader may be inside. NULL is fine. */
void live_free(struct live *live);

unsigned live_readers(const struct live *live);

/* Start reading as `reader`, one at a time. The catalog, NULL before the first publish, is borrowed
 * until live_exit(), which must follow on every path. */
const struct catalog *live_enter(struct live *live, unsigned reader);
void live_exit(struct live *live, unsigned reader);

/* Serve `next` from now on, taking ownership, wait for those who read its predecessor, and free
 * that. */
void live_publish(struct live *live, struct catalog *next);

/* A generation number that changes once `next` is in every slot: what was read while it was the
 * same number was one catalogue's, if it was asked for before live_enter(). */
uint64_t live_serial(const struct live *live);

#endif

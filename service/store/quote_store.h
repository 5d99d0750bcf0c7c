/* quote_store.h - changes of quotes on their way into the database.
 *
 * Each is one transaction with its line in the history (a trigger's, sql/functions.sql), made as
 * gpuplan_writer. A connection found dead before the commit is replaced once: nothing was changed.
 */
#ifndef STORE_QUOTE_STORE_H
#define STORE_QUOTE_STORE_H

#include "catalog/quote.h"
#include "store/db_writer.h"

#include <stdint.h>

struct quote_store;

/* The connection is borrowed, and opened with the first change. */
struct quote_store *quote_store_new(struct db_writer *writer);
void quote_store_free(struct quote_store *store); /* NULL is fine */

/* The `write` of struct quote_writer, whose context is the store. From one thread at a time. */
bool quote_store_write(void *store, const struct quote_order *order, struct quote_written *written,
                       struct err *err);

/* What came of the orders so far; to be read from any thread. */
enum quote_outcome {
    QUOTE_CREATED,
    QUOTE_REPLACED,
    QUOTE_HIDDEN,
    QUOTE_REPEATED, /* a key sent again: nothing was written */
    QUOTE_REFUSED,  /* another version, another quote under the key, a rule of the table's */
    QUOTE_FAILED,   /* no database, or it is not known whether it was saved */
    QUOTE_OUTCOMES
};
extern const char *const quote_outcome_names[QUOTE_OUTCOMES];
uint64_t quote_store_count(struct quote_store *store, enum quote_outcome outcome);

#endif

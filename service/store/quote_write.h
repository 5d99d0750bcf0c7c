/* quote_write.h - changes of quotes on their way into the database, on a connection of their own.
 *
 * Each is one transaction with its line in the history (a trigger's, sql/functions.sql), made as
 * gpuplan_writer. A connection found dead before the commit is replaced once: nothing was changed.
 */
#ifndef STORE_QUOTE_WRITE_H
#define STORE_QUOTE_WRITE_H

#include "catalog/quote.h"

#include <stdint.h>

struct quote_store;

/* Connects with the first change; conninfo as of db_open(), it must outlive the store. */
struct quote_store *quote_store_new(const char *conninfo);
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

/* quote_store.h - writes changes of quotes to the database.
 *
 * Each is one transaction with its history row (by a trigger, sql/functions.sql), made as
 * gpuplan_writer. A connection found dead before the commit is replaced once: nothing was changed.
 */
#ifndef STORE_QUOTE_STORE_H
#define STORE_QUOTE_STORE_H

#include "catalog/quote.h"
#include "store/db_writer.h"

#include <stdint.h>

struct quote_store;

/* The connection is borrowed and opened by the first change. */
struct quote_store *quote_store_new(struct db_writer *writer);
void quote_store_free(struct quote_store *store); /* NULL is allowed */

/* Implements the `write` of struct quote_writer; the context is the store. One thread at a time. */
bool quote_store_write(void *store, const struct quote_order *order, struct quote_written *written,
                       struct err *err);

/* Outcomes of the orders so far; readable from any thread. */
enum quote_outcome {
    QUOTE_CREATED,
    QUOTE_REPLACED,
    QUOTE_HIDDEN,
    QUOTE_REPEATED, /* repeated idempotency key: nothing was written */
    QUOTE_REFUSED,  /* version conflict, key used for another quote, or a table constraint */
    QUOTE_FAILED,   /* no database, or the outcome is unknown */
    QUOTE_OUTCOMES
};
extern const char *const quote_outcome_names[QUOTE_OUTCOMES];
uint64_t quote_store_count(struct quote_store *store, enum quote_outcome outcome);

#endif

/* history.h - what the history in the database says rows of a table were before they changed. */
#ifndef STORE_HISTORY_H
#define STORE_HISTORY_H

#include "catalog/history.h"
#include "store/table.h"

/* Read the former rows of table `name`, read as those of `table` are, into past->rows, unsorted. */
bool history_load(PGconn *conn, const char *name, const struct table *table, struct arena *arena,
                  struct history *history, struct err *err) MUST_CHECK;

#endif

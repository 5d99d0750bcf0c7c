/* history.h - reads former versions of rows from the database's history. */
#ifndef STORE_HISTORY_H
#define STORE_HISTORY_H

#include "catalog/history.h"
#include "store/table.h"

/* Read the former rows of table `name`, described by `table`, into history->rows, unsorted. */
bool history_load(PGconn *conn, const char *name, const struct table *table, struct arena *arena,
                  struct history *history, struct err *err) MUST_CHECK;

#endif

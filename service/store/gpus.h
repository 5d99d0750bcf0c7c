/* gpus.h - the GPUs with their figures, as they are and as they were. */
#ifndef STORE_GPUS_H
#define STORE_GPUS_H

#include "catalog/catalog.h"
#include "store/db.h"

/* Fill gpus, sorted, and old_gpus: a GPU gets a new version on the day its row or a figure changed.
 */
bool gpus_load(PGconn *conn, struct catalog *catalog, struct err *err) MUST_CHECK;

#endif

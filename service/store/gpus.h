/* gpus.h - the GPUs with their figures, as they are and as they were. */
#ifndef STORE_GPUS_H
#define STORE_GPUS_H

#include "catalog/catalog.h"
#include "store/db.h"

/* Fill gpus, sorted, and old_gpus: a GPU is another from the day on which its row or one of its
 * figures changed. */
bool gpus_load(PGconn *conn, struct catalog *catalog, struct err *err) MUST_CHECK;

#endif

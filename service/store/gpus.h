/* gpus.h - loads the GPUs with their figures and their former versions. */
#ifndef STORE_GPUS_H
#define STORE_GPUS_H

#include "catalog/catalog.h"
#include "store/db.h"

/* Fill gpus, sorted, and old_gpus. A GPU gets a new version on the day its row or one of its
 * figures changed.
 */
bool gpus_load(PGconn *conn, struct catalog *catalog, struct err *err) MUST_CHECK;

#endif

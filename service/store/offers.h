/* offers.h - reads rental offers into offer indexes, only those that changed. */
#ifndef STORE_OFFERS_H
#define STORE_OFFERS_H

#include "catalog/catalog.h"
#include "store/db.h"

/* Fill the catalogue's offer indexes, after its GPUs are sorted, in the transaction that reads the
 * rest. Indexes of `former` (may be NULL) are shared if the GPU's offers are unchanged. */
bool offers_load(PGconn *conn, const struct catalog *former, struct catalog *catalog,
                 struct err *err) MUST_CHECK;

#endif

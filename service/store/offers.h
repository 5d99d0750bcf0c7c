/* offers.h - reading the rental offers into shelves, those alone that changed. */
#ifndef STORE_OFFERS_H
#define STORE_OFFERS_H

#include "catalog/catalog.h"
#include "store/db.h"

/* Fill the catalogue's shelves, its GPUs sorted, in the transaction that reads the rest. Shelves of
 * `former`, NULL for none, are shared where the GPU's offers are as they were. */
bool offers_load(PGconn *conn, const struct catalog *former, struct catalog *catalog,
                 struct err *err) MUST_CHECK;

#endif

/* load.h - one consistent picture of the database, read into a catalog. */
#ifndef STORE_LOAD_H
#define STORE_LOAD_H

#include "catalog/catalog.h"
#include "store/db.h"

/* The newest migration this program knows, and needs. */
enum { STORE_SCHEMA_VERSION = 42 };

/* Read and check everything in one transaction, but for offers that are in `former` as they are in
 * the database; NULL reads those too. *out is the caller's, catalog_free() it; NULL after a
 * failure. */
bool store_load(PGconn *conn, const struct catalog *former, struct catalog **out,
                struct err *err) MUST_CHECK;

/* Whether the database, of which the catalog was read, has had no change since and is on the same
 * timeline; false, too, where it does not say. */
bool store_unchanged(PGconn *conn, const struct catalog *catalog);

#endif

/* load.h - one consistent picture of the database, read into a catalog. */
#ifndef STORE_LOAD_H
#define STORE_LOAD_H

#include "catalog/catalog.h"
#include "store/db.h"

/* The newest migration this program knows, and needs. */
enum { STORE_SCHEMA_VERSION = 10 };

/* Read and check everything in one transaction. *out is the caller's, catalog_free() it; NULL after
 * a failure. */
bool store_load(PGconn *conn, struct catalog **out, struct err *err) MUST_CHECK;

#endif

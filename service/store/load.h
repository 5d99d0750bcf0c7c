/* load.h - reads one consistent snapshot of the database into a catalog. */
#ifndef STORE_LOAD_H
#define STORE_LOAD_H

#include "catalog/catalog.h"
#include "store/db.h"

/* The newest migration this program knows; the database must have it. */
enum { STORE_SCHEMA_VERSION = 91 };

/* Read and check everything in one transaction, except offers that are unchanged since `former`,
 * which are shared (NULL: read all). The caller frees *out with catalog_free(); it is NULL after a
 * failure. */
bool store_load(PGconn *conn, const struct catalog *former, struct catalog **out,
                struct err *err) MUST_CHECK;

/* True if the database has not changed since the catalog was read and is on the same timeline;
 * false also if that is unknown. */
bool store_unchanged(PGconn *conn, const struct catalog *catalog);

/* The self-test of `gpuplan --check`: connect, load, prepare, disconnect. The caller frees *out
 * with catalog_free(); it is NULL after a failure. */
bool store_check(const char *conninfo, prepare_fn prepare, struct catalog **out,
                 struct err *err) MUST_CHECK;

#endif

/* db.h - a PostgreSQL connection with timeouts, used from one thread. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/err.h"

#include <libpq-fe.h>

/* Connect by a URL, a "key=value" string or, if it is "", the PG* variables. Settings in conninfo
 * override our defaults. The caller closes *out with PQfinish(); it is NULL after a failure. */
bool db_open(const char *conninfo, PGconn **out, struct err *err) MUST_CHECK;

/* The same for a writable server: with several hosts, the primary. */
bool db_open_primary(const char *conninfo, PGconn **out, struct err *err) MUST_CHECK;

/* Connect as `conn` did, to the same server or, if there are several, perhaps another. */
bool db_open_again(PGconn *conn, PGconn **out, struct err *err) MUST_CHECK;

/* Switch to the read-only role gpuplan_reader if this user may; otherwise continue unchanged. */
bool db_drop_rights(PGconn *conn, struct err *err) MUST_CHECK;
/* Switch to gpuplan_writer, who may only write quotes; false if this user may not. */
bool db_become_writer(PGconn *conn, struct err *err) MUST_CHECK;
/* Switch to gpuplan_importer, who may import feeds, if this user may; otherwise continue
 * unchanged. */
bool db_become_importer(PGconn *conn, struct err *err) MUST_CHECK;

/* Like PQexec() and PQexecParams() with text values, but with a timeout: the connection is closed
 * if the server is silent for 15 seconds. Returns the last result, which the caller frees, or
 * NULL. */
PGresult *db_ask(PGconn *conn, const char *sql, int n_values, const char *const *values) MUST_CHECK;

/* Run a statement that returns no rows. */
bool db_run(PGconn *conn, const char *sql, struct err *err) MUST_CHECK;
/* Run a query. The caller frees *out with PQclear(); it is NULL after a failure. */
bool db_query(PGconn *conn, const char *sql, PGresult **out, struct err *err) MUST_CHECK;

/* Begin a COPY ... TO STDOUT, then read its rows one by one. The caller frees *row with
 * PQfreemem(); it is NULL after the last row and after a failure. No other statement may run in
 * between. */
bool db_copy_begin(PGconn *conn, const char *sql, struct err *err) MUST_CHECK;
bool db_copy_row(PGconn *conn, char **row, size_t *size, struct err *err) MUST_CHECK;

/* True if the connection is lost and must be reopened. */
bool db_lost(const PGconn *conn);
/* True if the server is a replica. */
bool db_standby(const PGconn *conn);
/* True if the server has been made read-only, as before a planned failover. */
bool db_read_only(const PGconn *conn);

#endif

/* db.h - one connection to PostgreSQL: opened so that it cannot hang, used from one thread. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/err.h"

#include <libpq-fe.h>

/* Connect by a URL, a "key=value" string or, where it is "", the PG* variables. What conninfo says
 * itself goes before our defaults. Close *out with PQfinish(); it is NULL after a failure. */
bool db_open(const char *conninfo, PGconn **out, struct err *err) MUST_CHECK;

/* The same for a server that can be written to: of several hosts the primary. */
bool db_open_primary(const char *conninfo, PGconn **out, struct err *err) MUST_CHECK;

/* Go on as the read-only role gpuplan_reader where this user may; no matter where not. */
bool db_drop_rights(PGconn *conn, struct err *err) MUST_CHECK;
/* Continue as gpuplan_writer, who may only write quotes; false if this user may not. */
bool db_become_writer(PGconn *conn, struct err *err) MUST_CHECK;
/* Continue as gpuplan_importer, who may import feeds, if this user may; if not, stay as we are. */
bool db_become_importer(PGconn *conn, struct err *err) MUST_CHECK;

/* As PQexec() and PQexecParams() with texts, but not for ever: a server that says nothing for 15
 * seconds loses the connection. The last result is the caller's, NULL without one. */
PGresult *db_ask(PGconn *conn, const char *sql, int n_values, const char *const *values) MUST_CHECK;

/* Run a statement that gives no rows. */
bool db_run(PGconn *conn, const char *sql, struct err *err) MUST_CHECK;
/* Run a query; PQclear() *out, which is NULL after a failure. */
bool db_query(PGconn *conn, const char *sql, PGresult **out, struct err *err) MUST_CHECK;

/* Begin a COPY ... TO STDOUT, then take its rows one by one: PQfreemem() *row, which is NULL after
 * the last and after a failure. No other statement runs in between. */
bool db_copy_begin(PGconn *conn, const char *sql, struct err *err) MUST_CHECK;
bool db_copy_row(PGconn *conn, char **row, size_t *size, struct err *err) MUST_CHECK;

/* Whether the connection is lost and a new one has to be opened. */
bool db_lost(const PGconn *conn);
/* Whether its server is a replica of another one. */
bool db_standby(const PGconn *conn);
/* Whether its server has been told to take no more changes, as before another one takes over. */
bool db_read_only(const PGconn *conn);

#endif

#include "store/db.h"

#include <string.h>

/* A dead peer is noticed within half a minute, and a statement has ten seconds. */
static const char session[] = "set statement_timeout = '10s'; set lock_timeout = '5s'; "
                              "set idle_in_transaction_session_timeout = '30s'; "
                              "set datestyle = 'ISO, YMD'; set client_min_messages = warning";

#define BECOME(role)                                                 \
    "select set_config('role', rolname, false) from pg_roles where " \
    "rolname = '" role "' and pg_has_role(current_user, oid, 'member')"

/* The first line of what libpq has to say: it likes to end lines. */
static bool fail(const PGconn *conn, const char *what, struct err *err)
{
    const char *text = PQerrorMessage(conn);

    return err_set(err, ERR_UNAVAILABLE, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
}

/* What the server remarks by the way; errors come back as errors. */
static void ignore_notice(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* `target` is which of several servers, NULL: as conninfo says. */
static bool open_at(const char *conninfo, const char *target, PGconn **out, struct err *err)
{
    /* Of two equal keys the later one counts, so what conninfo expands to overrides the rest. */
    const char *keys[] = {"connect_timeout",
                          "keepalives_idle",
                          "keepalives_interval",
                          "keepalives_count",
                          "tcp_user_timeout",
                          "application_name",
                          "client_encoding",
                          "dbname",
                          target ? "target_session_attrs" : NULL,
                          NULL};
    const char *values[] = {"5",       "10",   "5",      "3",    "30000",
                            "gpuplan", "UTF8", conninfo, target, NULL};
    PGconn *conn = PQconnectdbParams(keys, values, 1);

    *out = NULL;
    if (PQstatus(conn) != CONNECTION_OK) {
        fail(conn, "no database", err);
        PQfinish(conn);
        return false;
    }
    PQsetNoticeProcessor(conn, ignore_notice, NULL);
    if (!db_run(conn, session, err)) {
        PQfinish(conn);
        return false;
    }
    *out = conn;
    return true;
}

bool db_open(const char *conninfo, PGconn **out, struct err *err)
{
    return open_at(conninfo, NULL, out, err);
}

bool db_open_primary(const char *conninfo, PGconn **out, struct err *err)
{
    return open_at(conninfo, "read-write", out, err);
}

bool db_drop_rights(PGconn *conn, struct err *err)
{
    PGresult *result;

    if (!db_query(conn, BECOME("gpuplan_reader"), &result, err))
        return false;
    PQclear(result);
    return true;
}

bool db_become_writer(PGconn *conn, struct err *err)
{
    PGresult *result;

    if (!db_query(conn, BECOME("gpuplan_writer"), &result, err))
        return false;
    bool done = PQntuples(result) == 1;
    PQclear(result);
    return done || err_set(err, ERR_DATABASE,
                           "the daemon's database user may not write quotes: run sql/migrate.sh, "
                           "then grant gpuplan_writer to %s",
                           PQuser(conn));
}

bool db_run(PGconn *conn, const char *sql, struct err *err)
{
    PGresult *result = PQexec(conn, sql);
    bool done = PQresultStatus(result) == PGRES_COMMAND_OK;

    PQclear(result);
    return done || fail(conn, "the database refuses a statement", err);
}

bool db_query(PGconn *conn, const char *sql, PGresult **out, struct err *err)
{
    *out = PQexec(conn, sql);
    if (PQresultStatus(*out) == PGRES_TUPLES_OK)
        return true;
    PQclear(*out);
    *out = NULL;
    return fail(conn, "the database refuses a query", err);
}

bool db_lost(const PGconn *conn)
{
    return PQstatus(conn) != CONNECTION_OK;
}

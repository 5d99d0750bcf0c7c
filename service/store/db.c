#include "store/db.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* A server that is reachable but silent, such as a stopped process: its kernel still acknowledges,
 * so only our own timeout notices. Longer than the statement timeout. */
enum { SILENCE_SECONDS = 15, OPTIONS_MAX = 96 };

/* A dead peer is detected within half a minute; a statement has ten seconds. */
static const char session[] = "set statement_timeout = '10s'; set lock_timeout = '5s'; "
                              "set idle_in_transaction_session_timeout = '30s'; "
                              "set datestyle = 'ISO, YMD'; set client_min_messages = warning";

#define BECOME(role)                                                 \
    "select set_config('role', rolname, false) from pg_roles where " \
    "rolname = '" role "' and pg_has_role(current_user, oid, 'member')"

/* The first line of a libpq message, since libpq's messages end with newlines. */
static bool fail(const PGconn *conn, const char *what, struct err *err)
{
    const char *text = PQerrorMessage(conn);

    return err_set(err, ERR_UNAVAILABLE, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
}

/* The first line of libpq's message for each server that it tried. */
static bool fail_to_connect(const PGconn *conn, struct err *err)
{
    char text[360] = "";
    size_t n = 0;

    for (const char *line = PQerrorMessage(conn); *line && n < sizeof(text);) {
        size_t length = strcspn(line, "\n");
        if (*line != '\t') /* not a continuation line with a hint */
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n ? "; " : "", (int)length,
                                  line);
        line += length + (line[length] == '\n');
    }
    return err_set(err, ERR_UNAVAILABLE, "no database: %s", text);
}

/* Ignore notices of the server; errors are returned as errors. */
static void ignore_notice(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* True if libpq can parse the connection string. Its own error message would quote an invalid one,
 * including the password: an unescaped /, @ or % in the password suffices. */
static bool check_string(const char *conninfo, struct err *err)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    bool good = options || !(strchr(conninfo, '=') || strstr(conninfo, "://"));

    for (const PQconninfoOption *option = options; option && option->keyword; option++) {
        if (option->val && strcmp(option->keyword, "port") == 0)
            good = good && option->val[strspn(option->val, "0123456789,")] == '\0';
        if (option->val && strcmp(option->keyword, "host") == 0)
            good = good && !strchr(option->val + 1, '@'); /* a leading @ denotes an abstract
                                                           * socket */
    }
    PQconninfoFree(options);
    return good || err_set(err, ERR_UNAVAILABLE,
                           "no database: DATABASE_URL is not a connection string; in an address "
                           "a password's special characters are written as %%2F");
}

/* Session settings. The server should detect a dead peer as fast as we do, because a dead session
 * holds a connection and unread notifications. */
static void print_session(PGconn *conn, char *sql, size_t size)
{
    static const char *const names[][2] = {{"keepalives_idle", "tcp_keepalives_idle"},
                                           {"keepalives_interval", "tcp_keepalives_interval"},
                                           {"keepalives_count", "tcp_keepalives_count"},
                                           {"tcp_user_timeout", "tcp_user_timeout"}};
    PQconninfoOption *options = PQconninfo(conn);
    size_t n = (size_t)snprintf(sql, size, "%s", session);

    for (const PQconninfoOption *option = options; option && option->keyword; option++)
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (option->val && option->val[0] && strcmp(option->keyword, names[i][0]) == 0)
                n += (size_t)snprintf(sql + n, size - n, "; set %s = %.12s", names[i][1],
                                      option->val);
    PQconninfoFree(options);
}

/* With libpq's options; if `expand`, one named dbname may be a connection string. */
static bool open_with(const char *const *keys, const char *const *values, bool expand, PGconn **out,
                      struct err *err)
{
    char sql[512];

    *out = NULL;
    PGconn *conn = PQconnectdbParams(keys, values, expand);
    if (PQstatus(conn) != CONNECTION_OK) {
        fail_to_connect(conn, err);
        PQfinish(conn);
        return false;
    }
    PQsetNoticeProcessor(conn, ignore_notice, NULL);
    print_session(conn, sql, sizeof(sql));
    if (!db_run(conn, sql, err)) {
        PQfinish(conn);
        return false;
    }
    *out = conn;
    return true;
}

/* `target` selects among several servers; NULL: as conninfo says. */
static bool open_at(const char *conninfo, const char *target, PGconn **out, struct err *err)
{
    /* The later of two equal keys is used, so conninfo overrides the defaults. */
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

    *out = NULL;
    return check_string(conninfo, err) && open_with(keys, values, true, out, err);
}

bool db_open(const char *conninfo, PGconn **out, struct err *err)
{
    return open_at(conninfo, NULL, out, err);
}

bool db_open_primary(const char *conninfo, PGconn **out, struct err *err)
{
    return open_at(conninfo, "read-write", out, err);
}

bool db_open_again(PGconn *conn, PGconn **out, struct err *err)
{
    const char *keys[OPTIONS_MAX] = {NULL}, *values[OPTIONS_MAX] = {NULL};
    PQconninfoOption *options = PQconninfo(conn);
    size_t n = 0;

    for (const PQconninfoOption *option = options; option && option->keyword; option++)
        if (option->val && option->val[0] && n < OPTIONS_MAX - 1) {
            keys[n] = option->keyword;
            values[n++] = option->val;
        }
    bool opened = open_with(keys, values, false, out, err);
    PQconninfoFree(options);
    return opened;
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

bool db_become_importer(PGconn *conn, struct err *err)
{
    PGresult *result;

    if (!db_query(conn, BECOME("gpuplan_importer"), &result, err))
        return false;
    PQclear(result);
    return true;
}

/* Wait until the socket can be read or written; false if it times out. */
static bool wait_for_peer(PGconn *conn, bool sending)
{
    struct pollfd on = {.fd = PQsocket(conn), .events = (short)(POLLIN | (sending ? POLLOUT : 0))};
    int n;

    do
        n = poll(&on, 1, SILENCE_SECONDS * 1000);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

/* Read part of an answer. False if the server is silent: the connection is then closed, since the
 * answer may still arrive. */
static bool read_some(PGconn *conn, bool sending)
{
    if (wait_for_peer(conn, sending))
        return PQconsumeInput(conn);
    shutdown(PQsocket(conn), SHUT_RDWR);
    (void)PQconsumeInput(conn);
    return false;
}

/* Send pending data and read until a result is complete. */
static bool wait_for_result(PGconn *conn)
{
    int unsent = PQflush(conn);

    while (unsent > 0 || PQisBusy(conn)) {
        if (!read_some(conn, unsent > 0))
            return false;
        unsent = PQflush(conn);
    }
    return unsent == 0;
}

PGresult *db_ask(PGconn *conn, const char *sql, int n_values, const char *const *values)
{
    PGresult *last = NULL, *next;
    /* Only a query without values may consist of several statements. */
    int sent = n_values ? PQsendQueryParams(conn, sql, n_values, NULL, values, NULL, NULL, 0)
                        : PQsendQuery(conn, sql);

    if (!sent)
        return NULL;
    while (wait_for_result(conn) && (next = PQgetResult(conn))) {
        PQclear(last);
        last = next;
    }
    if (db_lost(conn)) {
        PQclear(last);
        last = NULL;
    }
    return last;
}

bool db_run(PGconn *conn, const char *sql, struct err *err)
{
    PGresult *result = db_ask(conn, sql, 0, NULL);
    bool done = PQresultStatus(result) == PGRES_COMMAND_OK;

    PQclear(result);
    return done || fail(conn, "the database refuses a statement", err);
}

bool db_query(PGconn *conn, const char *sql, PGresult **out, struct err *err)
{
    *out = db_ask(conn, sql, 0, NULL);
    if (PQresultStatus(*out) == PGRES_TUPLES_OK)
        return true;
    PQclear(*out);
    *out = NULL;
    return fail(conn, "the database refuses a query", err);
}

bool db_copy_begin(PGconn *conn, const char *sql, struct err *err)
{
    PGresult *result = PQsendQuery(conn, sql) && wait_for_result(conn) ? PQgetResult(conn) : NULL;
    bool begun = PQresultStatus(result) == PGRES_COPY_OUT;

    PQclear(result);
    return begun || fail(conn, "the database refuses to copy a table", err);
}

/* The server sends 8 KiB at a time. To be woken for each costs both sides more than the rows do, so
 * let them gather, but never more than the socket holds. */
static void let_rows_gather(PGconn *conn)
{
    struct pollfd on = {.fd = PQsocket(conn), .events = POLLIN};
    const struct timespec gathering = {.tv_nsec = 400000};

    if (poll(&on, 1, 0) != 0)
        return;
    on.events = POLLRDHUP;
    (void)ppoll(&on, 1, &gathering, NULL);
}

bool db_copy_row(PGconn *conn, char **row, size_t *size, struct err *err)
{
    PGresult *result;
    bool good = true;
    int n;

    *row = NULL;
    while (good && (n = PQgetCopyData(conn, row, true)) == 0) {
        let_rows_gather(conn);
        good = read_some(conn, false);
    }
    if (good && n > 0) {
        *size = (size_t)n;
        return true;
    }
    while (good && wait_for_result(conn) && (result = PQgetResult(conn))) {
        good = PQresultStatus(result) == PGRES_COMMAND_OK;
        PQclear(result);
    }
    return (good && !db_lost(conn)) || fail(conn, "the database aborted the copy of a table", err);
}

bool db_lost(const PGconn *conn)
{
    return PQstatus(conn) != CONNECTION_OK;
}

/* A parameter that the server reports, and updates on change. */
static bool is_on(const PGconn *conn, const char *name)
{
    const char *set = PQparameterStatus(conn, name);

    return set && strcmp(set, "on") == 0;
}

bool db_standby(const PGconn *conn)
{
    return is_on(conn, "in_hot_standby");
}

bool db_read_only(const PGconn *conn)
{
    return is_on(conn, "default_transaction_read_only");
}

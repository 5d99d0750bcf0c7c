#include "store/import.h"

#include "base/buf.h"
#include "base/arena.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/import_copy.h"
#include "store/import_direct.h"
#include "store/import_keys.h"
#include "store/import_known.h"
#include "store/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_CHUNK = 1 << 16, COPY_CAP = 1 << 24, SQL_CAP = 1 << 14 }; /* bytes */
enum { RUN_TEXT_SIZE = 24, SOURCE_COLUMNS = 12, RUN_COLUMNS = 14 };

struct import {
    PGconn *conn;
    struct arena arena;
    struct feed_known known;
    /* The current run. */
    const struct feed_table *table;
    int64_t run;
    struct buf copy; /* buffered rows */
    struct import_keys keys;
    struct import_direct direct;
    struct err err; /* why no more rows can be sent */
};

/* An import may take minutes; a second one waits for the first. */
static const char session[] = "set statement_timeout = 0; set lock_timeout = '60s'; "
                              "set idle_in_transaction_session_timeout = 0; "
                              "set jit = off; set work_mem = '64MB'; "
                              "set default_statistics_target = 10; "
                              "set application_name = 'gpuplan import'";

struct import *import_open(const char *conninfo, struct err *err)
{
    struct import *import = mem_alloc(sizeof(*import));

    buf_init(&import->copy, COPY_CAP);
    if (db_open_primary(conninfo, &import->conn, err) && db_become_importer(import->conn, err) &&
        db_run(import->conn, session, err) && import_learn(import, err))
        return import;
    import_close(import);
    return NULL;
}

void import_close(struct import *import)
{
    if (!import)
        return;
    PQfinish(import->conn);
    buf_free(&import->copy);
    import_keys_free(&import->keys);
    import_direct_end(&import->direct);
    arena_free(&import->arena);
    free(import);
}

const struct feed_known *import_known(const struct import *import)
{
    return &import->known;
}

bool import_learn(struct import *import, struct err *err)
{
    arena_free(&import->arena);
    return import_load_known(import->conn, &import->arena, &import->known, err);
}

/* Run a statement with values, without a time limit; stores the result unless `out` is NULL. */
static bool run_with(struct import *import, const char *sql, int n, const char *const *values,
                     PGresult **out, struct err *err)
{
    PGresult *result = PQexecParams(import->conn, sql, n, NULL, values, NULL, NULL, 0);
    ExecStatusType status = PQresultStatus(result);
    bool done = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    bool is_refusal = state && strcmp(state, "55000") == 0; /* the code that feed_undo() raises */

    if (!text)
        text = PQerrorMessage(import->conn);
    if (!done)
        err_set(err, is_refusal ? ERR_INVALID : ERR_DATABASE, "the database refuses: %.*s",
                (int)strcspn(text, "\n"), text);
    if (done && out)
        *out = result;
    else
        PQclear(result);
    return done;
}

static bool run(struct import *import, const char *sql, struct err *err)
{
    return run_with(import, sql, 0, NULL, NULL, err);
}

/* The first value of the first row as a number; 0 without rows. */
static bool ask_number(struct import *import, const char *sql, int n, const char *const *values,
                       int64_t *number, struct err *err)
{
    PGresult *result;

    if (!run_with(import, sql, n, values, &result, err))
        return false;
    *number = PQntuples(result) ? strtoll(PQgetvalue(result, 0, 0), NULL, 10) : 0;
    PQclear(result);
    return true;
}

static const char *run_text(const struct import *import, char to[RUN_TEXT_SIZE])
{
    snprintf(to, RUN_TEXT_SIZE, "%" PRId64, import->run);
    return to;
}

bool import_begin(struct import *import, struct err *err)
{
    return run(import, "begin", err) &&
           run(import, "select pg_advisory_xact_lock(hashtext('gpuplan import'))", err);
}

bool import_commit(struct import *import, struct err *err)
{
    return run(import, "commit", err);
}

bool import_rollback(struct import *import, struct err *err)
{
    return run(import, "rollback", err);
}

/* Begin to send rows; `sql` ends with a COPY. */
static bool start_copy(struct import *import, const char *sql, struct err *err)
{
    PGresult *result = PQexec(import->conn, sql);
    bool done = PQresultStatus(result) == PGRES_COPY_IN;
    const char *text = PQerrorMessage(import->conn);

    if (!done)
        err_set(err, ERR_DATABASE, "no table for the rows: %.*s", (int)strcspn(text, "\n"), text);
    PQclear(result);
    return done;
}

/* Create a temporary table with the columns of the target table, and send rows to it or straight to
 * the target; for table gpu the columns hold what becomes figures. */
static bool make_incoming(struct import *import, struct err *err)
{
    const struct feed_table *table = import->table;
    bool wide = strcmp(table->name, "gpu") == 0;
    struct buf sql;

    buf_init(&sql, SQL_CAP);
    buf_text(&sql, "drop table if exists pg_temp.incoming; create temp table incoming on commit "
                   "drop as select 0 as line");
    for (size_t i = 0; i < table->n_columns; i++)
        buf_print(&sql, wide ? ", ''::text as %s" : ", %s", table->columns[i]);
    buf_print(&sql, " from public.%s with no data; copy ", table->name);
    buf_print(&sql, import->direct.on ? "public.%s (source_line" : "incoming (line", table->name);
    for (size_t i = 0; i < table->n_columns; i++)
        buf_print(&sql, ", %s", table->columns[i]);
    buf_text(&sql, import->direct.on ? ", " IMPORT_DIRECT_COLUMNS ") from stdin" : ") from stdin");
    bool done = start_copy(import, buf_data(&sql), err);
    buf_free(&sql);
    return done;
}

/* The latest import of the same bytes, since it retried the rows that earlier ones had refused. */
static bool find_earlier(struct import *import, const struct import_file *file,
                         struct import_earlier *earlier, struct err *err)
{
    const char *values[] = {file->sha256, file->format, file->observed[0] ? file->observed : NULL};
    PGresult *result;

    *earlier = (struct import_earlier){0};
    if (!run_with(import,
                  "select run_id, rows_refused = 0 and not exists (select from public.feed_run u "
                  "where u.sha256 = r.sha256 and u.undone_at > r.imported_at) "
                  "from public.feed_run r where undone_at is null "
                  "and (sha256, format) = ($1, $2) and observed is not distinct from $3::date "
                  "order by run_id desc limit 1",
                  3, values, &result, err))
        return false;
    if (PQntuples(result)) {
        earlier->run = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
        earlier->whole = PQgetvalue(result, 0, 1)[0] == 't';
    }
    PQclear(result);
    return true;
}

/* True if keys are equal if and only if their texts are. */
static bool has_plain_key(const struct feed_table *table)
{
    return strcmp(table->name, "offer") == 0;
}

bool import_start(struct import *import, const struct import_file *file,
                  const struct feed_table *table, struct import_earlier *earlier, struct err *err)
{
    const char *values[] = {
        file->format, file->provider[0] ? file->provider : NULL, file->file,
        file->sha256, file->observed[0] ? file->observed : NULL, file->feed_source};

    import->table = table;
    import->run = 0;
    import->err = (struct err){0};
    buf_free(&import->copy);
    import_keys_free(&import->keys);
    import_direct_end(&import->direct);
    if (!find_earlier(import, file, earlier, err))
        return false;
    return earlier->whole ||
           (ask_number(import,
                       "insert into public.feed_run (format, provider, file, sha256, observed, "
                       "feed_source) values ($1, $2, $3, $4, $5, $6) returning run_id",
                       6, values, &import->run, err) &&
            (!has_plain_key(table) ||
             import_direct_begin(&import->direct, import->conn, file->direct_bytes, err)) &&
            make_incoming(import, err));
}

static bool send_bytes(struct import *import, const char *bytes, size_t n)
{
    return PQputCopyData(import->conn, bytes, (int)n) == 1 ||
           err_set(&import->err, ERR_DATABASE, "the connection to the database broke");
}

static bool send_rows(struct import *import)
{
    bool sent = send_bytes(import, buf_data(&import->copy), import->copy.length);

    import->copy.length = 0;
    return sent;
}

bool import_row(void *context, size_t line, const char *const *values)
{
    struct import *import = context;
    char number[NUMBER_SIZE];
    bool fresh =
        has_plain_key(import->table) && import_keys_add(&import->keys, import->table, values);
    bool on = import->direct.on;
    bool direct = on && fresh && import_direct_takes(&import->direct, line, values, number);
    struct buf *copy = on && !direct ? &import->direct.rest : &import->copy;

    import_copy_row(copy, import->table, line, values);
    if (direct) {
        buf_char(copy, '\t');
        buf_text(copy, number);
        buf_char(copy, '\t');
        buf_add(copy, number, number_fixed(number, (double)import->run, 0));
    }
    buf_char(copy, '\n');
    return copy == &import->direct.rest || copy->length < COPY_CHUNK || send_rows(import);
}

static bool end_copy(struct import *import, struct err *err)
{
    if (!import->err.text[0] && import->copy.length)
        send_rows(import);
    bool ended = PQputCopyEnd(import->conn, import->err.text[0] ? "given up" : NULL) == 1;
    PGresult *result = PQgetResult(import->conn);
    bool done = ended && PQresultStatus(result) == PGRES_COMMAND_OK;
    const char *text =
        import->direct.on ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    if (!done && text) /* a row violates a constraint of the table */
        err_set(err, ERR_DATABASE, "the database refuses: %.*s", (int)strcspn(text, "\n"), text);
    else if (!done)
        err_set(err, ERR_DATABASE, "the rows could not be sent: %.*s",
                (int)strcspn(PQresultErrorMessage(result), "\n"), PQresultErrorMessage(result));
    for (; result; result = PQgetResult(import->conn))
        PQclear(result);
    return done;
}

/* Send the rows held back for comparison; delete direct rows with the same keys. */
static bool send_rest(struct import *import, struct err *err)
{
    const struct buf *rest = &import->direct.rest;
    char number[RUN_TEXT_SIZE];
    const char *values[] = {run_text(import, number)};

    if (!rest->length)
        return true;
    if (rest->full)
        return err_set(err, ERR_DATABASE, "too many rows are in the catalogue already");
    if (!start_copy(import, "copy incoming from stdin", err))
        return false;
    for (size_t i = 0; i < rest->length && !import->err.text[0]; i += COPY_CAP)
        send_bytes(import, rest->data + i,
                   rest->length - i < COPY_CAP ? rest->length - i : COPY_CAP);
    return end_copy(import, err) &&
           (!import->keys.twice || run_with(import, import_direct_recall, 1, values, NULL, err));
}

bool import_check(struct import *import, struct import_contradiction **out, size_t *n,
                  struct err *err)
{
    const char *values[] = {import->table->key, import->table->content};
    PGresult *result;

    *out = NULL;
    *n = 0;
    if (!end_copy(import, err) || !send_rest(import, err) || !run(import, "analyze incoming", err))
        return false;
    if (has_plain_key(import->table) && !import->keys.twice) {
        *out = mem_alloc(sizeof(**out));
        return true;
    }
    if (!run_with(import, "select line, other from public.feed_contradictions($1, $2)", 2, values,
                  &result, err))
        return false;
    *n = (size_t)PQntuples(result);
    *out = mem_alloc((*n + 1) * sizeof(**out));
    for (size_t i = 0; i < *n; i++) {
        (*out)[i].line = strtoul(PQgetvalue(result, (int)i, 0), NULL, 10);
        (*out)[i].other = strtoul(PQgetvalue(result, (int)i, 1), NULL, 10);
    }
    PQclear(result);
    return true;
}

/* Converts the lists "a, b" to arrays '{a, b}'. */
static bool take_rows(struct import *import, int64_t *lines, struct err *err)
{
    char number[RUN_TEXT_SIZE], keys[512], content[2048];
    const char *values[] = {run_text(import, number), import->table->name, keys, content};

    snprintf(keys, sizeof(keys), "{%s}", import->table->key);
    snprintf(content, sizeof(content), "{%s}", import->table->content);
    return ask_number(import,
                      "select count(distinct line) from "
                      "public.feed_take_rows($1, $2::text::regclass, $3, $4) line",
                      4, values, lines, err);
}

/* Rows that were copied straight into the target are there already. */
static bool take_rest(struct import *import, int64_t *lines, struct err *err)
{
    const struct import_direct *direct = &import->direct;
    char number[RUN_TEXT_SIZE];
    const char *values[] = {run_text(import, number)};

    if (direct->rest.length &&
        !ask_number(import, "select public.feed_take_offers($1)", 1, values, lines, err))
        return false;
    *lines = (int64_t)direct->n_lines;
    return (!direct->rest.length && !direct->out_of_order) ||
           ask_number(import,
                      "select count(distinct source_line) from public.offer where run_id = $1", 1,
                      values, lines, err);
}

bool import_take(struct import *import, bool new_providers, size_t *changed, struct err *err)
{
    static const char *const functions[][2] = {
        {"offer", "select public.feed_take_offers($1)"},
        {"quote", "select public.feed_take_quotes($1)"},
        {"gpu", "select public.feed_take_gpus($1)"},
    };
    char number[RUN_TEXT_SIZE];
    const char *values[] = {run_text(import, number)};
    const char *sql = NULL;
    int64_t lines;

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strcmp(functions[i][0], import->table->name) == 0)
            sql = functions[i][1];
    if (new_providers && strcmp(import->table->name, "offer") == 0 &&
        !run_with(import, "select public.feed_take_providers($1)", 1, values, NULL, err))
        return false;
    bool done = import->direct.on ? take_rest(import, &lines, err)
                : sql             ? ask_number(import, sql, 1, values, &lines, err)
                                  : take_rows(import, &lines, err);
    if (done)
        *changed = (size_t)lines;
    return done;
}

bool import_finish(struct import *import, const struct import_counts *counts, int64_t *run,
                   struct err *err)
{
    char text[6][RUN_TEXT_SIZE];
    const char *values[6] = {run_text(import, text[0])};
    size_t numbers[] = {counts->taken, counts->unchanged, counts->passed, counts->refused};

    for (size_t i = 0; i < 4; i++) {
        snprintf(text[i + 1], sizeof(text[0]), "%zu", numbers[i]);
        values[i + 1] = text[i + 1];
    }
    snprintf(text[5], sizeof(text[0]), "%zu",
             counts->taken + counts->unchanged + counts->passed + counts->refused);
    values[5] = text[5];
    *run = import->run;
    return run_with(import,
                    "update public.feed_run set rows_taken = $2, rows_unchanged = $3, "
                    "rows_passed = $4, rows_refused = $5, rows_read = $6 where run_id = $1",
                    6, values, NULL, err);
}

bool import_undo(struct import *import, int64_t number, size_t *rows, struct err *err)
{
    char text[RUN_TEXT_SIZE];
    const char *values[] = {text};
    int64_t found, undone;

    snprintf(text, sizeof(text), "%" PRId64, number);
    if (!import_begin(import, err) ||
        !ask_number(import, "select 1 from public.feed_run where run_id = $1 and undone_at is null",
                    1, values, &found, err))
        return false;
    if (!found)
        return err_set(err, ERR_INVALID, "there is no run %" PRId64 " to undo; see --list", number);
    if (!ask_number(import, "select public.feed_undo($1)", 1, values, &undone, err) ||
        !import_commit(import, err))
        return false;
    *rows = (size_t)undone;
    return true;
}

/* All rows of a query, each as `n_columns` texts, in the arena. */
static bool read_texts(struct import *import, const char *sql, struct arena *arena, int n_columns,
                       const char ***cells, size_t *n, struct err *err)
{
    PGresult *result;

    if (!run_with(import, sql, 0, NULL, &result, err))
        return false;
    *n = (size_t)PQntuples(result);
    *cells = arena_alloc(arena, (*n + 1) * (size_t)n_columns * sizeof(**cells));
    for (size_t i = 0; i < *n; i++)
        for (int k = 0; k < n_columns; k++)
            (*cells)[i * (size_t)n_columns + (size_t)k] =
                arena_text(arena, PQgetvalue(result, (int)i, k));
    PQclear(result);
    return true;
}

bool import_sources(struct import *import, struct arena *arena, struct import_source **sources,
                    size_t *n, struct err *err)
{
    static const char sql[] =
        "select name, url, format, coalesce(provider, ''), interval_hours, licence, attribution, "
        "enabled, coalesce(last_success_at + make_interval(hours => interval_hours) <= now(), "
        "true), coalesce(etag, ''), coalesce(to_char(last_success_at at time zone 'UTC', "
        "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), ''), coalesce(last_error, '') "
        "from public.feed_source order by name";
    const char **cells;

    if (!read_texts(import, sql, arena, SOURCE_COLUMNS, &cells, n, err))
        return false;
    *sources = arena_alloc(arena, (*n + 1) * sizeof(**sources));
    for (size_t i = 0; i < *n; i++, cells += SOURCE_COLUMNS)
        (*sources)[i] =
            (struct import_source){cells[0], cells[1], cells[2], cells[3], cells[4],  cells[5],
                                   cells[6], cells[7], cells[8], cells[9], cells[10], cells[11]};
    return true;
}

bool import_source_done(struct import *import, const char *name, const char *etag,
                        const char *error, struct err *err)
{
    const char *values[] = {name, etag, error};

    return run_with(import,
                    "update public.feed_source set last_error = $3, etag = case when $3::text is "
                    "null then $2 else etag end, last_success_at = case when $3::text is null "
                    "then now() else last_success_at end where name = $1",
                    3, values, NULL, err);
}

bool import_list(struct import *import, struct arena *arena, struct import_run **runs, size_t *n,
                 struct err *err)
{
    const char **cells;

    if (!read_texts(
            import,
            "select run_id, to_char(imported_at at time zone 'UTC', "
            "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), imported_by, format, coalesce(provider, ''), "
            "coalesce(observed::text, ''), file, sha256, rows_read, rows_taken, rows_unchanged, "
            "rows_passed, rows_refused, coalesce(to_char(undone_at at time zone 'UTC', "
            "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), '') from public.feed_run order by run_id desc",
            arena, RUN_COLUMNS, &cells, n, err))
        return false;
    *runs = arena_alloc(arena, (*n + 1) * sizeof(**runs));
    for (size_t i = 0; i < *n; i++, cells += RUN_COLUMNS)
        (*runs)[i] = (struct import_run){cells[0],  cells[1],  cells[2],  cells[3], cells[4],
                                         cells[5],  cells[6],  cells[7],  cells[8], cells[9],
                                         cells[10], cells[11], cells[12], cells[13]};
    return true;
}

#include "store/archive.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/db.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARES = 16,   /* one client may fill 1/16 of the archive per day */
    CLIENTS = 1024 /* hash slots; clients in the same slot share its quota */
};

struct archive_store {
    struct db_writer *writer;
    size_t max_bytes;
    atomic_uint_fast64_t counts[ARCHIVE_OUTCOMES];
    int64_t today; /* the day that `taken` applies to */
    size_t taken[CLIENTS];
    bool complained; /* a failure was logged since the last stored reply */
};

const char *const archive_outcome_names[ARCHIVE_OUTCOMES] = {"stored",  "known", "full",
                                                             "limited", "busy",  "failed"};

void archive_store_count(struct archive_store *store, enum archive_outcome outcome)
{
    store->counts[outcome]++;
}

uint64_t archive_store_counted(struct archive_store *store, enum archive_outcome outcome)
{
    return store->counts[outcome];
}

struct archive_store *archive_store_new(struct db_writer *writer, size_t max_bytes)
{
    struct archive_store *store = mem_alloc(sizeof(*store));

    store->writer = writer;
    store->max_bytes = max_bytes;
    return store;
}

void archive_store_free(struct archive_store *store)
{
    free(store);
}

/* Run a query that returns rows. */
static bool ask_once(struct db_writer *writer, const char *sql, int n, const char *const *values,
                     PGresult **out, struct err *err)
{
    if (!db_writer_conn(writer) && !db_writer_connect(writer, err))
        return false;
    *out = db_ask(db_writer_conn(writer), sql, n, values);
    if (PQresultStatus(*out) == PGRES_TUPLES_OK)
        return true;
    const char *text = PQerrorMessage(db_writer_conn(writer));
    err_set(err, ERR_DATABASE, "the database refuses: %.*s", (int)strcspn(text, "\n"), text);
    PQclear(*out);
    *out = NULL;
    db_writer_drop(writer);
    return false;
}

/* The same, repeated once on a new connection if the old one was lost. */
static bool ask(struct archive_store *store, const char *sql, int n, const char *const *values,
                PGresult **out, struct err *err)
{
    bool old = db_writer_conn(store->writer) != NULL;

    return ask_once(store->writer, sql, n, values, out, err) ||
           (old && !db_writer_conn(store->writer) &&
            ask_once(store->writer, sql, n, values, out, err));
}

/* Charge the client's daily share; also charged if the reply is not stored in the end. */
static bool take_share(struct archive_store *store, const struct archive_entry *entry)
{
    uint64_t hash = text_hash(TEXT_HASH, entry->client, strlen(entry->client));
    size_t *taken = &store->taken[hash % CLIENTS];

    if (store->today != clock_days()) {
        memset(store->taken, 0, sizeof(store->taken));
        store->today = clock_days();
    }
    if (*taken + entry->length > store->max_bytes / SHARES)
        return false;
    *taken += entry->length;
    return true;
}

/* Checks whether the key is already stored, and the table's size on disk. */
static bool look(struct archive_store *store, const char *key, bool *known, double *bytes,
                 struct err *err)
{
    PGresult *result;

    if (!ask(store,
             "select exists (select from public.archived_reply where key = $1), "
             "pg_total_relation_size('public.archived_reply')",
             1, &key, &result, err))
        return false;
    *known = PQgetvalue(result, 0, 0)[0] == 't';
    bool read = text_number(PQgetvalue(result, 0, 1), bytes);
    PQclear(result);
    return read || err_set(err, ERR_INTERNAL, "the database gives no size");
}

static char *hex_of(const char *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = mem_alloc(2 * n + 1);

    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = digits[(unsigned char)bytes[i] >> 4];
        hex[2 * i + 1] = digits[(unsigned char)bytes[i] & 15];
    }
    return hex;
}

static bool insert(struct archive_store *store, const struct archive_entry *entry, struct err *err)
{
    char *hex = hex_of(entry->body, entry->length);
    const char *values[] = {entry->key,           entry->question,        entry->format,
                            entry->model_version, entry->catalog_version, hex};
    PGresult *result;

    bool done = ask(store,
                    "insert into public.archived_reply (key, question, format, model_version, "
                    "catalog_version, body) values ($1, $2, $3, $4, $5, decode($6, 'hex')) "
                    "on conflict (key) do nothing returning key",
                    sizeof(values) / sizeof(values[0]), values, &result, err);
    if (done)
        PQclear(result);
    free(hex);
    return done;
}

static enum archive_outcome keep(struct archive_store *store, const struct archive_entry *entry,
                                 struct err *err)
{
    bool known;
    double bytes;

    if (!look(store, entry->key, &known, &bytes, err))
        return ARCHIVE_FAILED;
    if (known)
        return ARCHIVE_KNOWN;
    if (!take_share(store, entry))
        return ARCHIVE_LIMITED;
    if (bytes + (double)entry->length > (double)store->max_bytes) {
        err_set(err, ERR_DATABASE, "it is full: raise GPUPLAN_ARCHIVE_MIB");
        return ARCHIVE_FULL;
    }
    return insert(store, entry, err) ? ARCHIVE_STORED : ARCHIVE_FAILED;
}

void archive_store_keep(struct archive_store *store, const struct archive_entry *entry)
{
    struct err err = {0};
    enum archive_outcome outcome = keep(store, entry, &err);

    archive_store_count(store, outcome);
    bool wrong = outcome == ARCHIVE_FULL || outcome == ARCHIVE_FAILED;
    if (wrong && !store->complained)
        log_text(LOG_WARN, "replies to pinned links are not archived", "why", err.text);
    if (wrong || outcome == ARCHIVE_STORED)
        store->complained = wrong;
}

bool archive_store_find(struct archive_store *store, const char *key, struct buf *body,
                        char at[ARCHIVE_TIME_SIZE], struct err *err)
{
    struct err why = {0};
    PGresult *result;

    at[0] = '\0';
    if (!ask(store,
             "select body, to_char(archived_at at time zone 'UTC', "
             "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') "
             "from public.archived_reply where key = $1",
             1, &key, &result, &why))
        return err_set(err, ERR_DATABASE, "the archive cannot be read, try again later: %.340s",
                       why.text);
    if (PQntuples(result) == 1) {
        size_t n = 0;
        unsigned char *bytes = PQunescapeBytea((const unsigned char *)PQgetvalue(result, 0, 0), &n);
        if (bytes)
            buf_add(body, (const char *)bytes, n);
        PQfreemem(bytes);
        snprintf(at, ARCHIVE_TIME_SIZE, "%s", PQgetvalue(result, 0, 1));
    }
    PQclear(result);
    return true;
}

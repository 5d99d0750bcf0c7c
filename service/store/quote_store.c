#include "store/quote_store.h"

#include "base/mem.h"
#include "base/text.h"
#include "store/db.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quote_store {
    struct db_writer *writer;
    atomic_uint_fast64_t counts[QUOTE_OUTCOMES];
};

const char *const quote_outcome_names[QUOTE_OUTCOMES] = {"created",  "replaced", "hidden",
                                                         "repeated", "refused",  "failed"};

uint64_t quote_store_count(struct quote_store *store, enum quote_outcome outcome)
{
    return store->counts[outcome];
}

struct quote_store *quote_store_new(struct db_writer *writer)
{
    struct quote_store *store = mem_alloc(sizeof(*store));

    store->writer = writer;
    return store;
}

void quote_store_free(struct quote_store *store)
{
    free(store);
}

static bool connect_now(struct quote_store *store, struct err *err)
{
    struct err why = {0};

    return db_writer_connect(store->writer, &why) ||
           err_set(err, ERR_DATABASE, "nothing was saved, try again later: %.340s", why.text);
}

/* A quote's values, in the order of COLUMNS. */
static void add_quote(struct db_values *values, const struct quote *quote)
{
    db_values_text(values, quote->kind);
    db_values_text(values, quote->provider);
    db_values_text(values, quote->gpu);
    db_values_number(values, quote->gpu_count);
    db_values_text(values, quote->purchase_option);
    db_values_text(values, quote->region);
    db_values_number(values, quote->price);
    db_values_number(values, quote->discount_ratio);
    db_values_text(values, quote->price_unit);
    db_values_text(values, quote->currency);
    db_values_day(values, quote->valid_from);
    db_values_day(values, quote->valid_until);
    db_values_text(values, quote->attachment);
    db_values_text(values, quote->note);
}

#define COLUMNS                                                                                    \
    "kind, provider, gpu, gpu_count, purchase_option, region, price, discount_ratio, price_unit, " \
    "currency, valid_from, valid_until, attachment, note"
#define VALUES "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14"
#define UTC(column) "to_char(" column " at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
#define GIVING " returning quote_id, version, " UTC("changed_at")

static const char create[] = "insert into public.quote (" COLUMNS ") values (" VALUES ")" GIVING;
static const char replace[] =
    "update public.quote set (" COLUMNS ") = row(" VALUES ") where quote_id = $15" GIVING;
static const char hide[] = "update public.quote set hidden = true where quote_id = $1" GIVING;

/* The first line of the server's message. A violated constraint that our own checks passed means
 * that the data they were based on has changed. */
static bool fail(PGconn *conn, const PGresult *result, struct err *err)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (!text)
        text = PQerrorMessage(conn);
    bool refused = state && strncmp(state, "23", 2) == 0;
    return err_set(err, refused ? ERR_CONFLICT : ERR_DATABASE, "nothing was saved: %.*s",
                   (int)strcspn(text, "\n"), text);
}

static bool run(PGconn *conn, const char *sql, const struct db_values *values, PGresult **out,
                struct err *err)
{
    PGresult *result = db_ask(conn, sql, values->n, values->at);
    ExecStatusType status = PQresultStatus(result);
    bool done = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || fail(conn, result, err);

    *out = result;
    if (!done) {
        PQclear(result);
        *out = NULL;
    }
    return done;
}

static bool run_quietly(PGconn *conn, const char *sql, const struct db_values *values,
                        struct err *err)
{
    PGresult *result;
    bool done = run(conn, sql, values, &result, err);

    PQclear(result);
    return done;
}

/* Set the transaction's author, which the triggers record. */
static bool sign(PGconn *conn, const char *who, struct err *err)
{
    struct db_values values = {0};

    db_values_text(&values, who);
    return run_quietly(conn, "select set_config('gpuplan.writer', $1, true)", &values, err);
}

/* Lock the row and check that it is still the version the order refers to; *same if it already has
 * the requested state. */
static bool claim(PGconn *conn, const struct quote_order *order, bool *same, struct err *err)
{
    struct db_values values = {0};
    PGresult *result;
    double version = (double)NAN;

    db_values_number(&values, order->id);
    if (!run(conn, "select version, hidden from public.quote where quote_id = $1 for update",
             &values, &result, err))
        return false;
    bool found = PQntuples(result) == 1;
    bool hidden = found && PQgetvalue(result, 0, 1)[0] == 't';
    bool known = found && text_number(PQgetvalue(result, 0, 0), &version);
    PQclear(result);
    *same = hidden && order->action == QUOTE_HIDE;
    if (!known)
        return err_set(err, ERR_NOT_FOUND, "there is no quote %.0f; /v1/quotes lists them",
                       order->id);
    if (hidden && order->action == QUOTE_REPLACE)
        return err_set(err, ERR_CONFLICT, "quote %.0f is deleted: post it as a new one", order->id);
    if (!*same && !isnan(order->version) && order->version != version)
        return err_set(err, ERR_CONFLICT,
                       "quote %.0f is at version %.0f, not %.0f: check what has changed, then "
                       "send it again with that version",
                       order->id, version, order->version);
    return true;
}

/* Read the columns of GIVING. */
static bool read_written(const PGresult *result, struct quote_written *written)
{
    snprintf(written->changed_at, sizeof(written->changed_at), "%s", PQgetvalue(result, 0, 2));
    return text_number(PQgetvalue(result, 0, 0), &written->id) &&
           text_number(PQgetvalue(result, 0, 1), &written->version);
}

static bool carry_out(PGconn *conn, const struct quote_order *order, struct quote_written *written,
                      struct err *err)
{
    static const char *const statements[] = {
        [QUOTE_CREATE] = create, [QUOTE_REPLACE] = replace, [QUOTE_HIDE] = hide};
    struct db_values values = {0};
    PGresult *result;

    if (order->action != QUOTE_HIDE)
        add_quote(&values, order->quote);
    if (order->action != QUOTE_CREATE)
        db_values_number(&values, order->id);
    if (!run(conn, statements[order->action], &values, &result, err))
        return false;
    bool read = PQntuples(result) == 1 && read_written(result, written);
    PQclear(result);
    return read || err_set(err, ERR_INTERNAL, "the database did not return what it wrote");
}

/* ---- orders with an idempotency key */

/* Locks out other orders with the same key until the transaction ends. */
static bool lock_key(PGconn *conn, const struct quote_order *order, struct err *err)
{
    struct db_values values = {0};

    db_values_text(&values, order->who);
    db_values_text(&values, order->key);
    return run_quietly(conn, "select pg_advisory_xact_lock(hashtextextended($2, hashtext($1)))",
                       &values, err);
}

/* Find the quote that an earlier order with the key created, as it was then; sets written->repeated
 * if there is one. */
static bool find_made(PGconn *conn, const struct quote_order *order, struct quote_written *written,
                      struct err *err)
{
    struct db_values values = {0};
    PGresult *result;

    db_values_text(&values, order->who);
    db_values_text(&values, order->key);
    if (!run(conn,
             "select quote_id, 1, " UTC("made_at") ", sent, k.valid_from, q.hidden from "
                                                   "public.quote_key k join public.quote q "
                                                   "using (quote_id) where writer = $1 and "
                                                   "key = $2",
             &values, &result, err))
        return false;
    written->repeated = PQntuples(result) == 1;
    written->hidden = written->repeated && PQgetvalue(result, 0, 5)[0] == 't';
    bool good = !written->repeated || (read_written(result, written) &&
                                       text_day(PQgetvalue(result, 0, 4), &written->valid_from));
    bool same = !written->repeated || strcmp(PQgetvalue(result, 0, 3), order->sent) == 0;
    PQclear(result);
    if (!good)
        return err_set(err, ERR_INTERNAL, "the database did not return what it wrote");
    return same || err_set(err, ERR_KEY_REUSED,
                           "nothing was saved: this Idempotency-Key was sent before with another "
                           "quote, now %.0f: use a different key for this one",
                           written->id);
}

static bool write_key(PGconn *conn, const struct quote_order *order, double id, struct err *err)
{
    struct db_values values = {0};

    db_values_text(&values, order->key);
    db_values_text(&values, order->sent);
    db_values_number(&values, id);
    return run_quietly(conn,
                       "insert into public.quote_key (key, sent, quote_id) values ($1, $2, $3)",
                       &values, err);
}

/* Create the quote the first time; later find the one created. */
static bool carry_out_once(PGconn *conn, const struct quote_order *order,
                           struct quote_written *written, struct err *err)
{
    if (!lock_key(conn, order, err) || !find_made(conn, order, written, err))
        return false;
    return written->repeated ||
           (carry_out(conn, order, written, err) && write_key(conn, order, written->id, err));
}

/* Everything up to the commit. */
static bool prepare(PGconn *conn, const struct quote_order *order, struct quote_written *written,
                    struct err *err)
{
    struct db_values none = {0};
    bool same = false;

    *written = (struct quote_written){.id = order->id};
    if (!run_quietly(conn, "begin", &none, err) || !sign(conn, order->who, err))
        return false;
    if (order->key)
        return carry_out_once(conn, order, written, err);
    return (order->action == QUOTE_CREATE || claim(conn, order, &same, err)) &&
           (same || carry_out(conn, order, written, err));
}

static bool commit(PGconn *conn, struct err *err)
{
    struct db_values none = {0};

    if (run_quietly(conn, "commit", &none, err))
        return true;
    if (!db_lost(conn))
        return false;
    return err_set(err, ERR_DATABASE,
                   "the database connection broke while saving; it may or may not have been "
                   "saved: check /v1/quotes before sending this again");
}

/* One attempt; sets *again if the connection died before the commit. */
static bool attempt(struct quote_store *store, const struct quote_order *order,
                    struct quote_written *written, bool *again, struct err *err)
{
    struct db_writer *writer = store->writer;
    bool old = db_writer_conn(writer) != NULL;

    if (!old && !connect_now(store, err))
        return false;
    PGconn *conn = db_writer_conn(writer);
    bool prepared = prepare(conn, order, written, err);
    bool done = prepared && commit(conn, err);
    if (!done && !db_lost(conn))
        PQclear(db_ask(conn, "rollback", 0, NULL));
    bool dropped = db_writer_drop(writer);
    *again = !prepared && old && dropped;
    return done;
}

/* `written` is NULL if nothing was written. */
static enum quote_outcome outcome_of(const struct quote_order *order,
                                     const struct quote_written *written, const struct err *err)
{
    static const enum quote_outcome done_as[] = {[QUOTE_CREATE] = QUOTE_CREATED,
                                                 [QUOTE_REPLACE] = QUOTE_REPLACED,
                                                 [QUOTE_HIDE] = QUOTE_HIDDEN};

    if (written)
        return written->repeated ? QUOTE_REPEATED : done_as[order->action];
    return err_status(err->code) < 500 ? QUOTE_REFUSED : QUOTE_FAILED;
}

bool quote_store_write(void *context, const struct quote_order *order,
                       struct quote_written *written, struct err *err)
{
    struct quote_store *store = context;
    bool again = false;
    bool done = attempt(store, order, written, &again, err);

    if (!done && again)
        done = attempt(store, order, written, &again, err);
    store->counts[outcome_of(order, done ? written : NULL, err)]++;
    return done;
}

#include "store/measurement_store.h"

#include "store/db.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The columns written for a run; the table's defaults and its trigger fill in the rest. */
#define COLUMNS(X_TEXT, X_NUMBER)         \
    X_TEXT(kind)                          \
    X_NUMBER(measured)                    \
    X_TEXT(gpu)                           \
    X_TEXT(measurement_set)               \
    X_TEXT(note)                          \
    X_TEXT(model)                         \
    X_NUMBER(time_to_first_token_seconds) \
    X_NUMBER(gpu_count)                   \
    X_NUMBER(gpus_per_node)               \
    X_NUMBER(network_gbit_per_second)     \
    X_TEXT(stack)                         \
    X_TEXT(precision)                     \
    X_TEXT(method)                        \
    X_NUMBER(sequence_tokens)             \
    X_NUMBER(global_batch_sequences)      \
    X_NUMBER(micro_batch_sequences)       \
    X_NUMBER(tensor_parallel)             \
    X_NUMBER(pipeline_parallel)           \
    X_NUMBER(context_parallel)            \
    X_NUMBER(expert_parallel)             \
    X_NUMBER(attention_data_parallel)     \
    X_NUMBER(zero_stage)                  \
    X_TEXT(recompute)                     \
    X_TEXT(engine)                        \
    X_TEXT(engine_version)                \
    X_TEXT(weight_dtype)                  \
    X_TEXT(kv_cache_dtype)                \
    X_NUMBER(concurrent_requests)         \
    X_NUMBER(input_tokens)                \
    X_NUMBER(output_tokens)               \
    X_NUMBER(memory_gib)                  \
    X_TEXT(memory_kind)                   \
    X_NUMBER(weights_gib)                 \
    X_NUMBER(kv_cache_tokens)

static void add_run(struct db_values *values, const struct measurement *run)
{
#define ADD_TEXT(name) db_values_text(values, run->name);
#define ADD_NUMBER(name) db_values_number(values, run->name);
    COLUMNS(ADD_TEXT, ADD_NUMBER)
}

/* insert into ... (kind, ...) values ($1, ...) */
static PGresult *insert_run(PGconn *conn, const struct measurement *run)
{
#define NAME(name) #name ", "
    static const char names[] = COLUMNS(NAME, NAME);
    struct db_values values = {0};
    char sql[2048];

    add_run(&values, run);
    int n = snprintf(sql, sizeof(sql), "insert into public.own_measurement (%.*s) values (",
                     (int)strlen(names) - 2, names);
    for (int i = 1; i <= values.n; i++)
        n += snprintf(sql + n, sizeof(sql) - (size_t)n, "$%d%s", i, i < values.n ? ", " : ")");
    snprintf(sql + n, sizeof(sql) - (size_t)n,
             " returning id, to_char(created_at at time zone 'UTC', "
             "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
    return db_ask(conn, sql, values.n, values.at);
}

static PGresult *remove_run(PGconn *conn, const struct measurement_order *order)
{
    const char *const values[] = {order->id, order->who};

    return db_ask(conn,
                  "delete from public.own_measurement where id = $1 and created_by = $2 "
                  "returning id, ''",
                  2, values);
}

/* The first line of the server's message: a violated constraint, or that there is no server. */
static bool fail(PGconn *conn, const PGresult *result, struct err *err)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    enum err_code code = !state                         ? ERR_DATABASE
                         : strncmp(state, "23", 2) == 0 ? ERR_CONFLICT
                         : strcmp(state, "42501") == 0  ? ERR_FORBIDDEN
                                                        : ERR_DATABASE;

    if (!text)
        text = PQerrorMessage(conn);
    return err_set(err, code, "nothing was saved: %.*s", (int)strcspn(text, "\n"), text);
}

/* The author's name for the trigger is set for this transaction only: quotes and replies use the
 * same connection, and a pooler may give it to another client afterwards. */
static bool sign(PGconn *conn, const char *who, struct err *err)
{
    PGresult *result = db_ask(conn, "select set_config('gpuplan.writer', $1, true)", 1, &who);
    bool done = PQresultStatus(result) == PGRES_TUPLES_OK || fail(conn, result, err);

    PQclear(result);
    return done;
}

static bool change(PGconn *conn, const struct measurement_order *order,
                   struct measurement_written *written, struct err *err)
{
    PGresult *result = order->run ? insert_run(conn, order->run) : remove_run(conn, order);
    const char *twin = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
    written->repeated = twin && strncmp(twin, "own-", 4) == 0;
    if (written->repeated)
        snprintf(written->id, sizeof(written->id), "%s", twin);
    bool done =
        written->repeated || PQresultStatus(result) == PGRES_TUPLES_OK || fail(conn, result, err);
    if (done && !written->repeated && PQntuples(result) != 1)
        done = err_set(err, ERR_NOT_FOUND, "you have no run %.60s", order->id);
    if (done && !written->repeated) {
        snprintf(written->id, sizeof(written->id), "%s", PQgetvalue(result, 0, 0));
        snprintf(written->created_at, sizeof(written->created_at), "%s", PQgetvalue(result, 0, 1));
    }
    PQclear(result);
    return done;
}

static bool carry_out(PGconn *conn, const struct measurement_order *order,
                      struct measurement_written *written, struct err *err)
{
    bool done = db_run(conn, "begin", err) && sign(conn, order->who, err) &&
                change(conn, order, written, err) &&
                (written->repeated || db_run(conn, "commit", err));

    if ((!done || written->repeated) && !db_lost(conn))
        PQclear(db_ask(conn, "rollback", 0, NULL));
    return done;
}

bool measurement_store_write(void *db_writer, const struct measurement_order *order,
                             struct measurement_written *written, struct err *err)
{
    *written = (struct measurement_written){0};
    for (int attempt = 0;; attempt++) {
        bool old = db_writer_conn(db_writer) != NULL;
        struct err why = {0};
        if (!old && !db_writer_connect(db_writer, &why))
            return err_set(err, ERR_DATABASE, "nothing was saved, try again later: %.340s",
                           why.text);
        *err = (struct err){0};
        bool done = carry_out(db_writer_conn(db_writer), order, written, err);
        bool dropped = db_writer_drop(db_writer);
        if (done || attempt || !old || !dropped)
            return done;
    }
}

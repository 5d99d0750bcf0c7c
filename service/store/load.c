#include "store/load.h"

#include "base/text.h"
#include "store/gpus.h"
#include "store/offers.h"
#include "store/history.h"
#include "store/tables.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The single value that a query returns, as text in `arena`. */
static bool load_cell(PGconn *conn, const char *sql, struct arena *arena, const char **out,
                      struct err *err)
{
    PGresult *result;

    if (!db_query(conn, sql, &result, err))
        return false;
    *out = arena_text(arena, PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return true;
}

/* The sum over all days, since a long transaction counts for the day on which it began. */
static const char count_changes[] = "select sum(changes) from public.catalog_change";

static bool check_schema(PGconn *conn, struct catalog *catalog, struct err *err)
{
    const char *text;
    double number;

    if (!load_cell(conn, "select max(number) from public.schema_version", &catalog->arena, &text,
                   err))
        return false;
    if (!text_number(text, &number) || number < STORE_SCHEMA_VERSION)
        return err_set(err, ERR_UNAVAILABLE,
                       "the database has schema version %s and %d is needed: run sql/migrate.sh",
                       text[0] ? text : "none", STORE_SCHEMA_VERSION);
    return true;
}

static bool load_version(PGconn *conn, struct catalog *catalog, struct err *err)
{
    const char *text;
    struct timespec now;

    if (!load_cell(conn,
                   "select to_char(day, 'YYYYMMDD') || '.' || changes from public.catalog_change "
                   "order by day desc limit 1",
                   &catalog->arena, &text, err) ||
        !load_cell(conn, count_changes, &catalog->arena, &catalog->changes, err))
        return false;
    size_t length = strnlen(text, sizeof(catalog->version) - 1);
    memcpy(catalog->version, text, length);
    catalog->version[length] = '\0';
    clock_gettime(CLOCK_REALTIME, &now);
    catalog->loaded_at = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    return true;
}

/* The cluster and its timeline, which changes with each promotion and restore in place. A standby
 * reports the timeline of its last restart point or, if later, of what it has replayed. "" if a
 * managed server hides it. */
static bool load_server(PGconn *conn, struct arena *arena, const char **out, struct err *err)
{
    static const char sql[] =
        "select (select system_identifier from pg_catalog.pg_control_system()) || '/' || "
        "case when pg_catalog.pg_is_in_recovery() then (select greatest(c.timeline_id, "
        "r.min_recovery_end_timeline) from pg_catalog.pg_control_checkpoint() c, "
        "pg_catalog.pg_control_recovery() r) else ('x' || substr(pg_catalog.pg_walfile_name("
        "pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::bigint end";

    if (load_cell(conn, sql, arena, out, err))
        return true;
    *out = "";
    return !db_lost(conn);
}

/* The database, its table of versions, and the time of the last change: a restored dump has other
 * object ids, and a diverged history other times. */
static bool load_objects(PGconn *conn, struct arena *arena, const char **out, struct err *err)
{
    return load_cell(conn,
                     "select (select oid from pg_catalog.pg_database where datname = "
                     "pg_catalog.current_database()) || '/' || "
                     "'public.catalog_change'::regclass::oid || '/' || extract(epoch from "
                     "changed_at) from public.catalog_change order by day desc limit 1",
                     arena, out, err);
}

/* Queried after the catalogue was read: a server promoted in between has read only what both
 * timelines share. */
static bool load_birth(PGconn *conn, struct catalog *catalog, const char *objects, struct err *err)
{
    if (!load_server(conn, &catalog->arena, &catalog->server, err))
        return false;
    uint64_t hash = text_hash(TEXT_HASH, catalog->server, strlen(catalog->server) + 1);
    text_print_hex(text_hash(hash, objects, strlen(objects)), catalog->birth);
    return true;
}

static bool load_hardware(PGconn *conn, struct catalog *catalog, struct err *err)
{
    void *loaded;

    if (!table_load(conn, &table_hardware, &catalog->arena, &loaded, &catalog->n_hardware, err))
        return false;
    const struct hardware_row *rows = loaded;
    catalog->hardware = arena_alloc(&catalog->arena, catalog->n_hardware * sizeof(struct hardware));
    for (size_t i = 0; i < catalog->n_hardware; i++) {
        catalog->hardware[i] = rows[i].hardware;
        catalog->hardware[i].gpu = catalog_gpu_ever(catalog, rows[i].gpu);
        if (!catalog->hardware[i].gpu)
            return err_set(err, ERR_INTERNAL, "hardware is of unknown GPU %s", rows[i].gpu);
    }
    return true;
}

/* A version of a row is identified by the transaction that wrote it and its place in the table, for
 * as long as the server runs: the stamp of rows changes with any of them. */
#define VERSIONS "select xmin, ctid, tableoid from public."
#define AND " union all " VERSIONS
#define STAMP_OF(tables)                                                                   \
    "select extract(epoch from pg_catalog.pg_postmaster_start_time()) || '/' || count(*) " \
    "|| '/' || coalesce(sum(pg_catalog.hash_record_extended(version, 0)), 0) "             \
    "from (" VERSIONS tables ") version"

/* A table that takes long to read and seldom changes: the rows of the former snapshot are copied if
 * those in the database are the same. */
struct kept {
    const struct table *table;
    const char *stamp_sql;     /* of all tables that its rows come from */
    size_t stamp, rows, count; /* where they are in struct catalog */
};

#define KEPT(stamp, rows, count) \
    offsetof(struct catalog, stamp), offsetof(struct catalog, rows), offsetof(struct catalog, count)

static const struct kept kept_tables[] = {
    {&table_measurement, STAMP_OF("measurement" AND "measurement_source"),
     KEPT(runs_stamp, measurements, n_measurements)},
    {&table_hosted_price,
     STAMP_OF("hosted_price" AND "hosted_model_name" AND "hosted_provider_name" AND "model" AND
              "feed_source"),
     KEPT(hosted_stamp, hosted_prices, n_hosted_prices)},
    {&table_carrier, STAMP_OF("feed_source" AND "gpu_name"),
     KEPT(carriers_stamp, carriers, n_carriers)},
};

/* The stamp, rows or count of a snapshot. */
#define GET(catalog, place, to) memcpy((to), (const char *)(catalog) + (place), sizeof(*(to)))
#define SET(catalog, place, from) memcpy((char *)(catalog) + (place), (from), sizeof(*(from)))

static bool load_kept(PGconn *conn, const struct kept *kept, const struct catalog *former,
                      struct catalog *catalog, struct err *err)
{
    const char *stamp, *former_stamp;
    size_t n;
    void *rows;

    if (!load_cell(conn, kept->stamp_sql, &catalog->arena, &stamp, err))
        return false;
    if (former)
        GET(former, kept->stamp, &former_stamp);
    if (former && strcmp(former_stamp, stamp) == 0) {
        GET(former, kept->rows, &rows);
        GET(former, kept->count, &n);
        rows = table_copy(kept->table, rows, n, &catalog->arena);
    } else if (!table_load(conn, kept->table, &catalog->arena, &rows, &n, err)) {
        return false;
    }
    SET(catalog, kept->stamp, &stamp);
    SET(catalog, kept->rows, &rows);
    SET(catalog, kept->count, &n);
    return true;
}

static bool load_seldom_changed(PGconn *conn, const struct catalog *former, struct catalog *catalog,
                                struct err *err)
{
    static const char figures[] = STAMP_OF("gpu" AND "gpu_figure" AND "model" AND "assumption");
    bool good = load_cell(conn, figures, &catalog->arena, &catalog->figures_stamp, err);

    for (size_t i = 0; good && i < sizeof(kept_tables) / sizeof(kept_tables[0]); i++)
        good = load_kept(conn, &kept_tables[i], former, catalog, err);
    return good;
}

static bool load_rest(PGconn *conn, struct catalog *catalog, struct err *err)
{
    struct arena *arena = &catalog->arena;
    void *models, *assumptions, *rates, *providers, *instances, *runs, *changes;
    void *own_runs, *billings, *regions;

    if (!table_load(conn, &table_model, arena, &models, &catalog->n_models, err) ||
        !table_load(conn, &table_assumption, arena, &assumptions, &catalog->n_assumptions, err) ||
        !table_load(conn, &table_exchange_rate, arena, &rates, &catalog->n_rates, err) ||
        !table_load(conn, &table_provider, arena, &providers, &catalog->n_providers, err) ||
        !table_load(conn, &table_instance, arena, &instances, &catalog->n_instances, err) ||
        !table_load(conn, &table_billing, arena, &billings, &catalog->n_billings, err) ||
        !table_load(conn, &table_region, arena, &regions, &catalog->n_regions, err) ||
        !table_load(conn, &table_own_measurement, arena, &own_runs, &catalog->n_own_runs, err) ||
        !table_load(conn, &table_run, arena, &runs, &catalog->n_runs, err) ||
        !table_load(conn, &table_row_change, arena, &changes, &catalog->n_row_changes, err))
        return false;
    catalog->models = models;
    catalog->assumptions = assumptions;
    catalog->rates = rates;
    catalog->providers = providers;
    catalog->instances = instances;
    catalog->billings = billings;
    catalog->regions = regions;
    catalog->runs = runs;
    catalog->row_changes = changes;
    catalog->own_runs = own_runs;
    return history_load(conn, "model", &table_model, arena, &catalog->old_models, err) &&
           history_load(conn, "assumption", &table_assumption, arena, &catalog->old_assumptions,
                        err);
}

/* Loaded after all tables they refer to. */
static bool load_quotes(PGconn *conn, struct catalog *catalog, struct err *err)
{
    void *quotes, *changes;

    if (!table_load(conn, &table_quote, &catalog->arena, &quotes, &catalog->n_quotes, err) ||
        !table_load(conn, &table_quote_change, &catalog->arena, &changes, &catalog->n_quote_changes,
                    err))
        return false;
    catalog->quotes = quotes;
    catalog->quote_changes = changes;
    catalog_add_quotes(catalog);
    return true;
}

/* The first query sets the snapshot that all others see. */
static bool load_all(PGconn *conn, const struct catalog *former, struct catalog *catalog,
                     struct err *err)
{
    const char *objects;

    return db_run(conn, "begin transaction isolation level repeatable read, read only", err) &&
           check_schema(conn, catalog, err) && load_version(conn, catalog, err) &&
           load_objects(conn, &catalog->arena, &objects, err) && gpus_load(conn, catalog, err) &&
           offers_load(conn, former, catalog, err) && load_hardware(conn, catalog, err) &&
           load_seldom_changed(conn, former, catalog, err) && load_rest(conn, catalog, err) &&
           load_quotes(conn, catalog, err) && db_run(conn, "commit", err) &&
           load_birth(conn, catalog, objects, err) && catalog_seal(catalog, err);
}

bool store_load(PGconn *conn, const struct catalog *former, struct catalog **out, struct err *err)
{
    struct catalog *catalog = catalog_new();
    bool loaded = load_all(conn, former, catalog, err);

    if (PQtransactionStatus(conn) == PQTRANS_INERROR ||
        PQtransactionStatus(conn) == PQTRANS_INTRANS)
        PQclear(db_ask(conn, "rollback", 0, NULL));
    if (!loaded) {
        catalog_free(catalog);
        catalog = NULL;
    }
    *out = catalog;
    return loaded;
}

bool store_unchanged(PGconn *conn, const struct catalog *catalog)
{
    struct arena arena = {0};
    struct err err = {0};
    const char *changes, *server;

    bool same = load_cell(conn, count_changes, &arena, &changes, &err) &&
                strcmp(changes, catalog->changes) == 0 &&
                load_server(conn, &arena, &server, &err) && strcmp(server, catalog->server) == 0;
    arena_free(&arena);
    return same;
}

bool store_check(const char *conninfo, prepare_fn prepare, struct catalog **out, struct err *err)
{
    PGconn *conn;

    *out = NULL;
    if (!db_open(conninfo, &conn, err))
        return false;
    bool loaded = db_drop_rights(conn, err) && store_load(conn, NULL, out, err);
    PQfinish(conn);
    if (loaded && prepare(*out, NULL, err))
        return true;
    catalog_free(*out);
    *out = NULL;
    return false;
}

#include "store/load.h"

#include "base/text.h"
#include "store/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The one number or text a query gives, as text in `arena`. */
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
                   &catalog->arena, &text, err))
        return false;
    size_t length = strnlen(text, sizeof(catalog->version) - 1);
    memcpy(catalog->version, text, length);
    catalog->version[length] = '\0';
    clock_gettime(CLOCK_REALTIME, &now);
    catalog->loaded_at = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    return true;
}

static void clear_rates(struct gpu *gpu)
{
    double *rates[] = {
        &gpu->memory_bytes, &gpu->memory_marketed_bytes, &gpu->memory_bandwidth, &gpu->ecc_overhead,
        &gpu->link_rate,    &gpu->link_pair_rate,        &gpu->scale_up_domain,  &gpu->pcie_rate,
        &gpu->tdp};

    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        *rates[i] = (double)NAN;
    for (size_t i = 0; i < PEAK_COUNT; i++)
        gpu->peak[i] = (double)NAN;
}

/* Sources disagree and another figure is the one that counts. */
static bool disputed(const struct figure *figure)
{
    return strcmp(figure->trust, "disputed") == 0;
}

/* Give each GPU its run of the figures, which come ordered by GPU, and the rates made of them. */
static bool attach_figures(struct catalog *catalog, const struct figure_row *rows, size_t n,
                           struct err *err)
{
    struct figure *figures = arena_alloc(&catalog->arena, n * sizeof(*figures));

    for (size_t i = 0; i < n; i++) {
        const struct gpu *found = catalog_gpu(catalog, rows[i].gpu);
        if (!found)
            return err_set(err, ERR_INTERNAL, "a figure is of unknown GPU %s", rows[i].gpu);
        struct gpu *gpu = &catalog->gpus[found - catalog->gpus];
        figures[i] = rows[i].figure;
        if (!gpu->n_figures++)
            gpu->figures = &figures[i];
        if (!disputed(&figures[i]))
            gpu_set_figure(gpu, &figures[i]);
    }
    return true;
}

static bool load_gpus(PGconn *conn, struct catalog *catalog, struct err *err)
{
    void *gpus, *figures;
    size_t n_figures;

    if (!table_load(conn, &table_gpu, &catalog->arena, &gpus, &catalog->n_gpus, err) ||
        !table_load(conn, &table_figure, &catalog->arena, &figures, &n_figures, err))
        return false;
    catalog->gpus = gpus;
    for (size_t i = 0; i < catalog->n_gpus; i++)
        clear_rates(&catalog->gpus[i]);
    catalog_sort_gpus(catalog);
    return attach_figures(catalog, figures, n_figures, err);
}

static bool load_offers(PGconn *conn, struct catalog *catalog, struct err *err)
{
    void *loaded;

    if (!table_load(conn, &table_offer, &catalog->arena, &loaded, &catalog->n_offers, err))
        return false;
    const struct offer_row *rows = loaded;
    catalog->offers = arena_alloc(&catalog->arena, catalog->n_offers * sizeof(struct offer));
    for (size_t i = 0; i < catalog->n_offers; i++) {
        catalog->offers[i] = rows[i].offer;
        catalog->offers[i].gpu = catalog_gpu(catalog, rows[i].gpu);
        if (!catalog->offers[i].gpu)
            return err_set(err, ERR_INTERNAL, "an offer is of unknown GPU %s", rows[i].gpu);
    }
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
        catalog->hardware[i].gpu = catalog_gpu(catalog, rows[i].gpu);
        if (!catalog->hardware[i].gpu)
            return err_set(err, ERR_INTERNAL, "hardware is of unknown GPU %s", rows[i].gpu);
    }
    return true;
}

static bool load_rest(PGconn *conn, struct catalog *catalog, struct err *err)
{
    struct arena *arena = &catalog->arena;
    void *models, *assumptions, *rates;

    if (!table_load(conn, &table_model, arena, &models, &catalog->n_models, err) ||
        !table_load(conn, &table_assumption, arena, &assumptions, &catalog->n_assumptions, err) ||
        !table_load(conn, &table_exchange_rate, arena, &rates, &catalog->n_rates, err))
        return false;
    catalog->models = models;
    catalog->assumptions = assumptions;
    catalog->rates = rates;
    return true;
}

/* After all that they refer to. */
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

/* The first query sets the snapshot that all the others see. */
static bool load_all(PGconn *conn, struct catalog *catalog, struct err *err)
{
    return db_run(conn, "begin transaction isolation level repeatable read, read only", err) &&
           check_schema(conn, catalog, err) && load_version(conn, catalog, err) &&
           load_gpus(conn, catalog, err) && load_offers(conn, catalog, err) &&
           load_hardware(conn, catalog, err) && load_rest(conn, catalog, err) &&
           load_quotes(conn, catalog, err) && db_run(conn, "commit", err) &&
           catalog_seal(catalog, err);
}

bool store_load(PGconn *conn, struct catalog **out, struct err *err)
{
    struct catalog *catalog = catalog_new();
    bool loaded = load_all(conn, catalog, err);

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

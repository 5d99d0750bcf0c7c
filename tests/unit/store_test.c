/* store_test.c - the loader and the refresher against a real, throw-away PostgreSQL. */
#include "base/mem.h"
#include "catalog/price_book.h"
#include "estimate/measurement/nearest.h"
#include "store/load.h"
#include "store/refresh.h"
#include "cluster.h"
#include "tap.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_open(void)
{
    struct err err = {0};
    PGconn *conn;
    double start = now();

    ok(!db_open("postgresql:///x?host=/nowhere", &conn, &err) && !conn, "no server, no connection");
    ok(err.code == ERR_UNAVAILABLE && !strchr(err.text, '\n'), "said in one line: %s", err.text);
    ok(now() - start < 2, "and at once");

    conn = connected();
    ok(db_drop_rights(conn, &err), "becomes the reader");
    ok(!db_run(conn, "delete from offer", &err), "which cannot write: %s", err.text);
    ok(db_run(conn, "listen gpuplan", &err), "but can listen");
    PQfinish(conn);
}

static void check_gpus(const struct catalog *catalog)
{
    const struct gpu *h100 = catalog_gpu(catalog, "h100-sxm5-80gb");
    const struct gpu *rtx = catalog_gpu(catalog, "rtx-4090"),
                     *b200 = catalog_gpu(catalog, "b200-sxm");

    ok(catalog->n_gpus == 70, "70 GPUs");
    if (!ok(h100 && rtx && b200, "among them the usual ones"))
        return;
    is_near(h100->peak[PEAK_BF16], 989.4e12, 1e-9, "dense BF16, in FLOP/s");
    is_near(h100->memory_bytes, 81559.0 * 1048576, 1e-9, "memory as the driver reports it");
    is_near(h100->memory_marketed_bytes, 80 * 1073741824.0, 1e-9, "and as sold");
    ok(h100->ecc && h100->n_figures > 15, "with %zu figures", h100->n_figures);
    ok(isnan(h100->peak[PEAK_FP16_ACC16]), "a rate nobody published is unknown");
    is_near(rtx->peak[PEAK_FP16], 165.2e12, 1e-9, "a GeForce with FP32 accumulate");
    is_near(rtx->peak[PEAK_FP16_ACC16], 330.3e12, 1e-9, "and with FP16 accumulate");
    ok(!rtx->datacenter_licensed && strcmp(rtx->link_name, "") == 0,
       "not for data centres, no link");
    is_near(b200->memory_bandwidth, 7.7e12, 1e-9, "a disputed figure is not computed with");
    for (size_t i = 0; i < h100->n_figures; i++)
        if (!h100->figures[i].source[0] || strlen(h100->figures[i].source_date) != 10)
            ok(false, "figure %s has source and date", h100->figures[i].name);
}

static void check_rest(const struct catalog *catalog)
{
    const struct model *llama = catalog_model(catalog, "llama-2-70b");
    const struct model *alias = catalog_model(catalog, "llama-3-8b");
    size_t undated = 0, unusable = 0;

    ok(catalog->n_models == 144, "144 models");
    ok(llama && llama->params_total == 68976648192 && llama->n_kv_heads == 8 && llama->gated &&
           !llama->tied,
       "the shape of Llama 2 70B");
    ok(alias && strcmp(alias->slug, "meta-llama-3-8b") == 0, "a model goes by its alias too");
    ok(catalog->n_offers == 1368 && catalog->n_hardware == 58, "1368 offers, 58 purchase prices");
    for (size_t i = 0; i < catalog->n_offer_indexes; i++)
        for (size_t k = 0; k < catalog->offer_indexes[i]->n_rentals; k++) {
            const struct rental *rental = catalog->offer_indexes[i]->rentals[k];
            for (size_t j = 0; j < rental->n_seen; j++)
                undated += !rental->seen[j].from;
            unusable += rental->usable ? 0 : rental->n_seen;
        }
    ok(undated == 24 && unusable == 56, "%zu offers are undated, %zu unusable", undated, unusable);
    is_near(catalog_default(catalog, "b_max", ""), 2048, 1e-12, "an assumption");
    is_near(catalog_default(catalog, "bytes_per_weight", "fp8"), 1, 1e-12, "and one of a scope");
    ok(isnan(catalog_default(catalog, "utilization", "")), "one without a default is unknown");
}

static void test_load(PGconn *conn)
{
    struct err err = {0};
    struct catalog *catalog;

    if (!ok(store_load(conn, NULL, &catalog, &err), "loads %s", err.text))
        return;
    ok(strlen(catalog->version) >= 10 && strchr(catalog->version, '.'), "version %s",
       catalog->version);
    check_gpus(catalog);
    check_rest(catalog);
    catalog_free(catalog);
}

/* Only the rows that changed. */
static void test_load_again(PGconn *conn)
{
    static const char t4[] = "t4", h100[] = "h100-sxm5-80gb";
    struct err err = {0};
    struct catalog *first, *second, *third;

    must(conn, "begin; insert into provider values ('acme', 'Acme', 'cloud');"
               "select record_offer('acme', 'x', '', 't4', 1, 'spot', 1, 'x'); commit");
    if (!ok(store_load(conn, NULL, &first, &err), "loads %s", err.text))
        return;
    ok(first->n_offers_read == first->n_offers, "everything at first");
    must(conn, "update offer set note = 'x' where gpu = 't4'");
    if (!ok(store_load(conn, first, &second, &err), "loads again %s", err.text))
        return;
    ok(second->n_offers == first->n_offers &&
           second->n_offers_read == catalog_offer_index(first, t4)->n_observations,
       "then %zu rows of one GPU", second->n_offers_read);
    ok(catalog_offer_index(second, h100) == catalog_offer_index(first, h100), "sharing the others");
    is_str(catalog_offer_index(second, t4)->rentals[0]->seen->origin->note, "x",
           "the change is there");
    catalog_free(first);
    must(conn, "update offer set gpu = 'l4' where provider = 'acme'");
    if (ok(store_load(conn, second, &third, &err), "and again %s", err.text)) {
        ok(catalog_offer_index(third, t4)->n_rentals ==
                   catalog_offer_index(second, t4)->n_rentals - 1 &&
               catalog_offer_index(third, "l4")->n_rentals ==
                   catalog_offer_index(second, "l4")->n_rentals + 1,
           "moved from one GPU to another, both are read");
        ok(catalog_offer_index(third, h100)->users == 2, "what is shared is counted");
        catalog_free(third);
    }
    must(conn,
         "delete from offer where provider = 'acme'; delete from provider where slug = 'acme'");
    ok(store_load(conn, second, &third, &err) && catalog_offer_index(third, "l4")->n_rentals ==
                                                     catalog_offer_index(second, "l4")->n_rentals,
       "deleted again");
    catalog_free(third);
    must(conn, "begin; truncate offer");
    PGresult *stamps = PQexec(conn, "select from public.offer_stamp s where xmin::text::bigint = "
                                    "pg_current_xact_id()::text::bigint");
    ok((size_t)PQntuples(stamps) == second->n_offer_indexes, "emptied, every GPU has changed");
    PQclear(stamps);
    must(conn, "rollback");
    catalog_free(second);
}

static struct catalog *reloaded(PGconn *conn, const struct catalog *former)
{
    struct err err = {0};
    struct catalog *catalog;

    ok(store_load(conn, former, &catalog, &err), "is loaded %s", err.text);
    evidence_memoize(catalog, former);
    return catalog;
}

/* True if both catalogues say the same of all published runs, in texts of their own. */
static bool is_same_evidence(const struct catalog *a, const struct catalog *b)
{
    const struct evidence *x = evidence_of(a, NULL), *y = evidence_of(b, NULL);
    bool same = x->n == y->n && x->n > 1000 &&
                memcmp(x->estimates, y->estimates, x->n * sizeof(*x->estimates)) == 0;

    for (size_t i = 0; same && i < x->n; i++) {
        const struct nearest_features *p = &x->features[i], *q = &y->features[i];
        const struct gpu *gpu = p->gpu ? catalog_gpu(a, p->gpu) : NULL;
        same = strcmp(x->runs[i].id, y->runs[i].id) == 0 && x->runs[i].id != y->runs[i].id &&
               x->runs[i].measured == y->runs[i].measured && p->run == q->run &&
               p->group_end == q->group_end && p->parameters == q->parameters &&
               (!q->gpu || (gpu && p->gpu == gpu->slug && p->architecture == gpu->architecture &&
                            strcmp(p->gpu, q->gpu) == 0));
    }
    return same;
}

/* Published runs and their estimates are copied as long as nothing they depend on has changed. */
static void test_load_runs(PGconn *conn)
{
    static const char longer[] =
        "update measurement set input_tokens = 2 * input_tokens where kind = 'served'";
    static const char usual[] =
        "update measurement set input_tokens = input_tokens / 2 where kind = 'served';"
        "update assumption set value = value / 1.1 where key = 'gam'";
    struct catalog *first = reloaded(conn, NULL), *second = reloaded(conn, first);

    catalog_free(first);
    first = reloaded(conn, NULL);
    ok(strcmp(first->runs_stamp, second->runs_stamp) == 0 && is_same_evidence(second, first),
       "copied runs have the estimates of those that are read");
    must(conn, longer);
    struct catalog *third = reloaded(conn, second), *read = reloaded(conn, NULL);
    ok(!is_same_evidence(third, second) && is_same_evidence(third, read),
       "runs that changed are read and estimated");
    catalog_free(read);
    must(conn, "update assumption set value = 1.1 * value where key = 'gam'");
    struct catalog *fourth = reloaded(conn, third);
    read = reloaded(conn, NULL);
    ok(strcmp(fourth->runs_stamp, third->runs_stamp) == 0 && !is_same_evidence(fourth, third) &&
           is_same_evidence(fourth, read),
       "with another constant the runs are copied, and estimated anew");
    must(conn, usual);
    catalog_free(first);
    catalog_free(second);
    catalog_free(third);
    catalog_free(fourth);
    catalog_free(read);
}

/* Hosted prices and the lists that carry a GPU's prices, likewise. */
static void test_load_lists(PGconn *conn)
{
    struct catalog *first = reloaded(conn, NULL), *second = reloaded(conn, first);
    bool same = first->n_hosted_prices == second->n_hosted_prices && first->n_hosted_prices > 100 &&
                first->n_carriers == second->n_carriers && first->n_carriers > 100;

    for (size_t i = 0; same && i < first->n_hosted_prices; i++)
        same = strcmp(first->hosted_prices[i].model, second->hosted_prices[i].model) == 0 &&
               memcmp(&first->hosted_prices[i].output, &second->hosted_prices[i].output,
                      sizeof(double)) == 0;
    for (size_t i = 0; same && i < first->n_carriers; i++)
        same = strcmp(first->carriers[i].feed, second->carriers[i].feed) == 0;
    ok(same, "%zu hosted prices and %zu lists are copied", second->n_hosted_prices,
       second->n_carriers);
    must(conn, "update hosted_price set output_price = 2 * output_price;"
               "update feed_source set enabled = not enabled");
    struct catalog *third = reloaded(conn, second);
    ok(third->hosted_prices[0].output == 2 * second->hosted_prices[0].output &&
           third->carriers[0].enabled != second->carriers[0].enabled,
       "and read after a change");
    must(conn, "update hosted_price set output_price = output_price / 2;"
               "update feed_source set enabled = not enabled");
    catalog_free(first);
    catalog_free(second);
    catalog_free(third);
}

static double number_of(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);
    double number = strtod(PQgetvalue(result, 0, 0), NULL);

    PQclear(result);
    return number;
}

/* True if both hold the same observations of a GPU, in the same order. */
static bool is_same_index(const struct offer_index *a, const struct offer_index *b)
{
    bool same = strcmp(a->gpu, b->gpu) == 0 && a->n_rentals == b->n_rentals;

    for (size_t i = 0; same && i < a->n_rentals; i++) {
        const struct rental *x = a->rentals[i], *y = b->rentals[i];
        same = strcmp(x->id, y->id) == 0 && x->n_seen == y->n_seen && x->usable == y->usable;
        for (size_t k = 0; same && k < x->n_seen; k++)
            same = x->seen[k].price_per_hour == y->seen[k].price_per_hour &&
                   x->seen[k].from == y->seen[k].from &&
                   strcmp(x->seen[k].origin->source, y->seen[k].origin->source) == 0;
    }
    return same;
}

/* A table that is said to be large is read over two connections. */
static void test_load_in_halves(PGconn *conn)
{
    static const char sessions[] = "select sessions from pg_catalog.pg_stat_database "
                                   "where datname = current_database()";
    struct err err = {0};
    struct catalog *whole, *halves;

    if (!ok(store_load(conn, NULL, &whole, &err), "loads %s", err.text))
        return;
    must(conn, "update pg_catalog.pg_class set reltuples = 1e6 where oid = 'offer'::regclass");
    double before = number_of(conn, sessions), end = now() + 60;
    if (ok(store_load(conn, NULL, &halves, &err), "loads in halves %s", err.text)) {
        bool same = halves->n_offer_indexes == whole->n_offer_indexes;
        for (size_t i = 0; same && i < whole->n_offer_indexes; i++)
            same = is_same_index(whole->offer_indexes[i], halves->offer_indexes[i]);
        ok(same && halves->n_offers_read == whole->n_offers, "the same %zu offers",
           halves->n_offers_read);
        catalog_free(halves);
    }
    while (number_of(conn, sessions) <= before && now() < end)
        continue;
    ok(number_of(conn, sessions) > before, "over a second connection");
    must(conn, "analyze offer");
    catalog_free(whole);
}

static void test_load_refuses(PGconn *conn)
{
    struct err err = {0};
    struct catalog *catalog;

    must(conn, "begin; delete from model; commit");
    ok(!store_load(conn, NULL, &catalog, &err) && !catalog, "half a catalogue: %s", err.text);
    ok(PQtransactionStatus(conn) == PQTRANS_IDLE, "leaves no transaction open");
    must(conn, "update schema_version set number = -number");
    ok(!store_load(conn, NULL, &catalog, &err) && err.code == ERR_UNAVAILABLE, "old schema: %s",
       err.text);
    must(conn, "drop table schema_version");
    ok(!store_load(conn, NULL, &catalog, &err) && err.code == ERR_UNAVAILABLE, "no schema: %s",
       err.text);
    ok(PQtransactionStatus(conn) == PQTRANS_IDLE, "nor after an error");
}

/* Ask until the status fits or five seconds have passed. */
#define until(refresh, expr)                                         \
    do {                                                             \
        double end = now() + 5;                                      \
        do {                                                         \
            status = refresh_status(refresh);                        \
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); \
        } while (!(expr) && now() < end);                            \
    } while (0)

static double served_price(struct live *live)
{
    const struct catalog *catalog = live_enter(live, 0);
    double price = (double)NAN;

    const struct offer_index *index =
        catalog ? catalog_offer_index(catalog, "h100-sxm5-80gb") : NULL;
    for (size_t i = 0; index && i < index->n_rentals; i++)
        if (strcmp(index->rentals[i]->id, "aws/p5.48xlarge/us-east-1/h100-sxm5-80gb/8/on_demand") ==
            0)
            price = offer_index_at(index->rentals[i], 99991231)->price_per_gpu_hour;
    live_exit(live, 0);
    return price;
}

/* How many of the offers served were read for the newest catalogue. */
static size_t offers_read(struct live *live)
{
    size_t n = live_enter(live, 0)->n_offers_read;

    live_exit(live, 0);
    return n;
}

/* free() it. */
static char *version(PGconn *conn)
{
    PGresult *result = PQexec(conn, "select catalog_version()");
    char *text = mem_text(PQgetvalue(result, 0, 0));

    PQclear(result);
    return text;
}

static void test_refresh(PGconn *conn)
{
    struct err err = {0};
    struct live *live = live_new(1);
    struct refresh *refresh = refresh_start(&(struct refresh_options){.conninfo = ""}, live, &err);
    struct refresh_status status;

    until(refresh, status.reloads_ok);
    ok(status.db_up && status.listening && status.last_load_at > 1e9, "the first catalogue");
    is_near(served_price(live), 6.88, 1e-9, "is served");

    double start = now();
    must(conn, "update offer set price_per_hour = 40, price_per_gpu_hour = 5 where instance = "
               "'p5.48xlarge' and region = 'us-east-1' and purchase_option = 'on_demand' "
               "and valid_until is null");
    until(refresh, served_price(live) == 5);
    is_near(served_price(live), 5, 1e-9, "an update is served");
    ok(now() - start < 1, "within a second (%.0f ms)", 1e3 * (now() - start));

    uint64_t before = refresh_status(refresh).reloads_ok;
    for (int i = 0; i < 30; i++)
        must(conn, "update offer set note = note where instance = 'p5.48xlarge'");
    char *newest = version(conn);
    until(refresh, strcmp(status.version, newest) == 0);
    is_str(status.version, newest, "the last of a burst of changes is served");
    free(newest);
    ok(status.reloads_ok - before < 15, "30 changes are %d loads",
       (int)(status.reloads_ok - before));
    uint64_t after = status.reloads_ok;

    refresh_reload(refresh);
    until(refresh, status.reloads_ok > after);
    ok(status.reloads_ok > after && offers_read(live) > 0, "reads everything again when asked");
    after = status.reloads_ok;

    must(conn, "select pg_terminate_backend(pid) from pg_stat_activity "
               "where application_name = 'gpuplan' and pid <> pg_backend_pid()");
    until(refresh, status.connects == 2 && status.db_up);
    ok(status.connects == 2 && status.db_up, "comes back after losing its connection");
    until(refresh, status.reloads_ok > after);
    ok(offers_read(live) == 0, "and does not read again the offers that it has");

    must(conn, "delete from model");
    until(refresh, status.error[0]);
    ok(status.reloads_failed > 0 && status.db_up, "refuses a broken catalogue: %s", status.error);
    is_near(served_price(live), 5, 1e-9, "and serves the former one");

    refresh_stop(refresh);
    live_free(live);
}

static void test_refresh_of_what_did_not_change(PGconn *conn)
{
    struct err err = {0};
    struct live *live = live_new(1);
    struct refresh *refresh = refresh_start(
        &(struct refresh_options){.conninfo = "", .reload_seconds = 0.02}, live, &err);
    struct refresh_status status;

    until(refresh, status.reloads_ok);
    double looked_at = status.last_load_at;
    until(refresh, status.last_load_at > looked_at + 0.1);
    ok(status.last_load_at > looked_at && status.reloads_ok == 1, "is looked at, not read");
    must(conn, "update catalog_change set changes = changes + 1");
    until(refresh, status.reloads_ok > 1);
    ok(status.reloads_ok == 2, "a change without a notice is read");

    refresh_stop(refresh);
    live_free(live);
}

static void test_refresh_without_database(void)
{
    struct err err = {0};
    struct live *live = live_new(1);
    struct refresh *refresh = refresh_start(
        &(struct refresh_options){.conninfo = "postgresql:///x?host=/nowhere"}, live, &err);
    struct refresh_status status;

    until(refresh, status.reloads_failed > 1);
    ok(!status.db_up && status.reloads_failed > 1 && status.error[0], "keeps trying: %s",
       status.error);
    ok(isnan(served_price(live)), "and serves nothing meanwhile");
    double start = now();
    refresh_stop(refresh);
    ok(now() - start < 1, "stops at once while it waits");
    live_free(live);
}

int main(int argc, char **argv)
{
    (void)argc;
    enter_cluster(argv[0]);
    if (system("sql/migrate.sh >&2") != 0) {
        puts("Bail out! sql/migrate.sh failed");
        return 1;
    }
    PGconn *conn = connected();
    test_open();
    test_load(conn);
    test_load_again(conn);
    test_load_runs(conn);
    test_load_lists(conn);
    test_load_in_halves(conn);
    test_refresh_of_what_did_not_change(conn);
    test_refresh(conn);
    test_refresh_without_database();
    test_load_refuses(conn);
    PQfinish(conn);
    return tap_done();
}

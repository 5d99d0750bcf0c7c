#include "store/offers.h"

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "store/tables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FROM_MAX = 64 * 1024, ROWS_MANY = 100000, PLACES_FIRST = 1024, ID_MAX = 1 << 20 };

/* A rental that was met already, found by the hash of its id. */
struct place {
    uint64_t hash;
    struct rental *rental; /* NULL: the place is free */
    struct offer_index_maker *maker;
};

/* The offer indexes being filled, in the order of the stamps; NULL for a shared one. Of several
 * parts, each fills every n_parts-th. */
struct filling {
    const struct stamp_row *stamps;
    struct offer_index_maker **makers;
    struct offer_index **indexes; /* made of them */
    size_t n, n_parts, part, n_rows;
    struct place *places; /* a power of two, at most half of them taken */
    size_t n_places, n_rentals;
    struct buf id; /* of the row, cut into its parts */
    bool failed;   /* a row was not what it should be: see err */
    struct err err;
};

static int compare_stamps(const void *a, const void *b)
{
    return strcmp(((const struct stamp_row *)a)->gpu, ((const struct stamp_row *)b)->gpu);
}

static bool is_own(const struct filling *filling, size_t i)
{
    return filling->makers[i] && i % filling->n_parts == filling->part;
}

/* NULL for a GPU whose index is not being filled here; equal hashes bring its rows. */
static struct offer_index_maker *maker_of(const struct filling *filling, const char *gpu)
{
    struct stamp_row key = {.gpu = gpu};
    const struct stamp_row *stamp =
        bsearch(&key, filling->stamps, filling->n, sizeof(key), compare_stamps);
    size_t i = stamp ? (size_t)(stamp - filling->stamps) : 0;

    return stamp && is_own(filling, i) ? filling->makers[i] : NULL;
}

/* Cuts the text at its last slash and returns what follows it. */
static char *cut_last(char *text)
{
    char *slash = strrchr(text, '/');

    if (!slash)
        return NULL;
    *slash = '\0';
    return slash + 1;
}

/* An id as the database builds it: provider/instance/region:zone/gpu/count/option, without the
 * colon if there is no zone. Providers, GPUs and options contain no slash; the other parts may,
 * so the lengths of instance and zone are passed in. */
static bool split_id(char *text, double sizes, struct rental *rental)
{
    size_t instance = (size_t)(sizes / 0x1p32), zone = (size_t)(sizes - 0x1p32 * (double)instance);
    char *slash = strchr(text, '/');

    rental->provider = text;
    rental->purchase_option = cut_last(text);
    const char *count = rental->purchase_option ? cut_last(text) : NULL;
    rental->gpu = count ? cut_last(text) : NULL;
    if (!rental->gpu || !text_number(count, &rental->gpu_count) || instance + 1 > strlen(slash + 1))
        return false;
    *slash = '\0';
    char *rest = slash + 1 + instance;
    *rest++ = '\0';
    rental->instance = slash + 1;
    rental->region = rest;
    rental->zone = "";
    if (zone) {
        size_t length = strlen(rest);
        if (length < zone + 1)
            return false;
        rest[length - zone - 1] = '\0';
        rental->zone = rest + length - zone;
    }
    return true;
}

/* Where the rental is or would be. */
static struct place *find_place(const struct filling *filling, uint64_t hash, const char *id,
                                bool usable)
{
    size_t at = hash & (filling->n_places - 1);

    for (;; at = (at + 1) & (filling->n_places - 1)) {
        struct place *place = &filling->places[at];
        if (!place->rental || (place->hash == hash && place->rental->usable == usable &&
                               strcmp(place->rental->id, id) == 0))
            return place;
    }
}

static void make_room(struct filling *filling)
{
    struct place *former = filling->places;
    size_t n = filling->n_places;

    if (2 * filling->n_rentals < n)
        return;
    filling->n_places = n ? 2 * n : PLACES_FIRST;
    filling->places = mem_alloc(filling->n_places * sizeof(*filling->places));
    for (size_t i = 0; i < n; i++)
        if (former[i].rental)
            *find_place(filling, former[i].hash, former[i].rental->id, former[i].rental->usable) =
                former[i];
    free(former);
}

/* Put a rental where it will be found; the place stays free where its shelf is not being filled. */
static bool keep_rental(struct filling *filling, const struct offer_row *row, uint64_t hash,
                        struct place *place)
{
    struct rental rental = {.id = row->id, .usable = !row->unusable};

    filling->id.length = 0;
    buf_text(&filling->id, row->id);
    if (!split_id(filling->id.data, row->sizes, &rental))
        return err_set(&filling->err, ERR_INTERNAL, "the parts of the offer %.100s are unknown",
                       row->id);
    struct offer_index_maker *maker = maker_of(filling, rental.gpu);
    if (maker) {
        *place = (struct place){hash, offer_index_keep(maker, rental), maker};
        filling->n_rentals++;
    }
    return true;
}

static void take_row(void *context, const void *taken)
{
    struct filling *filling = context;
    const struct offer_row *row = taken;
    struct origin origin = row->origin;
    char day_text[11];
    uint64_t hash = intern_hash(row->id, strlen(row->id));

    make_room(filling);
    struct place *place = find_place(filling, hash, row->id, !row->unusable);
    if (!place->rental && !filling->failed)
        filling->failed = !keep_rental(filling, row, hash, place);
    if (!place->rental)
        return;
    if (!origin.currency[0])
        origin.currency = "USD";
    text_print_day(row->seen.from, day_text);
    if (strcmp(origin.observed_text, day_text) ==
        0) /* so that all days of a list share an origin */
        origin.observed_text = NULL;
    offer_index_see(place->maker, place->rental, origin, row->seen);
    filling->n_rows++;
}

/* If the GPU's offers are unchanged, adds a user to the former catalogue's index and shares it. */
static bool take_over(const struct catalog *former, const struct stamp_row *stamp,
                      struct catalog *catalog)
{
    struct offer_index *index = former ? catalog_offer_index(former, stamp->gpu) : NULL;

    if (!index || strcmp(index->stamp, stamp->stamp) != 0)
        return false;
    index->users++;
    catalog->offer_indexes[catalog->n_offer_indexes++] = index;
    return true;
}

/* Read the offers that cannot be reused: for a few GPUs by the index on offer, otherwise by a
 * sequential scan. */
static bool read_offers(PGconn *conn, struct filling *filling, struct err *err)
{
    struct table table = table_offer;
    struct buf from;
    size_t n = 0;

    buf_init(&from, FROM_MAX);
    buf_text(&from, table_offer.from);
    for (size_t i = 0; i < filling->n; i++) /* a slug has no characters special to SQL */
        if (is_own(filling, i))
            buf_print(&from, "%shashtext('%s')", n++ ? "," : " where hashtext(gpu) in (",
                      filling->stamps[i].gpu);
    buf_text(&from, n ? ")" : "");
    table.from = n < filling->n ? buf_data(&from) : table_offer.from;
    bool good = !n || table_each(conn, &table, take_row, filling, err);
    buf_free(&from);
    if (good && filling->failed)
        *err = filling->err;
    return good && !filling->failed;
}

/* Read and finish the filling's own indexes. */
static bool fill(PGconn *conn, struct filling *filling, struct err *err)
{
    buf_init(&filling->id, ID_MAX);
    bool good = read_offers(conn, filling, err);
    buf_free(&filling->id);
    free(filling->places);
    for (size_t i = 0; i < filling->n; i++)
        if (is_own(filling, i))
            filling->indexes[i] = offer_index_end(filling->makers[i]);
    return good;
}

/* Half of the GPUs, read by a thread and a connection of its own: a server process sends only some
 * 700,000 offers a second. */
struct helper {
    struct filling filling;
    PGconn *conn;
    pthread_t thread;
    struct err err;
    bool good;
};

static void *help(void *argument)
{
    struct helper *helper = argument;

    helper->good = fill(helper->conn, &helper->filling, &helper->err);
    return NULL;
}

/* True if all of a large table is to be read, as at the start. */
static bool needs_help(PGconn *conn, const struct filling *filling)
{
    static const char sql[] = "select reltuples >= 100000 from pg_catalog.pg_class "
                              "where oid = 'public.offer'::regclass";
    struct err err = {0};
    PGresult *result;

    for (size_t i = 0; i < filling->n; i++)
        if (!filling->makers[i])
            return false;
    if (filling->n < 2 || !db_query(conn, sql, &result, &err))
        return false;
    bool needed = PQntuples(result) && PQgetvalue(result, 0, 0)[0] == 't';
    PQclear(result);
    return needed;
}

/* True if this connection's transaction sees the offers that the filling's stamps are of: a stamp
 * is never reused. */
static bool sees_same(PGconn *conn, const struct filling *filling, struct err *err)
{
    struct arena arena = {0};
    void *loaded;
    size_t n;

    bool same = table_load(conn, &table_stamp, &arena, &loaded, &n, err) && n == filling->n;
    if (same)
        sort_items(loaded, n, sizeof(struct stamp_row), compare_stamps);
    for (size_t i = 0; same && i < n; i++) {
        const struct stamp_row *stamp = (const struct stamp_row *)loaded + i;
        same = strcmp(stamp->gpu, filling->stamps[i].gpu) == 0 &&
               strcmp(stamp->stamp, filling->stamps[i].stamp) == 0;
    }
    arena_free(&arena);
    return same;
}

/* Give every second GPU of the filling to a helper. False if there is none: no connection can be
 * had, or it sees a change already. The filling then keeps all. */
static bool find_helper(PGconn *conn, struct filling *filling, struct helper *helper)
{
    struct err err = {0};

    if (!needs_help(conn, filling) || !db_open_again(conn, &helper->conn, &err))
        return false;
    helper->filling = *filling;
    helper->filling.n_parts = 2;
    helper->filling.part = 1;
    bool found = db_drop_rights(helper->conn, &err) &&
                 db_run(helper->conn,
                        "begin transaction isolation level repeatable read, read only", &err) &&
                 sees_same(helper->conn, filling, &err) &&
                 pthread_create(&helper->thread, NULL, help, helper) == 0;
    if (found)
        filling->n_parts = 2;
    else
        PQfinish(helper->conn);
    return found;
}

/* Waits for the helper; `good` says whether the filling's own part was read. */
static bool join_helper(struct helper *helper, bool good, struct err *err)
{
    pthread_join(helper->thread, NULL);
    PQfinish(helper->conn);
    if (good && !helper->good)
        *err = helper->err;
    return good && helper->good;
}

bool offers_load(PGconn *conn, const struct catalog *former, struct catalog *catalog,
                 struct err *err)
{
    struct filling filling = {.n_parts = 1};
    struct helper helper = {0};
    void *stamps;

    if (!table_load(conn, &table_stamp, &catalog->arena, &stamps, &filling.n, err))
        return false;
    filling.stamps = stamps;
    sort_items(stamps, filling.n, sizeof(struct stamp_row), compare_stamps);
    filling.makers = arena_alloc(&catalog->arena, filling.n * sizeof(struct offer_index_maker *));
    filling.indexes = arena_alloc(&catalog->arena, filling.n * sizeof(struct offer_index *));
    catalog->offer_indexes = arena_alloc(&catalog->arena, filling.n * sizeof(struct offer_index *));
    for (size_t i = 0; i < filling.n; i++)
        if (!take_over(former, &filling.stamps[i], catalog))
            filling.makers[i] = offer_index_begin(filling.stamps[i].gpu, filling.stamps[i].stamp);
    bool helped = find_helper(conn, &filling, &helper);
    bool good = fill(conn, &filling, err);
    if (helped)
        good = join_helper(&helper, good, err);
    for (size_t i = 0; i < filling.n; i++)
        if (filling.indexes[i])
            catalog->offer_indexes[catalog->n_offer_indexes++] = filling.indexes[i];
    catalog->n_offers_read = filling.n_rows + helper.filling.n_rows;
    if (catalog->n_offers_read >= ROWS_MANY) /* observations were in memory twice until now */
        mem_give_back();
    return good;
}

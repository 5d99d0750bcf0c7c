#include "store/offers.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"
#include "store/tables.h"

#include <stdlib.h>
#include <string.h>

enum { FROM_MAX = 64 * 1024, ROWS_MANY = 100000 };

/* The shelves being filled, in the order of the stamps; NULL where one was taken over. */
struct filling {
    const struct stamp_row *stamps;
    struct offer_index_maker **makers;
    size_t n, n_rows;
};

static int compare_stamps(const void *a, const void *b)
{
    return strcmp(((const struct stamp_row *)a)->gpu, ((const struct stamp_row *)b)->gpu);
}

static void take_row(void *context, const void *taken)
{
    struct filling *filling = context;
    const struct offer_index_row *row = taken;
    struct stamp_row key = {.gpu = row->rental.gpu};
    const struct stamp_row *stamp =
        bsearch(&key, filling->stamps, filling->n, sizeof(key), compare_stamps);

    if (stamp && filling->makers[stamp - filling->stamps]) {
        offer_index_add(filling->makers[stamp - filling->stamps], row);
        filling->n_rows++;
    }
}

/* Whether the GPU's offers are unchanged from the former catalogue's index, which then gets
 * another user. */
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

/* Read what was not taken over: of a few GPUs by the index on offer, else the table as it lies
 * there. */
static bool read_offers(PGconn *conn, struct filling *filling, struct err *err)
{
    struct table table = table_offer;
    struct buf from;
    size_t n = 0;

    buf_init(&from, FROM_MAX);
    buf_text(&from, table_offer.from);
    for (size_t i = 0; i < filling->n; i++) /* a slug has nothing that SQL takes for its own */
        if (filling->makers[i])
            buf_print(&from, "%shashtext('%s')", n++ ? "," : " where hashtext(gpu) in (",
                      filling->stamps[i].gpu);
    buf_text(&from, n ? ")" : "");
    table.from = n < filling->n ? buf_data(&from) : table_offer.from;
    bool good = !n || table_each(conn, &table, take_row, filling, err);
    buf_free(&from);
    return good;
}

bool offers_load(PGconn *conn, const struct catalog *former, struct catalog *catalog,
                 struct err *err)
{
    struct filling filling = {0};
    void *stamps;

    if (!table_load(conn, &table_stamp, &catalog->arena, &stamps, &filling.n, err))
        return false;
    filling.stamps = stamps;
    sort_items(stamps, filling.n, sizeof(struct stamp_row), compare_stamps);
    filling.makers = arena_alloc(&catalog->arena, filling.n * sizeof(struct offer_index_maker *));
    catalog->offer_indexes = arena_alloc(&catalog->arena, filling.n * sizeof(struct offer_index *));
    for (size_t i = 0; i < filling.n; i++)
        if (!take_over(former, &filling.stamps[i], catalog))
            filling.makers[i] = offer_index_begin(filling.stamps[i].gpu, filling.stamps[i].stamp);
    bool good = read_offers(conn, &filling, err);
    for (size_t i = 0; i < filling.n; i++)
        if (filling.makers[i])
            catalog->offer_indexes[catalog->n_offer_indexes++] = offer_index_end(filling.makers[i]);
    if (filling.n_rows >= ROWS_MANY) /* the observations of all GPUs were held twice until now */
        mem_give_back();
    catalog->n_offers_read = filling.n_rows;
    return good;
}

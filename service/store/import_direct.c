#include "store/import_direct.h"

#include "feed/formats.h"
#include "store/table.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A smaller file is imported in less than a second in any way. */
static const size_t BYTES_MIN = 1 << 20, REST_MAX = (size_t)1 << 31;

enum { SCALE = 9, DIGITS_MAX = 18 };

const char import_direct_recall[] =
    "with twice as (delete from public.offer o where run_id = $1 and exists (select from incoming i"
    " where (i.provider, i.instance, i.region, i.zone, i.gpu, i.gpu_count, i.purchase_option,"
    " i.valid_from, i.usable) = (o.provider, o.instance, o.region, o.zone, o.gpu, o.gpu_count,"
    " o.purchase_option, o.valid_from, o.usable)) returning o.*) "
    "insert into incoming (line, provider, instance, region, zone, gpu, gpu_count, purchase_option,"
    " price_per_hour, currency, valid_from, valid_until, observed_text, flagged_stale, usable,"
    " source, note) select source_line, provider, instance, region, zone, gpu, gpu_count,"
    " purchase_option, price_per_hour, currency, valid_from, valid_until, observed_text,"
    " flagged_stale, usable, source, note from twice";

/* An observation that was there before. */
struct seen {
    const char *id, *from;
};

static void take_seen(void *context, const void *row)
{
    const struct seen *seen = row;

    import_keys_put(context, import_keys_hash(import_keys_hash(IMPORT_HASH, seen->id), seen->from));
}

/* Whether the table has at most about twice the file's rows, which take 100 bytes there: to read
 * one back takes a fifth of the time that a row that goes straight saves. */
static bool is_small(PGconn *conn, size_t file_bytes, bool *small, struct err *err)
{
    const size_t most = file_bytes / 50;
    char sql[120];
    PGresult *result;

    snprintf(sql, sizeof(sql), "select count(*) from (select from public.offer limit %zu) o",
             most + 1);
    if (!db_query(conn, sql, &result, err))
        return false;
    *small = PQntuples(result) && strtoull(PQgetvalue(result, 0, 0), NULL, 10) <= most;
    PQclear(result);
    return true;
}

bool import_direct_begin(struct import_direct *direct, PGconn *conn, size_t file_bytes,
                         struct err *err)
{
    static const struct column columns[] = {
        {"offer_id", COLUMN_TEXT, offsetof(struct seen, id)},
        {"to_char(valid_from, 'YYYY-MM-DD')", COLUMN_TEXT, offsetof(struct seen, from)},
    };
    static const struct table table = {"public.offer", columns, 2, sizeof(struct seen)};
    bool small;

    buf_init(&direct->rest, REST_MAX);
    if (file_bytes < BYTES_MIN)
        return true;
    if (!is_small(conn, file_bytes, &small, err))
        return false;
    direct->on = small;
    return !small || table_each(conn, &table, take_seen, &direct->known, err);
}

void import_direct_end(struct import_direct *direct)
{
    buf_free(&direct->rest);
    import_keys_free(&direct->known);
    *direct = (struct import_direct){0};
}

/* The price, which has only digits and at most SCALE decimals, as a multiple of 1 / UNIT. False if
 * it is not written like that, or so that PostgreSQL would write it shorter. */
static bool read_price(const char *text, uint64_t *price)
{
    const char *point = strchr(text, '.');
    size_t length = strlen(text), decimals = point ? length - (size_t)(point - text) - 1 : 0;

    *price = 0;
    if (length + SCALE - decimals > DIGITS_MAX || decimals > SCALE ||
        (point && (!decimals || text[length - 1] == '0')))
        return false;
    for (; *text; text++) {
        if (text != point && !isdigit((unsigned char)*text))
            return false;
        if (text != point)
            *price = 10 * *price + (uint64_t)(*text - '0');
    }
    for (; decimals < SCALE; decimals++)
        *price *= 10;
    return true;
}

/* trim_scale(round(price / gpu_count, SCALE)), as feed_take_offers() stores it. */
static bool print_per_gpu(const char *price_text, const char *count_text, char to[NUMBER_SIZE])
{
    uint64_t price, count = strtoull(count_text, NULL, 10);

    if (!count || !read_price(price_text, &price))
        return false;
    struct decimal each = {.whole = (2 * price + count) / (2 * count), .decimals = SCALE};
    number_write(to, each, true);
    return each.whole != 0;
}

/* The hash of offer_id, as the database builds it, and the day. */
static bool is_known(const struct import_direct *direct, const char *const *values)
{
    const char *const parts[] = {values[OFFER_PROVIDER],  "/",
                                 values[OFFER_INSTANCE],  "/",
                                 values[OFFER_REGION],    values[OFFER_ZONE][0] ? ":" : "",
                                 values[OFFER_ZONE],      "/",
                                 values[OFFER_GPU],       "/",
                                 values[OFFER_GPU_COUNT], "/",
                                 values[OFFER_OPTION],    values[OFFER_FROM]};
    uint64_t hash = IMPORT_HASH;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        hash = import_keys_hash(hash, parts[i]);
    return import_keys_have(&direct->known, hash);
}

bool import_direct_takes(struct import_direct *direct, size_t line, const char *const *values,
                         char per_gpu[NUMBER_SIZE])
{
    if (!values[OFFER_FROM] || is_known(direct, values) ||
        !print_per_gpu(values[OFFER_PRICE], values[OFFER_GPU_COUNT], per_gpu))
        return false;
    direct->n_lines += line != direct->last_line;
    direct->out_of_order |= line < direct->last_line;
    direct->last_line = line;
    return true;
}

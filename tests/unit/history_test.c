/* history_test.c - the catalogue as it was on a day, made of today's rows and what is kept of
 * former ones. */
#include "catalog/price_book.h"
#include "catalog/required.h"

#include "fixture.h"
#include "tap.h"
#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static struct catalog *catalog;
static struct arena arena;

static void add(struct history *past, day until, bool gone, const void *row)
{
    past->rows = mem_resize(past->rows, (past->n + 1) * sizeof(*past->rows));
    past->rows[past->n++] = (struct history_row){row, until, gone};
}

/* A copy of a row of today, to be changed. */
static void *copy(const void *row, size_t size)
{
    return memcpy(arena_alloc(&arena, size), row, size);
}

static struct assumption *assumption(const char *key, double value)
{
    struct assumption *row = arena_alloc(&arena, sizeof(*row));

    *row = (struct assumption){.key = key, .scope = "", .value = value};
    return row;
}

/* The first rows of a table (in its order), its last and one in between, before they changed; rows
 * that came and went at either end; added in no order. */
static void edit(void)
{
    struct history *rows = &catalog->old_assumptions;
    struct gpu *gpu = copy(catalog_gpu(catalog, "h100-sxm5-80gb"), sizeof(*gpu));
    const struct assumption *last = &catalog->assumptions[catalog->n_assumptions - 1];

    gpu->memory_bandwidth = 1e12;
    add(&catalog->old_gpus, 20260301, false, gpu);
    add(&catalog->old_gpus, 20260310, true, catalog_gpu(catalog, "t4"));
    add(rows, 20260305, false, assumption("electricity_price_per_kwh", 0.2));
    add(rows, 20260301, false, assumption("electricity_price_per_kwh", 0.1));
    add(rows, 20260303, true, assumption("electricity_price_per_kwh", 0));
    add(rows, 20260301, false, assumption("aaa", 1));
    add(rows, 20260301, false, assumption("zzz", 2));
    add(rows, 20260308, true, assumption("zzz", 0));
    add(rows, 20260305, true, last);
}

static double at(day as_of, const char *key)
{
    return catalog_default(catalog_as_of(catalog, as_of, &arena), key, "");
}

static void days(void)
{
    const char *key = "electricity_price_per_kwh";
    double now = catalog_default(catalog, key, "");

    is_near(at(20260228, key), 0.1, 0, "before the first change");
    ok(isnan(at(20260301, key)), "gone from the day of the change on");
    ok(isnan(at(20260302, key)), "and the day after");
    is_near(at(20260303, key), 0.2, 0, "there again");
    is_near(at(20260304, key), 0.2, 0, "the day before the last change");
    is_near(at(20260305, key), now, 0, "as it is, on its day");
    is_near(at(20260401, key), now, 0, "as it is, later");
    is_near(at(20260228, "aaa"), 1, 0, "before all others");
    ok(isnan(at(20260301, "aaa")) && isnan(catalog_default(catalog, "aaa", "")), "then no more");
    is_near(at(20260228, "zzz"), 2, 0, "after all others");
    ok(isnan(at(20260304, "zzz")), "then no more");
}

static void whole(void)
{
    const struct catalog *then = catalog_as_of(catalog, 20260228, &arena);
    const struct catalog *later = catalog_as_of(then, 20260305, &arena);

    ok(then->n_assumptions == catalog->n_assumptions + 2 - 1, "two more and one less: %zu of %zu",
       then->n_assumptions, catalog->n_assumptions);
    for (size_t i = 1; i < then->n_assumptions; i++)
        ok(then->old_assumptions.compare(&then->assumptions[i - 1], &then->assumptions[i]) < 0,
           "%s %s is sorted", then->assumptions[i].key, then->assumptions[i].scope);
    ok(then->models == catalog->models && then->offer_indexes == catalog->offer_indexes,
       "the rest is shared");
    ok(later->assumptions == catalog->assumptions || later->n_assumptions == catalog->n_assumptions,
       "another day is made of today's rows, not of that day's");
    ok(later->n_gpus == catalog->n_gpus - 1 && !catalog_gpu(later, "t4"), "a GPU that came later");
    ok(catalog_as_of(then, 20260310, &arena) == catalog, "when all is said it is today's");
}

/* The figures are the day's, the offers are those of the card. */
static void prices(void)
{
    const struct catalog *then = catalog_as_of(catalog, 20260228, &arena);
    struct price_query query = {.gpu = catalog_gpu(then, "h100-sxm5-80gb"),
                                .purchase_option = "on_demand",
                                .as_of = 20261120};
    struct price was = catalog_price(then, &query);
    const char *names[CATALOG_ALIKE_MAX];
    bool undated;

    is_near(query.gpu->memory_bandwidth, 1e12, 0, "the figure of the day");
    query.gpu = catalog_gpu(catalog, "h100-sxm5-80gb");
    ok(query.gpu->memory_bandwidth > 3e12, "and of today");
    struct price now = catalog_price(catalog, &query);
    ok(was.n_offers > 5 && was.n_offers == now.n_offers, "%zu offers", was.n_offers);
    is_near(was.per_gpu_hour, now.per_gpu_hour, 0, "at one price");
    is_near(catalog_card_price(then, catalog_gpu(then, "h100-sxm5-80gb"), 20261120, &undated),
            catalog_card_price(catalog, query.gpu, 20261120, &undated), 0, "a card");
    ok(catalog_server(then, catalog_gpu(then, "h100-sxm5-80gb"), 8, 20261120), "a server");
    ok(catalog_gpus_alike(then, "h100-80gb", names) > 1, "the names of the day are searched");
    ok(strstr(names[0], "h100") != NULL, "%s has the words", names[0]);
}

static void once(void)
{
    ok(catalog_gpu_ever(catalog, "t4") == catalog_gpu(catalog, "t4"), "as it is");
    ok(!catalog_gpu_ever(catalog, "t5"), "none there ever was");
}

/* Of versions of one row the one of the day is a price; undated ones count from none. */
static void hardware(void)
{
    struct hardware row = {.known = 20260301, .until = 20260305};

    ok(!catalog_hardware_current(&row, 20260228) && catalog_hardware_current(&row, 20260301),
       "from its first day");
    ok(catalog_hardware_current(&row, 20260304) && !catalog_hardware_current(&row, 20260305),
       "until its last");
    row.observed = 20260303;
    ok(!catalog_hardware_current(&row, 20260302) && catalog_hardware_current(&row, 20260303),
       "once observed");
}

/* A catalogue without it was never served: its days have what was before, or else what came. */
static void required(void)
{
    const struct assumption *last = &catalog->assumptions[catalog->n_assumptions - 1];
    const char *key = "electricity_price_per_kwh";

    catalog_require(catalog, &(struct required){key, "", BOUND_VALUE, 0, 0.15});
    is_near(at(20260228, key), 0.1, 0, "before the first change");
    is_near(at(20260302, key), 0.1, 0, "while it was gone");
    is_near(at(20260304, key), 0.1, 0, "while it was out of range");
    is_near(at(20260305, key), catalog_default(catalog, key, ""), 0, "as it is");
    ok(!catalog_assumption(catalog_as_of(catalog, 20260304, &arena), last->key, last->scope),
       "none");
    catalog_require(catalog, &(struct required){last->key, last->scope, BOUND_VALUE, RANGE_AMOUNT});
    const struct assumption *then =
        catalog_assumption(catalog_as_of(catalog, 20260304, &arena), last->key, last->scope);
    ok(then && then->value == last->value, "before the first one, the first one");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    ok(catalog_as_of(catalog, 20200101, &arena) == catalog, "without changes all days are one");
    edit();
    fixture_need(catalog_seal(catalog, &err), &err);
    days();
    whole();
    prices();
    once();
    hardware();
    required();
    free(catalog->old_gpus.rows);
    free(catalog->old_assumptions.rows);
    catalog_free(catalog);
    arena_free(&arena);
    return tap_done();
}

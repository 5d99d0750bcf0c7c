/* constants_test.c - constants filled once for a catalogue are those of its rows, and not those of
 * a past day or of another currency. */
#include "catalog/constants.h"

#include "catalog/currency.h"
#include "fixture.h"
#include "tap.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct some {
    double electricity, e_mem;
};

static const struct constant table[] = {
    CONSTANT(struct some, electricity, "electricity_price_per_kwh", "", RANGE_AMOUNT),
    CONSTANT(struct some, e_mem, "e_mem", "", RANGE_SHARE),
};

static struct arena arena;

static struct some filled(const struct catalog *catalog)
{
    struct some some;
    struct err err = {0};

    fixture_need(constants_fill(catalog, table, 2, &some, &err), &err);
    return some;
}

/* A name for each row, however often it is asked for; of too many for one sentence the first, and
 * how many more. */
static void lacking(struct catalog *catalog)
{
    static const struct constant none[] = {
        CONSTANT(struct some, e_mem, "no such row", "", RANGE_SHARE),
        CONSTANT(struct some, electricity, "no such row", "", RANGE_AMOUNT),
        CONSTANT_BOUND(struct some, electricity, "pue", "nowhere", BOUND_HIGH, RANGE_AMOUNT),
        CONSTANT(struct some, electricity, "pue", "", 0, 1.25),
    };
    struct some some;
    struct err err = {0};

    constants_memoize(catalog, none, 4, sizeof(some));
    is_str(catalog->lacking, "no such row,pue:nowhere,pue", "each once");
    ok(!constants_fill(catalog, none, 4, &some, &err), "nor is anything filled");
    ok(!catalog_complete(catalog, &err) && strstr(err.text, ": no such row,pue:nowhere,pue"), "%s",
       err.text);
    for (int i = 0; i < 100; i++)
        catalog_require(catalog, &(struct required){arena_print(&arena, "row_%d", i), "",
                                                    BOUND_VALUE, RANGE_AMOUNT});
    size_t named = 1;
    ok(!catalog_complete(catalog, &err), "many");
    for (const char *p = err.text; (p = strchr(p, ',')); p++)
        named++;
    char rest[32];
    snprintf(rest, sizeof(rest), " and %zu more", 103 - named);
    ok(named > 20 && strstr(err.text, rest), "of many the first: %s", err.text);
}

int main(void)
{
    struct catalog *catalog = fixture_catalog();
    struct exchange_rate half = {"EUR", 0.5, 20260101, "a bank"};
    struct assumption former = {.key = "e_mem", .scope = "", .value = 0.125};
    struct history_row row = {&former, 20260301, false};
    struct some before = filled(catalog);
    struct err err = {0};

    catalog->rates = &half;
    catalog->n_rates = 1;
    catalog->old_assumptions.rows = &row;
    catalog->old_assumptions.n = 1;
    fixture_need(catalog_seal(catalog, &err), &err);
    constants_memoize(catalog, table, 2, sizeof(struct some));
    struct some kept = filled(catalog);
    ok(kept.electricity == before.electricity && kept.e_mem == before.e_mem, "as row by row");
    is_near(filled(catalog_as_of(catalog, 20260228, &arena)).e_mem, 0.125, 0, "a past day's");
    is_near(filled(catalog_in_currency(catalog, "EUR", 20260401, &arena)).electricity,
            before.electricity / 2, 1e-15, "another currency's");
    for (size_t i = 0; i < catalog->n_assumptions; i++)
        catalog->assumptions[i].value = -1;
    ok(filled(catalog).e_mem == before.e_mem, "no row is looked up again");
    ok(catalog_complete(catalog, &err), "nothing is lacking");
    lacking(catalog);
    catalog_free(catalog);
    arena_free(&arena);
    return tap_done();
}

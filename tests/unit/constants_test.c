/* constants_test.c - constants filled once for a catalogue are those of its rows, and not those of
 * a past day or of another currency. */
#include "catalog/constants.h"

#include "catalog/currency.h"
#include "fixture.h"
#include "tap.h"

#include <stddef.h>
#include <stdlib.h>

struct some {
    double electricity, e_mem;
};

static const struct constant table[] = {
    CONSTANT(struct some, electricity, "electricity_price_per_kwh", ""),
    CONSTANT(struct some, e_mem, "e_mem", ""),
};

static struct arena arena;

static struct some filled(const struct catalog *catalog)
{
    struct some some;
    struct err err = {0};

    fixture_need(constants_fill(catalog, table, 2, &some, &err), &err);
    return some;
}

int main(void)
{
    struct catalog *catalog = fixture_catalog();
    struct exchange_rate half = {"EUR", 0.5, 20260101, "a bank"};
    struct assumption former = {.key = "e_mem", .scope = "", .value = 0.125};
    struct past_row row = {&former, 20260301, false};
    struct some before = filled(catalog);
    struct err err = {0};

    catalog->rates = &half;
    catalog->n_rates = 1;
    catalog->old_assumptions.rows = &row;
    catalog->old_assumptions.n = 1;
    fixture_need(catalog_seal(catalog, &err), &err);
    constants_keep(catalog, table, 2, sizeof(struct some));
    struct some kept = filled(catalog);
    ok(kept.electricity == before.electricity && kept.e_mem == before.e_mem, "as row by row");
    is_near(filled(catalog_at(catalog, 20260228, &arena)).e_mem, 0.125, 0, "a past day's");
    is_near(filled(catalog_in_currency(catalog, "EUR", 20260401, &arena)).electricity,
            before.electricity / 2, 1e-15, "another currency's");
    for (size_t i = 0; i < catalog->n_assumptions; i++)
        catalog->assumptions[i].value = -1;
    ok(filled(catalog).e_mem == before.e_mem, "no row is looked up again");
    static const struct constant none[] = {CONSTANT(struct some, e_mem, "no such row", "")};
    constants_keep(catalog, none, 1, sizeof(struct some));
    ok(!constants_fill(catalog, none, 1, &kept, &err), "a row that is missing is said");
    catalog_free(catalog);
    arena_free(&arena);
    return tap_done();
}

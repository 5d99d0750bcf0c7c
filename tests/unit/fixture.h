/* fixture.h - the catalogue as seeded, read from sql/seed without a database. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "catalog/catalog.h"

/* A sealed catalogue of sql/seed/<table>.csv; catalog_free() it. Run from the root of the tree.
 * Ends the test with "Bail out!" where a file is missing or a row makes no sense. */
struct catalog *fixture_catalog(void) __attribute__((returns_nonnull));

/* The runs of such a file as rows of table measurement, in the arena. */
struct measurement *fixture_measurements(const char *path, struct arena *arena, size_t *n);

/* Go on where `good`, else end the test with "Bail out!" and the error. */
void fixture_need(bool good, const struct err *err);

/* One file: rows of cells under named columns. */
struct fixture_csv {
    char *text; /* the file, cut into the cells below */
    char **cells;
    size_t n_columns, n_rows; /* the header is not counted */
};

void fixture_csv_read(struct fixture_csv *csv, const char *path);
void fixture_csv_free(struct fixture_csv *csv);
/* The cell, "" where it is empty; bails out where there is no such column. */
const char *fixture_csv_cell(const struct fixture_csv *csv, size_t row, const char *column);

#endif

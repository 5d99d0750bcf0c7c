/* memory_rows.h - the measured memory of tests/accuracy/memory.csv, each row as a job and a
 * strategy to be estimated. */
#ifndef TESTS_MEMORY_ROWS_H
#define TESTS_MEMORY_ROWS_H

#include "estimate/training/memory.h"

#include "fixture.h"

/* What the source's figure counts, and what of the estimate stands against it. */
enum memory_kind {
    MEMORY_ALLOCATED, /* by the framework: allocated */
    MEMORY_RESERVED,  /* and what its allocator keeps: allocated and cached */
    MEMORY_DEVICE,    /* or not said which: all that is required */
    MEMORY_KINDS
};

struct memory_row {
    const char *id, *group, *note;
    const char
        *unstated; /* inputs that the source does not state; "" where the goal of 2 % applies */
    enum memory_kind kind;
    bool scored; /* all that memory depends on was stated, or is known from the recipe */
    struct model model;
    struct training_job job;
    struct training_strategy on;
    double measured; /* bytes */
};

struct memory_rows {
    struct fixture_csv csv;
    struct memory_row *at;
    size_t n;
};

void memory_rows_read(struct memory_rows *rows, const struct catalog *catalog,
                      const struct training_constants *constants);
void memory_rows_free(struct memory_rows *rows);

const char *memory_kind_name(enum memory_kind kind);
/* The estimate of what was measured, bytes. */
double memory_row_estimate(const struct memory_row *row);
/* Estimate over measurement, less one. */
double memory_row_error(const struct memory_row *row);

#endif

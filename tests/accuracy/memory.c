/* memory.c - estimated beside measured memory per GPU, by source.
 *
 *   memory [rows]
 *
 * Prints mean, median, 90th percentile and worst error and the bias of each group of
 * tests/accuracy/memory.csv, with "rows" each row too. What a row counts says its kind: allocated
 * by the framework, reserved by its allocator, or the device's whole. Groups in brackets are shown
 * but not scored: something that memory depends on was not stated, and the note says what. Run from
 * the root of the tree.
 */
#include "memory_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_MAX = 512 };

struct errors {
    double size[ERRORS_MAX]; /* absolute */
    double sum, bias;
    size_t n;
};

static void add(struct errors *errors, double error)
{
    if (errors->n == ERRORS_MAX)
        abort();
    errors->size[errors->n++] = fabs(error);
    errors->sum += fabs(error);
    errors->bias += error;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Linear between the two nearest ranks. */
static double quantile(const struct errors *errors, double q)
{
    double at = q * (double)(errors->n - 1);
    size_t below = (size_t)at, above = below + 1 < errors->n ? below + 1 : below;

    return errors->size[below] + (at - (double)below) * (errors->size[above] - errors->size[below]);
}

static void print(const char *name, const char *kind, struct errors *errors)
{
    double n = (double)errors->n;

    if (!errors->n)
        return;
    qsort(errors->size, errors->n, sizeof(double), compare);
    printf("%-18s %-9s %4zu %7.1f %7.1f %7.1f %7.1f %+7.1f\n", name, kind, errors->n,
           100 * errors->sum / n, 100 * quantile(errors, 0.5), 100 * quantile(errors, 0.9),
           100 * errors->size[errors->n - 1], 100 * errors->bias / n);
}

static bool seen_before(const struct memory_rows *rows, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(rows->at[j].group, rows->at[i].group) == 0 &&
            rows->at[j].scored == rows->at[i].scored)
            return true;
    return false;
}

static void print_group(const struct memory_rows *rows, size_t first)
{
    const struct memory_row *like = &rows->at[first];
    struct errors errors = {.n = 0};
    char name[64];

    for (size_t i = first; i < rows->n; i++)
        if (strcmp(rows->at[i].group, like->group) == 0 && rows->at[i].scored == like->scored)
            add(&errors, memory_row_error(&rows->at[i]));
    snprintf(name, sizeof(name), like->scored ? "%s" : "(%s)", like->group);
    print(name, memory_kind_name(like->kind), &errors);
}

static void print_kinds(const struct memory_rows *rows)
{
    for (int kind = 0; kind < MEMORY_KINDS; kind++) {
        struct errors errors = {.n = 0};
        for (size_t i = 0; i < rows->n; i++)
            if (rows->at[i].scored && (int)rows->at[i].kind == kind)
                add(&errors, memory_row_error(&rows->at[i]));
        print("all scored", memory_kind_name((enum memory_kind)kind), &errors);
    }
}

static void print_row(const struct memory_row *row)
{
    struct training_memory memory = training_memory(&row->job, &row->on);

    printf("%-20s %-9s measured %7.2f GB, estimated %7.2f, %+6.1f %%  (weights %.2f gradients %.2f "
           "optimizer %.2f layers %.2f logits %.2f cached %.2f)  %s\n",
           row->id, memory_kind_name(row->kind), row->measured / 1e9,
           memory_row_estimate(row) / 1e9, 100 * memory_row_error(row), memory.weights / 1e9,
           memory.gradients / 1e9, memory.optimizer / 1e9, memory.layer_activations / 1e9,
           memory.logits / 1e9, memory.cached / 1e9, row->note);
}

int main(int argc, char **argv)
{
    struct training_constants constants;
    struct catalog *catalog = fixture_catalog();
    struct err err = {0};
    struct memory_rows rows;

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    memory_rows_read(&rows, catalog, &constants);
    for (size_t i = 0; i < rows.n && argc > 1 && strcmp(argv[1], "rows") == 0; i++)
        print_row(&rows.at[i]);
    printf("Error of memory per GPU, %%\n%-18s %-9s %4s %7s %7s %7s %7s %7s\n", "group", "counts",
           "rows", "mean", "median", "p90", "worst", "bias");
    for (size_t i = 0; i < rows.n; i++)
        if (!seen_before(&rows, i))
            print_group(&rows, i);
    print_kinds(&rows);
    memory_rows_free(&rows);
    catalog_free(catalog);
    return 0;
}

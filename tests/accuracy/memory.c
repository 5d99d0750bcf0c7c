/* memory.c - estimated and measured memory per GPU, by source.
 *
 *   memory [rows | pairs]
 *
 * Prints mean, median, 90th percentile and worst error and the bias of each group of
 * tests/accuracy/memory.csv, with "rows" each row too; with "pairs" what one
 * row says of another of its source, model, GPU, software, format and method, by group, without and
 * with the correction. What a row counts says its kind: allocated
 * by the framework, reserved by its allocator, or the device's whole. Groups in brackets are shown
 * but not scored: something that memory depends on was not stated, and the note says what. "All
 * stated" are rows whose column `unstated` is empty, in which the source states every input of the
 * estimate and what its figure counts. Run from the root of the tree.
 */
#include "memory_rows.h"

#include "estimate/measurement/correction.h"

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

static bool is_stated(const struct memory_row *row)
{
    return !row->unstated[0];
}

static bool is_scored(const struct memory_row *row)
{
    return row->scored;
}

static void print_kinds(const struct memory_rows *rows, const char *name,
                        bool (*counts)(const struct memory_row *))
{
    for (int kind = 0; kind < MEMORY_KINDS; kind++) {
        struct errors errors = {.n = 0};
        for (size_t i = 0; i < rows->n; i++)
            if (counts(&rows->at[i]) && (int)rows->at[i].kind == kind)
                add(&errors, memory_row_error(&rows->at[i]));
        print(name, memory_kind_name((enum memory_kind)kind), &errors);
    }
}

/* Measured over estimated of the scored rows of a kind, in order; without those of one group. */
static struct errors ratios_of(const struct memory_rows *rows, int kind, const char *without)
{
    struct errors ratios = {.n = 0};

    for (size_t i = 0; i < rows->n; i++)
        if (rows->at[i].scored && (int)rows->at[i].kind == kind &&
            strcmp(rows->at[i].group, without) != 0)
            add(&ratios, 1 / (1 + memory_row_error(&rows->at[i])));
    qsort(ratios.size, ratios.n, sizeof(double), compare);
    return ratios;
}

/* The factors between which 80 % of a kind lie, and how many rows lie between those of the other
 * groups. */
static void print_interval(const struct memory_rows *rows, int kind)
{
    struct errors all = ratios_of(rows, kind, "");
    size_t inside = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct memory_row *row = &rows->at[i];
        if (!row->scored || (int)row->kind != kind)
            continue;
        struct errors others = ratios_of(rows, kind, row->group);
        double ratio = 1 / (1 + memory_row_error(row));
        inside += ratio >= quantile(&others, 0.1) && ratio <= quantile(&others, 0.9);
    }
    printf("%-18s %-9s %4zu %7.2f %7.2f %7.0f\n", "all scored",
           memory_kind_name((enum memory_kind)kind), all.n, quantile(&all, 0.1),
           quantile(&all, 0.9), 100 * (double)inside / (double)all.n);
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

/* The layers of a row are of no model, so their number and width say which it is. */
static bool is_cell(const struct memory_row *a, const struct memory_row *b)
{
    return a != b && a->scored && b->scored && a->kind == b->kind &&
           strcmp(a->group, b->group) == 0 && a->job.gpu == b->job.gpu &&
           a->job.stack == b->job.stack && a->job.precision == b->job.precision &&
           a->job.method == b->job.method && a->job.shape.layers == b->job.shape.layers &&
           a->job.shape.hidden == b->job.shape.hidden;
}

static double corrected_error(const struct correction_constants *constants,
                              const struct memory_row *given, const struct memory_row *asked)
{
    struct correction_run run = {.features = nearest_of_training(&given->job, &given->on),
                                 .memory = given->measured,
                                 .memory_estimated = memory_row_estimate(given)};
    struct memory_row row = *asked;

    row.job.memory_excess =
        correction_of_memory(&(struct correction_runs){*constants, &run, 1}, &row.job).excess;
    return memory_row_error(&row);
}

/* The mean over what each other row of its cell says of it. */
static bool add_pairs(const struct memory_rows *rows, const struct correction_constants *constants,
                      size_t i, struct errors *without, struct errors *with)
{
    double sum = 0;
    size_t n = 0;

    for (size_t j = 0; j < rows->n; j++)
        if (is_cell(&rows->at[i], &rows->at[j])) {
            sum += fabs(corrected_error(constants, &rows->at[j], &rows->at[i]));
            n++;
        }
    if (n == 0)
        return false;
    add(without, memory_row_error(&rows->at[i]));
    add(with, sum / (double)n);
    return true;
}

static void print_pairs(const struct memory_rows *rows,
                        const struct correction_constants *constants)
{
    struct errors all = {.n = 0}, all_with = {.n = 0};

    for (size_t first = 0; first < rows->n; first++) {
        struct errors without = {.n = 0}, with = {.n = 0};
        const char *group = rows->at[first].group;
        if (seen_before(rows, first) || !rows->at[first].scored)
            continue;
        for (size_t i = first; i < rows->n; i++)
            if (strcmp(rows->at[i].group, group) == 0 &&
                add_pairs(rows, constants, i, &without, &with))
                (void)add_pairs(rows, constants, i, &all, &all_with);
        print(group, "without", &without);
        print(group, "with one", &with);
    }
    print("all", "without", &all);
    print("all", "with one", &all_with);
}

int main(int argc, char **argv)
{
    struct correction_constants corrections;
    struct training_constants constants;
    struct catalog *catalog = fixture_catalog();
    struct err err = {0};
    struct memory_rows rows;

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    memory_rows_read(&rows, catalog, &constants);
    for (size_t i = 0; i < rows.n && argc > 1 && strcmp(argv[1], "rows") == 0; i++)
        print_row(&rows.at[i]);
    if (argc > 1 && strcmp(argv[1], "pairs") == 0) {
        fixture_need(correction_constants_fill(catalog, &corrections, &err), &err);
        print_pairs(&rows, &corrections);
        memory_rows_free(&rows);
        catalog_free(catalog);
        return 0;
    }
    printf("Error of memory per GPU, %%\n%-18s %-9s %4s %7s %7s %7s %7s %7s\n", "group", "counts",
           "rows", "mean", "median", "p90", "worst", "bias");
    for (size_t i = 0; i < rows.n; i++)
        if (!seen_before(&rows, i))
            print_group(&rows, i);
    print_kinds(&rows, "all scored", is_scored);
    print_kinds(&rows, "all stated", is_stated);
    printf("\nMeasured over estimated, 80 %% of the rows\n%-18s %-9s %4s %7s %7s %7s\n", "group",
           "counts", "rows", "low", "high", "inside");
    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        print_interval(&rows, kind);
    memory_rows_free(&rows);
    catalog_free(catalog);
    return 0;
}

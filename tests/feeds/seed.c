#include "seed.h"
#include "base/arena.h"
#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *what, const char *name)
{
    fprintf(stderr, "mutate: %s: %s\n", what, name);
    exit(2);
}

struct file read_file(const char *name)
{
    struct file file = {.name = name, .bytes = mem_alloc(FILE_MAX_BYTES)};
    FILE *in = fopen(name, "rb");

    if (!in)
        die(strerror(errno), name);
    file.n = fread(file.bytes, 1, FILE_MAX_BYTES, in);
    fclose(in);
    return file;
}

void split(const char *from, const char *end, struct cells *cells)
{
    size_t used = 0;
    bool quoted = false;

    cells->n = 1;
    for (; from < end && (quoted || *from != '\n') && cells->n < CELLS_MAX; from++) {
        if (*from == '"') {
            if (quoted && from + 1 < end && from[1] == '"' && used < CELL_MAX - 1)
                cells->at[cells->n - 1][used++] = *from++;
            else
                quoted = !quoted;
        } else if (*from == ',' && !quoted) {
            cells->at[cells->n - 1][used] = '\0';
            cells->n++;
            used = 0;
        } else if (used < CELL_MAX - 1) {
            cells->at[cells->n - 1][used++] = *from;
        }
    }
    if (used && cells->at[cells->n - 1][used - 1] == '\r')
        used--;
    cells->at[cells->n - 1][used] = '\0';
}

/* What is known, from the seed. */
static size_t load(const char *name, struct cells **rows)
{
    struct file file = read_file(name);
    const char *end = file.bytes + file.n;
    size_t n = 0;

    *rows = NULL;
    for (const char *at = file.bytes; at < end;) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        if (!(n & (n + 1)))
            *rows = mem_resize(*rows, (2 * n + 2) * sizeof(**rows));
        split(at, end, &(*rows)[n++]);
        at = lf ? lf + 1 : end;
    }
    free(file.bytes);
    return n;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct feed_name *)a)->name, ((const struct feed_name *)b)->name);
}

static void load_names(struct feed_known *known, struct arena *arena)
{
    struct cells *rows;
    size_t n = load("sql/seed/gpu_name.csv", &rows);
    struct feed_name *names = arena_alloc(arena, n * sizeof(*names));

    for (size_t i = 1; i < n; i++)
        names[i - 1] = (struct feed_name){
            .format = arena_text(arena, rows[i].at[0]),
            .provider = arena_text(arena, rows[i].at[1]),
            .name = arena_text(arena, rows[i].at[2]),
            .memory_gib = strtod(rows[i].at[3], NULL),
            .instance = arena_text(arena, rows[i].at[4]),
            .gpu = arena_text(arena, rows[i].at[5]),
            .gpu_count = strtod(rows[i].at[6], NULL),
        };
    known->names = names;
    known->n_names = n - 1;
    qsort(names, n - 1, sizeof(*names), compare_names);
    free(rows);
}

static double seed_memory(const struct cells *figures, size_t n, const char *gpu)
{
    for (size_t i = 1; i < n; i++)
        if (strcmp(figures[i].at[0], gpu) == 0 &&
            strcmp(figures[i].at[1], "memory_capacity") == 0 &&
            strcmp(figures[i].at[9], "disputed") != 0)
            return strtod(figures[i].at[4], NULL) *
                   (strcmp(figures[i].at[5], "GB") == 0 ? 1e9 / 1073741824 : 1);
    return (double)NAN;
}

void seed_load(struct feed_known *known, struct arena *arena)
{
    struct cells *rows, *figures;
    size_t n = load("sql/seed/gpu.csv", &rows),
           n_figures = load("sql/seed/gpu_figure.csv", &figures);
    struct feed_gpu *gpus = arena_alloc(arena, n * sizeof(*gpus));

    load_names(known, arena);
    for (size_t i = 1; i < n; i++)
        gpus[i - 1] = (struct feed_gpu){arena_text(arena, rows[i].at[0]),
                                        seed_memory(figures, n_figures, rows[i].at[0])};
    qsort(gpus, n - 1, sizeof(*gpus), compare_texts); /* the slug is the first member */
    known->gpus = gpus;
    known->n_gpus = n - 1;
    free(rows);
    free(figures);
    n = load("sql/seed/provider.csv", &rows);
    const char **providers = arena_alloc(arena, n * sizeof(*providers));
    for (size_t i = 1; i < n; i++)
        providers[i - 1] = arena_text(arena, rows[i].at[0]);
    qsort(providers, n - 1, sizeof(*providers), compare_texts);
    known->providers = providers;
    known->n_providers = n - 1;
    free(rows);
}

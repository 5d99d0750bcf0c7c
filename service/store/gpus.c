#include "store/gpus.h"

#include "base/sort.h"

#include "store/history.h"
#include "store/tables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Compares by the key of a figure. */
static int compare_keys(const void *a, const void *b)
{
    const struct figure_row *x = a, *y = b;
    int order = strcmp(x->gpu, y->gpu);

    order = order ? order : strcmp(x->figure.name, y->figure.name);
    order = order ? order : strcmp(x->figure.sparsity, y->figure.sparsity);
    order = order ? order : strcmp(x->figure.accumulate, y->figure.accumulate);
    return order ? order : strcmp(x->figure.source, y->figure.source);
}

static bool disputed(const struct figure *figure)
{
    return strcmp(figure->trust, "disputed") == 0;
}

/* Display order: if a figure has several values, the one used comes first, then the newest. */
static int compare_shown(const void *a, const void *b)
{
    const struct figure *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    order = order ? order : strcmp(x->sparsity, y->sparsity);
    order = order ? order : strcmp(x->accumulate, y->accumulate);
    order = order ? order : disputed(x) - disputed(y);
    order = order ? order : strcmp(y->source_date, x->source_date);
    return order ? order : strcmp(x->source, y->source);
}

/* The data about all GPUs, or later about one of them, sorted by slug. */
struct known {
    struct figure_row *figures;
    size_t n_figures;
    struct history old_figures, old_rows;
};

static bool read_known(PGconn *conn, struct catalog *catalog, struct known *known, struct err *err)
{
    struct arena *arena = &catalog->arena;
    void *gpus, *figures;

    *known = (struct known){
        .old_figures = {.row_size = sizeof(struct figure_row), .compare = compare_keys},
        .old_rows = catalog->old_gpus,
    };
    if (!table_load(conn, &table_gpu, arena, &gpus, &catalog->n_gpus, err) ||
        !table_load(conn, &table_figure, arena, &figures, &known->n_figures, err) ||
        !history_load(conn, "gpu", &table_gpu, arena, &known->old_rows, err) ||
        !history_load(conn, "gpu_figure", &table_figure, arena, &known->old_figures, err))
        return false;
    catalog->gpus = gpus;
    known->figures = figures;
    sort_items(figures, known->n_figures, sizeof(*known->figures), compare_keys);
    history_sort(&known->old_rows);
    history_sort(&known->old_figures);
    return true;
}

/* Rows of GPUs and of figures both begin with the slug. */
static const char *slug_of(const void *row)
{
    return *(const char *const *)row;
}
_Static_assert(offsetof(struct gpu, slug) == 0 && offsetof(struct figure_row, gpu) == 0,
               "the slug comes first");

static struct history history_of(const struct history *all, const char *slug)
{
    struct history of = *all;

    of.n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(slug_of(all->rows[i].row), slug) == 0 && of.n++ == 0)
            of.rows = &all->rows[i];
    return of;
}

/* The data about one GPU. */
static struct known known_of(const struct known *all, const char *slug)
{
    struct known of = {.old_figures = history_of(&all->old_figures, slug),
                       .old_rows = history_of(&all->old_rows, slug)};

    for (size_t i = 0; i < all->n_figures; i++)
        if (strcmp(all->figures[i].gpu, slug) == 0 && of.n_figures++ == 0)
            of.figures = &all->figures[i];
    return of;
}

static void set_figures(struct gpu *gpu, const struct figure_row *rows, size_t n,
                        struct arena *arena)
{
    struct figure *figures = arena_alloc(arena, n * sizeof(*figures));

    for (size_t i = 0; i < n; i++)
        figures[i] = rows[i].figure;
    sort_items(figures, n, sizeof(*figures), compare_shown);
    gpu_set_figures(gpu, figures, n);
}

/* The first day after `after` on which the GPU changed; 0 if there is none. */
static day next_change(const struct known *of, day after)
{
    const struct history *both[] = {&of->old_rows, &of->old_figures};
    day next = 0;

    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < both[b]->n; i++) {
            day until = both[b]->rows[i].until;
            if (until > after && (!next || until < next))
                next = until;
        }
    return next;
}

/* Adds the version of the GPU before `until`. A version that lacks figures was never served: its
 * days get the following version. `now` is NULL if the GPU no longer exists. */
static void add_former(struct catalog *catalog, const struct known *of, struct gpu *now,
                       const char *slug, day until)
{
    struct history *history = &catalog->old_gpus;
    struct gpu *former = arena_alloc(&catalog->arena, sizeof(*former));
    struct arena scratch = {0};
    size_t n = now ? 1 : 0, n_figures = of->n_figures;
    const struct gpu *row = history_as_of(&of->old_rows, now, &n, until - 1, &scratch);
    const struct figure_row *figures =
        history_as_of(&of->old_figures, of->figures, &n_figures, until - 1, &scratch);

    if (n) {
        *former = *row;
        set_figures(former, figures, n_figures, &catalog->arena);
    }
    former->slug = slug;
    if (!n || gpu_complete(former))
        history->rows[history->n++] = (struct history_row){former, until, n == 0};
    arena_free(&scratch);
}

static void add_formers(struct catalog *catalog, const struct known *of, struct gpu *now,
                        const char *slug)
{
    for (day until = next_change(of, 0); until; until = next_change(of, until))
        add_former(catalog, of, now, slug, until);
}

bool gpus_load(PGconn *conn, struct catalog *catalog, struct err *err)
{
    struct known all;
    const char *last = "";

    if (!read_known(conn, catalog, &all, err))
        return false;
    catalog_sort_gpus(catalog);
    catalog->old_gpus.rows = arena_alloc(&catalog->arena, (all.old_rows.n + all.old_figures.n) *
                                                              sizeof(struct history_row));
    for (size_t i = 0; i < catalog->n_gpus; i++) {
        struct gpu *gpu = &catalog->gpus[i];
        struct known of = known_of(&all, gpu->slug);
        set_figures(gpu, of.figures, of.n_figures, &catalog->arena);
        add_formers(catalog, &of, gpu, gpu->slug);
    }
    for (size_t i = 0; i < all.old_rows.n; i++) {
        const char *slug = slug_of(all.old_rows.rows[i].row);
        if (strcmp(slug, last) != 0 && !catalog_gpu(catalog, slug)) {
            struct known of = known_of(&all, slug);
            add_formers(catalog, &of, NULL, slug);
        }
        last = slug;
    }
    return true;
}

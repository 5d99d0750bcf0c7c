#include "fixture.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/tables.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void bail(const char *fmt, ...)
{
    va_list ap;

    printf("Bail out! ");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    exit(255);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0, room = 0, got;

    if (!file)
        bail("cannot open %s", path);
    do {
        room += 65536;
        text = mem_resize(text, room + 1);
        got = fread(text + n, 1, room - n, file);
        n += got;
    } while (got > 0);
    fclose(file);
    text[n] = '\0';
    return text;
}

/* Cut the cell at *at out of the text, in place, unquoting it; the separator that ended it. */
static char next_cell(char **at, char **cell)
{
    char *from = *at, *to = *at;
    bool quoted = *from == '"';

    *cell = to;
    if (quoted)
        from++;
    for (; *from; from++) {
        if (quoted && from[0] == '"' && from[1] == '"')
            from++;
        else if (quoted && *from == '"')
            break;
        else if (!quoted && (*from == ',' || *from == '\n' || *from == '\r'))
            break;
        *to++ = *from;
    }
    if (quoted && *from)
        from++;
    if (*from == '\r')
        from++;
    char end = *from;
    *at = from + (end != '\0');
    *to = '\0';
    return end;
}

void fixture_csv_read(struct fixture_csv *csv, const char *path)
{
    size_t n = 0, room = 0;

    *csv = (struct fixture_csv){.text = read_file(path)};
    for (char *at = csv->text; *at;) {
        if (n == room) {
            room = room ? 2 * room : 1024;
            csv->cells = mem_resize(csv->cells, room * sizeof(char *));
        }
        char end = next_cell(&at, &csv->cells[n++]);
        if (end != ',' && !csv->n_columns)
            csv->n_columns = n;
        if (end != ',' && n % csv->n_columns)
            bail("%s: row %zu has another number of cells", path, n / csv->n_columns + 1);
    }
    if (!csv->n_columns)
        bail("%s is empty", path);
    csv->n_rows = n / csv->n_columns - 1;
}

void fixture_csv_free(struct fixture_csv *csv)
{
    free(csv->text);
    free(csv->cells);
}

static size_t column_of(const struct fixture_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->n_columns; i++)
        if (strcmp(csv->cells[i], name) == 0)
            return i;
    return csv->n_columns;
}

const char *fixture_csv_cell(const struct fixture_csv *csv, size_t row, const char *column)
{
    size_t i = column_of(csv, column);

    if (i == csv->n_columns)
        bail("no column %s", column);
    return csv->cells[(row + 1) * csv->n_columns + i];
}

static void put(const struct column *column, const char *text, struct arena *arena, char *to)
{
    double number = (double)NAN;
    int32_t date = 0;

    if (column->type == COLUMN_TEXT) {
        const char *copy = arena_text(arena, text);
        memcpy(to, &copy, sizeof(copy));
    } else if (column->type == COLUMN_FLAG) {
        bool flag = strcmp(text, "true") == 0 || strcmp(text, "t") == 0;
        memcpy(to, &flag, sizeof(flag));
    } else if (column->type == COLUMN_DAY) {
        if (*text && !text_day(text, &date))
            bail("%s is no day", text);
        memcpy(to, &date, sizeof(date));
    } else if (*text && !text_number(text, &number)) {
        bail("%s: %s is no number", column->sql, text);
    } else if (column->type == COLUMN_INT) {
        int year = (int)number;
        memcpy(to, &year, sizeof(year));
    } else {
        memcpy(to, &number, sizeof(number));
    }
}

/* The file as rows of the table's struct; columns that it lacks, as those the database derives, are
 * blank or left as they are. */
static void *load_path(const struct table *table, const char *path, bool blank, struct arena *arena,
                       size_t *n)
{
    struct fixture_csv csv;

    fixture_csv_read(&csv, path);
    char *rows = arena_alloc(arena, csv.n_rows * table->row_size + 1);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        bool there = column_of(&csv, column->sql) < csv.n_columns;
        for (size_t row = 0; (there || blank) && row < csv.n_rows; row++)
            put(column, there ? fixture_csv_cell(&csv, row, column->sql) : "", arena,
                rows + row * table->row_size + column->offset);
    }
    *n = csv.n_rows;
    fixture_csv_free(&csv);
    return rows;
}

static void *load(const struct table *table, const char *name, struct arena *arena, size_t *n)
{
    char path[64];

    snprintf(path, sizeof(path), "sql/seed/%s.csv", name);
    return load_path(table, path, false, arena, n);
}

struct measurement *fixture_measurements(const char *path, struct arena *arena, size_t *n)
{
    return load_path(&table_measurement, path, true, arena, n);
}

static const struct gpu *gpu_of(const struct catalog *catalog, const char *slug)
{
    const struct gpu *gpu = catalog_gpu(catalog, slug);

    if (!gpu)
        bail("unknown GPU %s", slug);
    return gpu;
}

/* The file has a GPU's figures together. */
static void load_gpus(struct catalog *catalog)
{
    size_t n;

    catalog->gpus = load(&table_gpu, "gpu", &catalog->arena, &catalog->n_gpus);
    catalog_sort_gpus(catalog);
    const struct figure_row *rows = load(&table_figure, "gpu_figure", &catalog->arena, &n);
    struct figure *figures = arena_alloc(&catalog->arena, n * sizeof(*figures));
    for (size_t first = 0, i = 0; i < n; i++) {
        figures[i] = rows[i].figure;
        if (i + 1 < n && strcmp(rows[i + 1].gpu, rows[i].gpu) == 0)
            continue;
        struct gpu *gpu = &catalog->gpus[gpu_of(catalog, rows[i].gpu) - catalog->gpus];
        if (gpu->n_figures)
            bail("figures of %s are apart", gpu->slug);
        gpu_set_figures(gpu, &figures[first], i + 1 - first);
        first = i + 1;
    }
}

/* Columns of offer.csv. */
static const struct column offer_columns[] = {
    {"gpu", COLUMN_TEXT, offsetof(struct offer_index_row, rental.gpu)},
    {"purchase_option", COLUMN_TEXT, offsetof(struct offer_index_row, rental.purchase_option)},
    {"provider", COLUMN_TEXT, offsetof(struct offer_index_row, rental.provider)},
    {"instance", COLUMN_TEXT, offsetof(struct offer_index_row, rental.instance)},
    {"region", COLUMN_TEXT, offsetof(struct offer_index_row, rental.region)},
    {"gpu_count", COLUMN_COUNT, offsetof(struct offer_index_row, rental.gpu_count)},
    {"usable", COLUMN_FLAG, offsetof(struct offer_index_row, rental.usable)},
    {"source", COLUMN_TEXT, offsetof(struct offer_index_row, origin.source)},
    {"note", COLUMN_TEXT, offsetof(struct offer_index_row, origin.note)},
    {"currency", COLUMN_TEXT, offsetof(struct offer_index_row, origin.currency)},
    {"observed_text", COLUMN_TEXT, offsetof(struct offer_index_row, origin.observed_text)},
    {"price_per_hour", COLUMN_NUMBER, offsetof(struct offer_index_row, seen.price_per_hour)},
    {"price_per_gpu_hour", COLUMN_NUMBER,
     offsetof(struct offer_index_row, seen.price_per_gpu_hour)},
    {"valid_from", COLUMN_DAY, offsetof(struct offer_index_row, seen.from)},
    {"valid_until", COLUMN_DAY, offsetof(struct offer_index_row, origin.until)},
    {"flagged_stale", COLUMN_FLAG, offsetof(struct offer_index_row, origin.flagged_stale)},
};
static const struct table offer_csv = {"offer", offer_columns,
                                       sizeof(offer_columns) / sizeof(offer_columns[0]),
                                       sizeof(struct offer_index_row)};

static void load_offers(struct catalog *catalog)
{
    struct arena *arena = &catalog->arena;
    size_t n;
    struct offer_index_row *rows = load(&offer_csv, "offer", arena, &n);
    struct offer_index_maker *maker = NULL;

    catalog->offer_indexes = arena_alloc(arena, catalog->n_gpus * sizeof(*catalog->offer_indexes));
    for (size_t i = 0; i < catalog->n_gpus; i++) {
        maker = offer_index_begin(catalog->gpus[i].slug, "");
        for (size_t k = 0; k < n; k++) {
            struct rental *rental = &rows[k].rental;
            if (strcmp(rental->gpu, catalog->gpus[i].slug) != 0)
                continue;
            rental->zone = "";
            rental->id = arena_print(arena, "%s/%s/%s/%s/%.0f/%s", rental->provider,
                                     rental->instance, rental->region, rental->gpu,
                                     rental->gpu_count, rental->purchase_option);
            rows[k].origin.run = (double)NAN;
            offer_index_add(maker, &rows[k]);
        }
        catalog->offer_indexes[catalog->n_offer_indexes++] = offer_index_end(maker);
    }
    catalog->providers = load(&table_provider, "provider", arena, &catalog->n_providers);
    for (size_t i = 0; i < catalog->n_providers; i++)
        catalog->providers[i].stale_days = 90;
    catalog->instances = load(&table_instance, "instance", arena, &catalog->n_instances);
    catalog->regions = load(&table_region, "region", arena, &catalog->n_regions);
    catalog->billings = load(&table_billing, "billing", arena, &catalog->n_billings);
}

static void load_hardware(struct catalog *catalog)
{
    const struct hardware_row *rows =
        load(&table_hardware, "hardware", &catalog->arena, &catalog->n_hardware);

    catalog->hardware = arena_alloc(&catalog->arena, catalog->n_hardware * sizeof(struct hardware));
    for (size_t i = 0; i < catalog->n_hardware; i++) {
        catalog->hardware[i] = rows[i].hardware;
        catalog->hardware[i].gpu = gpu_of(catalog, rows[i].gpu);
        catalog->hardware[i].price_per_gpu = rows[i].hardware.price / rows[i].hardware.gpu_count;
    }
}

struct catalog *fixture_catalog(void)
{
    struct catalog *catalog = catalog_new();
    struct err err = {0};

    load_gpus(catalog);
    load_offers(catalog);
    load_hardware(catalog);
    catalog->models = load(&table_model, "model", &catalog->arena, &catalog->n_models);
    catalog->assumptions =
        load(&table_assumption, "assumption", &catalog->arena, &catalog->n_assumptions);
    catalog->rates =
        load(&table_exchange_rate, "exchange_rate", &catalog->arena, &catalog->n_rates);
    snprintf(catalog->version, sizeof(catalog->version), "fixture.1");
    if (!catalog_seal(catalog, &err))
        bail("%s", err.text);
    return catalog;
}

void fixture_need(bool good, const struct err *err)
{
    if (good)
        return;
    printf("Bail out! %s\n", err->text);
    exit(1);
}

/* catalog_fuzz.c - rows that a database might hold: the seeded GPUs, models, purchase prices and
 * assumptions with figures that are unknown, none, negative or beyond all bounds. Either the
 * catalogue is refused with the row named, or every question of it gets a whole answer. Five bytes
 * say which figure of which row becomes what. There are no offers: rents are unknown. */
#include "fuzz.h"

#include "store/tables.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHANGE_BYTES = 5, CHANGES_MAX = 16 };

static const struct catalog *seed(void)
{
    static const struct catalog *made;

    if (!made)
        made = fixture_catalog();
    return made;
}

static double figure_of(uint8_t byte)
{
    const double odd[] = {(double)NAN, 0,    -1,   (double)INFINITY, -(double)INFINITY,
                          1e308,       1e15, 0.5,  1e-300,           3,
                          1,           -0.0, 1e-9, 4294967296.0};
    const size_t n = sizeof(odd) / sizeof(odd[0]);

    return byte < n ? odd[byte] : byte;
}

static void *copy(struct catalog *catalog, const void *rows, size_t n, size_t size)
{
    void *made = arena_alloc(&catalog->arena, n * size + 1);

    memcpy(made, rows, n * size);
    return made;
}

/* Its texts and figures are the seed's, which stays. */
static struct catalog *copy_of(const struct catalog *from)
{
    struct catalog *to = catalog_new();

    memcpy(to->version, from->version, sizeof(to->version));
    to->changes = from->changes;
    to->n_gpus = from->n_gpus;
    to->n_models = from->n_models;
    to->n_hardware = from->n_hardware;
    to->n_assumptions = from->n_assumptions;
    to->gpus = copy(to, from->gpus, from->n_gpus, sizeof(*from->gpus));
    to->models = copy(to, from->models, from->n_models, sizeof(*from->models));
    to->hardware = copy(to, from->hardware, from->n_hardware, sizeof(*from->hardware));
    to->assumptions = copy(to, from->assumptions, from->n_assumptions, sizeof(*from->assumptions));
    for (size_t i = 0; i < to->n_hardware; i++)
        to->hardware[i].gpu = &to->gpus[from->hardware[i].gpu - from->gpus];
    return to;
}

static void set_column(const struct table *table, size_t skip, void *row, uint8_t which,
                       double value)
{
    const struct column *column = &table->columns[which % table->n_columns];

    if (column->type == COLUMN_NUMBER)
        memcpy((char *)row + column->offset - skip, &value, sizeof(value));
}

static void set_figure(struct catalog *catalog, struct gpu *gpu, uint8_t which, double value)
{
    struct figure *figures = copy(catalog, gpu->figures, gpu->n_figures, sizeof(*gpu->figures));

    if (gpu->n_figures)
        figures[which % gpu->n_figures].value = value;
    gpu_set_figures(gpu, figures, gpu->n_figures);
}

/* A constant that is not a number, or is missing, differs: it is refused where it is read. */
static void set_assumption(struct assumption *row, uint8_t which, double value)
{
    double *const ends[] = {&row->low, &row->high};

    *ends[which % 2] = value;
}

static void change(struct catalog *catalog, const uint8_t bytes[CHANGE_BYTES])
{
    size_t row = bytes[1] + 256U * bytes[2];
    double value = figure_of(bytes[4]);

    switch (bytes[0] % 4) {
    case 0:
        set_figure(catalog, &catalog->gpus[row % catalog->n_gpus], bytes[3], value);
        break;
    case 1:
        set_column(&table_model, 0, &catalog->models[row % catalog->n_models], bytes[3], value);
        break;
    case 2:
        set_column(&table_hardware, offsetof(struct hardware_row, hardware),
                   &catalog->hardware[row % catalog->n_hardware], bytes[3], value);
        break;
    default:
        set_assumption(&catalog->assumptions[row % catalog->n_assumptions], bytes[3], value);
    }
}

/* The GPU and the model that were changed last. */
static void ask_all(const char *gpu, const char *model)
{
    static const char *const questions[][3] = {
        {"gpus?gpu=", "", ""},
        {"models?gpu=", "&model=", ""},
        {"hardware?gpu=", "", ""},
        {"break-even?gpu=", "", "&utilization=0"},
        {"break-even/risk?gpu=", "", "&utilization=0.5&draws=100&rent_price_per_gpu_hour=2"},
        {"training-plan?gpu=", "&model=", "&tokens=1e9&gpu_count=8"},
        {"inference-sizing?gpu=", "&model=", "&requests_per_minute=6&purchase_option=owned"},
    };
    char text[512];

    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        const char *const *part = questions[i];
        snprintf(text, sizeof(text), "GET /v1/%s%s%s%s%s HTTP/1.1\n\n", part[0], gpu, part[1],
                 part[1][0] ? model : "", part[2]);
        fuzz_ask((const uint8_t *)text, strlen(text), true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct catalog *catalog = copy_of(seed());
    const char *gpu = "h100-sxm5-80gb", *model = "llama-2-7b";
    struct err err = {0};

    for (size_t i = 0; i + CHANGE_BYTES <= size && i < (size_t)CHANGES_MAX * CHANGE_BYTES;
         i += CHANGE_BYTES) {
        size_t row = data[i + 1] + 256U * data[i + 2];
        change(catalog, data + i);
        if (data[i] % 4 == 0)
            gpu = catalog->gpus[row % catalog->n_gpus].slug;
        else if (data[i] % 4 == 1)
            model = catalog->models[row % catalog->n_models].slug;
        else if (data[i] % 4 == 2)
            gpu = catalog->hardware[row % catalog->n_hardware].gpu->slug;
    }
    if (catalog_seal(catalog, &err)) {
        fuzz_publish(catalog);
        ask_all(gpu, model);
    } else {
        fuzz_need(err.text[0], "a catalogue that is refused says why");
        catalog_free(catalog);
    }
    return 0;
}

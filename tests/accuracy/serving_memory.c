/* serving_memory.c - estimated and measured memory of engines that serve, a line per row.
 *
 *   serving_memory
 *
 * Answers each row of tests/accuracy/serving_memory.csv with the estimated bytes and whether it
 * fits. What the bytes are says the kind: weights alone (file), what a framework allocates over all
 * GPUs (allocated), with the reserve for engine and driver (device), or what the fullest GPU must
 * have (fit). Run from the root of the tree. */
#include "estimate/inference/inference.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gate and up of the three matrices of an expert. */
static const double JOINED_OF_EXPERT = 2.0 / 3;

struct row {
    const struct fixture_csv *csv;
    size_t at;
    struct model model;
    struct gpu gpu;
    struct model_shape shape;
    struct inference_constants constants;
    struct memory_engine engine;
    struct weight_bytes weights;
    enum number format;
    double kv_bytes, tokens;
};

static const char *text(const struct row *row, const char *column)
{
    return fixture_csv_cell(row->csv, row->at, column);
}

static double number(const struct row *row, const char *column)
{
    const char *cell = text(row, column);

    return cell[0] ? strtod(cell, NULL) : (double)NAN;
}

static _Noreturn void bail(const char *what, const char *name)
{
    fprintf(stderr, "serving_memory: no %s %s\n", what, name);
    exit(1);
}

static enum number format_of(const char *word)
{
    static const char *const words[NUMBER_COUNT] = {"fp32",   "fp16",   "bf16",   "fp8",  "int8",
                                                    "int4",   "fp4",    "nf4",    "q8_0", "q6_k",
                                                    "q5_k_m", "q4_k_m", "q3_k_m", "q2_k"};

    for (int i = 0; i < NUMBER_COUNT; i++)
        if (strcmp(words[i], word) == 0)
            return (enum number)i;
    bail("format", word);
}

/* The catalogue's, or the sizes of the row. */
static struct model model_of(const struct row *row, const struct catalog *catalog)
{
    const char *name = text(row, "model");
    const struct model *known = name[0] ? catalog_model(catalog, name) : NULL;

    if (known)
        return *known;
    if (name[0])
        bail("model", name);
    return (struct model){.slug = "measured",
                          .model_type = "",
                          .attention = "",
                          .sliding_pattern = "",
                          .n_layers = number(row, "layers"),
                          .n_full_layers = number(row, "layers"),
                          .hidden = number(row, "hidden"),
                          .n_heads = number(row, "heads"),
                          .n_kv_heads = number(row, "kv_heads"),
                          .head_dim = number(row, "head_dim"),
                          .intermediate = number(row, "ffn_width"),
                          .gated = number(row, "gated") > 0,
                          .vocab = number(row, "vocab"),
                          .tied = number(row, "tied") > 0,
                          .n_all_reduces = 2};
}

/* The catalogue's, or a card of so much memory. */
static struct gpu gpu_of(const struct row *row, const struct catalog *catalog)
{
    const char *name = text(row, "gpu");
    const struct gpu *known = name[0] ? catalog_gpu(catalog, name) : NULL;

    if (name[0] && !known)
        bail("GPU", name);
    return known ? *known : (struct gpu){.memory_bytes = number(row, "gpu_memory_bytes")};
}

static void set_weights(struct row *row)
{
    struct memory_constants *memory = &row->constants.memory;
    double stated = number(row, "bytes_per_weight");

    row->format = format_of(text(row, "weight_dtype"));
    if (!isnan(stated))
        memory->bytes[row->format] = stated;
    row->weights = memory_weight_bytes(memory, &row->shape, row->format,
                                       strcmp(text(row, "engine"), "llama_cpp") == 0, (double)NAN);
    if (number(row, "host_embedding") > 0 && !row->shape.tied)
        row->weights.host = row->weights.embeddings / 2;
}

static struct row read_row(const struct fixture_csv *csv, size_t at, const struct catalog *catalog,
                           const struct inference_constants *constants)
{
    struct row row = {.csv = csv, .at = at, .constants = *constants};

    row.model = model_of(&row, catalog);
    row.gpu = gpu_of(&row, catalog);
    row.shape = model_shape_of(&row.model);
    set_weights(&row);
    row.kv_bytes = memory_kv_bytes(&row.constants.memory, format_of(text(&row, "kv_cache_dtype")));
    row.tokens = number(&row, "cache_tokens");
    row.engine = (struct memory_engine){.pass_tokens = number(&row, "pass_tokens"),
                                        .block_tokens = 1,
                                        .score_bytes = number(&row, "score_bytes")};
    return row;
}

/* AutoAWQ joins queries, keys and values of all layers, and the experts of one layer a GPU, before
 * it lets go of what it read (casper-hansen/AutoAWQ, fuse_qkv and fuse_linears of
 * awq/utils/fused_utils.py and their like in awq/models of 2023). */
static double joined(const struct row *row)
{
    const struct model_shape *shape = &row->shape;
    double width = (shape->heads + 2 * shape->kv_heads) * shape->head_dim;
    double attention = shape->layers * shape->hidden * width;
    double experts = shape->experts * shape->expert_weights * JOINED_OF_EXPERT;

    if (number(row, "load_copy") <= 0)
        return 0;
    return (attention + number(row, "gpu_count") * experts) * row->weights.body;
}

/* Of all GPUs: each has a workspace of its own. */
static double allocated(const struct row *row)
{
    double sequences = number(row, "sequences"), each = row->engine.pass_tokens / sequences;
    double gpus = number(row, "gpu_count");
    double pass = workspace_needed(&row->shape, &row->engine, row->engine.pass_tokens, each, 1, 1);
    double reading = joined(row) + number(row, "program_bytes");

    return memory_weights_total(&row->weights) - row->weights.host +
           sequences * memory_kv_bytes_per_request(&row->shape, row->kv_bytes, row->tokens) +
           fmax(gpus * pass, reading);
}

static struct kv_pool pool_of(const struct row *row)
{
    struct memory_job job = {.shape = &row->shape,
                             .gpu = &row->gpu,
                             .engine = &row->engine,
                             .weights = &row->weights,
                             .kv_bytes = row->kv_bytes,
                             .tensor = 1,
                             .pipeline = number(row, "gpu_count"), /* llama.cpp splits by layer */
                             .attention_data = 1,
                             .request_tokens = row->tokens,
                             .utilization = 0.9};

    return memory_kv_pool(&row->constants.memory, &job);
}

static void answer(const struct row *row)
{
    const char *kind = text(row, "kind");
    struct kv_pool pool = pool_of(row);
    double bytes = strcmp(kind, "file") == 0  ? memory_weights_total(&row->weights)
                   : strcmp(kind, "fit") == 0 ? memory_needed(&pool, number(row, "sequences"), 0.9)
                                              : allocated(row);

    if (strcmp(kind, "device") == 0)
        bytes += row->constants.memory.reserve_bytes;
    printf("%s %.9g %s\n", text(row, "id"), bytes,
           pool.bytes > 0 && pool.held >= number(row, "sequences") ? "yes" : "no");
}

int main(void)
{
    struct catalog *catalog = fixture_catalog();
    struct inference_constants constants;
    struct fixture_csv csv;
    struct err err = {0};

    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    fixture_csv_read(&csv, "tests/accuracy/serving_memory.csv");
    for (size_t i = 0; i < csv.n_rows; i++) {
        struct row row = read_row(&csv, i, catalog, &constants);
        answer(&row);
    }
    fixture_csv_free(&csv);
    catalog_free(catalog);
    return 0;
}

#include "memory_rows.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[MEMORY_KINDS] = {"allocated", "reserved", "device"};

static double number(const struct fixture_csv *csv, size_t row, const char *column)
{
    const char *cell = fixture_csv_cell(csv, row, column);

    return cell[0] ? strtod(cell, NULL) : (double)NAN;
}

static bool flag(const struct fixture_csv *csv, size_t row, const char *column)
{
    return number(csv, row, column) > 0;
}

/* What `find` makes of the cell; a word it does not know ends the test. */
static int word(const struct fixture_csv *csv, size_t row, const char *column,
                int (*find)(const char *))
{
    const char *cell = fixture_csv_cell(csv, row, column);
    int found = find(cell);

    if (found >= 0)
        return found;
    printf("Bail out! %s %s is none we know\n", column, cell);
    exit(255);
}

static int find_kind(const char *name)
{
    for (int i = 0; i < MEMORY_KINDS; i++)
        if (strcmp(kinds[i], name) == 0)
            return i;
    return -1;
}

static struct model model_of(const struct fixture_csv *csv, size_t row)
{
    return (struct model){.slug = "measured",
                          .model_type = "",
                          .attention = "",
                          .sliding_pattern = "",
                          .n_layers = number(csv, row, "layers"),
                          .n_full_layers = number(csv, row, "layers"),
                          .hidden = number(csv, row, "hidden"),
                          .n_heads = number(csv, row, "heads"),
                          .n_kv_heads = number(csv, row, "kv_heads"),
                          .head_dim = number(csv, row, "head_dim"),
                          .intermediate = number(csv, row, "ffn_width"),
                          .gated = flag(csv, row, "gated"),
                          .vocab = number(csv, row, "vocab"),
                          .tied = flag(csv, row, "tied"),
                          .n_all_reduces = 2};
}

static struct training_strategy strategy_of(const struct fixture_csv *csv, size_t row)
{
    struct training_strategy on = {
        .gpu_count = number(csv, row, "gpu_count"),
        .tensor = number(csv, row, "tensor_parallel"),
        .pipeline = number(csv, row, "pipeline_parallel"),
        .context = number(csv, row, "context_parallel"),
        .expert = 1,
        .virtual_stages = number(csv, row, "virtual_stages"),
        .micro_batch = number(csv, row, "micro_batch_sequences"),
        .zero_stage = number(csv, row, "zero_stage"),
        .sequence_parallel = number(csv, row, "sequence_parallel"),
        .recompute = (enum training_recompute)word(csv, row, "recompute", training_recompute_find),
        .batch_sequences = number(csv, row, "global_batch_sequences"),
    };

    on.data = on.gpu_count / (on.tensor * on.pipeline * on.context);
    return on;
}

static struct training_job job_of(const struct fixture_csv *csv, size_t row)
{
    return (struct training_job){
        .method = (enum training_method)word(csv, row, "method", training_method_find),
        .precision = (enum training_precision)word(csv, row, "precision", training_precision_find),
        .optimizer = (enum training_optimizer)word(csv, row, "optimizer", training_optimizer_find),
        .stack = (enum training_stack)word(csv, row, "stack", training_stack_find),
        .offload = (enum training_offload)word(csv, row, "cpu_offload", training_offload_find),
        .single_copy = !flag(csv, row, "master_weights"),
        .fused_update = flag(csv, row, "optimizer_in_backward"),
        .chunked_loss = flag(csv, row, "chunked_loss"),
        .eager = flag(csv, row, "eager"),
        .offload_activations = flag(csv, row, "activation_offload"),
        .trainable_ratio = number(csv, row, "trainable_ratio"),
        .sequence_tokens = number(csv, row, "sequence_tokens"),
        .batch_sequences = number(csv, row, "global_batch_sequences"),
        .gpus_per_node = number(csv, row, "gpus_per_node"),
        .flash_attention = true,
        .communication_overlap = true,
    };
}

static void read_row(struct memory_row *row, const struct fixture_csv *csv, size_t i)
{
    row->id = fixture_csv_cell(csv, i, "id");
    row->group = fixture_csv_cell(csv, i, "group");
    row->note = fixture_csv_cell(csv, i, "note");
    row->unstated = fixture_csv_cell(csv, i, "unstated");
    row->kind = (enum memory_kind)word(csv, i, "kind", find_kind);
    row->scored = flag(csv, i, "scored");
    row->model = model_of(csv, i);
    row->job = job_of(csv, i);
    row->job.shape = model_shape_of(&row->model);
    row->on = strategy_of(csv, i);
    row->measured = number(csv, i, "measured_bytes");
}

void memory_rows_read(struct memory_rows *rows, const struct catalog *catalog,
                      const struct training_constants *constants)
{
    *rows = (struct memory_rows){0};
    fixture_csv_read(&rows->csv, "tests/accuracy/memory.csv");
    rows->n = rows->csv.n_rows;
    rows->at = mem_resize(NULL, rows->n * sizeof(rows->at[0]));
    for (size_t i = 0; i < rows->n; i++) {
        struct memory_row *row = &rows->at[i];
        read_row(row, &rows->csv, i);
        row->job.constants = constants;
        row->job.gpu = catalog_gpu(catalog, fixture_csv_cell(&rows->csv, i, "gpu"));
        if (!row->job.gpu) {
            printf("Bail out! %s is on a GPU of no catalogue\n", row->id);
            exit(255);
        }
    }
}

void memory_rows_free(struct memory_rows *rows)
{
    fixture_csv_free(&rows->csv);
    free(rows->at);
}

const char *memory_kind_name(enum memory_kind kind)
{
    return kinds[kind];
}

double memory_row_estimate(const struct memory_row *row)
{
    struct training_memory memory = training_memory(&row->job, &row->on);

    if (row->kind == MEMORY_ALLOCATED)
        return memory.allocated;
    return row->kind == MEMORY_RESERVED ? memory.allocated + memory.cached : memory.required;
}

double memory_row_error(const struct memory_row *row)
{
    return memory_row_estimate(row) / row->measured - 1;
}

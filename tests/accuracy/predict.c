/* predict.c - the estimate beside every measured run of a file, as often as a fit asks.
 *
 *   predict RUNS.csv
 *
 * Reads lines of "key=value ...": constants to change, none for the catalogue's own. Answers each
 * with one line, the predicted seconds of every run in the file's order, nan where no strategy is
 * possible. A line that starts with "details" is answered with a table instead, a row per run, and
 * an empty line after it. What a run does not state is left to the search, as the API leaves it.
 *
 * The columns are named as the API's inputs; one that a file does not have is blank in all its
 * rows. `model` names one of the catalogue's, and the shape's own columns change it. Run from the
 * root of the tree.
 */
#include "estimate/training/plan/search.h"
#include "estimate/training/recompute.h"

#include "fixture.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct gpu gpu;
    struct model model;
    struct training_job job;
    struct training_strategy pinned;
};

struct file {
    struct fixture_csv csv;
    const struct catalog *catalog;
    const struct training_constants *constants;
};

static _Noreturn void bail(const char *what, const char *name)
{
    fprintf(stderr, "predict: no %s %s\n", what, name);
    exit(1);
}

static const char *cell(const struct file *file, size_t row, const char *column)
{
    for (size_t i = 0; i < file->csv.n_columns; i++)
        if (strcmp(file->csv.cells[i], column) == 0)
            return fixture_csv_cell(&file->csv, row, column);
    return "";
}

static double number(const struct file *file, size_t row, const char *column)
{
    const char *text = cell(file, row, column);

    return text[0] ? strtod(text, NULL) : (double)NAN;
}

static double number_or(const struct file *file, size_t row, const char *column, double otherwise)
{
    double value = number(file, row, column);

    return isnan(value) ? otherwise : value;
}

static struct model base_model(const struct file *file, size_t row)
{
    const char *slug = cell(file, row, "model");
    const struct model *known = slug[0] ? catalog_model(file->catalog, slug) : NULL;

    if (known)
        return *known;
    if (slug[0])
        bail("model", slug);
    return (struct model){.slug = "measured",
                          .model_type = "",
                          .attention = "",
                          .sliding_pattern = "",
                          .n_all_reduces = 2};
}

static void read_experts(struct model *model, const struct file *file, size_t row)
{
    model->n_experts = number_or(file, row, "experts", model->n_experts);
    model->top_k = number_or(file, row, "top_k", model->top_k);
    model->first_dense_layers =
        number_or(file, row, "first_dense_layers", model->first_dense_layers);
    if (model->n_experts > 0) {
        model->moe_intermediate = number_or(file, row, "ffn_width", model->moe_intermediate);
        model->n_moe_layers = model->n_layers - model->first_dense_layers;
    }
}

static struct model read_model(const struct file *file, size_t row)
{
    struct model model = base_model(file, row);

    model.n_layers = number_or(file, row, "layers", model.n_layers);
    if (!cell(file, row, "model")[0] || cell(file, row, "layers")[0])
        model.n_full_layers = model.n_layers;
    model.hidden = number_or(file, row, "hidden", model.hidden);
    model.n_heads = number_or(file, row, "heads", model.n_heads);
    model.n_kv_heads = number_or(file, row, "kv_heads", model.n_kv_heads);
    model.head_dim = number_or(file, row, "head_dim", model.head_dim);
    model.intermediate = number_or(file, row, "ffn_width", model.intermediate);
    model.gated = number_or(file, row, "gated", model.gated) > 0;
    model.vocab = number_or(file, row, "vocab", model.vocab);
    model.tied = number_or(file, row, "tied", model.tied) > 0;
    read_experts(&model, file, row);
    return model;
}

static unsigned read_modules(const struct file *file, size_t row)
{
    const char *list = cell(file, row, "recompute_modules");
    unsigned modules = 0;

    if (list[0] && !training_modules_read(list, &modules))
        bail("modules", list);
    return modules;
}

static struct training_strategy read_strategy(const struct file *file, size_t row)
{
    const char *recompute = cell(file, row, "recompute");

    return (struct training_strategy){
        .gpu_count = number(file, row, "gpu_count"),
        .tensor = number(file, row, "tensor_parallel"),
        .pipeline = number(file, row, "pipeline_parallel"),
        .context = number(file, row, "context_parallel"),
        .expert = number(file, row, "expert_parallel"),
        .data = (double)NAN,
        .virtual_stages = number(file, row, "virtual_stages"),
        .micro_batch = number(file, row, "micro_batch_sequences"),
        .zero_stage = number(file, row, "zero_stage"),
        .shard = number(file, row, "data_parallel_shard"),
        .sequence_parallel = number(file, row, "sequence_parallel"),
        .recompute = recompute[0] ? (enum training_recompute)training_recompute_find(recompute)
                                  : TRAINING_RECOMPUTE_AUTO,
        .modules = read_modules(file, row),
        .part = 1, /* read where it is partial */
        .batch_sequences = number(file, row, "global_batch_sequences"),
    };
}

/* The word of an enumeration, by its own finder; `otherwise` where the cell is blank. */
static int word(const struct file *file, size_t row, const char *column, int (*find)(const char *),
                int otherwise)
{
    const char *text = cell(file, row, column);
    int value = text[0] ? find(text) : otherwise;

    if (value < 0)
        bail(column, text);
    return value;
}

static struct training_job read_job(const struct file *file, size_t row)
{
    return (struct training_job){
        .constants = file->constants,
        .method = (enum training_method)word(file, row, "method", training_method_find, 0),
        .precision =
            (enum training_precision)word(file, row, "precision", training_precision_find, 0),
        .optimizer =
            (enum training_optimizer)word(file, row, "optimizer", training_optimizer_find, 0),
        .trainable_ratio = (double)NAN,
        .sequence_tokens = number(file, row, "sequence_tokens"),
        .batch_sequences = number(file, row, "global_batch_sequences"),
        .gpus_per_node = number(file, row, "gpus_per_node"),
        .network_rate = number(file, row, "network_gbit_per_second") * 1e9 / 8,
        .power = number(file, row, "power_limit_w"),
        .flash_attention = number_or(file, row, "flash_attention", 1) > 0,
        .communication_overlap = number_or(file, row, "communication_overlap", 1) > 0,
        .gradient_bytes = strcmp(cell(file, row, "gradient_dtype"), "bf16") == 0 ? 2 : 0,
        .single_copy = number(file, row, "master_weights") == 0,
        .fused_update = number(file, row, "optimizer_in_backward") == 1,
        .stack = (enum training_stack)word(file, row, "stack", training_stack_find, 0),
        .offload = (enum training_offload)word(file, row, "cpu_offload", training_offload_find, 0),
        .schedule = (enum training_schedule)word(file, row, "schedule", training_schedule_find, 0),
    };
}

static void read_run(struct run *run, const struct file *file, size_t row)
{
    const struct gpu *gpu = catalog_gpu(file->catalog, cell(file, row, "gpu"));

    if (!gpu)
        bail("GPU", cell(file, row, "gpu"));
    run->gpu = *gpu;
    run->gpu.memory_bandwidth =
        number_or(file, row, "memory_bandwidth_gb_per_second", gpu->memory_bandwidth / 1e9) * 1e9;
    run->model = read_model(file, row);
    run->pinned = read_strategy(file, row);
    run->job = read_job(file, row);
    run->job.gpu = &run->gpu;
    run->job.shape = model_shape_of(&run->model);
    training_complete(&run->job, run->pinned.gpu_count);
    training_set_default_batch(&run->job, number(file, row, "tokens"));
}

/* Set one constant, named in text up to its equals sign. */
static void set(struct training_constants *constants, char *pair)
{
    size_t name = strcspn(pair, "=");
    const char *figure = pair + name + (pair[name] == '=');

    pair[name] = '\0';
    double *value = training_constant(constants, pair);
    if (!value)
        bail("constant", pair);
    *value = strtod(figure, NULL);
}

/* Set the constants a line names; words without an equals sign are not for us. */
static void change(struct training_constants *constants, char *line)
{
    size_t length;

    for (char *at = line + strspn(line, " \n"); *at; at += length + strspn(at + length, " \n")) {
        char word[96];
        length = strcspn(at, " \n");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        if (strchr(word, '='))
            set(constants, word);
    }
}

static void show(const char *id, const struct run *run, const struct training_plan *plan)
{
    struct training_goal none = {.tokens = (double)NAN,
                                 .goodput = 1,
                                 .model_flops_utilization = (double)NAN,
                                 .deadline_days = (double)NAN,
                                 .budget = (double)NAN,
                                 .price_per_gpu_hour = (double)NAN};
    struct training_totals totals = training_totals(&run->job, plan, &none);
    const struct training_step *s = &plan->step;
    char on[160];

    training_describe(&plan->on, on, sizeof(on));
    printf("%s;%.9g;%.9g;%.9g;%.9g;%.9g;%d;%s;", id, s->seconds, totals.step_seconds_low,
           totals.step_seconds_high, totals.model_flops_utilization,
           totals.tokens_per_second_per_gpu, plan->fits, on);
    printf("compute %.4g tensor %.4g expert %.4g context %.4g recompute %.4g bubble %.4g "
           "pipeline %.4g data %.4g optimizer %.4g\n",
           s->compute, s->tensor_communication, s->expert_communication, s->context_communication,
           s->recompute, s->pipeline_bubble, s->pipeline_communication, s->data_communication,
           s->optimizer_step);
}

static void answer(struct run *runs, const struct file *file, bool details)
{
    if (details)
        printf("id;seconds;low;high;model_flops_utilization;tokens_per_second_per_gpu;fits;"
               "strategy;lines\n");
    for (size_t i = 0; i < file->csv.n_rows; i++) {
        struct training_plan plan;
        bool found = training_search(&runs[i].job, &runs[i].pinned, &plan);
        if (!details)
            printf("%.9g ", found ? plan.step.seconds : (double)NAN);
        else if (found)
            show(cell(file, i, "id"), &runs[i], &plan);
        else
            printf("%s;nan;nan;nan;nan;nan;0;none is possible;\n", cell(file, i, "id"));
    }
    printf("\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    struct catalog *catalog = fixture_catalog();
    struct training_constants seeded, constants;
    struct file file = {.catalog = catalog, .constants = &constants};
    struct err err = {0};
    char line[8192];

    if (argc != 2)
        return 64;
    fixture_need(training_constants_fill(catalog, &seeded, &err), &err);
    fixture_csv_read(&file.csv, argv[1]);
    struct run *runs = mem_alloc(file.csv.n_rows * sizeof(*runs));
    constants = seeded;
    for (size_t i = 0; i < file.csv.n_rows; i++)
        read_run(&runs[i], &file, i);
    while (fgets(line, sizeof(line), stdin)) {
        bool details = strncmp(line, "details", 7) == 0;
        constants = seeded;
        change(&constants, line);
        answer(runs, &file, details);
    }
    free(runs);
    fixture_csv_free(&file.csv);
    catalog_free(catalog);
    return 0;
}

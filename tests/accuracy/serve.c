/* serve.c - the estimated seconds of every measured run of a file, as often as a fit asks.
 *
 *   serve INFERENCE.csv [arrivals]
 *
 * Reads lines of "key=value ..." or "key:scope=value ...": constants to change, none for the
 * catalogue's own. Answers each in binary (figures.h): the predicted seconds of every run in the
 * file's order; what seconds mean is said by the run's kind. Lines that start with another word are
 * answered with something else of each run:
 *   interval    the factor u of its 80 % interval
 *   ttft        seconds to the first token, of served runs and of separate pools
 *   throughput  output tokens/s of the replica, of served and offline runs
 *   steady      as seconds, of a replica that runs on, where requests come at random
 *   ends        of served runs, four figures a run: the interval of an output token and of the
 * first parts       the shares of carry_parts_of_serving(), CARRY_PARTS figures a run and nan for
 * runs that have none. With "arrivals" the file says how many requests come at random to a replica
 * in a second (requests_per_second), for how long (run_seconds), how many it takes at most
 * (requests_max) and how widely their lengths spread; "slower=F" lets all its work take F times as
 * long. Run from the root of the tree.
 *
 * GPUs and models that the catalogue lacks are read from cards.csv and shapes.csv.
 */
#include "base/mem.h"
#include "base/units.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/sway.h"
#include "estimate/measurement/carry.h"
#include "estimate/measurement/inference_run.h"

#include "figures.h"
#include "fixture.h"
#include "transient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const CARDS = "tests/accuracy/cards.csv";
static const char *const SHAPES = "tests/accuracy/shapes.csv";

enum question { ASK_SECONDS, ASK_INTERVAL, ASK_TTFT, ASK_THROUGHPUT, ASK_STEADY };

/* A run, and the requests that come at random in a second; 0 where clients are of a fixed number.
 */
struct asked {
    struct inference_run run;
    struct gpu card; /* its link is that of the board where the file says so */
    double rate, most, run_seconds;
    bool in_process;       /* no HTTP server stands before the engine */
    bool fused_all_reduce; /* TensorRT-LLM's gemm_allreduce_plugin: sums while it multiplies */
};

/* Settings that are not rows of the catalogue. */
struct extras {
    struct fixture_csv cards_csv, shapes_csv;
    struct gpu *cards;
};

static _Noreturn void bail(const char *what, const char *name)
{
    fprintf(stderr, "serve: no %s %s\n", what, name);
    exit(1);
}

/* A cell as a number; NAN where it is empty. */
static double cell(const struct fixture_csv *csv, size_t row, const char *column)
{
    const char *text = fixture_csv_cell(csv, row, column);

    return *text ? strtod(text, NULL) : (double)NAN;
}

/* A card for which the catalogue has no row: no link to its neighbours but PCIe. */
static struct gpu read_card(const struct fixture_csv *csv, size_t row)
{
    struct gpu gpu = {
        .slug = fixture_csv_cell(csv, row, "slug"),
        .vendor = fixture_csv_cell(csv, row, "vendor"),
        .form_factor = "",
        .memory_type = fixture_csv_cell(csv, row, "memory_type"),
        .link_name = "",
        .memory_bytes = cell(csv, row, "memory_gib") * GIB,
        .memory_bandwidth = cell(csv, row, "memory_bandwidth_gb_per_second") * GIGA,
        .link_rate = (double)NAN,
        .scale_up_domain = 1,
        .pcie_rate = cell(csv, row, "pcie_gb_per_second") * GIGA,
        .tdp = cell(csv, row, "tdp_w"),
    };

    for (int i = 0; i < PEAK_COUNT; i++)
        gpu.peak[i] = (double)NAN;
    gpu.peak[PEAK_FP16] = gpu.peak[PEAK_BF16] = cell(csv, row, "fp16_tflops") * TERA;
    gpu.peak[PEAK_FP16_ACC16] = cell(csv, row, "fp16_acc16_tflops") * TERA;
    return gpu;
}

static void read_extras(struct extras *extras)
{
    fixture_csv_read(&extras->cards_csv, CARDS);
    fixture_csv_read(&extras->shapes_csv, SHAPES);
    extras->cards = mem_alloc(extras->cards_csv.n_rows * sizeof(*extras->cards));
    for (size_t i = 0; i < extras->cards_csv.n_rows; i++)
        extras->cards[i] = read_card(&extras->cards_csv, i);
}

static void free_extras(struct extras *extras)
{
    free(extras->cards);
    fixture_csv_free(&extras->cards_csv);
    fixture_csv_free(&extras->shapes_csv);
}

static const struct gpu *gpu_of(const struct catalog *catalog, const struct extras *extras,
                                const char *slug)
{
    const struct gpu *gpu = catalog_gpu(catalog, slug);

    for (size_t i = 0; !gpu && i < extras->cards_csv.n_rows; i++)
        if (strcmp(extras->cards[i].slug, slug) == 0)
            gpu = &extras->cards[i];
    if (!gpu)
        bail("GPU", slug);
    return gpu;
}

/* A dense model of full attention for which the catalogue has no row. */
static struct model_shape read_shape(const struct fixture_csv *csv, size_t row)
{
    struct model model = {
        .n_layers = cell(csv, row, "layers"),
        .hidden = cell(csv, row, "hidden"),
        .n_heads = cell(csv, row, "heads"),
        .n_kv_heads = cell(csv, row, "kv_heads"),
        .head_dim = cell(csv, row, "head_dim"),
        .intermediate = cell(csv, row, "intermediate"),
        .vocab = cell(csv, row, "vocab"),
        .gated = true,
        .attention = "",
    };

    return model_shape_of(&model);
}

static struct model_shape shape_named(const struct catalog *catalog, const struct extras *extras,
                                      const char *slug)
{
    const struct model *model = catalog_model(catalog, slug);

    if (model)
        return model_shape_of(model);
    for (size_t i = 0; i < extras->shapes_csv.n_rows; i++)
        if (strcmp(fixture_csv_cell(&extras->shapes_csv, i, "slug"), slug) == 0)
            return read_shape(&extras->shapes_csv, i);
    bail("model", slug);
}

static void read_run(const struct catalog *catalog, const struct extras *extras,
                     const struct measurement *row, struct inference_run *run)
{
    struct model_shape shape = shape_named(catalog, extras, row->model);
    struct err err = {0};

    fixture_need(inference_run_read(row, gpu_of(catalog, extras, row->gpu), &shape,
                                    catalog_default(catalog, "pool", ""), run, &err),
                 &err);
}

/* Random arrivals: `spread` has the catalogue's spreads of prompts and answers. */
static void read_arrivals(const struct fixture_csv *csv, size_t row, const double spread[2],
                          struct asked *asked)
{
    double answers = cell(csv, row, "output_tokens_cv"),
           prompts = cell(csv, row, "input_tokens_cv");
    struct inference_job *job = &asked->run.job;

    job->open_arrivals = true;
    job->in_step = false;
    job->input_cv = isnan(prompts) ? spread[0] : prompts;
    job->output_cv = isnan(answers) ? spread[1] : answers;
    asked->rate = cell(csv, row, "requests_per_second");
    asked->most = cell(csv, row, "requests_max");
    asked->run_seconds = cell(csv, row, "run_seconds");
    asked->in_process = cell(csv, row, "http_server") <= 0;
    asked->fused_all_reduce = cell(csv, row, "fused_all_reduce") > 0;
    job->bridged = cell(csv, row, "bridged") > 0;
    asked->card = *job->gpu;
    double link = cell(csv, row, "link_gb_per_second") * GIGA;
    if (link > 0)
        asked->card.link_rate = link;
    job->gpu = &asked->card;
}

static void read_all_arrivals(const struct catalog *catalog, const char *path, struct asked *runs)
{
    const double spread[2] = {catalog_default(catalog, "input_tokens_cv", ""),
                              catalog_default(catalog, "output_tokens_cv", "")};
    struct fixture_csv csv;

    fixture_csv_read(&csv, path);
    for (size_t i = 0; i < csv.n_rows; i++)
        read_arrivals(&csv, i, spread, &runs[i]);
    fixture_csv_free(&csv);
}

static double most_in_flight(const struct inference *inference, const struct asked *asked)
{
    double most = fmin(inference->pool.requests, inference_admitted(inference));

    return isnan(asked->most) ? most : fmin(most, asked->most);
}

/* Of a replica all of whose work takes `slower` times as long. */
static struct served served_at_random(const struct inference *inference, const struct asked *asked,
                                      double slower)
{
    return queue_served(inference, asked->rate, most_in_flight(inference, asked), slower);
}

/* The same in a run of the length stated, which begins with an empty replica. */
static struct served served_in_run(const struct inference *inference, const struct asked *asked,
                                   double slower)
{
    struct served served = served_at_random(inference, asked, slower);
    double arrives = asked->rate * slower, gained = inference->prefill.stages;

    if (!(asked->run_seconds > 0) ||
        !(arrives * inference_prompt_moments(inference, gained).first < 1))
        return served;
    struct transient t = transient_of(inference, arrives, most_in_flight(inference, asked),
                                      asked->run_seconds / slower);
    served.tpot = slower * transient_token(&t);
    served.ttft = slower * transient_first(&t);
    return served;
}

/* One "key=value" or "key:scope=value". */
static void set(struct inference_constants *constants, char *word)
{
    char *equals = strchr(word, '='), *colon = strchr(word, ':');

    *equals = '\0';
    if (colon)
        *colon = '\0';
    double *value = inference_constant(constants, word, colon ? colon + 1 : "");
    if (!value)
        bail("constant", word);
    *value = strtod(equals + 1, NULL);
}

/* Change the constants a line names; `*slower` is what stands behind "slower=". */
static void change(struct inference_constants *constants, const char *line, double *slower)
{
    size_t length;

    for (const char *at = line + strspn(line, " \n"); *at;
         at += length + strspn(at + length, " \n")) {
        char word[96];
        length = strcspn(at, " \n");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        if (strncmp(word, "slower=", 7) == 0)
            *slower = strtod(word + 7, NULL);
        else if (strchr(word, '='))
            set(constants, word);
    }
}

/* Share of the time of a dense model's all-reduces that TensorRT-LLM's gemm_allreduce_plugin hides:
 * at most what the products take whose results are summed, the last of attention and of the FFN. */
static double hidden_share(const struct inference_constants *constants,
                           const struct inference_job *job)
{
    const struct model_shape *s = &job->shape;
    struct inference apart = inference_of(constants, job);
    double summed = s->layers * s->heads * s->prefill_value_dim * s->hidden;

    summed += s->dense_ffn_weights / 3; /* gated: one matrix of three */
    double seconds = apart.prefill.gemm * summed / apart.body_weights;
    return fmin(1 - 1e-9, seconds / apart.prefill.all_reduce);
}

/* What the run had: an engine inside the benchmark's own process answers without a server. */
static struct inference_constants constants_of(const struct inference_constants *constants,
                                               const struct asked *asked)
{
    struct inference_constants own = *constants;

    if (asked->in_process)
        own.ttft_request_us = 0;
    if (asked->fused_all_reduce)
        own.e_link /= 1 - hidden_share(&own, &asked->run.job);
    return own;
}

/* The ends of the time per token and of the time to the first token, as the product has them. */
static void show_ends(const struct inference_constants *constants, const struct asked *asked)
{
    struct inference_constants own = constants_of(constants, asked);
    struct inference inference = inference_of(&own, &asked->run.job);
    struct served served = asked->rate > 0 ? served_at_random(&inference, asked, 1)
                                           : inference_serve(&inference, asked->run.concurrency);
    struct served run = asked->rate > 0 ? served_in_run(&inference, asked, 1) : served;
    double u = inference_load_interval(&inference, served.batch), low, high;
    struct sway sway = {1, 1, 1, 1, 1, 1, 1};

    if (asked->rate > 0)
        sway = sway_of(&inference, &served, asked->rate, most_in_flight(&inference, asked), u);
    inference_ttft_range(&inference, &low, &high);
    if (asked->run.kind == INFERENCE_RUN_POOLS && inference_knows_readers(&asked->run.job))
        sway = sway_of_readers(&inference, &served, low, high);
    figures_add(run.tpot / u * sway.token_low);
    figures_add(run.tpot * u * sway.token_high);
    figures_add(run.ttft * low * sway.first_low);
    figures_add(run.ttft * high * sway.first_high);
}

static double ttft_of(const struct inference *inference, const struct inference_run *run)
{
    bool loop = run->kind == INFERENCE_RUN_SERVED || run->kind == INFERENCE_RUN_POOLS;

    return loop ? inference_serve(inference, run->concurrency).ttft : (double)NAN;
}

static double throughput_of(const struct inference *inference, const struct inference_run *run)
{
    double batch;

    if (run->kind == INFERENCE_RUN_OFFLINE)
        return inference_offline(inference, &batch);
    return run->kind == INFERENCE_RUN_SERVED
               ? inference_serve(inference, run->concurrency).output_tokens_per_second
               : (double)NAN;
}

static double answer_at_random(const struct inference *inference, const struct asked *asked,
                               enum question question, double slower)
{
    struct served served = question == ASK_STEADY ? served_at_random(inference, asked, slower)
                                                  : served_in_run(inference, asked, slower);

    return question == ASK_TTFT ? served.ttft : served.tpot;
}

static double answer(const struct inference_constants *constants, const struct asked *asked,
                     enum question question, double slower)
{
    const struct inference_run *run = &asked->run;
    struct inference_constants own = constants_of(constants, asked);
    struct inference inference = inference_of(&own, &run->job);

    if (asked->rate > 0 && question != ASK_INTERVAL)
        return answer_at_random(&inference, asked, question, slower);
    switch (question) {
    case ASK_INTERVAL:
        return inference_run_interval(&inference, run);
    case ASK_TTFT:
        return ttft_of(&inference, run);
    case ASK_THROUGHPUT:
        return throughput_of(&inference, run);
    default:
        return inference_run_seconds(&inference, run);
    }
}

/* A stream is a replica with one request. */
static void show_parts(const struct inference_constants *constants, const struct inference_run *run)
{
    struct inference inference = inference_of(constants, &run->job);
    struct served served =
        inference_serve(&inference, run->kind == INFERENCE_RUN_STREAM ? 1 : run->concurrency);
    struct carry_parts parts = carry_parts_of_serving(&served);

    for (int i = 0; i < CARRY_PARTS; i++)
        figures_add(parts.share[i]);
}

static enum question question_of(const char *line)
{
    return strncmp(line, "interval", 8) == 0      ? ASK_INTERVAL
           : strncmp(line, "ttft", 4) == 0        ? ASK_TTFT
           : strncmp(line, "steady", 6) == 0      ? ASK_STEADY
           : strncmp(line, "throughput", 10) == 0 ? ASK_THROUGHPUT
                                                  : ASK_SECONDS;
}

static void serve(const struct inference_constants *seeded, const struct asked *runs, size_t n)
{
    char line[4096];

    while (fgets(line, sizeof(line), stdin)) {
        struct inference_constants constants = *seeded;
        double slower = 1;
        change(&constants, line, &slower);
        bool parts = strncmp(line, "parts", 5) == 0, ends = strncmp(line, "ends", 4) == 0;
        figures_begin(n * (ends ? 4 : parts ? CARRY_PARTS : 1));
        for (size_t i = 0; i < n; i++)
            if (ends)
                show_ends(&constants, &runs[i]);
            else if (parts)
                show_parts(&constants, &runs[i].run);
            else
                figures_add(answer(&constants, &runs[i], question_of(line), slower));
        (void)fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    struct catalog *catalog = fixture_catalog();
    struct inference_constants seeded;
    struct extras extras;
    struct err err = {0};
    size_t n;

    if (argc != 2 && argc != 3)
        return 64;
    fixture_need(inference_constants_load(catalog, &seeded, &err), &err);
    read_extras(&extras);
    const struct measurement *rows = fixture_measurements(argv[1], &catalog->arena, &n);
    struct asked *runs = mem_alloc(n * sizeof(*runs));
    for (size_t i = 0; i < n; i++) {
        runs[i] = (struct asked){.rate = 0};
        read_run(catalog, &extras, &rows[i], &runs[i].run);
    }
    if (argc == 3)
        read_all_arrivals(catalog, argv[1], runs);
    serve(&seeded, runs, n);
    free(runs);
    free_extras(&extras);
    catalog_free(catalog);
    return 0;
}

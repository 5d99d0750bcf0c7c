/* client_reports.c - the JSON of aiperf, of genai-perf before it, and of GuideLLM.
 *
 * Layouts: aiperf/common/models/export_models.py of https://github.com/ai-dynamo/aiperf and
 * src/guidellm/benchmark/schemas of https://github.com/vllm-project/guidellm, whose releases before
 * 0.4 have the strategy in `args` and the model in `worker`.
 */
#include "feed/benchmarks/client_report.h"

#include "base/number.h"
#include "feed/benchmarks/serving_report.h"

#include <math.h>
#include <string.h>

static const double MS = 1e-3;

double client_report_scale(const char *unit)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"sec", 1}, {"seconds", 1}, {"us", 1e-6}, {"ns", 1e-9}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].seconds;
    return MS;
}

static bool check_figures(const struct client_report *r, struct err *err)
{
    const struct {
        double value;
        const char *what;
    } figures[] = {{r->token, "time between tokens (inter token latency), which a client has "
                              "only of streamed answers: measure with --streaming"},
                   {r->first, "time to the first token"},
                   {r->inputs, "tokens per prompt (input sequence length)"},
                   {r->outputs, "tokens per answer (output sequence length)"},
                   {r->completed, "requests that were answered"}};

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (!(figures[i].value > 0))
            return err_set(err, ERR_INVALID, "it has no %s", figures[i].what);
    return true;
}

bool client_report_add(const struct client_report *r, struct arena *arena,
                       struct benchmark *benchmark, struct err *err)
{
    /* By Little's law, where no limit is stated. */
    double seconds = number_or(r->latency, r->first + (r->outputs - 1) * r->token),
           flight = number_or(r->stated, r->rate * seconds);

    if (!check_figures(r, err) || !serving_report_is_steady(r->completed, flight, err))
        return false;
    struct benchmark_run *run = benchmark_next(benchmark, "inference-sizing");
    if (!run)
        return err_set(err, ERR_INVALID, "there are too many runs");
    if (r->model && r->model[0])
        benchmark_add(run, "model", serving_report_model(arena, r->model));
    benchmark_add_count(run, arena, "measured_concurrent_requests", flight);
    benchmark_add_count(run, arena, "measured_input_tokens", r->inputs);
    benchmark_add_count(run, arena, "measured_output_tokens", r->outputs);
    benchmark_add_number(run, arena, "measured_time_to_first_token_seconds", r->first);
    benchmark_add_number(run, arena, "measured_time_per_output_token_seconds", r->token);
    if (r->failed > 0)
        run->note =
            arena_print(arena, "%.0f of %.0f requests failed", r->failed, r->failed + r->completed);
    if (!benchmark->note)
        benchmark->note = "it does not say which engine answered: give engine=NAME, and "
                          "measured_tensor_parallel=GPUS if several GPUs share the model";
    return true;
}

enum aiperf_column {
    AIPERF_CONCURRENCY,
    GENAI_CONCURRENCY,
    GENAI_STIMULUS,
    AIPERF_MODEL,
    GENAI_MODEL,
    GENAI_MODELS,
    AIPERF_RATE,
    AIPERF_LATENCY,
    AIPERF_LATENCY_UNIT,
    AIPERF_COMPLETED,
    AIPERF_FAILED,
    AIPERF_INPUTS,
    AIPERF_OUTPUTS,
    AIPERF_FIRST,
    AIPERF_FIRST_UNIT,
    AIPERF_TOKEN,
    AIPERF_TOKEN_UNIT,
    AIPERF_COLUMNS
};

static const char *const aiperf_columns[AIPERF_COLUMNS + 1] = {
    [AIPERF_CONCURRENCY] = "input_config__loadgen__concurrency",
    [GENAI_CONCURRENCY] = "input_config__concurrency",
    [GENAI_STIMULUS] = "input_config__perf_analyzer__stimulus__concurrency",
    [AIPERF_MODEL] = "input_config__endpoint__model_names__0",
    [GENAI_MODEL] = "input_config__model__0",
    [GENAI_MODELS] = "input_config__model_names__0",
    [AIPERF_RATE] = "request_throughput__avg",
    [AIPERF_LATENCY] = "request_latency__avg",
    [AIPERF_LATENCY_UNIT] = "request_latency__unit",
    [AIPERF_COMPLETED] = "request_count__avg",
    [AIPERF_FAILED] = "error_request_count__avg",
    [AIPERF_INPUTS] = "input_sequence_length__avg",
    [AIPERF_OUTPUTS] = "output_sequence_length__avg",
    [AIPERF_FIRST] = "time_to_first_token__avg",
    [AIPERF_FIRST_UNIT] = "time_to_first_token__unit",
    [AIPERF_TOKEN] = "inter_token_latency__avg",
    [AIPERF_TOKEN_UNIT] = "inter_token_latency__unit",
};

/* The first of these columns that is not empty; "" if all are. */
static const char *first_text(const struct csv *row, const int columns[3])
{
    for (int i = 0; i < 3; i++)
        if (row->at[columns[i]][0])
            return row->at[columns[i]];
    return "";
}

static double first_number(const struct csv *row, const int columns[3])
{
    double value = (double)NAN;

    for (int i = 0; i < 3 && isnan(value); i++)
        value = csv_number(row, (unsigned)columns[i]);
    return value;
}

static bool add_aiperf(const struct csv *row, struct arena *arena, struct benchmark *benchmark,
                       struct err *err)
{
    static const int flight[3] = {AIPERF_CONCURRENCY, GENAI_CONCURRENCY, GENAI_STIMULUS},
                     model[3] = {AIPERF_MODEL, GENAI_MODEL, GENAI_MODELS};

    if (!row->at[AIPERF_RATE][0] || !row->at[AIPERF_LATENCY][0])
        return false;
    benchmark->format = "aiperf";
    return client_report_add(
        &(struct client_report){.model = first_text(row, model),
                                .stated = first_number(row, flight),
                                .rate = csv_number(row, AIPERF_RATE),
                                .latency = csv_number(row, AIPERF_LATENCY) *
                                           client_report_scale(row->at[AIPERF_LATENCY_UNIT]),
                                .completed = csv_number(row, AIPERF_COMPLETED),
                                .failed = csv_number(row, AIPERF_FAILED),
                                .inputs = csv_number(row, AIPERF_INPUTS),
                                .outputs = csv_number(row, AIPERF_OUTPUTS),
                                .first = csv_number(row, AIPERF_FIRST) *
                                         client_report_scale(row->at[AIPERF_FIRST_UNIT]),
                                .token = csv_number(row, AIPERF_TOKEN) *
                                         client_report_scale(row->at[AIPERF_TOKEN_UNIT])},
        arena, benchmark, err);
}

const struct json_report aiperf_json = {"", aiperf_columns, add_aiperf};

enum guidellm_column {
    GUIDELLM_STRATEGY,
    GUIDELLM_STRATEGY_ARGS,
    GUIDELLM_STREAMS,
    GUIDELLM_STREAMS_ARGS,
    GUIDELLM_FLIGHT,
    GUIDELLM_MODEL,
    GUIDELLM_MODEL_WORKER,
    GUIDELLM_COMPLETED,
    GUIDELLM_FAILED,
    GUIDELLM_RATE,
    GUIDELLM_LATENCY,
    GUIDELLM_INPUTS,
    GUIDELLM_OUTPUTS,
    GUIDELLM_FIRST_MS,
    GUIDELLM_TOKEN_MS,
    GUIDELLM_COLUMNS
};

static const char *const guidellm_columns[GUIDELLM_COLUMNS + 1] = {
    [GUIDELLM_STRATEGY] = "config__strategy__type_",
    [GUIDELLM_STRATEGY_ARGS] = "args__strategy__type_",
    [GUIDELLM_STREAMS] = "config__strategy__streams",
    [GUIDELLM_STREAMS_ARGS] = "args__strategy__streams",
    [GUIDELLM_FLIGHT] = "metrics__request_concurrency__successful__mean",
    [GUIDELLM_MODEL] = "config__backend__model",
    [GUIDELLM_MODEL_WORKER] = "worker__backend_model",
    [GUIDELLM_COMPLETED] = "metrics__request_totals__successful",
    [GUIDELLM_FAILED] = "metrics__request_totals__errored",
    [GUIDELLM_RATE] = "metrics__requests_per_second__successful__mean",
    [GUIDELLM_LATENCY] = "metrics__request_latency__successful__mean",
    [GUIDELLM_INPUTS] = "metrics__prompt_token_count__successful__mean",
    [GUIDELLM_OUTPUTS] = "metrics__output_token_count__successful__mean",
    [GUIDELLM_FIRST_MS] = "metrics__time_to_first_token_ms__successful__mean",
    [GUIDELLM_TOKEN_MS] = "metrics__inter_token_latency_ms__successful__mean",
};

static bool is_strategy(const struct csv *row, const char *name)
{
    return strcmp(row->at[GUIDELLM_STRATEGY], name) == 0 ||
           strcmp(row->at[GUIDELLM_STRATEGY_ARGS], name) == 0;
}

/* A sweep has a benchmark that sends all requests at once, which is no steady load. */
static bool add_guidellm(const struct csv *row, struct arena *arena, struct benchmark *benchmark,
                         struct err *err)
{
    static const int flight[3] = {GUIDELLM_STREAMS, GUIDELLM_STREAMS_ARGS, GUIDELLM_FLIGHT},
                     model[3] = {GUIDELLM_MODEL, GUIDELLM_MODEL_WORKER, GUIDELLM_MODEL};

    if (!row->at[GUIDELLM_LATENCY][0])
        return false;
    benchmark->format = "GuideLLM";
    if (is_strategy(row, "throughput")) {
        benchmark->note =
            "the benchmark of strategy throughput is left out, as it sends all requests at once; "
            "the engine that answered is not named: give engine=NAME, and "
            "measured_tensor_parallel=GPUS if several GPUs share the model";
        return true;
    }
    return client_report_add(
        &(struct client_report){.model = first_text(row, model),
                                .stated =
                                    is_strategy(row, "synchronous") ? 1 : first_number(row, flight),
                                .rate = csv_number(row, GUIDELLM_RATE),
                                .latency = csv_number(row, GUIDELLM_LATENCY),
                                .completed = csv_number(row, GUIDELLM_COMPLETED),
                                .failed = csv_number(row, GUIDELLM_FAILED),
                                .inputs = csv_number(row, GUIDELLM_INPUTS),
                                .outputs = csv_number(row, GUIDELLM_OUTPUTS),
                                .first = MS * csv_number(row, GUIDELLM_FIRST_MS),
                                .token = MS * csv_number(row, GUIDELLM_TOKEN_MS)},
        arena, benchmark, err);
}

const struct json_report guidellm_json = {"benchmarks.*", guidellm_columns, add_guidellm};

/* options_parse.c - the inputs of /v1/inference-sizing/options, and the GPU types and weight
 * formats to compare. */
#include "api/inference/options.h"
#include "api/inference/sizing_correction.h"

#include "api/inference/request_lengths.h"
#include "api/resource/decode.h"
#include "api/routes/resources.h"
#include "estimate/inference/support.h"
#include "estimate/inference/words.h"

#include <math.h>
#include <string.h>

/* Refuse inputs that apply only to one GPU or one design. */
static bool check_single(struct request_context *context, struct err *err)
{
    static const char *const names[] = {"memory_bandwidth_gb_per_second",
                                        "peak_tflops",
                                        "link_gb_per_second",
                                        "bandwidth_efficiency",
                                        "link_latency_us",
                                        "replica_tokens_per_second",
                                        "gpu_card_price"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (context_given(context, names[i]))
            good = context_refuse(context, err, names[i], "contradiction",
                                  "is for one GPU type: use /v1/inference-sizing");
    return good;
}

/* A run given in the question does not name its GPU; stored runs do. */
static bool check_measured(struct request_context *context, struct err *err)
{
    static const char *const names[] = {"measured_time_per_output_token_seconds",
                                        "measured_output_tokens_per_second",
                                        "measured_time_to_first_token_seconds",
                                        "measured_memory_gib",
                                        "measured_weights_gib",
                                        "measured_kv_cache_tokens"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (context_given(context, names[i]))
            good = context_refuse(context, err, names[i], "contradiction",
                                  "is for /v1/inference-sizing, which knows the GPU it ran on: "
                                  "here, store it with POST /v1/measurements and enter "
                                  "measurement_set");
    return good;
}

static void add_format(struct inference_options *options, enum number format)
{
    for (size_t i = 0; i < options->n_formats; i++)
        if (options->formats[i] == format)
            return;
    options->formats[options->n_formats++] = format;
}

static bool refuse_format(struct request_context *context, const char *name, struct err *err)
{
    const char *choices = words_of_number((enum number)0);

    for (int i = 1; i < NUMBER_COUNT; i++)
        choices = arena_join(context->arena, choices, " ", words_of_number((enum number)i));
    const char *meant = lookup_choice_meant(choices, name);
    return context_refuse(context, err, "weight_dtype", "unknown_choice",
                          "must be one of: %s; or several, separated by commas%s", choices,
                          meant ? arena_join(context->arena, "; did you mean ", meant, "?") : "");
}

/* The comma-separated formats of weight_dtype. */
static bool read_formats(struct inference_options *options, struct err *err)
{
    struct request_context *context = options->context;
    const char *list = options->in->sizing.weight_dtype, *name;
    enum number format;

    while ((name = arena_next_item(context->arena, &list))) {
        if (!words_find_number(name, &format))
            return refuse_format(context, name, err);
        add_format(options, format);
    }
    if (options->n_formats != 1 && !isnan(options->in->sizing.bytes_per_weight))
        return context_refuse(context, err, "bytes_per_weight", "contradiction",
                              "describes one checkpoint: enter its weight_dtype too");
    return true;
}

/* By default the published format and, if wanted, narrower ones. */
static size_t formats_of(const struct inference_options *options,
                         const struct inference_options_kind *kind,
                         enum number formats[NUMBER_COUNT])
{
    size_t n = 0;

    if (options->n_formats) {
        memcpy(formats, options->formats, options->n_formats * sizeof(formats[0]));
        return options->n_formats;
    }
    static const enum number narrow[] = {NUMBER_FP8, NUMBER_FP4, NUMBER_INT4};

    formats[n++] = kind->request.job.weight_format;
    for (size_t i = 0; i < sizeof(narrow) / sizeof(narrow[0]) && options->in->quantized == 1; i++)
        if (memory_nominal_bytes(narrow[i]) < memory_nominal_bytes(formats[0]) &&
            (narrow[i] == NUMBER_INT4 || inference_native(kind->gpu, narrow[i])))
            formats[n++] = narrow[i];
    return n;
}

static bool is_owned(const struct inference_sizing_in *in)
{
    return isnan(in->price_per_gpu_hour) && strcmp(in->purchase_option, "owned") == 0;
}

/* A GPU on which only engines for few users run is listed where it is named or owned, or where such
 * an engine is asked for. */
static bool is_for_many(const struct inference_options *options,
                        const struct serving_request *request)
{
    const char *named = options->in->sizing.gpu;
    enum engine engine = request->job.engine;

    return request->load == SERVING_RATE && !options->every && !(named && named[0]) &&
           engine != ENGINE_LLAMA_CPP && engine != ENGINE_COMPILED;
}

/* Add one candidate per format, each with its own request. */
static void add_candidates(struct inference_options *options)
{
    struct inference_options_kind *kind = &options->kinds[options->list.n_kinds];
    struct request_context *context = options->context;
    enum number formats[NUMBER_COUNT];
    bool for_many = is_for_many(options, &kind->request);

    kind->first = options->n_candidates;
    kind->n = formats_of(options, kind, formats);
    size_t n = 0;
    for (size_t i = 0; i < kind->n; i++) {
        struct inference_job job = kind->request.job;
        job.weight_format = formats[i];
        const char *why =
            inference_unsupported(&job, words_of_number(formats[i]), for_many, context->arena);
        if (!why)
            formats[n++] = formats[i];
        else if (!kind->unsupported)
            kind->unsupported = inference_refusal(&job, why, for_many, context->arena);
    }
    kind->n = n;
    for (size_t i = 0; i < kind->n; i++) {
        struct serving_request *request = arena_alloc(context->arena, sizeof(*request));
        *request = kind->request;
        request->job.weight_format = formats[i];
        if (options->runs && inference_sizing_take(context, options->runs, request))
            options->corrects = true;
        options->kind_of[options->n_candidates] = options->list.n_kinds;
        options->candidates[options->n_candidates++] = (struct serving_candidate){
            .request = request,
            .price_per_gpu_hour = options->in->sizing.price_per_gpu_hour,
            .catalog = is_owned(&options->in->sizing) ? context->catalog : NULL,
            .as_of = context->as_of,
            .every = options->every,
            .boards = options->boards,
        };
    }
}

/* Ask the sizing question for one GPU, in a context of its own; false if it is refused. */
static bool ask_sizing(struct inference_options *options, const struct gpu *gpu, struct err *err)
{
    struct inference_options_kind *kind = &options->kinds[options->list.n_kinds];
    struct request_context *context = options->context;

    *kind = (struct inference_options_kind){.gpu = gpu};
    kind->context = context_again(context, &inference_sizing_resource, context->arena);
    struct inference_sizing_in *in = kind->context->inputs.values;
    in->gpu = gpu->slug;
    in->weight_dtype = NULL;
    if (options->list.n_kinds)
        kind->request.constants = options->kinds[0].request.constants;
    return inference_sizing_request(kind->context, in, &kind->request, err);
}

static const char *reason_of(const struct err *err, bool *with_field)
{
    bool of_gpu = strcmp(err->n_culprits ? err->culprits[0].field : "", "gpu") == 0;

    *with_field = !of_gpu;
    return of_gpu ? "figures" : "strategy";
}

static bool ask_kind(void *context, const struct gpu *gpu, struct err *err)
{
    if (!ask_sizing(context, gpu, err))
        return false;
    add_candidates(context);
    return true;
}

static void make_room(struct inference_options *options)
{
    struct arena *arena = options->context->arena;
    size_t n = options->context->catalog->n_gpus, all = n * NUMBER_COUNT;

    options->kinds = arena_alloc(arena, (n + 1) * sizeof(*options->kinds));
    options->list.context = options->context;
    options->candidates = arena_alloc(arena, (all + 1) * sizeof(*options->candidates));
    options->kind_of = arena_alloc(arena, (all + 1) * sizeof(*options->kind_of));
}

/* Each design of owned GPUs has its own ledger, and a large server has many designs: about 0.5 ms
 * of one core each. */
enum { OWNED_STAGES_MAX = 4000 };

static bool check_owned(struct inference_options *options, struct err *err)
{
    double stages = 0;

    if (!is_owned(&options->in->sizing) || !context_given(options->context, "gpus_per_node") ||
        !isnan(options->in->sizing.pipeline_parallel))
        return true;
    for (size_t i = 0; i < options->list.n_kinds; i++) {
        const struct inference_job *job = &options->kinds[i].request.job;
        stages += (double)options->kinds[i].n * fmin(job->gpus_per_node, job->shape.layers);
    }
    if (stages <= OWNED_STAGES_MAX)
        return true;
    return context_refuse(
        options->context, err, "gpus_per_node", "too_many",
        "makes too many setups to cost as owned, for all these GPUs and formats: name fewer in "
        "gpu or weight_dtype, or enter pipeline_parallel or price_per_gpu_hour");
}

bool inference_options_read(struct inference_options *options, struct err *err)
{
    struct request_context *context = options->context;
    const struct inference_options_in *in = options->in;
    struct options_filter filter = {in->sizing.gpu, in->gpu_vendor, in->datacenter_only == 1,
                                    in->min_gpu_memory_gb};
    bool good = check_single(context, err);

    good = check_measured(context, err) && good;
    good = read_formats(options, err) && good;
    good = options_check_gpus(context, in->sizing.gpu, err) && good;
    make_room(options);
    if (good && in->sizing.measurement_set && in->sizing.use_measurements != 0)
        good = inference_sizing_runs(context, in->sizing.measurement_set, &options->runs, err);
    if (!good || !options_ask_kinds(&options->list, &filter, ask_kind, reason_of, options, err))
        return false;
    if (!check_owned(options, err))
        return false;
    if (!options->kinds[0].request.load_stated)
        context_set_number(context, "concurrent_requests", options->kinds[0].request.amount,
                           SOURCE_CHOSEN, NULL);
    if (in->sizing.request_lengths)
        request_lengths_set(context, &options->kinds[0].request.job);
    else if (options->kinds[0].request.job.writes_nothing)
        context_set_number(context, "output_tokens", 0, SOURCE_CATALOG, NULL);
    if (!context_given(context, "per_gpu"))
        context_set_number(context, "per_gpu", in->frontier_only == 1 ? 0 : 1, SOURCE_DEFAULT,
                           NULL);
    return true;
}

#include "estimate/inference/support.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const double NATIVE = -1, NATIVE_FP8 = -2;

struct support {
    const char *engine, *maker, *formats;
    double capability;
    const char *evidence;
};

static const struct support table[] = {
#define SUPPORT(...) {__VA_ARGS__},
#include "estimate/inference/support.def"
#undef SUPPORT
};

enum { ROWS = sizeof(table) / sizeof(table[0]) };

/* Engines that are judged by themselves where they are asked for, by enum engine. */
static const char *const named[ENGINE_COUNT] = {[ENGINE_VLLM] = "vLLM",
                                                [ENGINE_TENSORRT_LLM] = "TensorRT-LLM",
                                                [ENGINE_SGLANG] = "SGLang",
                                                [ENGINE_LLAMA_CPP] = "llama.cpp"};

static const char *maker_of(const struct gpu *gpu)
{
    if (strcmp(gpu->vendor, "Intel") != 0)
        return gpu->vendor;
    return strncmp(gpu->slug, "gaudi", strlen("gaudi")) == 0 ? "Intel Gaudi" : "Intel Arc";
}

static const struct support *row_of(const char *engine, const char *maker, const char *format)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].engine, engine) == 0 && strcmp(table[i].maker, maker) == 0 &&
            text_in_words(table[i].formats, format))
            return &table[i];
    return NULL;
}

/* The format in which a row asks for arithmetic; NUMBER_COUNT if for none. */
static enum number native_of(const struct support *row, const struct inference_job *job)
{
    return row->capability == NATIVE       ? job->weight_format
           : row->capability == NATIVE_FP8 ? NUMBER_FP8
                                           : NUMBER_COUNT;
}

static bool is_met(const struct support *row, const struct inference_job *job)
{
    if (!row)
        return false;
    enum number native = native_of(row, job);
    return native != NUMBER_COUNT ? inference_native(job->gpu, native)
                                  : !(gpu_compute_capability(job->gpu) < row->capability);
}

/* What the engine lacks for the format or the attention. */
static const char *lacks(const struct support *row, const char *engine, const char *what,
                         const struct gpu *gpu, struct arena *arena)
{
    if (!row)
        return arena_print(arena, "%s has no kernels for %s on GPUs of %s", engine, what,
                           maker_of(gpu));
    if (row->capability == NATIVE || row->capability == NATIVE_FP8)
        return arena_print(arena, "%s needs arithmetic in %s, which %s lacks (%s)", engine,
                           row->capability == NATIVE ? what : "fp8", gpu->slug, row->evidence);
    return arena_print(arena, "%s needs compute capability %.1f for %s, %s has %s (%s)", engine,
                       row->capability, what, gpu->slug, gpu->compute_capability, row->evidence);
}

/* Says whose GPUs an engine runs on, with the evidence of the first row. */
static const char *lacks_maker(const char *engine, const struct gpu *gpu, struct arena *arena)
{
    const char *makers = NULL, *last = NULL, *evidence = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        const char *maker = table[i].maker;
        if (strcmp(table[i].engine, engine) != 0 || (last && strcmp(last, maker) == 0))
            continue; /* the rows of a maker are together */
        if (last)
            makers = makers ? arena_print(arena, "%s, %s", makers, last) : last;
        else
            evidence = table[i].evidence;
        last = maker;
    }
    return arena_print(arena, "%s does not run on %s: it has kernels for GPUs of %s%s%s (%s)",
                       engine, gpu->slug, makers ? makers : "", makers ? " and " : "", last,
                       evidence);
}

/* llama.cpp's server has four slots by default (tools/server/README.md, --parallel); Transformers
 * answers one batch after the other. */
static bool serves_many(const char *engine)
{
    return strcmp(engine, "llama.cpp") != 0 && strcmp(engine, "Transformers") != 0;
}

/* True for the first row of an engine that runs on the maker's GPUs, which represents the engine.
 */
static bool is_first(size_t i, const char *maker)
{
    if (strcmp(table[i].maker, maker) != 0)
        return false;
    for (size_t j = 0; j < i; j++)
        if (strcmp(table[j].engine, table[i].engine) == 0 && strcmp(table[j].maker, maker) == 0)
            return false;
    return true;
}

/* Where no engine is asked for, those count that run most formats on a maker's GPUs. */
static bool is_general(const char *engine)
{
    return strcmp(engine, "TensorRT-LLM") != 0 && strcmp(engine, "SGLang") != 0;
}

/* What one engine lacks; NULL if nothing. */
static const char *lacking(const struct inference_job *job, const char *engine, const char *format,
                           struct arena *arena)
{
    const char *maker = maker_of(job->gpu);
    const struct support *weights = row_of(engine, maker, format),
                         *latent = row_of(engine, maker, "mla");
    bool stored = is_met(weights, job), attends = !job->shape.mla || is_met(latent, job);

    if (stored && attends)
        return NULL;
    const char *what =
        stored ? "latent attention (MLA)" : arena_print(arena, "weights of %s", format);
    return lacks(stored ? latent : weights, engine, what, job->gpu, arena);
}

/* The same for the engine that is asked for. */
static const char *lacking_named(const struct inference_job *job, const char *format,
                                 struct arena *arena)
{
    const char *engine = named[job->engine];

    for (size_t i = 0; i < ROWS; i++)
        if (is_first(i, maker_of(job->gpu)) && strcmp(table[i].engine, engine) == 0)
            return lacking(job, engine, format, arena);
    return lacks_maker(engine, job->gpu, arena);
}

const char *inference_unsupported(const struct inference_job *job, const char *format,
                                  bool for_many, struct arena *arena)
{
    const char *why = NULL;

    if (named[job->engine])
        return lacking_named(job, format, arena);
    for (size_t i = 0; i < ROWS; i++) {
        const char *engine = table[i].engine;
        if (!is_first(i, maker_of(job->gpu)) || !is_general(engine) ||
            (for_many && !serves_many(engine)))
            continue;
        const char *one = lacking(job, engine, format, arena);
        if (!one)
            return NULL;
        why = why ? arena_print(arena, "%s; %s", why, one) : one;
    }
    return why;
}

const char *inference_refusal(const struct inference_job *job, const char *why, bool for_many,
                              struct arena *arena)
{
    if (named[job->engine])
        return why;
    return arena_join(
        arena, for_many ? "No engine serves many users on it. " : "No engine runs it. ", why);
}

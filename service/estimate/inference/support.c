#include "estimate/inference/support.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const double NATIVE = -1, NATIVE_FP8 = -2;

struct support {
    const char *engine, *vendor, *formats;
    double capability;
    const char *evidence;
};

static const struct support table[] = {
#define SUPPORT(...) {__VA_ARGS__},
#include "estimate/inference/support.def"
#undef SUPPORT
};

enum { ROWS = sizeof(table) / sizeof(table[0]) };

static const struct support *row_of(const char *engine, const char *vendor, const char *format)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].engine, engine) == 0 && strcmp(table[i].vendor, vendor) == 0 &&
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
                           gpu->vendor);
    if (row->capability == NATIVE || row->capability == NATIVE_FP8)
        return arena_print(arena, "%s needs arithmetic in %s, which %s lacks (%s)", engine,
                           row->capability == NATIVE ? what : "fp8", gpu->slug, row->evidence);
    return arena_print(arena, "%s needs compute capability %.1f for %s, %s has %s (%s)", engine,
                       row->capability, what, gpu->slug, gpu->compute_capability, row->evidence);
}

/* llama.cpp's server has four slots by default (tools/server/README.md, --parallel); Transformers
 * answers one batch after the other. */
static bool serves_many(const char *engine)
{
    return strcmp(engine, "llama.cpp") != 0 && strcmp(engine, "Transformers") != 0;
}

/* True for the first row of an engine that runs on the vendor's GPUs, which represents the
 * engine. */
static bool is_first(size_t i, const char *vendor)
{
    if (strcmp(table[i].vendor, vendor) != 0)
        return false;
    for (size_t j = 0; j < i; j++)
        if (strcmp(table[j].engine, table[i].engine) == 0 && strcmp(table[j].vendor, vendor) == 0)
            return false;
    return true;
}

const char *inference_unsupported(const struct inference_job *job, const char *format,
                                  bool for_many, struct arena *arena)
{
    const struct gpu *gpu = job->gpu;
    const char *why = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        if (!is_first(i, gpu->vendor) || (for_many && !serves_many(table[i].engine)))
            continue;
        const char *engine = table[i].engine;
        const struct support *weights = row_of(engine, gpu->vendor, format),
                             *latent = row_of(engine, gpu->vendor, "mla");
        bool stored = is_met(weights, job), attends = !job->shape.mla || is_met(latent, job);
        if (stored && attends)
            return NULL;
        const char *what =
            stored ? "latent attention (MLA)" : arena_print(arena, "weights of %s", format);
        const char *one = lacks(stored ? latent : weights, engine, what, gpu, arena);
        why = why ? arena_print(arena, "%s; %s", why, one) : one;
    }
    return why;
}

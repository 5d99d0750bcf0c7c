#include "estimate/measurement/nearest.h"

#include "base/sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 0: not to be compared. */
enum sort { SORT_NONE, SORT_TRAINING, SORT_SERVED, SORT_STATIC, SORT_POOLS };

/* What a difference counts, of names and of a factor of two in numbers. They order the runs and say
 * what is shown; no estimate rests on them. */
static const float OTHER_GPU = 1, LIKE_GPU = 0.5F, OTHER_SOFTWARE = 0.5F, UNKNOWN_SOFTWARE = 0.25F,
                   OTHER_PRECISION = 0.5F, OTHER_METHOD = 1, OTHER_KIND = 1;
static const float PER_PARAMETERS = 0.25F, PER_GPUS = 0.125F, PER_BATCH = 0.125F,
                   PER_LENGTH = 0.125F;
static const double FAR = 1.5; /* another GPU and another engine, or half of both and the sizes */

struct nearest_features nearest_of_nothing(void)
{
    return (struct nearest_features){.sort = SORT_NONE};
}

/* Where a shape has no model's count, all its matrices are counted. */
static float log_parameters(const struct model_shape *s)
{
    double matrices = s->layers * s->attention_weights + s->dense_ffn_weights +
                      s->moe_layers * s->experts * s->expert_weights +
                      (s->tied ? 1 : 2) * s->vocab * s->hidden;

    return (float)log2(s->params_total > 0 ? s->params_total : matrices);
}

struct nearest_features nearest_of_training(const struct training_job *job,
                                            const struct training_strategy *on)
{
    double tokens = on->batch_sequences * job->sequence_tokens / on->gpu_count;

    return (struct nearest_features){
        .gpu = job->gpu->slug,
        .architecture = job->gpu->architecture,
        .sort = SORT_TRAINING,
        .software = (unsigned char)job->stack,
        .precision = (unsigned char)job->precision,
        .method = (unsigned char)job->method,
        .moe = job->shape.moe,
        .parameters = log_parameters(&job->shape),
        .gpus = (float)log2(on->gpu_count),
        .batch = (float)log2(tokens),
        .length = (float)log2(job->sequence_tokens),
    };
}

struct nearest_features nearest_of_inference(const struct inference_job *job, double concurrency)
{
    return (struct nearest_features){
        .gpu = job->gpu->slug,
        .architecture = job->gpu->architecture,
        .sort = job->static_batching    ? SORT_STATIC
                : job->separate_prefill ? SORT_POOLS
                                        : SORT_SERVED,
        .software = (unsigned char)job->engine,
        .precision = (unsigned char)job->weight_format,
        .moe = job->shape.moe,
        .parameters = log_parameters(&job->shape),
        .gpus = (float)log2(job->tensor * job->pipeline),
        .batch = (float)log2(fmax(1, concurrency)),
        .length = (float)log2(job->input_tokens + job->output_tokens),
    };
}

/* Slugs and architectures of a catalogue are compared as texts: a caller's figures make a copy of
 * the card. */
static float gpu_distance(const struct nearest_features *a, const struct nearest_features *b)
{
    if (a->gpu == b->gpu || strcmp(a->gpu, b->gpu) == 0)
        return 0;
    return strcmp(a->architecture, b->architecture) == 0 ? LIKE_GPU : OTHER_GPU;
}

static float software_distance(const struct nearest_features *a, const struct nearest_features *b)
{
    if (a->software == b->software)
        return 0;
    return a->software && b->software ? OTHER_SOFTWARE : UNKNOWN_SOFTWARE;
}

/* NAN, of a run that does not state a number, counts as a factor of two. */
static float apart(float a, float b)
{
    float difference = fabsf(a - b);

    return isnan(difference) ? 1 : difference;
}

static float names_apart(const struct nearest_features *a, const struct nearest_features *b)
{
    return software_distance(a, b) + (a->precision == b->precision ? 0 : OTHER_PRECISION) +
           (a->method == b->method ? 0 : OTHER_METHOD) + (a->moe == b->moe ? 0 : OTHER_KIND);
}

static float numbers_apart(const struct nearest_features *a, const struct nearest_features *b)
{
    return PER_PARAMETERS * apart(a->parameters, b->parameters) +
           PER_GPUS * apart(a->gpus, b->gpus) + PER_BATCH * apart(a->batch, b->batch) +
           PER_LENGTH * apart(a->length, b->length);
}

bool nearest_is_training(const struct nearest_features *run)
{
    return run->sort == SORT_TRAINING;
}

/* Of one model all runs have the same count of parameters. */
bool nearest_is_same(const struct nearest_features *a, const struct nearest_features *b)
{
    return a->sort == b->sort && gpu_distance(a, b) == 0 && names_apart(a, b) == 0 &&
           apart(a->parameters, b->parameters) < 0.01F;
}

static int compare_names(const struct nearest_features *a, const struct nearest_features *b)
{
    int order = (int)a->sort - (int)b->sort;

    if (order || a->sort == SORT_NONE)
        return order;
    order = a->gpu == b->gpu ? 0 : strcmp(a->gpu, b->gpu);
    order = order ? order : (int)a->software - (int)b->software;
    order = order ? order : (int)a->precision - (int)b->precision;
    order = order ? order : (int)a->method - (int)b->method;
    return order ? order : (int)a->moe - (int)b->moe;
}

static int compare_runs(const void *a, const void *b)
{
    const struct nearest_features *x = a, *y = b;
    int order = compare_names(x, y);

    return order ? order : (x->run > y->run) - (x->run < y->run);
}

void nearest_sort(struct nearest_features *runs, size_t n)
{
    sort_items(runs, n, sizeof(*runs), compare_runs);
}

static void insert(struct nearest_run *found, size_t *n, const struct nearest_features *run,
                   float distance)
{
    size_t at = *n < NEAREST_MAX ? (*n)++ : NEAREST_MAX - 1;

    for (; at > 0 && found[at - 1].distance > (double)distance; at--)
        found[at] = found[at - 1];
    found[at] = (struct nearest_run){run, (double)distance};
}

/* Runs of the same names stand together: what names differ by is worked out once for all of them,
 * and where that alone is too far none of their numbers is looked at. */
size_t nearest_find(const struct evidence *evidence, const struct nearest_features *asked,
                    struct nearest_run found[NEAREST_MAX])
{
    const struct nearest_features *runs = evidence->features, *former = NULL;
    float of_names = 0, most = INFINITY;
    size_t n = 0;

    for (size_t i = 0; i < evidence->n; i++) {
        if (runs[i].sort != asked->sort)
            continue;
        if (!former || compare_names(former, &runs[i]) != 0)
            of_names = gpu_distance(asked, &runs[i]) + names_apart(asked, &runs[i]);
        former = &runs[i];
        if (of_names >= most)
            continue;
        float distance = of_names + numbers_apart(asked, &runs[i]);
        if (distance < most)
            insert(found, &n, &runs[i], distance);
        most = n < NEAREST_MAX ? INFINITY : (float)found[n - 1].distance;
    }
    return n;
}

bool nearest_is_far(const struct nearest_run *nearest, size_t n)
{
    return n == 0 || nearest[0].distance >= FAR;
}

struct words {
    char *text;
    size_t size, n;
};

static void say(struct words *words, const char *before, const char *what)
{
    int n = snprintf(words->text + words->n, words->size - words->n, "%s%s%s", words->n ? ", " : "",
                     before, what);

    if (n > 0)
        words->n = words->n + (size_t)n < words->size ? words->n + (size_t)n : words->size - 1;
}

/* A difference below a tenth is none. */
static void say_factor(struct words *words, float asked, float run, const char *what)
{
    double factor = exp2((double)(run - asked));
    char text[32];

    if (isnan(factor) || fabs(log(factor)) < 0.1)
        return;
    snprintf(text, sizeof(text), "%.2g times ", factor);
    say(words, text, what);
}

void nearest_describe(const struct nearest_features *asked, const struct nearest_features *run,
                      char *text, size_t size)
{
    struct words words = {text, size, 0};
    float card = gpu_distance(asked, run);
    bool training = asked->sort == SORT_TRAINING;

    text[0] = '\0';
    say(&words,
        card == 0          ? "same"
        : card < OTHER_GPU ? "another"
                           : "an older or newer",
        card > 0 && card < OTHER_GPU ? " GPU of the architecture" : " GPU");
    say(&words, run->software == asked->software ? "same " : "another ",
        training ? "framework" : "engine");
    say(&words, run->precision == asked->precision ? "same " : "another ", "number format");
    if (run->method != asked->method)
        say(&words, "another ", "training method");
    if (run->moe != asked->moe)
        say(&words, run->moe ? "a mixture of experts" : "a dense model", "");
    say_factor(&words, asked->parameters, run->parameters, "the parameters");
    say_factor(&words, asked->gpus, run->gpus, "the GPUs");
    say_factor(&words, asked->batch, run->batch,
               training ? "the tokens per GPU and step" : "the requests");
    say_factor(&words, asked->length, run->length, "the length");
}

#include "estimate/measurement/nearest.h"

#include "base/number.h"
#include "base/sort.h"

#include <math.h>
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
static bool is_same_gpu(const struct nearest_features *a, const struct nearest_features *b)
{
    return a->gpu == b->gpu || strcmp(a->gpu, b->gpu) == 0;
}

static float gpu_distance(const struct nearest_features *a, const struct nearest_features *b)
{
    if (is_same_gpu(a, b))
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
    order = is_same_gpu(a, b) ? 0 : strcmp(a->gpu, b->gpu);
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
    for (size_t i = n; i-- > 0;) {
        const struct nearest_features *next = i + 1 < n ? &runs[i + 1] : NULL;
        bool same = next && runs[i].sort == next->sort && runs[i].sort != SORT_NONE;
        runs[i].group_end = next && compare_names(&runs[i], next) == 0 ? next->group_end : i + 1;
        runs[i].gpu_end = same && is_same_gpu(&runs[i], next) ? next->gpu_end : runs[i].group_end;
    }
}

static void insert(struct nearest_run *found, size_t *n, size_t max,
                   const struct nearest_features *run, float distance)
{
    size_t at = *n < max ? (*n)++ : max - 1;

    for (; at > 0 && found[at - 1].distance > (double)distance; at--)
        found[at] = found[at - 1];
    found[at] = (struct nearest_run){run, (double)distance};
}

/* What names differ by is worked out once for a group of runs with the same names; a group is left
 * as soon as that alone is too far. */
static void look(const struct evidence *evidence, const struct nearest_features *asked,
                 bool same_gpu, struct nearest_run *found, size_t *n, size_t max)
{
    const struct nearest_features *runs = evidence->features;
    float most = *n < max ? INFINITY : (float)found[*n - 1].distance;

    for (size_t g = 0; g < evidence->n; g = runs[g].gpu_end) {
        if (runs[g].sort != asked->sort || is_same_gpu(asked, &runs[g]) != same_gpu)
            continue;
        float card = same_gpu ? 0 : gpu_distance(asked, &runs[g]);
        for (size_t i = g; i < runs[g].gpu_end && card < most; i = runs[i].group_end) {
            float of_names = card + names_apart(asked, &runs[i]);
            for (size_t k = i; k < runs[i].group_end && of_names < most; k++) {
                float distance = of_names + numbers_apart(asked, &runs[k]);
                if (distance < most)
                    insert(found, n, max, &runs[k], distance);
                most = *n < max ? INFINITY : (float)found[*n - 1].distance;
            }
        }
    }
}

/* Runs on the same GPU come first: after them most of the other groups are too far. */
size_t nearest_find(const struct evidence *evidence, const struct nearest_features *asked,
                    struct nearest_run *found, size_t max)
{
    size_t n = 0;

    look(evidence, asked, true, found, &n, max);
    look(evidence, asked, false, found, &n, max);
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

static void add(struct words *words, const char *text)
{
    size_t n = strlen(text), room = words->size - 1 - words->n;

    n = n < room ? n : room;
    memcpy(words->text + words->n, text, n);
    words->n += n;
    words->text[words->n] = '\0';
}

static void say(struct words *words, const char *before, const char *what)
{
    add(words, words->n ? ", " : "");
    add(words, before);
    add(words, what);
}

/* A difference below a tenth is none. */
static void say_factor(struct words *words, float asked, float run, const char *what)
{
    static const double TENTH = 0.14426950408889634; /* log2(e) / 10 */
    double apart = (double)(run - asked);
    char text[NUMBER_SIZE];

    if (isnan(apart) || fabs(apart) < TENTH)
        return;
    number_trim(text, number_significant(text, exp2(apart), 2));
    say(words, text, " times ");
    add(words, what);
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

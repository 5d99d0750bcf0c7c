#include "estimate/measurement/nearest.h"

#include "base/number.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* SORT_NONE is not compared. */
enum sort { SORT_NONE, SORT_TRAINING, SORT_SERVED, SORT_STATIC, SORT_POOLS };

/* Weights of differences: of names, and of a factor of two in numbers. They order the runs and
 * determine what is shown; no estimate depends on them. */
static const float OTHER_GPU = 1, LIKE_GPU = 0.5F, OTHER_SOFTWARE = 0.5F, UNKNOWN_SOFTWARE = 0.25F,
                   OTHER_PRECISION = 0.5F, OTHER_METHOD = 1, OTHER_KIND = 1;
static const float PER_PARAMETERS = 0.25F, PER_GPUS = 0.125F, PER_BATCH = 0.125F,
                   PER_LENGTH = 0.125F;
static const float SAME_MODEL = 0.01F; /* names and figures of one model may be rounded apart */
static const double FAR = 1.5; /* another GPU and another engine, or half of both plus sizes */

struct nearest_features nearest_of_nothing(void)
{
    return (struct nearest_features){.sort = SORT_NONE};
}

/* If the model has no parameter count, all matrices of its shape are counted. */
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
        .input = (float)log2(job->input_tokens + 1),
        .output = (float)log2(job->output_tokens + 1),
    };
}

/* Slugs and architectures are compared as texts, since a caller's figures create a copy of the
 * card. */
static inline bool is_same_text(const char *a, const char *b)
{
    return a == b || (*a == *b && strcmp(a, b) == 0); /* most differ in the first letter */
}

static bool is_same_gpu(const struct nearest_features *a, const struct nearest_features *b)
{
    return is_same_text(a->gpu, b->gpu);
}

static float gpu_distance(const struct nearest_features *a, const struct nearest_features *b)
{
    if (is_same_gpu(a, b))
        return 0;
    return is_same_text(a->architecture, b->architecture) ? LIKE_GPU : OTHER_GPU;
}

static float software_distance(const struct nearest_features *a, const struct nearest_features *b)
{
    if (a->software == b->software)
        return 0;
    return a->software && b->software ? OTHER_SOFTWARE : UNKNOWN_SOFTWARE;
}

/* NAN (a number that the run does not state) counts as a factor of two. */
static float apart(float a, float b)
{
    float difference = fabsf(a - b);

    return isnan(difference) ? 1 : difference;
}

static inline float names_apart(const struct nearest_features *a, const struct nearest_features *b)
{
    return software_distance(a, b) + (a->precision == b->precision ? 0 : OTHER_PRECISION) +
           (a->method == b->method ? 0 : OTHER_METHOD) + (a->moe == b->moe ? 0 : OTHER_KIND);
}

/* All runs of one model have the same parameter count. */
bool nearest_is_same(const struct nearest_features *a, const struct nearest_features *b)
{
    return a->sort == b->sort && gpu_distance(a, b) == 0 && names_apart(a, b) == 0 &&
           apart(a->parameters, b->parameters) < SAME_MODEL;
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

/* Tie order of equally near runs. */
static int compare_runs(const struct nearest_features *a, const struct nearest_features *b)
{
    int order = compare_names(a, b);

    return order ? order : (a->run > b->run) - (a->run < b->run);
}

static int compare_places(const void *a, const void *b)
{
    const struct nearest_features *x = a, *y = b;
    int order = compare_names(x, y);

    order = order ? order : sort_order(x->parameters, y->parameters);
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

void nearest_sort(struct nearest_features *runs, size_t n)
{
    sort_items(runs, n, sizeof(*runs), compare_places);
    for (size_t i = n; i-- > 0;) {
        const struct nearest_features *next = i + 1 < n ? &runs[i + 1] : NULL;
        bool same = next && runs[i].sort == next->sort && runs[i].sort != SORT_NONE;
        bool same_names = next && compare_names(&runs[i], next) == 0;
        runs[i].group_end = same_names ? next->group_end : i + 1;
        runs[i].gpu_end = same && is_same_gpu(&runs[i], next) ? next->gpu_end : runs[i].group_end;
        runs[i].size_end = same_names && sort_order(runs[i].parameters, next->parameters) == 0
                               ? next->size_end
                               : i + 1;
    }
}

struct search {
    const struct nearest_features *asked, *runs;
    size_t begin, end;         /* the runs of the sort that is asked for */
    struct nearest_run *found; /* nearest first */
    size_t n, max;
    float most; /* maximum distance for a run to be listed */
};

/* Among equally near runs, those on the same GPU come first. */
static bool is_nearer(const struct search *search, const struct nearest_run *a,
                      const struct nearest_run *b)
{
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance;
    bool same = is_same_gpu(search->asked, a->features),
         other_same = is_same_gpu(search->asked, b->features);
    return same != other_same ? same : compare_runs(a->features, b->features) < 0;
}

static void insert(struct search *search, struct nearest_run run)
{
    struct nearest_run *found = search->found;
    bool full = search->n == search->max;

    if (full && !is_nearer(search, &run, &found[search->n - 1]))
        return;
    size_t at = full ? search->n - 1 : search->n++;
    for (; at > 0 && is_nearer(search, &run, &found[at - 1]); at--)
        found[at] = found[at - 1];
    found[at] = run;
    if (search->n == search->max)
        search->most = (float)found[search->n - 1].distance;
}

/* Look at the runs with the same names and parameter count. */
static void look_at_size(struct search *search, size_t first, float of_names, float of_parameters)
{
    const struct nearest_features *asked = search->asked;

    for (size_t i = first; i < search->runs[first].size_end; i++) {
        const struct nearest_features *run = &search->runs[i];
        float of_numbers = of_parameters + PER_GPUS * apart(asked->gpus, run->gpus);
        if (of_names + of_numbers > search->most)
            continue;
        of_numbers = of_numbers + PER_BATCH * apart(asked->batch, run->batch) +
                     PER_LENGTH * apart(asked->length, run->length);
        if (of_names + of_numbers <= search->most)
            insert(search, (struct nearest_run){run, (double)(of_names + of_numbers)});
    }
}

/* Look at the runs on one GPU. The distance of names is computed once per group of runs with the
 * same names, which is sorted by parameter count. */
static void look_at_gpu(struct search *search, size_t first, float of_gpu)
{
    const struct nearest_features *asked = search->asked, *runs = search->runs;

    for (size_t g = first; g < runs[first].gpu_end; g = runs[g].group_end) {
        float of_names = of_gpu + names_apart(asked, &runs[g]);
        if (of_names > search->most)
            continue;
        for (size_t i = g; i < runs[g].group_end; i = runs[i].size_end) {
            float of_parameters = PER_PARAMETERS * apart(asked->parameters, runs[i].parameters);
            if (of_names + of_parameters <= search->most)
                look_at_size(search, i, of_names, of_parameters);
        }
    }
}

/* Look at the runs on other GPUs, either those of the architecture or the rest. */
static void look_at_others(struct search *search, float of_gpu)
{
    const struct nearest_features *runs = search->runs;

    for (size_t g = search->begin; g < search->end && of_gpu <= search->most; g = runs[g].gpu_end) {
        float distance = gpu_distance(search->asked, &runs[g]);
        if (distance >= of_gpu && distance <= of_gpu)
            look_at_gpu(search, g, of_gpu);
    }
}

static void look(struct search *search, size_t same_gpu)
{
    if (same_gpu < search->end)
        look_at_gpu(search, same_gpu, 0);
    look_at_others(search, LIKE_GPU);
    look_at_others(search, OTHER_GPU);
}

/* Most questions have enough runs within USUAL, so farther ones are not even sorted in at first. */
size_t nearest_find(const struct evidence *evidence, const struct nearest_features *asked,
                    struct nearest_run *found, size_t max)
{
    static const float USUAL = 1.25F;
    struct search search = {asked, evidence->features, 0, 0, found, 0, max, USUAL};
    const struct nearest_features *runs = search.runs;
    size_t same_gpu = evidence->n;

    while (search.begin < evidence->n && runs[search.begin].sort != asked->sort)
        search.begin = runs[search.begin].gpu_end;
    for (search.end = search.begin;
         search.end < evidence->n && runs[search.end].sort == asked->sort;
         search.end = runs[search.end].gpu_end)
        if (is_same_gpu(asked, &runs[search.end]))
            same_gpu = search.end;

    look(&search, same_gpu);
    if (search.n < max) {
        search.n = 0;
        search.most = FLT_MAX;
        look(&search, same_gpu);
    }
    return search.n;
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

static void say(struct words *words, const char *what)
{
    if (words->n && words->n + 2 < words->size) {
        words->text[words->n++] = ',';
        words->text[words->n++] = ' ';
    }
    add(words, what);
}

/* Two digits, without zeros at the end. The factors from 0.1 to 99, by far most, take a fifth of
 * the time of number_significant(). */
static void print_factor(char text[NUMBER_SIZE], double factor)
{
    int decimals = factor < 0.995 ? 2 : factor < 9.95 ? 1 : 0;
    long n = lrint(factor * (decimals == 2 ? 100 : decimals == 1 ? 10 : 1));

    if (!(factor >= 0.0995 && factor < 99.5)) {
        number_trim(text, number_significant(text, factor, 2));
        return;
    }
    char tens = (char)('0' + n / 10), ones = (char)('0' + n % 10);
    if (decimals == 2) {
        *text++ = '0';
        *text++ = '.';
    }
    *text++ = tens;
    if (decimals == 1 && ones != '0')
        *text++ = '.';
    if (decimals == 0 || ones != '0')
        *text++ = ones;
    *text = '\0';
}

/* As "half the", "1/8 of the", "0.7 times the", "twice the", "2.5 times the". */
static void say_times(struct words *words, double factor)
{
    static const double NEAR = 0.05, SMALL = 0.1;
    double parts = round(1 / factor);
    bool part = factor < SMALL || (parts > 2 && fabs(factor * parts - 1) < NEAR);
    char text[NUMBER_SIZE];

    if (fabs(factor / 2 - 1) < NEAR || fabs(factor * 2 - 1) < NEAR) {
        say(words, factor > 1 ? "twice the " : "half the ");
        return;
    }
    print_factor(text, part ? parts : factor);
    say(words, part ? "1/" : "");
    add(words, text);
    add(words, part ? " of the " : " times the ");
}

/* A difference below 10 % is not mentioned. */
static bool say_factor(struct words *words, float asked, float run, const char *what)
{
    static const double TENTH = 0.14426950408889634; /* log2(e) / 10 */
    double apart = (double)(run - asked);

    if (isnan(apart) || fabs(apart) < TENTH)
        return false;
    say_times(words, exp2(apart));
    add(words, what);
    return true;
}

/* Training runs seldom name their model, so the sentence states its size even if it is equal. */
static void say_size(struct words *words, float asked, float run)
{
    float difference = apart(asked, run);

    if (!say_factor(words, asked, run, "parameters"))
        say(words, difference < SAME_MODEL ? "same model size" : "nearly the same model size");
}

static const char *software_words(const struct nearest_features *asked,
                                  const struct nearest_features *run, bool training)
{
    if (run->software == asked->software)
        return training ? "same framework" : "same engine";
    if (!asked->software)
        return training ? "no framework asked for" : "no engine asked for";
    if (!run->software)
        return training ? "framework not stated" : "engine not stated";
    return training ? "another framework" : "another engine";
}

void nearest_describe(const struct nearest_features *asked, const struct nearest_features *run,
                      char *text, size_t size)
{
    struct words words = {text, size, 0};
    float card = gpu_distance(asked, run);
    bool training = asked->sort == SORT_TRAINING;

    text[0] = '\0';
    say(&words, card == 0          ? "same GPU"
                : card < OTHER_GPU ? "another GPU of the architecture"
                                   : "an older or newer GPU");
    say(&words, software_words(asked, run, training));
    say(&words,
        run->precision == asked->precision ? "same number format" : "another number format");
    if (run->method != asked->method)
        say(&words, "another training method");
    if (run->moe != asked->moe)
        say(&words, run->moe ? "a mixture of experts" : "a dense model");
    say_size(&words, asked->parameters, run->parameters);
    (void)say_factor(&words, asked->gpus, run->gpus, "GPUs");
    (void)say_factor(&words, asked->batch, run->batch,
                     training ? "tokens per GPU and step" : "requests");
    (void)say_factor(&words, asked->length, run->length, "length");
}

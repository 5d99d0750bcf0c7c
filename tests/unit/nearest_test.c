#include "estimate/measurement/nearest.h"

#include "base/random.h"
#include "tap.h"

#include <math.h>

enum { RUNS = 300, QUESTIONS = 400, SEED = 23 };

static const char *const gpus[] = {"a10", "a100", "h100", "h200"};
static const char *const architectures[] = {"ampere", "ampere", "hopper", "hopper"};
static uint64_t drawn;

static unsigned draw(unsigned n)
{
    return (unsigned)(random_bits(SEED, drawn++) % n);
}

/* Few values, so that many are equally near; now and then one that is not stated. */
static float draw_number(unsigned n)
{
    return draw(20) ? (float)draw(n) * 0.75F : (float)NAN;
}

static struct nearest_features draw_features(size_t run)
{
    unsigned gpu = draw(4);

    return (struct nearest_features){
        .gpu = gpus[gpu],
        .architecture = architectures[gpu],
        .run = run,
        .sort = (unsigned char)(1 + draw(2)),
        .software = (unsigned char)draw(3),
        .precision = (unsigned char)draw(2),
        .method = (unsigned char)draw(2),
        .moe = draw(2),
        .parameters = draw_number(8),
        .gpus = draw_number(8),
        .batch = draw_number(8),
        .length = draw_number(4),
    };
}

/* Where it is the only one, nothing is left out or put in order. */
static double distance_alone(const struct nearest_features *asked, struct nearest_features run)
{
    struct nearest_run found;

    nearest_sort(&run, 1);
    struct evidence one = {.features = &run, .n = 1};
    return nearest_find(&one, asked, &found, 1) ? found.distance : (double)INFINITY;
}

static bool is_same_gpu(const struct nearest_features *asked, const struct nearest_features *run)
{
    return strcmp(asked->gpu, run->gpu) == 0;
}

/* Each of those found is as near as it is alone, none left out is nearer, and of two that are
 * equally near the one on the same GPU comes first. */
static bool is_right(const struct evidence *evidence, const struct nearest_features *asked,
                     const struct nearest_run *found, size_t n)
{
    size_t nearer = 0, as_near = 0;

    for (size_t i = 0; i < n; i++) {
        if (found[i].distance != distance_alone(asked, *found[i].features))
            return false;
        if (i &&
            (found[i].distance < found[i - 1].distance ||
             (found[i].distance == found[i - 1].distance &&
              (found[i].features == found[i - 1].features ||
               is_same_gpu(asked, found[i].features) > is_same_gpu(asked, found[i - 1].features)))))
            return false;
    }
    for (size_t i = 0; i < evidence->n; i++) {
        double distance = distance_alone(asked, evidence->features[i]);
        nearer += distance < found[n - 1].distance;
        as_near += distance <= found[n - 1].distance;
    }
    return nearer < n && as_near >= n;
}

static void test_nearest_are_found(void)
{
    static struct nearest_features runs[RUNS];
    size_t wrong = 0, differ = 0;

    for (size_t i = 0; i < RUNS; i++)
        runs[i] = draw_features(i);
    nearest_sort(runs, RUNS);
    struct evidence evidence = {.features = runs, .n = RUNS};
    for (int i = 0; i < QUESTIONS; i++) {
        struct nearest_features asked = draw_features(0);
        struct nearest_run found[NEAREST_MAX], first;
        size_t n = nearest_find(&evidence, &asked, found, NEAREST_MAX);
        wrong += n != NEAREST_MAX || !is_right(&evidence, &asked, found, n);
        differ += nearest_find(&evidence, &asked, &first, 1) != 1 ||
                  first.features != found[0].features || first.distance != found[0].distance;
    }
    ok(wrong == 0, "the nearest are found, of %d questions wrong: %zu", QUESTIONS, wrong);
    ok(differ == 0, "one alone is the first of several, of %d wrong: %zu", QUESTIONS, differ);
}

/* As many parameters, and differing in nothing: in the order of the catalogue. */
static void test_equals_keep_their_order(void)
{
    struct nearest_features runs[4], asked;
    struct nearest_run found[NEAREST_MAX];

    asked = draw_features(0);
    asked.parameters = asked.gpus = asked.batch = asked.length = 3;
    for (size_t i = 0; i < 4; i++) {
        runs[i] = asked;
        runs[i].run = 3 - i;
        runs[i].parameters = runs[i].run % 2 ? 2 : 4;
    }
    nearest_sort(runs, 4);
    struct evidence evidence = {.features = runs, .n = 4};
    size_t n = nearest_find(&evidence, &asked, found, NEAREST_MAX);
    ok(n == 4, "all of fewer than were asked for");
    for (size_t i = 0; i < n; i++)
        ok(found[i].features->run == i, "run %zu in its place", i);
}

/* Names, sizes in words. */
static void test_differences_in_words(void)
{
    struct nearest_features asked = draw_features(0), run;
    char text[256];

    asked = (struct nearest_features){.gpu = "h100",
                                      .architecture = "hopper",
                                      .sort = 1,
                                      .parameters = 3,
                                      .gpus = 3,
                                      .batch = 3,
                                      .length = 3};
    nearest_describe(&asked, &asked, text, sizeof(text));
    is_str(text, "same GPU, same framework, same number format, same model size",
           "nothing differs");
    run = asked;
    run.software = 1;
    nearest_describe(&asked, &run, text, sizeof(text));
    is_str(text, "same GPU, no framework asked for, same number format, same model size",
           "a run without a framework is not called different");
    nearest_describe(&run, &asked, text, sizeof(text));
    is_str(text, "same GPU, framework not stated, same number format, same model size",
           "nor is an unknown one");
    asked.software = 2;
    run.gpu = "h200";
    run.precision = run.method = 1;
    run.moe = true;
    run.parameters = 4;
    run.gpus = 1;
    run.batch = 3.1F;
    run.length = (float)NAN;
    nearest_describe(&asked, &run, text, sizeof(text));
    is_str(text,
           "another GPU of the architecture, another framework, another number format, another "
           "training method, a mixture of experts, twice the parameters, 1/4 of the GPUs",
           "all that differs");
    run.length = 3 - 6.4F;
    run.parameters = 3.02F;
    run.gpus = 3 + 1.32F;
    run.batch = 2;
    nearest_describe(&asked, &run, text, sizeof(text));
    ok(strstr(text, "nearly the same model size, 2.5 times the GPUs, half the tokens per GPU and "
                    "step, 1/84 of the length"),
       "sizes as one would say them: %s", text);
    nearest_describe(&asked, &run, text, 20);
    is_str(text, "another GPU of the ", "no more than there is room for");
}

int main(void)
{
    test_nearest_are_found();
    test_equals_keep_their_order();
    test_differences_in_words();
    return tap_done();
}

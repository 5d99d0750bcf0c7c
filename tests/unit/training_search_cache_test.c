/* A search that is remembered says what a search says, whatever of its job has changed. */
#include "api/training/search_cache.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <stdlib.h>

static struct catalog *catalog;

static unsigned drawn(unsigned n)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33) % n;
}

/* Job, GPU and constants at the same addresses each time, one thing or another changed. */
struct scene {
    struct training_constants constants;
    struct gpu gpu;
    struct model_shape shape;
    struct training_job job;
    struct training_strategy pinned;
    double loaded_at;
};

static void draw(struct scene *scene)
{
    static const char *const gpus[] = {"h100-sxm5-80gb", "a100-sxm4-80gb"};
    static const char *const models[] = {"llama-2-70b", "llama-2-7b"};
    struct err err = {0};

    fixture_need(training_constants_fill(catalog, &scene->constants, &err), &err);
    scene->gpu = *catalog_gpu(catalog, gpus[drawn(2)]);
    scene->shape = model_shape_of(catalog_model(catalog, models[drawn(2)]));
    if (drawn(3) == 0)
        scene->gpu.memory_bytes /= 2;
    if (drawn(3) == 0)
        scene->constants.eta1 *= 0.5;
    scene->job = fixture_job(&scene->constants, &scene->gpu, &scene->shape);
    scene->job.sequence_tokens = drawn(3) ? 4096 : 2048;
    training_complete(&scene->job, (double)NAN);
    scene->pinned = training_strategy_free();
    scene->pinned.gpu_count = drawn(8) ? 8 * (1 + drawn(4)) : 7;
    if (drawn(3) == 0)
        scene->pinned.zero_stage = drawn(4);
    scene->loaded_at = drawn(2);
}

static bool same_plan(const struct training_plan *a, const struct training_plan *b)
{
    return a->fits == b->fits && a->n_considered == b->n_considered &&
           a->n_weighed == b->n_weighed && a->step.seconds == b->step.seconds &&
           a->memory.required == b->memory.required && a->on.tensor == b->on.tensor &&
           a->on.pipeline == b->on.pipeline && a->on.zero_stage == b->on.zero_stage &&
           a->on.micro_batch == b->on.micro_batch && a->on.recompute == b->on.recompute;
}

/* What a search that was ended had found so far is nobody's answer. */
static void test_cancelled(struct recent *found)
{
    static struct scene scene;
    struct cancel cancel = {CANCEL_DEADLINE};
    struct training_plan plan, want;

    draw(&scene);
    scene.loaded_at = 2;
    scene.pinned = training_strategy_free();
    scene.pinned.gpu_count = 64;
    scene.job.cancel = &cancel;
    ok(!training_search_cache_search(found, scene.loaded_at, &scene.job, &scene.pinned, &plan),
       "a cancelled search finds nothing");
    scene.job.cancel = NULL;
    ok(training_search(&scene.job, &scene.pinned, &want) &&
           training_search_cache_search(found, scene.loaded_at, &scene.job, &scene.pinned, &plan) &&
           same_plan(&plan, &want),
       "and is not remembered");
}

int main(void)
{
    struct recents *all = recent_new(2, TRAINING_SEARCH_CACHE_ENTRIES);
    static struct scene scene;
    size_t wrong = 0, possible = 0;

    catalog = fixture_catalog();
    for (int i = 0; i < 3000; i++) {
        struct training_plan plan, want;
        draw(&scene);
        bool found = training_search_cache_search(recent_of(all, drawn(2)), scene.loaded_at,
                                                  &scene.job, &scene.pinned, &plan);
        bool wanted = training_search(&scene.job, &scene.pinned, &want);
        wrong += found != wanted || (found && !same_plan(&plan, &want));
        possible += found;
    }
    ok(wrong == 0 && possible > 1000, "of 3,000 searches %zu found a plan, %zu another than asked",
       possible, wrong);
    test_cancelled(recent_of(all, 0));
    catalog_free(catalog);
    recent_free(all);
    return tap_done();
}

/* What dividing a replica into stages gains for its prompts, against an event simulation of passes
 * that go round the stages. */
#include "estimate/inference/inference.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <math.h>

enum { STAGES_MOST = 8, PASSES = 40000 };

static struct catalog *catalog;
static struct inference_constants constants;

static double uniform(void)
{
    return ((double)fixture_draw(1 << 20) + 0.5) / (1 << 20);
}

static double poisson(double mean)
{
    double n = 0;

    for (double left = mean + log(uniform()); left > 0; left += log(uniform()))
        n++;
    return n;
}

/* Prompts read at once: prompts of a second over those of one stage alone. A pass takes one unit of
 * time at each stage and `longer` for each of its prompts, and begins anew once it has left the
 * last stage. */
static double simulated(size_t stages, double prompts, double longer)
{
    double free_at[STAGES_MOST] = {0}, ready[STAGES_MOST] = {0}, last = 0;

    for (size_t i = 0; i < PASSES; i++) {
        size_t pass = i % stages;
        double at = ready[pass], seconds = 1 + longer * poisson(prompts);
        for (size_t s = 0; s < stages; s++)
            free_at[s] = at = fmax(at, free_at[s]) + seconds;
        ready[pass] = last = at;
    }
    double round = last * (double)stages / PASSES;
    return (double)(stages * stages) * prompts / ((round - (double)stages) / longer);
}

static struct inference_job job_of(double stages, double input, double output)
{
    struct inference_job job =
        fixture_serving(catalog, &constants, "llama-3.1-70b", "h100-sxm5-80gb", NUMBER_FP8).job;

    job.tensor = 4;
    job.pipeline = stages;
    job.input_tokens = input;
    job.output_tokens = output;
    job.input_cv = job.output_cv = 0;
    return job;
}

static void against_simulation(void)
{
    double low = INFINITY, high = 0, fewest = INFINITY, most = 0;

    for (size_t stages = 2; stages <= STAGES_MOST; stages *= 2)
        for (double output = 30; output <= 4000; output *= 2) {
            struct inference_job job = job_of((double)stages, 10, output);
            struct inference of = inference_of(&constants, &job);
            double prompts = of.prefill.prompts_each;
            fewest = fmin(fewest, prompts);
            most = fmax(most, prompts);
            for (double longer = 0.2; longer < 6; longer *= 5) {
                double ratio = of.prefill.stages / simulated(stages, prompts, longer);
                low = fmin(low, ratio);
                high = fmax(high, ratio);
            }
        }
    ok(low > 0.8 && high < 1.05, "the estimate is %.3f to %.3f of the simulation", low, high);
    ok(fewest < 0.5 && most > 5, "with %.2g to %.2g prompts a pass", fewest, most);
}

static double gained(double stages, double input, double output)
{
    struct inference_job job = job_of(stages, input, output);

    return inference_of(&constants, &job).prefill.stages;
}

static void limits(void)
{
    struct inference_job job = job_of(4, 1000, 2000);

    ok(gained(1, 1000, 2000) == 1, "one stage gains nothing");
    ok(gained(4, 100000, 2) == 4, "full passes wait for none");
    double plain = gained(4, 1000, 2000);
    ok(plain > 1 && plain < 4, "four stages gain %.3g", plain);
    job.input_cv = 1;
    ok(inference_of(&constants, &job).prefill.stages < plain, "less with prompts of all lengths");
    job.separate_prefill = true;
    ok(inference_of(&constants, &job).prefill.stages == 4, "all where prompts alone are read");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    against_simulation();
    limits();
    catalog_free(catalog);
    return tap_done();
}

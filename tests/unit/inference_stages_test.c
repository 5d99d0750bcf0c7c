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
 * time at each stage and `longer` for each of its prompts, at most as many as it has room for, and
 * begins anew once it has left the last stage. */
static double simulated(size_t stages, double prompts, double room, double longer)
{
    double free_at[STAGES_MOST] = {0}, ready[STAGES_MOST] = {0}, last = 0, waiting = 0;

    for (size_t i = 0; i < PASSES; i++) {
        size_t pass = i % stages;
        waiting += poisson(prompts);
        double read = fmin(waiting, room);
        waiting -= read;
        double at = ready[pass], seconds = 1 + longer * read;
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

struct seen {
    double low, high, fewest, most;
};

static void compare(size_t stages, double output, double room, struct seen *seen)
{
    struct inference_job job = job_of((double)stages, 10, output);

    job.pass_tokens = isfinite(room) ? 10 * room : 0;
    struct inference of = inference_of(&constants, &job);
    for (double load = 0.02; load < 1.1; load *= 7) {
        double flight = load * inference_requests_full(&of);
        double prompts = inference_prompts_in_pass(&of, flight);
        if (prompts > 0.95 * room || prompts < 0.03)
            continue;
        seen->fewest = fmin(seen->fewest, prompts);
        seen->most = fmax(seen->most, prompts);
        for (double longer = 0.2; longer < 6; longer *= 5) {
            double ratio =
                inference_stages_gained(&of, flight) / simulated(stages, prompts, room, longer);
            seen->low = fmin(seen->low, ratio);
            seen->high = fmax(seen->high, ratio);
        }
    }
}

static void against_simulation(void)
{
    struct seen seen = {INFINITY, 0, INFINITY, 0};

    for (size_t stages = 2; stages <= STAGES_MOST; stages *= 2)
        for (double output = 30; output <= 4000; output *= 4)
            for (double room = 1; room < 1e3; room *= 4)
                compare(stages, output, room < 100 ? room : (double)INFINITY, &seen);
    ok(seen.low > 0.83 && seen.high < 1.05, "the estimate is %.3f to %.3f of the simulation",
       seen.low, seen.high);
    ok(seen.fewest < 0.05 && seen.most > 5, "with %.2g to %.2g prompts a pass", seen.fewest,
       seen.most);
}

static double gained(const struct inference_job *job, double load)
{
    struct inference of = inference_of(&constants, job);

    return inference_stages_gained(&of, load * inference_requests_full(&of));
}

static void limits(void)
{
    struct inference_job job = job_of(4, 1000, 2000), one = job_of(1, 1000, 2000),
                         full = job_of(4, 100000, 2);

    ok(gained(&one, 1) == 1, "one stage gains nothing");
    ok(gained(&full, 1) == 4, "full passes wait for none");
    double plain = gained(&job, 1);
    ok(plain > 1 && plain < 4, "four stages gain %.3g", plain);
    ok(gained(&job, 1e-3) < 1.01, "nothing where prompts are rare");
    job.input_cv = 1;
    ok(gained(&job, 1) < plain, "less with prompts of all lengths");
    job.separate_prefill = true;
    ok(gained(&job, 1) == 4, "all where prompts alone are read");
}

/* Random replicas: more requests in flight gain more, and a prompt takes no longer if the prefix
 * cache holds more of it. */
static void grow(void)
{
    size_t n = 0, more = 0, shorter = 0;

    for (; n < 2000; n++) {
        double lengths = pow(10, 1 + 4 * uniform()), answers = pow(10, 0.5 + 3 * uniform());
        struct inference_job job = job_of(2 + floor(7 * uniform()), lengths, answers);
        job.input_cv = 2 * uniform();
        job.cached_ratio = 0.9 * uniform();
        double load = pow(uniform(), 3);
        struct inference of = inference_of(&constants, &job);
        double flight = load * inference_requests_full(&of);
        double here = inference_stages_gained(&of, flight);
        more += inference_stages_gained(&of, 1.2 * flight) >= here * (1 - 1e-9);
        double seconds = of.prefill.marginal / here;
        job.cached_ratio += (1 - job.cached_ratio) * uniform();
        of = inference_of(&constants, &job);
        shorter +=
            of.prefill.marginal / inference_stages_gained(&of, flight) <= seconds * (1 + 1e-9);
    }
    ok(more == n, "more in flight gain more, %zu of %zu", more, n);
    ok(shorter == n, "a prefix cache makes no prompt longer, %zu of %zu", shorter, n);
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    against_simulation();
    limits();
    grow();
    catalog_free(catalog);
    return tap_done();
}

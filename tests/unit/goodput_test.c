/* Goodput: published runs, the formula against a simulation of failures, and the best interval
 * between checkpoints. */
#include "estimate/training/plan/goodput.h"

#include "fixture.h"
#include "tap.h"

#include <stdint.h>

static struct goodput_constants constants;
static const double unknown = (double)NAN;

static struct goodput_run run_of(double gpu_count, double parameters)
{
    return (struct goodput_run){gpu_count, 14 * parameters, unknown, unknown, unknown};
}

/* What each source reports, and the range it must lie in. */
static void published_runs(void)
{
    struct goodput_run llama = run_of(16384, 405e9), opt = run_of(992, 175e9);
    struct goodput got = goodput_of(&constants, &llama);

    is_near(got.failure_interval / 3600, 54 * 24 / 419.0, 1e-3, "Llama 3: 419 in 54 days");
    ok(goodput_worst(&constants, &llama).share < 0.9 &&
           goodput_best(&constants, &llama).share > 0.9,
       "Llama 3: 90 %% effective training time lies in the band");
    is_near(got.share, 0.9, 0.03, "and near the middle");
    is_near(goodput_worst(&constants, &opt).failure_interval / 86400, 60 / 105.0, 1e-3,
            "OPT-175B: 35 manual and 70 automatic restarts in two months");
}

/* A xorshift generator: the same failures on every machine. */
static double uniform(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Seconds until `needed` seconds pass without a failure, restarts of `restart` seconds after each
 * one: those may fail too. */
static double survive(double needed, double interval, double restart)
{
    double spent = 0;

    for (;;) {
        double until = -interval * log(uniform());
        if (until >= needed)
            return spent + needed;
        spent += until;
        for (until = -interval * log(uniform()); until < restart;
             until = -interval * log(uniform()))
            spent += until;
        spent += restart;
    }
}

/* The share of time in which work advances, of many blocks of work and a checkpoint. */
static double simulate(double work, const struct goodput *g)
{
    enum { BLOCKS = 400000 };
    double spent = 0;

    for (int i = 0; i < BLOCKS; i++)
        spent += survive(work + g->checkpoint_seconds, g->failure_interval, g->restart_seconds);
    return BLOCKS * work / spent;
}

static void simulation_agrees(void)
{
    static const struct goodput_run runs[] = {
        {16384, 5.67e12, 0.4736, 30, 600},
        {65536, 5.67e12, 1.764, 60, 900},
        {8, 1e11, 0.3, 100, 600},
    };

    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct goodput g = goodput_of(&constants, &runs[i]);
        is_near(simulate(g.checkpoint_interval, &g), g.share, 0.01, "%.0f GPUs: %.4f",
                runs[i].gpu_count, g.share);
    }
}

/* Young's interval is the best to first order: half and twice as long lose more. */
static void interval_is_best(void)
{
    const struct goodput_run run = {16384, 5.67e12, 0.4736, 30, 600};
    struct goodput g = goodput_of(&constants, &run);
    double best = simulate(g.checkpoint_interval, &g);

    is_near(g.checkpoint_interval, sqrt(2 * 30 * g.failure_interval), 1e-12, "sqrt(2 C M)");
    ok(best > simulate(g.checkpoint_interval / 2.5, &g), "shorter loses more");
    ok(best > simulate(g.checkpoint_interval * 2.5, &g), "longer loses more");
}

static void limits(void)
{
    struct goodput_run never = {1024, 1e12, 0, unknown, unknown};
    struct goodput_run run = run_of(8, 8e9), more = run_of(8192, 8e9);

    ok(goodput_of(&constants, &never).share == 1, "nothing fails, nothing is lost");
    ok(isinf(goodput_of(&constants, &never).checkpoint_interval), "and no checkpoint is needed");
    ok(goodput_of(&constants, &run).share > 0.995, "8 GPUs hardly fail");
    ok(goodput_of(&constants, &more).share < goodput_of(&constants, &run).share,
       "more GPUs fail more often");
    ok(goodput_worst(&constants, &more).share < goodput_of(&constants, &more).share &&
           goodput_of(&constants, &more).share < goodput_best(&constants, &more).share,
       "the band is around the middle");
    struct goodput_run stated = {8192, 1e12, 1, 10, 100};
    ok(goodput_worst(&constants, &stated).share == goodput_best(&constants, &stated).share,
       "what the run says itself has no band");
    struct goodput_run doomed = {131072, 1e14, 1e6, 1e5, 1e5};
    double share = goodput_of(&constants, &doomed).share;
    ok(share >= 0 && share < 1e-6, "a run that fails all the time stays within 0 and 1");
}

static void checkpoints(const struct catalog *catalog)
{
    struct training_job job = {.gpu = catalog_gpu(catalog, "h100-sxm5-80gb"),
                               .precision = TRAINING_BF16,
                               .optimizer = TRAINING_ADAMW,
                               .shape = {.params_total = 176e9},
                               .trainable_ratio = 1};

    is_near(goodput_checkpoint_bytes(&job), 14 * 176e9, 1e-12, "2 + 4 + 4 + 4 bytes a weight");
    job.method = TRAINING_LORA;
    job.trainable_ratio = 0.01;
    is_near(goodput_checkpoint_bytes(&job), 0.14 * 176e9, 1e-12, "adapters alone");
}

int main(void)
{
    struct err err = {0};
    struct catalog *catalog = fixture_catalog();

    fixture_need(goodput_constants_fill(catalog, &constants, &err), &err);
    published_runs();
    simulation_agrees();
    interval_is_best();
    limits();
    checkpoints(catalog);
    catalog_free(catalog);
    return tap_done();
}

#include "estimate/risk/risk.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Equally likely bins of an input; and bins merged per decision, to reduce the noise of their
 * means. */
enum { BINS = 32, BINS_OF_CHOICE = 4 };

struct simulation {
    const struct risk_model *model;
    uint64_t seed;
    size_t draws;
    double *savings, *presents, *months; /* one per draw */
    double variation;                    /* sum of squared deviations of the savings from their
                                          * mean */
    struct risk *out;
};

/* ---- the draws */

static void run_block(void *context, size_t block)
{
    const struct simulation *simulation = context;
    size_t first = block * RISK_BLOCK, left = simulation->draws - first;
    size_t n = left < RISK_BLOCK ? left : RISK_BLOCK;
    struct risk_trial trials[RISK_BLOCK];

    risk_run_block(simulation->model, simulation->seed, first, n, trials);
    for (size_t i = 0; i < n; i++) {
        simulation->savings[first + i] = trials[i].saving;
        simulation->presents[first + i] = trials[i].present;
        simulation->months[first + i] = trials[i].months;
    }
}

static double mean_of(const double numbers[], size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += numbers[i] - numbers[0]; /* shifted, to avoid cancellation */
    return numbers[0] + sum / (double)n;
}

static void add_up(struct simulation *simulation)
{
    struct risk *out = simulation->out;
    double n = (double)simulation->draws;
    size_t cheaper = 0, reached = 0;

    out->mean_saving = mean_of(simulation->savings, simulation->draws);
    out->mean_present = mean_of(simulation->presents, simulation->draws);
    for (size_t i = 0; i < simulation->draws; i++) {
        double saving = simulation->savings[i], apart = saving - out->mean_saving;
        simulation->variation += apart * apart;
        cheaper += saving >= 0;
        reached += isfinite(simulation->months[i]) != 0;
        out->regret_of_renting += fmax(saving, 0);
        out->regret_of_buying += fmax(-saving, 0);
    }
    out->regret_of_renting /= n;
    out->regret_of_buying /= n;
    out->probability_buy = (double)cheaper / n;
    out->probability_reached = (double)reached / n;
}

/* ---- effect of each input on the saving */

struct bin {
    double n, sum; /* draws; sum of savings minus the overall mean */
};

static void fill_bins(const struct simulation *simulation, size_t input, struct bin bins[BINS])
{
    double units[RISK_BLOCK];

    for (size_t first = 0; first < simulation->draws; first += RISK_BLOCK) {
        size_t left = simulation->draws - first, n = left < RISK_BLOCK ? left : RISK_BLOCK;
        risk_units(simulation->model, input, simulation->seed, first, units, n);
        for (size_t i = 0; i < n; i++) {
            struct bin *bin = &bins[(size_t)(units[i] * BINS)];
            bin->n++;
            bin->sum += simulation->savings[first + i] - simulation->out->mean_saving;
        }
    }
}

/* Variance between bins over total variance, as epsilon squared (Kelley: An unbiased correlation
 * ratio measure; PNAS 21, 1935): the expectation is 0 for an input without effect. */
static double variance_share(const struct simulation *simulation, const struct bin bins[BINS])
{
    double between = 0, used = 0;

    for (int b = 0; b < BINS; b++) {
        if (bins[b].n == 0)
            continue;
        used++;
        between += bins[b].sum * bins[b].sum / bins[b].n;
    }
    double within = (simulation->variation - between) / ((double)simulation->draws - used);
    return fmax(0, (between - (used - 1) * within) / simulation->variation);
}

/* The mean gain of the better side in each decision, minus that of a single decision. */
static double information_value(const struct simulation *simulation, const struct bin bins[BINS])
{
    double mean = simulation->out->mean_saving, gain = 0;

    for (int b = 0; b < BINS; b += BINS_OF_CHOICE) {
        double sum = 0;
        for (int i = b; i < b + BINS_OF_CHOICE; i++)
            sum += bins[i].sum + bins[i].n * mean;
        gain += fmax(sum, 0);
    }
    return fmax(0, gain / (double)simulation->draws - fmax(mean, 0));
}

static void weigh_input(void *context, size_t input)
{
    const struct simulation *simulation = context;
    struct risk *out = simulation->out;
    struct bin bins[BINS] = {{0, 0}};

    if (simulation->variation == 0) {
        out->variance_share[input] = (double)NAN;
        return;
    }
    if (!simulation->model->drawn[input])
        return;
    fill_bins(simulation, input, bins);
    out->variance_share[input] = variance_share(simulation, bins);
    if (out->variance_share[input] > 0)
        out->information[input] = information_value(simulation, bins);
}

/* ---- distributions */

/* The ranks of 5, 50 and 95 percent of all draws. */
static void fill_percentiles(const double numbers[], size_t n, double *room,
                             double out[RISK_PERCENTILES])
{
    static const size_t percents[RISK_PERCENTILES] = {5, 50, 95};

    for (int i = 0; i < RISK_PERCENTILES; i++) {
        memcpy(room, numbers, n * sizeof(*room));
        out[i] = sort_select(room, n, (n * percents[i] + 99) / 100 - 1);
    }
}

static void count_classes(const double numbers[], size_t n, double least, double width,
                          size_t count[RISK_CLASSES])
{
    for (size_t i = 0; i < n; i++) {
        double place = width > 0 ? (numbers[i] - least) / width : 0;
        count[place < RISK_CLASSES ? (int)place : RISK_CLASSES - 1]++;
    }
}

static void fill_classes(const double numbers[], size_t n, struct risk *out)
{
    double least = (double)INFINITY, most = -(double)INFINITY;
    size_t count[RISK_CLASSES] = {0}, so_far = 0;

    for (size_t i = 0; i < n; i++) {
        least = fmin(least, numbers[i]);
        most = fmax(most, numbers[i]);
    }
    double width = (most - least) / RISK_CLASSES;
    count_classes(numbers, n, least, width, count);
    out->n_classes = width > 0 ? RISK_CLASSES : 1;
    for (size_t c = 0; c < out->n_classes; c++) {
        so_far += count[c];
        out->classes[c] = (struct risk_class){
            .from = least + (double)c * width,
            .to = c + 1 == out->n_classes ? most : least + (double)(c + 1) * width,
            .share = (double)count[c] / (double)n,
            .share_up_to = (double)so_far / (double)n,
        };
    }
}

void risk_simulate(const struct risk_model *model, uint64_t seed, size_t draws,
                   const struct parallel *parallel, struct arena *arena, struct risk *out)
{
    size_t blocks = (draws + RISK_BLOCK - 1) / RISK_BLOCK;
    struct simulation simulation = {
        .model = model,
        .seed = seed,
        .draws = draws,
        .savings = arena_alloc(arena, draws * sizeof(double)),
        .presents = arena_alloc(arena, draws * sizeof(double)),
        .months = arena_alloc(arena, draws * sizeof(double)),
        .out = out,
    };
    double *room = arena_alloc(arena, draws * sizeof(double));

    memset(out, 0, sizeof(*out));
    parallel_each(parallel, blocks, run_block, &simulation);
    if (parallel && cancelled(parallel->cancel))
        return;
    add_up(&simulation);
    parallel_each(parallel, model->n, weigh_input, &simulation);
    fill_percentiles(simulation.savings, draws, room, out->saving);
    fill_percentiles(simulation.presents, draws, room, out->present);
    fill_percentiles(simulation.months, draws, room, out->months);
    fill_classes(simulation.savings, draws, out);
}

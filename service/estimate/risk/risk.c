#include "estimate/risk/risk.h"

#include "base/quickselect.h"
#include "estimate/risk/model.h"

#include <math.h>

void risk_try(const struct risk_model *model, uint64_t seed, size_t number, struct risk_trial *out)
{
    double savings[RISK_BLOCK], months[RISK_BLOCK];
    struct risk_columns columns;

    risk_draw(model, seed, number, &columns);
    risk_sample_path(model, &columns, savings, months);
    for (int input = 0; input < RISK_INPUTS; input++)
        out->value[input] = columns.value[input][0];
    out->value[RISK_RENT_DECLINE] = model->rent_used.value[columns.place[RISK_RENT_DECLINE][0]];
    out->value[RISK_RETENTION] = model->sold.value[columns.place[RISK_RETENTION][0]];
    out->saving = savings[0];
    out->months = months[0];
}

/* Sums over the draws of one bin of an input. */
struct bin {
    double n, sum;
};

/* Sums over a block of draws, then over all: of the saving less `simulation.middle`. */
struct tally {
    double sum, squares, gains, losses;
    size_t cheaper, reached;
    double least, most;
    struct bin bins[RISK_INPUTS][RISK_BINS];
};

struct simulation {
    const struct risk_model *model;
    uint64_t seed;
    size_t draws;
    double middle; /* shifted by an estimate of the mean, to avoid cancellation in the sum of
                      squares */
    double *savings, *months;
    struct tally *blocks;
};

static void tally_saving(struct tally *tally, double saving, double middle)
{
    double apart = saving - middle;

    tally->sum += apart;
    tally->squares += apart * apart;
    tally->gains += saving > 0 ? saving : 0;
    tally->losses += saving < 0 ? -saving : 0;
    tally->cheaper += saving >= 0;
    tally->least = saving < tally->least ? saving : tally->least;
    tally->most = saving > tally->most ? saving : tally->most;
}

static void tally_input(struct tally *tally, int input, const uint16_t places[],
                        const double savings[], size_t n, double middle)
{
    struct bin *bins = tally->bins[input];

    for (size_t i = 0; i < n; i++) {
        struct bin *bin = &bins[places[i] / (RISK_VALUES / RISK_BINS)];
        bin->n++;
        bin->sum += savings[i] - middle;
    }
}

static void run_block(void *context, size_t block)
{
    const struct simulation *simulation = context;
    size_t first = block * RISK_BLOCK, left = simulation->draws - first;
    size_t n = left < RISK_BLOCK ? left : RISK_BLOCK;
    struct tally *tally = &simulation->blocks[block];
    double *savings = simulation->savings + first, *months = simulation->months + first;
    struct risk_columns columns;

    risk_draw(simulation->model, simulation->seed, first, &columns);
    *tally = (struct tally){.least = (double)INFINITY, .most = -(double)INFINITY};
    risk_sample_path(simulation->model, &columns, savings, months);
    for (size_t i = 0; i < n; i++) {
        tally_saving(tally, savings[i], simulation->middle);
        tally->reached += isfinite(months[i]) != 0;
    }
    for (int input = 0; input < RISK_INPUTS; input++)
        if (simulation->model->drawn[input])
            tally_input(tally, input, columns.place[input], savings, n, simulation->middle);
}

static void add_tally(struct tally *all, const struct tally *block)
{
    all->sum += block->sum;
    all->squares += block->squares;
    all->gains += block->gains;
    all->losses += block->losses;
    all->cheaper += block->cheaper;
    all->reached += block->reached;
    all->least = fmin(all->least, block->least);
    all->most = fmax(all->most, block->most);
    for (int input = 0; input < RISK_INPUTS; input++)
        for (int b = 0; b < RISK_BINS; b++) {
            all->bins[input][b].n += block->bins[input][b].n;
            all->bins[input][b].sum += block->bins[input][b].sum;
        }
}

/* Variance between the bins over all of it, as the square of epsilon (Kelley: An unbiased
 * correlation ratio measure; PNAS 21, 1935): bins of pure chance come out as 0 on average. */
static double variance_share(const struct tally *all, int input, double draws)
{
    double mean = all->sum / draws, total = all->squares - all->sum * mean, between = 0, bins = 0;

    for (int b = 0; b < RISK_BINS; b++) {
        const struct bin *bin = &all->bins[input][b];
        if (bin->n == 0)
            continue;
        bins++;
        between += bin->n * (bin->sum / bin->n - mean) * (bin->sum / bin->n - mean);
    }
    double within = (total - between) / (draws - bins);
    return fmax(0, (between - (bins - 1) * within) / total);
}

static void fill_shares(const struct simulation *simulation, const struct tally *all,
                        struct risk *out)
{
    bool varies = all->most > all->least;

    for (int input = 0; input < RISK_INPUTS; input++)
        out->variance_share[input] = !varies ? (double)NAN
                                     : simulation->model->drawn[input]
                                         ? variance_share(all, input, (double)simulation->draws)
                                         : 0;
}

/* Numbers sorted into classes of equal width from the least to the most, which narrows down where
 * the k-th of them is. */
struct classes {
    const double *numbers;
    size_t n, count[RISK_CLASSES];
    double least, width; /* no width: all are the same */
    uint8_t *of;         /* the class of each */
    double *some;        /* room for as many */
};

static void sort_into(struct classes *classes, double least, double most)
{
    classes->least = least;
    classes->width = (most - least) / RISK_CLASSES;
    for (size_t i = 0; i < classes->n; i++) {
        double place = classes->width > 0 ? (classes->numbers[i] - least) / classes->width : 0;
        int which = place < RISK_CLASSES ? (int)place : RISK_CLASSES - 1;
        classes->of[i] = (uint8_t)which;
        classes->count[which]++;
    }
}

static double place_in(const struct classes *classes, size_t k)
{
    size_t which = 0, n = 0;

    for (; k >= classes->count[which]; which++)
        k -= classes->count[which];
    for (size_t i = 0; i < classes->n; i++) {
        classes->some[n] = classes->numbers[i];
        n += classes->of[i] == which;
    }
    return quickselect(classes->some, n, k);
}

/* The places of 5, 50 and 95 percent of all draws; of those that are not among the numbers nothing
 * comes. */
static void fill_percentiles(const struct classes *classes, size_t draws,
                             double out[RISK_PERCENTILES])
{
    static const size_t percents[RISK_PERCENTILES] = {5, 50, 95};

    for (int i = 0; i < RISK_PERCENTILES; i++) {
        size_t k = (draws * percents[i] + 99) / 100 - 1;
        out[i] = k < classes->n ? place_in(classes, k) : (double)INFINITY;
    }
}

static void fill_classes(const struct classes *classes, double most, struct risk *out)
{
    double width = classes->width, draws = (double)classes->n;
    size_t so_far = 0;

    out->n_classes = width > 0 ? RISK_CLASSES : 1;
    for (size_t c = 0; c < out->n_classes; c++) {
        so_far += classes->count[c];
        out->classes[c] = (struct risk_class){
            .from = classes->least + (double)c * width,
            .to = c + 1 == out->n_classes ? most : classes->least + (double)(c + 1) * width,
            .share = (double)classes->count[c] / draws,
            .share_up_to = (double)so_far / draws,
        };
    }
}

/* The months that are reached. */
static size_t keep_reached(double *months, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        months[kept] = months[i];
        kept += months[i] < (double)INFINITY;
    }
    return kept;
}

static void fill_distributions(const struct simulation *simulation, const struct tally *all,
                               struct arena *arena, struct risk *out)
{
    size_t draws = simulation->draws;
    struct classes savings = {.numbers = simulation->savings,
                              .n = draws,
                              .of = arena_alloc(arena, draws),
                              .some = arena_alloc(arena, (draws + 1) * sizeof(double))};
    struct classes months = {.numbers = simulation->months,
                             .n = keep_reached(simulation->months, draws),
                             .of = savings.of,
                             .some = savings.some};

    sort_into(&savings, all->least, all->most);
    fill_classes(&savings, all->most, out);
    fill_percentiles(&savings, draws, out->saving);
    sort_into(&months, 0, RISK_MONTHS_MAX);
    fill_percentiles(&months, draws, out->months);
}

static struct tally run_blocks(struct simulation *simulation, const struct parallel *parallel)
{
    size_t n = (simulation->draws + RISK_BLOCK - 1) / RISK_BLOCK;
    struct tally all = {.least = (double)INFINITY, .most = -(double)INFINITY};

    parallel_each(parallel, n, run_block, simulation);
    for (size_t block = 0; block < n; block++)
        add_tally(&all, &simulation->blocks[block]);
    return all;
}

void risk_simulate(const struct risk_model *model, uint64_t seed, size_t draws,
                   const struct parallel *parallel, struct arena *arena, struct risk *out)
{
    size_t blocks = (draws + RISK_BLOCK - 1) / RISK_BLOCK;
    struct simulation simulation = {
        .model = model,
        .seed = seed,
        .draws = draws,
        .savings = arena_alloc(arena, blocks * RISK_BLOCK * sizeof(double)),
        .months = arena_alloc(arena, blocks * RISK_BLOCK * sizeof(double)),
        .blocks = arena_alloc(arena, blocks * sizeof(struct tally)),
    };
    struct risk_trial first;

    risk_try(model, seed, 0, &first);
    simulation.middle = first.saving;
    struct tally all = run_blocks(&simulation, parallel);
    if (parallel && cancelled(parallel->cancel))
        return;
    double n = (double)draws;
    out->probability_buy = (double)all.cheaper / n;
    out->probability_reached = (double)all.reached / n;
    out->mean_saving = simulation.middle + all.sum / n;
    out->regret_of_buying = all.losses / n;
    out->regret_of_renting = all.gains / n;
    fill_shares(&simulation, &all, out);
    fill_distributions(&simulation, &all, arena, out);
}

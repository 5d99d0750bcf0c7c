#include "estimate/risk.h"

#include "base/select.h"
#include "estimate/risk_model.h"

#include <math.h>

void risk_try(const struct risk_model *model, uint64_t seed, size_t number, struct risk_trial *out)
{
    struct risk_columns columns;

    risk_draw(model, seed, number, 1, &columns);
    for (int input = 0; input < RISK_INPUTS; input++)
        out->value[input] = columns.value[input][0];
    risk_follow(model, &columns, 1, &out->saving, &out->months);
}

/* Of the draws of one bin of an input. */
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
    double middle; /* near the mean saving, so that little is lost in the squares */
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

    risk_draw(simulation->model, simulation->seed, first, n, &columns);
    *tally = (struct tally){.least = (double)INFINITY, .most = -(double)INFINITY};
    risk_follow(simulation->model, &columns, n, savings, months);
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

/* The places of 5, 50 and 95 percent; the middle one first, which halves what is left to look at.
 */
static void fill_percentiles(double *numbers, size_t n, double out[RISK_PERCENTILES])
{
    size_t low = (n * 5 + 99) / 100 - 1, middle = (n + 1) / 2 - 1, high = (n * 95 + 99) / 100 - 1;

    out[RISK_P50] = select_place(numbers, n, middle);
    out[RISK_P05] = select_place(numbers, middle + 1, low);
    out[RISK_P95] = select_place(numbers + middle, n - middle, high - middle);
}

/* Classes of equal width from the least to the most. */
static void fill_classes(const struct simulation *simulation, const struct tally *all,
                         struct risk *out)
{
    double width = (all->most - all->least) / RISK_CLASSES, draws = (double)simulation->draws;
    size_t count[RISK_CLASSES] = {0}, so_far = 0;

    out->n_classes = width > 0 ? RISK_CLASSES : 1;
    for (size_t i = 0; i < simulation->draws; i++) {
        double place = width > 0 ? (simulation->savings[i] - all->least) / width : 0;
        count[place < RISK_CLASSES ? (size_t)place : RISK_CLASSES - 1]++;
    }
    for (size_t c = 0; c < out->n_classes; c++) {
        so_far += count[c];
        out->classes[c] = (struct risk_class){
            .from = all->least + (double)c * width,
            .to = c + 1 == out->n_classes ? all->most : all->least + (double)(c + 1) * width,
            .share = (double)count[c] / draws,
            .share_up_to = (double)so_far / draws,
        };
    }
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
        .savings = arena_alloc(arena, draws * sizeof(double)),
        .months = arena_alloc(arena, draws * sizeof(double)),
        .blocks = arena_alloc(arena, blocks * sizeof(struct tally)),
    };
    struct risk_trial first;

    risk_try(model, seed, 0, &first);
    simulation.middle = first.saving;
    struct tally all = run_blocks(&simulation, parallel);
    double n = (double)draws;
    out->probability_buy = (double)all.cheaper / n;
    out->probability_reached = (double)all.reached / n;
    out->mean_saving = simulation.middle + all.sum / n;
    out->regret_of_buying = all.losses / n;
    out->regret_of_renting = all.gains / n;
    fill_shares(&simulation, &all, out);
    fill_classes(&simulation, &all, out);
    fill_percentiles(simulation.savings, draws, out->saving);
    fill_percentiles(simulation.months, draws, out->months);
}

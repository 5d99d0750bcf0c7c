/* sample_paths.c - what comes of each draw of a block: the saving, and the month from which on
 * buying costs no more. */
#include "estimate/risk/chord_bound.h"

#include <math.h>

/* The draws, put the way the curves are. */
struct block {
    const struct risk_model *model;
    const double *electricity, *utilization, *failures, *rent_price;
    double both[RISK_BLOCK], rent_used[RISK_BLOCK]; /* each times the utilization */
    const uint16_t *decline, *retention;            /* which of the paths */
};

/* Buying less renting of draw i, from what the servers are sold for and what is rented. */
static inline double difference(const struct block *block, const struct risk_month *at, size_t i,
                                double sold, double rented)
{
    return at->base + block->electricity[i] * at->per_electricity +
           block->utilization[i] * at->per_utilization + block->both[i] * at->per_both +
           block->failures[i] * at->per_failures - sold - rented;
}

/* Most often nothing is paid for hours without use: then that curve is not read. */
static inline double rented(const struct block *block, int month, size_t i)
{
    const struct risk_model *model = block->model;
    double used = block->rent_used[i] * model->rent_used.at[month][block->decline[i]];

    return model->pays_idle
               ? used + block->rent_price[i] * model->rent_idle.at[month][block->decline[i]]
               : used;
}

/* For all draws: tables are looked up first, so that the rest can be vectorized. */
static void find_differences(const struct block *block, int month, double differences[RISK_BLOCK])
{
    const double *row = block->model->sold.at[month];
    double sold[RISK_BLOCK], rent[RISK_BLOCK];

    for (size_t i = 0; i < RISK_BLOCK; i++) {
        sold[i] = row[block->retention[i]];
        rent[i] = rented(block, month, i);
    }
    for (size_t i = 0; i < RISK_BLOCK; i++)
        differences[i] = difference(block, &block->model->curves.at[month], i, sold[i], rent[i]);
}

/* Draws that renting is cheaper for until the month where a stretch of months begins, with the
 * difference there and at its end. */
struct open {
    size_t n;
    uint16_t draw[RISK_BLOCK];
    double before[RISK_BLOCK], after[RISK_BLOCK];
};

/* Add one that counts if it is to stay. Whether it is, is chance: that is why this does not branch
 * upon it. */
static inline void put(struct open *open, uint16_t draw, double before, double after, bool stays)
{
    open->draw[open->n] = draw;
    open->before[open->n] = before;
    open->after[open->n] = after;
    open->n += stays;
}

/* Those whose difference may come down to 0 in the stretch. */
static void keep_hopeful(struct open *open, double chord_bound)
{
    size_t n = open->n;

    open->n = 0;
    for (size_t k = 0; k < n; k++) {
        double before = open->before[k], after = open->after[k];
        put(open, open->draw[k], before, after, (before < after ? before : after) <= chord_bound);
    }
}

/* Those that did not go the way in the first half of the stretch. */
static void keep_open(struct open *open, const double months[])
{
    size_t n = open->n;

    open->n = 0;
    for (size_t k = 0; k < n; k++)
        put(open, open->draw[k], open->before[k], open->after[k],
            months[open->draw[k]] == (double)INFINITY);
}

/* From a month to the next the difference is a straight line. */
static void cross(const struct open *open, int from, double months[])
{
    for (size_t k = 0; k < open->n; k++)
        months[open->draw[k]] = from + open->before[k] / (open->before[k] - open->after[k]);
}

/* The first half, then for those that did not cross there the second one. All draws of a stretch
 * are looked at in the same month, so that its rows stay at hand. Halves are halved seven times at
 * most. NOLINTNEXTLINE(misc-no-recursion) */
static void find_crossings(const struct block *block, int from, int to, struct open *open,
                           double months[])
{
    int middle = risk_middle(from, to);
    const struct risk_month *at = &block->model->curves.at[middle];
    const double *sold = block->model->sold.at[middle];
    struct open first;

    keep_hopeful(open, middle == from ? 0 : block->model->chord_bound[middle]);
    if (open->n == 0)
        return;
    if (middle == from) {
        cross(open, from, months);
        return;
    }
    first.n = open->n;
    for (size_t k = 0; k < open->n; k++) {
        uint16_t i = open->draw[k];
        first.draw[k] = i;
        first.before[k] = open->before[k];
        first.after[k] = open->before[k] =
            difference(block, at, i, sold[block->retention[i]], rented(block, middle, i));
    }
    find_crossings(block, from, middle, &first, months);
    keep_open(open, months);
    find_crossings(block, middle, to, open, months);
}

/* In a stretch, from the differences at its ends. */
static void find_in_stretch(const struct block *block, int from, int to, const double before[],
                            const double after[], double months[RISK_BLOCK])
{
    struct open open;

    open.n = 0;
    for (size_t i = 0; i < RISK_BLOCK; i++)
        put(&open, (uint16_t)i, before[i], after[i], months[i] == (double)INFINITY);
    find_crossings(block, from, to, &open, months);
}

static void set_block(struct block *block, const struct risk_model *model,
                      const struct risk_columns *columns)
{
    block->model = model;
    block->electricity = columns->value[RISK_ELECTRICITY];
    block->utilization = columns->value[RISK_UTILIZATION];
    block->failures = columns->value[RISK_FAILURES];
    block->rent_price = columns->value[RISK_RENT_PRICE];
    block->decline = columns->place[RISK_RENT_DECLINE];
    block->retention = columns->place[RISK_RETENTION];
    for (size_t i = 0; i < RISK_BLOCK; i++) {
        block->both[i] = block->electricity[i] * block->utilization[i];
        block->rent_used[i] = block->rent_price[i] * block->utilization[i];
    }
}

void risk_sample_path(const struct risk_model *model, const struct risk_columns *columns,
                      double savings[RISK_BLOCK], double months[RISK_BLOCK])
{
    int horizon = model->curves.horizon_months, last = model->curves.search_months;
    double at_first[RISK_BLOCK], at_horizon[RISK_BLOCK], at_last[RISK_BLOCK];
    struct block block;

    set_block(&block, model, columns);
    find_differences(&block, 0, at_first);
    find_differences(&block, horizon, at_horizon);
    find_differences(&block, last, at_last);
    for (size_t i = 0; i < RISK_BLOCK; i++) {
        savings[i] = -at_horizon[i];
        months[i] = at_first[i] <= 0 ? 0 : (double)INFINITY;
    }
    if (horizon < last) {
        find_in_stretch(&block, 0, horizon, at_first, at_horizon, months);
        find_in_stretch(&block, horizon, last, at_horizon, at_last, months);
    } else {
        find_in_stretch(&block, 0, last, at_first, at_last, months);
    }
}

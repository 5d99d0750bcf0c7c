#include "estimate/risk/chord_bound.h"

#include <math.h>

/* What an input, or a product of two, may be. */
struct span {
    double low, high;
};

static struct span span_of(const struct risk_model *model, enum risk_input input)
{
    return (struct span){model->triangles[input].low, model->triangles[input].high};
}

static struct span product(struct span a, struct span b)
{
    return (struct span){a.low * b.low, a.high * b.high};
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double most_of(struct span span, double number)
{
    return most(span.low * number, span.high * number);
}

/* The most that any of the negative curves bends upwards in a month: its rise from there on less
 * its rise before. */
static double most_bend(const struct risk_paths *paths, int month)
{
    enum { LANES = 8 };
    const double *before = paths->at[month - 1], *now = paths->at[month];
    const double *next = paths->at[month + 1];
    double lanes[LANES], bend = -(double)INFINITY;

    for (int j = 0; j < LANES; j++)
        lanes[j] = bend;
    for (int k = 0; k < RISK_VALUES; k += LANES)
        for (int j = 0; j < LANES; j++)
            lanes[j] = most(lanes[j], 2 * now[k + j] - before[k + j] - next[k + j]);
    for (int j = 0; j < LANES; j++)
        bend = most(bend, lanes[j]);
    return bend;
}

#define BEND(member) (at[1].member - 2 * at[0].member + at[-1].member)

/* No draw's difference bends upwards more in that month. */
static double bend_of(const struct risk_model *model, int month)
{
    const struct risk_month *at = &model->curves.at[month];
    struct span electricity = span_of(model, RISK_ELECTRICITY);
    struct span utilization = span_of(model, RISK_UTILIZATION);
    struct span rent = span_of(model, RISK_RENT_PRICE);
    double bend = BEND(base) + most_of(electricity, BEND(per_electricity)) +
                  most_of(utilization, BEND(per_utilization)) +
                  most_of(product(electricity, utilization), BEND(per_both)) +
                  most_of(span_of(model, RISK_FAILURES), BEND(per_failures)) +
                  most_bend(&model->sold, month) +
                  most_of(product(rent, utilization), most_bend(&model->rent_used, month));

    if (model->pays_idle)
        bend += most_of(rent, most_bend(&model->rent_idle, month));
    return most(bend, 0);
}

/* Size of what is added and taken away for a difference in that month; its rounding error is in
 * proportion. */
static double size_of(const struct risk_model *model, int month)
{
    const struct risk_month *at = &model->curves.at[month];
    double electricity = model->triangles[RISK_ELECTRICITY].high;
    double utilization = model->triangles[RISK_UTILIZATION].high;
    double rent = model->triangles[RISK_RENT_PRICE].high; /* most where it declines least */

    return fabs(at->base) + electricity * fabs(at->per_electricity) +
           utilization * fabs(at->per_utilization) +
           electricity * utilization * fabs(at->per_both) +
           model->triangles[RISK_FAILURES].high * fabs(at->per_failures) + fabs(at->sold) +
           rent * utilization * fabs(model->rent_used.at[month][0]) +
           (model->pays_idle ? rent * fabs(model->rent_idle.at[month][0]) : 0);
}

/* A curve that bends in each month as much as any draw's difference may hangs lower below its own
 * lines than those do. Halves are halved seven times at most. NOLINTNEXTLINE(misc-no-recursion) */
static void find_between(const double bent[], double rounding, int from, int to,
                         double chord_bound[])
{
    int middle = risk_middle(from, to);
    double slope = (bent[to] - bent[from]) / (to - from), lowest = 0;

    if (middle == from)
        return;
    for (int i = from + 1; i < to; i++)
        lowest = most(lowest, bent[from] + slope * (i - from) - bent[i]);
    chord_bound[middle] = lowest + rounding;
    find_between(bent, rounding, from, middle, chord_bound);
    find_between(bent, rounding, middle, to, chord_bound);
}

void risk_chord_bound(struct risk_model *model)
{
    const double precision = 1e-9; /* far above the rounding of a difference */
    double bent[RISK_MONTHS_MAX + 1] = {0}, slope = 0, size = size_of(model, 0);
    int last = model->curves.search_months, first = model->curves.horizon_months;

    for (int i = 1; i <= last; i++) {
        bent[i] = bent[i - 1] + slope;
        size = most(size, size_of(model, i));
        if (i < last)
            slope += bend_of(model, i);
    }
    if (first >= last)
        first = 0;
    if (first > 0)
        find_between(bent, precision * size, 0, first, model->chord_bound);
    find_between(bent, precision * size, first, last, model->chord_bound);
}

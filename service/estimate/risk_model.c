#include "estimate/risk_model.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

/* One side of a triangle: its values are `from` + `sign` x the root of an area. */
struct side {
    double from, sign, area, start, step;
};

/* Inverse of the distribution's two parabolas; needs no more than a square root. Which of them it
 * is comes of chance, which is why it is looked up and not branched upon. */
static double value_at(const struct side sides[2], double split, double unit)
{
    const struct side *side = &sides[unit < split];

    return side->from + side->sign * sqrt(side->area * (side->start + side->step * unit));
}

/* The falling side, the rising one, and where they meet. */
static double sides_of(const struct triangle *triangle, struct side sides[2])
{
    double width = triangle->high - triangle->low, rise = triangle->mode - triangle->low;

    sides[0] = (struct side){triangle->high, -1, width * (width - rise), 1, -1};
    sides[1] = (struct side){triangle->low, 1, width * rise, 0, 1};
    return width > 0 ? rise / width : 0;
}

double triangle_at(const struct triangle *triangle, double unit)
{
    struct side sides[2];
    double split = sides_of(triangle, sides);

    return value_at(sides, split, unit);
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

typedef void (*curve_fn)(const struct risk_curves *curves, double ratio, double curve[]);

/* The curves of one ratio. `sign`: of the curve in the difference's fall. */
static void make_paths(struct risk_model *model, struct risk_paths *paths, enum risk_input input,
                       curve_fn curve_of, struct arena *arena)
{
    const struct triangle *triangle = &model->triangles[input];

    paths->n = model->drawn[input] ? RISK_VALUES : 1;
    paths->at = arena_alloc(arena, (size_t)(model->curves.months + 1) * sizeof(*paths->at));
    for (size_t k = 0; k < paths->n; k++) {
        double curve[RISK_MONTHS_MAX + 1];
        bool fixed = paths->n == 1;
        paths->value[k] =
            fixed ? triangle->mode : triangle_at(triangle, ((double)k + 0.5) / (double)paths->n);
        curve_of(&model->curves, paths->value[k], curve);
        for (int i = 0; i <= model->curves.months; i++)
            paths->at[i][k] = curve[i];
        paths->fall[k] = -(double)INFINITY;
        for (int i = 1; i <= model->curves.search_months; i++)
            paths->fall[k] = most(paths->fall[k], curve[i] - curve[i - 1]);
    }
}

static void find_falls(const struct risk_curves *curves, struct risk_month *fall)
{
    const double none = -(double)INFINITY;

    *fall = (struct risk_month){.base = none, none, none, none, none};
    for (int i = 1; i <= curves->search_months; i++) {
        const struct risk_month *before = &curves->at[i - 1], *now = &curves->at[i];
        fall->base = most(fall->base, before->base - now->base);
        fall->per_electricity =
            most(fall->per_electricity, before->per_electricity - now->per_electricity);
        fall->per_utilization =
            most(fall->per_utilization, before->per_utilization - now->per_utilization);
        fall->per_both = most(fall->per_both, before->per_both - now->per_both);
        fall->per_failures = most(fall->per_failures, before->per_failures - now->per_failures);
    }
}

const struct risk_model *risk_model_make(const struct ownership *in,
                                         const struct triangle triangles[RISK_INPUTS],
                                         struct arena *arena)
{
    struct risk_model *model = arena_alloc(arena, sizeof(*model));

    risk_curves_find(in, &model->curves);
    memcpy(model->triangles, triangles, sizeof(model->triangles));
    for (int i = 0; i < RISK_INPUTS; i++)
        model->drawn[i] = triangles[i].low < triangles[i].high &&
                          risk_curves_depend(&model->curves, (enum risk_input)i);
    make_paths(model, &model->rent_used, RISK_RENT_DECLINE, risk_curves_rent_used, arena);
    make_paths(model, &model->sold, RISK_RETENTION, risk_curves_sold, arena);
    for (int i = 0; i <= model->curves.months; i++)
        model->pays_idle |= model->curves.at[i].rent_idle != 0;
    if (model->pays_idle)
        make_paths(model, &model->rent_idle, RISK_RENT_DECLINE, risk_curves_rent_idle, arena);
    find_falls(&model->curves, &model->fall);
    return model;
}

static const struct risk_paths *paths_of(const struct risk_model *model, int input)
{
    return input == RISK_RENT_DECLINE ? &model->rent_used
           : input == RISK_RETENTION  ? &model->sold
                                      : NULL;
}

/* From numbers in [0, 1) to values of the input. */
static void draw_column(const struct risk_model *model, int input, size_t n, double column[],
                        uint16_t place[])
{
    const struct risk_paths *paths = paths_of(model, input);
    struct side sides[2];
    double split = sides_of(&model->triangles[input], sides);

    for (size_t i = 0; i < n; i++)
        place[i] = (uint16_t)(int)(column[i] * RISK_VALUES);
    if (paths)
        for (size_t i = 0; i < n; i++)
            column[i] = paths->value[place[i]];
    else
        for (size_t i = 0; i < n; i++)
            column[i] = value_at(sides, split, column[i]);
}

void risk_draw(const struct risk_model *model, uint64_t seed, size_t first, size_t n,
               struct risk_columns *columns)
{
    for (int input = 0; input < RISK_INPUTS; input++) {
        uint64_t number = (uint64_t)first * RISK_INPUTS + (uint64_t)input;
        if (model->drawn[input]) {
            random_units(columns->value[input], n, seed, number, RISK_INPUTS);
            draw_column(model, input, n, columns->value[input], columns->place[input]);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            columns->value[input][i] = model->triangles[input].mode;
        memset(columns->place[input], 0, sizeof(columns->place[input]));
    }
}

/* One draw, put the way the curves are. */
struct draw {
    double electricity, utilization, both, failures;
    double rent_price, rent_used; /* times the utilization */
    double months_per_usd;        /* see may_skip() */
    uint16_t decline, retention;  /* which of the paths */
};

/* The part of a draw that is linear in its inputs. */
static double linear(const struct risk_month *at, const struct draw *draw)
{
    return at->base + draw->electricity * at->per_electricity +
           draw->utilization * at->per_utilization + draw->both * at->per_both +
           draw->failures * at->per_failures;
}

/* Most often nothing is paid for hours without use: then that curve is not read. */
static inline double rented(const struct risk_model *model, const struct draw *draw, int month)
{
    double used = draw->rent_used * model->rent_used.at[month][draw->decline];

    return model->pays_idle ? used + draw->rent_price * model->rent_idle.at[month][draw->decline]
                            : used;
}

/* Buying less renting. */
static inline double difference(const struct risk_model *model, const struct draw *draw, int month)
{
    return linear(&model->curves.at[month], draw) - model->sold.at[month][draw->retention] -
           rented(model, draw, month);
}

/* No month brings the two sides nearer than the sum of what each input can: for so many months per
 * USD that they are apart they need not be looked at; infinite where they never come nearer. */
static double may_skip(const struct risk_model *model, const struct draw *draw)
{
    const double rounding = 1e-9; /* far above that of a difference */
    double fall = linear(&model->fall, draw) + model->sold.fall[draw->retention] +
                  draw->rent_price * model->rent_idle.fall[draw->decline] +
                  draw->rent_used * model->rent_used.fall[draw->decline];

    return fall > 0 ? (1 - rounding) / fall : (double)INFINITY;
}

static struct draw draw_of(const struct risk_model *model, const struct risk_columns *columns,
                           size_t i)
{
    double electricity = columns->value[RISK_ELECTRICITY][i];
    double utilization = columns->value[RISK_UTILIZATION][i];
    struct draw draw = {
        .electricity = electricity,
        .utilization = utilization,
        .both = electricity * utilization,
        .failures = columns->value[RISK_FAILURES][i],
        .rent_price = columns->value[RISK_RENT_PRICE][i],
        .rent_used = columns->value[RISK_RENT_PRICE][i] * utilization,
        .decline = columns->place[RISK_RENT_DECLINE][i],
        .retention = columns->place[RISK_RETENTION][i],
    };

    draw.months_per_usd = may_skip(model, &draw);
    return draw;
}

/* The month at which the curves cross on their way to this one, by which they have. */
static double crossing(const struct risk_model *model, const struct draw *draw, int month,
                       double gap)
{
    if (month == 0)
        return 0;
    double before = difference(model, draw, month - 1);
    return month - 1 + before / (before - gap);
}

/* Look at the month; true where a later one has to be looked at, which *month then is. */
static bool look(const struct risk_model *model, const struct draw *draw, int *month, double *found)
{
    double gap = difference(model, draw, *month), skip = gap * draw->months_per_usd;

    if (gap <= 0) {
        *found = crossing(model, draw, *month, gap);
        return false;
    }
    if (!(skip < model->curves.search_months - *month)) {
        *found = (double)INFINITY;
        return false;
    }
    *month += 1 + (int)skip;
    return true;
}

/* All draws take a step each before any takes its next, so that the processor has not to wait for
 * the end of one before it begins another. */
static void find_crossings(const struct risk_model *model, const struct draw draws[], size_t n,
                           double months[])
{
    int month[RISK_BLOCK] = {0};
    uint16_t open[RISK_BLOCK];

    for (size_t i = 0; i < n; i++)
        open[i] = (uint16_t)i;
    while (n > 0) {
        size_t left = 0;
        for (size_t k = 0; k < n; k++) {
            uint16_t i = open[k];
            open[left] = i;
            left += look(model, &draws[i], &month[i], &months[i]);
        }
        n = left;
    }
}

void risk_follow(const struct risk_model *model, const struct risk_columns *columns, size_t n,
                 double savings[], double months[])
{
    struct draw draws[RISK_BLOCK];

    for (size_t i = 0; i < n; i++) {
        draws[i] = draw_of(model, columns, i);
        savings[i] = -difference(model, &draws[i], model->curves.horizon_months);
    }
    find_crossings(model, draws, n, months);
}

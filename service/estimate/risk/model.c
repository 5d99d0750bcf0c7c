#include "estimate/risk/model.h"

#include "base/random.h"
#include "estimate/risk/chord_bound.h"

#include <math.h>
#include <string.h>

/* Inverse CDF of the triangular distribution, precomputed. */
struct sides {
    double low, high, split, rising, falling;
};

static struct sides sides_of(const struct risk_triangle *triangle)
{
    double width = triangle->high - triangle->low, rise = triangle->mode - triangle->low;

    return (struct sides){.low = triangle->low,
                          .high = triangle->high,
                          .split = width > 0 ? rise / width : 0,
                          .rising = width * rise,
                          .falling = width * (width - rise)};
}

/* Inverse of the distribution's two parabolas; needs no more than a square root. Which of them it
 * is comes of chance, which is why both are at hand and nothing branches. */
static inline double value_at(const struct sides *sides, double unit)
{
    double root = sqrt(unit < sides->split ? sides->rising * unit : sides->falling * (1 - unit));

    return unit < sides->split ? sides->low + root : sides->high - root;
}

double risk_triangle_at(const struct risk_triangle *triangle, double unit)
{
    struct sides sides = sides_of(triangle);

    return value_at(&sides, unit);
}

typedef void (*curve_fn)(const struct risk_curves *curves, const double ratios[RISK_VALUES],
                         double (*rows)[RISK_ROW]);

/* The curves of one ratio; where it is not drawn they are all the same. */
static void make_paths(struct risk_model *model, struct risk_paths *paths, enum risk_input input,
                       curve_fn curves_of, struct arena *arena)
{
    const struct risk_triangle *triangle = &model->triangles[input];

    paths->at = arena_alloc(arena, (size_t)(model->curves.months + 1) * sizeof(*paths->at));
    for (int k = 0; k < RISK_VALUES; k++)
        paths->value[k] = model->drawn[input] ? risk_triangle_at(triangle, (k + 0.5) / RISK_VALUES)
                                              : triangle->mode;
    curves_of(&model->curves, paths->value, paths->at);
}

const struct risk_model *risk_model_make(const struct ownership *in,
                                         const struct risk_triangle triangles[RISK_INPUTS],
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
    risk_chord_bound(model);
    return model;
}

/* From numbers in [0, 1) to the places and values of the input. */
static void draw_column(const struct risk_triangle *triangle, double column[RISK_BLOCK],
                        uint16_t place[RISK_BLOCK])
{
    struct sides sides = sides_of(triangle);

    for (size_t i = 0; i < RISK_BLOCK; i++)
        place[i] = (uint16_t)(int)(column[i] * RISK_VALUES);
    for (size_t i = 0; i < RISK_BLOCK; i++)
        column[i] = value_at(&sides, column[i]);
}

void risk_draw(const struct risk_model *model, uint64_t seed, size_t first,
               struct risk_columns *columns)
{
    for (int input = 0; input < RISK_INPUTS; input++) {
        uint64_t number = (uint64_t)first * RISK_INPUTS + (uint64_t)input;
        double *column = columns->value[input];
        if (model->drawn[input]) {
            random_units(column, RISK_BLOCK, seed, number, RISK_INPUTS);
            draw_column(&model->triangles[input], column, columns->place[input]);
            continue;
        }
        for (size_t i = 0; i < RISK_BLOCK; i++)
            column[i] = model->triangles[input].mode;
        memset(columns->place[input], 0, sizeof(columns->place[input]));
    }
}

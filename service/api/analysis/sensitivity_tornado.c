/* sensitivity_tornado.c - moves each input to both of its ends, and ranks the inputs by effect. */
#include "api/analysis/sensitivity_chart.h"
#include "api/analysis/sensitivity_run.h"

#include "base/text.h"
#include "estimate/figures/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One input, from which a row is made. */
struct effect {
    const char *input, *unit, *basis;
    double value;
    struct range_ends ends;
    bool moved;         /* false: it has no value to move */
    struct arena arena; /* holds the next two */
    struct request_context *low,
        *high; /* answers at the ends; NULL if refused, with the reason in: */
    struct err low_err, high_err;
};

struct effects {
    struct sensitivity_run *run, *held;   /* `held` is used for the inputs in sensitivity.varied */
    struct effect *at;                    /* one per element of run->sensitivity->moved */
    const struct request_context *middle; /* with all inputs unchanged */
};

static void set_text(struct fields fields, void *row, const char *name, const char *text)
{
    field_set_text(fields_find(fields, name), row, text);
}

static void set_number(struct fields fields, void *row, const char *name, double value)
{
    field_set_number(fields_find(fields, name), row, value);
}

/* The cheapest and the most expensive offer behind the price; false if there are none. */
static bool find_offers(const struct request_context *base, struct range_ends *ends)
{
    const struct table *offers = pricing_offers_of(base);
    const struct offer_used *used = offers ? offers->rows : NULL;

    *ends = (struct range_ends){(double)NAN, (double)NAN};
    for (size_t i = 0; offers && i < offers->n; i++) {
        double value = used[i].job_price_per_gpu_hour;
        *ends = (struct range_ends){fmin(ends->low, value), fmax(ends->high, value)};
    }
    return ends->high > ends->low;
}

/* The row that the used value is the default of, which may have a scope; otherwise the general one.
 */
static const struct assumption *band_of(const struct catalog *catalog, const struct effect *effect)
{
    const struct assumption *general = catalog_assumption(catalog, effect->input, "");
    const struct assumption *end = catalog->assumptions + catalog->n_assumptions;

    for (const struct assumption *row = general;
         row && row < end && strcmp(row->key, effect->input) == 0; row++)
        if (row->value == effect->value)
            return row;
    return general;
}

/* The assumption's band, unless the used value is outside it and so comes from elsewhere. */
static bool find_band(const struct request_context *base, struct effect *effect)
{
    const struct assumption *band = band_of(base->catalog, effect);

    if (!band || context_given(base, effect->input))
        return false;
    if (effect->value < band->low || effect->value > band->high)
        return false;
    effect->ends = (struct range_ends){band->low, band->high};
    effect->basis = arena_print(base->arena, "/v1/assumptions?key=%s", effect->input);
    return band->high > band->low;
}

/* Half and double, for values given by the caller or without a better band. */
static void find_around(struct effect *effect, const struct field *field, bool up)
{
    effect->ends = up ? range_around(effect->value, field->min, field->max)
                      : range_below(effect->value, field->min);
    effect->basis = up ? "half and double" : "half";
    if (field->type == FIELD_COUNT)
        effect->ends.low = ceil(effect->ends.low);
}

static bool find_range(struct effect *effect, const struct field *field)
{
    effect->ends = (struct range_ends){field->min, field->max};
    effect->basis = "the least and the most it can be";
    return effect->ends.high > effect->ends.low; /* false for an input without bounds */
}

/* Find the ends of an input; false if it has no value to move. */
static bool find_ends(struct sensitivity_run *run, const struct moved *moved, struct effect *effect)
{
    const struct field *field = fields_find(*run->sensitivity->of->in, moved->input);

    *effect = (struct effect){.input = moved->input, .unit = field->unit[0] ? field->unit : NULL};
    effect->value = context_number(run->base, moved->input);
    if (isnan(effect->value) ||
        (moved->by == MOVE_GIVEN && !context_given(run->base, moved->input)))
        return false;
    if (moved->by == MOVE_ASSUMPTION && find_band(run->base, effect))
        return true;
    if (moved->by == MOVE_OFFERS && find_offers(run->base, &effect->ends)) {
        effect->basis = "the cheapest and the most expensive of offers_used";
        return true;
    }
    if (moved->by == MOVE_RANGE)
        return find_range(effect, field);
    find_around(effect, field, moved->by != MOVE_DOWN);
    return effect->ends.high > effect->ends.low;
}

static bool ends_in(const char *name, const char *end, size_t *stem)
{
    size_t n = strlen(name), m = strlen(end);

    *stem = n - m;
    return n > m && strcmp(name + n - m, end) == 0;
}

/* The headline value named by the first n bytes of `name` followed by `behind`. */
static double figure(struct sensitivity_run *run, const struct request_context *answered,
                     const char *name, size_t n, const char *behind)
{
    if (!answered)
        return (double)NAN;
    return sensitivity_run_figure(answered,
                                  arena_print(run->context->arena, "%.*s%s", (int)n, name, behind));
}

/* Fill columns F_at_low, F_at_high and F_spread. `behind` are the suffixes of F in the answers. */
static void fill_columns(struct sensitivity_run *run, const struct effect *effect,
                         const char *const behind[2], void *row)
{
    struct fields fields = run->sensitivity->effects;

    for (size_t i = 0; i < fields.n; i++) {
        const struct field *field = &fields.at[i];
        size_t n;
        if (field_is_text(field))
            continue;
        if (ends_in(field->name, "_at_low", &n))
            field_set_number(field, row, figure(run, effect->low, field->name, n, behind[0]));
        else if (ends_in(field->name, "_at_high", &n))
            field_set_number(field, row, figure(run, effect->high, field->name, n, behind[1]));
        else if (ends_in(field->name, "_spread", &n))
            field_set_number(field, row,
                             range_width(figure(run, effect->low, field->name, n, behind[0]),
                                         figure(run, effect->high, field->name, n, behind[1])));
    }
}

/* Fill columns verdict_at_low and verdict_at_high, if present. */
static void fill_words(struct sensitivity_run *run, const struct effect *effect, void *row)
{
    const char *turns = run->sensitivity->turns;
    struct fields fields = run->sensitivity->effects;
    const struct request_context *const ends[] = {effect->low, effect->high};
    static const char *const names[] = {"_at_low", "_at_high"};

    for (size_t i = 0; turns && i < 2; i++)
        if (ends[i])
            set_text(fields, row, arena_print(run->context->arena, "%s%s", turns, names[i]),
                     arena_text(run->context->arena, sensitivity_run_word(ends[i], turns)));
}

/* The ends without an answer, and why; NULL if both have one. */
static const char *note_of(struct sensitivity_run *run, const struct effect *effect)
{
    struct arena *arena = run->context->arena;
    const char *low = effect->low ? NULL
                                  : arena_print(arena, "at %.10g: %s", effect->ends.low,
                                                sensitivity_run_reason(run, &effect->low_err));
    const char *high = effect->high ? NULL
                                    : arena_print(arena, "at %.10g: %s", effect->ends.high,
                                                  sensitivity_run_reason(run, &effect->high_err));

    return low && high ? arena_print(arena, "%s; %s", low, high) : low ? low : high;
}

static void fill_row(struct sensitivity_run *run, const struct effect *effect,
                     const char *const behind[2], void *row)
{
    struct fields fields = run->sensitivity->effects;

    fields_clear(fields, row);
    set_text(fields, row, "input", effect->input);
    set_text(fields, row, "unit", effect->unit);
    set_text(fields, row, "basis", effect->basis);
    set_number(fields, row, "value", effect->value);
    set_number(fields, row, "low", effect->ends.low);
    set_number(fields, row, "high", effect->ends.high);
    fill_columns(run, effect, behind, row);
    fill_words(run, effect, row);
    if (fields_find(fields, "note"))
        set_text(fields, row, "note", note_of(run, effect));
}

static void move_piece(void *context, size_t i)
{
    struct effects *effects = context;
    struct effect *effect = &effects->at[i];
    const char *varied = effects->run->sensitivity->varied;
    struct sensitivity_run *run =
        varied && text_in_list(varied, effect->input) ? effects->held : effects->run;

    if (!effect->moved || !sensitivity_run_stands_alone(run, effects->middle, effect->input)) {
        effect->moved = false;
        return;
    }
    struct setting low = {effect->input, effect->ends.low};
    struct setting high = {effect->input, effect->ends.high};
    effect->low = sensitivity_run_again(run, &low, 1, &effect->arena, &effect->low_err);
    effect->high = sensitivity_run_again(run, &high, 1, &effect->arena, &effect->high_err);
}

static void move_all(struct sensitivity_run *run, struct effects *effects)
{
    const struct sensitivity *of = run->sensitivity;

    for (size_t i = 0; i < of->n_moved; i++)
        effects->at[i].moved =
            of->moved[i].by != MOVE_INTERVAL && find_ends(run, &of->moved[i], &effects->at[i]);
    parallel_each(run->context->parallel, of->n_moved, move_piece, effects);
}

static void fill_interval(struct sensitivity_run *run, const char *name,
                          struct request_context *middle, void *row)
{
    static const char *const ends[] = {"_low", "_high"};
    size_t n = strlen(name);
    struct effect effect = {
        .input = name,
        .unit = fields_find(middle->answer.fields, name)->unit,
        .basis = "80% interval of the estimate",
        .value = sensitivity_run_figure(middle, name),
        .ends = {figure(run, middle, name, n, "_low"), figure(run, middle, name, n, "_high")},
        .low = middle,
        .high = middle,
    };

    fill_row(run, &effect, ends, row);
}

/* True if it changes any figure, or prevents an answer. */
static bool moves(struct fields fields, const void *row)
{
    const struct field *note = fields_find(fields, "note");
    size_t n;

    if (note && field_text(note, row))
        return true;
    for (size_t i = 0; i < fields.n; i++)
        if (ends_in(fields.at[i].name, "_spread", &n) && field_number(&fields.at[i], row) > 0)
            return true;
    return false;
}

/* Order by the first spread in which they differ as printed, widest first, unknown last. Compared
 * as floats, which have about as many digits as are printed. */
static int by_spread(const void *a, const void *b, void *context)
{
    const struct fields *fields = context;
    size_t n;

    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->at[i];
        if (!ends_in(field->name, "_spread", &n))
            continue;
        float x = (float)field_number(field, a), y = (float)field_number(field, b);
        if (isnan(x) != isnan(y))
            return isnan(x) ? 1 : -1;
        if (x < y || x > y)
            return x < y ? 1 : -1;
    }
    return 0;
}

/* The run in which inputs that depend on others being given stay as chosen. */
static struct sensitivity_run *held_with_varied(struct sensitivity_run *run)
{
    struct arena *arena = run->context->arena;
    struct sensitivity_run *held = arena_alloc(arena, sizeof(*held));

    *held = *run;
    held->origin = context_again(run->origin, run->sensitivity->of, arena);
    held->origin->light = run->origin->light;
    sensitivity_run_hold(held, run->sensitivity->held_with);
    return held;
}

bool sensitivity_tornado(struct sensitivity_run *run, struct err *err)
{
    static const char *const nothing[] = {"", ""};
    const struct sensitivity *of = run->sensitivity;
    struct effects effects = {
        .run = run, .at = arena_alloc(run->context->arena, of->n_moved * sizeof(*effects.at))};
    char *rows = arena_alloc(run->context->arena, of->n_moved * of->effect_size);
    struct fields fields = of->effects;
    size_t n = 0;

    sensitivity_run_hold(run, of->held);
    struct request_context *middle = sensitivity_run_again(run, NULL, 0, run->context->arena, err);
    if (!middle)
        return false;
    effects.middle = middle;
    effects.held = of->varied ? held_with_varied(run) : run;
    move_all(run, &effects);
    for (size_t i = 0; i < of->n_moved; i++) {
        void *row = rows + n * of->effect_size;
        bool interval = of->moved[i].by == MOVE_INTERVAL;
        if (interval)
            fill_interval(run, of->moved[i].input, middle, row);
        else if (effects.at[i].moved)
            fill_row(run, &effects.at[i], nothing, row);
        n += (interval || effects.at[i].moved) && moves(fields, row);
        arena_free(&effects.at[i].arena);
    }
    qsort_r(rows, n, of->effect_size, by_spread, &fields);
    context_table(run->context, "effects", rows, n, of->effect_size);
    sensitivity_chart_effects(run, middle);
    return true;
}

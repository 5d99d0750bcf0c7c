/* difference_attribution.c - attributes the difference between two answers to one change at a
 * time. */
#include "api/analysis/compare.h"

#include "api/resource/currency.h"

#include <math.h>
#include <string.h>

/* What differs between the two questions, as indexes into the table of inputs; the index after the
 * last input is the day, the one after that the name in the path. */
struct attribution {
    struct comparison *c;
    struct request_context *question; /* question a, with the changes made so far */
    struct request_context *now;      /* its answer */
    struct arena arena;               /* holds that answer */
    size_t day, name;
    size_t *left; /* remaining changes, in order */
    size_t n_left;
    struct compare_steps *steps;
};

static double figure_of(const struct attribution *attribution,
                        const struct request_context *answered)
{
    const struct field *figure = attribution->c->figure;

    return difference_rounded(figure, field_number(figure, answered->answer.values));
}

/* A default left open on both sides can differ only through the exchange rate. */
static bool goes_with_the_day(const struct request_context *a, const struct request_context *b,
                              size_t what)
{
    return a->catalog->rate != b->catalog->rate && a->inputs.sources[what] == SOURCE_DEFAULT &&
           b->inputs.sources[what] == SOURCE_DEFAULT;
}

static void change_input(struct request_context *question, const struct request_context *b,
                         size_t what)
{
    const struct field *field = &question->inputs.fields.at[what];

    if (field_is_text(field))
        field_set_text(field, question->inputs.values, field_text(field, b->inputs.values));
    else
        field_set_number(field, question->inputs.values, field_number(field, b->inputs.values));
    question->inputs.sources[what] = b->inputs.sources[what];
    question->inputs.references[what] = b->inputs.references[what];
}

static void change_day(struct request_context *question, const struct request_context *b)
{
    for (size_t i = 0; i < b->inputs.fields.n; i++)
        if (goes_with_the_day(question, b, i))
            change_input(question, b, i);
    question->as_of = b->as_of;
    question->catalog = b->catalog;
    question->answer.meta = b->answer.meta;
}

static void change(const struct attribution *attribution, struct request_context *question,
                   size_t what)
{
    const struct request_context *b = attribution->c->b.question;

    if (what == attribution->day) {
        change_day(question, b);
        return;
    }
    if (what == attribution->name) {
        question->path_name = b->path_name;
        return;
    }
    change_input(question, b, what);
}

static const char *name_of(const struct attribution *attribution, size_t what)
{
    if (what == attribution->name)
        return attribution->question->resource->name; /* such as gpu, which the path names */
    return what == attribution->day ? "as_of" : attribution->question->inputs.fields.at[what].name;
}

static const char *text_of(const struct attribution *attribution,
                           const struct request_context *answered, size_t what)
{
    if (what == attribution->day)
        return answered->answer.meta.as_of;
    if (what == attribution->name)
        return answered->path_name;
    return difference_input_text(attribution->c->context, &answered->inputs, what);
}

static bool is_default(const struct request_context *answered, size_t what)
{
    const char *reference = answered->inputs.references[what];

    return reference && strncmp(reference, "/v1/assumptions", 15) == 0;
}

/* True if assumptions, models or GPUs were edited between the days. */
static bool was_edited(const struct attribution *attribution, const struct request_context *next)
{
    return catalog_differs(next->catalog, attribution->now->as_of, next->as_of);
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

static bool differs(const char *a, const char *b)
{
    return strcmp(or_none(a), or_none(b)) != 0;
}

/* The exchange rate of another day, in words: ", at 0.9 EUR per USD instead of 0.8". */
static const char *rates_moved(const struct attribution *attribution,
                               const struct request_context *next)
{
    const struct exchange_rate *from = attribution->now->catalog->rate, *to = next->catalog->rate;

    if (from == to)
        return "";
    return arena_print(attribution->c->context->arena, ", at %.10g %s per USD instead of %.10g",
                       to->per_usd, to->currency, from->per_usd);
}

/* Catalogue defaults of inputs that another day changes: "card_price 25000 to 24000". */
static const char *figures_moved(const struct attribution *attribution,
                                 const struct request_context *next)
{
    const struct inputs *before = &attribution->now->inputs, *after = &next->inputs;
    struct request_context *context = attribution->c->context;
    const char *list = "";

    for (size_t i = 0; i < before->fields.n; i++) {
        const char *from = difference_input_text(context, before, i);
        const char *to = difference_input_text(context, after, i);
        bool catalog = before->sources[i] == SOURCE_CATALOG || after->sources[i] == SOURCE_CATALOG;
        if (catalog && differs(from, to))
            list = arena_print(context->arena, "%s%s%s %s to %s", list, list[0] ? ", " : "",
                               before->fields.at[i].name, or_none(from), or_none(to));
    }
    return list;
}

/* The kind of a change: the name of the price, a default of the catalogue that was replaced, or, if
 * only the day differs, what the day changes. */
static const char *kind_of(const struct attribution *attribution,
                           const struct request_context *next, size_t what)
{
    if (what == attribution->day)
        return was_edited(attribution, next) && !strstr(figures_moved(attribution, next), "price")
                   ? "assumption"
                   : "price";
    if (what == attribution->name)
        return "input";
    if (strstr(name_of(attribution, what), "price"))
        return "price";
    return is_default(attribution->now, what) || is_default(next, what) ? "assumption" : "input";
}

static const char *day_change(const struct attribution *attribution,
                              const struct request_context *next)
{
    const char *figures = figures_moved(attribution, next);

    return arena_print(attribution->c->context->arena, "prices %sof %s instead of %s%s (%s%s)",
                       was_edited(attribution, next) ? "and catalogue " : "",
                       text_of(attribution, next, attribution->day),
                       text_of(attribution, attribution->now, attribution->day),
                       rates_moved(attribution, next),
                       figures[0] ? figures : "none of those in use differs",
                       was_edited(attribution, next) ? "; /v1/changes lists the edits" : "");
}

/* Add one change of a step to its row. */
static void describe(const struct attribution *attribution, const struct request_context *next,
                     size_t what, struct compare_step *row, const char **changes)
{
    struct arena *arena = attribution->c->context->arena;
    const char *from = text_of(attribution, attribution->now, what),
               *to = text_of(attribution, next, what);
    const char *kind = kind_of(attribution, next, what), *name = name_of(attribution, what);
    bool more = row->name != NULL;

    row->kind = more && strcmp(row->kind, kind) != 0 ? "input" : kind;
    row->name = more ? arena_print(arena, "%s,%s", row->name, name) : name;
    row->from = more ? arena_print(arena, "%s, %s", or_none(row->from), or_none(from)) : from;
    row->to = more ? arena_print(arena, "%s, %s", or_none(row->to), or_none(to)) : to;
    if (what == attribution->day)
        *changes =
            arena_print(arena, "%s%s%s", *changes, more ? ", " : "", day_change(attribution, next));
    else
        *changes = arena_print(arena, "%s%s%s %s instead of %s", *changes, more ? ", " : "", name,
                               or_none(to), or_none(from));
}

static const char *sentence_of(const struct attribution *attribution,
                               const struct compare_step *row, const char *changes)
{
    const struct field *figure = attribution->c->figure;
    struct arena *arena = attribution->c->context->arena;
    const char *space = figure->unit[0] ? " " : "",
               *unit = currency_text(attribution->c->context, figure->unit);
    const char *after = difference_number_text(arena, figure, row->after);

    if (row->effect == 0)
        return arena_print(arena, "%s: %s stays %s%s%s", changes, figure->name, after, space, unit);
    return arena_print(arena, "%s: %s %s by %s%s%s to %s%s%s", changes, figure->name,
                       row->effect > 0 ? "rises" : "falls",
                       difference_number_text(arena, figure, fabs(row->effect)), space, unit, after,
                       space, unit);
}

/* Omits a step without effect, such as a default given explicitly. */
static void add_step(struct attribution *attribution, const struct request_context *next,
                     const size_t *what, size_t n)
{
    struct compare_steps *steps = attribution->steps;
    struct compare_step row = {.step = (double)steps->n + 1};
    const char *changes = "";

    for (size_t i = 0; i < n; i++)
        describe(attribution, next, what[i], &row, &changes);
    row.before = figure_of(attribution, attribution->now);
    row.after = figure_of(attribution, next);
    row.effect = difference_between(attribution->c->figure, row.before, row.after);
    row.sentence = sentence_of(attribution, &row, changes);
    if (row.effect != 0 || differs(row.from, row.to))
        steps->at[steps->n++] = row;
}

/* Make the changes together. If there is then no answer or the figure is unknown, reverts them and
 * returns false. */
static bool step(struct attribution *attribution, const size_t *what, size_t n)
{
    struct arena arena = {0};
    struct err err = {0};
    struct request_context *next =
        context_again(attribution->question, attribution->question->resource, &arena);

    for (size_t i = 0; i < n; i++)
        change(attribution, next, what[i]);
    if (!next->resource->answer(next, next->inputs.values, &err) ||
        isnan(figure_of(attribution, next))) {
        arena_free(&arena);
        return false;
    }
    add_step(attribution, next, what, n);
    for (size_t i = 0; i < n; i++)
        change(attribution, attribution->question, what[i]);
    arena_free(&attribution->arena);
    attribution->arena = arena;
    attribution->now = next;
    next->arena = &attribution->arena;
    return true;
}

static void step_each(struct attribution *attribution)
{
    size_t n = 0;

    for (size_t i = 0; i < attribution->n_left; i++)
        if (!step(attribution, &attribution->left[i], 1))
            attribution->left[n++] = attribution->left[i];
    attribution->n_left = n;
}

/* List the changes in order: the day, then the inputs given in either question. */
static void list_changes(struct attribution *attribution)
{
    const struct request_context *a = attribution->c->a.question, *b = attribution->c->b.question;

    if (a->as_of != b->as_of)
        attribution->left[attribution->n_left++] = attribution->day;
    if (a->path_name && differs(a->path_name, b->path_name))
        attribution->left[attribution->n_left++] = attribution->name;
    for (size_t i = 0; i < attribution->day; i++)
        if (!goes_with_the_day(a, b, i) &&
            (a->inputs.sources[i] != b->inputs.sources[i] ||
             !difference_is_none(&a->inputs.fields.at[i], a->inputs.values, b->inputs.values)))
            attribution->left[attribution->n_left++] = i;
}

void difference_attribution(struct comparison *comparison, struct compare_steps *steps)
{
    struct request_context *context = comparison->context, *a = comparison->a.question;
    size_t n = a->inputs.fields.n;
    struct attribution attribution = {
        .c = comparison, .now = comparison->a.answered, .day = n, .name = n + 1, .steps = steps};

    steps->at = arena_alloc(context->arena, (n + 2) * sizeof(*steps->at));
    if (isnan(figure_of(&attribution, attribution.now)) ||
        isnan(figure_of(&attribution, comparison->b.answered)))
        return;
    attribution.question = context_again(a, a->resource, context->arena);
    attribution.left = arena_alloc(context->arena, (n + 2) * sizeof(*attribution.left));
    list_changes(&attribution);
    step_each(&attribution);
    step_each(&attribution);
    if (attribution.n_left)
        step(&attribution, attribution.left, attribution.n_left);
    arena_free(&attribution.arena);
}

/* difference_attribution.c - the way from one answer to another, a change at a time. */
#include "api/analysis/compare.h"

#include "api/resource/currency.h"

#include <math.h>
#include <string.h>

/* What differs between the two questions: an input by its place in their table, or the day, which
 * is the place behind the last. */
struct walk {
    struct comparison *c;
    struct call *question; /* that of a, with the changes made so far */
    struct call *now;      /* its answer */
    struct arena arena;    /* of that answer */
    size_t day;
    size_t *left; /* changes to make, in order */
    size_t n_left;
    struct compare_steps *steps;
};

static double figure_of(const struct walk *walk, const struct call *answered)
{
    const struct field *figure = walk->c->figure;

    return compare_rounded(figure, field_number(figure, answered->answer.values));
}

/* A default left open on both sides can differ only through the exchange rate. */
static bool goes_with_the_day(const struct call *a, const struct call *b, size_t what)
{
    return a->catalog->rate != b->catalog->rate && a->inputs.sources[what] == SOURCE_DEFAULT &&
           b->inputs.sources[what] == SOURCE_DEFAULT;
}

static void change_input(struct call *question, const struct call *b, size_t what)
{
    const struct field *field = &question->inputs.fields.at[what];

    if (field_is_text(field))
        field_set_text(field, question->inputs.values, field_text(field, b->inputs.values));
    else
        field_set_number(field, question->inputs.values, field_number(field, b->inputs.values));
    question->inputs.sources[what] = b->inputs.sources[what];
    question->inputs.references[what] = b->inputs.references[what];
}

static void change_day(struct call *question, const struct call *b)
{
    for (size_t i = 0; i < b->inputs.fields.n; i++)
        if (goes_with_the_day(question, b, i))
            change_input(question, b, i);
    question->as_of = b->as_of;
    question->catalog = b->catalog;
    question->answer.meta = b->answer.meta;
}

static void change(const struct walk *walk, struct call *question, size_t what)
{
    const struct call *b = walk->c->b.question;

    if (what == walk->day) {
        change_day(question, b);
        return;
    }
    change_input(question, b, what);
}

static const char *name_of(const struct walk *walk, size_t what)
{
    return what == walk->day ? "as_of" : walk->question->inputs.fields.at[what].name;
}

static const char *text_of(const struct walk *walk, const struct call *answered, size_t what)
{
    if (what == walk->day)
        return answered->answer.meta.as_of;
    return compare_input_text(walk->c->call, &answered->inputs, what);
}

static bool is_default(const struct call *answered, size_t what)
{
    const char *reference = answered->inputs.references[what];

    return reference && strncmp(reference, "/v1/assumptions", 15) == 0;
}

/* Whether assumptions, models or GPUs were edited between the days. */
static bool was_edited(const struct walk *walk, const struct call *next)
{
    return catalog_differs(next->catalog, walk->now->as_of, next->as_of);
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

static bool differs(const char *a, const char *b)
{
    return strcmp(or_none(a), or_none(b)) != 0;
}

/* The exchange rate that another day has: ", at 0.9 EUR per USD instead of 0.8". */
static const char *rates_moved(const struct walk *walk, const struct call *next)
{
    const struct exchange_rate *from = walk->now->catalog->rate, *to = next->catalog->rate;

    if (from == to)
        return "";
    return arena_print(walk->c->call->arena, ", at %.10g %s per USD instead of %.10g", to->per_usd,
                       to->currency, from->per_usd);
}

/* What inputs took from the catalogue that another day changes: "card_price 25000 to 24000". */
static const char *figures_moved(const struct walk *walk, const struct call *next)
{
    const struct inputs *before = &walk->now->inputs, *after = &next->inputs;
    struct call *call = walk->c->call;
    const char *list = "";

    for (size_t i = 0; i < before->fields.n; i++) {
        const char *from = compare_input_text(call, before, i);
        const char *to = compare_input_text(call, after, i);
        bool catalog = before->sources[i] == SOURCE_CATALOG || after->sources[i] == SOURCE_CATALOG;
        if (catalog && differs(from, to))
            list = arena_print(call->arena, "%s%s%s %s to %s", list, list[0] ? ", " : "",
                               before->fields.at[i].name, or_none(from), or_none(to));
    }
    return list;
}

/* A price by its name, or what takes the place of a default of the catalogue; another day by what
 * it changes. */
static const char *kind_of(const struct walk *walk, const struct call *next, size_t what)
{
    if (what == walk->day)
        return was_edited(walk, next) && !strstr(figures_moved(walk, next), "price") ? "assumption"
                                                                                     : "price";
    if (strstr(name_of(walk, what), "price"))
        return "price";
    return is_default(walk->now, what) || is_default(next, what) ? "assumption" : "input";
}

static const char *day_change(const struct walk *walk, const struct call *next)
{
    const char *figures = figures_moved(walk, next);

    return arena_print(walk->c->call->arena, "prices %sof %s instead of %s%s (%s%s)",
                       was_edited(walk, next) ? "and catalogue " : "",
                       text_of(walk, next, walk->day), text_of(walk, walk->now, walk->day),
                       rates_moved(walk, next),
                       figures[0] ? figures : "none of those in use is another",
                       was_edited(walk, next) ? "; /v1/changes lists the edits" : "");
}

/* Add what one of the changes of a step is to its row. */
static void describe(const struct walk *walk, const struct call *next, size_t what,
                     struct compare_step *row, const char **changes)
{
    struct arena *arena = walk->c->call->arena;
    const char *from = text_of(walk, walk->now, what), *to = text_of(walk, next, what);
    const char *kind = kind_of(walk, next, what), *name = name_of(walk, what);
    bool more = row->name != NULL;

    row->kind = more && strcmp(row->kind, kind) != 0 ? "input" : kind;
    row->name = more ? arena_print(arena, "%s,%s", row->name, name) : name;
    row->from = more ? arena_print(arena, "%s, %s", or_none(row->from), or_none(from)) : from;
    row->to = more ? arena_print(arena, "%s, %s", or_none(row->to), or_none(to)) : to;
    if (what == walk->day)
        *changes = arena_print(arena, "%s%s%s", *changes, more ? ", " : "", day_change(walk, next));
    else
        *changes = arena_print(arena, "%s%s%s %s instead of %s", *changes, more ? ", " : "", name,
                               or_none(to), or_none(from));
}

static const char *sentence_of(const struct walk *walk, const struct compare_step *row,
                               const char *changes)
{
    const struct field *figure = walk->c->figure;
    struct arena *arena = walk->c->call->arena;
    const char *space = figure->unit[0] ? " " : "",
               *unit = currency_text(walk->c->call, figure->unit);
    const char *after = compare_number_text(arena, figure, row->after);

    if (row->effect == 0)
        return arena_print(arena, "%s: %s stays %s%s%s", changes, figure->name, after, space, unit);
    return arena_print(arena, "%s: %s %s by %s%s%s to %s", changes, figure->name,
                       row->effect > 0 ? "rises" : "falls",
                       compare_number_text(arena, figure, fabs(row->effect)), space, unit, after);
}

/* A step that says and does nothing (a default given outright) is none. */
static void add_step(struct walk *walk, const struct call *next, const size_t *what, size_t n)
{
    struct compare_steps *steps = walk->steps;
    struct compare_step row = {.step = (double)steps->n + 1};
    const char *changes = "";

    for (size_t i = 0; i < n; i++)
        describe(walk, next, what[i], &row, &changes);
    row.before = figure_of(walk, walk->now);
    row.after = figure_of(walk, next);
    row.effect = compare_difference(walk->c->figure, row.before, row.after);
    row.sentence = sentence_of(walk, &row, changes);
    if (row.effect != 0 || differs(row.from, row.to))
        steps->at[steps->n++] = row;
}

/* Make the changes together; false, and none made, where there is no answer then or the figure is
 * unknown. */
static bool step(struct walk *walk, const size_t *what, size_t n)
{
    struct arena arena = {0};
    struct err err = {0};
    struct call *next = call_again(walk->question, walk->question->resource, &arena);

    for (size_t i = 0; i < n; i++)
        change(walk, next, what[i]);
    if (!next->resource->answer(next, next->inputs.values, &err) || isnan(figure_of(walk, next))) {
        arena_free(&arena);
        return false;
    }
    add_step(walk, next, what, n);
    for (size_t i = 0; i < n; i++)
        change(walk, walk->question, what[i]);
    arena_free(&walk->arena);
    walk->arena = arena;
    walk->now = next;
    next->arena = &walk->arena;
    return true;
}

static void step_each(struct walk *walk)
{
    size_t n = 0;

    for (size_t i = 0; i < walk->n_left; i++)
        if (!step(walk, &walk->left[i], 1))
            walk->left[n++] = walk->left[i];
    walk->n_left = n;
}

/* The changes in the order they are made: the day, then the inputs that one of the two gave. */
static void list_changes(struct walk *walk)
{
    const struct call *a = walk->c->a.question, *b = walk->c->b.question;

    if (a->as_of != b->as_of)
        walk->left[walk->n_left++] = walk->day;
    for (size_t i = 0; i < walk->day; i++)
        if (!goes_with_the_day(a, b, i) &&
            (a->inputs.sources[i] != b->inputs.sources[i] ||
             !compare_same(&a->inputs.fields.at[i], a->inputs.values, b->inputs.values)))
            walk->left[walk->n_left++] = i;
}

void difference_attribution(struct comparison *comparison, struct compare_steps *steps)
{
    struct call *call = comparison->call, *a = comparison->a.question;
    size_t n = a->inputs.fields.n;
    struct walk walk = {.c = comparison, .now = comparison->a.answered, .day = n, .steps = steps};

    steps->at = arena_alloc(call->arena, (n + 1) * sizeof(*steps->at));
    if (isnan(figure_of(&walk, walk.now)) || isnan(figure_of(&walk, comparison->b.answered)))
        return;
    walk.question = call_again(a, a->resource, call->arena);
    walk.left = arena_alloc(call->arena, (n + 1) * sizeof(*walk.left));
    list_changes(&walk);
    step_each(&walk);
    step_each(&walk);
    if (walk.n_left)
        step(&walk, walk.left, walk.n_left);
    arena_free(&walk.arena);
}

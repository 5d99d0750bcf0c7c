/* compare.c - /v1/compare: two answers side by side, the differences line by line, and their
 * causes. */
#include "api/analysis/compare.h"

#include "api/resource/currency.h"
#include "api/routes/resources.h"
#include "api/resource/version.h"
#include "base/spelling.h"
#include "base/text.h"
#include "catalog/currency.h"

#include <math.h>
#include <string.h>

#define TABLE compare_in
#define TABLE_FILE "api/analysis/compare_in.def"
#include "base/field/table.h"

#define TABLE compare_out
#define TABLE_FILE "api/analysis/compare_out.def"
#include "base/field/table.h"

#define TABLE compare_figure
#define TABLE_FILE "api/resource/difference_figure.def"
#define TABLE_ONLY
#include "base/field/table.h"

#define TABLE compare_input
#define TABLE_FILE "api/resource/difference_input.def"
#define TABLE_ONLY
#include "base/field/table.h"

#define TABLE compare_line
#define TABLE_FILE "api/resource/difference_line.def"
#define TABLE_ONLY
#include "base/field/table.h"

#define TABLE compare_step
#define TABLE_FILE "api/analysis/compare_step.def"
#define TABLE_ONLY
#include "base/field/table.h"

/* The comparison is in the currency of both answers; the rate is shown if it is that of both
 * days. */
static bool take_currency(struct comparison *c, struct err *err)
{
    const struct request_context *a = c->a.question, *b = c->b.question;
    const char *currency = catalog_currency(a->catalog);

    if (strcmp(currency, catalog_currency(b->catalog)) != 0)
        return context_refuse(c->context, err, "b", "contradiction",
                              "is in %s, but a is in %s: use the same currency for both",
                              catalog_currency(b->catalog), currency);
    if (c->context->currency && strcmp(currency, c->context->currency) != 0)
        return context_refuse(c->context, err, "a", "contradiction",
                              "and b are in %s, but currency is %s: leave one of them out",
                              currency, c->context->currency);
    c->context->catalog = a->catalog;
    currency_say(c->context);
    if (a->catalog->rate != b->catalog->rate) {
        c->context->answer.meta.currency_per_usd = (double)NAN;
        c->context->answer.meta.currency_rate_date = NULL;
        c->context->answer.meta.currency_rate_source = NULL;
    }
    return true;
}

/* Read both questions, and report the errors of both. */
static bool read_both(struct comparison *c, const struct compare_in *in, struct err *err)
{
    bool good = compare_read(c->context, "a", in->a, &c->a.question, err);

    good = compare_read(c->context, "b", in->b, &c->b.question, err) && good;
    if (!good)
        return false;
    if (c->a.question->resource != c->b.question->resource)
        return context_refuse(c->context, err, "b", "contradiction",
                              "is an answer of %s, but a is an answer of %s: compare two answers "
                              "of the same kind",
                              c->b.question->resource->name, c->a.question->resource->name);
    return take_currency(c, err);
}

static bool answer_both(struct comparison *c, struct err *err)
{
    c->a.answered = compare_answer(c->context, "a", c->a.question, err);
    if (!c->a.answered)
        return false;
    c->b.answered = compare_answer(c->context, "b", c->b.question, err);
    return c->b.answered != NULL;
}

static double figure_of(const struct field *figure, const struct compare_side *side)
{
    return difference_rounded(figure, field_number(figure, side->answered->answer.values));
}

static bool is_known(const struct comparison *c, const struct field *figure)
{
    return !isnan(figure_of(figure, &c->a)) && !isnan(figure_of(figure, &c->b));
}

static bool is_number(const struct field *field)
{
    return !field_is_text(field) && field->type != FIELD_FLAG;
}

static bool refuse_figure(struct comparison *c, const char *typed, struct err *err)
{
    struct fields fields = c->a.answered->answer.fields;
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; i < fields.n; i++)
        if (is_number(&fields.at[i]))
            spelling_try(&near, fields.at[i].name);
    return context_refuse(c->context, err, "figure", "unknown_name",
                          "%s has no number with that name; did you mean %s?",
                          c->a.question->resource->name, near.nearest);
}

/* The figure asked for; else the resource's main figure, or the other one if either side does not
 * have it.
 */
static bool choose_figure(struct comparison *c, const char *typed, struct err *err)
{
    const struct resource *resource = c->a.question->resource;
    struct fields fields = c->a.answered->answer.fields;

    c->figure = fields_find(fields, typed ? typed : resource->headline);
    if (!c->figure || !is_number(c->figure))
        return refuse_figure(c, typed, err);
    if (!typed && !is_known(c, c->figure))
        c->figure = fields_find(fields, compare_otherwise(resource));
    if (!is_known(c, c->figure))
        context_warn(
            c->context, "unknown_figure",
            "%s is unknown in %s, so its difference cannot be explained: choose another figure",
            c->figure->name,
            !isnan(figure_of(c->figure, &c->b))   ? "a"
            : !isnan(figure_of(c->figure, &c->a)) ? "b"
                                                  : "both");
    return true;
}

static double moved_by(const struct comparison *c, const struct compare_steps *steps,
                       const char *kind)
{
    double sum = is_known(c, c->figure) ? 0 : (double)NAN;

    for (size_t i = 0; i < steps->n; i++)
        if (strcmp(steps->at[i].kind, kind) == 0)
            sum = difference_between(c->figure, -sum, steps->at[i].effect);
    return sum;
}

/* The step with the largest effect on the figure; NULL if none has any. */
static const struct compare_step *main_step(const struct compare_steps *steps)
{
    const struct compare_step *most = NULL;

    for (size_t i = 0; i < steps->n; i++)
        if (fabs(steps->at[i].effect) > (most ? fabs(most->effect) : 0))
            most = &steps->at[i];
    return most;
}

static const char *summary_of(struct comparison *c, const struct compare_out *out)
{
    struct arena *arena = c->context->arena;
    const char *space = out->unit ? " " : "", *unit = out->unit ? out->unit : "";

    if (isnan(out->difference))
        return arena_print(arena, "%s is not known in both answers.", out->figure);
    const char *b = difference_number_text(arena, c->figure, out->b);
    if (out->difference == 0 || !out->main_cause)
        return arena_print(arena, "%s is %s%s%s in both answers.", out->figure, b, space, unit);
    return arena_print(
        arena, "%s is %s%s%s in b, %s %s than in a. Most of the difference comes from %s.",
        out->figure, b, space, unit,
        difference_number_text(arena, c->figure, fabs(out->difference)),
        out->difference > 0 ? "more" : "less",
        strcmp(out->main_cause, "as_of") == 0 ? "the day of the answer" : out->main_cause);
}

static void fill(struct comparison *c, const struct compare_steps *steps, struct compare_out *out)
{
    const struct compare_step *most = main_step(steps);

    out->resource = c->a.question->resource->name;
    out->figure = c->figure->name;
    out->unit = c->figure->unit[0] ? currency_text(c->context, c->figure->unit) : NULL;
    out->a = figure_of(c->figure, &c->a);
    out->b = figure_of(c->figure, &c->b);
    out->difference = difference_between(c->figure, out->a, out->b);
    out->ratio = difference_ratio(out->a, out->b);
    out->moved_by_price = moved_by(c, steps, "price");
    out->moved_by_assumption = moved_by(c, steps, "assumption");
    out->moved_by_input = moved_by(c, steps, "input");
    out->main_cause = most ? most->name : NULL;
    out->main_cause_kind = most ? most->kind : NULL;
    out->main_effect = most ? most->effect : (double)NAN;
    out->as_of_a = c->a.question->answer.meta.as_of;
    out->as_of_b = c->b.question->answer.meta.as_of;
    out->summary = summary_of(c, out);
}

/* The address with day and formula version stated explicitly. */
static const char *pinned(struct comparison *c, const struct request_context *question,
                          const char *address)
{
    struct arena *arena = c->context->arena;
    const char *link = address;

    if (question->currency == c->context->currency && question->catalog->rate)
        link = arena_print(arena, "%s%scurrency=%s", link, strchr(link, '?') ? "&" : "?",
                           question->answer.meta.currency);
    if (!question->common.as_of)
        link = arena_print(arena, "%s%sas_of=%s", link, strchr(link, '?') ? "&" : "?",
                           question->answer.meta.as_of);
    if (!question->common.model_version)
        link = arena_print(arena, "%s%smodel_version=" MODEL_VERSION, link,
                           strchr(link, '?') ? "&" : "?");
    return link;
}

/* Repeat the warnings of an answer; those of both once. */
static void warn(struct comparison *c, const char *name, const struct request_context *answered,
                 const struct request_context *other)
{
    for (size_t i = 0; i < answered->answer.n_warnings; i++) {
        const struct warning *warning = &answered->answer.warnings[i];
        bool shared = answer_warns(&other->answer, warning->code, warning->detail);
        if (!shared || answered == c->a.answered)
            context_warn(c->context, warning->code, "%s: %s", shared ? "a and b" : name,
                         warning->detail);
    }
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct compare_in *in = input;
    struct compare_out *out = arena_alloc(context->arena, sizeof(*out));
    struct comparison c = {.context = context};
    struct compare_steps steps = {0};

    if (!read_both(&c, in, err) || !answer_both(&c, err) || !choose_figure(&c, in->figure, err))
        return false;
    difference_attribution(&c, &steps);
    fill(&c, &steps, out);
    context_values(context, out);
    difference_tables(&c);
    context_table(context, "why", steps.at, steps.n, sizeof(*steps.at));
    warn(&c, "a", c.a.answered, c.b.answered);
    warn(&c, "b", c.b.answered, c.a.answered);
    answer_link(&context->answer, "a", pinned(&c, c.a.question, in->a));
    answer_link(&context->answer, "b", pinned(&c, c.b.question, in->b));
    return true;
}

const struct resource compare_resource = {
    .name = "compare",
    .headline = "difference",
    .summary = "Two answers side by side: what differs, line by line, and why",
    .in = &compare_in_fields,
    .in_size = sizeof(struct compare_in),
    .out = &compare_out_fields,
    .tables = {{"figures", "compared_figure", &compare_figure_fields, NULL,
                "Every headline value of both answers"},
               {"differing_inputs", "input", &compare_input_fields, NULL,
                "The inputs whose values differ"},
               {"line_items", "line_item", &compare_line_fields, NULL,
                "The line items that differ, amounts first, the largest difference first"},
               {"why", "step", &compare_step_fields, NULL,
                "The steps from a to b, one change at a time; the effects add up to the "
                "difference"}},
    .cost = COST_SHORT,
    .work = "the steps from one answer to the other",
    .smaller = "compare questions that differ in fewer inputs",
    .answer = answer,
};

/* assumptions.c - /v1/assumptions: every default that answers are based on, with source and
 * date. */
#include "api/routes/resources.h"

#include "base/spelling.h"
#include "base/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define TABLE assumptions_in
#define TABLE_FILE "api/catalog/assumptions_in.def"
#include "base/field/table.h"

struct assumption_row {
#include "base/field/members.h"
#include "api/catalog/assumption_row.def"
    double value; /* called default in the API, a keyword in C */
#include "api/catalog/assumption_source.def"
#include "base/field/end.h"
};

static const struct field assumption_rows[] = {
#define FIELDS_OF struct assumption_row
#include "base/field/rows.h"
#include "api/catalog/assumption_row.def"
    FIELD_NAMED("default", value, FIELD_FIGURE, "", FIELD_OPEN, FIELD_OPEN, "", "",
                "The default; null: derived, requested or not a number")
#include "api/catalog/assumption_source.def"
#include "base/field/end.h"
};
static const struct fields assumption_fields = FIELDS_INIT(assumption_rows);

static bool wanted(const struct assumptions_in *in, const struct assumption *assumption)
{
    return (!in->key || strcasecmp(in->key, assumption->key) == 0) &&
           (!in->scope || strcasecmp(in->scope, assumption->scope) == 0) &&
           (!in->group || strcmp(in->group, assumption->group) == 0) &&
           (!in->q || strcasestr(assumption->key, in->q) || strcasestr(assumption->source, in->q) ||
            (assumption->note && strcasestr(assumption->note, in->q)));
}

/* The key or scope nearest to what was typed; NULL if it exists. */
static const char *nearest(const struct catalog *catalog, const char *typed, bool scope,
                           bool *known)
{
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; i < catalog->n_assumptions; i++) {
        const struct assumption *row = &catalog->assumptions[i];
        const char *name = scope ? row->scope : row->key;
        if (name[0])
            spelling_try(&near, name);
    }
    *known = near.distance == 0;
    return spelling_meant(&near);
}

/* An unknown key or scope is refused rather than answered with an empty list. */
static bool check_name(struct request_context *context, const char *parameter, const char *typed,
                       bool scope, struct err *err)
{
    bool known;

    if (!typed)
        return true;
    const char *best = nearest(context->catalog, typed, scope, &known);
    return known ||
           context_refuse(context, err, parameter, "unknown_name", "no assumption has this %s%s%s",
                          parameter, best ? "; did you mean " : "", best ? best : "");
}

static struct assumption_row row_of(const struct assumption *row)
{
    return (struct assumption_row){
        .key = row->key,
        .scope = row->scope,
        .group = row->group,
        .unit = row->unit,
        .low = row->low,
        .value = row->value,
        .high = row->high,
        .applies_to = text_given(row->applies_to),
        .source = row->source,
        .source_date = text_given(row->source_date),
        .note = text_given(row->note),
    };
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct assumptions_in *in = input;
    const struct catalog *catalog = context->catalog;
    struct assumption_row *rows =
        arena_alloc(context->arena, catalog->n_assumptions * sizeof(*rows));
    size_t n = 0;

    check_name(context, "key", in->key, false, err);
    check_name(context, "scope", in->scope, true, err);
    if (err->n_culprits)
        return false;
    for (size_t i = 0; i < catalog->n_assumptions; i++) {
        const struct assumption *row = &catalog->assumptions[i];
        if (wanted(in, row))
            rows[n++] = row_of(row);
    }
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource assumptions_resource = {
    .name = "assumptions",
    .headline = "default",
    .summary = "Every default the answers start from, with its source and date",
    .in = &assumptions_in_fields,
    .in_size = sizeof(struct assumptions_in),
    .tables = {{"rows", "assumption", &assumption_fields, NULL, "One default each"}},
    .answer = answer,
};

#include "api/analysis/sensitivity_run.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct request_context *sensitivity_run_again(struct sensitivity_run *run,
                                              const struct setting settings[], size_t n,
                                              struct arena *arena, struct err *err)
{
    struct request_context *again = context_again(run->origin, run->sensitivity->of, arena);

    if (cancelled(again->cancel))
        return NULL;
    for (size_t i = 0; i < n; i++)
        context_set_number(again, settings[i].name, settings[i].value, SOURCE_REQUEST, NULL);
    return again->resource->answer(again, again->inputs.values, err) ? again : NULL;
}

void sensitivity_run_hold(struct sensitivity_run *run, const char *held)
{
    struct request_context *origin = run->origin;

    for (size_t i = 0; i < origin->inputs.fields.n; i++) {
        const struct field *field = &origin->inputs.fields.at[i];
        if (!text_in_list(held, field->name) || context_given(origin, field->name))
            continue;
        if (field_is_text(field))
            context_set_text(origin, field->name, context_text(run->base, field->name),
                             SOURCE_REQUEST, NULL);
        else
            context_set_number(origin, field->name, context_number(run->base, field->name),
                               SOURCE_REQUEST, NULL);
    }
}

bool sensitivity_run_stands_alone(struct sensitivity_run *run, const struct request_context *base,
                                  const char *name)
{
    const char *figures = run->sensitivity->figures;
    struct setting as_is = {name, context_number(base, name)};
    struct arena arena = {0};
    struct err err = {0};

    if (!run->sensitivity->alone || isnan(as_is.value))
        return true;
    const char *first = arena_print(&arena, "%.*s", (int)strcspn(figures, ","), figures);
    struct request_context *again = sensitivity_run_again(run, &as_is, 1, &arena, &err);
    bool same = again && !(range_width(sensitivity_run_figure(again, first),
                                       sensitivity_run_figure(base, first)) > 0);
    arena_free(&arena);
    return same;
}

enum source sensitivity_run_source(const struct request_context *context, const char *name)
{
    return context_given(context, name) ? SOURCE_REQUEST : SOURCE_CHOSEN;
}

double sensitivity_run_figure(const struct request_context *answered, const char *name)
{
    const struct field *field = fields_find(answered->answer.fields, name);

    return field && !field_is_text(field) ? field_number(field, answered->answer.values)
                                          : (double)NAN;
}

const char *sensitivity_run_word(const struct request_context *answered, const char *name)
{
    return field_text(fields_find(answered->answer.fields, name), answered->answer.values);
}

void sensitivity_run_copy(struct arena *arena, const struct request_context *answered,
                          struct fields to, void *row)
{
    for (size_t i = 0; i < to.n; i++) {
        const struct field *field = &to.at[i];
        const struct field *from = fields_find(answered->answer.fields, field->name);
        if (!from || field_is_text(from) != field_is_text(field))
            continue;
        if (field_is_text(field))
            field_set_text(field, row,
                           arena_text(arena, field_text(from, answered->answer.values)));
        else
            field_set_number(field, row, field_number(from, answered->answer.values));
    }
}

const char *sensitivity_run_reason(struct sensitivity_run *run, const struct err *err)
{
    const struct culprit *culprit = err->n_culprits ? &err->culprits[0] : NULL;

    return arena_print(run->context->arena, "%s%s%s", culprit ? culprit->field : "",
                       culprit ? " " : "", culprit ? culprit->text : err->text);
}

#include "api/sensitivity_run.h"

#include <math.h>

struct call *run_again(struct sensitivity_run *run, const char *name, double value,
                       struct arena *arena, struct err *err)
{
    struct call *again = call_again(run->origin, run->sensitivity->of, arena);

    if (name)
        call_set_number(again, name, value, SOURCE_REQUEST, NULL);
    return again->resource->answer(again, again->inputs.values, err) ? again : NULL;
}

double run_number(const struct call *call, const char *name)
{
    return field_number(fields_find(call->inputs.fields, name), call->inputs.values);
}

const char *run_text(const struct call *call, const char *name)
{
    return field_text(fields_find(call->inputs.fields, name), call->inputs.values);
}

enum source run_source(const struct call *call, const char *name)
{
    return call_given(call, name) ? SOURCE_REQUEST : SOURCE_CHOSEN;
}

double run_figure(const struct call *answered, const char *name)
{
    const struct field *field = fields_find(answered->answer.fields, name);

    return field && !field_is_text(field) ? field_number(field, answered->answer.values)
                                          : (double)NAN;
}

void run_copy(struct sensitivity_run *run, const struct call *answered, struct fields to, void *row)
{
    for (size_t i = 0; i < to.n; i++) {
        const struct field *field = &to.at[i];
        const struct field *from = fields_find(answered->answer.fields, field->name);
        if (!from || field_is_text(from) != field_is_text(field))
            continue;
        if (field_is_text(field))
            field_set_text(field, row,
                           arena_text(run->call->arena, field_text(from, answered->answer.values)));
        else
            field_set_number(field, row, field_number(from, answered->answer.values));
    }
}

const char *run_reason(struct sensitivity_run *run, const struct err *err)
{
    const struct culprit *culprit = err->n_culprits ? &err->culprits[0] : NULL;

    return arena_print(run->call->arena, "%s%s%s", culprit ? culprit->field : "",
                       culprit ? " " : "", culprit ? culprit->text : err->text);
}

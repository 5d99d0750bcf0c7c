#include "api/resource/call.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t input_index(const struct call *call, const char *name)
{
    const struct field *field = fields_find(call->inputs.fields, name);

    assert(field);
    return (size_t)(field - call->inputs.fields.at);
}

bool call_given(const struct call *call, const char *name)
{
    return call->inputs.sources[input_index(call, name)] == SOURCE_REQUEST;
}

static const struct field *mark(struct call *call, const char *name, enum source source,
                                const char *reference)
{
    size_t i = input_index(call, name);

    call->inputs.sources[i] = source;
    call->inputs.references[i] = reference;
    return &call->inputs.fields.at[i];
}

void call_set_number(struct call *call, const char *name, double value, enum source source,
                     const char *reference)
{
    field_set_number(mark(call, name, source, reference), call->inputs.values, value);
}

void call_set_text(struct call *call, const char *name, const char *value, enum source source,
                   const char *reference)
{
    field_set_text(mark(call, name, source, reference), call->inputs.values, value);
}

bool resource_is_list(const struct resource *resource)
{
    return !resource->out || resource->listed;
}

enum cost call_cost(const struct call *call)
{
    const struct resource *resource = call->resource;

    return resource->cost_of ? resource->cost_of(call->inputs.values) : resource->cost;
}

bool call_refuse_cancelled(const struct call *call, double seconds, struct err *err)
{
    const struct resource *resource = call->resource;

    *err = (struct err){0};
    if (cancel_reason(call->cancel) != CANCEL_DEADLINE)
        return err_set(err, ERR_BUSY, "the daemon ends: ask again");
    return err_set(err, ERR_TOO_LONG,
                   "%s took longer than the %g s that a calculation may take here, and was ended: "
                   "%s",
                   call->doing ? call->doing : resource->work, seconds, resource->smaller);
}

static void *copy(struct arena *arena, const void *from, size_t size)
{
    return memcpy(arena_alloc(arena, size), from, size);
}

struct call *call_again(const struct call *call, const struct resource *resource,
                        struct arena *arena)
{
    struct call *again = copy(arena, call, sizeof(*call));
    struct inputs *inputs = &again->inputs;
    size_t n = resource->in->n;

    assert(n <= inputs->fields.n &&
           strcmp(inputs->fields.at[n - 1].name, resource->in->at[n - 1].name) == 0);
    again->arena = arena;
    again->found = NULL;
    again->resource = resource;
    again->project = NULL;
    again->answer = (struct answer){.meta = call->answer.meta};
    inputs->fields = *resource->in;
    inputs->values = copy(arena, inputs->values, resource->in_size);
    inputs->sources = copy(arena, inputs->sources, n * sizeof(inputs->sources[0]));
    inputs->references = copy(arena, inputs->references, n * sizeof(inputs->references[0]));
    return again;
}

void call_take(struct call *call, const struct call *answered)
{
    const struct inputs *from = &answered->inputs;

    memcpy(call->inputs.values, from->values, answered->resource->in_size);
    memcpy(call->inputs.sources, from->sources, from->fields.n * sizeof(from->sources[0]));
    memcpy(call->inputs.references, from->references, from->fields.n * sizeof(from->references[0]));
    for (size_t i = 0; i < answered->answer.n_warnings; i++)
        answer_warn(&call->answer, answered->answer.warnings[i].code,
                    answered->answer.warnings[i].detail);
}

void call_table(struct call *call, const char *name, const void *rows, size_t n, size_t stride)
{
    for (size_t i = 0; i < RESOURCE_TABLES_MAX && call->resource->tables[i].name; i++) {
        const struct resource_table *table = &call->resource->tables[i];
        if (strcmp(table->name, name) == 0) {
            answer_table(&call->answer, (struct table){table->name, table->row_name, *table->fields,
                                                       rows, n, stride, table->value_field});
            return;
        }
    }
    assert(false && "the resource has no such table");
}

void call_values(struct call *call, const void *values)
{
    call->answer.fields = *call->resource->out;
    call->answer.values = values;
}

void call_warn(struct call *call, const char *code, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (!strchr(fmt, '%')) {
        answer_warn(&call->answer, code, fmt);
        return;
    }
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    answer_warn(&call->answer, code, arena_text(call->arena, text));
}

/* The value of an input as it reads now, for an error. */
static const char *input_value(const struct call *call, size_t i, char *to, size_t size)
{
    const struct field *field = &call->inputs.fields.at[i];

    if (field_is_text(field)) {
        const char *text = field_text(field, call->inputs.values);
        return text ? text : "";
    }
    double value = field_number(field, call->inputs.values);
    if (isnan(value))
        return "";
    snprintf(to, size, "%.15g", value);
    return to;
}

bool call_refuse(struct call *call, struct err *err, const char *name, const char *rule,
                 const char *fmt, ...)
{
    char text[256], number[32];
    size_t i = input_index(call, name);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    const char *value = call->inputs.sources[i] == SOURCE_REQUEST
                            ? input_value(call, i, number, sizeof(number))
                            : "";
    return err_add(err, name, value, rule, "%s", text);
}

bool call_at_most_one(struct call *call, const char *names, struct err *err)
{
    char given[2][64] = {"", ""};
    int n = 0;

    for (const char *p = names; *p;) {
        char name[64] = "";
        size_t length = strcspn(p, " ");
        assert(length < sizeof(name));
        memcpy(name, p, length);
        if (call_given(call, name)) {
            memcpy(given[n > 0], name, sizeof(name));
            n++;
        }
        p += length + (p[length] == ' ');
    }
    if (n < 2)
        return true;
    return call_refuse(call, err, given[1], "contradiction",
                       "says the same thing as %s: give only one of them", given[0]);
}

const char *call_day(struct call *call, day date)
{
    char text[11];

    if (!date)
        return NULL;
    text_print_day(date, text);
    return arena_text(call->arena, text);
}

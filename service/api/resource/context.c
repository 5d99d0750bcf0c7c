#include "api/resource/context.h"

#include "base/number.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t input_index(const struct request_context *context, const char *name)
{
    const struct field *field = fields_find(context->inputs.fields, name);

    assert(field);
    return (size_t)(field - context->inputs.fields.at);
}

bool context_given(const struct request_context *context, const char *name)
{
    return context->inputs.sources[input_index(context, name)] == SOURCE_REQUEST;
}

double context_number(const struct request_context *context, const char *name)
{
    const struct field *field = fields_find(context->inputs.fields, name);

    return field ? field_number(field, context->inputs.values) : (double)NAN;
}

const char *context_text(const struct request_context *context, const char *name)
{
    const struct field *field = fields_find(context->inputs.fields, name);

    return field ? field_text(field, context->inputs.values) : NULL;
}

static const struct field *mark(struct request_context *context, const char *name,
                                enum source source, const char *reference)
{
    size_t i = input_index(context, name);

    context->inputs.sources[i] = source;
    context->inputs.references[i] = reference;
    return &context->inputs.fields.at[i];
}

void context_set_number(struct request_context *context, const char *name, double value,
                        enum source source, const char *reference)
{
    field_set_number(mark(context, name, source, reference), context->inputs.values, value);
}

void context_set_text(struct request_context *context, const char *name, const char *value,
                      enum source source, const char *reference)
{
    field_set_text(mark(context, name, source, reference), context->inputs.values, value);
}

bool resource_is_list(const struct resource *resource)
{
    return !resource->out || resource->listed;
}

enum cost context_cost(const struct request_context *context)
{
    const struct resource *resource = context->resource;

    return resource->cost_of ? resource->cost_of(context->inputs.values) : resource->cost;
}

bool context_refuse_cancelled(const struct request_context *context, double seconds,
                              struct err *err)
{
    const struct resource *resource = context->resource;

    *err = (struct err){0};
    if (cancel_reason(context->cancel) != CANCEL_DEADLINE)
        return err_set(err, ERR_BUSY, "the daemon is shutting down: try again");
    return err_set(err, ERR_TOO_LONG,
                   "%s took longer than the %g s allowed for a calculation here and was stopped: "
                   "%s",
                   context->doing ? context->doing : resource->work, seconds, resource->smaller);
}

static void *copy(struct arena *arena, const void *from, size_t size)
{
    return memcpy(arena_alloc(arena, size), from, size);
}

struct request_context *context_again(const struct request_context *context,
                                      const struct resource *resource, struct arena *arena)
{
    struct request_context *again = copy(arena, context, sizeof(*context));
    struct inputs *inputs = &again->inputs;
    size_t n = resource->in->n;

    assert(n <= inputs->fields.n &&
           strcmp(inputs->fields.at[n - 1].name, resource->in->at[n - 1].name) == 0);
    again->arena = arena;
    again->search_cache = NULL;
    again->risk_cache = NULL;
    again->resource = resource;
    again->project = NULL;
    again->answer = (struct answer){.meta = context->answer.meta};
    inputs->fields = *resource->in;
    inputs->values = copy(arena, inputs->values, resource->in_size);
    inputs->sources = copy(arena, inputs->sources, n * sizeof(inputs->sources[0]));
    inputs->references = copy(arena, inputs->references, n * sizeof(inputs->references[0]));
    return again;
}

void context_take(struct request_context *context, const struct request_context *answered)
{
    const struct inputs *from = &answered->inputs;

    memcpy(context->inputs.values, from->values, answered->resource->in_size);
    memcpy(context->inputs.sources, from->sources, from->fields.n * sizeof(from->sources[0]));
    memcpy(context->inputs.references, from->references,
           from->fields.n * sizeof(from->references[0]));
    for (size_t i = 0; i < answered->answer.n_warnings; i++)
        answer_warn(&context->answer, answered->answer.warnings[i].code,
                    answered->answer.warnings[i].detail);
}

void context_table(struct request_context *context, const char *name, const void *rows, size_t n,
                   size_t stride)
{
    for (size_t i = 0; i < RESOURCE_TABLES_MAX && context->resource->tables[i].name; i++) {
        const struct resource_table *table = &context->resource->tables[i];
        if (strcmp(table->name, name) == 0) {
            answer_table(&context->answer,
                         (struct table){table->name, table->row_name, *table->fields, rows, n,
                                        stride, table->value_field, NULL});
            return;
        }
    }
    assert(false && "the resource has no such table");
}

const char *context_count(struct request_context *context, double value)
{
    char text[NUMBER_SIZE];

    number_grouped(text, value, 0);
    return arena_join(context->arena, text);
}

void context_values(struct request_context *context, const void *values)
{
    context->answer.fields = *context->resource->out;
    context->answer.values = values;
}

void context_warn(struct request_context *context, const char *code, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (!strchr(fmt, '%')) {
        answer_warn(&context->answer, code, fmt);
        return;
    }
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    answer_warn(&context->answer, code, arena_text(context->arena, text));
}

/* The current value of an input, for an error message. */
static const char *input_value(const struct request_context *context, size_t i, char *to,
                               size_t size)
{
    const struct field *field = &context->inputs.fields.at[i];

    if (field_is_text(field)) {
        const char *text = field_text(field, context->inputs.values);
        return text ? text : "";
    }
    double value = field_number(field, context->inputs.values);
    if (isnan(value))
        return "";
    snprintf(to, size, "%.15g", value);
    return to;
}

bool context_refuse(struct request_context *context, struct err *err, const char *name,
                    const char *rule, const char *fmt, ...)
{
    char text[256], number[32];
    size_t i = input_index(context, name);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    const char *value = context->inputs.sources[i] == SOURCE_REQUEST
                            ? input_value(context, i, number, sizeof(number))
                            : "";
    return err_add(err, name, value, rule, "%s", text);
}

bool context_at_most_one(struct request_context *context, const char *names, struct err *err)
{
    char given[2][64] = {"", ""};
    int n = 0;

    for (const char *p = names; *p;) {
        char name[64] = "";
        size_t length = strcspn(p, " ");
        assert(length < sizeof(name));
        memcpy(name, p, length);
        if (context_given(context, name)) {
            memcpy(given[n > 0], name, sizeof(name));
            n++;
        }
        p += length + (p[length] == ' ');
    }
    if (n < 2)
        return true;
    return context_refuse(context, err, given[1], "contradiction",
                          "means the same as %s: give only one of them", given[0]);
}

const char *context_day(struct request_context *context, day date)
{
    char text[11];

    if (!date)
        return NULL;
    text_print_day(date, text);
    return arena_text(context->arena, text);
}

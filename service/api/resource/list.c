#include "api/resource/list.h"

#include "base/spelling.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_MAX = 10000 };

struct order {
    const struct field *field;
    int sign;
};

/* Unknown values come last in either order. */
static int compare_numbers(double x, double y, int sign)
{
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return sign * ((x > y) - (x < y));
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct order *order = context;

    if (!field_is_text(order->field))
        return compare_numbers(field_number(order->field, a), field_number(order->field, b),
                               order->sign);
    const char *x = field_text(order->field, a), *y = field_text(order->field, b);
    if (!x || !y)
        return !x - !y;
    int text_order = strcmp(x, y);
    return order->sign < 0 ? -text_order : text_order;
}

static bool refuse_field(const char *parameter, const char *typed, struct fields fields,
                         struct err *err)
{
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; i < fields.n; i++)
        spelling_try(&near, fields.at[i].name);
    return err_add(err, parameter, typed, "unknown_field",
                   "the rows have no such field; did you mean %s?", near.nearest);
}

/* Keep the requested fields, in that order. */
static bool pick_fields(struct request_context *context, struct table *table, struct err *err)
{
    const char *names = context->common.fields, *name;
    struct field *picked;
    size_t n = 0;

    if (!names)
        return true;
    picked = arena_alloc(context->arena, (strlen(names) + 1) * sizeof(*picked));
    while ((name = arena_next_item(context->arena, &names))) {
        const struct field *field = fields_find(table->fields, name);
        if (!field)
            return refuse_field("fields", name, table->fields, err);
        picked[n++] = *field;
    }
    table->fields = (struct fields){picked, n, NULL};
    return true;
}

bool list_pick(struct request_context *context, enum format format, struct err *err)
{
    struct answer *answer = &context->answer;

    /* sheets select columns themselves; .txt and .svg have one figure */
    bool whole = format == FORMAT_JSON || format == FORMAT_XML || format == FORMAT_HTML;
    if (!context->common.fields || !whole || resource_is_list(context->resource))
        return true;
    return answer->fields.n ? answer_pick(answer, context->common.fields, context->arena, err)
                            : pick_fields(context, &answer->tables[0], err);
}

static bool sort_rows(struct request_context *context, struct table *table, struct err *err)
{
    const char *name = context->list.sort;

    if (!name)
        return true;
    struct order order = {NULL, name[0] == '-' ? -1 : 1};
    order.field = fields_find(table->fields, name + (name[0] == '-'));
    if (!order.field)
        return refuse_field("sort", name, table->fields, err);
    void *rows = arena_alloc(context->arena, table->n * table->stride);
    memcpy(rows, table->rows, table->n * table->stride);
    qsort_r(rows, table->n, table->stride, compare_rows, &order);
    table->rows = rows;
    return true;
}

static bool read_page(const struct request_context *context, struct page *page, struct err *err)
{
    const char *cursor = context->list.cursor;
    char *end = NULL;

    page->n = context->paged ? (size_t)fmin(context->list.limit, PAGE_MAX) : SIZE_MAX;
    page->first = cursor ? strtoul(cursor, &end, 10) : 0;
    if (!cursor || (!*end && end != cursor))
        return true;
    return err_add(err, "cursor", cursor, "unknown_cursor",
                   "is not a cursor of this list: use next_cursor of the previous page");
}

bool list_page(const struct request_context *context, struct page *page, struct err *err)
{
    if (context->list.sort)
        *page = (struct page){0, SIZE_MAX};
    return context->list.sort || read_page(context, page, err);
}

void list_set_page(struct request_context *context, size_t total)
{
    context->list_total = total;
}

bool list_apply(struct request_context *context, struct err *err)
{
    struct table *table = &context->answer.tables[0];
    bool cut = context->list_total > 0; /* the rows are already one page */
    size_t total = cut ? context->list_total : table->n;
    struct page page;

    if (!sort_rows(context, table, err) || !read_page(context, &page, err))
        return false;
    if (context->list.count == 1)
        context->answer.count = (double)total;
    if (page.first > total)
        return err_add(err, "cursor", context->list.cursor, "unknown_cursor",
                       "is beyond the end of this list: use next_cursor of the previous page");
    size_t n = total - page.first < page.n ? total - page.first : page.n;
    if (!cut)
        table->rows = (const char *)table->rows + page.first * table->stride;
    table->n = n;
    if (page.first + n < total)
        context->answer.next_cursor = arena_print(context->arena, "%zu", page.first + n);
    if (context->answer.next_cursor && !context->page_chosen)
        context_warn(
            context, "more_rows",
            "these are rows 1 to %zu of %zu: cursor=%s returns the next ones, limit up to %d at "
            "once, and .csv all of them",
            n, total, context->answer.next_cursor, PAGE_MAX);
    return pick_fields(context, table, err);
}

#include "api/resource/list.h"

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
    const char *best = "";
    size_t least = (size_t)-1;

    for (size_t i = 0; i < fields.n; i++) {
        size_t distance = text_distance(typed, fields.at[i].name);
        if (distance < least) {
            least = distance;
            best = fields.at[i].name;
        }
    }
    return err_add(err, parameter, typed, "unknown_field",
                   "the rows have no such field; the nearest is %s", best);
}

/* Keep the fields that were asked for, in that order. */
static bool pick_fields(struct call *call, struct table *table, struct err *err)
{
    const char *names = call->common.fields;
    struct field *picked;
    size_t n = 0;

    if (!names)
        return true;
    picked = arena_alloc(call->arena, (strlen(names) + 1) * sizeof(*picked));
    for (const char *p = names; *p;) {
        size_t length = strcspn(p, ",");
        const char *name = arena_print(call->arena, "%.*s", (int)length, p);
        const struct field *field = fields_find(table->fields, name);
        if (!field)
            return refuse_field("fields", name, table->fields, err);
        picked[n++] = *field;
        p += length + (p[length] == ',');
    }
    table->fields = (struct fields){picked, n, NULL};
    return true;
}

bool list_pick(struct call *call, enum format format, struct err *err)
{
    struct answer *answer = &call->answer;

    /* sheets choose among their columns themselves, .txt and .svg have one figure */
    bool whole = format == FORMAT_JSON || format == FORMAT_XML || format == FORMAT_HTML;
    if (!call->common.fields || !whole || resource_is_list(call->resource))
        return true;
    return answer->fields.n ? answer_pick(answer, call->common.fields, call->arena, err)
                            : pick_fields(call, &answer->tables[0], err);
}

static bool sort_rows(struct call *call, struct table *table, struct err *err)
{
    const char *name = call->list.sort;

    if (!name)
        return true;
    struct order order = {NULL, name[0] == '-' ? -1 : 1};
    order.field = fields_find(table->fields, name + (name[0] == '-'));
    if (!order.field)
        return refuse_field("sort", name, table->fields, err);
    void *rows = arena_alloc(call->arena, table->n * table->stride);
    memcpy(rows, table->rows, table->n * table->stride);
    qsort_r(rows, table->n, table->stride, compare_rows, &order);
    table->rows = rows;
    return true;
}

static bool read_cursor(const struct call *call, size_t *first, struct err *err)
{
    const char *cursor = call->list.cursor;
    char *end = NULL;

    *first = cursor ? strtoul(cursor, &end, 10) : 0;
    if (!cursor || (!*end && end != cursor))
        return true;
    return err_add(err, "cursor", cursor, "unknown_cursor",
                   "is not a cursor of this list: take next_cursor of the page before");
}

static bool read_page(const struct call *call, struct page *page, struct err *err)
{
    page->n = call->paged ? (size_t)fmin(call->list.limit, PAGE_MAX) : SIZE_MAX;
    return read_cursor(call, &page->first, err);
}

bool list_page(const struct call *call, struct page *page, struct err *err)
{
    if (call->list.sort)
        *page = (struct page){0, SIZE_MAX};
    return call->list.sort || read_page(call, page, err);
}

void list_set_page(struct call *call, size_t total)
{
    call->list_total = total;
}

bool list_apply(struct call *call, struct err *err)
{
    struct table *table = &call->answer.tables[0];
    bool cut = call->list_total > 0; /* the rows are the page already */
    size_t total = cut ? call->list_total : table->n;
    struct page page;

    if (!sort_rows(call, table, err) || !read_page(call, &page, err))
        return false;
    if (call->list.count == 1)
        call->answer.count = (double)total;
    if (page.first > total)
        return err_add(err, "cursor", call->list.cursor, "unknown_cursor",
                       "is beyond the end of this list: take next_cursor of the page before");
    size_t n = total - page.first < page.n ? total - page.first : page.n;
    if (!cut)
        table->rows = (const char *)table->rows + page.first * table->stride;
    table->n = n;
    if (page.first + n < total)
        call->answer.next_cursor = arena_print(call->arena, "%zu", page.first + n);
    if (call->answer.next_cursor && !call->page_chosen)
        call_warn(call, "more_rows",
                  "these are rows 1 to %zu of %zu: cursor=%s gives those that follow, limit up to "
                  "%d at once, and .csv all of them",
                  n, total, call->answer.next_cursor, PAGE_MAX);
    return pick_fields(call, table, err);
}

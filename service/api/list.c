#include "api/list.h"

#include "base/text.h"

#include <math.h>
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
    table->fields = (struct fields){picked, n};
    return true;
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

bool list_apply(struct call *call, bool paged, bool limit_given, struct err *err)
{
    struct table *table = &call->answer.tables[0];
    size_t start = 0, total = table->n;

    if (!sort_rows(call, table, err))
        return false;
    if (call->list.count == 1)
        call->answer.count = (double)total;
    if (call->list.cursor) {
        char *end;
        unsigned long at = strtoul(call->list.cursor, &end, 10);
        if (*end || end == call->list.cursor || at > total)
            return err_add(err, "cursor", call->list.cursor, "unknown_cursor",
                           "is not a cursor of this list: take next_cursor of the page before");
        start = at;
    }
    size_t limit = paged || limit_given ? (size_t)fmin(call->list.limit, PAGE_MAX) : total;
    size_t n = total - start < limit ? total - start : limit;
    table->rows = (const char *)table->rows + start * table->stride;
    table->n = n;
    if (start + n < total)
        call->answer.next_cursor = arena_print(call->arena, "%zu", start + n);
    return pick_fields(call, table, err);
}

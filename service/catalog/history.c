#include "catalog/history.h"

#include <stdlib.h>
#include <string.h>

static int compare_past(const void *a, const void *b, void *context)
{
    const struct past_row *x = a, *y = b;
    const struct past *past = context;
    int order = past->compare(x->row, y->row);

    return order ? order : (x->until > y->until) - (x->until < y->until);
}

void history_sort(struct past *past)
{
    if (past->n)
        qsort_r(past->rows, past->n, sizeof(*past->rows), compare_past, past);
    past->newest = 0;
    past->n_keys = 0;
    for (size_t i = 0; i < past->n; i++) {
        if (past->rows[i].until > past->newest)
            past->newest = past->rows[i].until;
        past->n_keys += i == 0 || past->compare(past->rows[i - 1].row, past->rows[i].row) != 0;
    }
}

struct past_row *past_find(const struct past *past, const void *like, size_t *n)
{
    size_t first = 0, end = past->n;

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (past->compare(past->rows[middle].row, like) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    for (end = first; end < past->n && past->compare(past->rows[end].row, like) == 0; end++)
        ;
    *n = end - first;
    return *n ? &past->rows[first] : NULL;
}

/* Among the rows from *i with one key, the version in force on the day, or NULL if it is today's;
 * advances *i past them. */
static const struct past_row *of_day(const struct past *past, size_t *i, day as_of)
{
    const struct past_row *found = NULL, *first = &past->rows[*i];

    for (; *i < past->n && past->compare(past->rows[*i].row, first->row) == 0; ++*i)
        if (!found && past->rows[*i].until > as_of)
            found = &past->rows[*i];
    return found;
}

void *history_as_of(const struct past *past, void *now, size_t *n, day as_of, struct arena *arena)
{
    size_t size = past->row_size, at = 0, i = 0, count = 0;

    if (past->newest <= as_of)
        return now;
    char *then = arena_alloc(arena, (*n + past->n_keys) * size);
    while (at < *n || i < past->n) {
        const void *row = at < *n ? (const char *)now + at * size : NULL;
        int order = !row ? 1 : i == past->n ? -1 : past->compare(row, past->rows[i].row);
        if (order <= 0)
            at++;
        if (order >= 0) {
            const struct past_row *former = of_day(past, &i, as_of);
            if (former)
                row = former->gone ? NULL : former->row;
            else if (order > 0)
                row = NULL;
        }
        if (row)
            memcpy(then + count++ * size, row, size);
    }
    *n = count;
    return then;
}

bool history_differs(const struct past *past, day a, day b)
{
    day from = a < b ? a : b, to = a < b ? b : a;

    for (size_t i = 0; i < past->n; i++)
        if (past->rows[i].until > from && past->rows[i].until <= to)
            return true;
    return false;
}

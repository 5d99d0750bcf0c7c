#include "catalog/history.h"

#include <stdlib.h>
#include <string.h>

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct history_row *x = a, *y = b;
    const struct history *history = context;
    int order = history->compare(x->row, y->row);

    return order ? order : (x->until > y->until) - (x->until < y->until);
}

void history_sort(struct history *history)
{
    if (history->n)
        qsort_r(history->rows, history->n, sizeof(*history->rows), compare_rows, history);
    history->newest = 0;
    history->n_keys = 0;
    for (size_t i = 0; i < history->n; i++) {
        if (history->rows[i].until > history->newest)
            history->newest = history->rows[i].until;
        history->n_keys +=
            i == 0 || history->compare(history->rows[i - 1].row, history->rows[i].row) != 0;
    }
}

struct history_row *history_find(const struct history *history, const void *like, size_t *n)
{
    size_t first = 0, end = history->n;

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (history->compare(history->rows[middle].row, like) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    for (end = first; end < history->n && history->compare(history->rows[end].row, like) == 0;
         end++)
        ;
    *n = end - first;
    return *n ? &history->rows[first] : NULL;
}

/* Among the rows from *i with one key, the version of that day, or NULL if it is today's;
 * advances *i past them. */
static const struct history_row *of_day(const struct history *history, size_t *i, day as_of)
{
    const struct history_row *found = NULL, *first = &history->rows[*i];

    for (; *i < history->n && history->compare(history->rows[*i].row, first->row) == 0; ++*i)
        if (!found && history->rows[*i].until > as_of)
            found = &history->rows[*i];
    return found;
}

void *history_as_of(const struct history *history, void *now, size_t *n, day as_of,
                    struct arena *arena)
{
    size_t size = history->row_size, at = 0, i = 0, count = 0;

    if (history->newest <= as_of)
        return now;
    char *then = arena_alloc(arena, (*n + history->n_keys) * size);
    while (at < *n || i < history->n) {
        const void *row = at < *n ? (const char *)now + at * size : NULL;
        int order = !row ? 1 : i == history->n ? -1 : history->compare(row, history->rows[i].row);
        if (order <= 0)
            at++;
        if (order >= 0) {
            const struct history_row *former = of_day(history, &i, as_of);
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

bool history_differs(const struct history *history, day a, day b)
{
    day from = a < b ? a : b, to = a < b ? b : a;

    for (size_t i = 0; i < history->n; i++)
        if (history->rows[i].until > from && history->rows[i].until <= to)
            return true;
    return false;
}

#include "catalog/required.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double required_bound(const struct assumption *row, enum bound bound)
{
    return bound == BOUND_LOW ? row->low : bound == BOUND_HIGH ? row->high : row->value;
}

static bool meets(const struct assumption *row, const struct required *required)
{
    double value = row ? required_bound(row, required->bound) : (double)NAN;

    return !isnan(value) && !(value < required->min) && !(value > required->max);
}

static void mend_history(struct history *history, const struct required *required,
                         const struct assumption *today)
{
    struct assumption key = {.key = required->key, .scope = required->scope};
    const void *in_force = NULL;
    size_t n;
    struct history_row *rows = history_find(history, &key, &n);

    for (size_t i = 0; i < n; i++) {
        if (!rows[i].gone && meets(rows[i].row, required))
            in_force = rows[i].row;
        else if (in_force)
            rows[i] = (struct history_row){in_force, rows[i].until, false};
    }
    in_force = today;
    for (size_t i = n; i > 0; i--) {
        if (!rows[i - 1].gone && meets(rows[i - 1].row, required))
            in_force = rows[i - 1].row;
        else
            rows[i - 1] = (struct history_row){in_force, rows[i - 1].until, false};
    }
}

void catalog_require(struct catalog *catalog, const struct required *required)
{
    const struct assumption *today = catalog_assumption(catalog, required->key, required->scope);

    if (meets(today, required)) {
        mend_history(&catalog->old_assumptions, required, today);
        return;
    }
    const char *name =
        arena_join(&catalog->arena, required->key, required->scope[0] ? ":" : "", required->scope);
    if (!text_in_list(catalog->lacking, name))
        catalog->lacking =
            arena_join(&catalog->arena, catalog->lacking, catalog->lacking[0] ? "," : "", name);
}

/* Length up to the last name that ends within `room` bytes. */
static size_t cut(const char *names, size_t room)
{
    size_t n = strlen(names);

    while (n > room)
        for (n--; n && names[n] != ','; n--)
            ;
    return n;
}

bool catalog_complete(const struct catalog *catalog, struct err *err)
{
    enum { ROOM = sizeof(err->text) - 128 }; /* leaves room for the rest of the sentence */
    const char *names = catalog->lacking;
    size_t n = cut(names, ROOM), rest = 0;

    if (!names[0])
        return true;
    for (const char *p = names + n; *p; p++)
        rest += *p == ',';
    err_set(err, ERR_UNAVAILABLE,
            "catalogue %s is refused: assumptions are missing or out of range: %.*s",
            catalog->version, (int)n, names);
    size_t length = strlen(err->text);
    if (rest)
        snprintf(err->text + length, sizeof(err->text) - length, " and %zu more", rest);
    return false;
}

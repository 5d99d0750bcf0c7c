/* changes.c - /v1/changes: the audit log of rows that have no validity days of their own. */
#include "api/routes/resources.h"

#include "base/text.h"

#include <string.h>

#define TABLE changes_in
#define TABLE_FILE "api/catalog/changes_in.def"
#include "base/field/table.h"

#define TABLE change_row
#define TABLE_FILE "api/catalog/change_row.def"
#include "base/field/table.h"

/* True for the key itself and for keys that start with it: a GPU's figures begin with its slug. */
static bool is_of(const struct row_change *change, const char *key)
{
    size_t n = strlen(key);

    return strncmp(change->key, key, n) == 0 && (!change->key[n] || change->key[n] == '/');
}

static bool wanted(const struct changes_in *in, const struct row_change *change)
{
    return (!in->table || strcmp(in->table, change->table) == 0) &&
           (!in->key || is_of(change, in->key));
}

static struct change_row row_of(const struct row_change *change)
{
    return (struct change_row){
        .change = change->number,
        .table = change->table,
        .key = change->key,
        .action = change->action,
        .changed_at = change->changed_at,
        .changed_by = change->changed_by,
        .field = text_given(change->field),
        .before = text_given(change->before),
        .after = text_given(change->after),
    };
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct changes_in *in = input;
    const struct catalog *catalog = context->catalog;
    struct change_row *rows =
        arena_alloc(context->arena, (catalog->n_row_changes + 1) * sizeof(*rows));
    size_t n = 0;

    (void)err;
    for (size_t i = 0; i < catalog->n_row_changes; i++) {
        const struct row_change *change = &catalog->row_changes[i];
        if (change->recorded <= context->as_of && wanted(in, change))
            rows[n++] = row_of(change);
    }
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource changes_resource = {
    .name = "changes",
    .headline = "change",
    .summary =
        "Changes of assumptions, models, GPUs and purchase prices: who, what and when, newest "
        "first",
    .in = &changes_in_fields,
    .in_size = sizeof(struct changes_in),
    .tables = {{"rows", "change", &change_row_fields, NULL, "One changed field per row"}},
    .answer = answer,
};

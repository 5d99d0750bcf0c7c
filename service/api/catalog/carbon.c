/* carbon.c - /v1/carbon: the carbon intensity of electricity grids, by country. They are rows of
 * assumption, one a country, so that past days and changes of them are told as those of others. */
#include "api/routes/resources.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define TABLE carbon_in
#define TABLE_FILE "api/catalog/carbon_in.def"
#include "base/field/table.h"

#define TABLE carbon_row
#define TABLE_FILE "api/catalog/carbon_row.def"
#include "base/field/table.h"

static const char *upper_case(struct arena *arena, const char *text)
{
    char *out = arena_alloc(arena, strlen(text) + 1);

    for (size_t i = 0; text[i]; i++)
        out[i] = (char)toupper((unsigned char)text[i]);
    return out;
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct carbon_in *in = input;
    const struct catalog *catalog = context->catalog;
    struct carbon_row *rows = arena_alloc(context->arena, catalog->n_assumptions * sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_assumptions; i++) {
        const struct assumption *row = &catalog->assumptions[i];
        if (strcmp(row->key, "grid_carbon_g_per_kwh") == 0 &&
            (!in->country || strcasecmp(in->country, row->scope) == 0))
            rows[n++] = (struct carbon_row){upper_case(context->arena, row->scope),
                                            row->value,
                                            text_given(row->applies_to),
                                            row->source,
                                            text_given(row->source_date),
                                            text_given(row->note)};
    }
    if (in->country && n == 0)
        return context_refuse(
            context, err, "country", "unknown_name",
            "no figure is known of that country; it is named by two letters, as DE");
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource carbon_resource = {
    .name = "carbon",
    .headline = "carbon_g_per_kwh",
    .summary = "What a kilowatt-hour emits, by country",
    .in = &carbon_in_fields,
    .in_size = sizeof(struct carbon_in),
    .tables = {{"rows", "country", &carbon_row_fields, NULL, "One country each"}},
    .answer = answer,
};

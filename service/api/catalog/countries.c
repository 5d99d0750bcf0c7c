/* countries.c - /v1/carbon and /v1/electricity-prices: CO2 and price of electricity by country.
 * Both are rows of assumption, one per country, so that past days and changes work as for all
 * others. */
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

#define TABLE electricity_prices_in
#define TABLE_FILE "api/catalog/electricity_prices_in.def"
#include "base/field/table.h"

#define TABLE electricity_price_row
#define TABLE_FILE "api/catalog/electricity_price_row.def"
#include "base/field/table.h"

static const char *upper_case(struct arena *arena, const char *text)
{
    char *out = arena_alloc(arena, strlen(text) + 1);

    for (size_t i = 0; text[i]; i++)
        out[i] = (char)toupper((unsigned char)text[i]);
    return out;
}

/* From a row of assumption; the rows of both resources differ only in the name of the figure. */
#define COUNTRY_ROW(arena, row)                                                       \
    {                                                                                 \
        upper_case(arena, (row)->scope), (row)->value, text_given((row)->applies_to), \
            (row)->source, text_given((row)->source_date), text_given((row)->note)    \
    }

static bool has_row(const struct catalog *catalog, const char *key, const char *country)
{
    for (size_t i = 0; i < catalog->n_assumptions; i++)
        if (strcmp(catalog->assumptions[i].key, key) == 0 &&
            strcasecmp(catalog->assumptions[i].scope, country) == 0)
            return true;
    return false;
}

/* The rows of an assumption for the country, or for all if NULL; NULL with a culprit if there
 * are none. */
static const struct assumption *const *find_rows(struct request_context *context, const char *key,
                                                 const char *country, size_t *n, struct err *err)
{
    const struct catalog *catalog = context->catalog;
    const struct assumption **rows =
        arena_alloc(context->arena, catalog->n_assumptions * sizeof(const struct assumption *));

    *n = 0;
    for (size_t i = 0; i < catalog->n_assumptions; i++) {
        const struct assumption *row = &catalog->assumptions[i];
        if (strcmp(row->key, key) == 0 && (!country || strcasecmp(country, row->scope) == 0))
            rows[(*n)++] = row;
    }
    if (!country || *n > 0)
        return rows;
    const char *letters = lookup_country(context, country);
    bool known = letters && has_row(catalog, key, letters);
    if (letters && !known)
        context_refuse(context, err, "country", "unknown_name",
                       "no figure for that country, %s, is known; without country all are listed",
                       letters);
    else
        context_refuse(context, err, "country", "unknown_name",
                       "no figure for that country is known%s%s; without country all are listed",
                       known                  ? "; did you mean "
                       : strlen(country) == 2 ? ""
                                              : "; use its two-letter code, such as DE",
                       known ? letters : "");
    return NULL;
}

static bool answer_carbon(struct request_context *context, void *input, struct err *err)
{
    const struct carbon_in *in = input;
    size_t n;
    const struct assumption *const *found =
        find_rows(context, "grid_carbon_g_per_kwh", in->country, &n, err);

    if (!found)
        return false;
    struct carbon_row *rows = arena_alloc(context->arena, n * sizeof(*rows));
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct carbon_row)COUNTRY_ROW(context->arena, found[i]);
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource carbon_resource = {
    .name = "carbon",
    .headline = "carbon_g_per_kwh",
    .summary = "What a kilowatt-hour emits, by country",
    .in = &carbon_in_fields,
    .in_size = sizeof(struct carbon_in),
    .tables = {{"rows", "carbon_intensity", &carbon_row_fields, NULL, "One country each"}},
    .answer = answer_carbon,
};

static bool answer_electricity(struct request_context *context, void *input, struct err *err)
{
    const struct electricity_prices_in *in = input;
    size_t n;
    const struct assumption *const *found =
        find_rows(context, "industrial_electricity_price_per_kwh", in->country, &n, err);

    if (!found)
        return false;
    struct electricity_price_row *rows = arena_alloc(context->arena, n * sizeof(*rows));
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct electricity_price_row)COUNTRY_ROW(context->arena, found[i]);
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource electricity_prices_resource = {
    .name = "electricity_prices",
    .headline = "electricity_price_per_kwh",
    .summary = "What a kilowatt-hour costs industry, by country",
    .in = &electricity_prices_in_fields,
    .in_size = sizeof(struct electricity_prices_in),
    .tables = {{"rows", "electricity_price", &electricity_price_row_fields, NULL,
                "One country each"}},
    .answer = answer_electricity,
};

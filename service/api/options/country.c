#include "api/options/country.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { LETTERS = 2 };

/* The value of the assumption's row for the country; NAN if there is none. */
static double figure_of(const struct request_context *context, const char *key, const char *country)
{
    char scope[LETTERS + 1];

    for (int i = 0; i <= LETTERS; i++)
        scope[i] = (char)tolower((unsigned char)country[i]);
    return catalog_default(context->catalog, key, scope);
}

static bool refuse(struct request_context *context, const char *country, bool coded,
                   struct err *err)
{
    const char *letters = lookup_country(context, country);

    if (letters)
        return context_refuse(context, err, "country", "unknown_name",
                              "takes the two letters of ISO 3166: did you mean %s?", letters);
    return context_refuse(context, err, "country", "unknown_name",
                          coded ? "has no carbon intensity in the catalogue: see /v1/carbon, or "
                                  "give grid_carbon_kg_per_kwh"
                                : "takes two letters of ISO 3166, such as DE or us");
}

bool country_fill_carbon(struct request_context *context, const char *country, struct err *err)
{
    const double g_per_kg = 1000;

    if (!country)
        return true;
    bool coded = strlen(country) == LETTERS;
    if (coded && context_given(context, "grid_carbon_kg_per_kwh"))
        return true;
    double carbon = coded ? figure_of(context, "grid_carbon_g_per_kwh", country) : (double)NAN;
    if (isnan(carbon))
        return refuse(context, country, coded, err);
    context_set_number(context, "grid_carbon_kg_per_kwh", carbon / g_per_kg, SOURCE_CATALOG,
                       arena_join(context->arena, "/v1/carbon?country=", country));
    return true;
}

static void fill_electricity(struct request_context *context, const char *country)
{
    if (!country || context_given(context, "electricity_price_per_kwh"))
        return;
    double price = figure_of(context, "industrial_electricity_price_per_kwh", country);
    if (isnan(price))
        context_warn(context, "electricity_of_no_country",
                     "the industrial electricity price in %s is unknown, so the general default "
                     "is used; enter electricity_price_per_kwh",
                     country);
    else
        context_set_number(context, "electricity_price_per_kwh", price, SOURCE_CATALOG,
                           arena_join(context->arena, "/v1/electricity-prices?country=", country));
}

bool country_fill(struct request_context *context, const char *country, struct err *err)
{
    if (!country_fill_carbon(context, country, err))
        return false;
    fill_electricity(context, country);
    double carbon_price = context_number(context, "carbon_price_per_tonne"),
           carbon = context_number(context, "grid_carbon_kg_per_kwh");
    if (carbon_price > 0 && isnan(carbon))
        return context_refuse(
            context, err, "grid_carbon_kg_per_kwh", "missing_parameter",
            "is required if carbon has a price; country sets it to that of its grid");
    return true;
}

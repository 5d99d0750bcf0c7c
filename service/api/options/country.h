/* country.h - a country's carbon intensity and electricity price, as defaults for inputs not
 * given. */
#ifndef API_OPTIONS_COUNTRY_H
#define API_OPTIONS_COUNTRY_H

#include "api/resource/context.h"

/* Sets grid_carbon_kg_per_kwh to the grid's CO2 per kWh; does nothing without a country. False if
 * the country is unknown. */
bool country_fill_carbon(struct request_context *context, const char *country,
                         struct err *err) MUST_CHECK;

/* The same, and sets electricity_price_per_kwh to the industrial price, with a warning if that is
 * unknown. Also false if carbon has a price but its amount is unknown. */
bool country_fill(struct request_context *context, const char *country, struct err *err) MUST_CHECK;

#endif

/* country.h - what a kilowatt-hour emits and costs in a country, in place of inputs not given. */
#ifndef API_OPTIONS_COUNTRY_H
#define API_OPTIONS_COUNTRY_H

#include "api/resource/context.h"

/* The grid's CO2, as grid_carbon_kg_per_kwh; without a country nothing. False if it is unknown. */
bool country_fill_carbon(struct request_context *context, const char *country,
                         struct err *err) MUST_CHECK;

/* The same, and the price industry pays as electricity_price_per_kwh, with a warning where that is
 * unknown. False too if carbon has a price and its amount is unknown. */
bool country_fill(struct request_context *context, const char *country, struct err *err) MUST_CHECK;

#endif

/* country.h - what a kilowatt-hour emits and costs in a country, in place of inputs not given. */
#ifndef API_OPTIONS_COUNTRY_H
#define API_OPTIONS_COUNTRY_H

#include "api/resource/context.h"

/* The grid's CO2, as grid_carbon_kg_per_kwh; without a country nothing. False if it is unknown. */
bool country_fill_carbon(struct request_context *context, const char *country,
                         struct err *err) MUST_CHECK;

/* The price industry pays, as electricity_price_per_kwh; warns where that is unknown. */
void country_fill_electricity(struct request_context *context, const char *country);

#endif

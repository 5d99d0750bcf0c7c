/* resources.h - all resources; each is defined in the file of its name. */
#ifndef API_ROUTES_RESOURCES_H
#define API_ROUTES_RESOURCES_H

#include "api/resource/context.h"

extern const struct resource index_resource;
extern const struct resource gpus_resource, gpu_resource;
extern const struct resource offers_resource, offers_history_resource, price_summary_resource;
extern const struct resource price_history_resource;
extern const struct resource hardware_resource, exchange_rates_resource;
extern const struct resource hosted_prices_resource, provider_charges_resource;
extern const struct resource measurement_resource, measurement_create_resource,
    measurement_delete_resource, measured_run_resource;
extern const struct resource quotes_resource, quote_resource, quote_history_resource;
extern const struct resource quote_create_resource, quote_replace_resource, quote_hide_resource;
extern const struct resource models_resource, model_resource, assumptions_resource;
extern const struct resource changes_resource, carbon_resource, measurements_resource;
extern const struct resource electricity_prices_resource;
extern const struct resource training_plan_resource, inference_sizing_resource;
extern const struct resource training_options_resource, training_sensitivity_resource;
extern const struct resource inference_sensitivity_resource;
extern const struct resource inference_options_resource, inference_pools_resource;
extern const struct resource break_even_sensitivity_resource;
extern const struct resource break_even_risk_resource, break_even_gpus_resource;
extern const struct resource recommendation_resource;
extern const struct resource break_even_resource;
extern const struct resource compare_resource;

#endif

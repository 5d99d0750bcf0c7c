#include "api/routes/routes.h"

#include "api/routes/resources.h"
#include "base/spelling.h"

#include <string.h>

const struct route routes[] = {
    {"/v1", NULL, &index_resource, NULL, NULL, "Catalogue", "Index"},
    {"/v1/gpus", NULL, &gpus_resource, NULL, NULL, "Catalogue", "Gpus"},
    {"/v1/gpus/{gpu}", NULL, &gpu_resource, NULL, NULL, "Catalogue", "Gpu"},
    {"/v1/offers", NULL, &offers_resource, NULL, NULL, "Prices", "Offers"},
    {"/v1/offers/history", NULL, &offers_history_resource, NULL, NULL, "Prices", "OfferHistory"},
    {"/v1/price-summary", NULL, &price_summary_resource, NULL, NULL, "Prices", "PriceSummaries"},
    {"/v1/price-summary/history", NULL, &price_history_resource, NULL, NULL, "Prices",
     "PriceHistory"},
    {"/v1/hardware", NULL, &hardware_resource, NULL, NULL, "Prices", "HardwarePrices"},
    {"/v1/hosted-prices", NULL, &hosted_prices_resource, NULL, NULL, "Prices", "HostedPrices"},
    {"/v1/provider-charges", NULL, &provider_charges_resource, NULL, NULL, "Prices",
     "ProviderCharges"},
    {"/v1/models", NULL, &models_resource, &model_resource, NULL, "Catalogue", "Models"},
    {"/v1/models/{model}", NULL, &model_resource, NULL, NULL, "Catalogue", "Model"},
    {"/v1/assumptions", NULL, &assumptions_resource, NULL, NULL, "Catalogue", "Assumptions"},
    {"/v1/measurements", NULL, &measurements_resource, &measurement_create_resource, NULL,
     "Catalogue", "Measurements"},
    {"/v1/measurements/{id}", NULL, &measurement_resource, NULL, NULL, "Catalogue", "MeasuredRun"},
    {"/v1/measured-run", NULL, &measured_run_resource, &measured_run_resource, NULL, "Catalogue",
     "MeasuredRunOfFile"},
    {"/v1/carbon", NULL, &carbon_resource, NULL, NULL, "Catalogue", "CarbonIntensities"},
    {"/v1/changes", NULL, &changes_resource, NULL, NULL, "Catalogue", "Changes"},
    {"/v1/quotes", NULL, &quotes_resource, &quote_create_resource, NULL, "Quotes", "Quotes"},
    {"/v1/quotes/{id}", NULL, &quote_resource, NULL, NULL, "Quotes", "Quote"},
    {"/v1/quotes/{id}/history", NULL, &quote_history_resource, NULL, NULL, "Quotes",
     "QuoteHistory"},
    {"/v1/electricity-prices", NULL, &electricity_prices_resource, NULL, NULL, "Prices",
     "ElectricityPrices"},
    {"/v1/exchange-rates", NULL, &exchange_rates_resource, NULL, NULL, "Prices", "ExchangeRates"},
    {"/v1/training-plan", NULL, &training_plan_resource, &training_plan_resource, "/training-plan",
     "Training", "TrainingPlan"},
    {"/v1/training-plan/line-items", "line_items", &training_plan_resource, &training_plan_resource,
     NULL, "Training", "TrainingPlanLineItems"},
    {"/v1/training-plan/explanations", "explanations", &training_plan_resource,
     &training_plan_resource, NULL, "Training", "TrainingPlanExplanations"},
    {"/v1/training-plan/options", NULL, &training_options_resource, &training_options_resource,
     NULL, "Training", "TrainingPlanOptions"},
    {"/v1/training-plan/sensitivity", NULL, &training_sensitivity_resource,
     &training_sensitivity_resource, NULL, "Training", "TrainingPlanSensitivity"},
    {"/v1/inference-sizing", NULL, &inference_sizing_resource, &inference_sizing_resource,
     "/inference-sizing", "Inference", "InferenceSizing"},
    {"/v1/inference-sizing/line-items", "line_items", &inference_sizing_resource,
     &inference_sizing_resource, NULL, "Inference", "InferenceSizingLineItems"},
    {"/v1/inference-sizing/explanations", "explanations", &inference_sizing_resource,
     &inference_sizing_resource, NULL, "Inference", "InferenceSizingExplanations"},
    {"/v1/inference-sizing/options", NULL, &inference_options_resource, &inference_options_resource,
     NULL, "Inference", "InferenceSizingOptions"},
    {"/v1/inference-sizing/pools", NULL, &inference_pools_resource, &inference_pools_resource, NULL,
     "Inference", "InferenceSizingPools"},
    {"/v1/inference-sizing/sensitivity", NULL, &inference_sensitivity_resource,
     &inference_sensitivity_resource, NULL, "Inference", "InferenceSizingSensitivity"},
    {"/v1/break-even", NULL, &break_even_resource, &break_even_resource, "/break-even",
     "Buy or rent", "BreakEven"},
    {"/v1/break-even/line-items", "line_items", &break_even_resource, &break_even_resource, NULL,
     "Buy or rent", "BreakEvenLineItems"},
    {"/v1/break-even/series", "series", &break_even_resource, &break_even_resource, NULL,
     "Buy or rent", "BreakEvenSeries"},
    {"/v1/break-even/cash-flow", "cash_flow", &break_even_resource, &break_even_resource, NULL,
     "Buy or rent", "BreakEvenCashFlow"},
    {"/v1/break-even/lease", "lease", &break_even_resource, &break_even_resource, NULL,
     "Buy or rent", "BreakEvenLease"},
    {"/v1/break-even/ledger", "ledger", &break_even_resource, &break_even_resource, NULL,
     "Buy or rent", "BreakEvenLedger"},
    {"/v1/break-even/explanations", "explanations", &break_even_resource, &break_even_resource,
     NULL, "Buy or rent", "BreakEvenExplanations"},
    {"/v1/break-even/gpus", NULL, &break_even_gpus_resource, &break_even_gpus_resource, NULL,
     "Buy or rent", "BreakEvenGpus"},
    {"/v1/break-even/risk", NULL, &break_even_risk_resource, &break_even_risk_resource, NULL,
     "Buy or rent", "BreakEvenRisk"},
    {"/v1/break-even/sensitivity", NULL, &break_even_sensitivity_resource,
     &break_even_sensitivity_resource, NULL, "Buy or rent", "BreakEvenSensitivity"},
    {"/v1/compare", NULL, &compare_resource, &compare_resource, NULL, "Comparison", "Comparison"},
    {"/v1/compare/figures", "figures", &compare_resource, &compare_resource, NULL, "Comparison",
     "ComparisonFigures"},
    {"/v1/compare/differing-inputs", "differing_inputs", &compare_resource, &compare_resource, NULL,
     "Comparison", "ComparisonDifferingInputs"},
    {"/v1/compare/line-items", "line_items", &compare_resource, &compare_resource, NULL,
     "Comparison", "ComparisonLineItems"},
    {"/v1/compare/why", "why", &compare_resource, &compare_resource, NULL, "Comparison",
     "ComparisonSteps"},
    {"/v1/recommendation", NULL, &recommendation_resource, &recommendation_resource,
     "/recommendation", "Recommendation", "Recommendation"},
};
const size_t n_routes = sizeof(routes) / sizeof(routes[0]);

/* True if the path matches a template; *name is the start of the segment in braces. */
static bool path_matches(const char *template, const char *path, const char **name)
{
    const char *brace = strchr(template, '{');

    if (!brace)
        return false;
    size_t n = (size_t)(brace - template);
    if (strncmp(template, path, n) != 0 || !path[n] || path[n] == '/' ||
        strcmp(path + n + strcspn(path + n, "/"), strchr(brace, '}') + 1) != 0)
        return false;
    *name = path + n;
    return true;
}

bool route_take_suffix(char *path, enum format *format)
{
    char *dot = strrchr(path, '.');

    if (!dot || !answer_format_find(dot + 1, strlen(dot + 1), format))
        return false;
    *dot = '\0';
    return true;
}

const struct route *route_find(const char *path, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < n_routes; i++)
        if (strcmp(routes[i].path, path) == 0 && !strchr(path, '{'))
            return &routes[i];
    for (size_t i = 0; i < n_routes; i++)
        if (path_matches(routes[i].path, path, name))
            return &routes[i];
    return NULL;
}

const struct resource *route_resource(const struct route *route, enum method method)
{
    switch (method) {
    case METHOD_GET:
    case METHOD_HEAD:
        return route->resource;
    case METHOD_POST:
        return route->post;
    case METHOD_PUT:
        return route->resource->put;
    case METHOD_DELETE:
        return route->resource->remove;
    case METHOD_OPTIONS:
    case METHOD_OTHER:
        break;
    }
    return NULL;
}

/* What the resources are often called. */
static const struct {
    const char *elsewhere, *here;
} called_too[] = {
    {"prices gpu-prices rental-prices price", "/v1/price-summary"},
    {"buy-or-rent rent-or-buy rent-vs-buy tco roi", "/v1/break-even"},
    {"inference serving sizing", "/v1/inference-sizing"},
    {"training train plan", "/v1/training-plan"},
    {"recommendations recommend", "/v1/recommendation"},
    {"electricity", "/v1/electricity-prices"},
    {"co2 emissions", "/v1/carbon"},
};

const char *route_nearest(const char *path)
{
    static const char version[] = "/v1/";
    struct spelling near = spelling_of(path);

    for (size_t i = 0; i < sizeof(called_too) / sizeof(called_too[0]); i++)
        if (strncmp(path, version, strlen(version)) == 0 &&
            spelling_is_called(path + strlen(version), called_too[i].elsewhere, true))
            return called_too[i].here;
    for (size_t i = 0; i < n_routes; i++)
        spelling_try(&near, routes[i].path);
    return spelling_meant(&near);
}

/* The table that the route presents; NULL if it presents the whole answer. */
static const struct resource_table *table_of(const struct route *route)
{
    const struct resource_table *table = route->project ? route->resource->tables : NULL;

    while (table && strcmp(table->name, route->project) != 0)
        table++;
    return table;
}

const char *route_summary(const struct route *route, size_t *length)
{
    const struct resource_table *table = table_of(route);
    const char *text = table ? table->sentence : route->resource->summary, *where = NULL;

    if (table && !(where = strstr(text, ", at /")))
        where = strstr(text, ", with explain");
    *length = where ? (size_t)(where - text) : strlen(text);
    return text;
}

const char *route_headline(const struct route *route)
{
    const struct resource_table *table = table_of(route);

    if (!table)
        return route->resource->headline;
    if (route->resource->sentence_table &&
        strcmp(table->name, route->resource->sentence_table) == 0)
        return "sentence";
    return table->value_field ? table->value_field : table->fields->at[0].name;
}

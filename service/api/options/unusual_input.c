#include "api/options/unusual_input.h"

#include "api/resource/currency.h"
#include "catalog/price.h"

#include <math.h>
#include <string.h>

static const char *how_far(struct request_context *context, double value, double usual)
{
    double ratio = value / usual;

    return ratio >= 1 ? arena_print(context->arena, "%.3g times", ratio)
                      : arena_print(context->arena, "%.3g%% of", 100 * ratio);
}

void unusual_input_warn(struct request_context *context, const char *name, double value,
                        struct usual_figure usual, const char *hint)
{
    if (!context_given(context, name) || !(value > 0) || !(usual.figure > 0) ||
        (value >= usual.least * usual.figure && value <= usual.most * usual.figure))
        return;
    context_warn(context, "unusual_input", "%s=%.10g is %s the usual %s %s: %s", name, value,
                 how_far(context, value, usual.figure),
                 usual.figure < 1000 ? arena_print(context->arena, "%.4g", usual.figure)
                                     : context_count(context, usual.figure),
                 context->answer.meta.currency, hint);
}

void unusual_input_warn_rent(struct request_context *context, const char *name, double value,
                             const struct gpu *gpu, double gpu_count)
{
    struct price_query query = {.gpu = gpu, .purchase_option = "on_demand", .gpu_count = gpu_count};

    query.connected_gpu_count = 1;
    query.as_of = context->as_of;
    if (!context_given(context, name))
        return;
    /* spot is a third; a server has eight GPUs */
    struct usual_figure usual = {catalog_price(context->catalog, &query).per_gpu_hour, 0.1, 5};
    unusual_input_warn(context, name, value, usual,
                       "it is the price of one GPU for one hour, not of a server or a month");
}

void unusual_input_warn_rates(struct request_context *context)
{
    static const struct {
        const char *name, *hint;
        double least, most;
    } rates[] = {
        {"electricity_price_per_kwh", "it is the price of a kWh, not in cents and not of a MWh",
         0.05, 10},
        {"colocation_price_per_kw_month", "it is the price of one kW for a month", 0.05, 10},
        {"staff_cost_per_fte_year", "it is the cost of one employee for a year", 0.03, 10},
    };

    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const struct field *field = fields_find(context->inputs.fields, rates[i].name);
        if (!field)
            continue;
        struct usual_figure usual = {catalog_default(context->catalog, rates[i].name, ""),
                                     rates[i].least, rates[i].most};
        unusual_input_warn(context, rates[i].name, field_number(field, context->inputs.values),
                           usual, rates[i].hint);
    }
}

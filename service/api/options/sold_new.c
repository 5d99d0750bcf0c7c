#include "api/options/sold_new.h"

#include <string.h>
#include <strings.h>

const char *options_not_sold_new(const struct request_context *context, const struct gpu *gpu,
                                 const char *country)
{
    const int day_digits = 10000;
    double years =
        catalog_default(context->catalog, "sold_new_years", gpu_is_consumer(gpu) ? "consumer" : "");

    if (gpu->year + (int)years < context->as_of / day_digits)
        return arena_print(context->arena, "was launched in %d and is no longer sold new",
                           gpu->year);
    if (gpu->china_only && (!country || strcasecmp(country, "CN") != 0))
        return "is made for China and not sold elsewhere";
    return NULL;
}

void options_warn_not_sold_new(struct request_context *context, const struct gpu *gpu,
                               const char *country)
{
    const char *unsold = options_not_sold_new(context, gpu, country);

    if (unsold)
        context_warn(context, "not_sold_new",
                     "the %s %s: its price here is one of former years; condition=used prices used "
                     "ones, and a quote for them replaces that as gpu_card_price",
                     gpu->slug, unsold);
}

void options_warn_used(struct request_context *context, const char *condition)
{
    bool aged = context_given(context, "used_age_months");

    if (strcmp(condition, "used") == 0)
        context_warn(context, "used_price",
                     "no offers of used GPUs are behind these prices: they cost what the curve of "
                     "their resale value leaves of new ones%s; failures are counted as for new "
                     "ones, for want of a published rate; see break_even for each",
                     aged ? "" : ", at half the time since the launch of each type");
    else if (aged)
        context_warn(context, "without_effect",
                     "used_age_months has an effect only with condition=used");
}

#include "api/options/sold_new.h"

#include "estimate/ownership/used.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

const char *options_not_sold_new(const struct request_context *context, const struct gpu *gpu,
                                 const char *country)
{
    if (!ownership_is_sold_new(context->catalog, gpu, context->as_of))
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
                     "the %s %s: its price here is years old; condition=used prices used ones, and "
                     "a quote for them, entered as gpu_card_price, replaces that",
                     gpu->slug, unsold);
}

void options_warn_by_rack(struct request_context *context, const struct gpu *gpu, double gpu_count)
{
    double half = gpu->half_rack_gpu_count, rack = gpu->rack_gpu_count;

    if (rack > gpu->board_gpu_count && fmod(gpu_count, half > 0 ? half : rack) > 0)
        context_warn(context, "sold_by_rack",
                     "%s is sold by the rack of %.0f%s: buying %.0f is priced as a share of a "
                     "rack, which no vendor may offer",
                     gpu->slug, rack,
                     half > 0 ? arena_print(context->arena, " or the half rack of %.0f", half) : "",
                     gpu_count);
}

/* "Total processing performance" of the rule: dense operations a second, in tera, times the bits of
 * their operands, of the format in which that is most. */
static double processing_performance(const struct gpu *gpu)
{
    const double tera = 1e12;
    const double bits[PEAK_COUNT] = {
        [PEAK_FP16] = 16, [PEAK_BF16] = 16,       [PEAK_FP8] = 8,      [PEAK_INT8] = 8,
        [PEAK_FP4] = 4,   [PEAK_FP16_ACC16] = 16, [PEAK_FP8_ACC16] = 8};
    double most = 0;

    for (size_t i = 0; i < PEAK_COUNT; i++)
        most = fmax(most, bits[i] * gpu->peak[i] / tera); /* NAN, unknown, is passed over */
    return most;
}

void options_warn_export(struct request_context *context, const struct gpu *gpu,
                         const char *country)
{
    char scope[] = "..";
    double least = catalog_default(context->catalog, "export_licence_performance", "");
    double performance = processing_performance(gpu);

    if (!country || strlen(country) != strlen(scope) || performance < least)
        return;
    for (size_t i = 0; i < strlen(scope); i++)
        scope[i] = (char)tolower((unsigned char)country[i]);
    if (isnan(catalog_default(context->catalog, "export_licence_country", scope))) {
        if (isnan(catalog_default(context->catalog, "export_country_group_a", scope)))
            context_warn(context, "export_licence_unknown",
                         "whether taking the %s to %s needs a licence of the US Bureau of Industry "
                         "and Security is not known here: its total processing performance, %s, is "
                         "not below the %s of ECCN 3A090.a, which is also controlled for Country "
                         "Groups D:1 and D:4, and the country is not one of those known to be in "
                         "Country Group A (/v1/assumptions?key=export_country_group_a). Ask the "
                         "seller before you order",
                         gpu->slug, country, context_count(context, round(performance)),
                         context_count(context, least));
        return;
    }
    context_warn(context, "export_licence",
                 "to take the %s to %s needs a licence of the US Bureau of Industry and Security: "
                 "its total processing performance, %s, is not below the %s of ECCN 3A090.a, which "
                 "15 CFR 742.6(a)(6)(iii) controls for that country "
                 "(/v1/assumptions?key=export_licence_country). Other rules may apply too: ask the "
                 "seller",
                 gpu->slug, country, context_count(context, round(performance)),
                 context_count(context, least));
}

void options_warn_used(struct request_context *context, bool used)
{
    bool aged = context_given(context, "used_age_months");

    if (used)
        context_warn(context, "used_price",
                     "these prices are not offers of used GPUs: they are the resale value of new "
                     "ones%s; failures are counted as for new ones, as no other rate is published; "
                     "see break_even for each",
                     aged ? "" : " at half the time since the launch of each type");
    else if (aged)
        context_warn(context, "without_effect",
                     "used_age_months has an effect only with condition=used");
}

/* verdict.c - the verdict in words, with the rent at which it turns, and how firm that rent is. */
#include "api/break_even/break_even.h"

#include <math.h>

/* Where the verdict turns; a rent that is nowhere says which side it leaves. */
static const char *turn_in_words(struct request_context *context, const struct break_even *found,
                                 const struct ownership *own)
{
    const char *currency = context->answer.meta.currency;
    const struct threshold *rent = &found->rent_price_per_gpu_hour;

    if (isnan(rent->value))
        return arena_print(context->arena, "No rent turns that verdict; it is %.4g %s/GPU-hour now",
                           own->rent_price_per_gpu_hour, currency);
    return arena_print(context->arena,
                       "The verdict turns at a rent of %.4g %s/GPU-hour; it is %.4g now",
                       rent->value, currency, own->rent_price_per_gpu_hour);
}

const char *break_even_sentence(struct request_context *context, const struct break_even *found,
                                const struct ownership *own, const struct gpu *gpu)
{
    const char *currency = context->answer.meta.currency;

    if (!found->verdict)
        return NULL;
    return arena_print(
        context->arena,
        "%s %.0f x %s: over %.0f months owning comes to %.0f %s, renting to %.0f. %s.",
        found->verdict[0] == 'b' ? "Buy" : "Rent", own->gpu_count, gpu->slug, own->horizon_months,
        found->ledger.buy_total, currency, found->ledger.rent_total,
        turn_in_words(context, found, own));
}

void break_even_warn_large_rent(struct request_context *context, const struct break_even *found,
                                const struct ownership *own)
{
    const struct assumption *discount =
        catalog_assumption(context->catalog, "negotiated_discount_ratio", "");
    double from = catalog_default(context->catalog, "negotiated_rent_from_gpus", "");
    double rent = own->rent_price_per_gpu_hour, turns = found->rent_price_per_gpu_hour.value;

    if (!discount || isnan(rent) || own->gpu_count < from ||
        context_given(context, "rent_price_per_gpu_hour"))
        return;
    double least = rent * (1 - discount->high), most = rent * (1 - discount->low);
    const char *verdict = isnan(turns)    ? "no rent turns the verdict"
                          : turns < least ? "which leaves the verdict as it is"
                          : turns > rent  ? "which leaves the verdict as it is"
                                          : "which may turn the verdict: ask for a quote first";
    answer_warn_first(
        &context->answer, "large_rent",
        arena_print(context->arena,
                    "rents of %.0f GPUs are negotiated, and %.4g %s/GPU-hour is a list price: "
                    "contracts are %.3g to %.3g %% below it (assumption "
                    "negotiated_discount_ratio), %.4g to %.4g, %s; it turns at %.4g",
                    own->gpu_count, rent, context->answer.meta.currency, 100 * discount->low,
                    100 * discount->high, least, most, verdict, turns));
}

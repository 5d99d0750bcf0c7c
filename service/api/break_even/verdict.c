/* verdict.c - the verdict in words, with the rent at which it changes, and how reliable that rent
 * is. */
#include "api/break_even/break_even.h"

#include "api/resource/currency.h"
#include "estimate/break_even/investment.h"
#include "estimate/ownership/lease.h"
#include "estimate/ownership/replacement.h"
#include "estimate/ownership/owned.h"
#include "estimate/ownership/used.h"

#include <math.h>
#include <string.h>

/* Where the verdict changes; without a break-even rent, which side wins at any rent. */
static const char *turn_in_words(struct request_context *context, const struct break_even *found,
                                 const struct ownership *own)
{
    const char *currency = context->answer.meta.currency;
    const struct threshold *rent = &found->rent_price_per_gpu_hour;

    if (isnan(rent->value))
        return arena_print(context->arena,
                           "No rent changes that verdict; it is %.4g %s/GPU-hour "
                           "now",
                           own->rent_price_per_gpu_hour, currency);
    return arena_print(context->arena,
                       "The verdict changes at a rent of %.4g %s/GPU-hour; it is %.4g now",
                       rent->value, currency, own->rent_price_per_gpu_hour);
}

static const char *credits_in_words(struct request_context *context, const struct ledger *ledger)
{
    double spent = -ownership_line_amount(ledger, "rent", "cloud_credits");

    return spent > 0 ? arena_join(context->arena, " after ", currency_amount(context, spent),
                                  " of cloud credits")
                     : "";
}

static const char *over_power(struct request_context *context, const struct break_even_out *out)
{
    return arena_print(context->arena,
                       "bought they would draw %.10g kW at the meter, more than the power budget; ",
                       owned_power_told(out->power_kw));
}

/* The purchase option in words; empty if the question gives the rent. */
static const char *option_in_words(struct request_context *context, const struct break_even_in *in)
{
    const char *option = in->own.purchase_option, *derived = "";

    if (!in->book)
        return "";
    if (in->own.rent_price_per_gpu_hour == 0)
        return " what is already paid for";
    if (in->basis.n_derived > 0)
        derived =
            in->basis.n_providers == 1
                ? " (priced from on demand)"
                : arena_print(context->arena, " (%.0f of %.0f providers priced from on demand)",
                              in->basis.n_derived, in->basis.n_providers);
    return arena_join(context->arena, " ", break_even_rent_words(option), derived,
                      in->chose_rent ? ", the cheapest way," : "");
}

/* Such as " By the 4 published rents of that kind alone, 616.5 JPY/GPU-hour in the median, owning
 * costs less."; "" if the verdict does not rest on derived prices. */
static const char *published_in_words(struct request_context *context,
                                      const struct break_even_in *in, const char *verdict)
{
    const char *other = verdict[0] == 'b' ? "renting" : "owning";

    if (!in->published_turn)
        return "";
    if (!in->published.n)
        return arena_join(context->arena, " By the rents that providers do publish, ", other,
                          " costs less.");
    return arena_print(
        context->arena, " By the %s alone, %.4g %s/GPU-hour%s, %s costs less.",
        in->published.n == 1
            ? "published rent of that kind"
            : arena_print(context->arena, "%zu published rents of that kind", in->published.n),
        in->published.median, context->answer.meta.currency,
        in->published.n == 1 ? "" : " in the median", other);
}

/* True if buying costs less only because the servers are taken to run beyond their useful life. */
static bool buys_beyond_life(const struct break_even *found, const struct ownership *own)
{
    return found->verdict[0] == 'b' && own->horizon_months > own->useful_life_months &&
           own->replace_servers == 0 && isnan(found->months);
}

static const char *condition_in_words(struct request_context *context,
                                      const struct break_even *found,
                                      const struct break_even_in *in)
{
    const struct ownership *own = &in->own;
    double beyond = own->horizon_months - own->useful_life_months;

    if (!buys_beyond_life(found, own))
        return in->published_turn ? ", if the derived rents hold" : "";
    return arena_print(context->arena, ", if %sthe servers run %.0f month%s beyond their life",
                       in->published_turn ? "the derived rents hold and " : "", beyond,
                       text_plural(beyond));
}

/* What buying the servers again at the end of each life costs at today's price, less what the last
 * ones fetch at the end of the time frame; without cost of capital. NAN if leased or unknown. */
static double replacement_cost(const struct ownership *own, double *paid)
{
    double times = ceil(own->horizon_months / own->useful_life_months) - 1;
    double price = own->server_price * ownership_new_nodes(own);
    double age = own->horizon_months - times * own->useful_life_months;
    const double months_per_year = 12;

    *paid = times * price;
    if (lease_is_operating(own) || lease_is_finance(own) || !(price > 0))
        return (double)NAN;
    return *paid - price * pow(own->annual_value_retention, age / months_per_year) *
                       own->resale_condition_factor * (1 - own->resale_fee_ratio);
}

static const char *replacement_in_words(struct request_context *context,
                                        const struct break_even *found, const struct ownership *own,
                                        bool *turns)
{
    double paid, net = replacement_cost(own, &paid);
    double saving = found->ledger.rent_total - found->ledger.buy_total;

    *turns = saving > 0 && saving < net;
    if (isnan(net))
        return "";
    return arena_print(context->arena,
                       ". Buying them again takes %s at today's price, %s after the last are "
                       "resold%s",
                       currency_amount(context, paid), currency_amount(context, net),
                       !*turns ? ""
                               : arena_print(context->arena,
                                             ": more than buying saves, %s, so that renting costs "
                                             "less",
                                             currency_amount(context, saving)));
}

void break_even_warn_life(struct request_context *context, const struct break_even *found,
                          const struct ownership *own)
{
    const char *within = "";
    bool turns;

    if (own->horizon_months <= own->useful_life_months)
        return;
    if (own->replace_servers == 1) {
        context_warn(context, "servers_replaced",
                     "the time frame exceeds the useful life of %.0f months: the servers are sold "
                     "and bought again %.0f time%s, at today's price (line server_replacement)",
                     own->useful_life_months, replacement_count(own),
                     text_plural(replacement_count(own)));
        return;
    }
    if (found->verdict && found->verdict[0] == 'b')
        within = isnan(found->months)
                     ? "; buying does not break even within that life, so the verdict holds "
                       "only if they last"
                     : arena_print(context->arena, "; buying breaks even in month %.1f, within it",
                                   found->months);
    const char *text = arena_print(
        context->arena,
        "the time frame exceeds the useful life of %.0f months: replacement is not included "
        "(replace_servers=1 includes it)%s%s",
        own->useful_life_months, within, replacement_in_words(context, found, own, &turns));
    if (found->verdict && (turns || buys_beyond_life(found, own)))
        answer_warn_first(&context->answer, "beyond_useful_life", text);
    else
        context_warn(context, "beyond_useful_life", "%s", text);
}

const char *break_even_sentence(struct request_context *context, const struct break_even *found,
                                const struct break_even_out *out, const struct break_even_in *in,
                                const struct gpu *gpu)
{
    const struct ownership *own = &in->own;
    const char *currency = context->answer.meta.currency;
    double bought = gpu_in_servers(own->gpu_count, own->gpus_per_node);

    if (!found->verdict)
        return NULL;
    bool in_hand = own->owned_gpu_count == own->gpu_count, buys = out->verdict[0] == 'b';
    bool leased = lease_is_operating(own) || lease_is_finance(own);
    return arena_print(
        context->arena,
        "%s %s x %s%s%s%s%s: %sover %.0f month%s %s comes to %s %s, renting%s to %s%s.%s %s.",
        !buys     ? "Rent"
        : in_hand ? "Keep"
        : leased  ? "Lease"
                  : "Buy",
        context_count(context, own->gpu_count), buys && ownership_is_used(own) ? "used " : "",
        gpu->slug,
        buys && !in_hand && bought > own->gpu_count
            ? arena_join(context->arena, " in whole servers, ", context_count(context, bought),
                         " GPUs")
            : "",
        buys && own->second_gpu_count > 0
            ? arena_join(context->arena, ", ", context_count(context, own->second_gpu_count),
                         " of them in month ", context_count(context, own->second_purchase_month))
            : "",
        condition_in_words(context, found, in), out->buy_ruled_out ? over_power(context, out) : "",
        own->horizon_months, text_plural(own->horizon_months),
        in_hand                  ? "running the ones you own"
        : leased                 ? "leasing and running them"
        : ownership_is_used(own) ? "owning used ones"
                                 : "owning",
        context_count(context, found->ledger.buy_total), currency, option_in_words(context, in),
        context_count(context, found->ledger.rent_total), credits_in_words(context, &found->ledger),
        published_in_words(context, in, out->verdict),
        out->buy_ruled_out ? "No rent changes that verdict" : turn_in_words(context, found, own));
}

void break_even_warn_derived(struct request_context *context, const struct break_even_in *in,
                             const struct break_even *found)
{
    const char *kept = "";

    if (!in->published_turn)
        return;
    if (!isnan(in->published_keeps))
        kept = arena_print(context->arena, " At the %s of them, %.4g, %s does.",
                           found->verdict[0] == 'b' ? "highest" : "lowest", in->published_keeps,
                           found->verdict[0] == 'b' ? "owning" : "renting");
    answer_warn_first(
        &context->answer, "derived_price_turns_verdict",
        arena_print(context->arena,
                    "the verdict rests on derived rents.%s%s Ask for a quote first, and enter it "
                    "(/v1/quotes, or rent_price_per_gpu_hour)",
                    published_in_words(context, in, found->verdict), kept));
}

const char *break_even_no_verdict(struct request_context *context, const struct break_even *found,
                                  const struct break_even_in *in, const struct gpu *gpu)
{
    const struct ledger *ledger = &found->ledger;
    double months = in->own.horizon_months;

    if (isnan(ledger->buy_total) && isnan(ledger->rent_total))
        return arena_print(context->arena,
                           "No verdict: neither a purchase price nor a rent of %s is known; enter "
                           "server_price and rent_price_per_gpu_hour.",
                           gpu->slug);
    if (isnan(ledger->buy_total))
        return arena_print(
            context->arena,
            "No verdict: what buying %s x %s costs is unknown; enter server_price. Over %.0f "
            "months renting%s comes to %s%s.",
            context_count(context, in->own.gpu_count), gpu->slug, months,
            option_in_words(context, in), currency_amount(context, ledger->rent_total),
            credits_in_words(context, ledger));
    return arena_print(context->arena,
                       "No verdict: what renting %s x %s costs is unknown; enter "
                       "rent_price_per_gpu_hour. Over %.0f month%s owning comes to %s.",
                       context_count(context, in->own.gpu_count), gpu->slug, months,
                       text_plural(months), currency_amount(context, ledger->buy_total));
}

/* NULL unless the rent is the on-demand list price of a large cluster. Rents with a commitment
 * already include their discount, which published discounts of large contracts include too; spot
 * prices are not negotiated. */
static const struct assumption *negotiated_discount(struct request_context *context,
                                                    const struct ownership *own)
{
    double from = catalog_default(context->catalog, "negotiated_rent_from_gpus", "");

    if (isnan(own->rent_price_per_gpu_hour) || own->gpu_count < from ||
        strcmp(own->purchase_option, "on_demand") != 0 ||
        context_given(context, "rent_price_per_gpu_hour"))
        return NULL;
    return catalog_assumption(context->catalog, "negotiated_discount_ratio", "");
}

static const char *return_in_words(struct arena *arena, double rate)
{
    return isnan(rate) ? "no rate of return" : arena_print(arena, "a return of %.3g%%", 100 * rate);
}

void break_even_negotiate(struct request_context *context, const struct ownership *own,
                          struct break_even_out *out)
{
    const struct assumption *discount = negotiated_discount(context, own);
    struct investment *at = arena_alloc(context->arena, sizeof(*at));
    struct break_even *found = arena_alloc(context->arena, sizeof(*found));
    struct ownership less = *own;

    out->negotiated_rent_price_per_gpu_hour = (double)NAN;
    out->npv_at_negotiated_rent = out->irr_at_negotiated_rent = (double)NAN;
    if (!discount || !out->sentence || out->buy_ruled_out)
        return;
    less.rent_price_per_gpu_hour *= 1 - discount->value;
    break_even_find(&less, found);
    investment_appraise(&less, found, at);
    out->negotiated_rent_price_per_gpu_hour = less.rent_price_per_gpu_hour;
    out->npv_at_negotiated_rent = at->net_present_value;
    out->irr_at_negotiated_rent = at->internal_rate;
    out->sentence = arena_print(
        context->arena,
        "%s That is a list price: at the %.4g usual after negotiation, %s costs less, with %s "
        "instead of %s.",
        out->sentence, less.rent_price_per_gpu_hour,
        found->verdict[0] == 'b' ? "buying" : "renting",
        return_in_words(context->arena, at->internal_rate),
        return_in_words(context->arena, out->irr));
}

void break_even_warn_large_rent(struct request_context *context, const struct break_even *found,
                                const struct ownership *own)
{
    const struct assumption *discount = negotiated_discount(context, own);
    double rent = own->rent_price_per_gpu_hour, turns = found->rent_price_per_gpu_hour.value;

    if (!discount)
        return;
    double least = rent * (1 - discount->high), most = rent * (1 - discount->low);
    const char *verdict = isnan(turns)    ? "no rent changes the verdict"
                          : turns < least ? "which does not change the verdict"
                          : turns > rent  ? "which does not change the verdict"
                                          : "which may change the verdict: ask for a quote first";
    answer_warn_first(
        &context->answer, "large_rent",
        arena_print(context->arena,
                    "rents for %s GPUs are negotiated, and %.4g %s/GPU-hour is a list price: "
                    "contracts are %.3g to %.3g%% below it (assumption "
                    "negotiated_discount_ratio), %.4g to %.4g, %s; the verdict changes at %.4g",
                    context_count(context, own->gpu_count), rent, context->answer.meta.currency,
                    100 * discount->low, 100 * discount->high, least, most, verdict, turns));
}

/* interval.c - the answer at the two ends of server prices and rents: those that favour renting,
 * and those that favour buying.
 */
#include "api/break_even/break_even.h"

#include "estimate/break_even/investment.h"
#include "estimate/ownership/lease.h"

#include <math.h>
#include <string.h>

struct end {
    struct break_even found;
    struct investment investment;
};

static struct ownership_band band_of(const struct request_context *context,
                                     const struct break_even_in *in, const struct gpu *gpu)
{
    bool fixed = context_given(context, "server_price") ||
                 context_given(context, "gpu_card_price") ||
                 in->own.owned_gpu_count == in->own.gpu_count;

    return fixed ? (struct ownership_band){1, 1}
                 : ownership_server_price_band(&in->own, context->catalog, gpu, context->as_of);
}

static const struct end *find_end(struct request_context *context, const struct ownership *own,
                                  double server_price_factor, double rent)
{
    struct end *end = arena_alloc(context->arena, sizeof(*end));
    struct ownership other = ownership_scaled(own, server_price_factor);

    other.rent_price_per_gpu_hour = rent;
    break_even_find(&other, &end->found);
    investment_appraise(&other, &end->found, &end->investment);
    return end;
}

static const char *by_month(struct arena *arena, const char *does, const char *do_not, double month,
                            double search_months)
{
    return isnan(month) ? arena_print(arena, "does not %s within %.0f month%s", do_not,
                                      search_months, text_plural(search_months))
                        : arena_print(arena, "%s in month %.1f", does, month);
}

/* Scale a figure with a total that is known to lie between two ends. */
static void spread(double value, double total, double least, double most, double *low, double *high)
{
    *low = total == 0 ? value : value * (least / total);
    *high = total == 0 ? value : value * (most / total);
}

/* The saving, and what an hour of work or a million tokens cost of either total. */
static void fill_shares(struct break_even_out *out, double low_saving, double high_saving)
{
    double buy = out->buy_total_cost, buy_low = out->buy_total_cost_low;
    double rent = out->rent_total_cost, rent_low = out->rent_total_cost_low;
    double buy_high = out->buy_total_cost_high, rent_high = out->rent_total_cost_high;

    out->buy_saving_low = fmin(out->buy_saving, fmin(low_saving, high_saving));
    out->buy_saving_high = fmax(out->buy_saving, fmax(low_saving, high_saving));
#define SPREAD(name, side) \
    spread(out->name, side, side##_low, side##_high, &out->name##_low, &out->name##_high)
    SPREAD(buy_cost_per_useful_gpu_hour, buy);
    SPREAD(rent_cost_per_useful_gpu_hour, rent);
    SPREAD(buy_cost_per_million_tokens, buy);
    SPREAD(rent_cost_per_million_tokens, rent);
#undef SPREAD
}

/* Without an initial outlay (owned GPUs, a loan, a lease) there is nothing to pay back. */
static const char *payback_in_words(struct arena *arena, const struct end *end)
{
    const struct payback *payback = &end->investment.payback;

    return payback->was_short
               ? by_month(arena, "pays back", "pay back", payback->months, end->found.search_months)
               : "asks for no money up front";
}

static const char *return_in_words(struct request_context *context, double rate)
{
    const double many = 10;

    if (isnan(rate))
        return "has no rate of return";
    return arena_print(context->arena, "returns %s%% a year",
                       rate < many ? arena_print(context->arena, "%.3g", 100 * rate)
                                   : context_count(context, 100 * rate));
}

static const char *end_in_words(struct request_context *context, const struct end *end)
{
    const struct payback *payback = &end->investment.payback;
    const char *returns = return_in_words(context, end->investment.internal_rate);

    if (isnan(end->found.months) && isnan(payback->months) && payback->was_short)
        return arena_print(
            context->arena, "neither breaks even nor pays back within %.0f month%s and %s",
            end->found.search_months, text_plural(end->found.search_months), returns);
    return arena_print(context->arena, "%s, %s and %s",
                       by_month(context->arena, "breaks even", "break even", end->found.months,
                                end->found.search_months),
                       payback_in_words(context->arena, end), returns);
}

/* The prices at an end in words; either may be absent. */
static const char *prices_in_words(struct arena *arena, bool servers, bool rents,
                                   const char *server, const char *rent)
{
    return !rents ? server : !servers ? rent : arena_print(arena, "%s and %s", server, rent);
}

/* Owning is cheapest where servers and rents are: GPUs are rented until the servers arrive. */
static void fill_buying(struct break_even_out *out, const struct ownership *own, double total,
                        struct ownership_band servers, double rent_low, double rent_high)
{
    struct ownership least = ownership_scaled(own, servers.low);
    struct ownership most = ownership_scaled(own, servers.high);

    least.rent_price_per_gpu_hour = rent_low;
    most.rent_price_per_gpu_hour = rent_high;
    double low = ownership_side_buy(&least, (int)own->horizon_months).total;
    double high = ownership_side_buy(&most, (int)own->horizon_months).total;
    out->buy_total_cost_low = fmin(total, fmin(low, high));
    out->buy_total_cost_high = fmax(total, fmax(low, high));
}

static void fill(struct break_even_out *out, double rate, const struct end *low,
                 const struct end *high)
{
    /* Rents paid in full by credits differ only by rounding. */
    double least = low->found.ledger.rent_total, most = high->found.ledger.rent_total;
    out->rent_total_cost_low = fmin(out->rent_total_cost, fmin(least, most));
    out->rent_total_cost_high = fmax(out->rent_total_cost, fmax(least, most));
    fill_shares(out, low->found.saving, high->found.saving);
    out->npv_low = low->investment.net_present_value;
    out->npv_high = high->investment.net_present_value;
    /* If servers sell for more than they cost, lower prices make them lose value. */
    double soon = high->found.months, late = low->found.months;
    out->break_even_months_low =
        isnan(soon) ? soon : fmin(out->break_even_months, fmin(soon, late));
    out->break_even_months_high =
        isnan(late) ? late : fmax(out->break_even_months, fmax(soon, late));
    /* If most of the money is lost, the rate can fall although prices improve. */
    double worst = low->investment.internal_rate, best = high->investment.internal_rate;
    out->irr_low = isnan(worst) ? worst : fmin(rate, fmin(worst, best));
    out->irr_high = isnan(best) ? best : fmax(rate, fmax(worst, best));
    out->payback_months_low = high->investment.payback.months;
    out->payback_months_high = low->investment.payback.months;
}

void break_even_fill_interval(struct request_context *context, const struct break_even_in *in,
                              const struct gpu *gpu, const struct break_even *found,
                              const struct investment *investment, struct break_even_out *out)
{
    struct arena *arena = context->arena;
    struct ownership_band servers = band_of(context, in, gpu);
    out->purchase_price_low = in->own.server_price * servers.low;
    out->purchase_price_high = in->own.server_price * servers.high;
    bool rents = in->rent_low < in->rent_high, vary = servers.low < servers.high;
    double rent = in->own.rent_price_per_gpu_hour;

    if (!vary && !rents) {
        struct end *only = arena_alloc(arena, sizeof(*only));
        *only = (struct end){.found = *found, .investment = *investment};
        out->buy_total_cost_low = out->buy_total_cost_high = found->ledger.buy_total;
        fill(out, investment->internal_rate, only, only);
        return;
    }
    double rent_low = rents ? in->rent_low : rent, rent_high = rents ? in->rent_high : rent;
    const struct end *low = find_end(context, &in->own, servers.high, rent_low);
    const struct end *high = find_end(context, &in->own, servers.low, rent_high);
    fill_buying(out, &in->own, found->ledger.buy_total, servers, rent_low, rent_high);
    fill(out, investment->internal_rate, low, high);
    if (isnan(low->found.saving) || isnan(high->found.saving))
        return;
    bool leased = lease_is_operating(&in->own) || lease_is_finance(&in->own);
    out->interval_sentence = arena_print(
        arena, "At %s, %s %s; at %s, it %s.",
        prices_in_words(arena, vary, rents, "the lowest server price", "the highest rent"),
        in->own.owned_gpu_count == in->own.gpu_count ? "keeping them"
        : leased                                     ? "leasing"
                                                     : "buying",
        end_in_words(context, high),
        prices_in_words(arena, vary, rents, "the highest server price", "the lowest rent"),
        end_in_words(context, low));
}

/* part.c - the cost of GPUs of one type acquired in one way: their ledger and their prices. */
#include "estimate/recommendation/part.h"

#include "base/cents.h"
#include "estimate/ownership/used.h"

#include <math.h>

static const char *const acquisition_names[RECOMMENDATION_ACQUISITIONS] = {
    "on_demand", "spot", "reserved_1yr", "reserved_3yr", "owned", "in_hand"};

const char *recommendation_acquisition_name(enum recommendation_acquisition acquisition)
{
    return acquisition_names[acquisition];
}

bool recommendation_is_hourly(enum recommendation_acquisition acquisition)
{
    return acquisition <= RECOMMENDATION_SPOT;
}

static bool is_rented(enum recommendation_acquisition acquisition)
{
    return acquisition < RECOMMENDATION_BOUGHT;
}

static const struct price_book *book_of(const struct recommendation_ask *ask,
                                        const struct recommendation_part *part)
{
    const struct recommendation_gpu_type *gpu_type = &ask->gpu_types[part->gpu_type];

    return is_rented(part->acquisition) ? gpu_type->book[part->acquisition] : gpu_type->on_demand;
}

struct price recommendation_part_price(const struct recommendation_ask *ask,
                                       const struct recommendation_part *part)
{
    return price_match(book_of(ask, part), part->gpu_count, part->connected);
}

struct range recommendation_part_rents(const struct recommendation_ask *ask,
                                       const struct recommendation_part *part)
{
    struct price price = recommendation_part_price(ask, part);
    struct range rents = {.low = price.low, .middle = price.per_gpu_hour, .high = price.high};
    double hours = part->gpu_count * HOURS_PER_MONTH * part->months * part->rented_ratio;
    double least, most, paid = hours * (1 + part->unused_ratio);

    if (!part->jobs_only || !recommendation_is_hourly(part->acquisition) || ask->overhead_given ||
        !price_match_bills(book_of(ask, part), part->gpu_count, hours, &least, &most))
        return rents;
    rents.low = least / paid;
    rents.high = most / paid;
    return rents;
}

struct range recommendation_part_rent_band(const struct recommendation_ask *ask,
                                           const struct recommendation_part *part)
{
    struct price price = recommendation_part_price(ask, part);
    struct range band = {
        .low = price.band_low, .middle = price.per_gpu_hour, .high = price.band_high};

    if (price.term_hours > 0) {
        struct range rents = recommendation_part_rents(ask, part);
        band.low = fmin(band.low, rents.low);
        band.high = fmax(band.high, rents.high);
    }
    return band;
}

double recommendation_part_unused(const struct recommendation_ask *ask,
                                  const struct recommendation_part *part, double gpu_count,
                                  double hours)
{
    const struct price_book *book = book_of(ask, part);
    double price = price_match_per_gpu_hour(book, gpu_count, gpu_count);

    return price > 0 ? price * price_match_unused_hours(book, gpu_count, hours, false) : 0;
}

bool recommendation_part_is_confirmed(const struct recommendation_part *part)
{
    return !part->doubt && !part->resold && !part->unlinked && !part->tight;
}

double recommendation_part_server(const struct recommendation_ask *ask,
                                  const struct recommendation_part *part)
{
    return ownership_server(ask->gpu_types[part->gpu_type].gpu, part->gpu_count);
}

static bool complete_ledger(const struct recommendation_ask *ask,
                            const struct recommendation_part *part, double rent_price,
                            struct ownership *own)
{
    const struct recommendation_gpu_type *type = &ask->gpu_types[part->gpu_type];
    struct err err = {0};

    *own = ask->ledger;
    own->gpu_count = part->gpu_count;
    if (part->acquisition != RECOMMENDATION_IN_HAND)
        own->gpus_per_node = recommendation_part_server(ask, part);
    own->utilization = part->utilization;
    if (part->rented_ratio > part->utilization)
        own->rented_ratio = part->rented_ratio;
    own->horizon_months = part->months;
    own->goodput = 1; /* the days of a job include what failures take */
    own->purchase_option =
        acquisition_names[is_rented(part->acquisition) ? part->acquisition
                                                       : RECOMMENDATION_ON_DEMAND];
    own->rent_price_per_gpu_hour = rent_price;
    own->cloud_credits = part->credits;
    if (part->jobs_only)
        own->cloud_credits_months = 0; /* see credits_left() */
    own->training_other_cost_month = part->other_cost / part->months;
    if (part->jobs_only && !ask->overhead_given)
        own->rental_overhead_ratio = part->unused_ratio; /* the other overheads are lines */
    if (part->acquisition == RECOMMENDATION_SPOT)
        own->spot_overhead_ratio = part->spot_ratio;
    if (part->jobs_only)
        own->rent_price_decline_ratio = 0;
    if (part->acquisition == RECOMMENDATION_IN_HAND)
        own->owned_gpu_count = part->gpu_count;
    else if (type->used)
        ownership_make_used(own, ask->catalog, type->gpu, ask->as_of);
    bool good = ownership_complete(own, ask->catalog, type->gpu, ask->as_of, &err);
    if (part->acquisition == RECOMMENDATION_IN_HAND && isnan(own->server_price))
        own->server_price = 0; /* if unknown, upkeep would be unknown as well */
    return good;
}

bool recommendation_ledger(const struct recommendation_ask *ask,
                           const struct recommendation_part *part, struct ownership *own)
{
    double price = price_match_per_gpu_hour(book_of(ask, part), part->gpu_count, part->connected);

    return complete_ledger(ask, part, price, own);
}

bool recommendation_pays_for_time(const struct recommendation_part *part)
{
    return recommendation_is_hourly(part->acquisition) ||
           (part->acquisition == RECOMMENDATION_IN_HAND && part->jobs_only);
}

bool recommendation_part_is_brief(const struct recommendation_part *part)
{
    return part->acquisition == RECOMMENDATION_IN_HAND && part->jobs_only && part->held_ratio > 0 &&
           part->held_ratio < 1;
}

double recommendation_part_share(const struct recommendation_part *part, struct ownership *own)
{
    if (!recommendation_part_is_brief(part))
        return 1;
    own->utilization = part->utilization / part->held_ratio;
    own->training_other_cost_month /= part->held_ratio;
    return part->held_ratio;
}

/* True if servers bought for jobs are sold before the horizon, and what is paid for them by then
 * would have rented them for the jobs: the purchase depends on the price they are sold at. */
static bool pays_by_resale(const struct recommendation_ask *ask,
                           const struct recommendation_part *part, const struct ownership *own)
{
    double rented = ownership_side_rent(own, part->months).payments;

    return part->jobs_only && part->months < ask->horizon_months && !(part->payments <= rented);
}

void recommendation_part_cost(const struct recommendation_ask *ask,
                              struct recommendation_part *part)
{
    struct price_summary rent =
        price_match_summary(book_of(ask, part), part->gpu_count, part->connected);
    bool rented = is_rented(part->acquisition);
    struct ownership own;

    part->doubt = rented ? price_doubt(&rent) : PRICE_CONFIRMED;
    part->resold = false;
    part->paid_gpus = part->gpu_count;
    if (rented) /* NAN without a price */
        part->paid_gpus = fmax(part->gpu_count, rent.rented_gpu_count);
    else if (part->acquisition == RECOMMENDATION_BOUGHT)
        part->paid_gpus = gpu_in_servers(part->gpu_count, recommendation_part_server(ask, part));
    part->total = part->payments = (double)NAN;
    part->power_kw = part->credits_used = 0;
    part->electricity_kwh = (double)NAN;
    if (rented && isnan(rent.per_gpu_hour))
        return;
    /* The rent side needs no power; an unknown electricity price does not matter there. */
    bool good = complete_ledger(ask, part, rent.per_gpu_hour, &own);
    if (!rented && (!good || isnan(ownership_hardware_cost(&own))))
        return;
    double part_of_time = recommendation_part_share(part, &own);
    struct ownership_side side =
        rented ? ownership_side_rent(&own, part->months) : ownership_side_buy(&own, part->months);
    part->power_kw = rented ? 0 : ownership_power_kw(&own);
    double on = recommendation_is_hourly(part->acquisition) ? part->rented_ratio : 1;
    double share = rented ? own.gpu_count / (ownership_nodes(&own) * own.gpus_per_node) : 1;
    part->electricity_kwh = part->months * share * part_of_time * ownership_kwh_per_month(&own, on);
    part->total = part_of_time < 1 ? cents_round(side.total * part_of_time) : side.total;
    part->payments = part_of_time < 1 ? cents_round(side.payments * part_of_time) : side.payments;
    part->credits_used = side.credits;
    part->resold = part->acquisition == RECOMMENDATION_BOUGHT && pays_by_resale(ask, part, &own);
}

double recommendation_part_total_at(const struct recommendation_ask *ask,
                                    const struct recommendation_part *part, double rent_price)
{
    struct ownership own;

    if (!is_rented(part->acquisition))
        return part->total;
    (void)complete_ledger(ask, part, rent_price, &own); /* as in recommendation_part_cost() */
    return ownership_side_rent(&own, part->months).total;
}

struct ownership_band recommendation_part_band(const struct recommendation_ask *ask,
                                               const struct recommendation_part *part)
{
    struct ownership own;

    if (part->acquisition != RECOMMENDATION_BOUGHT || !recommendation_ledger(ask, part, &own))
        return (struct ownership_band){1, 1};
    return ownership_server_price_band(&own, ask->catalog, ask->gpu_types[part->gpu_type].gpu,
                                       ask->as_of);
}

struct recommendation_money recommendation_part_end(const struct recommendation_ask *ask,
                                                    const struct recommendation_part *part,
                                                    bool high)
{
    struct recommendation_money same = {part->total, part->payments};
    struct ownership_side side;
    struct ownership own;

    if (is_rented(part->acquisition)) {
        struct range rents = recommendation_part_rent_band(ask, part);
        (void)complete_ledger(ask, part, high ? rents.high : rents.low, &own);
        side = ownership_side_rent(&own, part->months);
    } else {
        struct ownership_band band = recommendation_part_band(ask, part);
        if (band.low == band.high || !recommendation_ledger(ask, part, &own))
            return same;
        own = ownership_scaled(&own, high ? band.high : band.low);
        side = ownership_side_buy(&own, part->months);
    }
    return (struct recommendation_money){side.total, side.payments};
}

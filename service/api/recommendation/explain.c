/* explain.c - derivation of each figure of the recommended option: days and memory from the linked
 * plans, hours from days, the lines of each ledger from hours, totals from lines. */
#include "api/recommendation/parse.h"
#include "api/recommendation/recommendation.h"
#include "api/recommendation/search.h"

#include "base/units.h"
#include "estimate/ownership/explain.h"
#include "estimate/recommendation/option.h"

#include <math.h>
#include <string.h>

struct explained {
    struct recommendation *recommendation;
    const struct recommendation_option *option;
    const struct recommendation_row *row;
    struct explanations *to;
};

static const char *join(const struct explained *e, const char *a, const char *b)
{
    return arena_join(e->to->arena, a, b);
}

static const struct recommendation_configuration *configuration_of(const struct explained *e,
                                                                   int workload)
{
    return recommendation_configuration_of(&e->recommendation->ask, e->option,
                                           (enum recommendation_workload)workload);
}

/* Append to a list, separated by `between`; NULL starts a new list. */
static const char *list(const struct explained *e, const char *so_far, const char *between,
                        const char *more)
{
    return so_far ? arena_join(e->to->arena, so_far, between, more) : more;
}

/* Prefix of a part's symbols in the formulas. */
static const char *part_name(const struct explained *e, size_t i)
{
    return arena_print(e->to->arena, "part_%zu_", i + 1);
}

static const char *word_of(int workload)
{
    return recommendation_workload((enum recommendation_workload)workload);
}

/* ---- figures of the linked answers */

/* Address of the answer that explains the figure, or `otherwise`. */
static const char *source_of(const struct explained *e, const char *link, const char *otherwise)
{
    return link ? join(e, link, "&explain=1") : otherwise;
}

/* A figure of the row that has another name in the linked answer. */
static void explain_linked(const struct explained *e, const char *key, const char *name,
                           const char *source)
{
    const struct field *field = fields_find(recommendation_row_table, key);
    double value = field_number(field, e->row);
    struct explanations *to = e->to;

    if (isnan(value))
        return;
    LOCAL(name, field->unit, value)
    EXPLAIN(key, field->unit, value, name, source)
}

static void explain_job(const struct explained *e, enum recommendation_workload job)
{
    const struct recommendation_configuration *configuration = configuration_of(e, (int)job);
    const char *word = recommendation_workload(job);
    const char *link = recommendation_plan_link(e->recommendation, e->option, job);
    const char *source = source_of(e, link, "the plan of this training");
    bool on_spot = recommendation_part(e->option, job)->acquisition == RECOMMENDATION_SPOT;
    struct explanations *to = e->to;

    explain_linked(e, join(e, word, "_gpu_count"), "gpu_count", source);
    explain_linked(e, join(e, word, "_memory_per_gpu_gib"), "memory_per_gpu_gib", source);
    explain_linked(e, join(e, word, "_memory_capacity_gib"), "memory_capacity_gib", source);
    LOCAL("plan_days", "days", configuration->time.middle)
    LOCAL("interruptions", "", on_spot ? configuration->spot_ratio : 0)
    EXPLAIN(join(e, word, "_days"), "days",
            configuration->time.middle * (1 + (on_spot ? configuration->spot_ratio : 0)),
            "plan_days x (1 + interruptions)", source)
    LOCAL("plan_days", "days", configuration->time.middle)
    LOCAL("hours_ratio", "", configuration->hours_ratio)
    EXPLAIN(join(e, word, "_gpu_hours"), "GPU-hours",
            configuration->gpu_count * HOURS_PER_DAY * configuration->time.middle *
                configuration->hours_ratio,
            join(e, word, "_gpu_count x 24 x plan_days x hours_ratio"),
            "hours_ratio: experiments before the run and repeated runs, lines of the plan's bill")
}

static void explain_serving_cost(const struct explained *e, const char *key, double cost,
                                 double price, double rented_share)
{
    struct explanations *to = e->to;

    LOCAL("rented_share", "", rented_share)
    LOCAL("price", "USD/GPU-hour", price)
    EXPLAIN(key, "USD/month", cost, "serve_gpu_count x 730 x rented_share x price",
            "rented_share follows from rent_schedule and growth; price: the rent or an end of it, "
            "or for bought and reserved GPUs their total cost over the hours in use")
}

static void explain_service(const struct explained *e)
{
    static const char *const same[] = {"latency_p95_seconds_estimate",
                                       "latency_p95_seconds_estimate_low",
                                       "latency_p95_seconds_estimate_high"};
    const char *link = recommendation_plan_link(e->recommendation, e->option, RECOMMENDATION_SERVE);
    const char *source = source_of(e, link, "the sizing of this service");
    const struct recommendation_part *part = recommendation_part(e->option, RECOMMENDATION_SERVE);
    const struct recommendation_configuration *configuration =
        configuration_of(e, RECOMMENDATION_SERVE);
    struct explanations *to = e->to;

    explain_linked(e, "serve_gpu_count", "gpu_count", source);
    explain_linked(e, "serve_utilization", "utilization", source);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        explain_linked(e, same[i], join(e, "sizing_", same[i]), source);
    LOCAL("earliest_days", "days", e->recommendation->ask.earliest_days)
    EXPLAIN("months_served", "months", e->option->months_served,
            "horizon_months - earliest_days x 24 / 730",
            "earliest_days: the shortest time in which any option ends all jobs, 0 without jobs")
    EXPLAIN("serve_gpu_hours", "GPU-hours",
            configuration->gpu_count * HOURS_PER_MONTH * e->option->months_served,
            "serve_gpu_count x 730 x months_served", "months of 730 h")
    struct range price = recommendation_price_range(e->recommendation, part);
    double rented_share = recommendation_is_hourly(part->acquisition) ? configuration->rented : 1;
    const struct recommendation_row *row = e->row;
    explain_serving_cost(e, "serving_cost_per_month", row->serving_cost_per_month, price.middle,
                         rented_share);
    explain_serving_cost(e, "serving_cost_per_month_low", row->serving_cost_per_month_low,
                         price.low, rented_share);
    explain_serving_cost(e, "serving_cost_per_month_high", row->serving_cost_per_month_high,
                         price.high, rented_share);
}

/* ---- the ledger of each part */

/* Hours of the part, and the fractions of them held, used and rented. */
static void explain_hours(const struct explained *e, size_t i, const char *name)
{
    const struct recommendation_part *part = &e->option->parts[i];
    struct explanations *to = e->to;
    const char *counts = NULL, *held = NULL, *used = NULL, *rented = NULL;

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++) {
        if (!(e->recommendation->wanted[w] && e->option->part[w] == i))
            continue;
        const struct recommendation_configuration *configuration = configuration_of(e, w);
        const char *hours = join(e, word_of(w), "_gpu_hours");
        SYMBOL(join(e, word_of(w), "_used"), "", configuration->used)
        SYMBOL(join(e, word_of(w), "_rented"), "", configuration->rented)
        counts = list(e, counts, ", ", join(e, word_of(w), "_gpu_count"));
        held = list(e, held, " + ", hours);
        used = list(e, used, " + ", arena_join(to->arena, hours, " x ", word_of(w), "_used"));
        rented = list(e, rented, " + ", arena_join(to->arena, hours, " x ", word_of(w), "_rented"));
    }
    EXPLAIN(join(e, name, "gpu_count"), "GPUs", part->gpu_count,
            arena_join(to->arena, "max(0, ", counts, ")"),
            "the GPUs run these workloads one after the other")
    EXPLAIN(join(e, name, "hours"), "GPU-hours", part->gpu_count * HOURS_PER_MONTH * part->months,
            arena_print(to->arena, "%sgpu_count x 730 x %d", name, part->months),
            "all hours of the months in its ledger")
    EXPLAIN(join(e, name, "held"), "", part->held_ratio,
            arena_join(to->arena, "min(1, (", held, ") / ", name, "hours)"),
            "share of all hours in which the GPUs are held for the work")
    EXPLAIN(join(e, name, "utilization"), "", part->utilization,
            arena_join(to->arena, "min(", name, "held, (", used, ") / ", name, "hours)"),
            "share of all hours in use; for a service by its load and growth")
    EXPLAIN(join(e, name, "rented"), "", part->rented_ratio,
            arena_join(to->arena, "max(", name, "utilization, min(1, (", rented, ") / ", name,
                       "hours))"),
            "share of all hours rented if hours are paid as used; for a service by its "
            "rent_schedule and growth")
}

/* Total and payments as sums over the ledger lines, whose rows come first. */
static void explain_sums(const struct explained *e, size_t i, const char *name,
                         const struct ledger *ledger, const char *side, bool of_time)
{
    const struct recommendation_part *part = &e->option->parts[i];
    const char *total = NULL, *paid = NULL;
    struct explanations *to = e->to;

    for (size_t l = 0; l < ledger->n; l++) {
        const struct ledger_line *line = &ledger->lines[l];
        if (strcmp(line->side, side) != 0 || line->amount == 0)
            continue;
        const char *key = ownership_line_key(to, name, line);
        total = list(e, total, " + ", key);
        if ((strcmp(line->group, "opportunity") != 0 && line->amount > 0) ||
            strcmp(line->key, "cloud_credits") == 0)
            paid = list(e, paid, " + ", key);
    }
    total = total ? total : "0";
    paid = paid ? paid : "0";
    if (of_time) {
        total = arena_join(to->arena, name, "held x (", total, ")");
        paid = arena_join(to->arena, name, "held x (", paid, ")");
    }
    EXPLAIN(join(e, name, "total_cost"), "USD", part->total, total,
            "the lines of its ledger, each rounded to cents; the link in break_even also has the "
            "other side")
    EXPLAIN(join(e, name, "payments"), "USD", part->payments, paid,
            "the lines that are paid: without cost of capital and income")
}

/* The total is linear in the rent, which appears in lines only as a factor. */
static void explain_provider(const struct explained *e, size_t i, const char *key, double rent)
{
    const struct recommendation_ask *ask = &e->recommendation->ask;
    const struct recommendation_part *part = &e->option->parts[i];
    double median = recommendation_part_price(ask, part).per_gpu_hour;
    double total = recommendation_part_total_at(ask, part, rent);
    struct explanations *to = e->to;

    LOCAL("rent", "USD/GPU-hour", rent)
    LOCAL("median_rent", "USD/GPU-hour", median)
    LOCAL("cost_of_rent", "GPU-hours", rent == median ? 0 : (total - part->total) / (rent - median))
    EXPLAIN_KNOWN(
        arena_join(to->arena, part_name(e, i), key), "USD", isnan(rent) ? (double)NAN : total,
        arena_join(to->arena, part_name(e, i), "total_cost + (rent - median_rent) x cost_of_rent"),
        "the cheapest and the most expensive provider of /v1/offers; of a job on a cluster the "
        "rent at which it costs as much as the provider bills for its own shortest rental; "
        "cost_of_rent: change of "
        "the total per USD of hourly rent; 0 for bought GPUs")
}

/* The ledger is linear in the rent and in the server's price. */
static void explain_end(const struct explained *e, size_t i, bool high)
{
    static const char SOURCE[] =
        "price_factor: an end of the price over the price: of a rent the cheapest and the most "
        "expensive provider, of one provider provider_price_ratio; of the provider you name 1, or "
        "the band of commitment_discount_ratio; of a server the band of "
        "/v1/assumptions?key=server_price; 1 of a quote and of GPUs in hand. by_price: all that "
        "grows with it";
    const struct recommendation_ask *ask = &e->recommendation->ask;
    const struct recommendation_part *part = &e->option->parts[i];
    const char *name = part_name(e, i);
    struct recommendation_money end = recommendation_part_end(ask, part, high);
    struct ownership_band band = recommendation_part_band(ask, part);
    struct range rents = recommendation_part_rent_band(ask, part);
    bool rented = part->acquisition < RECOMMENDATION_BOUGHT;
    double factor =
        rented ? (high ? rents.high : rents.low) / rents.middle : (high ? band.high : band.low);
    double change = factor - 1;
    struct explanations *to = e->to;

    LOCAL("price_factor", "", factor)
    LOCAL("by_price", "USD", change == 0 ? 0 : (end.total - part->total) / change)
    EXPLAIN(join(e, name, high ? "at_high_prices" : "at_low_prices"), "USD", end.total,
            join(e, name, "total_cost + (price_factor - 1) x by_price"), SOURCE)
    LOCAL("price_factor", "", factor)
    LOCAL("by_price", "USD", change == 0 ? 0 : (end.payments - part->payments) / change)
    EXPLAIN(join(e, name, high ? "paid_at_high_prices" : "paid_at_low_prices"), "USD", end.payments,
            join(e, name, "payments + (price_factor - 1) x by_price"), SOURCE)
}

static void explain_part(const struct explained *e, size_t i)
{
    const struct recommendation *recommendation = e->recommendation;
    const struct recommendation_part *part = &e->option->parts[i];
    const char *name = part_name(e, i);
    const char *side = part->acquisition < RECOMMENDATION_BOUGHT ? "rent" : "buy";
    struct ownership own;
    struct ledger ledger;
    struct explanations *to = e->to;

    SYMBOL(join(e, name, "power_kw"), "kW", part->power_kw)
    SYMBOL(join(e, name, "electricity_kwh"), "kWh", part->electricity_kwh)
    SYMBOL(join(e, name, "credits"), "USD", part->credits_used)
    explain_hours(e, i, name);
    (void)recommendation_ledger(&recommendation->ask, part, &own); /* was priced before */
    double share = recommendation_part_share(part, &own);
    ownership_ledger(&own, part->months, &ledger);
    if (part->acquisition == RECOMMENDATION_BOUGHT)
        ownership_explain_used(&own, name, e->to);
    ownership_explain_lines(&own, &ledger, side, name, e->to);
    explain_sums(e, i, name, &ledger, side, share < 1);
    struct range rents = recommendation_part_rents(&recommendation->ask, part);
    explain_provider(e, i, "at_cheapest", rents.low);
    explain_provider(e, i, "at_dearest", rents.high);
    explain_end(e, i, false);
    explain_end(e, i, true);
}

/* The sum of one symbol over the parts. */
static const char *parts_sum(const struct explained *e, const char *end)
{
    const char *sum = NULL;

    for (size_t i = 0; i < e->option->n_parts; i++)
        sum = list(e, sum, " + ", join(e, part_name(e, i), end));
    return sum;
}

static void explain_length(const struct explained *e, size_t i, const char *end, double length)
{
    const struct recommendation_part *part = &e->option->parts[i];
    double billed = part->gpu_count * HOURS_PER_MONTH * part->months * part->held_ratio *
                    (1 + part->unused_ratio);
    struct explanations *to = e->to;

    LOCAL("billed_hours", "GPU-hours", billed)
    LOCAL("hours_more", "GPU-hours", (length - 1) * billed)
    EXPLAIN(arena_join(to->arena, part_name(e, i), "length", end), "", length,
            "1 + hours_more / billed_hours",
            "billed_hours: of a cluster at least its shortest rental; hours_more: at that end")
}

/* The middle plus the extra cost of jobs paid by the hour at one end of their interval. */
static const char *end_formula(const struct explained *e, const char *middle, const char *of_part,
                               const char *end)
{
    struct arena *arena = e->to->arena;
    const char *formula = middle;

    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        size_t i = e->option->part[w];
        if (!e->recommendation->wanted[w] || !recommendation_pays_for_time(&e->option->parts[i]))
            continue;
        const char *part = part_name(e, i), *word = word_of(w);
        const char *paid = join(e, part, of_part);
        if (e->option->parts[i].credits_used > 0)
            paid = arena_join(arena, "(", paid, " + ", part, "credits)");
        if (e->option->parts[i].has_term) /* a part of its own */
            formula = arena_join(arena, formula, " + ", paid, " x (", part, "length", end, " - 1)");
        else
            formula = arena_join(arena, formula, " + ", paid, " x ", word, "_gpu_hours / (", part,
                                 "held x ", part, "hours) x (", word, end, " - 1)");
    }
    return formula;
}

/* `of`: the sum whose end it is, of the option and of each part. */
static const char *at_prices(const struct explained *e, const char *of, const char *end,
                             const char *prices)
{
    bool clipped = end[1] == 'l' && recommendation_uses_credits(e->option); /* the low end */

    return arena_join(e->to->arena, clipped ? "min(" : "", clipped ? of : "",
                      clipped ? ", max(0, " : "", end_formula(e, of, of, end), " + (",
                      parts_sum(e, prices), ") - (", parts_sum(e, of), clipped ? ")))" : ")");
}

static void explain_days(const struct explained *e)
{
    static const char SOURCE[] = "the jobs one after the other, with the intervals of their plans";
    const struct recommendation_row *row = e->row;
    const char *days = NULL, *low = NULL, *high = NULL;
    struct explanations *to = e->to;

    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        if (!e->recommendation->wanted[w])
            continue;
        const struct range *time = &configuration_of(e, w)->time;
        const char *each = join(e, word_of(w), "_days");
        SYMBOL(join(e, word_of(w), "_low_ratio"), "", time->low / time->middle)
        SYMBOL(join(e, word_of(w), "_high_ratio"), "", time->high / time->middle)
        days = list(e, days, " + ", each);
        low = list(e, low, " + ", arena_join(to->arena, each, " x ", word_of(w), "_low_ratio"));
        high = list(e, high, " + ", arena_join(to->arena, each, " x ", word_of(w), "_high_ratio"));
    }
    if (!days)
        return;
    EXPLAIN("days", "days", row->days, days, SOURCE)
    EXPLAIN("days_low", "days", row->days_low, low, SOURCE)
    EXPLAIN("days_high", "days", row->days_high, high, SOURCE)
    double rate = e->recommendation->in->delay_cost_per_month;
    LOCAL("delay_cost_per_month", "USD/month", rate)
    LOCAL("months_later", "months", rate > 0 ? row->delay_cost / rate : 0)
    EXPLAIN("delay_cost", "USD", row->delay_cost, "delay_cost_per_month x months_later",
            "months of 730 h by which its jobs end after those of the earliest option")
}

static void explain_totals(const struct explained *e)
{
    static const char PROVIDERS[] = "every rent at the cheapest or the most expensive provider";
    static const char PRICES[] = "jobs paid by the hour, rents and servers, each at one end";
    const struct recommendation_row *row = e->row;
    const char *delay = isnan(row->delay_cost) ? "" : " + delay_cost";
    const char *counts = NULL;
    struct explanations *to = e->to;

    for (size_t i = 0; i < e->option->n_parts; i++) {
        counts = list(e, counts, ", ", join(e, part_name(e, i), "gpu_count"));
        if (e->option->parts[i].has_term) {
            explain_length(e, i, "_low_ratio", e->option->parts[i].length.low);
            explain_length(e, i, "_high_ratio", e->option->parts[i].length.high);
        }
    }
    EXPLAIN("gpu_count", "GPUs", row->gpu_count, arena_join(to->arena, "max(0, ", counts, ")"),
            "workloads run one after the other")
    EXPLAIN("power_kw", "kW", row->power_kw, parts_sum(e, "power_kw"),
            "of what is bought or owned, at the meter; rented GPUs draw their provider's")
    EXPLAIN("electricity_kwh", "kWh", row->electricity_kwh, parts_sum(e, "electricity_kwh"),
            "of all servers, with the facility; rented ones while they are rented")
    if (!isnan(row->carbon_tonnes)) {
        LOCAL("grid_carbon_kg_per_kwh", "kg/kWh", e->recommendation->in->grid_carbon_kg_per_kwh)
        EXPLAIN("carbon_tonnes", "t", row->carbon_tonnes,
                "electricity_kwh x grid_carbon_kg_per_kwh / 1000", "")
    }
    EXPLAIN("cloud_credits_used", "USD", row->cloud_credits_used, parts_sum(e, "credits"),
            "rent that cloud_credits pay, until they are used up or expire")
    EXPLAIN("total_cost", "USD", row->total_cost, join(e, parts_sum(e, "total_cost"), delay),
            "valued at the end of the horizon")
    EXPLAIN("total_cost_low", "USD", row->total_cost_low,
            at_prices(e, "total_cost", "_low_ratio", "at_low_prices"), PRICES)
    EXPLAIN("total_cost_high", "USD", row->total_cost_high,
            at_prices(e, "total_cost", "_high_ratio", "at_high_prices"), PRICES)
    EXPLAIN("payments", "USD", row->payments, parts_sum(e, "payments"),
            "all cash until the horizon, without income from sales")
    EXPLAIN("payments_low", "USD", row->payments_low,
            at_prices(e, "payments", "_low_ratio", "paid_at_low_prices"), PRICES)
    EXPLAIN("payments_high", "USD", row->payments_high,
            at_prices(e, "payments", "_high_ratio", "paid_at_high_prices"), PRICES)
    EXPLAIN_KNOWN("total_cost_cheapest_provider", "USD", row->total_cost_cheapest_provider,
                  join(e, parts_sum(e, "at_cheapest"), delay), PROVIDERS)
    EXPLAIN_KNOWN("total_cost_dearest_provider", "USD", row->total_cost_dearest_provider,
                  join(e, parts_sum(e, "at_dearest"), delay), PROVIDERS)
}

static double range_end(const struct range *range, int end)
{
    return end < 0 ? range->low : end > 0 ? range->high : range->middle;
}

/* `end`: -1 the low one, 1 the high one, 0 the middle. */
static void explain_training_cost(const struct explained *e, const char *key, double cost, int end)
{
    const char *bills = NULL;
    struct explanations *to = e->to;

    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (e->recommendation->wanted[w]) {
            const char *bill = join(e, word_of(w), "_bill");
            struct range bills_of = recommendation_job_cost(e->recommendation, e->option,
                                                            (enum recommendation_workload)w);
            LOCAL(bill, "USD", range_end(&bills_of, end))
            bills = list(e, bills, " + ", bill);
        }
    if (bills)
        EXPLAIN(key, "USD", cost, bills,
                "total_cost of the plans that the row links, or an end of it")
}

static void explain_weighed(const struct explained *e)
{
    static const char *const names[] = {"break_even_months", "break_even_utilization",
                                        "break_even_rent_price_per_gpu_hour"};

    for (size_t i = 0; e->row->break_even && i < sizeof(names) / sizeof(names[0]); i++)
        explain_linked(e, names[i], join(e, "found_", names[i]), e->row->break_even);
}

void recommendation_explain(struct recommendation *recommendation,
                            const struct recommendation_row *rows)
{
    size_t best = recommendation->list.recommended;
    const struct recommendation_option *option = &recommendation->list.at[best];
    struct request_context *context = recommendation->context;
    struct explanations explanations, *to = &explanations;
    const struct explained e = {recommendation, option, &rows[best], to};

    if (!explain_is_wanted(context))
        return;
    explain_init(to, context->arena);
    SYMBOL("horizon_months", "months", recommendation->in->horizon_months)
    SYMBOL("tax_rate", "", recommendation->ask.ledger.tax_rate)
    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (recommendation->wanted[w])
            explain_job(&e, (enum recommendation_workload)w);
    if (recommendation->service)
        explain_service(&e);
    for (size_t i = 0; i < option->n_parts; i++)
        explain_part(&e, i);
    explain_days(&e);
    const struct recommendation_row *row = e.row;
    explain_training_cost(&e, "training_cost", row->training_cost, 0);
    explain_training_cost(&e, "training_cost_low", row->training_cost_low, -1);
    explain_training_cost(&e, "training_cost_high", row->training_cost_high, 1);
    explain_totals(&e);
    explain_weighed(&e);
    explain_substitute(to);
    explain_answer(context, to);
}

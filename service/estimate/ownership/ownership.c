#include "estimate/ownership/ownership.h"

#include "base/units.h"
#include "estimate/ownership/cash_flow.h"
#include "estimate/ownership/depreciation.h"
#include "estimate/ownership/lease.h"
#include "estimate/ownership/replacement.h"
#include "estimate/ownership/totals.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const ownership_side_names[SIDES] = {"buy", "rent"};
const char *const ownership_group_names[GROUPS] = {"initial", "recurring", "opportunity",
                                                   "proceeds"};

/* The price of a commitment stays what it is until its term ends. */
static bool is_fixed(const struct cash_flow *flow, const struct line_kind *kind)
{
    return kind->kind == KIND_RENTED && flow->month <= flow->facility.term_months;
}

static struct ledger_line run_line(const struct cash_flow *flow, int i)
{
    const struct line_kind *kind = &ownership_lines[i];
    const struct entry *entry = &flow->entries[i];
    struct ledger_line line = {
        .side = ownership_side_names[kind->side],
        .group = ownership_group_names[kind->group],
        .key = kind->key,
        .unit = kind->unit,
        .formula = kind->formula,
        .quantity = totals_quantity(flow, i),
        .unit_price = entry->price,
        .yearly_change = is_fixed(flow, kind) ? 0 : entry->rise,
    };

    if (kind->unit && cash_flow_same_word(kind->unit, "ratio"))
        line.unit_price = totals_ratio_base(flow, i);
    return line;
}

void ownership_fill_ledger(const struct cash_flow *flow, struct ledger *ledger)
{
    double total[SIDES] = {0};

    ledger->n = LINES;
    memset(ledger->group_cents, 0, sizeof(ledger->group_cents));
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        double cents = flow->amount[i] == 0 ? 0 : totals_cents(flow, i);
        ledger->lines[i] = run_line(flow, i);
        ledger->lines[i].amount = cents / 100 + 0.0;
        ledger->group_cents[kind->side][kind->group] += cents;
        total[kind->side] += cents;
    }
    ledger->buy_total = total[SIDE_BUY] / 100 + 0.0;
    ledger->rent_total = total[SIDE_RENT] / 100 + 0.0;
}

void ownership_ledger(const struct ownership *in, int months, struct ledger *ledger)
{
    struct cash_flow flow;

    totals_as_of_month(&flow, in, months);
    ownership_fill_ledger(&flow, ledger);
}

static struct ownership_side sum_side(const struct ownership *in, int months, enum side side,
                                      int credits)
{
    struct ownership_side sum = {0, 0, 0};
    struct cash_flow flow;
    double cents = 0;

    totals_of_side(&flow, in, months, side);
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        if (kind->side != side || flow.amount[i] == 0)
            continue;
        double of_line = totals_cents(&flow, i);
        cents += of_line;
        if (kind->group != GROUP_OPPORTUNITY && (!(of_line < 0) || i == credits))
            sum.payments += of_line / 100;
    }
    sum.total = cents / 100 + 0.0;
    sum.credits = flow.amount[credits] == 0 ? 0 : -totals_cents(&flow, credits) / 100;
    return sum;
}

struct ownership_side ownership_side_buy(const struct ownership *in, int months)
{
    return sum_side(in, months, SIDE_BUY, LINE_BUY_cloud_credits);
}

struct ownership_side ownership_side_rent(const struct ownership *in, int months)
{
    return sum_side(in, months, SIDE_RENT, LINE_RENT_cloud_credits);
}

double ownership_line_amount(const struct ledger *ledger, const char *side, const char *key)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (strcmp(ledger->lines[i].key, key) == 0 && strcmp(ledger->lines[i].side, side) == 0)
            return ledger->lines[i].amount;
    return 0;
}

struct ownership ownership_scaled(const struct ownership *in, double server_price_factor)
{
    struct ownership other = *in;

    other.server_price *= server_price_factor;
    other.gpu_card_price *= server_price_factor;
    return other;
}

double ownership_difference(const struct ownership *in, int months)
{
    struct cash_flow flow;

    totals_as_of_month(&flow, in, months);
    return (double)totals_difference(&flow);
}

double ownership_utilization(const struct ownership *in, int month)
{
    double first = fmin(fmax(in->first_phase_months - (month - 1), 0), 1);

    return ownership_times(first, in->first_phase_utilization) + (1 - first) * in->utilization;
}

double ownership_mean_utilization(const struct ownership *in, int months)
{
    double first = months > 0 ? fmin(in->first_phase_months / months, 1) : 0;

    return ownership_times(first, in->first_phase_utilization) + (1 - first) * in->utilization;
}

double ownership_useful_gpu_hours(const struct ownership *in, int months)
{
    return in->gpu_count * HOURS_PER_MONTH * months * ownership_mean_utilization(in, months) *
           in->goodput;
}

double ownership_cost_per_useful_gpu_hour(const struct ownership *in)
{
    int months = (int)in->useful_life_months;
    double hours = ownership_useful_gpu_hours(in, months);
    struct ownership over_its_life = *in;
    struct cash_flow flow;

    over_its_life.lease_exit_ratio = 0; /* nothing ends at the horizon */
    totals_of_side(&flow, &over_its_life, months, SIDE_BUY);
    return hours > 0 ? totals_side(&flow, SIDE_BUY) / hours : (double)NAN;
}

/* The fraction of a server's price that is not yet depreciated. */
static double book_share(const struct ownership *in, int months)
{
    struct ownership over_its_life = *in;

    over_its_life.tax_depreciation = 0;
    return (double)(1 - depreciation_share(&over_its_life, months));
}

double ownership_book_value(const struct ownership *in, int months)
{
    struct facility facility = ownership_facility(in);
    int since = months - (int)in->second_purchase_month;
    double later = (double)facility.second_share;
    double second = since >= 0 ? later * book_share(in, since) : 0;

    if (lease_is_operating(in))
        return 0;
    return facility.server_cost * facility.bought_nodes *
           ((1 - later) * book_share(in, (int)replacement_age(in, months)) + second);
}

double ownership_idle_cost(const struct ownership *in, int months)
{
    struct ownership idle = *in;
    struct cash_flow flow;

    idle.utilization = idle.first_phase_utilization = 0;
    totals_of_side(&flow, &idle, months, SIDE_BUY);
    return ownership_times(1 - ownership_mean_utilization(in, months),
                           totals_side(&flow, SIDE_BUY));
}

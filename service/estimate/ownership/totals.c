/* totals.c - every ledger line as if the ledger ended with this month, and their sums. */
#include "estimate/ownership/totals.h"

#include "base/cents.h"
#include "estimate/ownership/lease.h"
#include "estimate/ownership/releases.h"
#include "estimate/ownership/replacement.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool second_bought(const struct cash_flow *flow)
{
    return flow->month >= flow->in->second_purchase_month;
}

static long double bought_share(const struct cash_flow *flow)
{
    return second_bought(flow) ? 1 : 1 - flow->facility.second_share;
}

static bool has_servers(const struct cash_flow *flow)
{
    return !flow->is_leased || (flow->is_bought_out && flow->month >= flow->in->lease_months);
}

/* Net proceeds of the servers if sold after the months run so far. If the proceeds at the horizon
 * are given, the value changes exponentially from the price to them, and if they exceed the price,
 * it stays constant after the horizon. */
static double resale(const struct cash_flow *flow)
{
    const struct ownership *in = flow->in;
    double hardware = flow->facility.hardware,
           second = (double)(flow->facility.second_share * hardware);

    if (!has_servers(flow) || hardware == 0)
        return 0;
    if (isnan(in->residual_value)) {
        int bought = (int)in->second_purchase_month;
        double fallen = (double)replacement_releases_factor(flow);
        double worth =
            fallen * replacement_worth(in, hardware - second, flow->month - flow->replaced);
        if (second_bought(flow) && second != 0) /* at a price of its own date */
            worth += fallen / (double)releases_factor(in, bought) *
                     replacement_worth(in, second, flow->month - bought);
        return worth;
    }
    double share = in->residual_value / hardware, time = flow->month / in->horizon_months;
    return (double)bought_share(flow) * hardware * pow(share, share > 1 ? fmin(time, 1) : time);
}

/* An approximation without a power in the usual case. */
static double approximate_resale(const struct cash_flow *flow)
{
    const struct ownership *in = flow->in;

    if (!has_servers(flow) || !isnan(in->residual_value) || flow->facility.second_share != 0)
        return resale(flow);
    return flow->facility.hardware * flow->kept * in->resale_condition_factor *
           (1 - in->resale_fee_ratio) * (double)replacement_releases_factor(flow);
}

static double scrapping(const struct cash_flow *flow)
{
    return has_servers(flow) ? (double)cash_flow_times(bought_share(flow), flow->scrap_cost) : 0;
}

/* The proceeds of the disposal below book value. */
static long double loss_of(const struct cash_flow *flow, double sold, double scrapped)
{
    return flow->initial[SIDE_BUY] - flow->written_off + scrapped - sold;
}

static void close_finance(struct cash_flow *flow)
{
    const struct ownership *in = flow->in;
    double sold = resale(flow);
    double scrapped = scrapping(flow);
    long double loss = loss_of(flow, sold, scrapped);
    long double shielded = cash_flow_times(in->tax_rate, flow->written_off);
    const struct money *own = &flow->money[SIDE_BUY], *rent = &flow->money[SIDE_RENT];

    flow->amount[LINE_BUY_cost_of_capital] = own->grown - own->paid;
    flow->amount[LINE_RENT_cost_of_capital] = rent->grown - rent->paid;
    flow->amount[LINE_BUY_tax_relief] = shielded - flow->tax_saved[SIDE_BUY];
    flow->amount[LINE_BUY_depreciation_tax_shield] = -shielded;
    flow->amount[LINE_BUY_disposal_tax] = -cash_flow_times(in->tax_rate, loss);
    flow->amount[LINE_RENT_tax_relief] = -flow->tax_saved[SIDE_RENT];
    flow->amount[LINE_BUY_decommissioning] = scrapped;
    flow->amount[LINE_BUY_residual_value] = -sold;
}

/* The sum over all months of an amount that is `monthly` in month 1, and `first` in the first
 * phase. */
static long double months_of(const struct cash_flow *flow, int line, long double monthly,
                             long double first)
{
    const struct path *path = &flow->paths[flow->entries[line].path];

    return cash_flow_times(monthly, path->sum) + cash_flow_times(first, path->first_sum);
}

/* Initial lines change only with the second purchase. */
static void close_initial(struct cash_flow *flow)
{
    flow->closed_share = bought_share(flow);
    flow->initial_cents[SIDE_BUY] = flow->initial_cents[SIDE_RENT] = 0;
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        if (kind->kind != KIND_INITIAL)
            continue;
        flow->amount[i] = ownership_is_staged(kind)
                              ? cash_flow_times(flow->first[i], flow->closed_share)
                              : flow->first[i];
        flow->initial_cents[kind->side] += cents_whole(flow->amount[i]);
    }
}

void totals_close(struct cash_flow *flow)
{
    cash_flow_sum_up(flow);
    if (flow->closed_share != bought_share(flow))
        close_initial(flow);
    for (int side = 0; side < SIDES; side++)
        for (int j = 0; j < flow->n_later[side]; j++) {
            int i = flow->later[side][j];
            if (ownership_lines[i].kind != KIND_CLOSING)
                flow->amount[i] = months_of(flow, i, flow->first[i], flow->phase[i].amount);
        }
    flow->amount[LINE_BUY_lead_time_rental] = flow->waited;
    flow->amount[LINE_BUY_lease_payments] = flow->leased;
    flow->amount[LINE_BUY_lease_buyout] = flow->bought_out;
    flow->amount[LINE_RENT_commitment_exit] = flow->commitment_exit;
    bool leased = lease_is_finance(flow->in);
    flow->amount[LINE_BUY_lease_exit] = flow->lease_exit;
    flow->amount[LINE_BUY_server_replacement] = flow->replacement;
    flow->amount[LINE_BUY_lease_interest] = leased ? flow->debt.interest : 0;
    flow->amount[LINE_BUY_loan_interest] = leased ? 0 : flow->debt.interest;
    flow->amount[LINE_BUY_cloud_credits] = -flow->credited[SIDE_BUY];
    flow->amount[LINE_RENT_cloud_credits] = -flow->credited[SIDE_RENT];
    close_finance(flow);
}

void totals_as_of_month(struct cash_flow *flow, const struct ownership *in, int months)
{
    cash_flow_start(flow, in);
    cash_flow_advance(flow, months);
    totals_close(flow);
}

void totals_of_side(struct cash_flow *flow, const struct ownership *in, int months, enum side side)
{
    cash_flow_start_side(flow, in, side);
    cash_flow_advance(flow, months);
    totals_close(flow);
}

/* The sum of a side's lines is what was paid, with cost of capital, plus the payments at the end.
 */
double totals_gap(const struct cash_flow *flow, double *off)
{
    const double cents = 1;       /* more than half a cent per line */
    const double rounding = 1e-9; /* relative to all amounts, far above rounding errors beyond the
                                   * cents */
    const struct money *own = &flow->money[SIDE_BUY], *rent = &flow->money[SIDE_RENT];
    double sold = approximate_resale(flow), scrapped = scrapping(flow),
           owed = (double)flow->debt.balance;
    double grown = (double)own->grown, rent_grown = (double)rent->grown, relieved = 0;
    double size = fabs(grown) + fabs((double)own->paid) + fabs(rent_grown) +
                  fabs((double)rent->paid) + fabs(owed) + fabs((double)flow->debt.interest) + sold +
                  scrapped;

    if (flow->in->tax_rate != 0) {
        relieved = flow->in->tax_rate * (double)loss_of(flow, sold, scrapped);
        size += fabs((double)flow->tax_saved[SIDE_BUY]) + fabs((double)flow->tax_saved[SIDE_RENT]) +
                fabs((double)flow->initial[SIDE_BUY]);
    }
    *off = cents + rounding * size;
    return grown - rent_grown + owed + scrapped - sold - relieved;
}

double totals_quantity(const struct cash_flow *flow, int line)
{
    const struct line_kind *kind = &ownership_lines[line];
    double quantity = flow->entries[line].quantity;

    if (kind->kind == KIND_CLOSING)
        return (double)NAN;
    if (cash_flow_same_word(kind->unit, "ratio"))
        return quantity;
    if (kind->kind == KIND_INITIAL)
        return ownership_is_staged(kind) ? (double)cash_flow_times(quantity, bought_share(flow))
                                         : quantity;
    return (double)(cash_flow_times(quantity, flow->running[kind->side]) +
                    cash_flow_times(flow->phase[line].quantity, flow->first_running[kind->side]));
}

double totals_ratio_base(const struct cash_flow *flow, int line)
{
    const struct entry *entry = &flow->entries[line];

    if (ownership_lines[line].kind == KIND_INITIAL)
        return (double)cash_flow_times(entry->price, bought_share(flow));
    return (double)months_of(flow, line, entry->price, flow->phase[line].price);
}

double totals_cents(const struct cash_flow *flow, int line)
{
    return cents_whole(flow->amount[line]);
}

double totals_side(const struct cash_flow *flow, enum side side)
{
    double cents = flow->initial_cents[side];

    for (int j = 0; j < flow->n_later[side]; j++) {
        long double amount = flow->amount[flow->later[side][j]];
        if (amount != 0)
            cents += cents_whole(amount);
    }
    return cents / 100 + 0.0;
}

long double totals_size(const struct cash_flow *flow)
{
    long double size = 0;

    for (int i = 0; i < LINES; i++)
        size += fabsl(flow->amount[i]);
    return size;
}

long double totals_difference(const struct cash_flow *flow)
{
    long double difference = 0;

    for (int i = 0; i < LINES; i++)
        difference += ownership_lines[i].side == SIDE_BUY ? flow->amount[i] : -flow->amount[i];
    return difference;
}

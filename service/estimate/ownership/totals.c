/* totals.c - every line of the ledger as if all ended with this month, and their sums. */
#include "estimate/ownership/cash_flow.h"

#include "base/cents.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MONTHS_PER_YEAR 12.0

static bool second_bought(const struct run *run)
{
    return run->month >= run->in->second_purchase_month;
}

static long double bought_share(const struct run *run)
{
    return second_bought(run) ? 1 : 1 - run->plant.second_share;
}

/* What servers of that price bring after so many months, net of fees. */
static double worth_after(const struct ownership *in, double price, double months)
{
    return price * pow(in->annual_value_retention, months / MONTHS_PER_YEAR) *
           in->resale_condition_factor * (1 - in->resale_fee_ratio);
}

static bool has_servers(const struct run *run)
{
    return !run->is_leased || (run->is_bought_out && run->month >= run->in->lease_months);
}

/* Servers sold after the months run so far, net. Where the caller names the proceeds at the
 * horizon, the way there is the same curve through that point; above the price it stays there. */
static double resale(const struct run *run)
{
    const struct ownership *in = run->in;
    double hardware = run->plant.hardware, second = (double)(run->plant.second_share * hardware);

    if (!has_servers(run) || hardware == 0)
        return 0;
    if (isnan(in->residual_value)) {
        double since = run->month - in->second_purchase_month;
        return worth_after(in, hardware - second, run->month) +
               (second_bought(run) && second != 0 ? worth_after(in, second, since) : 0);
    }
    double share = in->residual_value / hardware, time = run->month / in->horizon_months;
    return (double)bought_share(run) * hardware * pow(share, share > 1 ? fmin(time, 1) : time);
}

/* Nearly the same, without a power where it is the usual one. */
static double resale_near(const struct run *run)
{
    const struct ownership *in = run->in;

    if (!has_servers(run) || !isnan(in->residual_value) || run->plant.second_share != 0)
        return resale(run);
    return run->plant.hardware * run->kept * in->resale_condition_factor *
           (1 - in->resale_fee_ratio);
}

static double scrapping(const struct run *run)
{
    return has_servers(run) ? (double)run_times(bought_share(run), run->scrap_cost) : 0;
}

/* What the disposal brings less than the books say. */
static long double loss_of(const struct run *run, double sold, double scrapped)
{
    return run->initial[SIDE_BUY] - run->written_off + scrapped - sold;
}

static void close_finance(struct run *run)
{
    const struct ownership *in = run->in;
    double sold = resale(run);
    double scrapped = scrapping(run);
    long double loss = loss_of(run, sold, scrapped);
    const struct money *own = &run->money[SIDE_BUY], *rent = &run->money[SIDE_RENT];

    run->amount[LINE_BUY_cost_of_capital] = own->grown - own->paid;
    run->amount[LINE_RENT_cost_of_capital] = rent->grown - rent->paid;
    run->amount[LINE_BUY_tax_relief] = -run->tax_saved[SIDE_BUY] - run_times(in->tax_rate, loss);
    run->amount[LINE_RENT_tax_relief] = -run->tax_saved[SIDE_RENT];
    run->amount[LINE_BUY_decommissioning] = scrapped;
    run->amount[LINE_BUY_residual_value] = -sold;
}

/* Over all months what is `monthly` in month 1, in the first phase `first`. */
static long double months_of(const struct run *run, int line, long double monthly,
                             long double first)
{
    const struct path *path = &run->paths[run->entries[line].path];

    return run_times(monthly, path->sum) + run_times(first, path->first_sum);
}

/* They change with the second purchase only. */
static void close_initial(struct run *run)
{
    run->closed_share = bought_share(run);
    run->initial_cents[SIDE_BUY] = run->initial_cents[SIDE_RENT] = 0;
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        if (kind->kind != KIND_INITIAL)
            continue;
        run->amount[i] =
            ownership_is_staged(kind) ? run_times(run->first[i], run->closed_share) : run->first[i];
        run->initial_cents[kind->side] += cents_whole(run->amount[i]);
    }
}

void run_close(struct run *run)
{
    run_sum_up(run);
    if (run->closed_share != bought_share(run))
        close_initial(run);
    for (int side = 0; side < SIDES; side++)
        for (int j = 0; j < run->n_later[side]; j++) {
            int i = run->later[side][j];
            if (ownership_lines[i].kind != KIND_CLOSING)
                run->amount[i] = months_of(run, i, run->first[i], run->phase[i].amount);
        }
    run->amount[LINE_BUY_lead_time_rental] = run->waited;
    run->amount[LINE_BUY_lease_payments] = run->leased;
    run->amount[LINE_BUY_lease_buyout] = run->bought_out;
    run->amount[LINE_BUY_loan_interest] = run->debt.interest;
    close_finance(run);
}

void run_to(struct run *run, const struct ownership *in, int months)
{
    run_start(run, in);
    run_on(run, months);
    run_close(run);
}

/* The lines of a side come to what was paid with the cost of capital, and to what the end brings.
 */
double run_gap(const struct run *run, double *off)
{
    const double cents = 1;       /* half a cent a line is less */
    const double rounding = 1e-9; /* of all amounts, far above what is lost beyond the cents */
    const struct money *own = &run->money[SIDE_BUY], *rent = &run->money[SIDE_RENT];
    double sold = resale_near(run), scrapped = scrapping(run), owed = (double)run->debt.balance;
    double grown = (double)own->grown, rent_grown = (double)rent->grown, relieved = 0;
    double size = fabs(grown) + fabs((double)own->paid) + fabs(rent_grown) +
                  fabs((double)rent->paid) + fabs(owed) + fabs((double)run->debt.interest) + sold +
                  scrapped;

    if (run->in->tax_rate != 0) {
        relieved = run->in->tax_rate * (double)loss_of(run, sold, scrapped);
        size += fabs((double)run->tax_saved[SIDE_BUY]) + fabs((double)run->tax_saved[SIDE_RENT]) +
                fabs((double)run->initial[SIDE_BUY]);
    }
    *off = cents + rounding * size;
    return grown - rent_grown + owed + scrapped - sold - relieved;
}

double run_quantity(const struct run *run, int line)
{
    const struct line_kind *kind = &ownership_lines[line];
    double quantity = run->entries[line].quantity;

    if (kind->kind == KIND_CLOSING)
        return (double)NAN;
    if (run_same(kind->unit, "ratio"))
        return quantity;
    if (kind->kind == KIND_INITIAL)
        return ownership_is_staged(kind) ? (double)run_times(quantity, bought_share(run))
                                         : quantity;
    return (double)(run_times(quantity, run->running[kind->side]) +
                    run_times(run->phase[line].quantity, run->first_running[kind->side]));
}

double run_ratio_base(const struct run *run, int line)
{
    const struct entry *entry = &run->entries[line];

    if (ownership_lines[line].kind == KIND_INITIAL)
        return (double)run_times(entry->price, bought_share(run));
    return (double)months_of(run, line, entry->price, run->phase[line].price);
}

double run_cents(const struct run *run, int line)
{
    return cents_whole(run->amount[line]);
}

double run_total(const struct run *run, enum side side)
{
    double cents = run->initial_cents[side];

    for (int j = 0; j < run->n_later[side]; j++) {
        long double amount = run->amount[run->later[side][j]];
        if (amount != 0)
            cents += cents_whole(amount);
    }
    return cents / 100 + 0.0;
}

long double run_size(const struct run *run)
{
    long double size = 0;

    for (int i = 0; i < LINES; i++)
        size += fabsl(run->amount[i]);
    return size;
}

long double run_difference(const struct run *run)
{
    long double difference = 0;

    for (int i = 0; i < LINES; i++)
        difference += ownership_lines[i].side == SIDE_BUY ? run->amount[i] : -run->amount[i];
    return difference;
}

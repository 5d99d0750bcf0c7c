#include "estimate/ownership_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MONTHS_PER_YEAR 12.0

static long double times_exact(long double a, long double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static long double monthly_factor(double yearly_ratio)
{
    return powl(1 + (long double)yearly_ratio, 1 / (long double)MONTHS_PER_YEAR);
}

/* The path of that rise, a new one where there is none yet. */
static int path_of(struct run *run, enum side side, double rise, int term)
{
    int i = 0;

    while (i < run->n_paths &&
           (run->paths[i].side != side || run->paths[i].rise != rise || run->paths[i].term != term))
        i++;
    if (i == run->n_paths)
        run->paths[run->n_paths++] = (struct path){
            .side = side, .rise = rise, .term = term, .step = monthly_factor(rise), .now = 1};
    return i;
}

/* What is bought once is bought at first, the rest in proportion to the servers. */
static bool is_staged(const struct line_kind *kind)
{
    return kind->kind == KIND_INITIAL && kind->side == SIDE_BUY && strcmp(kind->unit, "once") != 0;
}

static void start_lines(struct run *run)
{
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        struct entry *entry = &run->entries[i];
        long double amount = times_exact(entry->quantity, entry->price);

        run->first[i] = amount;
        if (kind->kind == KIND_INITIAL)
            run->initial[kind->side] += amount;
        if (is_staged(kind))
            run->second += times_exact(run->plant.second_share, amount);
        if (kind->kind != KIND_MONTHLY && kind->kind != KIND_RENTED)
            continue;
        int term = kind->kind == KIND_RENTED ? run->plant.term_months : 0;
        entry->path = path_of(run, kind->side, entry->rise, term);
        run->paths[entry->path].monthly += amount;
    }
}

/* Lines of which the use of the GPUs is a factor differ while that does. */
static void start_first_phase(struct run *run)
{
    struct ownership in = *run->in;
    struct entry entries[LINES];

    if (in.first_phase_months == 0)
        return;
    in.utilization = in.first_phase_utilization;
    struct plant plant = ownership_plant(&in);
    ownership_entries(&in, &plant, entries);
    for (int i = 0; i < LINES; i++) {
        if (ownership_lines[i].kind != KIND_MONTHLY && ownership_lines[i].kind != KIND_RENTED)
            continue;
        run->phase[i] = (struct phase){entries[i].quantity, entries[i].price,
                                       times_exact(entries[i].quantity, entries[i].price)};
        run->paths[run->entries[i].path].first_monthly += run->phase[i].amount;
    }
}

static void pay(struct money *money, long double amount)
{
    money->paid += amount;
    money->grown += amount;
}

static double financing_rate(const struct ownership *in)
{
    bool cash = strcmp(in->financing, "cash") == 0;

    return cash || isnan(in->financing_interest_ratio) ? in->cost_of_capital
                                                       : in->financing_interest_ratio;
}

/* The equal payments at the end of each of `months` months that are worth 1 now. */
static long double annuity(long double step, int months)
{
    return step == 1 ? 1 / (long double)months : (step - 1) / (1 - powl(step, -months));
}

static void start_debt(struct run *run)
{
    const struct ownership *in = run->in;
    struct debt *debt = &run->debt;

    debt->step = monthly_factor(financing_rate(in));
    if (strcmp(in->financing, "loan") != 0)
        return;
    debt->months = (int)in->loan_months;
    debt->balance =
        times_exact(1 - (long double)in->loan_down_payment_ratio, run->initial[SIDE_BUY]);
    if (debt->months)
        debt->payment = debt->balance * annuity(debt->step, debt->months);
}

/* What servers of that price bring after so many months, net of fees. */
static double worth_after(const struct ownership *in, double price, double months)
{
    return price * pow(in->annual_value_retention, months / MONTHS_PER_YEAR) *
           in->resale_condition_factor * (1 - in->resale_fee_ratio);
}

/* The lessor wants the price of the servers back with interest, from the payments and from what
 * they are worth at the end of the term. */
static void start_lease(struct run *run)
{
    const struct ownership *in = run->in;
    double price = run->plant.hardware;
    int months = (int)in->lease_months;

    if (!ownership_is_leased(in))
        return;
    run->lease_end_value = ownership_times(in->lease_residual_ratio, price);
    run->lease_payment = in->lease_payment_month;
    if (isnan(run->lease_payment))
        run->lease_payment = (price - run->lease_end_value * powl(run->debt.step, -months)) *
                             annuity(run->debt.step, months);
}

void run_start(struct run *run, const struct ownership *in)
{
    *run = (struct run){.in = in, .plant = ownership_plant(in)};
    run->growth = monthly_factor(in->cost_of_capital);
    ownership_entries(in, &run->plant, run->entries);
    start_lines(run);
    start_first_phase(run);
    run->initial[SIDE_BUY] -= run->second;
    start_debt(run);
    start_lease(run);
    pay(&run->money[SIDE_BUY], run->initial[SIDE_BUY] - run->debt.balance);
    run->tax_saved[SIDE_RENT] = times_exact(in->tax_rate, run->initial[SIDE_RENT]);
    pay(&run->money[SIDE_RENT], run->initial[SIDE_RENT] - run->tax_saved[SIDE_RENT]);
}

static void advance_path(struct path *path, int month, long double share, long double first)
{
    if (month > 1 && !path->term)
        path->now *= path->step;
    else if (month > 1 && (month - 1) % path->term == 0)
        path->now *= powl(path->step, path->term);
    path->sum += path->now * share * (1 - first);
    path->first_sum += path->now * share * first;
}

static long double within_month(long double since)
{
    return since <= 0 ? 0 : since >= 1 ? 1 : since;
}

/* Pay the recurring lines of one side for the share of the month that it runs. */
static long double pay_side(struct run *run, enum side side, long double share)
{
    long double first = within_month((long double)run->in->first_phase_months - (run->month - 1));
    long double paid = 0;

    run->running[side] += share * (1 - first);
    run->first_running[side] += share * first;
    for (int i = 0; i < run->n_paths; i++) {
        struct path *path = &run->paths[i];
        if (path->side != side)
            continue;
        advance_path(path, run->month, share, first);
        paid += times_exact(path->monthly, path->now * share * (1 - first)) +
                times_exact(path->first_monthly, path->now * share * first);
    }
    return paid;
}

/* The part of the initial lines that tax lets go this month. */
static long double write_off(struct run *run)
{
    const struct ownership *in = run->in;
    double yearly =
        in->tax_depreciation > 0 ? in->tax_depreciation : MONTHS_PER_YEAR / in->useful_life_months;
    long double left = run->initial[SIDE_BUY] - run->written_off;
    long double part = run->initial[SIDE_BUY] * (long double)yearly / MONTHS_PER_YEAR;

    part = part > left ? left : part;
    run->written_off += part;
    return part;
}

static bool second_bought(const struct run *run)
{
    return run->month >= run->in->second_purchase_month;
}

static long double bought_share(const struct run *run)
{
    return second_bought(run) ? 1 : 1 - run->plant.second_share;
}

/* The share of a month, and of the servers, that have arrived and run. */
static long double share_running(const struct run *run)
{
    const struct ownership *in = run->in;
    long double since = run->month - (long double)in->lead_time_months;
    long double second = run->plant.second_share;

    return (1 - second) * within_month(since) +
           second * within_month(since - (long double)in->second_purchase_month);
}

/* What the second purchase takes in its month. */
static long double pay_second(struct run *run)
{
    if (run->second == 0 || run->month != run->in->second_purchase_month)
        return 0;
    run->initial[SIDE_BUY] += run->second;
    return run->second;
}

/* What the loan takes this month; its interest is counted apart. */
static long double pay_debt(struct debt *debt, int month, long double *interest)
{
    *interest = debt->balance * (debt->step - 1);
    debt->interest += *interest;
    debt->balance += *interest;
    if (!debt->months || month > debt->months)
        return 0;
    long double payment = month == debt->months ? debt->balance : debt->payment;
    debt->balance -= payment;
    return payment;
}

/* A lease that ends in a purchase is paid to the end of its term, one that does not is renewed. */
static long double pay_lease(struct run *run)
{
    bool bought = strcmp(run->in->lease_end, "buyout") == 0;
    int months = (int)run->in->lease_months;

    if (!ownership_is_leased(run->in) || (bought && run->month > months))
        return 0;
    run->leased += run->lease_payment;
    if (!bought || run->month < months)
        return run->lease_payment;
    run->bought_out = run->lease_end_value;
    return run->lease_payment + run->lease_end_value;
}

void run_month(struct run *run)
{
    const struct ownership *in = run->in;
    long double interest;

    run->month++;
    run->money[SIDE_BUY].grown *= run->growth;
    run->money[SIDE_RENT].grown *= run->growth;
    long double rent = pay_side(run, SIDE_RENT, 1);
    long double running = share_running(run);
    long double waited = times_exact(1 - running, rent);
    long double own = pay_side(run, SIDE_BUY, running) + waited + pay_lease(run);
    long double payment = pay_debt(&run->debt, run->month, &interest);

    run->waited += waited;
    long double buy_saves = times_exact(in->tax_rate, own + interest + write_off(run));
    payment += pay_second(run); /* deducted from the next month on, as the first is */
    long double rent_saves = times_exact(in->tax_rate, rent);
    run->tax_saved[SIDE_BUY] += buy_saves;
    run->tax_saved[SIDE_RENT] += rent_saves;
    pay(&run->money[SIDE_BUY], own + payment - buy_saves);
    pay(&run->money[SIDE_RENT], rent - rent_saves);
}

static bool has_servers(const struct run *run)
{
    return !ownership_is_leased(run->in) ||
           (strcmp(run->in->lease_end, "buyout") == 0 && run->month >= run->in->lease_months);
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
               (second_bought(run) ? worth_after(in, second, since) : 0);
    }
    double share = in->residual_value / hardware, time = run->month / in->horizon_months;
    return (double)bought_share(run) * hardware * pow(share, share > 1 ? fmin(time, 1) : time);
}

static double scrapping(const struct run *run)
{
    double cost = ownership_times(run->in->decommissioning_ratio, run->plant.hardware);

    return has_servers(run) ? (double)times_exact(bought_share(run), cost) : 0;
}

static void close_finance(struct run *run)
{
    const struct ownership *in = run->in;
    double sold = resale(run);
    double scrapped = scrapping(run);
    long double loss = run->initial[SIDE_BUY] - run->written_off + scrapped - sold;
    const struct money *own = &run->money[SIDE_BUY], *rent = &run->money[SIDE_RENT];

    run->amount[LINE_BUY_cost_of_capital] = own->grown - own->paid;
    run->amount[LINE_RENT_cost_of_capital] = rent->grown - rent->paid;
    run->amount[LINE_BUY_tax_relief] = -run->tax_saved[SIDE_BUY] - times_exact(in->tax_rate, loss);
    run->amount[LINE_RENT_tax_relief] = -run->tax_saved[SIDE_RENT];
    run->amount[LINE_BUY_decommissioning] = scrapped;
    run->amount[LINE_BUY_residual_value] = -sold;
}

/* Over all months what is `monthly` in month 1, in the first phase `first`. */
static long double months_of(const struct run *run, int line, long double monthly,
                             long double first)
{
    const struct path *path = &run->paths[run->entries[line].path];

    return times_exact(monthly, path->sum) + times_exact(first, path->first_sum);
}

void run_close(struct run *run)
{
    long double bought = bought_share(run);

    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        if (kind->kind == KIND_INITIAL)
            run->amount[i] = is_staged(kind) ? times_exact(run->first[i], bought) : run->first[i];
        else if (kind->kind != KIND_CLOSING)
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
    while (run->month < months)
        run_month(run);
    run_close(run);
}

double run_quantity(const struct run *run, int line)
{
    const struct line_kind *kind = &ownership_lines[line];
    double quantity = run->entries[line].quantity;

    if (kind->kind == KIND_CLOSING)
        return (double)NAN;
    if (strcmp(kind->unit, "ratio") == 0)
        return quantity;
    if (kind->kind == KIND_INITIAL)
        return is_staged(kind) ? (double)times_exact(quantity, bought_share(run)) : quantity;
    return (double)(times_exact(quantity, run->running[kind->side]) +
                    times_exact(run->phase[line].quantity, run->first_running[kind->side]));
}

double run_ratio_base(const struct run *run, int line)
{
    const struct entry *entry = &run->entries[line];

    if (ownership_lines[line].kind == KIND_INITIAL)
        return (double)times_exact(entry->price, bought_share(run));
    return (double)months_of(run, line, entry->price, run->phase[line].price);
}

/* Half-even to whole cents. A tie in decimal counts as one although the inputs are its binary
 * neighbours; beyond 2^52 a double has no cents. */
static double whole_cents(long double amount)
{
    const double integers = 0x1p52;
    long double cents = amount * 100;
    double rounded = (double)cents, size = fabs(rounded);

    if (size >= integers)
        return rounded;
    rounded = copysign(size + integers - integers, rounded); /* half-even, without a call */
    double beyond = (double)(cents - rounded);
    double noise = fmin(1e-9 + 16 * DBL_EPSILON * size, 1e-5);
    if (fabs(fabs(beyond) - 0.5) > noise)
        return rounded;
    double below = beyond > 0 ? rounded : rounded - 1;
    return below + fmod(fabs(below), 2);
}

double ownership_round_cents(double amount)
{
    return whole_cents(amount) / 100 + 0.0; /* + 0.0: no minus zero */
}

double run_amount(const struct run *run, int line)
{
    return whole_cents(run->amount[line]) / 100 + 0.0;
}

double run_total(const struct run *run, enum side side)
{
    double cents = 0;

    for (int i = 0; i < LINES; i++)
        if (ownership_lines[i].side == side)
            cents += whole_cents(run->amount[i]);
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

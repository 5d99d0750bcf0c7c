#include "estimate/ownership/cash_flow.h"

#include <math.h>
#include <string.h>

#define MONTHS_PER_YEAR 12.0

/* The twelfth root, by one step of Newton's from that of a double, which squares its error of
 * 1e-16: powl() takes ten times as long. */
static long double monthly_factor(double yearly_ratio)
{
    if (yearly_ratio == 0)
        return 1;
    long double yearly = 1 + (long double)yearly_ratio;
    long double near = pow((double)yearly, 1 / MONTHS_PER_YEAR);
    long double p2 = near * near, p4 = p2 * p2, p8 = p4 * p4, p11 = p8 * p2 * near;
    return p11 > 0 ? near - (near * p11 - yearly) / ((long double)MONTHS_PER_YEAR * p11) : near;
}

/* The path of that rise, a new one where there is none yet. */
static int path_of(struct run *run, enum side side, double rise, int term)
{
    int i = 0;

    while (i < run->n_paths &&
           (run->paths[i].side != side || run->paths[i].rise != rise || run->paths[i].term != term))
        i++;
    if (i == run->n_paths)
        run->paths[run->n_paths++] = (struct path){.side = side,
                                                   .rise = rise,
                                                   .term = term,
                                                   .step = monthly_factor(rise),
                                                   .now = 1,
                                                   .summed = 1};
    return i;
}

static bool recurs(const struct line_kind *kind)
{
    return kind->kind == KIND_MONTHLY || kind->kind == KIND_RENTED;
}

/* Once, or in month 1. What GPUs are rented for is the question itself: where it is unknown, the
 * bill is unknown for no hours too. */
static long double amount_of(int line, double quantity, double price)
{
    return line == LINE_RENT_gpu_rental && isnan(price) ? (long double)price
                                                        : run_times(quantity, price);
}

static void start_lines(struct run *run, const struct run *like)
{
    for (; like && run->n_paths < like->n_paths; run->n_paths++) {
        const struct path *path = &like->paths[run->n_paths];
        run->paths[run->n_paths] = (struct path){.side = path->side,
                                                 .rise = path->rise,
                                                 .term = path->term,
                                                 .step = path->step,
                                                 .now = 1,
                                                 .summed = 1};
    }
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        struct entry *entry = &run->entries[i];
        long double amount = amount_of(i, entry->quantity, entry->price);

        run->first[i] = amount;
        if (kind->kind == KIND_INITIAL)
            run->initial[kind->side] += amount;
        if (ownership_is_staged(kind))
            run->second += run_times(run->plant.second_share, amount);
        if (!recurs(kind))
            continue;
        int term = kind->kind == KIND_RENTED ? run->plant.term_months : 0;
        entry->path = like ? like->entries[i].path : path_of(run, kind->side, entry->rise, term);
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
        if (!recurs(&ownership_lines[i]))
            continue;
        run->phase[i] = (struct phase){entries[i].quantity, entries[i].price,
                                       amount_of(i, entries[i].quantity, entries[i].price)};
        run->paths[run->entries[i].path].first_monthly += run->phase[i].amount;
    }
}

static void list_lines(struct run *run)
{
    for (int i = 0; i < run->n_paths; i++)
        if (run->paths[i].monthly != 0) {
            enum side side = run->paths[i].side;
            run->paying[side][run->n_paying[side]++] = (unsigned char)i;
        }
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        bool counts = kind->kind == KIND_CLOSING || run->first[i] != 0 || run->phase[i].amount != 0;
        if (counts && kind->kind != KIND_INITIAL)
            run->later[kind->side][run->n_later[kind->side]++] = (unsigned char)i;
    }
}

/* At the end of a month, over which what was paid before has grown. */
static void pay(struct run *run, enum side side, long double amount)
{
    struct money *money = &run->money[side];

    money->paid += amount;
    money->grown = money->grown * run->growth + amount;
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

static void start_debt(struct run *run, const struct run *like)
{
    const struct ownership *in = run->in;
    struct debt *debt = &run->debt;

    double rate = financing_rate(in);
    debt->step = like                          ? like->debt.step
                 : rate == in->cost_of_capital ? run->growth
                                               : monthly_factor(rate);
    if (strcmp(in->financing, "loan") != 0)
        return;
    debt->months = (int)in->loan_months;
    debt->balance = run_times(1 - (long double)in->loan_down_payment_ratio, run->initial[SIDE_BUY]);
    if (debt->months)
        debt->payment = debt->balance * annuity(debt->step, debt->months);
}

/* The lessor wants the price of the servers back with interest, from the payments and from what
 * they are worth at the end of the term. */
static void start_lease(struct run *run)
{
    const struct ownership *in = run->in;
    double price = run->plant.hardware;
    int months = (int)in->lease_months;

    if (!run->is_leased)
        return;
    run->lease_end_value = ownership_times(in->lease_residual_ratio, price);
    run->lease_payment = in->lease_payment_month;
    if (isnan(run->lease_payment))
        run->lease_payment = (price - run->lease_end_value * powl(run->debt.step, -months)) *
                             annuity(run->debt.step, months);
}

/* From then on all servers run, and the first phase is over. */
static long double whole_from(const struct ownership *in, const struct plant *plant)
{
    double second = plant->second_share == 0 ? 0 : in->second_purchase_month;

    return 1 + fmaxl(in->first_phase_months, (long double)in->lead_time_months + second);
}

void run_start_like(struct run *run, const struct ownership *in, const struct run *like)
{
    *run = (struct run){.in = in, .plant = ownership_plant(in), .closed_share = -1, .kept = 1};
    run->whole_from = whole_from(in, &run->plant);
    run->kept_a_month =
        like ? like->kept_a_month : pow(in->annual_value_retention, 1 / MONTHS_PER_YEAR);
    run->is_leased = ownership_is_leased(in);
    run->is_bought_out = strcmp(in->lease_end, "buyout") == 0;
    run->growth = like ? like->growth : monthly_factor(in->cost_of_capital);
    run->scrap_cost = ownership_times(in->decommissioning_ratio, run->plant.hardware);
    run->write_off_ratio =
        in->tax_depreciation > 0 ? in->tax_depreciation : MONTHS_PER_YEAR / in->useful_life_months;
    ownership_entries(in, &run->plant, run->entries);
    start_lines(run, like);
    start_first_phase(run);
    list_lines(run);
    run->initial[SIDE_BUY] -= run->second;
    start_debt(run, like);
    start_lease(run);
    pay(run, SIDE_BUY, run->initial[SIDE_BUY] - run->debt.balance);
    run->tax_saved[SIDE_RENT] = run_times(in->tax_rate, run->initial[SIDE_RENT]);
    pay(run, SIDE_RENT, run->initial[SIDE_RENT] - run->tax_saved[SIDE_RENT]);
}

void run_start(struct run *run, const struct ownership *in)
{
    run_start_like(run, in, NULL);
}

static inline void advance_path(struct path *path, int month)
{
    if (month > 1 && !path->term)
        path->now *= path->step;
    else if (month > 1 && (month - 1) % path->term == 0)
        path->now *= powl(path->step, path->term);
}

static long double within_month(long double since)
{
    return since <= 0 ? 0 : since >= 1 ? 1 : since;
}

/* Pay the recurring lines of one side for a whole month behind the first phase; what the months
 * sum up to is seen to by run_sum_up(). */
static long double pay_whole(struct run *run, enum side side)
{
    long double paid = 0;

    for (int i = 0; i < run->n_paying[side]; i++) {
        struct path *path = &run->paths[run->paying[side][i]];
        advance_path(path, run->month);
        paid += path->monthly * path->now;
    }
    return paid;
}

static void sum_up(struct path *path, int summed, int month, long double growth)
{
    struct path done = *path;

    done.now = path->summed;
    while (summed < month) {
        advance_path(&done, ++summed);
        done.sum += done.now;
        done.grown = done.grown * growth + done.now;
    }
    path->sum = done.sum;
    path->grown = done.grown;
    path->now = path->summed = done.now;
}

void run_sum_up(struct run *run)
{
    for (int i = 0; i < run->n_paths; i++)
        sum_up(&run->paths[i], run->summed, run->month, run->growth);
    run->running[SIDE_BUY] += run->month - run->summed;
    run->running[SIDE_RENT] += run->month - run->summed;
    run->summed = run->month;
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
        advance_path(path, run->month);
        long double now = path->now * share, after = now * (1 - first);
        path->sum += after;
        path->first_sum += now * first;
        path->summed = path->now;
        paid += run_times(path->monthly, after) + run_times(path->first_monthly, now * first);
    }
    return paid;
}

/* The part of the initial lines that tax lets go this month. */
static long double write_off(struct run *run)
{
    long double left = run->initial[SIDE_BUY] - run->written_off;
    long double part = run->initial[SIDE_BUY] * (long double)run->write_off_ratio / MONTHS_PER_YEAR;

    part = part > left ? left : part;
    run->written_off += part;
    return part;
}

/* The share of a month, and of the servers, that have arrived and run. */
static long double share_running(const struct run *run)
{
    const struct ownership *in = run->in;
    long double since = run->month - (long double)in->lead_time_months;
    long double second = run->plant.second_share;

    if (second == 0)
        return within_month(since);
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
    *interest = 0;
    if (debt->balance == 0)
        return 0;
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
    int months = (int)run->in->lease_months;

    if (!run->is_leased || (run->is_bought_out && run->month > months))
        return 0;
    run->leased += run->lease_payment;
    if (!run->is_bought_out || run->month < months)
        return run->lease_payment;
    run->bought_out = run->lease_end_value;
    return run->lease_payment + run->lease_end_value;
}

/* What recurs, of both sides; what runs for a part of the month only is rented until then. */
static void pay_recurring(struct run *run, long double *own, long double *rent)
{
    if (run->month >= run->whole_from) {
        *rent = pay_whole(run, SIDE_RENT);
        *own = pay_whole(run, SIDE_BUY);
        return;
    }
    run->summed = run->month;
    long double running = share_running(run);
    *rent = pay_side(run, SIDE_RENT, 1);
    long double waited = run_times(1 - running, *rent);
    run->waited += waited;
    *own = pay_side(run, SIDE_BUY, running) + waited;
}

/* What tax gives back of a month's costs. */
static long double relief(struct run *run, enum side side, long double costs)
{
    long double saved = run_times(run->in->tax_rate, costs);

    run->tax_saved[side] += saved;
    return saved;
}

void run_month(struct run *run)
{
    bool is_taxed = run->in->tax_rate != 0;
    long double own, rent, interest;

    run->month++;
    run->kept *= run->kept_a_month;
    pay_recurring(run, &own, &rent);
    own += pay_lease(run);
    long double paid = own + pay_debt(&run->debt, run->month, &interest);
    if (is_taxed) {
        paid -= relief(run, SIDE_BUY, own + interest + write_off(run));
        rent -= relief(run, SIDE_RENT, rent);
    }
    paid += pay_second(run); /* deducted from the next month on, as the first is */
    pay(run, SIDE_BUY, paid);
    pay(run, SIDE_RENT, rent);
}

/* Each month of a path costs so much more, as of month 1. */
static void add_to_path(struct run *run, const struct path *path, long double more)
{
    struct money *money = &run->money[path->side];
    long double tax = run->in->tax_rate;

    run->tax_saved[path->side] += tax * more * path->sum;
    money->paid += (1 - tax) * more * path->sum;
    money->grown += (1 - tax) * more * path->grown;
}

bool run_vary(struct run *run, const struct ownership *in, const struct run *at)
{
    if (at->whole_from > 1 || !isfinite(at->money[SIDE_BUY].grown + at->money[SIDE_RENT].grown))
        return false;
    *run = *at;
    run->in = in;
    run->plant = ownership_plant(in);
    run->n_later[SIDE_BUY] = run->n_later[SIDE_RENT] = 0;
    run->n_paying[SIDE_BUY] = run->n_paying[SIDE_RENT] = 0;
    ownership_entries(in, &run->plant, run->entries);
    for (int i = 0; i < run->n_paths; i++)
        run->paths[i].monthly = 0;
    for (int i = 0; i < LINES; i++) {
        struct entry *entry = &run->entries[i];
        if (!recurs(&ownership_lines[i]))
            continue;
        entry->path = at->entries[i].path;
        run->amount[i] = 0;
        run->first[i] = run_times(entry->quantity, entry->price);
        run->paths[entry->path].monthly += run->first[i];
    }
    list_lines(run);
    for (int i = 0; i < run->n_paths; i++)
        add_to_path(run, &run->paths[i], run->paths[i].monthly - at->paths[i].monthly);
    return true;
}

void run_on(struct run *run, int months)
{
    while (run->month < months)
        run_month(run);
}

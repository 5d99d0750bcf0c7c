#include "estimate/ownership_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MONTHS_PER_YEAR 12.0
#define KW_PER_MW 1000.0
#define GB_PER_TB 1000.0
#define KG_PER_TONNE 1000.0

const struct line_kind ownership_lines[LINES] = {
#define INITIAL(key, side, unit, quantity, price, formula) \
    {KIND_INITIAL, SIDE_##side, GROUP_INITIAL, #key, unit, formula},
#define MONTHLY(key, side, unit, quantity, price, rise, formula) \
    {KIND_MONTHLY, SIDE_##side, GROUP_RECURRING, #key, unit, formula},
#define RENTED(key, unit, quantity, price, formula) \
    {KIND_RENTED, SIDE_RENT, GROUP_RECURRING, #key, unit, formula},
#define CLOSING(key, side, group, formula) \
    {KIND_CLOSING, SIDE_##side, GROUP_##group, #key, NULL, formula},
#include "estimate/ownership_lines.def"
};
#undef INITIAL
#undef MONTHLY
#undef RENTED
#undef CLOSING

_Static_assert((int)LINES <= (int)LEDGER_LINES_MAX, "the ledger holds every line");

double ownership_times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

#define times ownership_times

static long double times_exact(long double a, long double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

/* Rounded up, but for what a quotient of decimals is off in binary: 1059 / 35.3 is 30. */
static double whole(double quotient)
{
    return ceil(quotient * (1 - 4 * DBL_EPSILON));
}

/* What the servers draw, without the facility. */
static double kwh_per_month(const struct ownership *in)
{
    double load =
        in->idle_power_ratio + (in->power_load_ratio - in->idle_power_ratio) * in->utilization;

    return in->node_power_kw * ownership_nodes(in) * load * HOURS_PER_MONTH;
}

int ownership_term_months(const char *purchase_option)
{
    if (strcmp(purchase_option, "reserved_1yr") == 0)
        return 12;
    if (strcmp(purchase_option, "reserved_3yr") == 0)
        return 36;
    return strcmp(purchase_option, "capacity_block") == 0 ? 1 : 0;
}

static bool is_leased(const struct ownership *in)
{
    return strcmp(in->financing, "operating_lease") == 0;
}

static void plant_rent(const struct ownership *in, struct plant *plant)
{
    double hours = in->gpu_count * HOURS_PER_MONTH;

    plant->term_months = ownership_term_months(in->purchase_option);
    plant->rented_hours = plant->term_months ? hours : hours * in->utilization;
    plant->idle_hours = hours - plant->rented_hours;
    plant->rent_price = in->rent_price_per_gpu_hour * (1 - in->commitment_discount_ratio) *
                        (1 - in->spot_discount_ratio);
    plant->rent = times(plant->rented_hours, plant->rent_price);
    plant->spot_overhead_ratio =
        strcmp(in->purchase_option, "spot") == 0 ? in->spot_overhead_ratio : 0;
}

static struct plant plant_of(const struct ownership *in)
{
    struct plant plant = {
        .nodes = ownership_nodes(in),
        .hardware = ownership_hardware_cost(in),
        .card_price = in->gpu_card_price,
        .kwh = kwh_per_month(in),
    };

    plant.bought_nodes = is_leased(in) ? 0 : plant.nodes;
    plant.racks = whole(plant.nodes / in->nodes_per_rack);
    plant.peak_kw = in->node_power_kw * plant.nodes;
    if (isnan(plant.card_price))
        plant.card_price = in->server_price * (1 - in->host_share) / in->gpus_per_node;
    plant_rent(in, &plant);
    return plant;
}

static void entries_of(const struct ownership *in, const struct plant *plant,
                       struct entry entries[LINES])
{
    const double follows_rent = -in->rent_price_decline_ratio;
    const double none = (double)NAN;
    const struct entry all[LINES] = {
#define INITIAL(key, side, unit, quantity, price, formula) {quantity, price, none, 0},
#define MONTHLY(key, side, unit, quantity, price, rise, formula) {quantity, price, rise, 0},
#define RENTED(key, unit, quantity, price, formula) {quantity, price, follows_rent, 0},
#define CLOSING(key, side, group, formula) {none, none, none, 0},
#include "estimate/ownership_lines.def"
    };

    memcpy(entries, all, sizeof(all));
}
#undef INITIAL
#undef MONTHLY
#undef RENTED
#undef CLOSING

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

static void start_lines(struct run *run)
{
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        struct entry *entry = &run->entries[i];
        long double amount = times_exact(entry->quantity, entry->price);

        if (kind->kind == KIND_INITIAL)
            run->initial[kind->side] += amount;
        if (kind->kind != KIND_MONTHLY && kind->kind != KIND_RENTED)
            continue;
        int term = kind->kind == KIND_RENTED ? run->plant.term_months : 0;
        entry->path = path_of(run, kind->side, entry->rise, term);
        run->paths[entry->path].monthly += amount;
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

    if (!is_leased(in))
        return;
    run->lease_end_value = times(in->lease_residual_ratio, price);
    run->lease_payment = in->lease_payment_month;
    if (isnan(run->lease_payment))
        run->lease_payment = (price - run->lease_end_value * powl(run->debt.step, -months)) *
                             annuity(run->debt.step, months);
}

void run_start(struct run *run, const struct ownership *in)
{
    *run = (struct run){.in = in, .plant = plant_of(in)};
    run->growth = monthly_factor(in->cost_of_capital);
    entries_of(in, &run->plant, run->entries);
    start_lines(run);
    start_debt(run);
    start_lease(run);
    pay(&run->money[SIDE_BUY], run->initial[SIDE_BUY] - run->debt.balance);
    run->tax_saved[SIDE_RENT] = times_exact(in->tax_rate, run->initial[SIDE_RENT]);
    pay(&run->money[SIDE_RENT], run->initial[SIDE_RENT] - run->tax_saved[SIDE_RENT]);
}

static void advance_path(struct path *path, int month, long double share)
{
    if (month > 1 && !path->term)
        path->now *= path->step;
    else if (month > 1 && (month - 1) % path->term == 0)
        path->now *= powl(path->step, path->term);
    path->sum += path->now * share;
}

/* Pay the recurring lines of one side for the share of the month that it runs. */
static long double pay_side(struct run *run, enum side side, long double share)
{
    long double paid = 0;

    run->running[side] += share;
    for (int i = 0; i < run->n_paths; i++) {
        struct path *path = &run->paths[i];
        if (path->side != side)
            continue;
        advance_path(path, run->month, share);
        paid += times_exact(path->monthly, path->now * share);
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

/* The share of a month in which the servers have arrived and run. */
static long double share_running(const struct ownership *in, int month)
{
    long double since = month - (long double)in->lead_time_months;

    return since <= 0 ? 0 : since >= 1 ? 1 : since;
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

    if (!is_leased(run->in) || (bought && run->month > months))
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
    long double running = share_running(in, ++run->month), interest;

    run->money[SIDE_BUY].grown *= run->growth;
    run->money[SIDE_RENT].grown *= run->growth;
    long double rent = pay_side(run, SIDE_RENT, 1);
    long double waited = times_exact(1 - running, rent);
    long double own = pay_side(run, SIDE_BUY, running) + waited + pay_lease(run);
    long double payment = pay_debt(&run->debt, run->month, &interest);

    run->waited += waited;
    long double buy_saves = times_exact(in->tax_rate, own + interest + write_off(run));
    long double rent_saves = times_exact(in->tax_rate, rent);
    run->tax_saved[SIDE_BUY] += buy_saves;
    run->tax_saved[SIDE_RENT] += rent_saves;
    pay(&run->money[SIDE_BUY], own + payment - buy_saves);
    pay(&run->money[SIDE_RENT], rent - rent_saves);
}

static bool has_servers(const struct run *run)
{
    return !is_leased(run->in) ||
           (strcmp(run->in->lease_end, "buyout") == 0 && run->month >= run->in->lease_months);
}

/* Servers sold after the months run so far, net. Where the caller names the proceeds at the
 * horizon, the way there is the same curve through that point; above the price it stays there. */
static double resale(const struct run *run)
{
    const struct ownership *in = run->in;
    double hardware = run->plant.hardware;

    if (!has_servers(run) || hardware == 0)
        return 0;
    if (isnan(in->residual_value))
        return worth_after(in, hardware, run->month);
    double share = in->residual_value / hardware, time = run->month / in->horizon_months;
    return hardware * pow(share, share > 1 ? fmin(time, 1) : time);
}

static void close_finance(struct run *run)
{
    const struct ownership *in = run->in;
    double sold = resale(run);
    double scrapped = has_servers(run) ? times(in->decommissioning_ratio, run->plant.hardware) : 0;
    long double loss = run->initial[SIDE_BUY] - run->written_off + scrapped - sold;
    const struct money *own = &run->money[SIDE_BUY], *rent = &run->money[SIDE_RENT];

    run->amount[LINE_BUY_cost_of_capital] = own->grown - own->paid;
    run->amount[LINE_RENT_cost_of_capital] = rent->grown - rent->paid;
    run->amount[LINE_BUY_tax_relief] = -run->tax_saved[SIDE_BUY] - times_exact(in->tax_rate, loss);
    run->amount[LINE_RENT_tax_relief] = -run->tax_saved[SIDE_RENT];
    run->amount[LINE_BUY_decommissioning] = scrapped;
    run->amount[LINE_BUY_residual_value] = -sold;
}

void run_close(struct run *run)
{
    for (int i = 0; i < LINES; i++) {
        const struct entry *entry = &run->entries[i];
        enum kind kind = ownership_lines[i].kind;
        if (kind == KIND_INITIAL)
            run->amount[i] = times_exact(entry->quantity, entry->price);
        else if (kind != KIND_CLOSING)
            run->amount[i] = times_exact(times_exact(entry->quantity, run->paths[entry->path].sum),
                                         entry->price);
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
    if (kind->kind == KIND_INITIAL || strcmp(kind->unit, "ratio") == 0)
        return quantity;
    return (double)times_exact(quantity, run->running[kind->side]);
}

double run_ratio_base(const struct run *run, int line)
{
    const struct entry *entry = &run->entries[line];

    if (ownership_lines[line].kind == KIND_INITIAL)
        return entry->price;
    return (double)times_exact(entry->price, run->paths[entry->path].sum);
}

/* Half-even to cents. A tie in decimal counts as one although the inputs are its binary
 * neighbours. */
static long double round_cents(long double amount)
{
    long double cents = amount * 100, below = floorl(cents);
    long double noise = 1e-9L + 2 * DBL_EPSILON * fabsl(cents);

    if (fabsl(cents - below - 0.5L) <= noise)
        return below + fmodl(fabsl(below), 2);
    return nearbyintl(cents);
}

double ownership_round_cents(double amount)
{
    return (double)(round_cents(amount) / 100) + 0.0; /* + 0.0: no minus zero */
}

double run_amount(const struct run *run, int line)
{
    return (double)(round_cents(run->amount[line]) / 100) + 0.0;
}

double run_total(const struct run *run, enum side side)
{
    long double cents = 0;

    for (int i = 0; i < LINES; i++)
        if (ownership_lines[i].side == side)
            cents += round_cents(run->amount[i]);
    return (double)(cents / 100) + 0.0;
}

long double run_difference(const struct run *run)
{
    long double difference = 0;

    for (int i = 0; i < LINES; i++)
        difference += ownership_lines[i].side == SIDE_BUY ? run->amount[i] : -run->amount[i];
    return difference;
}

#include "estimate/ownership.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MONTHS_PER_YEAR 12.0
#define KW_PER_MW 1000.0
#define GB_PER_TB 1000.0
#define KG_PER_TONNE 1000.0

enum side { SIDE_BUY, SIDE_RENT, SIDES };
enum group { GROUP_INITIAL, GROUP_RECURRING, GROUP_OPPORTUNITY, GROUP_PROCEEDS };
enum kind { KIND_INITIAL, KIND_MONTHLY, KIND_RENTED, KIND_CLOSING };

/* What follows from the inputs and is needed by more than one line. */
struct plant {
    double nodes, racks;
    double hardware;   /* servers bought: what ratios are of */
    double card_price; /* of one GPU */
    double peak_kw, kwh;
    double rented_hours, idle_hours; /* GPU-hours a month */
    double rent_price, rent;         /* per GPU-hour and a month, in month 1 */
    double spot_overhead_ratio;
    int term_months; /* the rent price holds this long; 0: no term */
};

/* Nothing of a thing of unknown price costs nothing. */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

double ownership_round_cents(double amount)
{
    double cents = amount * 100, below = floor(cents);
    double noise = 1e-6 + 4 * DBL_EPSILON * fabs(cents);

    if (fabs(cents - below - 0.5) <= noise)
        return (below + fmod(fabs(below), 2)) / 100 + 0.0;
    return nearbyint(cents) / 100 + 0.0; /* + 0.0: no minus zero */
}

double ownership_nodes(const struct ownership *in)
{
    return ceil(in->gpu_count / in->gpus_per_node);
}

double ownership_hardware_cost(const struct ownership *in)
{
    return times(ownership_nodes(in), in->server_price);
}

/* What the servers draw, without the facility. */
static double kwh_per_month(const struct ownership *in)
{
    double load =
        in->idle_power_ratio + (in->power_load_ratio - in->idle_power_ratio) * in->utilization;

    return in->node_power_kw * ownership_nodes(in) * load * HOURS_PER_MONTH;
}

/* Months for which a reservation's price holds; a capacity block is paid month by month. */
static int term_of(const char *purchase_option)
{
    if (strcmp(purchase_option, "reserved_1yr") == 0)
        return 12;
    if (strcmp(purchase_option, "reserved_3yr") == 0)
        return 36;
    return strcmp(purchase_option, "capacity_block") == 0 ? 1 : 0;
}

static void plant_rent(const struct ownership *in, struct plant *plant)
{
    double hours = in->gpu_count * HOURS_PER_MONTH;

    plant->term_months = term_of(in->purchase_option);
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

    plant.racks = ceil(plant.nodes / in->nodes_per_rack);
    plant.peak_kw = in->node_power_kw * plant.nodes;
    if (isnan(plant.card_price))
        plant.card_price = in->server_price * (1 - in->host_share) / in->gpus_per_node;
    plant_rent(in, &plant);
    return plant;
}

enum line {
#define INITIAL(key, side, unit, quantity, price, formula) LINE_##side##_##key,
#define MONTHLY(key, side, unit, quantity, price, rise, formula) LINE_##side##_##key,
#define RENTED(key, unit, quantity, price, formula) LINE_RENT_##key,
#define CLOSING(key, side, group, formula) LINE_##side##_##key,
#include "estimate/ownership_lines.def"
    LINES
};
#undef INITIAL
#undef MONTHLY
#undef RENTED
#undef CLOSING

static const struct line_kind {
    enum kind kind;
    enum side side;
    enum group group;
    const char *key, *unit, *formula;
} kinds[] = {
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

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) <= LEDGER_LINES_MAX, "the ledger holds every line");

struct entry {
    double quantity, price, rise; /* once or a month; of month 1; of the price, a year */
};

static void entries_of(const struct ownership *in, const struct plant *plant,
                       struct entry entries[LINES])
{
    const double follows_rent = -in->rent_price_decline_ratio;
    const double none = (double)NAN;
    const struct entry all[LINES] = {
#define INITIAL(key, side, unit, quantity, price, formula) {quantity, price, none},
#define MONTHLY(key, side, unit, quantity, price, rise, formula) {quantity, price, rise},
#define RENTED(key, unit, quantity, price, formula) {quantity, price, follows_rent},
#define CLOSING(key, side, group, formula) {none, none, none},
#include "estimate/ownership_lines.def"
    };

    memcpy(entries, all, sizeof(all));
}
#undef INITIAL
#undef MONTHLY
#undef RENTED
#undef CLOSING

/* Money of one side so far: what was paid, and what it has grown to at the cost of capital. */
struct account {
    double paid, grown;
};

static void account_pay(struct account *account, double amount)
{
    account->paid += amount;
    account->grown += amount;
}

/* Both sides, month by month. */
struct run {
    const struct ownership *in;
    struct plant plant;
    struct entry entries[LINES];
    int month;
    double amount[LINES], quantity[LINES]; /* so far */
    double base[LINES];                    /* price over time: what a ratio is of */
    struct account invested;               /* buy: the initial lines, at the financing rate */
    struct account running[SIDES];         /* the rest, at the cost of capital */
    double growth, financing_growth;       /* a month's factor */
    double initial[SIDES];
    double tax_saved[SIDES], written_off;
};

static double monthly_factor(double yearly_ratio)
{
    return pow(1 + yearly_ratio, 1 / MONTHS_PER_YEAR);
}

static double financing_rate(const struct ownership *in)
{
    bool cash = strcmp(in->financing, "cash") == 0;

    return cash || isnan(in->financing_interest_ratio) ? in->cost_of_capital
                                                       : in->financing_interest_ratio;
}

static void run_start(struct run *run, const struct ownership *in)
{
    *run = (struct run){.in = in, .plant = plant_of(in)};
    run->growth = monthly_factor(in->cost_of_capital);
    run->financing_growth = monthly_factor(financing_rate(in));
    entries_of(in, &run->plant, run->entries);
    for (int i = 0; i < LINES; i++) {
        if (kinds[i].kind != KIND_INITIAL)
            continue;
        run->quantity[i] = run->entries[i].quantity;
        run->base[i] = run->entries[i].price;
        run->amount[i] = times(run->quantity[i], run->base[i]);
        run->initial[kinds[i].side] += run->amount[i];
    }
    account_pay(&run->invested, run->initial[SIDE_BUY]);
    run->tax_saved[SIDE_RENT] = times(in->tax_rate, run->initial[SIDE_RENT]);
    account_pay(&run->running[SIDE_RENT], run->initial[SIDE_RENT] - run->tax_saved[SIDE_RENT]);
}

/* What a price of month 1 has become in this month. */
static double price_factor(const struct run *run, int line)
{
    int months = run->month - 1, term = run->plant.term_months;
    double rise = run->entries[line].rise;

    if (kinds[line].kind == KIND_RENTED && term)
        months -= months % term;
    return rise == 0 || months == 0 ? 1 : pow(1 + rise, months / MONTHS_PER_YEAR);
}

/* Pay the recurring lines of one side for the share of the month that it runs. */
static double pay_side(struct run *run, enum side side, double share)
{
    double paid = 0;

    for (int i = 0; i < LINES; i++) {
        bool recurring = kinds[i].kind == KIND_MONTHLY || kinds[i].kind == KIND_RENTED;
        if (kinds[i].side != side || !recurring)
            continue;
        double price = run->entries[i].price * price_factor(run, i) * share;
        double amount = times(run->entries[i].quantity, price);
        run->quantity[i] += run->entries[i].quantity * share;
        run->base[i] += price;
        run->amount[i] += amount;
        paid += amount;
    }
    return paid;
}

/* The part of the initial lines that tax lets go this month. */
static double write_off(struct run *run)
{
    const struct ownership *in = run->in;
    double yearly =
        in->tax_depreciation > 0 ? in->tax_depreciation : MONTHS_PER_YEAR / in->useful_life_months;
    double left = run->initial[SIDE_BUY] - run->written_off;
    double part = fmin(left, run->initial[SIDE_BUY] * yearly / MONTHS_PER_YEAR);

    run->written_off += part;
    return part;
}

/* The share of a month in which the servers have arrived and run. */
static double share_running(const struct ownership *in, int month)
{
    double since = month - in->lead_time_months;

    return since <= 0 ? 0 : since >= 1 ? 1 : since;
}

static void run_month(struct run *run)
{
    const struct ownership *in = run->in;
    double running = share_running(in, ++run->month);

    run->invested.grown *= run->financing_growth;
    run->running[SIDE_BUY].grown *= run->growth;
    run->running[SIDE_RENT].grown *= run->growth;
    double rent = pay_side(run, SIDE_RENT, 1);
    double meanwhile = times(1 - running, rent);
    double own = pay_side(run, SIDE_BUY, running) + meanwhile;
    run->amount[LINE_BUY_lead_time_rental] += meanwhile;

    double buy_saves = times(in->tax_rate, own + write_off(run));
    double rent_saves = times(in->tax_rate, rent);
    run->tax_saved[SIDE_BUY] += buy_saves;
    run->tax_saved[SIDE_RENT] += rent_saves;
    account_pay(&run->running[SIDE_BUY], own - buy_saves);
    account_pay(&run->running[SIDE_RENT], rent - rent_saves);
}

/* Servers sold after the months run so far, net. Where the caller names the proceeds at the
 * horizon, the way there is the same curve through that point. */
static double resale(const struct run *run)
{
    const struct ownership *in = run->in;
    double years = run->month / MONTHS_PER_YEAR, hardware = run->plant.hardware;

    if (strcmp(in->financing, "operating_lease") == 0 || hardware == 0)
        return 0;
    if (!isnan(in->residual_value))
        return hardware * pow(in->residual_value / hardware, run->month / in->horizon_months);
    return hardware * pow(in->annual_value_retention, years) * in->resale_condition_factor *
           (1 - in->resale_fee_ratio);
}

/* The lines that are worked out as if all ended with this month. */
static void run_close(struct run *run)
{
    const struct ownership *in = run->in;
    bool leased = strcmp(in->financing, "operating_lease") == 0;
    double sold = resale(run);
    double scrapped = leased ? 0 : times(in->decommissioning_ratio, run->plant.hardware);
    double loss = run->initial[SIDE_BUY] - run->written_off + scrapped - sold;

    run->amount[LINE_BUY_cost_of_capital] = run->invested.grown - run->invested.paid +
                                            run->running[SIDE_BUY].grown -
                                            run->running[SIDE_BUY].paid;
    run->amount[LINE_RENT_cost_of_capital] =
        run->running[SIDE_RENT].grown - run->running[SIDE_RENT].paid;
    run->amount[LINE_BUY_tax_relief] = -run->tax_saved[SIDE_BUY] - times(in->tax_rate, loss);
    run->amount[LINE_RENT_tax_relief] = -run->tax_saved[SIDE_RENT];
    run->amount[LINE_BUY_decommissioning] = scrapped;
    run->amount[LINE_BUY_residual_value] = -sold;
}

static double run_total(const struct run *run, enum side side)
{
    double cents = 0;

    for (int i = 0; i < LINES; i++)
        if (kinds[i].side == side)
            cents += nearbyint(ownership_round_cents(run->amount[i]) * 100);
    return cents / 100;
}

static struct ledger_line run_line(const struct run *run, int i)
{
    static const char *const sides[] = {"buy", "rent"};
    static const char *const groups[] = {"initial", "recurring", "opportunity", "proceeds"};
    const struct line_kind *kind = &kinds[i];
    const struct entry *entry = &run->entries[i];
    struct ledger_line line = {
        .side = sides[kind->side],
        .group = groups[kind->group],
        .key = kind->key,
        .unit = kind->unit,
        .formula = kind->formula,
        .quantity = kind->kind == KIND_CLOSING ? (double)NAN : run->quantity[i],
        .unit_price = entry->price,
        .yearly_change = entry->rise,
        .amount = ownership_round_cents(run->amount[i]),
    };

    if (kind->unit && strcmp(kind->unit, "ratio") == 0) {
        line.quantity = entry->quantity;
        line.unit_price = run->base[i];
    }
    return line;
}

static void run_to(struct run *run, const struct ownership *in, int months)
{
    run_start(run, in);
    while (run->month < months)
        run_month(run);
    run_close(run);
}

void ownership_ledger(const struct ownership *in, int months, struct ledger *ledger)
{
    struct run run;

    run_to(&run, in, months);
    ledger->n = LINES;
    for (int i = 0; i < LINES; i++)
        ledger->lines[i] = run_line(&run, i);
    ledger->buy_total = run_total(&run, SIDE_BUY);
    ledger->rent_total = run_total(&run, SIDE_RENT);
}

void ownership_totals(const struct ownership *in, int months, double buy[], double rent[])
{
    struct run run;

    run_start(&run, in);
    for (;;) {
        run_close(&run);
        buy[run.month] = run_total(&run, SIDE_BUY);
        rent[run.month] = run_total(&run, SIDE_RENT);
        if (run.month >= months)
            return;
        run_month(&run);
    }
}

double ownership_difference(const struct ownership *in, int months)
{
    struct run run;
    double difference = 0;

    run_to(&run, in, months);
    for (int i = 0; i < LINES; i++)
        difference += kinds[i].side == SIDE_BUY ? run.amount[i] : -run.amount[i];
    return difference;
}

double ownership_useful_gpu_hours(const struct ownership *in, int months)
{
    return in->gpu_count * HOURS_PER_MONTH * months * in->utilization * in->goodput;
}

double ownership_cost_per_useful_gpu_hour(const struct ownership *in)
{
    int months = (int)in->useful_life_months;
    double hours = ownership_useful_gpu_hours(in, months);
    struct run run;

    run_to(&run, in, months);
    return hours > 0 ? run_total(&run, SIDE_BUY) / hours : (double)NAN;
}

double ownership_book_value(const struct ownership *in, int months)
{
    double hardware = ownership_hardware_cost(in), life = in->useful_life_months;

    if (strcmp(in->depreciation_method, "declining") == 0) /* double-declining balance */
        return hardware * pow(fmax(1 - 2 * MONTHS_PER_YEAR / life, 0), months / MONTHS_PER_YEAR);
    return hardware * fmax(1 - months / life, 0);
}

double ownership_idle_cost(const struct ownership *in, int months)
{
    struct ownership idle = *in;
    struct run run;

    idle.utilization = 0;
    run_to(&run, &idle, months);
    return times(1 - in->utilization, run_total(&run, SIDE_BUY));
}

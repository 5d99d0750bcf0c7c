#include "estimate/ownership/cash_flow.h"

#include "base/units.h"
#include "estimate/ownership/depreciation.h"
#include "estimate/ownership/lease.h"
#include "estimate/ownership/releases.h"
#include "estimate/ownership/replacement.h"

#include <math.h>
#include <string.h>

/* A path of the same growth, before month 1. */
static struct path path_anew(const struct path *path)
{
    struct path anew = *path;

    anew.monthly = anew.first_monthly = anew.sum = anew.first_sum = anew.grown = 0;
    anew.now = anew.summed = 1;
    return anew;
}

/* The index of the path of that growth rate, created on first use. */
static int path_of(struct cash_flow *flow, enum side side, double rise, int term, bool rented)
{
    int i = 0;

    while (i < flow->n_paths && (flow->paths[i].side != side || flow->paths[i].rise != rise ||
                                 flow->paths[i].term != term || flow->paths[i].rented != rented))
        i++;
    if (i == flow->n_paths)
        flow->paths[flow->n_paths++] = (struct path){
            side, rented, rise, term, .step = lease_monthly_factor(rise), .now = 1, .summed = 1};
    return i;
}

static bool recurs(const struct line_kind *kind)
{
    return kind->kind == KIND_MONTHLY || kind->kind == KIND_RENTED;
}

/* For month 1 only. The rent price is the question itself: if it is unknown, the bill is unknown
 * even for zero hours. */
static long double amount_of(int line, double quantity, double price)
{
    return line == LINE_RENT_gpu_rental && isnan(price) ? (long double)price
                                                        : cash_flow_times(quantity, price);
}

/* Month 1 of every line; the paths are taken from `like`, whose lines grow alike, or NULL. */
static void start_lines(struct cash_flow *flow, const struct cash_flow *like)
{
    for (; like && flow->n_paths < like->n_paths; flow->n_paths++)
        flow->paths[flow->n_paths] = path_anew(&like->paths[flow->n_paths]);
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        struct entry *entry = &flow->entries[i];
        long double amount =
            flow->skips[kind->side] ? 0 : amount_of(i, entry->quantity, entry->price);

        flow->first[i] = amount;
        if (kind->kind == KIND_INITIAL)
            flow->initial[kind->side] += amount;
        if (ownership_is_staged(kind))
            flow->second += cash_flow_times(flow->facility.second_share, amount);
        if (!recurs(kind))
            continue;
        bool rented = kind->kind == KIND_RENTED;
        int term = rented ? flow->facility.term_months : 0;
        entry->path =
            like ? like->entries[i].path
                 : path_of(flow, kind->side, entry->rise, term, rented && releases_count(flow->in));
        flow->paths[entry->path].monthly += amount;
        if (kind->kind == KIND_RENTED)
            flow->rented += amount;
    }
}

/* Lines that depend on utilization differ in the first phase. */
static void start_first_phase(struct cash_flow *flow)
{
    struct ownership in = *flow->in;
    struct entry entries[LINES];

    if (in.first_phase_months == 0)
        return;
    in.utilization = in.first_phase_utilization;
    in.rented_ratio = (double)NAN; /* the schedule applies only after the first phase */
    struct facility facility = ownership_facility(&in);
    ownership_entries(&in, &facility, entries);
    for (int i = 0; i < LINES; i++) {
        if (!recurs(&ownership_lines[i]))
            continue;
        flow->phase[i] = (struct phase){entries[i].quantity, entries[i].price,
                                        amount_of(i, entries[i].quantity, entries[i].price)};
        flow->paths[flow->entries[i].path].first_monthly += flow->phase[i].amount;
        if (ownership_lines[i].kind == KIND_RENTED)
            flow->first_rented += flow->phase[i].amount;
    }
}

/* List the paths that cost something, and the lines after the initial ones that can be non-zero. */
static void list_lines(struct cash_flow *flow)
{
    for (int i = 0; i < flow->n_paths; i++)
        if (flow->paths[i].monthly != 0) {
            enum side side = flow->paths[i].side;
            flow->paying[side][flow->n_paying[side]++] = (unsigned char)i;
        }
    for (int i = 0; i < LINES; i++) {
        const struct line_kind *kind = &ownership_lines[i];
        bool counts =
            kind->kind == KIND_CLOSING || flow->first[i] != 0 || flow->phase[i].amount != 0;
        if (counts && kind->kind != KIND_INITIAL)
            flow->later[kind->side][flow->n_later[kind->side]++] = (unsigned char)i;
    }
}

/* Payments are made at the end of a month, during which earlier payments earn interest. */
static void pay(struct cash_flow *flow, enum side side, long double amount)
{
    struct money *money = &flow->money[side];

    money->paid += amount;
    money->grown = money->grown * flow->growth + amount;
}

static void start_debt(struct cash_flow *flow, const struct cash_flow *like)
{
    const struct ownership *in = flow->in;
    struct debt *debt = &flow->debt;
    double rate = lease_interest_ratio(in);

    debt->step = like                          ? like->debt.step
                 : rate == in->cost_of_capital ? flow->growth
                                               : lease_monthly_factor(rate);
    if (lease_is_finance(in)) { /* the last payment includes the purchase option */
        debt->months = (int)in->lease_months;
        debt->balance = flow->first[LINE_BUY_gpu_servers];
        debt->payment = debt->balance == 0 ? 0 : lease_payment(in);
    }
    if (!cash_flow_same_word(in->financing, "loan"))
        return;
    debt->months = (int)in->loan_months;
    debt->balance =
        cash_flow_times(1 - (long double)in->loan_down_payment_ratio, flow->initial[SIDE_BUY]);
    if (debt->months)
        debt->payment = debt->balance * lease_annuity(debt->step, debt->months);
}

/* The lessor recovers the price of the servers with interest from the payments and from their
 * value at the end of the term. */
static void start_lease(struct cash_flow *flow)
{
    if (!flow->is_leased)
        return;
    flow->lease_end_value = lease_option_price(flow->in);
    flow->lease_payment = lease_payment(flow->in);
}

/* The month from which all servers run and the first phase is over. */
static long double whole_from(const struct ownership *in, const struct facility *facility)
{
    double second = facility->second_share == 0 ? 0 : in->second_purchase_month;

    return 1 + fmaxl(in->first_phase_months, (long double)in->lead_time_months + second);
}

static void start(struct cash_flow *flow, const struct ownership *in, const struct cash_flow *like,
                  enum side only)
{
    *flow = (struct cash_flow){
        .in = in, .facility = ownership_facility(in), .closed_share = -1, .kept = 1};
    flow->whole_from = whole_from(in, &flow->facility);
    flow->skips[SIDE_BUY] = only == SIDE_RENT;
    flow->skips[SIDE_RENT] = only == SIDE_BUY && flow->whole_from <= 1; /* else rents until then */
    flow->kept_a_month =
        like ? like->kept_a_month : pow(in->annual_value_retention, 1 / MONTHS_PER_YEAR);
    flow->is_leased = lease_is_operating(in);
    flow->is_bought_out = flow->is_leased && strcmp(in->lease_end, "buyout") == 0;
    flow->growth = like ? like->growth : lease_monthly_factor(in->cost_of_capital);
    flow->scrap_cost = ownership_times(in->decommissioning_ratio, flow->facility.as_new);
    ownership_entries(in, &flow->facility, flow->entries);
    start_lines(flow, like);
    start_first_phase(flow);
    list_lines(flow);
    flow->initial[SIDE_BUY] -= flow->second;
    start_debt(flow, like);
    start_lease(flow);
    pay(flow, SIDE_BUY, flow->initial[SIDE_BUY] - flow->debt.balance);
    flow->tax_saved[SIDE_RENT] = cash_flow_times(in->tax_rate, flow->initial[SIDE_RENT]);
    pay(flow, SIDE_RENT, flow->initial[SIDE_RENT] - flow->tax_saved[SIDE_RENT]);
}

void cash_flow_start_like(struct cash_flow *flow, const struct ownership *in,
                          const struct cash_flow *like)
{
    start(flow, in, like, SIDES);
}

void cash_flow_start_side(struct cash_flow *flow, const struct ownership *in, enum side side)
{
    start(flow, in, NULL, side);
}

/* Apply the growth that is due at the beginning of the month. */
static inline void advance_path(struct path *path, int month, const struct ownership *in)
{
    int held = path->term ? path->term : 1; /* months for which the price is fixed */

    if (month == 1 || (month - 1) % held != 0)
        return;
    path->now *= path->term ? powl(path->step, path->term) : path->step;
    if (path->rented)
        path->now *= releases_factor(in, month - 1) / releases_factor(in, month - 1 - held);
}

/* The fraction of a month that `since` months cover: 0 before it, 1 after it. */
static long double within_month(long double since)
{
    /* In binary 36 - 35.95 is 0.05 only to 14 digits, which could change a tie of half a cent. */
    const long double parts = 1e12L;

    return since <= 0 ? 0 : since >= 1 ? 1 : roundl(since * parts) / parts;
}

/* Pay the recurring lines of one side for a whole month after the first phase;
 * cash_flow_sum_up() adds up the months. */
static long double pay_whole(struct cash_flow *flow, enum side side)
{
    long double paid = 0;

    for (int i = 0; i < flow->n_paying[side]; i++) {
        struct path *path = &flow->paths[flow->paying[side][i]];
        advance_path(path, flow->month, flow->in);
        paid += path->monthly * path->now;
    }
    return paid;
}

static void sum_up(const struct cash_flow *flow, struct path *path)
{
    struct path done = *path;

    done.now = path->summed;
    for (int summed = flow->summed; summed < flow->month;) {
        advance_path(&done, ++summed, flow->in);
        done.sum += done.now;
        done.grown = done.grown * flow->growth + done.now;
    }
    path->sum = done.sum;
    path->grown = done.grown;
    path->now = path->summed = done.now;
}

void cash_flow_sum_up(struct cash_flow *flow)
{
    for (int i = 0; i < flow->n_paths; i++)
        if (!flow->skips[flow->paths[i].side])
            sum_up(flow, &flow->paths[i]);
    flow->running[SIDE_BUY] += flow->month - flow->summed;
    flow->running[SIDE_RENT] += flow->month - flow->summed;
    flow->summed = flow->month;
}

/* Pay the recurring lines of one side for the fraction of the month that it runs. */
static long double pay_side(struct cash_flow *flow, enum side side, long double share)
{
    long double first = within_month((long double)flow->in->first_phase_months - (flow->month - 1));
    long double paid = 0;

    flow->running[side] += share * (1 - first);
    flow->first_running[side] += share * first;
    for (int i = 0; i < flow->n_paths; i++) {
        struct path *path = &flow->paths[i];
        if (path->side != side)
            continue;
        advance_path(path, flow->month, flow->in);
        long double now = path->now * share, after = now * (1 - first);
        path->sum += after;
        path->first_sum += now * first;
        path->summed = path->now;
        paid += cash_flow_times(path->monthly, after) +
                cash_flow_times(path->first_monthly, now * first);
    }
    return paid;
}

/* Tax depreciation of the initial lines this month; a second purchase is depreciated by its own
 * age. */
static long double write_off(struct cash_flow *flow)
{
    const struct ownership *in = flow->in;
    int since = flow->month - (int)in->second_purchase_month;
    bool has_second = flow->second != 0 && since > 0;
    long double second = has_second ? flow->second : 0;
    long double so_far =
        cash_flow_times(flow->initial[SIDE_BUY] - second, depreciation_share(in, flow->month)) +
        cash_flow_times(second, has_second ? depreciation_share(in, since) : 0);
    long double part = so_far - flow->written_off;

    flow->written_off = so_far;
    return part;
}

/* The fraction of the month, and of the servers, in operation. */
static long double share_running(const struct cash_flow *flow)
{
    const struct ownership *in = flow->in;
    long double since = flow->month - (long double)in->lead_time_months;
    long double second = flow->facility.second_share;

    if (second == 0)
        return within_month(since);
    return (1 - second) * within_month(since) +
           second * within_month(since - (long double)in->second_purchase_month);
}

/* Pay the second purchase in its month. */
static long double pay_second(struct cash_flow *flow)
{
    if (flow->second == 0 || flow->month != flow->in->second_purchase_month)
        return 0;
    flow->initial[SIDE_BUY] += flow->second;
    return flow->second;
}

/* This month's loan payment; its interest is recorded separately. */
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

/* A lease that ends in a purchase is paid to the end of its term; otherwise it is renewed. */
static long double pay_lease(struct cash_flow *flow)
{
    int months = (int)flow->in->lease_months;

    if (!flow->is_leased || (flow->is_bought_out && flow->month > months))
        return 0;
    flow->leased += flow->lease_payment;
    if (!flow->is_bought_out || flow->month < months)
        return flow->lease_payment;
    flow->bought_out = flow->lease_end_value;
    return flow->lease_payment + flow->lease_end_value;
}

/* Due at the horizon: a share of the payments for the remaining months of the term. */
static long double leave_lease(struct cash_flow *flow)
{
    if (!flow->is_leased || flow->month != (int)flow->in->horizon_months)
        return 0;
    flow->lease_exit = cash_flow_times(lease_exit_months(flow->in), flow->lease_payment);
    return flow->lease_exit;
}

/* The month's rent including extras, whichever side pays it. */
static long double rent_of_month(const struct cash_flow *flow)
{
    long double first = within_month((long double)flow->in->first_phase_months - (flow->month - 1));
    long double now = flow->paths[flow->entries[LINE_RENT_gpu_rental].path].now;

    return cash_flow_times(flow->rented, now * (1 - first)) +
           cash_flow_times(flow->first_rented, now * first);
}

/* The part of this month's rent, times `share`, and of a penalty that is paid with credits. */
static long double spend_credits(struct cash_flow *flow, enum side side, long double share,
                                 long double penalty)
{
    const struct ownership *in = flow->in;
    bool expired = in->cloud_credits_months > 0 && flow->month > in->cloud_credits_months;

    if (in->cloud_credits == 0 || expired)
        return 0;
    long double left = in->cloud_credits - flow->credited[side];
    long double rent = cash_flow_times(share, rent_of_month(flow)) + penalty;
    long double spent = isnan(rent) ? rent : fminl(left, rent);
    flow->credited[side] += spent;
    return spent;
}

/* Pay the recurring lines of both sides; GPUs are rented for the part of a month before servers
 * run. */
static void pay_recurring(struct cash_flow *flow, long double *own, long double *rent)
{
    if (flow->month >= flow->whole_from) {
        *rent = flow->skips[SIDE_RENT] ? 0 : pay_whole(flow, SIDE_RENT);
        *own = flow->skips[SIDE_BUY] ? 0 : pay_whole(flow, SIDE_BUY);
        return;
    }
    flow->summed = flow->month;
    long double running = share_running(flow);
    *rent = pay_side(flow, SIDE_RENT, 1);
    long double waited = cash_flow_times(1 - running, *rent);
    flow->waited += waited;
    *own = pay_side(flow, SIDE_BUY, running) + waited;
    *own -= spend_credits(flow, SIDE_BUY, 1 - running, 0);
}

/* Due at the horizon: a fraction of the rent for the remaining months of the term. */
static long double leave_commitment(struct cash_flow *flow)
{
    long double rent = flow->first[LINE_RENT_gpu_rental];

    if (flow->month != (int)flow->in->horizon_months)
        return 0;
    flow->commitment_exit = cash_flow_times(ownership_exit_months(flow->in), rent);
    return flow->commitment_exit;
}

/* The tax relief on a month's costs. */
static long double relief(struct cash_flow *flow, enum side side, long double costs)
{
    long double saved = cash_flow_times(flow->in->tax_rate, costs);

    flow->tax_saved[side] += saved;
    return saved;
}

void cash_flow_month(struct cash_flow *flow)
{
    bool is_taxed = flow->in->tax_rate != 0;
    long double own, rent, interest;

    flow->month++;
    flow->kept *= flow->kept_a_month;
    pay_recurring(flow, &own, &rent);
    if (!flow->skips[SIDE_BUY]) {
        own += pay_lease(flow) + leave_lease(flow);
        long double paid = own + pay_debt(&flow->debt, flow->month, &interest);
        if (is_taxed)
            paid -= relief(flow, SIDE_BUY, own + interest + write_off(flow));
        paid += replacement_pay(flow);
        paid += pay_second(flow); /* deducted from the next month on, like the first purchase */
        pay(flow, SIDE_BUY, paid);
    }
    if (!flow->skips[SIDE_RENT]) {
        long double left_early = leave_commitment(flow);
        rent += left_early - spend_credits(flow, SIDE_RENT, 1, left_early);
        if (is_taxed)
            rent -= relief(flow, SIDE_RENT, rent);
        pay(flow, SIDE_RENT, rent);
    }
}

/* Add `more`, a change of month 1's cost, to all months by the cumulative growth of its path. */
static void add_to_path(struct cash_flow *flow, const struct path *path, long double more)
{
    struct money *money = &flow->money[path->side];
    long double tax = flow->in->tax_rate;

    flow->tax_saved[path->side] += tax * more * path->sum;
    money->paid += (1 - tax) * more * path->sum;
    money->grown += (1 - tax) * more * path->grown;
}

bool cash_flow_vary(struct cash_flow *flow, const struct ownership *in, const struct cash_flow *at)
{
    if (at->whole_from > 1 || ownership_exit_months(in) > 0 || in->cloud_credits != 0 ||
        !isfinite(at->money[SIDE_BUY].grown + at->money[SIDE_RENT].grown))
        return false;
    *flow = *at;
    flow->in = in;
    flow->facility = ownership_facility(in);
    flow->n_later[SIDE_BUY] = flow->n_later[SIDE_RENT] = 0;
    flow->n_paying[SIDE_BUY] = flow->n_paying[SIDE_RENT] = 0;
    ownership_entries(in, &flow->facility, flow->entries);
    for (int i = 0; i < flow->n_paths; i++)
        flow->paths[i].monthly = 0;
    for (int i = 0; i < LINES; i++) {
        struct entry *entry = &flow->entries[i];
        if (!recurs(&ownership_lines[i]))
            continue;
        entry->path = at->entries[i].path;
        flow->amount[i] = 0;
        flow->first[i] = cash_flow_times(entry->quantity, entry->price);
        flow->paths[entry->path].monthly += flow->first[i];
    }
    list_lines(flow);
    for (int i = 0; i < flow->n_paths; i++)
        add_to_path(flow, &flow->paths[i], flow->paths[i].monthly - at->paths[i].monthly);
    return true;
}

void cash_flow_advance(struct cash_flow *flow, int months)
{
    while (flow->month < months)
        cash_flow_month(flow);
}

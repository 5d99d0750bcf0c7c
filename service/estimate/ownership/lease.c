#include "estimate/ownership/lease.h"

#include "base/units.h"
#include "estimate/ownership/cash_flow.h"

#include <math.h>

double lease_interest_ratio(const struct ownership *in)
{
    bool cash = cash_flow_same_word(in->financing, "cash");

    return cash || isnan(in->financing_interest_ratio) ? in->cost_of_capital
                                                       : in->financing_interest_ratio;
}

/* The twelfth root by one Newton step from that of a double, which squares its error of 1e-16:
 * powl() takes ten times as long. */
long double lease_monthly_factor(double yearly_ratio)
{
    if (yearly_ratio == 0)
        return 1;
    long double yearly = 1 + (long double)yearly_ratio;
    long double near = pow((double)yearly, 1 / MONTHS_PER_YEAR);
    long double p2 = near * near, p4 = p2 * p2, p8 = p4 * p4, p11 = p8 * p2 * near;
    return p11 > 0 ? near - (near * p11 - yearly) / ((long double)MONTHS_PER_YEAR * p11) : near;
}

long double lease_annuity(long double step, int months)
{
    return step == 1 ? 1 / (long double)months : (step - 1) / (1 - powl(step, -months));
}

bool lease_is_operating(const struct ownership *in)
{
    return cash_flow_same_word(in->financing, "operating_lease");
}

bool lease_is_finance(const struct ownership *in)
{
    return cash_flow_same_word(in->financing, "finance_lease");
}

double lease_option_price(const struct ownership *in)
{
    return ownership_times(in->lease_residual_ratio, ownership_hardware_cost(in));
}

/* What payments of that size and the purchase option are worth now. */
static long double present_value(const struct ownership *in, long double payment, double option)
{
    long double step = lease_monthly_factor(lease_interest_ratio(in));
    int months = (int)in->lease_months;

    return payment / lease_annuity(step, months) + cash_flow_times(option, powl(step, -months));
}

long double lease_asset(const struct ownership *in)
{
    if (!lease_is_finance(in) || isnan(in->lease_payment_month) || ownership_new_nodes(in) == 0)
        return ownership_hardware_cost(in);
    return present_value(in, in->lease_payment_month, lease_option_price(in));
}

long double lease_payment(const struct ownership *in)
{
    if (!isnan(in->lease_payment_month))
        return in->lease_payment_month;
    long double step = lease_monthly_factor(lease_interest_ratio(in));
    int months = (int)in->lease_months;
    return (ownership_hardware_cost(in) - lease_option_price(in) * powl(step, -months)) *
           lease_annuity(step, months);
}

double lease_exit_months(const struct ownership *in)
{
    double left = in->lease_months - in->horizon_months;

    return lease_is_operating(in) ? in->lease_exit_ratio * fmax(left, 0) : 0;
}

/* The purchase option is reasonably certain to be taken: for a dollar, or because it is planned. */
static bool is_bought(const struct ownership *in)
{
    return lease_is_finance(in) ||
           (lease_is_operating(in) && cash_flow_same_word(in->lease_end, "buyout"));
}

struct lease_class lease_classify(const struct ownership *in, double term_threshold,
                                  double present_value_threshold)
{
    struct lease_class class = {.has_option = is_bought(in),
                                .term_ratio = in->lease_months / in->useful_life_months};
    double option = class.has_option ? lease_option_price(in) : 0;
    double price = ownership_hardware_cost(in);

    class.asset = (double)present_value(in, lease_payment(in), option);
    class.present_value_ratio = price > 0 ? class.asset / price : (double)NAN;
    class.long_term = class.term_ratio >= term_threshold;
    class.whole_value = class.present_value_ratio >= present_value_threshold;
    class.is_finance = class.has_option || class.long_term || class.whole_value;
    return class;
}

/* Months over which the asset is written off: the useful life where the servers stay with the
 * lessee. */
static double written_off_over(const struct ownership *in)
{
    return is_bought(in) ? fmax(in->useful_life_months, in->lease_months) : in->lease_months;
}

int lease_schedule(const struct ownership *in, bool is_finance,
                   struct lease_month at[LEASE_MONTHS_MAX + 1])
{
    long double step = lease_monthly_factor(lease_interest_ratio(in));
    long double payment = lease_payment(in);
    double option = is_bought(in) ? lease_option_price(in) : 0, life = written_off_over(in);
    int months = (int)fmin(in->lease_months, LEASE_MONTHS_MAX);
    long double asset = present_value(in, payment, option);

    at[0] = (struct lease_month){.liability = asset, .asset = asset, .ifrs_asset = asset};
    for (int i = 1; i <= months; i++) {
        struct lease_month *now = &at[i];
        now->interest = at[i - 1].liability * (step - 1);
        now->payment = i == months ? payment + option : payment;
        now->liability = i == months ? 0 : at[i - 1].liability + now->interest - now->payment;
        now->ifrs_asset = asset * (1 - i / (long double)life);
        now->ifrs_expense = now->interest + asset / (long double)life;
        /* The expense of an operating lease is even: what is not interest writes the asset off. */
        now->expense = is_finance ? now->ifrs_expense : payment;
        now->amortization = now->expense - now->interest;
        now->asset = at[i - 1].asset - now->amortization;
    }
    return months;
}

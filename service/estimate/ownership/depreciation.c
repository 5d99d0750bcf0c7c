#include "estimate/ownership/depreciation.h"

#include "base/units.h"
#include "estimate/ownership/cash_flow.h"

#include <math.h>

enum { YEAR_MONTHS = (int)MONTHS_PER_YEAR };

/* IRS publication 946, 5-year property, fraction per tax year: table A-1, half-year convention;
 * table A-5, mid-quarter convention, placed in service in the fourth quarter, which applies if over
 * 40 % of a year's basis is. Computers and peripheral equipment belong to that class. */
static long double macrs_of_year(int year, bool is_last_quarter)
{
    static const long double shares[][6] = {
        {0.2L, 0.32L, 0.192L, 0.1152L, 0.1152L, 0.0576L},
        {0.05L, 0.38L, 0.228L, 0.1368L, 0.1094L, 0.0958L},
    };

    return year < (int)(sizeof(shares[0]) / sizeof(shares[0][0])) ? shares[is_last_quarter][year]
                                                                  : 0;
}

/* The balance times twice the straight-line rate, or spread evenly over the remaining life if that
 * is more. */
static long double declining_of_year(const struct ownership *in, int year, long double left)
{
    long double years = (long double)in->useful_life_months / YEAR_MONTHS, rest = years - year;
    long double declining = years > 2 ? left * 2 / years : left;
    long double even = rest > 1 ? left / rest : left;

    return declining > even ? declining : even;
}

static long double straight_line(const struct ownership *in, int months)
{
    long double yearly = in->tax_depreciation > 0
                             ? (long double)in->tax_depreciation
                             : YEAR_MONTHS / (long double)in->useful_life_months;
    long double share = months * yearly / YEAR_MONTHS;

    return share > 1 ? 1 : share;
}

/* Whole tax years, then the months of the current one. */
static long double by_year(const struct ownership *in, int months, bool is_macrs)
{
    bool is_last_quarter = cash_flow_same_word(in->depreciation_method, "macrs_5yr_q4");
    long double so_far = 0;

    for (int year = 0; months > 0; year++, months -= YEAR_MONTHS) {
        long double share = is_macrs ? macrs_of_year(year, is_last_quarter)
                                     : declining_of_year(in, year, 1 - so_far);
        so_far += months < YEAR_MONTHS ? share * months / YEAR_MONTHS : share;
    }
    return so_far;
}

long double depreciation_share(const struct ownership *in, int months)
{
    bool is_macrs = cash_flow_same_word(in->depreciation_method, "macrs_5yr") ||
                    cash_flow_same_word(in->depreciation_method, "macrs_5yr_q4");
    bool is_declining = cash_flow_same_word(in->depreciation_method, "declining");
    long double bonus = in->bonus_depreciation_ratio;

    if (months <= 0)
        return 0;
    long double share =
        is_macrs || is_declining ? by_year(in, months, is_macrs) : straight_line(in, months);
    long double first_year =
        months < YEAR_MONTHS ? (long double)months / YEAR_MONTHS : (long double)1;
    return bonus * first_year + (1 - bonus) * share;
}

#include "estimate/ownership/replacement.h"

#include "base/units.h"
#include "estimate/ownership/releases.h"

#include <math.h>

double replacement_worth(const struct ownership *in, double price, double months)
{
    return price * pow(in->annual_value_retention, months / MONTHS_PER_YEAR) *
           in->resale_condition_factor * (1 - in->resale_fee_ratio);
}

long double replacement_releases_factor(const struct cash_flow *flow)
{
    return releases_factor(flow->in, flow->month) / releases_factor(flow->in, flow->replaced);
}

static bool is_due(const struct cash_flow *flow)
{
    const struct ownership *in = flow->in;

    return in->replace_servers == 1 && flow->month % (int)in->useful_life_months == 0 &&
           flow->month < (int)in->horizon_months;
}

/* New ones at the price of the first, as a second purchase has it. */
long double replacement_pay(struct cash_flow *flow)
{
    const struct ownership *in = flow->in;
    const struct facility *facility = &flow->facility;

    if (!is_due(flow))
        return 0;
    long double extras = 1 + (long double)in->spares_ratio + (long double)in->import_duty_ratio +
                         (long double)in->vat_ratio;
    long double paid = cash_flow_times(extras, facility->hardware) +
                       cash_flow_times(in->freight_install_ratio, facility->as_new);
    long double sold = replacement_releases_factor(flow) *
                       replacement_worth(in, facility->hardware, flow->month - flow->replaced);
    long double net = paid + flow->scrap_cost - sold;
    flow->replaced = flow->month;
    flow->kept = 1;
    flow->replacement += net;
    return net;
}

double replacement_count(const struct ownership *in)
{
    return in->replace_servers == 1 ? ceil(in->horizon_months / in->useful_life_months) - 1 : 0;
}

double replacement_age(const struct ownership *in, int months)
{
    int life = (int)in->useful_life_months;

    if (in->replace_servers != 1 || months == 0)
        return months;
    /* Those in place at the horizon are not replaced there. */
    return months < (int)in->horizon_months ? months % life : months - (months - 1) / life * life;
}

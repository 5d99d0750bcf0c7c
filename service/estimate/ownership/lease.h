/* lease.h - leases of the servers: what a finance lease puts into the books, the class of a lease
 * by ASC 842, and its asset, liability and expense month by month.
 *
 * financing=operating_lease: the lessor owns them, every payment is a cost.
 * financing=finance_lease: a purchase by instalments with a purchase option that will be taken, as
 * for a dollar. The lessee's asset and liability are what the payments and the option are worth at
 * the interest of the lease, and depreciation and interest are the lessee's deductions. */
#ifndef ESTIMATE_OWNERSHIP_LEASE_H
#define ESTIMATE_OWNERSHIP_LEASE_H

#include "estimate/ownership/ownership.h"

/* The yearly interest of a loan or lease; of cash the cost of capital. */
double lease_interest_ratio(const struct ownership *in);
/* A month's factor of a yearly ratio; and the annuity: equal payments at the end of each of
 * `months` months with a present value of 1. */
long double lease_monthly_factor(double yearly_ratio);
long double lease_annuity(long double step, int months);

/* True if `financing` is that kind of lease. */
bool lease_is_operating(const struct ownership *in);
bool lease_is_finance(const struct ownership *in);

/* The book value of the servers: their price or, for a finance lease with a given payment, the
 * present value of the payments and the purchase option. */
long double lease_asset(const struct ownership *in);
/* The price of all servers at the end of the term, by lease_residual_ratio. */
double lease_option_price(const struct ownership *in);
/* A month, for all servers: as given, or what recovers their price with interest. */
long double lease_payment(const struct ownership *in);
/* Months of the term behind the horizon for which payments are still owed. */
double lease_exit_months(const struct ownership *in);

/* The tests of ASC 842-10-25-2: one that holds makes it a finance lease. */
struct lease_class {
    bool is_finance;
    bool has_option;            /* a purchase option that is reasonably certain to be taken */
    double term_ratio;          /* of the useful life */
    double present_value_ratio; /* of the price of the servers; NAN: unknown */
    bool long_term, whole_value;
    double asset; /* and liability, at the start */
};
struct lease_class lease_classify(const struct ownership *in, double term_threshold,
                                  double present_value_threshold);

/* One month of the lessee's books; at month 0 the start. */
struct lease_month {
    long double payment, interest, liability; /* at its end */
    long double asset, amortization, expense; /* by the class */
    long double ifrs_asset, ifrs_expense;     /* IFRS 16 has one class for lessees */
};
enum { LEASE_MONTHS_MAX = 240 };
/* The first lease_months; returns how many. */
int lease_schedule(const struct ownership *in, bool is_finance,
                   struct lease_month at[LEASE_MONTHS_MAX + 1]);

#endif

/* bill.h - costs of a training in addition to the GPU-hours of its steps: spot interruptions,
 * experiments before the run, complete repeats, billed but unused time, storage, egress, staff.
 *
 * Experiments and repeated runs are GPU-hours at the run's price. Spot interruptions are failures
 * at the reclaim rate: they lengthen the run according to goodput.h. Storage holds the data set and
 * the retained checkpoints for the duration of the run.
 */
#ifndef ESTIMATE_TRAINING_PLAN_BILL_H
#define ESTIMATE_TRAINING_PLAN_BILL_H

#include "estimate/training/plan/search.h"

/* Price of a GPU-hour for a run on n GPUs. */
double training_price(const struct training_goal *goal, double gpu_count);

/* The interval of that price: the band of its price book, or the goal's band for owned GPUs. A
 * price given by the caller has none. */
void training_price_ends(const struct training_goal *goal, double gpu_count, double *low,
                         double *high);

/* The run as interrupted by reclaims: a reclaimed instance takes all its GPUs with it. */
struct goodput_run training_spot_run(const struct training_extras *extras, double gpu_count);
/* The fraction by which interruptions lengthen the run: 1 / share - 1; 0 if not on spot. */
double training_interruption_ratio(const struct training_extras *extras, double gpu_count);

/* GPU-hours paid per GPU-hour of the run. */
double training_hours_ratio(const struct training_extras *extras);

/* Fill what depends on the sizes of model and checkpoint. */
void training_extras_size(struct training_extras *extras, const struct training_job *job);

/* Costs other than GPU-hours. */
struct training_other {
    double storage_gb_months, egress_gb, staff_fte_months;
    double storage, egress, staff; /* rounded to cents */
};
struct training_other training_other(const struct training_goal *goal, double days);
double training_other_cost(const struct training_goal *goal, double days);

/* The rent billed beyond that many GPU-hours: see price_match_unused_hours(). A given price is
 * billed like the offers it replaces; owned GPUs are not billed. */
double training_unused_rent(const struct training_goal *goal, double gpu_count, double gpu_hours);

/* The same for that many GPU-hours of the run, with its experiments and repeated runs as one
 * rental.
 */
double training_unused(const struct training_goal *goal, double gpu_count, double gpu_hours);

/* Hours billed per hour of the run: over 1 where unused time is billed. */
double training_billed_ratio(const struct training_goal *goal, double gpu_count, double gpu_hours);

/* The part of a rent, due evenly over the days of the run, that credits pay; NAN if the rent is
 * unknown. */
double training_credits(const struct training_extras *extras, double rent, double days);

/* The total cost; NAN if no price is known. */
double training_bill_cost(const struct training_goal *goal, double gpu_count,
                          const struct training_totals *totals);

/* The ends of its 80 % interval. The errors of hours and price are independent: their logarithms
 * add in quadrature. The price ranges from the cheapest to the most expensive provider; storage and
 * staff scale with the run's duration, egress is fixed. Unused time is that of the hours and price
 * at each end. Where clusters have a shortest rental, which differs between providers, the ends
 * hold all their bills. */
struct training_bill_ends {
    double low, high;
    double low_credits, high_credits; /* credits used at either end */
    double low_bill, high_bill;       /* rent at either end, before credits */
};
struct training_bill_ends training_bill_ends(const struct training_goal *goal, double gpu_count,
                                             const struct training_totals *totals);

/* kWh of those GPU-hours, including the facility's. */
double training_energy_kwh(const struct training_extras *extras, double gpu_hours);

#endif

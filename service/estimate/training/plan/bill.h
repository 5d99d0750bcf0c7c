/* bill.h - what a training costs besides the GPU-hours of its steps: interruptions of spot
 * instances, experiments before the run, runs that are repeated whole, rented time that is billed
 * and not used, storage, data sent out, staff.
 *
 * Experiments and repeated runs are GPU-hours at the price of the run's. Interruptions are failures
 * that come at the rate at which spot instances are reclaimed: they lengthen the run, by the model
 * of goodput.h. Storage holds the data set and the checkpoints kept while the run lasts.
 */
#ifndef ESTIMATE_TRAINING_PLAN_BILL_H
#define ESTIMATE_TRAINING_PLAN_BILL_H

#include "estimate/training/plan/search.h"

/* What a GPU-hour costs in a run on that many GPUs. */
double training_price(const struct training_goal *goal, double gpu_count);

/* Between which ends that is: the band of its book; of one's own GPUs as the goal says; a stated
 * one is certain. */
void training_price_ends(const struct training_goal *goal, double gpu_count, double *low,
                         double *high);

/* The run as reclaimed instances interrupt it: one that goes takes all its GPUs along. */
struct goodput_run training_spot_run(const struct training_extras *extras, double gpu_count);
/* The hours that they add to those of the run: 1 / share - 1; 0 where it is not on spot. */
double training_interruption_ratio(const struct training_extras *extras, double gpu_count);

/* GPU-hours paid for over those of the run. */
double training_hours_ratio(const struct training_extras *extras);

/* Fill what depends on the sizes of model and checkpoint. */
void training_extras_size(struct training_extras *extras, const struct training_job *job);

/* What is not GPU-hours. */
struct training_other {
    double storage_gb_months, egress_gb, staff_fte_months;
    double storage, egress, staff; /* rounded to cents */
};
struct training_other training_other(const struct training_goal *goal, double days);
double training_other_cost(const struct training_goal *goal, double days);

/* What is billed beyond that many GPU-hours: see price_match_unused_hours(). A price of the
 * caller's is billed as the offers whose place it takes; owned GPUs are not billed. */
double training_unused_rent(const struct training_goal *goal, double gpu_count, double gpu_hours);

/* The same of that many GPU-hours of the run, with its experiments and repeated runs as one rental.
 */
double training_unused(const struct training_goal *goal, double gpu_count, double gpu_hours);

/* What credits pay of a rent that falls due evenly over the days of the run; NAN where the rent is
 * unknown. */
double training_credits(const struct training_extras *extras, double rent, double days);

/* All of it; NAN where no price is known. */
double training_bill_cost(const struct training_goal *goal, double gpu_count,
                          const struct training_totals *totals);

/* The ends of its 80 % interval. The hours and the price err apart from one another: their
 * logarithms add up as squares. The cheapest and the dearest provider are the ends of the price;
 * storage and staff last as long as the run, what is sent out is known. What is billed beyond the
 * hours is that of the hours at that end, at the price there. */
struct training_bill_ends {
    double low, high;
    double low_credits, high_credits; /* that pay rent at either end */
};
struct training_bill_ends training_bill_ends(const struct training_goal *goal, double gpu_count,
                                             const struct training_totals *totals);

/* kWh of those GPU-hours, with the facility's. */
double training_energy_kwh(const struct training_extras *extras, double gpu_hours);

#endif

/* part.h - the ledger and the prices of GPUs of one type acquired in one way. */
#ifndef ESTIMATE_RECOMMENDATION_PART_H
#define ESTIMATE_RECOMMENDATION_PART_H

#include "estimate/recommendation/recommendation.h"

/* on_demand, spot, reserved_1yr, reserved_3yr, owned or in_hand */
const char *recommendation_acquisition_name(enum recommendation_acquisition acquisition);
/* True if only the hours used are paid. */
bool recommendation_is_hourly(enum recommendation_acquisition acquisition);

/* The cost of a part at one end of its price: of the rent's band, or of the bought servers'
 * band. The cost of GPUs already owned does not vary. */
struct recommendation_money {
    double total, payments;
};
struct recommendation_money recommendation_part_end(const struct recommendation_ask *ask,
                                                    const struct recommendation_part *part,
                                                    bool high);

/* The band of a bought server's price, as factors of the price; both 1 if nothing is bought. */
struct ownership_band recommendation_part_band(const struct recommendation_ask *ask,
                                               const struct recommendation_part *part);

/* A part's total at another rent than the median; unchanged for bought GPUs. */
double recommendation_part_total_at(const struct recommendation_ask *ask,
                                    const struct recommendation_part *part, double rent_price);

/* The rents at which the part costs as much as at the cheapest and at the most expensive provider:
 * their prices or, of a job on a cluster, prices that give their bills, each with its own shortest
 * rental. */
struct range recommendation_part_rents(const struct recommendation_ask *ask,
                                       const struct recommendation_part *part);

/* The band of the part's rent, which holds those of a cluster. */
struct range recommendation_part_rent_band(const struct recommendation_ask *ask,
                                           const struct recommendation_part *part);

/* The rent price of the part's GPUs; for bought ones their on-demand price. */
struct price recommendation_part_price(const struct recommendation_ask *ask,
                                       const struct recommendation_part *part);

/* What is billed beyond the hours for which that many of the part's GPUs are rented: USD. */
double recommendation_part_unused(const struct recommendation_ask *ask,
                                  const struct recommendation_part *part, double gpu_count,
                                  double hours);

/* GPUs per server when bought: whole boards. */
double recommendation_part_server(const struct recommendation_ask *ask,
                                  const struct recommendation_part *part);

/* Compute total, payments, doubt and paid GPUs of a part whose other members are set; NAN if a
 * price is unknown. */
void recommendation_part_cost(const struct recommendation_ask *ask,
                              struct recommendation_part *part);

/* False if its rent is in doubt, it pays only by a resale, replicas are divided over servers of
 * unlinked GPUs, or a job leaves hardly any memory to spare. */
bool recommendation_part_is_confirmed(const struct recommendation_part *part);

/* The complete ledger inputs of a part, from which ownership_ledger() gives its total. For bought
 * GPUs the rent side is the same hours on demand. False if a figure is missing. */
bool recommendation_ledger(const struct recommendation_ask *ask,
                           const struct recommendation_part *part, struct ownership *own);

/* True if a longer job costs more: its hours are rented, or are those of GPUs in hand. */
bool recommendation_pays_for_time(const struct recommendation_part *part);

/* True if the part is GPUs in hand that only run jobs, for less than its months. */
bool recommendation_part_is_brief(const struct recommendation_part *part);

/* A brief part is charged for the time of its jobs: the rest of the months is paid whether or not
 * they run. Returns that time as a share of the months and sets the ledger to it; 1 for other
 * parts, whose ledger stays. */
double recommendation_part_share(const struct recommendation_part *part, struct ownership *own);

#endif

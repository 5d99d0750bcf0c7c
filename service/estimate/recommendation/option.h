/* option.h - one option: its configurations, and the ledgers and prices of its parts. */
#ifndef ESTIMATE_RECOMMENDATION_OPTION_H
#define ESTIMATE_RECOMMENDATION_OPTION_H

#include "estimate/recommendation/recommendation.h"

/* on_demand spot reserved_1yr reserved_3yr owned in_hand */
const char *recommendation_acquisition_name(enum recommendation_acquisition means);
/* Paid by the hour, and for nothing else. */
bool recommendation_is_hourly(enum recommendation_acquisition means);

/* The way in which it does a workload. */
const struct recommendation_configuration *
recommendation_configuration_of(const struct recommendation_ask *ask,
                                const struct recommendation_option *option,
                                enum recommendation_workload workload);

/* The total where every rent is that of the cheapest, or of the dearest, provider; of what is
 * bought one price is known. */
struct range recommendation_total_over_providers(const struct recommendation_ask *ask,
                                                 const struct recommendation_option *option);

/* What a part comes to at an end of its price: of a rent its band, of bought servers theirs; GPUs
 * in hand cost what they cost. */
struct recommendation_money {
    double total, payments;
};
struct recommendation_money recommendation_part_end(const struct recommendation_ask *ask,
                                                    const struct recommendation_part *part,
                                                    bool high);

/* The same of an option, as changes of its total and its payments. */
struct recommendation_money recommendation_end(const struct recommendation_ask *ask,
                                               const struct recommendation_option *option,
                                               bool high);

/* The band of a bought server's price as factors of it; both 1 where nothing is bought. */
struct ownership_band recommendation_part_band(const struct recommendation_ask *ask,
                                               const struct recommendation_part *part);

/* A part's total at another rent than the median; of bought GPUs the same. */
double recommendation_part_total_at(const struct recommendation_ask *ask,
                                    const struct recommendation_part *part, double rent_price);

/* What the part's GPUs are rented for; of bought ones what they would be, on demand. */
struct price recommendation_part_price(const struct recommendation_ask *ask,
                                       const struct recommendation_part *part);

/* GPUs per server if bought: whole boards. */
double recommendation_part_server(const struct recommendation_ask *ask,
                                  const struct recommendation_part *part);

/* Work out total, payments and doubt of a part of which the rest is known; NAN where a price is
 * not. */
void recommendation_part_cost(const struct recommendation_ask *ask,
                              struct recommendation_part *part);

/* The inputs of a part's ledger, complete: with them ownership_ledger() gives its total. For bought
 * GPUs the rent side is that of the same hours on demand. False where it lacks a figure. */
bool recommendation_ledger(const struct recommendation_ask *ask,
                           const struct recommendation_part *part, struct ownership *own);

/* Kept where there is no limit (NAN); what rounding alone exceeds is kept too. */
bool recommendation_keeps(double value, double limit);

struct recommendation_known_parts;

/* The parts of an option have type and acquisition, and it says which of them does what in which
 * configuration: fill in the rest. False where the jobs do not end by the horizon, or a price is
 * unknown. `known`: parts of other options of the same ask. */
bool recommendation_complete(const struct recommendation_ask *ask,
                             struct recommendation_option *option,
                             struct recommendation_known_parts *known);

#endif

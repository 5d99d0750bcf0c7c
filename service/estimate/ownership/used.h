/* used.h - used servers: their age, their price by the resale curve, and what is left of their
 * life. */
#ifndef ESTIMATE_OWNERSHIP_USED_H
#define ESTIMATE_OWNERSHIP_USED_H

#include "estimate/ownership/ownership.h"

/* Require the assumptions looked up here. */
void ownership_require_used(struct catalog *catalog);

/* True if the servers are bought used. */
bool ownership_is_used(const struct ownership *in);

/* True if the GPU is still sold new on that day, by its launch year and the assumption
 * sold_new_years (consumer cards: scope `consumer`), or if a seller's quote for it is valid. */
bool ownership_is_sold_new(const struct catalog *catalog, const struct gpu *gpu, day as_of);

/* Age in months of used GPUs if nobody states it: a share of the time since their launch. */
struct used_age {
    double low, value, high;
    double most; /* that of the first ones sold */
};
struct used_age ownership_used_age(const struct catalog *catalog, const struct gpu *gpu, day as_of);

/* Fill in the age if it is unknown; 0 for new servers. */
void ownership_fill_age(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                        day as_of);

/* Makes the servers used: of the age in `in`, or of the usual age if that is unknown, and with the
 * useful life that is left at that age. */
void ownership_make_used(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                         day as_of);

/* Price of servers of that age, relative to that of new ones: what the same curve says that they
 * resell for, before fees. 1 for new ones. */
double ownership_used_ratio(const struct ownership *in);

/* Useful life in months that is left to servers of that age, given that of new ones; at least a
 * year. */
double ownership_life_left(const struct ownership *in, double life_months);

/* Months of the manufacturer's warranty that are left; NAN if its length is unknown. */
double ownership_warranty_left(const struct ownership *in, const struct gpu *gpu);

/* The band of the price of used servers: those of the new price, of the yearly loss of value, of
 * the condition and of an assumed age, taken as independent. */
struct ownership_band ownership_used_band(const struct ownership *in, const struct catalog *catalog,
                                          const struct gpu *gpu, day as_of,
                                          struct ownership_band as_new);

#endif

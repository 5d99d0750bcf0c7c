/* rent_charges.h - egress and storage prices of the providers behind a rent. */
#ifndef API_OPTIONS_RENT_CHARGES_H
#define API_OPTIONS_RENT_CHARGES_H

#include "api/resource/context.h"
#include "estimate/ownership/provider_charges.h"

/* The providers, and how much is sent out and stored in a month. */
struct rent_charges {
    const struct price *price; /* NULL: the rent is not from the catalogue */
    const char *provider;      /* the providers then, comma-separated; NULL: unknown */
    double egress_gb, storage_gb;
    bool told; /* warnings use it too; with a volume of 0 the general default is kept */
};

/* The medians over those providers; NAN if none of them is known. */
struct provider_charges rent_charges_of(const struct request_context *context,
                                        const struct rent_charges *rent);

/* Set egress_price_per_gb and storage_price_per_gb_month, unless given, to those medians, or to
 * the assumption of `scope` where no provider is known. */
void rent_charges_fill(struct request_context *context, const struct rent_charges *rent,
                       const char *scope);

#endif

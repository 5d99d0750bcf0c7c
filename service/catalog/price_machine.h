/* price_machine.h - the machine types of a price book: each provider's types at their best price,
 * sorted by provider. */
#ifndef CATALOG_PRICE_MACHINE_H
#define CATALOG_PRICE_MACHINE_H

#include "catalog/price.h"

/* Trust in a price by its age; a book falls back to the next if one does not suffice. */
enum price_age { PRICE_FRESH, PRICE_OLD, PRICE_UNDATED };

/* A machine type of one provider at its best price. */
struct price_machine {
    struct offer offer;
    enum price_age age;
    double size;        /* GPUs */
    double price_ratio; /* fraction of the offer's price that is paid */
    bool derived;       /* a reserved price derived from the on-demand price */
    bool of_maker;      /* its provider makes the GPU */
    double job_above;   /* only for jobs with more connected GPUs than this */
    double network;     /* Gbit/s per GPU; NAN if unknown */
    double cluster_max; /* GPUs; NAN if unknown */
    double fleet_max;   /* GPUs that its provider is taken to have free at once, in any number of
                         * machines: its largest known cluster or assumption fleet_gpu_count_max;
                         * INFINITY for hyperscalers and quotes */
    double paid_max;    /* GPUs already paid for, the most a job may have; INFINITY otherwise */
    double term_hours;  /* shortest reservation of a cluster of them */
    size_t n_offers;    /* offers of this type, in all regions */
};

/* The machine types of a query; the query's job is ignored. For a reserved option, a provider
 * without such offers gets its on-demand offers less the term's discount (assumption
 * commitment_discount_ratio), within its own price for the other term. */
struct price_machines {
    struct price_machine *at; /* sorted by provider; quotes come before fresh and old offers */
    size_t n;
    size_t n_without_rate; /* offers dropped because their currency has no rate on the day */
    const char *of_named;  /* the purchase option if the query names providers; NULL otherwise */
    /* On demand: the largest clusters that are rented by the hour, and that are reserved without a
     * contract, in GPUs; INFINITY for other options. The shortest contract. */
    double hourly_max, reserved_max, contract_hours;
};

struct price_machines price_machines_of(const struct catalog *catalog,
                                        const struct price_query *query, struct arena *arena);

/* Network between them, Gbit/s per GPU: the (lower) median over the fastest offer of each provider;
 * quoted offers are separate. NAN if none is known. */
double price_machines_network(const struct price_machines *machines);
/* The shortest rental of such machines for a job of `connected` GPUs: 0 if they are rented by the
 * hour. */
double price_machine_term_hours(const struct price_machines *machines,
                                const struct price_machine *machine, double connected);
bool price_machine_is_quoted(const struct price_machine *machine);
bool price_machine_same_provider(const struct price_machine *a, const struct price_machine *b);

#endif

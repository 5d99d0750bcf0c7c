/* network.h - how fast nodes talk to one another where the caller does not say. */
#ifndef ESTIMATE_FIGURES_NETWORK_H
#define ESTIMATE_FIGURES_NETWORK_H

#include "catalog/constants.h"

/* Bytes/s, one direction. */
struct network_rates {
    double volta, ampere, blackwell_ultra, others; /* per GPU */
    double workstation_node;                       /* per node of GeForce or workstation cards */
};

/* The rows of a constants table that fill the struct network_rates called `network` of a type. */
#define NETWORK_RATES(type)                                                       \
    CONSTANT(type, network.volta, "b_net", "volta", RANGE_POSITIVE),              \
        CONSTANT(type, network.ampere, "b_net", "ampere", RANGE_POSITIVE),        \
        CONSTANT(type, network.blackwell_ultra, "b_net", "b300", RANGE_POSITIVE), \
        CONSTANT(type, network.others, "b_net", "", RANGE_POSITIVE),              \
        CONSTANT(type, network.workstation_node, "b_net_node", "workstation", RANGE_POSITIVE)

/* Per GPU, by the card's generation. */
double network_rate(const struct network_rates *rates, const struct gpu *gpu, double gpus_per_node);

#endif

/* network.h - how fast nodes talk to one another where the caller does not say. */
#ifndef ESTIMATE_FIGURES_NETWORK_H
#define ESTIMATE_FIGURES_NETWORK_H

#include "catalog/constants.h"

/* Bytes/s of a node, one direction, where its GPUs are sold without a network of their own. */
struct network_rates {
    double ethernet_node;
};

/* The row of a constants table that fills the struct network_rates called `network` of a type. */
#define NETWORK_RATES(type) \
    CONSTANT(type, network.ethernet_node, "b_net_node", "workstation", RANGE_POSITIVE)

/* Per GPU, one direction: that of its reference server, else its share of a node's Ethernet. */
double network_rate(const struct network_rates *rates, const struct gpu *gpu, double gpus_per_node);

#endif

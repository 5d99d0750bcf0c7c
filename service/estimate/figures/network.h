/* network.h - the default network rate between nodes. */
#ifndef ESTIMATE_FIGURES_NETWORK_H
#define ESTIMATE_FIGURES_NETWORK_H

#include "catalog/constants.h"

/* Bytes/s per node, one direction, for GPUs sold without a network of their own. */
struct network_rates {
    double ethernet_node;
};

/* The row of a constants table that fills member `network` (a struct network_rates) of a type. */
#define NETWORK_RATES(type) \
    CONSTANT(type, network.ethernet_node, "b_net_node", "workstation", RANGE_POSITIVE)

/* Per GPU, one direction: its reference server's network, else its share of a node's Ethernet. */
static inline double network_rate(const struct network_rates *rates, const struct gpu *gpu,
                                  double gpus_per_node)
{
    return gpu->network_rate > 0 ? gpu->network_rate : rates->ethernet_node / gpus_per_node;
}

#endif

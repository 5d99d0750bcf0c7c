#include "estimate/figures/network.h"

double network_rate(const struct network_rates *rates, const struct gpu *gpu, double gpus_per_node)
{
    return gpu->network_rate > 0 ? gpu->network_rate : rates->ethernet_node / gpus_per_node;
}

#include "estimate/figures/network.h"

#include <string.h>

double network_rate(const struct network_rates *rates, const struct gpu *gpu, double gpus_per_node)
{
    if (gpu_is_consumer(gpu) || gpu_is_workstation(gpu))
        return rates->workstation_node / gpus_per_node;
    if (strcmp(gpu->architecture, "Volta") == 0)
        return rates->volta;
    if (strcmp(gpu->architecture, "Ampere") == 0)
        return rates->ampere;
    return strcmp(gpu->architecture, "Blackwell Ultra") == 0 ? rates->blackwell_ultra
                                                             : rates->others;
}

/* nodes.c - servers, and what all of them draw and cost. */
#include "estimate/ownership/facility.h"

#include <math.h>

double ownership_times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

double ownership_nodes(const struct ownership *in)
{
    return ceil(in->gpu_count / in->gpus_per_node);
}

double ownership_new_nodes(const struct ownership *in)
{
    return ownership_nodes(in) - ceil(in->owned_gpu_count / in->gpus_per_node);
}

double ownership_power_kw(const struct ownership *in)
{
    return ownership_nodes(in) * in->node_power_kw * in->pue;
}

double ownership_hardware_cost(const struct ownership *in)
{
    return ownership_times(ownership_new_nodes(in), in->server_price);
}

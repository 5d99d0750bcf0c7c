#include "estimate/ownership/owned.h"

#include "estimate/ownership/ownership.h"

#include <math.h>

double owned_bought(const struct owned_gpus *owned)
{
    return gpu_in_servers(owned->count, gpu_per_server(owned->gpu, owned->count, owned->per_node));
}

bool owned_price_per_gpu_hour(const struct owned_gpus *owned, const struct catalog *catalog,
                              day as_of, double *price, struct err *err)
{
    struct ownership own;

    ownership_init(&own, catalog);
    own.gpu_count = owned->count;
    own.gpus_per_node = gpu_per_server(owned->gpu, owned->count, owned->per_node);
    own.utilization = owned->utilization;
    own.goodput = 1;
    own.gpu_tdp_w = owned->gpu->tdp;
    if (!ownership_complete(&own, catalog, owned->gpu, as_of, err))
        return false;
    *price = ownership_cost_per_useful_gpu_hour(&own);
    return true;
}

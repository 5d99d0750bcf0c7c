#include "estimate/ownership/owned.h"

#include "estimate/ownership/ownership.h"

#include <math.h>

/* Without a load, and where nothing runs, the hours are taken to be full ones. */
static double share_of_hours(const struct serving_request *request, const struct serving_plan *plan)
{
    double used = plan->utilization;

    return request->load_stated && used > 0 ? used : 1;
}

bool ownership_serving_price(const struct serving_request *request, const struct serving_plan *plan,
                             const struct catalog *catalog, day as_of, double *price_per_gpu_hour,
                             struct err *err)
{
    /* Prices point at the catalogue's own record, which the job's may be a copy of. */
    const struct gpu *gpu = catalog_gpu(catalog, request->job.gpu->slug);
    struct ownership own;

    ownership_init(&own, catalog);
    own.gpu_count = plan->design.gpu_count;
    own.gpus_per_node = fmin(request->job.gpus_per_node, own.gpu_count);
    own.utilization = share_of_hours(request, plan);
    own.goodput = 1;
    own.gpu_tdp_w = gpu->tdp;
    if (!ownership_complete(&own, catalog, gpu, as_of, err))
        return false;
    *price_per_gpu_hour = ownership_cost_per_useful_gpu_hour(&own) * own.utilization;
    return true;
}

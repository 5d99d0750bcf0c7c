#include "estimate/ownership/owned.h"

#include "estimate/ownership/used.h"

#include <math.h>

double owned_bought(const struct owned_gpus *owned)
{
    return gpu_in_servers(owned->count, gpu_per_server(owned->gpu, owned->count, owned->per_node));
}

struct owned_power owned_power(const struct owned_gpus *owned, const struct catalog *catalog,
                               day as_of, double gpu_power_w, double pue)
{
    const double unknown = (double)NAN;
    struct ownership own;
    struct err err = {0};

    ownership_init(&own, catalog);
    own.gpu_count = owned->count;
    own.gpus_per_node = gpu_per_server(owned->gpu, owned->count, owned->per_node);
    own.utilization = 1;
    own.gpu_tdp_w = isnan(gpu_power_w) ? owned->gpu->tdp : gpu_power_w;
    own.pue = pue;
    if (!ownership_complete(&own, catalog, owned->gpu, as_of, &err))
        return (struct owned_power){unknown, unknown, unknown, unknown};
    return (struct owned_power){ownership_nodes(&own), own.node_power_kw, own.pue,
                                ownership_power_kw(&own)};
}

bool owned_power_is_within(double power_kw, double limit_kw)
{
    const double rounding = 1 + 1e-12;

    return isnan(limit_kw) || power_kw <= limit_kw * rounding;
}

double owned_power_told(double power_kw)
{
    const double steps = 100, rounding = 1 - 1e-12;

    return ceil(power_kw * steps * rounding) / steps;
}

double owned_card_price(const struct catalog *catalog, const struct gpu *gpu, day as_of)
{
    struct ownership used;
    bool undated;
    double price = catalog_card_price(catalog, gpu, as_of, &undated);

    if (ownership_is_sold_new(catalog, gpu, as_of))
        return price;
    ownership_init(&used, catalog);
    ownership_make_used(&used, catalog, gpu, as_of);
    return price * ownership_used_ratio(&used);
}

bool owned_ledger(const struct owned_gpus *owned, const struct catalog *catalog, day as_of,
                  struct ownership *own, struct err *err)
{
    ownership_init(own, catalog);
    own->gpu_count = owned->count;
    own->gpus_per_node = gpu_per_server(owned->gpu, owned->count, owned->per_node);
    own->utilization = owned->utilization;
    own->goodput = 1;
    own->gpu_tdp_w = owned->gpu->tdp;
    if (!ownership_is_sold_new(catalog, owned->gpu, as_of))
        ownership_make_used(own, catalog, owned->gpu, as_of);
    return ownership_complete(own, catalog, owned->gpu, as_of, err);
}

bool owned_price_per_gpu_hour(const struct owned_gpus *owned, const struct catalog *catalog,
                              day as_of, double *price, struct err *err)
{
    struct ownership own;

    if (!owned_ledger(owned, catalog, as_of, &own, err))
        return false;
    *price = ownership_cost_per_useful_gpu_hour(&own);
    return true;
}

struct ownership_band owned_price_band(const struct owned_gpus *owned,
                                       const struct catalog *catalog, day as_of)
{
    struct ownership own;
    struct err err = {0};

    if (!owned_ledger(owned, catalog, as_of, &own, &err))
        return (struct ownership_band){1, 1};
    struct ownership_band server = ownership_server_price_band(&own, catalog, owned->gpu, as_of);
    struct ownership cheap = ownership_scaled(&own, server.low);
    struct ownership dear = ownership_scaled(&own, server.high);
    double price = ownership_cost_per_useful_gpu_hour(&own);
    return (struct ownership_band){ownership_cost_per_useful_gpu_hour(&cheap) / price,
                                   ownership_cost_per_useful_gpu_hour(&dear) / price};
}

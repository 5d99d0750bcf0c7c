#include "serving_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct serving_request fixture_serving(const struct catalog *catalog,
                                       const struct inference_constants *constants,
                                       const char *model, const char *gpu, enum number weights)
{
    const double open = (double)NAN;
    const struct model *record = catalog_model(catalog, model);
    struct serving_request request = {.constants = constants, .peak_ratio = 1};

    if (!record || !catalog_gpu(catalog, gpu)) {
        printf("Bail out! no %s or no %s\n", model, gpu);
        exit(1);
    }
    request.job = (struct inference_job){
        .shape = model_shape_of(record),
        .gpu = catalog_gpu(catalog, gpu),
        .weight_format = weights,
        .kv_format = NUMBER_BF16,
        .bytes_per_weight = open,
        .gpus_per_node = 8,
        .network_rate = 50e9,
        .input_tokens = 512,
        .output_tokens = 200,
        .memory_utilization = catalog_default(catalog, "memory_utilization", ""),
    };
    request.free_gpus_per_node = 8;
    request.expert_parallel = open;
    request.limits = (struct serving_limits){open, open, open};
    request.pinned = (struct serving_design){open, open, open, open, open, open};
    serving_set_load(&request, open, open, 1000, open);
    return request;
}

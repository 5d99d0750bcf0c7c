/* Gradients of experts go round the GPUs that hold the same ones: in a server of eight that hold
 * eight parts, one network card serves each ring, where all of them serve that of the rest. */
#include "estimate/training/optimizer_step.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <math.h>

static const double NETWORK = 50e9;

static struct training_exchange exchange(const struct training_job *job, double expert)
{
    struct training_strategy on = {
        .gpu_count = 64,
        .tensor = 1,
        .pipeline = 1,
        .context = 1,
        .expert = expert,
        .data = 64,
        .virtual_stages = 1,
        .micro_batch = 4,
        .zero_stage = 1,
    };
    struct links links = training_links(job, on.gpu_count);
    struct training_rates rates = training_rates(job);

    return training_exchange(job, &rates, &links, &on);
}

static struct training_job job_of(const struct catalog *catalog,
                                  const struct training_constants *constants, const char *gpu)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "gpt-oss-120b"));
    struct training_job job = fixture_job(constants, catalog_gpu(catalog, gpu), &shape);

    job.gpus_per_node = 8;
    job.network_rate = NETWORK;
    training_complete(&job, 64);
    return job;
}

int main(void)
{
    struct training_constants constants;
    struct err err = {0};
    struct catalog *catalog = fixture_catalog();

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    struct training_job job = job_of(catalog, &constants, "b200-sxm");
    struct training_exchange each = exchange(&job, 8), none = exchange(&job, 64);
    double bytes = each.weights_expert * 7 / 8 * (4 + 2); /* FP32 gradients, 16-bit weights */

    is_near(each.ring_rate / (8 * NETWORK), 1, 1e-9, "eight cards serve the ring of all GPUs");
    is_near(each.expert_ring_rate / NETWORK, 1, 1e-9, "one serves that of the same experts");
    is_near((each.t_bytes - none.t_bytes) / (bytes / NETWORK / constants.e_net), 1, 1e-9,
            "which takes as long as that card");
    job = job_of(catalog, &constants, "gb200-nvl72");
    each = exchange(&job, 8);
    is_near(each.expert_ring_rate / each.ring_rate, 1, 1e-9, "a rack of links has no such card");
    catalog_free(catalog);
    return tap_done();
}

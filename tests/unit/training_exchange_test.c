/* What happens once a step, and what the host adds to a step and to the layers of a mixture. */
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

/* Gradients of experts go round the GPUs that hold the same ones: in a server of eight that hold
 * eight parts, one network card serves each ring, where all of them serve that of the rest. */
static void rings(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_job job = job_of(catalog, constants, "b200-sxm");
    struct training_exchange each = exchange(&job, 8), none = exchange(&job, 64);
    double bytes = each.weights_expert * 7 / 8 * (4 + 2); /* FP32 gradients, 16-bit weights */

    is_near(each.ring_rate / (8 * NETWORK), 1, 1e-9, "eight cards serve the ring of all GPUs");
    is_near(each.expert_ring_rate / NETWORK, 1, 1e-9, "one serves that of the same experts");
    is_near((each.t_bytes - none.t_bytes) / (bytes / NETWORK / constants->e_net), 1, 1e-9,
            "which takes as long as that card");
    job = job_of(catalog, constants, "gb200-nvl72");
    each = exchange(&job, 8);
    is_near(each.expert_ring_rate / each.ring_rate, 1, 1e-9, "a rack of links has no such card");
}

/* Under ZeRO 3, and from the host, weights of QLoRA go packed: a little over half a byte, and two
 * bytes in embedding and head. */
static void packed(const struct catalog *catalog, const struct training_constants *constants)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "llama-2-70b"));
    struct training_job job = fixture_job(constants, catalog_gpu(catalog, "rtx-4090"), &shape);
    struct training_strategy on = {.gpu_count = 2,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 2,
                                   .virtual_stages = 1,
                                   .micro_batch = 2,
                                   .zero_stage = 3};

    job.offload = TRAINING_OFFLOAD_PARAMETERS;
    job.method = TRAINING_LORA;
    training_complete(&job, 2);
    struct training_rates rates = training_rates(&job);
    struct links links = training_links(&job, 2);
    struct training_exchange wide = training_exchange(&job, &rates, &links, &on);
    job.method = TRAINING_QLORA;
    struct training_exchange narrow = training_exchange(&job, &rates, &links, &on);
    double tables = 2 * shape.vocab * shape.hidden / wide.weights_dense;
    double sent = 2 * tables + (0.5 + 1.0 / 64 + 1.0 / 4096) * (1 - tables);
    double gradients = rates.trained * rates.bytes.gradient;

    is_near(narrow.t_host / wide.t_host, sent / 2, 1e-9, "from the host");
    is_near(narrow.t_bytes / wide.t_bytes, (2 * sent + gradients) / (4 + gradients), 1e-9,
            "from the other replicas");
}

/* The host takes its time once a step, whatever is trained; under JAX it is part of one program. */
static void host(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_constants waiting = *constants;
    struct training_job job = job_of(catalog, constants, "b200-sxm");
    double before = exchange(&job, 8).t_update;

    waiting.ts = constants->ts + 0.5;
    job.constants = &waiting;
    is_near(exchange(&job, 8).t_update - before, 0.5, 1e-12, "the host's part of an update");
    job.stack = TRAINING_STACK_JAX;
    is_near(before - exchange(&job, 8).t_update, constants->ts, 1e-12, "none under JAX");
}

/* Fewer launches where a domain spans nodes, more where tensor groups exchange. */
static void launches(const struct catalog *catalog, const struct training_constants *constants)
{
    struct training_job node = job_of(catalog, constants, "b200-sxm");
    struct training_job domain = job_of(catalog, constants, "gb200-nvl72");

    is_near(training_layer_floor(&node, 1), constants->am, 1e-12, "launches in a node");
    is_near(training_layer_floor(&domain, 1), constants->an, 1e-12, "on a domain of several");
    is_near(training_layer_floor(&domain, 2), constants->an + constants->af, 1e-12,
            "and with tensor parallelism");
    ok(constants->an < constants->am, "a domain of several launches less");
}

int main(void)
{
    struct training_constants constants;
    struct err err = {0};
    struct catalog *catalog = fixture_catalog();

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    rings(catalog, &constants);
    packed(catalog, &constants);
    host(catalog, &constants);
    launches(catalog, &constants);
    catalog_free(catalog);
    return tap_done();
}

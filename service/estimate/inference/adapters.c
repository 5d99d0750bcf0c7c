#include "estimate/inference/adapters.h"

#include "estimate/inference/inference.h"

#include <math.h>

static const double US = 1e-6;
/* vLLM and SGLang store adapters in the format of activations, whatever the weights' format. */
static const double ADAPTER_BYTES = 2;

void adapters_set(struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    inference->adapter_weights = job->adapter_rank * job->shape.adapter_width;
    inference->adapter_bytes = inference->adapter_weights * ADAPTER_BYTES;
}

/* Adapters differ in popularity, like experts; see inference_distinct_experts(). */
double adapters_distinct(const struct inference *inference, double requests)
{
    double n = inference->job.adapters;

    return n > 0 ? n - (n - 1) / (1 + fmax(0, requests - 1) / n) : 0;
}

double adapters_read_seconds(const struct inference *inference, double distinct)
{
    return distinct * inference->adapter_bytes /
           (inference->attention_gpus * inference->memory_share *
            inference->job.gpu->memory_bandwidth);
}

struct adapter_pass adapters_pass(const struct inference *inference, double requests, double tokens)
{
    const struct inference_job *job = &inference->job;

    return (struct adapter_pass){
        .reads = adapters_read_seconds(inference, adapters_distinct(inference, requests)),
        .products = 2 * inference->adapter_weights * tokens /
                    (job->tensor * inference->gemm_share * inference->peak_16bit),
        .launch = job->shape.layers * inference->constants->o_adapter_us * US,
    };
}

#include "api/inference/shared_gpu.h"

#include "estimate/inference/gpu_share.h"

#include <math.h>

static bool share_of(struct request_context *context, const struct inference_sizing_in *in,
                     const struct gpu *gpu, struct gpu_share *share, struct err *err)
{
    if (!in->mig_profile) {
        *share = gpu_share_fraction(in->gpu_fraction);
        return true;
    }
    const char *known = gpu_share_profiles(gpu, context->arena);

    if (!known)
        return context_refuse(context, err, "mig_profile", "unknown_choice",
                              "no MIG profiles of %s are known: give gpu_fraction", gpu->slug);
    if (!gpu_share_mig(gpu, in->mig_profile, share))
        return context_refuse(context, err, "mig_profile", "unknown_choice",
                              "must be a profile of %s: %s", gpu->slug, known);
    return true;
}

/* Parts of a GPU are not linked to one another. */
static bool check_alone(struct request_context *context, const struct inference_sizing_in *in,
                        struct err *err)
{
    const struct {
        const char *name;
        double value, most;
    } inputs[] = {{"tensor_parallel", in->tensor_parallel, 1},
                  {"pipeline_parallel", in->pipeline_parallel, 1},
                  {"attention_data_parallel", in->attention_data_parallel, 1},
                  {"separate_prefill", in->separate_prefill, 0},
                  {"gpu_count", in->gpu_count, 0}};
    bool good = true;

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
        if (inputs[i].value > inputs[i].most)
            good = context_refuse(context, err, inputs[i].name, "contradiction",
                                  "does not apply to a replica on a part of a GPU: give "
                                  "replica_count alone");
    return good;
}

bool shared_gpu_read(struct request_context *context, const struct inference_sizing_in *in,
                     struct serving_request *request, struct err *err)
{
    struct gpu *gpu = arena_alloc(context->arena, sizeof(*gpu));
    struct gpu_share share = {0};

    if (!in->mig_profile && in->gpu_fraction >= 1)
        return true;
    if (!context_at_most_one(context, "gpu_fraction mig_profile", err) ||
        !check_alone(context, in, err) || !share_of(context, in, request->job.gpu, &share, err))
        return false;
    *gpu = *request->job.gpu;
    gpu_share_apply(gpu, &share);
    request->job.gpu = gpu;
    request->job.sharing = share.replicas;
    request->pinned.tensor = request->pinned.pipeline = request->pinned.attention_data = 1;
    return true;
}

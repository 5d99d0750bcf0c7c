#include "estimate/training/plan/phases.h"

#include "base/units.h"
#include "estimate/figures/range.h"

#include <math.h>

/* Maximum GPUs per replica. */
static const double REPLICA_GPUS_MAX = 64;

double training_forward_passes(const struct training_job *job, double micro_batches)
{
    switch (job->objective) {
    case TRAINING_DPO: /* the reference model */
        return 1;
    case TRAINING_GRPO: /* the reference model and the policy that wrote the answers */
        return 2;
    case TRAINING_PPO: /* those, the reward model and the critic */
        return 2 + 2 * job->critic_ratio;
    case TRAINING_EMBEDDING: /* texts are compared with those of other micro-batches, so that all of
                              * them are encoded first (GradCache; Gao et al., arXiv 2101.06983) */
        return micro_batches > 1 ? 1 : 0;
    default:
        return 0;
    }
}

/* The forward pass's part of a layer's exchanges. */
static double forward_exchanges(const struct training_strategy *on, double seconds)
{
    return 2 * seconds / (4 + 2 * training_whole_layers(on));
}

/* A pass without gradients over the micro-batches of a step, through the same pipeline. */
static double forward_seconds(const struct training_job *job, const struct training_strategy *on,
                              const struct training_step *step)
{
    const struct training_layer *layer = &step->layer;
    struct training_rates rates = training_rates(job);
    struct training_head head = training_head(job, &rates, on, layer->tokens);
    double layers, heads;

    training_slowest_stage(on, job->shape.layers, &layers, &heads);
    double t_head = head.products / (1 + rates.weight_gradient) + head.moved / 3;
    double t_layer = layer->t_forward + layer->t_floor / 3 + layer->t_context / 3 +
                     forward_exchanges(on, layer->t_tensor + layer->t_all_to_all);
    double passes = layers * t_layer + heads * t_head + step->t_point_to_point / 2;
    double bubble = (on->pipeline - 1) * (job->shape.layers * t_layer + t_head) / on->pipeline;
    /* Weights are gathered once; the update gathers them twice and scatters gradients. */
    double gathered = step->t_streamed / 3,
           exposed = job->communication_overlap ? job->constants->x3 : 1;

    return step->micro_batches * (fmax(passes, gathered) + exposed * fmin(passes, gathered)) +
           bubble / on->virtual_stages;
}

static struct inference_job replica_of(const struct training_job *job,
                                       const struct training_rollout *rollout, double tensor)
{
    return (struct inference_job){
        .shape = job->shape,
        .gpu = job->gpu,
        .weight_format = NUMBER_BF16,
        .kv_format = NUMBER_BF16,
        .bytes_per_weight = (double)NAN,
        .engine = ENGINE_VLLM,
        .tensor = tensor,
        .pipeline = 1,
        .attention_data = 1,
        .gpus_per_node = job->gpus_per_node,
        .network_rate = job->network_rate,
        .input_tokens = job->sequence_tokens - rollout->answers.mean,
        .output_tokens = rollout->answers.mean,
        .memory_utilization = rollout->memory_utilization,
    };
}

static bool may_share(const struct training_job *job, double gpu_count, double tensor)
{
    return fmod(job->shape.heads, tensor) == 0 && fmod(gpu_count, tensor) == 0;
}

/* Bytes of the policy on a GPU as its update leaves them: the FP32 shard if that is the only copy.
 */
static double policy_bytes(const struct training_job *job, const struct training_strategy *on,
                           const struct training_memory *memory)
{
    const double master = 4;
    double policy = memory->weights - memory->reference - memory->critic;

    if (!training_only_master(job, on))
        return policy;
    return policy + memory->optimizer * master / training_job_bytes(job).optimizer;
}

/* Whether a replica of that size can take over the weights: as the engine has to be awake for it,
 * its copy and the policy's are on the GPU at once. */
static bool takes_over(const struct training_job *job, const struct inference *inference,
                       double policy, struct training_phases *phases)
{
    double engine = memory_weights_total(&inference->bytes) / inference->job.tensor;

    phases->engine_weights = engine;
    phases->handover = policy + engine + job->constants->runtime_reserve_gib * GIB;
    return phases->handover <= job->gpu->memory_bytes;
}

/* The replica size that generates the batch fastest. */
static void set_generation(const struct training_job *job, const struct training_strategy *on,
                           const struct training_memory *memory,
                           const struct training_rollout *rollout, struct training_phases *phases)
{
    double policy = policy_bytes(job, on, memory);
    struct training_phases tried;

    const struct training_constants *k = job->constants;
    double n = on->gpu_count, batch = on->batch_sequences, factor = 1;

    phases->engine = (double)NAN;
    for (double tensor = 1; tensor <= fmin(n, REPLICA_GPUS_MAX); tensor *= 2) {
        if (!may_share(job, n, tensor))
            continue;
        struct inference_job replica = replica_of(job, rollout, tensor);
        struct inference inference = inference_of(&rollout->inference, &replica);
        double requests = ceil(batch * tensor / n);
        double seconds = rollout_seconds(&inference, requests, batch, &rollout->answers);
        if (!takes_over(job, &inference, policy, &tried) || isnan(seconds)) {
            phases->engine_weights = tried.engine_weights;
            phases->handover = tried.handover;
            continue;
        }
        if (seconds >= phases->engine) /* with more GPUs, communication takes longer than it
                                        * saves */
            break;
        phases->engine = seconds;
        phases->engine_weights = tried.engine_weights;
        phases->handover = tried.handover;
        phases->tensor = tensor;
        phases->concurrency = fmin(requests, floor(inference.pool.held));
        factor = inference_interval(&inference, inference_interval_kind(&inference, requests));
    }
    phases->generation = k->rollout_ratio * phases->engine;
    phases->generation_low =
        phases->generation * range_joined(factor, k->rollout_low / k->rollout_ratio, -1);
    phases->generation_high =
        phases->generation * range_joined(factor, k->rollout_high / k->rollout_ratio, 1);
}

struct training_phases training_phases_of(const struct training_job *job,
                                          const struct training_strategy *on,
                                          const struct training_step *update,
                                          const struct training_memory *memory,
                                          const struct training_rollout *rollout)
{
    struct training_phases phases = {.tensor = (double)NAN,
                                     .concurrency = (double)NAN,
                                     .engine_weights = (double)NAN,
                                     .handover = (double)NAN};

    if (job->objective == TRAINING_NEXT_TOKEN)
        return phases;
    phases.forward =
        training_forward_passes(job, update->micro_batches) * forward_seconds(job, on, update);
    phases.critic = job->critic_ratio * update->seconds;
    if (rollout)
        set_generation(job, on, memory, rollout, &phases);
    return phases;
}

double training_phases_fill(const struct training_phases *phases,
                            const struct training_memory *memory)
{
    return fmax(memory->required, phases->handover) / memory->capacity;
}

bool training_phases_are_tight(const struct training_phases *phases,
                               const struct training_memory *memory)
{
    const double full = 0.95;
    double fill = training_phases_fill(phases, memory);

    return fill > full && fill <= 1;
}

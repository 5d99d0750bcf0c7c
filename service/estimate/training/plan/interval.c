#include "estimate/training/plan/interval.h"

#include "base/minmax.h"

/* Whether GPUs of one replica wait for one another: such steps take up to twice as much longer
 * than estimated as those of replicas that each compute the whole model. */
static bool is_divided(const struct training_strategy *on)
{
    return on->tensor > 1 || on->pipeline > 1 || on->context > 1;
}

/* At each end, the wider of two: by what is trained, and by the hardware. */
static struct training_interval wider(struct training_interval of, double low, double high)
{
    return (struct training_interval){lesser(of.low, low), greater(of.high, high)};
}

static struct training_interval of_passes(const struct training_job *job,
                                          const struct training_strategy *on)
{
    const struct training_constants *k = job->constants;

    if (job->objective == TRAINING_DPO || job->objective == TRAINING_EMBEDDING)
        return (struct training_interval){k->dpo_low, k->dpo_high};
    if (training_adapters(job->method))
        return (struct training_interval){k->adapter_low, k->adapter_high};
    if (job->shape.moe)
        return (struct training_interval){k->moe_low, k->moe_high};
    return is_divided(on) ? (struct training_interval){k->divided_low, k->divided_high}
                          : (struct training_interval){k->dense_low, k->dense_high};
}

/* Only Megatron's mixtures are in the fit. Experts of other software take 0.6 to 2.1 times as long
 * as estimated (tests/accuracy). */
static struct training_interval of_experts(const struct training_job *job,
                                           const struct training_strategy *on)
{
    const struct training_constants *k = job->constants;
    struct training_interval of = of_passes(job, on);
    bool megatron = job->stack == TRAINING_STACK_MEGATRON || job->stack == TRAINING_STACK_GRAPHS;

    if (!job->shape.moe || training_adapters(job->method) || megatron)
        return of;
    return wider(of, k->mixture_low, k->mixture_high);
}

/* Sources differ by more than the runs of one source do: each weighs the same in these two.
 * Software that is not stated may be anyone's own. Pre-training with PyTorch's FSDP is as good
 * anywhere as in the fit unless the model is divided (tests/accuracy). */
static struct training_interval of_stack(const struct training_job *job,
                                         const struct training_strategy *on)
{
    const struct training_constants *k = job->constants;
    struct training_interval of = of_experts(job, on);

    if (job->stack == TRAINING_STACK_UNSPECIFIED)
        return wider(of, k->unstated_low, k->unstated_high);
    bool pretrains = job->method == TRAINING_PRETRAIN;
    if (training_adapters(job->method) ||
        (pretrains && job->stack == TRAINING_STACK_FSDP && !is_divided(on)))
        return of;
    return wider(of, k->stated_low, k->stated_high);
}

/* The same where we chose how the model is divided, what is recomputed, or both: it holds what
 * published runs take whose settings were not asked for, each family of them weighing the same. */
static struct training_interval of_settings(const struct training_job *job,
                                            const struct training_plan *plan, bool of_published)
{
    const struct training_constants *k = job->constants;
    struct training_interval of =
        gpu_is_tpu(job->gpu) ? of_passes(job, &plan->on) : of_stack(job, &plan->on);

    if (!of_published || !(plan->division_searched || plan->recompute_searched))
        return of;
    if (!plan->recompute_searched)
        return wider(of, k->searched_division_low, k->searched_division_high);
    if (!plan->division_searched)
        return wider(of, k->searched_recompute_low, k->searched_recompute_high);
    return wider(of, k->searched_low, k->searched_high);
}

static struct training_interval on_gpu(const struct training_job *job,
                                       const struct training_plan *plan, bool of_published)
{
    const struct training_constants *k = job->constants;
    struct training_interval of = of_settings(job, plan, of_published);

    if (gpu_is_tpu(job->gpu)) /* their software is JAX, stated or not */
        return wider(of, k->tpu_low, k->tpu_high);
    if (gpu_is_gddr(job->gpu))
        return wider(of, k->card_low, k->card_high);
    return gpu_is_nvidia(job->gpu) ? of : wider(of, k->other_low, k->other_high);
}

struct training_interval training_interval_of(const struct training_job *job,
                                              const struct training_plan *plan,
                                              const struct training_phases *phases,
                                              bool of_published)
{
    double passes = plan->step.seconds + phases->forward + phases->critic,
           seconds = passes + phases->generation;
    const struct training_constants *k = job->constants;
    struct training_interval of = on_gpu(job, plan, of_published);

    of = (struct training_interval){(of.low * passes + phases->generation_low) / seconds,
                                    (of.high * passes + phases->generation_high) / seconds};
    return job->objective == TRAINING_PPO ? wider(of, k->ppo_low, k->ppo_high) : of;
}

#include "estimate/training/memory.h"

#include "base/minmax.h"
#include "base/units.h"
#include "estimate/training/activations.h"
#include "estimate/training/constraints.h"
#include "estimate/training/gathered.h"
#include "estimate/training/recompute.h"

#include <math.h>

/* DeepSpeed's defaults: weights updated at a time under ZeRO 3 (sub_group_size), and the size of a
 * reduction bucket (reduce_bucket_size). */
static const double GROUP_WEIGHTS = 1e9, BUCKET_WEIGHTS = 5e8;

/* What all stages have in common. */
struct ground {
    const struct training_job *job;
    const struct training_strategy *on;
    struct training_bytes bytes;
    double layer, expert, table; /* weights of one layer, of its experts, of one table */
    double shard, expert_shard;  /* ranks that shard them */
    double micro_batches;
    struct training_activations of; /* of one micro-batch */
    bool adapters;
    double copies; /* of weights and gradients: each DualPipe rank holds two stages */
    bool fleeting; /* no gradients exist between the update and the next backward pass */
};

/* The properties of a stage that affect memory. */
struct stage {
    double layers, trained;        /* trained layers are the last ones */
    double tables, tables_trained; /* embedding and head */
    double in_flight;              /* micro-batches, in units of the stage's layers */
    bool first, head;
};

static bool stack_is(const struct ground *ground, enum training_stack stack)
{
    return ground->job->stack == stack;
}

/* --- stages */

/* Micro-batches whose activations stage k holds at a time. Interleaved, stage 0 holds p (1 + (p -
 * 1) / (p v)) of them, the last one p - (p - 1) / v (Megatron-LM, schedules.py). Filling the bubble
 * with weight gradients costs no memory in the schedule ZB-H1 (arXiv 2401.10241). DualPipe holds p
 * + 1 on each rank (arXiv 2412.19437, table 2). */
static double in_flight(const struct ground *ground, double k)
{
    double p = ground->on->pipeline, v = ground->on->virtual_stages;
    double held = p > 1 && v > 1 ? ((v - 1) * p + 2 * (p - k - 1) + 1) / v : p - k;

    if (ground->copies > 1)
        held = p + 1;
    return lesser(held, ground->micro_batches);
}

static struct stage stage_of(const struct ground *ground, double k)
{
    const struct model_shape *shape = &ground->job->shape;
    double p = ground->on->pipeline, frozen = ground->job->frozen_layers, begins;
    struct stage stage = {.layers = training_stage_layers(shape, p, k, &begins),
                          .in_flight = in_flight(ground, k),
                          .first = k == 0,
                          .head = k == p - 1};

    stage.trained = lesser(stage.layers, greater(0, begins + stage.layers - frozen));
    bool output = stage.head && !shape->headless;
    stage.tables = stage.first + output;
    if (shape->tied && p == 1)
        stage.tables = 1;
    stage.tables_trained = stage.tables;
    if (frozen > 0 && stage.first)
        stage.tables_trained = output;
    return stage;
}

/* --- states */

/* Shard weights, gradients and states of `count` trained weights, of which `tables` are embedding
 * and head, among the ranks. */
static void add_trained(struct training_memory *memory, const struct ground *ground, double count,
                        double tables, double shard)
{
    double stage = ground->on->zero_stage;
    struct training_bytes bytes = ground->bytes;
    double weight = training_only_master(ground->job, ground->on) ? 0 : bytes.weight;

    memory->weights += count * weight / (stage >= 3 ? shard : 1);
    memory->gradients += count * bytes.gradient / (stage >= 2 ? shard : 1);
    memory->optimizer +=
        (count * bytes.optimizer + tables * bytes.table) / (stage >= 1 ? shard : 1);
}

/* Frozen weights, and the adapters of trained layers. */
static void add_adapters(struct training_memory *memory, const struct ground *ground,
                         const struct stage *stage)
{
    const struct training_job *job = ground->job;
    double tables = stage->tables * ground->table;
    double trained = stage->trained * ground->layer + stage->tables_trained * ground->table;
    bool divided = ground->on->zero_stage >= 3;
    /* 4-bit quantisation does not apply to embeddings and head. */
    double packed = training_packed_bytes(job);
    double dense = packed * stage->layers * ground->layer + ground->bytes.weight * tables;
    double expert = packed * stage->layers * ground->expert;

    add_trained(memory, ground, job->trainable_ratio * trained, 0, ground->shard);
    if (expert > 0)
        add_trained(memory, ground, job->trainable_ratio * stage->trained * ground->expert, 0,
                    ground->expert_shard);
    memory->weights +=
        dense / (divided ? ground->shard : 1) + expert / (divided ? ground->expert_shard : 1);
    memory->scratch = training_unpacked_bytes(job, ground->on->tensor);
}

static void add_all(struct training_memory *memory, const struct ground *ground,
                    const struct stage *stage)
{
    double frozen = stage->layers - stage->trained;
    double tables = stage->tables_trained * ground->table;
    double still = ground->bytes.weight * (stage->tables - stage->tables_trained) * ground->table +
                   ground->bytes.weight * frozen * ground->layer;
    bool divided = ground->on->zero_stage >= 3;

    add_trained(memory, ground, stage->trained * ground->layer + tables, tables, ground->shard);
    if (ground->expert > 0)
        add_trained(memory, ground, stage->trained * ground->expert, 0, ground->expert_shard);
    memory->weights +=
        still / (divided ? ground->shard : 1) +
        ground->bytes.weight * frozen * ground->expert / (divided ? ground->expert_shard : 1);
    if (stage->trained > 0)
        memory->scratch = ground->bytes.weight * (ground->layer + ground->expert);
}

/* A frozen copy of the model, sharded like the weights. */
static double frozen_copy(const struct ground *ground, const struct stage *stage)
{
    double packed = training_packed_bytes(ground->job), wide = ground->bytes.weight;
    bool divided = ground->on->zero_stage >= 3;

    return (packed * stage->layers * ground->layer + wide * stage->tables * ground->table) /
               (divided ? ground->shard : 1) +
           packed * stage->layers * ground->expert / (divided ? ground->expert_shard : 1);
}

/* A critic is trained like the policy and after it, so that gradients that are not kept between
 * updates are those of one of them; a reward model of its size is frozen. */
static void add_critic(struct training_memory *memory, const struct ground *ground,
                       const struct stage *stage)
{
    double ratio = ground->job->critic_ratio;

    memory->critic = ratio * (memory->weights + frozen_copy(ground, stage));
    memory->weights += memory->critic;
    memory->optimizer *= 1 + ratio;
    if (!ground->fleeting)
        memory->gradients *= 1 + ratio;
}

/* Copies and buffers that a stack has in addition to the states. */
static double buffers(const struct ground *ground, const struct stage *stage)
{
    const struct training_job *job = ground->job;
    bool divided = ground->on->zero_stage >= 3 || job->offload == TRAINING_OFFLOAD_PARAMETERS;
    struct training_held held = {ground->layer + ground->expert, stage->layers, ground->table,
                                 stage->tables};
    double bytes = divided ? training_gathered_bytes(job, &held) : 0;

    if (stack_is(ground, TRAINING_STACK_DEEPSPEED) && ground->on->zero_stage >= 1)
        bytes += ground->bytes.weight * BUCKET_WEIGHTS;
    return bytes;
}

/* With a fused update, gradients exist for one layer or one table at a time. */
static void fuse_update(struct training_memory *memory, const struct ground *ground,
                        const struct stage *stage)
{
    double table = stage->tables_trained > 0 ? ground->table : 0;
    double most = ground->bytes.gradient * greater(ground->layer + ground->expert, table);

    memory->gradients = lesser(memory->gradients, most);
}

/* The update runs on the host: its states are there, and gradients are moved there as they are
 * produced if they are sharded, or if there is a single GPU. */
static void offload(struct training_memory *memory, const struct ground *ground)
{
    enum training_offload what = ground->job->offload;

    if (what == TRAINING_OFFLOAD_NONE)
        return;
    memory->host = memory->optimizer + memory->gradients;
    memory->optimizer = 0;
    if (ground->on->zero_stage >= 2 || ground->on->gpu_count == 1)
        memory->gradients = 0;
    if (what == TRAINING_OFFLOAD_PARAMETERS) {
        memory->host += memory->weights;
        memory->weights = memory->reference = memory->critic = 0;
    }
}

static void set_states(struct training_memory *memory, const struct ground *ground,
                       const struct stage *stage)
{
    if (ground->adapters)
        add_adapters(memory, ground, stage);
    else
        add_all(memory, ground, stage);
    if (stage->first) /* a vision tower and its projector: weights, never trained or sharded */
        memory->weights += ground->job->shape.frozen_weights * ground->bytes.weight /
                           (ground->on->zero_stage >= 3 ? ground->shard : 1);
    add_critic(memory, ground, stage);
    if (training_holds_reference(ground->job))
        memory->reference = frozen_copy(ground, stage);
    memory->weights += memory->reference;
    memory->weights *= ground->copies;
    memory->gradients *= ground->copies;
    if (ground->job->fused_update)
        fuse_update(memory, ground, stage);
    offload(memory, ground);
    memory->states = memory->weights + memory->gradients + memory->optimizer;
    memory->weights += buffers(ground, stage);
}

/* --- the peak */

static void set_activations(struct training_memory *memory, const struct ground *ground,
                            const struct stage *stage)
{
    double held = stage->trained * stage->in_flight, kept = ground->of.kept * held;

    if (ground->job->offload_activations) { /* the current layer and the next are copied back */
        double here = ground->of.kept * lesser(held, 2);
        memory->host += kept - here;
        kept = here;
    }
    /* The inputs of all layers, and everything inside one. */
    if (ground->on->recompute == TRAINING_RECOMPUTE_FULL && !ground->fleeting && held > 0)
        kept += ground->of.inside;
    memory->layer_activations = kept;
    memory->activations = kept + (stage->head ? ground->of.logits : 0);
    memory->gradients += memory->scratch;
}

/* DeepSpeed's update flattens the gradients and copies them to FP32, all at once or by groups. */
static double update_copy(const struct ground *ground, double gradients)
{
    double divided = ground->on->zero_stage >= 1 && ground->on->zero_stage < 2 ? ground->shard : 1;
    double count = gradients / divided / ground->bytes.gradient;

    if (!stack_is(ground, TRAINING_STACK_DEEPSPEED) || ground->job->offload || ground->adapters)
        return 0;
    if (ground->on->zero_stage >= 3)
        return 4 * lesser(count, GROUP_WEIGHTS);
    return (4 + ground->bytes.gradient) * count;
}

/* Without a permanent gradient buffer there are three candidates for the peak: the start of the
 * backward pass, with all activations and the logits, but no gradients unless micro-batches
 * accumulate; its end, with all gradients and the inside of one layer; and the update. */
static void find_moment(struct training_memory *memory, const struct ground *ground)
{
    double all = memory->gradients - memory->scratch, scratch = memory->scratch;
    bool adds_up = ground->micro_batches > 1 && !ground->job->fused_update;
    double before = adds_up ? all : 0, copy = update_copy(ground, all);
    double begins = before + memory->activations;
    double ends = all + scratch + ground->of.inside, update = all + copy;

    memory->gradients = before;
    if (begins >= ends && begins >= update)
        return;
    memory->gradients = all + (ends >= update ? scratch : copy);
    memory->layer_activations = memory->activations = ends >= update ? ground->of.inside : 0;
}

/* The layer that FSDP1 gathered last stays in the pool of its stream (_limiter_utils.py). */
static double last_gathered(const struct ground *ground)
{
    bool divided =
        ground->on->zero_stage >= 3 || ground->job->offload == TRAINING_OFFLOAD_PARAMETERS;

    return ground->adapters && divided
               ? training_packed_bytes(ground->job) * (ground->layer + ground->expert)
               : 0;
}

/* The allocator cannot reuse all of its cached memory at the peak: FSDP gradients are in the pool
 * of the reduction stream, and some logit blocks fit nothing else. */
static double cached(const struct ground *ground, double gradients, double in_use)
{
    double bytes = 0;

    if (!stack_is(ground, TRAINING_STACK_FSDP))
        return 0;
    if (ground->shard > 1 && ground->on->zero_stage >= 2)
        bytes += greater(0, gradients - in_use);
    return bytes + last_gathered(ground) + ground->of.unused_logits;
}

/* A correction never takes the total below weights and optimizer states, which are always there. */
static void correct(struct training_memory *memory, double excess)
{
    double passing = memory->gradients + memory->activations;
    double sum = memory->weights + memory->optimizer + passing;

    memory->correction = greater(excess * sum, -passing);
    memory->allocated = sum + memory->correction;
}

static void evaluate(struct training_memory *memory, const struct ground *ground, double k)
{
    struct stage stage = stage_of(ground, k);

    *memory = (struct training_memory){.stage = k, .logits = ground->of.logits};
    set_states(memory, ground, &stage);
    set_activations(memory, ground, &stage);
    if (ground->fleeting) {
        double gradients = memory->gradients - memory->scratch;
        find_moment(memory, ground);
        memory->cached = stage.head ? cached(ground, gradients, memory->gradients) : 0;
    }
    memory->overhead = ground->job->constants->runtime_reserve_gib * GIB + memory->cached;
    correct(memory, ground->job->memory_excess);
    memory->required = memory->allocated + memory->overhead;
    memory->capacity = ground->job->gpu->memory_bytes;
}

static struct ground ground_of(const struct training_job *job, const struct training_strategy *on)
{
    struct ground ground = {
        .job = job,
        .on = on,
        .bytes = training_job_bytes(job),
        .table = job->shape.vocab * job->shape.hidden / on->tensor,
        /* ranks that share one copy of the states; NAN or 0 means all replicas */
        .shard = on->shard > 0 ? on->shard : on->data * on->context,
        .micro_batches = greater(1, on->batch_sequences / (on->data * on->micro_batch)),
        .copies = job->schedule == TRAINING_DUALPIPE && on->pipeline > 1 ? 2 : 1,
        .adapters = training_adapters(job->method),
        .fleeting = job->stack > TRAINING_STACK_FUSED,
    };

    training_layer_weights(&job->shape, on, &ground.layer, &ground.expert);
    ground.expert_shard = greater(1, ground.shard * on->tensor / on->expert);
    ground.of = training_activations(job, on, ground.bytes.weight);
    return ground;
}

/* True if stages differ only in their activations, and no other memory depends on those. */
static bool alike(const struct ground *ground)
{
    return ground->job->frozen_layers == 0 && ground->job->shape.frozen_weights == 0 &&
           !ground->job->offload_activations && !ground->fleeting &&
           training_divides(ground->on->pipeline, ground->job->shape.layers);
}

static double busier_end(const struct ground *ground)
{
    double last = ground->on->pipeline - 1, each = ground->of.kept * ground->job->shape.layers;
    double more = each / ground->on->pipeline * (in_flight(ground, 0) - in_flight(ground, last));

    return more >= ground->of.logits ? 0 : last;
}

/* A strategy, and the two ends of a partial recompute that it is interpolated between; no ends if
 * it is not partial. Stages are compared by mean values. */
struct mixture {
    struct ground mean, ends[TRAINING_RECOMPUTE_ENDS];
    double shares[TRAINING_RECOMPUTE_ENDS];
    size_t n;
};

static void mixture_of(struct mixture *mixture, const struct training_job *job,
                       const struct training_strategy *on,
                       struct training_strategy pure[TRAINING_RECOMPUTE_ENDS])
{
    const double shares[] = {1 - on->part - on->whole, on->part, on->whole};

    mixture->mean = ground_of(job, on);
    mixture->n = 0;
    if (on->recompute != TRAINING_RECOMPUTE_PARTIAL)
        return;
    for (int end = 0; end < TRAINING_RECOMPUTE_ENDS; end++) {
        if (shares[end] <= 0)
            continue;
        pure[end] = training_recompute_end(on, end);
        mixture->shares[mixture->n] = shares[end];
        mixture->ends[mixture->n++] = ground_of(job, &pure[end]);
    }
}

/* Add another memory account, weighted by `share`. */
static void blend(struct training_memory *sum, const struct training_memory *of, double share)
{
    sum->weights += share * of->weights;
    sum->gradients += share * of->gradients;
    sum->optimizer += share * of->optimizer;
    sum->reference += share * of->reference;
    sum->critic += share * of->critic;
    sum->activations += share * of->activations;
    sum->correction += share * of->correction;
    sum->overhead += share * of->overhead;
    sum->states += share * of->states;
    sum->scratch += share * of->scratch;
    sum->layer_activations += share * of->layer_activations;
    sum->logits += share * of->logits;
    sum->cached += share * of->cached;
    sum->host += share * of->host;
    sum->allocated += share * of->allocated;
    sum->required += share * of->required;
    sum->capacity = of->capacity;
    sum->stage = of->stage;
}

static void weigh(struct training_memory *memory, const struct mixture *mixture, double k)
{
    if (mixture->n == 0) {
        evaluate(memory, &mixture->mean, k);
        return;
    }
    *memory = (struct training_memory){0};
    for (size_t i = 0; i < mixture->n; i++) {
        struct training_memory of;
        evaluate(&of, &mixture->ends[i], k);
        blend(memory, &of, mixture->shares[i]);
    }
}

static void consider(struct training_memory *most, const struct mixture *mixture, double k)
{
    struct training_memory memory;

    if (k == most->stage || k >= mixture->mean.on->pipeline)
        return;
    weigh(&memory, mixture, k);
    if (memory.required > most->required)
        *most = memory;
}

/* Find the busiest stage: the first, with the most micro-batches in flight; the last, with the
 * logits; the second, if it has one more layer; with frozen layers, the first two trained
 * stages. */
struct training_memory training_memory(const struct training_job *job,
                                       const struct training_strategy *on)
{
    struct training_strategy pure[TRAINING_RECOMPUTE_ENDS];
    struct training_memory memory;
    struct mixture mixture;
    double p = on->pipeline;

    mixture_of(&mixture, job, on, pure);
    if (p == 1 || (mixture.n == 0 && alike(&mixture.mean))) {
        weigh(&memory, &mixture, p == 1 ? 0 : busier_end(&mixture.mean));
        return memory;
    }
    weigh(&memory, &mixture, 0);
    consider(&memory, &mixture, p - 1);
    if (job->frozen_layers > 0) {
        double first = floor(job->frozen_layers * p / job->shape.layers);
        consider(&memory, &mixture, first);
        consider(&memory, &mixture, first + 1);
    } else {
        consider(&memory, &mixture, 1);
    }
    return memory;
}

double training_least_bytes(const struct training_job *job)
{
    struct training_strategy on = {.tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .micro_batch = 1,
                                   .zero_stage = 3,
                                   .recompute = TRAINING_RECOMPUTE_FULL,
                                   .batch_sequences = 1};
    struct ground ground = ground_of(job, &on);
    struct stage stage = stage_of(&ground, 0);
    struct training_memory memory = {0};

    set_states(&memory, &ground, &stage);
    return memory.states;
}

double training_shortfall(const struct training_memory *memory)
{
    return greater(0, memory->required - memory->capacity);
}

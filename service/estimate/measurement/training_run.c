#include "estimate/measurement/training_run.h"

#include "base/number.h"
#include "base/units.h"
#include "estimate/training/recompute.h"

#include <math.h>
#include <string.h>

static bool refuse(const struct measurement *measured, const char *what, const char *name,
                   struct err *err)
{
    return err_set(err, ERR_INTERNAL, "run %s: no %s %s", measured->id, what, name);
}

static bool read_base(const struct measurement *measured, const struct catalog *catalog,
                      struct model *model, struct err *err)
{
    const struct model *known = measured->model[0] ? catalog_model(catalog, measured->model) : NULL;

    if (measured->model[0] && !known)
        return refuse(measured, "model", measured->model, err);
    *model = known ? *known
                   : (struct model){.slug = "measured",
                                    .model_type = "",
                                    .attention = "",
                                    .sliding_pattern = "",
                                    .n_all_reduces = 2};
    return true;
}

/* A model of the catalogue that the run does not reshape keeps its own layers of experts: in some,
 * only every second layer has them. */
static void read_experts(const struct measurement *measured, struct model *model)
{
    bool reshaped = !measured->model[0] || !isnan(measured->layers) || !isnan(measured->experts) ||
                    !isnan(measured->first_dense_layers);

    model->n_experts = number_or(measured->experts, model->n_experts);
    model->top_k = number_or(measured->top_k, model->top_k);
    model->first_dense_layers = number_or(measured->first_dense_layers, model->first_dense_layers);
    if (model->n_experts > 0)
        model->moe_intermediate = number_or(measured->ffn_width, model->moe_intermediate);
    if (model->n_experts > 0 && reshaped)
        model->n_moe_layers = model->n_layers - model->first_dense_layers;
}

/* The catalogue's model, with the run's statements about its shape. */
static bool read_model(const struct measurement *measured, const struct catalog *catalog,
                       struct model *model, struct err *err)
{
    if (!read_base(measured, catalog, model, err))
        return false;
    model->n_layers = number_or(measured->layers, model->n_layers);
    if (!measured->model[0] || !isnan(measured->layers))
        model->n_full_layers = model->n_layers;
    model->hidden = number_or(measured->hidden, model->hidden);
    model->n_heads = number_or(measured->heads, model->n_heads);
    model->n_kv_heads = number_or(measured->kv_heads, model->n_kv_heads);
    model->head_dim = number_or(measured->head_dim, model->head_dim);
    model->intermediate = number_or(measured->ffn_width, model->intermediate);
    model->gated = number_or(measured->gated, model->gated) > 0;
    model->vocab = number_or(measured->vocab, model->vocab);
    model->tied = number_or(measured->tied, model->tied) > 0;
    read_experts(measured, model);
    return true;
}

static bool read_strategy(const struct measurement *measured, struct training_strategy *pinned,
                          struct err *err)
{
    *pinned = (struct training_strategy){
        .gpu_count = measured->gpu_count,
        .tensor = measured->tensor_parallel,
        .pipeline = measured->pipeline_parallel,
        .context = measured->context_parallel,
        .expert = measured->expert_parallel,
        .data = (double)NAN,
        .virtual_stages = measured->virtual_stages,
        .micro_batch = measured->micro_batch_sequences,
        .zero_stage = measured->zero_stage,
        .shard = measured->data_parallel_shard,
        .sequence_parallel = measured->sequence_parallel,
        .recompute = measured->recompute[0]
                         ? (enum training_recompute)training_recompute_find(measured->recompute)
                         : TRAINING_RECOMPUTE_AUTO,
        .part = 1, /* used only with partial recompute */
        .batch_sequences = measured->global_batch_sequences,
    };
    if (measured->recompute_modules[0] &&
        !training_modules_read(measured->recompute_modules, &pinned->modules))
        return refuse(measured, "modules", measured->recompute_modules, err);
    return true;
}

/* Parse the run's words to enumerators; the first one if not stated. */
static bool read_words(const struct measurement *measured, struct training_job *job,
                       struct err *err)
{
    const struct {
        const char *what, *word;
        int (*find)(const char *);
    } words[] = {
        {"method", measured->method, training_method_find},
        {"precision", measured->precision, training_precision_find},
        {"optimizer", measured->optimizer, training_optimizer_find},
        {"stack", measured->stack, training_stack_find},
        {"offload", measured->cpu_offload, training_offload_find},
        {"schedule", measured->schedule, training_schedule_find},
    };
    int found[sizeof(words) / sizeof(words[0])] = {0};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        found[i] = words[i].word[0] ? words[i].find(words[i].word) : 0;
        if (found[i] < 0)
            return refuse(measured, words[i].what, words[i].word, err);
    }
    job->method = (enum training_method)found[0];
    job->precision = (enum training_precision)found[1];
    job->optimizer = (enum training_optimizer)found[2];
    job->stack = (enum training_stack)found[3];
    job->offload = (enum training_offload)found[4];
    job->schedule = (enum training_schedule)found[5];
    return true;
}

/* The first release of NeMo whose attention is not as slow on Hopper as kernels written for Ampere
 * are. In 24.03 it is, at any length and whether or not the sequence is divided
 * (tests/accuracy/README.md).
 */
static const char NEMO_WITH_HOPPER_KERNELS[] = "24.07";

/* A release that is not stated is one of today. */
static bool is_early(const struct measurement *measured)
{
    return strcmp(measured->stack, "megatron") == 0 && measured->engine_version[0] &&
           strcmp(measured->engine_version, NEMO_WITH_HOPPER_KERNELS) < 0;
}

static bool read_job(const struct measurement *measured, const struct training_constants *constants,
                     struct training_job *job, struct err *err)
{
    *job = (struct training_job){
        .constants = constants,
        .trainable_ratio = (double)NAN,
        .sequence_tokens = measured->sequence_tokens,
        .batch_sequences = measured->global_batch_sequences,
        .gpus_per_node = measured->gpus_per_node,
        .network_rate = measured->network_gbit_per_second * GIGA / 8,
        .power = measured->power_limit_w,
        .communication_overlap = number_or(measured->communication_overlap, 1) > 0,
        .gradient_bytes = strcmp(measured->gradient_dtype, "bf16") == 0 ? 2 : 0,
        .single_copy = measured->master_weights == 0,
        .fused_update = measured->optimizer_in_backward == 1,
        .early_attention = is_early(measured),
    };
    return read_words(measured, job, err);
}

bool training_run_read(const struct measurement *measured, const struct catalog *catalog,
                       const struct training_constants *constants, struct training_run *run,
                       struct err *err)
{
    const struct gpu *gpu = catalog_gpu(catalog, measured->gpu);

    if (!gpu)
        return refuse(measured, "GPU", measured->gpu, err);
    run->gpu = *gpu;
    run->gpu.memory_bandwidth =
        number_or(measured->memory_bandwidth_gb_per_second * GIGA, gpu->memory_bandwidth);
    if (!read_model(measured, catalog, &run->model, err) ||
        !read_strategy(measured, &run->pinned, err) ||
        !read_job(measured, constants, &run->job, err))
        return false;
    run->job.gpu = &run->gpu;
    run->job.shape = model_shape_of(&run->model);
    training_complete(&run->job, run->pinned.gpu_count);
    run->job.tensor_overlap = isnan(measured->tensor_overlap)
                                  ? training_usual_tensor_overlap(&run->job)
                                  : measured->tensor_overlap > 0;
    run->job.flash_attention = isnan(measured->flash_attention)
                                   ? training_usual_flash_attention(&run->job)
                                   : measured->flash_attention > 0;
    run->job.native_attention = isnan(measured->native_attention)
                                    ? training_usual_native_attention(&run->gpu)
                                    : measured->native_attention > 0;
    run->job.eager = measured->torch_compile == 0 && training_may_be_eager(&run->job);
    if (measured->stack[0])
        run->pinned.zero_stage = training_usual_zero_stage(run->job.stack, &run->pinned);
    run->pinned.recompute = training_usual_recompute(&run->job, run->pinned.recompute);
    run->job.expert_overlap = training_usual_overlap(&run->job, run->pinned.expert);
    training_set_default_batch(&run->job, measured->tokens);
    return true;
}

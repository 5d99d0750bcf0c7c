/* training_check.c - what cannot be, told before anything is computed: each culprit with the rule
 * and the nearest that would work. */
#include "estimate/training_search.h"

#include <math.h>
#include <stdio.h>

static bool given(double value)
{
    return !isnan(value);
}

static bool divides(double divisor, double whole)
{
    return divisor >= 1 && fmod(whole, divisor) == 0;
}

/* The divisor of `whole` nearest to `value`. */
static double nearest_divisor(double whole, double value)
{
    double best = 1;

    for (double d = 1; d <= whole && d <= 2 * value; d++)
        if (divides(d, whole) && fabs(d - value) < fabs(best - value))
            best = d;
    return best;
}

static void refuse(struct err *err, const char *field, double value, const char *rule,
                   const char *text)
{
    char typed[32];

    snprintf(typed, sizeof(typed), "%.15g", value);
    err_add(err, field, typed, rule, "%s", text);
}

static void check_divides(struct err *err, const char *field, double value, double whole,
                          const char *what)
{
    char text[160];

    if (!given(value) || divides(value, whole))
        return;
    snprintf(text, sizeof(text), "must divide %s, %.0f; the nearest that does is %.0f", what, whole,
             nearest_divisor(whole, value));
    refuse(err, field, value, "not_a_divisor", text);
}

static void check_precision(const struct training_job *job, struct err *err)
{
    char has[64] = "";
    size_t n = 0;

    if (job->method == TRAINING_QLORA &&
        (job->precision == TRAINING_FP8 || job->precision == TRAINING_FP4))
        err_add(err, "precision", training_precision_name(job->precision), "contradiction",
                "qlora unpacks its 4-bit weights to 16 bit: use bf16 or fp16");
    if (training_peak(job->gpu, job->precision) > 0)
        return;
    for (int i = 0; i < TRAINING_PRECISIONS && n < sizeof(has); i++)
        if (training_peak(job->gpu, (enum training_precision)i) > 0)
            n += (size_t)snprintf(has + n, sizeof(has) - n, " %s",
                                  training_precision_name((enum training_precision)i));
    err_add(err, "precision", training_precision_name(job->precision), "unsupported",
            "%s has no %s arithmetic; it has%s", job->gpu->name,
            training_precision_name(job->precision), has);
}

static void check_tensor(const struct training_job *job, const struct training_strategy *on,
                         struct err *err)
{
    char text[160];

    check_divides(err, "tensor_parallel", on->tensor, job->shape.heads, "the attention heads");
    if (given(on->tensor) && on->tensor > job->gpus_per_node) {
        snprintf(text, sizeof(text), "must not go beyond one node of %.0f GPUs",
                 job->gpus_per_node);
        refuse(err, "tensor_parallel", on->tensor, "out_of_range", text);
    }
}

static void check_pipeline(const struct training_job *job, const struct training_strategy *on,
                           struct err *err)
{
    double layers = job->shape.layers, p = on->pipeline, v = on->virtual_stages;
    char text[160];

    if (given(p) && p > layers) {
        snprintf(text, sizeof(text), "must be at most the number of layers, %.0f", layers);
        refuse(err, "pipeline_parallel", p, "out_of_range", text);
    }
    if (!given(v) || v == 1)
        return;
    if (given(p) && p == 1) {
        refuse(err, "virtual_stages", v, "contradiction",
               "needs a pipeline: pipeline_parallel is 1");
    } else if (given(p) && p * v > layers) {
        snprintf(text, sizeof(text), "times pipeline_parallel must be at most the layers, %.0f",
                 layers);
        refuse(err, "virtual_stages", v, "out_of_range", text);
    }
}

static void check_expert(const struct training_job *job, const struct training_strategy *on,
                         struct err *err)
{
    if (!given(on->expert) || on->expert == 1)
        return;
    if (!job->shape.moe)
        refuse(err, "expert_parallel", on->expert, "contradiction",
               "the model has no experts: leave it out or send 1");
    else
        check_divides(err, "expert_parallel", on->expert, job->shape.experts, "the experts");
}

static double or_one(double value)
{
    return given(value) ? value : 1;
}

/* The degrees must multiply to the GPU count. */
static void check_product(const struct training_strategy *on, struct err *err)
{
    double model = or_one(on->tensor) * or_one(on->pipeline) * or_one(on->context);
    double product = model * or_one(on->data), n = on->gpu_count;
    bool whole = given(on->tensor) && given(on->pipeline) && given(on->context);
    char text[256];

    if (!given(n) || (divides(product, n) && !(whole && given(on->data) && product != n)))
        return;
    if (divides(model, n))
        snprintf(text, sizeof(text),
                 "tensor x pipeline x context x data parallel is %.0f, gpu_count is %.0f; with "
                 "data_parallel=%.0f it would be",
                 product, n, n / model);
    else
        snprintf(text, sizeof(text),
                 "must be a multiple of tensor x pipeline x context parallel, %.0f; the next is "
                 "%.0f",
                 model, ceil(n / model) * model);
    refuse(err, "gpu_count", n, "contradiction", text);
}

static void check_batch(const struct training_job *job, const struct training_strategy *on,
                        struct err *err)
{
    double batch = job->batch_sequences, at_once = or_one(on->data) * or_one(on->micro_batch);
    char text[256];

    if (!given(batch) || divides(at_once, batch))
        return;
    snprintf(text, sizeof(text),
             "must be a multiple of data_parallel x micro_batch_sequences, %.0f; the next is %.0f",
             at_once, ceil(batch / at_once) * at_once);
    refuse(err, "global_batch_sequences", batch, "contradiction", text);
}

bool training_check(const struct training_job *job, const struct training_strategy *on,
                    struct err *err)
{
    size_t before = err->n_culprits;

    check_precision(job, err);
    check_tensor(job, on, err);
    check_pipeline(job, on, err);
    check_divides(err, "context_parallel", on->context, job->sequence_tokens, "the sequence");
    check_expert(job, on, err);
    check_product(on, err);
    check_batch(job, on, err);
    if (!(job->power > 0))
        err_add(err, "power_limit_w", "", "missing_parameter",
                "is needed: the power of %s is not known", job->gpu->name);
    return err->n_culprits == before;
}

#include "estimate/serving.h"

#include <math.h>
#include <stdio.h>

static void add(struct err *err, const char *field, double value, const char *rule,
                const char *text)
{
    char printed[32];

    snprintf(printed, sizeof(printed), "%.15g", value);
    err_add(err, field, printed, rule, "%s", text);
}

/* The divisor of `whole` nearest to `wanted`, at most `most`. */
static double nearest_divisor(double whole, double wanted, double most)
{
    double best = 1;

    for (double d = 1; d <= fmin(whole, most); d++)
        if (fmod(whole, d) == 0 && fabs(d - wanted) < fabs(best - wanted))
            best = d;
    return best;
}

static void check_tensor(const struct serving_request *request, struct err *err)
{
    const struct inference_job *job = &request->job;
    double t = request->pinned.tensor, heads = job->shape.heads;
    char text[160];

    if (isnan(t))
        return;
    if (fmod(heads, t) != 0) {
        snprintf(text, sizeof(text), "must divide the model's %g attention heads; nearest is %g",
                 heads, nearest_divisor(heads, t, job->gpus_per_node));
        add(err, "tensor_parallel", t, "contradiction", text);
    } else if (t > job->gpus_per_node) {
        snprintf(text, sizeof(text),
                 "must not exceed gpus_per_node, %g: all-reduces of every layer stay in a node",
                 job->gpus_per_node);
        add(err, "tensor_parallel", t, "contradiction", text);
    } else if (t > 1 && job->engine == ENGINE_LLAMA_CPP) {
        add(err, "tensor_parallel", t, "contradiction",
            "llama.cpp splits a model by layers: give pipeline_parallel instead");
    }
}

static void check_experts(const struct serving_request *request, struct err *err)
{
    double e = request->expert_parallel, t = request->pinned.tensor;
    const struct shape *shape = &request->job.shape;
    char text[160];

    if (isnan(e))
        return;
    if (e > 1 && !shape->moe) {
        add(err, "expert_parallel", e, "contradiction", "the model has no experts");
    } else if (shape->moe && fmod(shape->experts, e) != 0) {
        snprintf(text, sizeof(text), "must divide the model's %g experts", shape->experts);
        add(err, "expert_parallel", e, "contradiction", text);
    } else if (!isnan(t) && fmod(t, e) != 0) {
        snprintf(text, sizeof(text), "must divide tensor_parallel, %g: experts live inside it", t);
        add(err, "expert_parallel", e, "contradiction", text);
    } else if (fmod(request->job.gpus_per_node, e) != 0) {
        snprintf(text, sizeof(text), "must divide gpus_per_node, %g: experts live inside a node",
                 request->job.gpus_per_node);
        add(err, "expert_parallel", e, "contradiction", text);
    }
}

/* GPUs per replica where both degrees are pinned, else what the pinned one makes it a multiple of.
 */
static void check_count(const struct serving_request *request, struct err *err)
{
    const struct serving_design *pinned = &request->pinned;
    double t = isnan(pinned->tensor) ? 1 : pinned->tensor;
    double p = isnan(pinned->pipeline) ? 1 : pinned->pipeline;
    double r = isnan(pinned->replicas) ? 1 : pinned->replicas;
    bool all = !isnan(pinned->tensor) && !isnan(pinned->pipeline) && !isnan(pinned->replicas);
    char text[160];

    if (isnan(pinned->gpu_count))
        return;
    if (all && pinned->gpu_count != t * p * r) {
        snprintf(text, sizeof(text),
                 "must be tensor_parallel x pipeline_parallel x replica_count, which is %g",
                 t * p * r);
        add(err, "gpu_count", pinned->gpu_count, "contradiction", text);
    } else if (fmod(pinned->gpu_count, t * p * r) != 0) {
        double down = floor(pinned->gpu_count / (t * p * r)) * t * p * r;
        snprintf(text, sizeof(text),
                 "must be a multiple of the degrees given, which make %g; nearest is %g", t * p * r,
                 fmax(down, t * p * r));
        add(err, "gpu_count", pinned->gpu_count, "contradiction", text);
    }
}

static void check_stages(const struct serving_request *request, struct err *err)
{
    const struct serving_design *pinned = &request->pinned;
    double p = isnan(pinned->pipeline) ? 1 : pinned->pipeline;

    if (p > request->job.shape.layers) {
        char text[96];
        snprintf(text, sizeof(text), "must not exceed the model's %g layers",
                 request->job.shape.layers);
        add(err, "pipeline_parallel", p, "contradiction", text);
    }
}

bool serving_check(const struct serving_request *request, struct err *err)
{
    *err = (struct err){0};
    check_tensor(request, err);
    check_experts(request, err);
    check_count(request, err);
    check_stages(request, err);
    return err->n_culprits == 0;
}

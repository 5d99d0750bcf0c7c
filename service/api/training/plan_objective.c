/* plan_objective.c - training objectives other than next-token prediction: DPO on pairs of answers,
 * GRPO on answers generated on the same GPUs. */
#include "api/training/plan.h"

#include <math.h>
#include <string.h>

static bool refuse_given(struct training_question *question, const char *const *names, size_t n,
                         const char *why, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < n; i++)
        if (context_given(question->context, names[i]))
            good = context_refuse(question->context, err, names[i], "contradiction", "%s", why);
    return good;
}

static bool require(struct training_question *question, const char *name, double value,
                    const char *why, struct err *err)
{
    return !isnan(value) ||
           context_refuse(question->context, err, name, "missing_parameter", "%s", why);
}

static bool check_lengths(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    bool good =
        require(question, "completion_tokens", in->completion_tokens,
                "is required with objective=grpo: generating answers takes most of a step", err);

    good = require(question, "sequence_tokens", in->sequence_tokens,
                   "is required with objective=grpo: the mean length of prompt and answer", err) &&
           good;
    good = require(question, "global_batch_sequences", in->global_batch_sequences,
                   "is required with objective=grpo: answers of a step", err) &&
           good;
    if (in->completion_tokens >= in->sequence_tokens)
        good = context_refuse(question->context, err, "completion_tokens", "contradiction",
                              "is below sequence_tokens, which counts the prompt too");
    if (in->completion_tokens >= in->completion_tokens_max)
        good = context_refuse(question->context, err, "completion_tokens_max", "contradiction",
                              "is above completion_tokens, their mean");
    return good;
}

bool training_question_check_objective(struct training_question *question, struct err *err)
{
    static const char *const lengths[] = {"completion_tokens", "completion_tokens_max"};
    static const char *const steps[] = {"model_flops_utilization", "measured_step_seconds",
                                        "measured_tokens_per_second_per_gpu", "measurement_set"};
    struct request_context *context = question->context;
    const struct training_plan_in *in = question->in;
    bool grpo = strcmp(in->objective, "grpo") == 0, good = true;

    if (!grpo)
        good = refuse_given(question, lengths, 2, "is for objective=grpo", err);
    if (strcmp(in->objective, "next_token") == 0)
        return good;
    if (!context_given(context, "method"))
        context_set_text(context, "method", "full", SOURCE_DEFAULT, NULL);
    else if (strcmp(in->method, "pretrain") == 0)
        good = context_refuse(context, err, "objective", "contradiction",
                              "trains a model further: method=full, lora or qlora");
    good = refuse_given(question, steps, 4,
                        "applies to steps that learn from given text: objective=next_token", err) &&
           good;
    return grpo ? check_lengths(question, err) && good : good;
}

bool training_question_set_rollout(struct training_question *question, struct err *err)
{
    const struct catalog *catalog = question->context->catalog;
    const struct training_plan_in *in = question->in;

    if (question->job.objective != TRAINING_GRPO)
        return true;
    struct training_rollout *rollout = arena_alloc(question->context->arena, sizeof(*rollout));
    *rollout = (struct training_rollout){
        .answers = rollout_answers_of(
            in->completion_tokens, catalog_default(catalog, "output_tokens_cv", ""),
            isnan(in->completion_tokens_max) ? (double)INFINITY : in->completion_tokens_max),
        .memory_utilization = catalog_default(catalog, "pool", ""),
    };
    question->goal.rollout = rollout;
    return inference_constants_load(catalog, &rollout->inference, err);
}

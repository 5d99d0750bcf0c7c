/* plan_objective.c - training objectives other than next-token prediction: DPO on pairs of answers,
 * GRPO and PPO on answers generated on the same GPUs, embeddings on pairs of texts. */
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
           context_refuse(question->context, err, name, "missing_parameter",
                          "is required with objective=%s: %s", question->in->objective, why);
}

static bool check_lengths(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    bool good =
        require(question, "completion_tokens", in->completion_tokens,
                "the mean length of a generated answer; verl's GSM8K example allows 1024", err);

    good =
        require(question, "sequence_tokens", in->sequence_tokens,
                "the mean length of prompt and answer together; verl's GSM8K example allows 1536",
                err) &&
        good;
    good = require(question, "global_batch_sequences", in->global_batch_sequences,
                   "answers of a step; verl's GSM8K example has 5120, 5 for each of 1024 prompts",
                   err) &&
           good;
    if (in->completion_tokens >= in->sequence_tokens)
        good = context_refuse(question->context, err, "completion_tokens", "contradiction",
                              "must be below sequence_tokens, which counts the prompt too");
    if (in->completion_tokens >= in->completion_tokens_max)
        good = context_refuse(question->context, err, "completion_tokens_max", "contradiction",
                              "must be above completion_tokens, their mean");
    return good;
}

/* The three models are on the GPUs of the policy and divided alike. */
static bool check_critic(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;

    return !question->model || !(in->critic_parameters > question->model->params_total) ||
           context_refuse(
               question->context, err, "critic_parameters", "contradiction",
               "is above the %.6g of the policy: plan a larger critic as a training, and "
               "a larger reward model as a service, of their own",
               question->model->params_total);
}

/* A model of embeddings or a reranker writes no next token; pre-trained, it predicts the tokens
 * that are masked, or the next ones. */
static bool take_encoder(struct training_question *question, struct err *err)
{
    struct request_context *context = question->context;
    const char *objective = question->in->objective;

    if (!question->model || !question->model->reads_only || strcmp(objective, "embedding") == 0 ||
        (context_given(context, "method") && strcmp(question->in->method, "pretrain") == 0))
        return true;
    if (context_given(context, "objective"))
        return context_refuse(context, err, "objective", "contradiction",
                              "is embedding for %s: it reads texts and writes none",
                              question->model->slug);
    context_set_text(context, "objective", "embedding", SOURCE_CHOSEN,
                     arena_join(context->arena, "/v1/models/", question->model->slug));
    return true;
}

bool training_question_check_objective(struct training_question *question, struct err *err)
{
    static const char *const lengths[] = {"completion_tokens", "completion_tokens_max"};
    static const char *const critic[] = {"critic_parameters"};
    static const char *const steps[] = {"model_flops_utilization", "measured_step_seconds",
                                        "measured_tokens_per_second_per_gpu", "measurement_set"};
    struct request_context *context = question->context;
    const struct training_plan_in *in = question->in;
    bool ppo = strcmp(in->objective, "ppo") == 0, good = take_encoder(question, err);
    bool generates = ppo || strcmp(in->objective, "grpo") == 0;

    if (!generates)
        good = refuse_given(question, lengths, 2, "is for objective=grpo and ppo", err) && good;
    if (!ppo)
        good = refuse_given(question, critic, 1, "is for objective=ppo", err) && good;
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
    good = check_critic(question, err) && good;
    return generates ? check_lengths(question, err) && good : good;
}

static void warn_uncalibrated(struct training_question *question)
{
    enum training_objective objective = question->job.objective;

    if (objective == TRAINING_DPO || objective == TRAINING_EMBEDDING)
        context_warn(question->context, "uncalibrated_method",
                     "no published step of objective=%s was found to compare this with: the "
                     "interval is assumed",
                     question->in->objective);
    if (training_generates(&question->job))
        context_warn(question->context, "uncalibrated_method",
                     "the time to generate answers is the serving estimate times rollout_ratio, "
                     "which rests on five published steps of one program with grpo; %stools and "
                     "sandboxes are not counted",
                     objective == TRAINING_GRPO ? "reward models, " : "");
}

void training_question_set_objective(struct training_question *question)
{
    const struct training_plan_in *in = question->in;
    struct training_job *job = &question->job;
    double weights = question->model->params_total;

    warn_uncalibrated(question);
    if (job->objective == TRAINING_EMBEDDING) {
        model_shape_drop_head(&job->shape);
        double usual =
            catalog_default(question->context->catalog, "sequence_tokens_default", "embedding");
        double longest = job->shape.max_tokens > 0 ? job->shape.max_tokens : usual;
        if (isnan(in->sequence_tokens))
            job->sequence_tokens = fmin(usual, longest);
    }
    if (job->objective != TRAINING_PPO)
        return;
    double critic = isnan(in->critic_parameters) ? weights : in->critic_parameters;
    job->critic_ratio = critic / weights;
    if (isnan(in->critic_parameters))
        context_set_number(question->context, "critic_parameters", critic, SOURCE_DEFAULT, NULL);
}

bool training_question_set_rollout(struct training_question *question, struct err *err)
{
    const struct catalog *catalog = question->context->catalog;
    const struct training_plan_in *in = question->in;

    if (!training_generates(&question->job))
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

/* options_link.c - the address that asks /v1/training-plan for exactly one option. */
#include "api/training/options.h"

#include "api/routes/resources.h"
#include "base/text.h"
#include "estimate/training/recompute.h"

#include <math.h>
#include <stdio.h>

/* Inputs that an option determines, whatever was given. */
static const char OWN[] =
    "gpu,gpu_count,tensor_parallel,pipeline_parallel,virtual_stages,"
    "context_parallel,expert_parallel,data_parallel,zero_stage,"
    "micro_batch_sequences,recompute,recompute_modules,"
    "recompute_layers,recompute_module_layers,sequence_parallel,data_parallel_shard";

/* Add the given inputs of the plan, except those an option determines. */
static void add_given(const struct options_question *question, struct buf *out)
{
    const char *sought = question->maximize == MAXIMIZE_TOKENS       ? ",tokens"
                         : question->maximize == MAXIMIZE_PARAMETERS ? ",parameters,tokens"
                                                                     : "";
    const char *except = arena_print(question->context->arena, "%s%s", OWN, sought);

    options_link_given(out, question->context, training_plan_resource.in, except);
}

static void add_partial(const struct training_strategy *on, double layers, struct buf *out)
{
    char modules[TRAINING_MODULES_TEXT_MAX];

    training_modules_print(on->modules, modules, sizeof(modules));
    if (modules[0])
        options_link_text(out, "recompute_modules", modules);
    options_link_number(out, "recompute_layers", on->whole * layers);
    options_link_number(out, "recompute_module_layers", on->part * layers);
}

static void add_strategy(const struct training_strategy *on, double layers, struct buf *out)
{
    options_link_number(out, "gpu_count", on->gpu_count);
    options_link_number(out, "tensor_parallel", on->tensor);
    options_link_number(out, "pipeline_parallel", on->pipeline);
    options_link_number(out, "virtual_stages", on->virtual_stages);
    options_link_number(out, "context_parallel", on->context);
    options_link_number(out, "expert_parallel", on->expert);
    options_link_number(out, "data_parallel", on->data);
    options_link_number(out, "zero_stage", on->zero_stage);
    options_link_number(out, "micro_batch_sequences", on->micro_batch);
    options_link_text(out, "recompute", training_recompute_name(on->recompute));
    if (on->recompute == TRAINING_RECOMPUTE_PARTIAL)
        add_partial(on, layers, out);
    options_link_number(out, "sequence_parallel", on->sequence_parallel);
    if (on->shard > 0)
        options_link_number(out, "data_parallel_shard", on->shard);
}

/* The cost of owning depends on the number of GPUs owned: use the price of the options. */
static void add_price(const struct options_question *question, size_t candidate, struct buf *out)
{
    double price = question->candidates[candidate].goal->price_per_gpu_hour;

    if (text_in_list("owned", question->in->plan.purchase_option) && !isnan(price) &&
        !context_given(question->context, "price_per_gpu_hour"))
        options_link_number(out, "price_per_gpu_hour", price);
}

const char *training_options_plan_link(const struct options_question *question,
                                       const struct options_found *found)
{
    double layers = question->questions[found->candidate].job.shape.layers;
    struct buf out;

    if (question->context->model_config)
        return NULL;
    buf_init(&out, OPTIONS_LINK_MAX);
    options_link_text(&out, "gpu", question->questions[found->candidate].gpu->slug);
    add_given(question, &out);
    if (question->maximize == MAXIMIZE_PARAMETERS)
        options_link_number(&out, "parameters", floor(found->parameters));
    if (question->maximize != MAXIMIZE_NOTHING)
        options_link_number(&out, "tokens", floor(found->tokens));
    if (!context_given(question->context, "deadline_days") &&
        !isnan(question->in->plan.deadline_days))
        options_link_number(&out, "deadline_days", question->in->plan.deadline_days);
    if (question->questions[found->candidate].job.expert_overlap &&
        !context_given(question->context, "expert_overlap"))
        options_link_number(&out, "expert_overlap", 1);
    if (question->questions[found->candidate].job.chunked_loss &&
        !context_given(question->context, "chunked_loss"))
        options_link_number(&out, "chunked_loss", 1);
    add_price(question, found->candidate, &out);
    if (!context_given(question->context, "global_batch_sequences"))
        options_link_number(&out, "global_batch_sequences", found->plan->on.batch_sequences);
    add_strategy(&found->plan->on, layers, &out);
    options_link_day(&out, question->context);
    const char *link = arena_print(question->context->arena, "/v1/training-plan%s", buf_data(&out));
    buf_free(&out);
    return link;
}

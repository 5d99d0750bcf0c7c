/* training_options_link.c - the address that asks /v1/training-plan for exactly one option. */
#include "api/training_options.h"

#include "api/resources.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

enum { LINK_MAX = 8192 };

/* What an option decides itself, whatever was given. */
static const char OWN[] = "gpu,gpu_count,tensor_parallel,pipeline_parallel,virtual_stages,"
                          "context_parallel,expert_parallel,data_parallel,zero_stage,"
                          "micro_batch_sequences,recompute,sequence_parallel,data_parallel_shard";

static void add_text(struct buf *out, const char *name, const char *value)
{
    buf_print(out, "%s%s=", out->length ? "&" : "?", name);
    buf_encoded(out, value);
}

/* With digits enough to come back as the same number. */
static void add_number(struct buf *out, const char *name, double value)
{
    char text[64];
    const double plain = 1e15;

    snprintf(text, sizeof(text), fabs(value) >= plain ? "%.0f" : "%.17g", value);
    add_text(out, name, text);
}

/* The inputs of the plan that were given, but those an option decides. */
static void add_given(const struct options_question *question, struct buf *out)
{
    struct call *call = question->call;
    struct fields fields = *training_plan_resource.in;
    const char *sought = question->maximize == MAXIMIZE_TOKENS       ? "tokens"
                         : question->maximize == MAXIMIZE_PARAMETERS ? "parameters,tokens"
                                                                     : "";

    for (size_t i = 0; i < fields.n; i++) {
        const struct field *field = &fields.at[i];
        if (!call_given(call, field->name) || text_in_list(OWN, field->name) ||
            text_in_list(sought, field->name))
            continue;
        if (field_is_text(field))
            add_text(out, field->name, field_text(field, call->inputs.values));
        else
            add_number(out, field->name, field_number(field, call->inputs.values));
    }
}

static void add_strategy(const struct training_strategy *on, struct buf *out)
{
    add_number(out, "gpu_count", on->gpu_count);
    add_number(out, "tensor_parallel", on->tensor);
    add_number(out, "pipeline_parallel", on->pipeline);
    add_number(out, "virtual_stages", on->virtual_stages);
    add_number(out, "context_parallel", on->context);
    add_number(out, "expert_parallel", on->expert);
    add_number(out, "data_parallel", on->data);
    add_number(out, "zero_stage", on->zero_stage);
    add_number(out, "micro_batch_sequences", on->micro_batch);
    add_text(out, "recompute", training_recompute_name(on->recompute));
    add_number(out, "sequence_parallel", on->sequence_parallel);
    if (on->shard > 0)
        add_number(out, "data_parallel_shard", on->shard);
}

/* What it costs to own depends on how many are owned: the price is that of the options. */
static void add_price(const struct options_question *question, size_t candidate, struct buf *out)
{
    double price = question->candidates[candidate].price_per_gpu_hour;

    if (text_in_list("owned", question->in->plan.purchase_option) && !isnan(price) &&
        !call_given(question->call, "price_per_gpu_hour"))
        add_number(out, "price_per_gpu_hour", price);
}

const char *options_plan_link(const struct options_question *question,
                              const struct options_found *found)
{
    struct buf out;

    if (question->call->model_config)
        return NULL;
    buf_init(&out, LINK_MAX);
    add_text(&out, "gpu", question->questions[found->candidate].gpu->slug);
    add_given(question, &out);
    if (question->maximize == MAXIMIZE_PARAMETERS)
        add_number(&out, "parameters", floor(found->parameters));
    if (question->maximize != MAXIMIZE_NOTHING)
        add_number(&out, "tokens", floor(found->tokens));
    if (!call_given(question->call, "deadline_days") && !isnan(question->in->plan.deadline_days))
        add_number(&out, "deadline_days", question->in->plan.deadline_days);
    add_price(question, found->candidate, &out);
    add_strategy(&found->plan->on, &out);
    add_text(&out, "as_of", question->call->answer.meta.as_of);
    const char *link = arena_print(question->call->arena, "/v1/training-plan%s", buf_data(&out));
    buf_free(&out);
    return link;
}

#include "estimate/training_search.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct training_strategy training_strategy_free(void)
{
    const double any = (double)NAN;

    return (struct training_strategy){.gpu_count = any,
                                      .tensor = any,
                                      .pipeline = any,
                                      .context = any,
                                      .expert = any,
                                      .data = any,
                                      .virtual_stages = any,
                                      .micro_batch = any,
                                      .zero_stage = any,
                                      .shard = any,
                                      .sequence_parallel = any,
                                      .recompute = TRAINING_RECOMPUTE_AUTO,
                                      .batch_sequences = any};
}

/* Values to try for one degree, in order. */
enum { OPTIONS_MAX = 128 };
struct options {
    double at[OPTIONS_MAX];
    size_t n;
};

struct search {
    const struct training_job *job;
    const struct training_strategy *pinned;
    struct training_rates rates;
    struct options experts; /* divisors of the number of experts; 1 where there are none */
    double nodes_gpus;      /* GPUs in a node of this run */
    bool any_batch;         /* let the data-parallel degree outgrow the default batch */
    bool stop_at_first;     /* all that is asked is whether something fits */
    double best, least;     /* seconds per sequence; bytes */
    struct training_plan *plan;
    bool found, fits;
};

static void option_add(struct options *options, double value)
{
    if (options->n < OPTIONS_MAX)
        options->at[options->n++] = value;
}

/* Exact below 2^53: a quotient that is not whole is off by more than rounding hides. */
static bool divides(double divisor, double whole)
{
    double times = whole / divisor;

    return divisor >= 1 && times == (double)(int64_t)times;
}

/* Start the options; true where the only one is what the caller pinned. */
static bool pinned_only(struct options *options, double pinned)
{
    options->n = 0;
    if (isnan(pinned))
        return false;
    option_add(options, pinned);
    return true;
}

static void tensor_options(const struct search *search, struct options *options)
{
    const struct training_strategy *pinned = search->pinned;

    if (pinned_only(options, pinned->tensor))
        return;
    for (double t = 1; t <= search->nodes_gpus; t++)
        if (divides(t, search->nodes_gpus) && divides(t, search->job->shape.heads) &&
            divides(t, pinned->gpu_count))
            option_add(options, t);
}

/* Only a sequence too long for one micro-batch is cut. */
static void context_options(const struct search *search, double t, struct options *options)
{
    double most = search->job->constants->micro_batch_tokens_max;

    if (pinned_only(options, search->pinned->context))
        return;
    option_add(options, 1);
    for (double c = 2; search->job->sequence_tokens / (c / 2) > most; c *= 2)
        if (divides(t * c, search->pinned->gpu_count) && divides(c, search->job->sequence_tokens))
            option_add(options, c);
}

/* Stages hold whole layers; embedding and head take one layer's place each where layers do not
 * divide. Uneven stages are tried where the slowest is at most 5 % above the mean. */
static bool even_enough(double layers, double p)
{
    double mean = (layers + 2) / p;

    return divides(p, layers) || ceil(mean) <= 1.05 * mean;
}

static void pipeline_options(const struct search *search, double t, double c,
                             struct options *options)
{
    const struct training_strategy *pinned = search->pinned;
    double layers = search->job->shape.layers, rest = pinned->gpu_count / (t * c);

    if (pinned_only(options, pinned->pipeline))
        return;
    for (double p = 1; p <= fmin(layers, rest); p++)
        if (divides(p, rest) && even_enough(layers, p))
            option_add(options, p);
}

static void expert_options(const struct search *search, double group, struct options *options)
{
    if (pinned_only(options, search->pinned->expert))
        return;
    for (size_t i = 0; i < search->experts.n; i++)
        if (divides(search->experts.at[i], group))
            option_add(options, search->experts.at[i]);
}

static void micro_batch_options(const struct search *search, const struct training_strategy *on,
                                struct options *options)
{
    double most = search->job->constants->micro_batch_tokens_max;

    if (pinned_only(options, search->pinned->micro_batch))
        return;
    for (double b = 1; b <= 8; b *= 2)
        if (b == 1 || b * search->job->sequence_tokens / on->context <= most)
            option_add(options, b);
}

static void zero_options(const struct search *search, const struct training_strategy *on,
                         struct options *options)
{
    if (pinned_only(options, search->pinned->zero_stage))
        return;
    if (on->data * on->context == 1) {
        option_add(options, 0);
        return;
    }
    bool adapters = training_adapters(search->job->method);
    option_add(options, adapters ? 0 : 1);
    if (on->pipeline > 1)
        return;
    if (!adapters)
        option_add(options, 2);
    option_add(options, 3);
}

/* The most chunks per stage that leave two layers in each, where micro-batches can take turns. */
static double most_virtual_stages(const struct search *search, const struct training_strategy *on)
{
    double layers = search->job->shape.layers / on->pipeline;
    double m = on->batch_sequences / (on->data * on->micro_batch);

    if (on->pipeline == 1 || layers != floor(layers) || !divides(on->pipeline, m))
        return 1;
    for (double v = floor(layers / 2); v > 1; v--)
        if (divides(v, layers))
            return v;
    return 1;
}

static void virtual_options(const struct search *search, const struct training_strategy *on,
                            struct options *options)
{
    if (pinned_only(options, search->pinned->virtual_stages))
        return;
    double most = most_virtual_stages(search, on);
    option_add(options, most);
    if (most > 1)
        option_add(options, 1);
}

static void recompute_options(const struct search *search, struct options *options)
{
    enum training_recompute pinned = search->pinned->recompute;

    if (pinned_only(options, pinned == TRAINING_RECOMPUTE_AUTO ? (double)NAN : (double)pinned))
        return;
    option_add(options, TRAINING_RECOMPUTE_NONE);
    if (!search->job->flash_attention) /* with fused attention it saves nothing */
        option_add(options, TRAINING_RECOMPUTE_SELECTIVE);
    option_add(options, TRAINING_RECOMPUTE_FULL);
}

/* How far rounding up to whole micro-batches may take the default batch: a strategy is not to look
 * fast because it trains on twice the batch. */
static const double BATCH_GROWTH_MAX = 1.25;

/* The batch that comes of whole micro-batches; false where there is none. */
static bool set_batch(const struct search *search, struct training_strategy *on)
{
    const struct training_job *job = search->job;
    double at_once = on->data * on->micro_batch;

    if (!isnan(job->batch_sequences)) {
        on->batch_sequences = job->batch_sequences;
        return divides(at_once, job->batch_sequences);
    }
    on->batch_sequences = ceil(job->batch_default / at_once) * at_once;
    return search->any_batch || on->batch_sequences <= BATCH_GROWTH_MAX * job->batch_default;
}

/* A micro-batch we chose leaves some memory free, one that was given may fill it. */
static double memory_limit(const struct search *search, const struct training_strategy *on,
                           const struct training_memory *memory)
{
    bool chosen = isnan(search->pinned->micro_batch) && on->micro_batch > 1;

    return memory->capacity * (chosen ? search->job->constants->micro_batch_memory_ratio : 1);
}

static void keep(struct search *search, const struct training_strategy *on,
                 const struct training_memory *memory, const struct training_step *step, bool fits)
{
    size_t n = search->plan->n_considered;

    *search->plan = (struct training_plan){*on, *memory, *step, fits, n};
    search->found = true;
    search->fits = fits;
}

/* Weigh one strategy; whether it fits. */
static bool consider(struct search *search, const struct training_strategy *on)
{
    struct training_memory memory = training_memory(search->job, on);
    bool fits = memory.required <= memory_limit(search, on, &memory);
    struct training_step step;

    search->plan->n_considered++;
    if (!fits && (search->fits || memory.required >= search->least))
        return false;
    training_step(search->job, &search->rates, on, &step);
    if (!fits) {
        search->least = memory.required;
        keep(search, on, &memory, &step, false);
        return false;
    }
    double each = step.seconds / on->batch_sequences;
    if (!search->fits || each < search->best * (1 - 1e-9)) {
        search->best = each;
        keep(search, on, &memory, &step, true);
    }
    return true;
}

/* Recompute only as much as needed: less is always faster. True where nothing was recomputed. */
static bool try_recompute(struct search *search, struct training_strategy *on)
{
    struct options recompute;

    recompute_options(search, &recompute);
    for (size_t i = 0; i < recompute.n; i++) {
        on->recompute = (enum training_recompute)recompute.at[i];
        if (consider(search, on))
            return i == 0;
    }
    return false;
}

static void try_zero(struct search *search, struct training_strategy *on)
{
    struct options zero, chunks;

    zero_options(search, on, &zero);
    virtual_options(search, on, &chunks);
    for (size_t i = 0; i < chunks.n; i++) {
        bool light = false;
        on->virtual_stages = chunks.at[i];
        for (size_t j = 0; j < zero.n; j++) {
            on->zero_stage = zero.at[j];
            if (light && on->zero_stage == 2) /* as fast as stage 1, which fits */
                continue;
            light = try_recompute(search, on);
            if (search->stop_at_first && search->fits)
                return;
        }
    }
}

static void try_micro_batches(struct search *search, struct training_strategy *on)
{
    struct options micro;

    on->data = on->gpu_count / (on->tensor * on->pipeline * on->context);
    if (on->data != floor(on->data) || on->data < 1 ||
        (!isnan(search->pinned->data) && on->data != search->pinned->data))
        return;
    on->sequence_parallel = isnan(search->pinned->sequence_parallel)
                                ? on->tensor > 1
                                : search->pinned->sequence_parallel > 0 && on->tensor > 1;
    micro_batch_options(search, on, &micro);
    struct options experts;
    expert_options(search, on->data * on->context * on->tensor, &experts);
    for (size_t i = 0; i < experts.n; i++)
        for (size_t j = 0; j < micro.n; j++) {
            on->expert = experts.at[i];
            on->micro_batch = micro.at[j];
            if (divides(on->expert, on->data * on->context * on->tensor) && set_batch(search, on))
                try_zero(search, on);
            if (search->stop_at_first && search->fits)
                return;
        }
}

static void try_all(struct search *search)
{
    struct training_strategy on = {.gpu_count = search->pinned->gpu_count};
    struct options tensor;

    tensor_options(search, &tensor);
    for (size_t i = 0; i < tensor.n; i++) {
        struct options context;
        on.tensor = tensor.at[i];
        context_options(search, on.tensor, &context);
        for (size_t j = 0; j < context.n; j++) {
            struct options pipeline;
            on.context = context.at[j];
            pipeline_options(search, on.tensor, on.context, &pipeline);
            for (size_t k = 0; k < pipeline.n; k++) {
                on.pipeline = pipeline.at[k];
                try_micro_batches(search, &on);
                if (search->stop_at_first && search->fits)
                    return;
            }
        }
    }
}

static void set_experts(struct search *search)
{
    option_add(&search->experts, 1);
    for (double e = 2; e <= search->job->shape.experts; e++)
        if (divides(e, search->job->shape.experts))
            option_add(&search->experts, e);
}

static bool run(struct search *search, struct training_plan *plan)
{
    *plan = (struct training_plan){.n_considered = 0};
    search->plan = plan;
    search->rates = training_rates(search->job);
    search->experts.n = 0;
    set_experts(search);
    search->nodes_gpus = fmin(search->job->gpus_per_node, search->pinned->gpu_count);
    search->best = search->least = (double)INFINITY;
    try_all(search);
    return search->found;
}

bool training_search(const struct training_job *job, const struct training_strategy *pinned,
                     struct training_plan *plan)
{
    struct search search = {.job = job, .pinned = pinned};

    if (run(&search, plan))
        return true;
    search.any_batch = true; /* so many GPUs that the default batch does not go round */
    return run(&search, plan);
}

bool training_search_within_batch(const struct training_job *job,
                                  const struct training_strategy *pinned,
                                  struct training_plan *plan)
{
    struct search search = {.job = job, .pinned = pinned};

    return run(&search, plan);
}

bool training_fits(const struct training_job *job, const struct training_strategy *pinned,
                   double gpu_count)
{
    struct training_strategy asked = *pinned;
    struct search search = {.job = job, .pinned = &asked, .stop_at_first = true};
    struct training_plan plan;

    asked.gpu_count = gpu_count;
    return run(&search, &plan) && plan.fits;
}

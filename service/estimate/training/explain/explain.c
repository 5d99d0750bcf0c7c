#include "estimate/training/explain/explain.h"

#include "base/units.h"
#include "estimate/ownership/ownership.h"
#include "estimate/training/explain/context.h"
#include "estimate/training/optimizer_step.h"
#include "estimate/training/plan/bill.h"
#include "estimate/training/plan/rules.h"

#include <math.h>
#include <string.h>

#define PRINT(...) arena_print(to->arena, __VA_ARGS__)

/* Where fitted constants with these keys, and the GPU's data sheet, can be looked up. */
#define FITTED(keys) "/v1/assumptions?group=training_model, fitted to published runs: " keys
#define SHEET(keys) PRINT("/v1/gpus/%s; %s%s", gpu->slug, FITTED(""), keys)
#define STACK "; what is whole and when depends on the stack"

static const char INTERVAL[] =
    "80% interval of runs left out of the fit, /v1/assumptions?key=step_interval_factor; 1 where "
    "the utilization is given";
static const char YOUNG[] =
    "Young, Communications of the ACM 17 (1974), 530: the interval that loses least";
static const char DALY[] =
    "Daly, Future Generation Computer Systems 22 (2006), 303: failures during checkpoints and "
    "restarts counted too; rates as given or /v1/assumptions?key=failures_per_1000_gpu_days, "
    "restart_seconds, checkpoint_storage_rate";

/* ---- rows of figures.def that expand to several symbols or figures */

#define TIME(...) TIME_IF(true, __VA_ARGS__)
#define TIME_IF(shown, ...) EXPLAIN_IF(!stated && (shown), __VA_ARGS__)

#define BOUND(key, unit, value, of, estimate) \
    LOCAL("factor", "", (value) / (estimate)) \
    EXPLAIN_KNOWN(key, unit, value, of " x factor", INTERVAL)

#define COST(key, value, hours)                                        \
    LOCAL("gpu_hours", "GPU-hours", hours)                             \
    EXPLAIN_KNOWN(key, "USD", value, "gpu_hours x price_per_gpu_hour", \
                  "rounded to cents; the price is an input with its own source")

#define COST_END(key, value, end_credits, end_bill, hours, run_days, provider_price, bound, sign)  \
    LOCAL("unused", "USD", training_unused(a->goal, on->gpu_count, hours))                         \
    LOCAL("ratio", "", hours_ratio)                                                                \
    LOCAL("hours_end", "", (hours) / t->gpu_hours)                                                 \
    LOCAL("price_end", "", (provider_price) / a->goal->price_per_gpu_hour)                         \
    LOCAL("other", "USD", training_other_cost(a->goal, run_days))                                  \
    LOCAL("credits", "USD", end_credits)                                                           \
    LOCAL("bill", "USD", end_bill)                                                                 \
    EXPLAIN_KNOWN(                                                                                 \
        key, "USD", value,                                                                         \
        bound "(total_cost, " bound "(bill, gpu_hours x price_per_gpu_hour x ratio x pow(2, " sign \
              "sqrt(log2(hours_end) x log2(hours_end) + "                                          \
              "log2(price_end) x log2(price_end))) + unused x price_end) + other - credits)",      \
        "hours and price err apart from one another: their logarithms add up as "                  \
        "squares; price_end is an end of the price over the price: the cheapest or most "          \
        "expensive provider, of one provider provider_price_ratio, of the one named 1, "           \
        "unused what is billed beyond the hours, bill the cheapest or the most expensive "         \
        "provider's where clusters have a shortest rental, else the same, other what is paid "     \
        "besides GPU-hours, "                                                                      \
        "credits the rent that cloud_credits pay")

#define SHARE(key, of) SHARE_IF(true, key, of)
#define SPOT_SHARE(key, of) SHARE_IF((of).failures > 0, key, of)
#define SHARE_IF(shown, key, of)                                                             \
    LOCAL("checkpoint", "s", (of).checkpoint_seconds)                                        \
    LOCAL("between", "s", 1000 * 86400 / ((of).failures * a->run->gpu_count))                \
    LOCAL("restart", "s", (of).restart_seconds)                                              \
    EXPLAIN_IF(shown, key, "ratio", (of).share,                                              \
               isfinite((of).failure_interval)                                               \
                   ? "sqrt(2 x checkpoint x between) / (between x exp(restart / between) x " \
                     "(exp((sqrt(2 x checkpoint x between) + checkpoint) / between) - 1))"   \
                   : "1",                                                                    \
               isfinite((of).failure_interval) ? DALY : "nothing fails")

/* A given utilization does not tell how the step divides. */
static void add_stated_time(struct explanations *to, const struct line_items *line_items)
{
    for (size_t i = 0; i < line_items->n; i++)
        if (strcmp(line_items->at[i].group, "time") == 0)
            EXPLAIN(line_items->at[i].key, "s", line_items->at[i].value, "step_seconds",
                    "the utilization given makes one line of the whole step")
}

/* True if the slowest stage has an even share of the layers and a head, according to its time;
 * otherwise embedding and head take one layer's place each. */
static bool has_even_stages(const struct training_job *job, const struct training_strategy *on,
                            const struct training_step *step)
{
    double even = job->shape.layers / on->pipeline * step->layer.t_total + step->t_head;

    return on->pipeline == 1 || fabs(even - step->t_max) <= 1e-9 * fabs(step->t_max);
}

void training_explain(const struct training_answer *a, struct explanations *to)
{
    const struct training_job *job = a->job;
    const struct model_shape *shape = &job->shape;
    const struct gpu *gpu = job->gpu;
    const struct training_constants *k = job->constants;
    const struct training_strategy *on = &a->plan->on;
    const struct training_step *step = &a->plan->step;
    const struct training_layer *l = &step->layer;
    const struct training_memory *memory = &a->plan->memory;
    const struct training_totals *t = a->totals;
    const struct training_phases *phases = &t->phases;
    double passes = training_forward_passes(job, step->micro_batches);
    const struct training_cost *bill = a->bill;
    struct training_bill_ends ends = training_bill_ends(a->goal, on->gpu_count, t);
    struct training_rates rates = training_rates(job);
    struct training_bytes bytes = training_job_bytes(job);
    struct training_again again = training_again(job, on, l);
    struct training_traffic traffic = training_traffic(job, a->plan);
    struct training_holding held = training_explain_holding(a);
    struct training_optimizer_step update = training_explain_optimizer_step(a);
    struct goodput worst = goodput_worst(a->failure_rates, a->run);
    struct goodput best = goodput_best(a->failure_rates, a->run);
    struct links links = training_links(job, on->gpu_count);
    bool stated = !isnan(a->goal->model_flops_utilization);
    bool even_stages = has_even_stages(job, on, step), in_node = on->gpu_count <= links.node;
    bool zero_bubble = job->schedule == TRAINING_ZERO_BUBBLE;
    bool dualpipe = job->schedule == TRAINING_DUALPIPE && on->pipeline > 1;
    bool overlapped = training_expert_overlap(job);
    bool interleaved = on->pipeline > 1 && on->virtual_stages > 1;
    bool offload = job->offload != TRAINING_OFFLOAD_NONE;
    bool weights_on_host = job->offload == TRAINING_OFFLOAD_PARAMETERS;
    double flop_per_token = training_flop_per_token(job),
           attention_flop = training_attention_flop(job);
    double exchanges = 4 + 2 * training_whole_layers(on);
    double step_gpu_hours = (t->gpu_hours - t->setup_gpu_hours) / training_calendar_ratio(a->goal) /
                            (1 + t->interruption_ratio);
    const struct training_extras *extras = &a->goal->extras;
    struct training_other other = training_other(a->goal, t->days);
    struct goodput_run reclaimed = training_spot_run(extras, on->gpu_count);
    double months = t->days * HOURS_PER_DAY / HOURS_PER_MONTH;
    double hours_ratio = training_hours_ratio(extras);
    double cheapest, dearest;
    struct goodput spot = goodput_of(extras->rates, &reclaimed);
    double stage_layers =
        even_stages ? shape->layers / on->pipeline : ceil((shape->layers + 2) / on->pipeline);

    training_price_ends(a->goal, on->gpu_count, &cheapest, &dearest);
#include "estimate/training/explain/symbols.def"
#include "estimate/training/explain/figures.def"
    explain_substitute(to);
}

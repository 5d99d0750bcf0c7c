#include "estimate/training/plan/cost.h"

#include "base/cents.h"
#include "base/units.h"
#include "estimate/training/plan/bill.h"

#include "estimate/ownership/ownership.h"

#include <math.h>
#include <string.h>

static void add_memory_lines(struct line_items *line_items, const struct training_memory *memory)
{
    line_items_add_memory(
        line_items, "weights", memory->weights,
        "2 bytes a weight (4 in FP32, NF4 under qlora) of the busiest stage, over tensor "
        "parallel; ZeRO 3 divides by the replicas and adds the layers gathered");
    line_items_add_memory(
        line_items, "gradients", memory->gradients,
        "4 bytes a trained weight, ZeRO 2 and 3 divide them; the scratch of one layer's "
        "16-bit gradients");
    line_items_add_memory(
        line_items, "optimizer_states", memory->optimizer,
        "master weights and moments, 12 bytes a trained weight with Adam, ZeRO 1 to 3 "
        "divide them");
    line_items_add_memory(line_items, "activations", memory->activations,
                          "activations kept for the backward pass, of every layer and micro-batch "
                          "in flight, and the logits");
    line_items_add_memory(line_items, "kv_cache", memory->kv_cache, "training keeps none");
    line_items_add_memory(line_items, "overhead", memory->overhead,
                          "CUDA context and communication buffers");
    if (memory->correction != 0)
        line_items_add_memory(line_items, "memory_correction", memory->correction,
                              "correction by measured runs, overhead excluded");
}

static void add_time_lines(struct line_items *line_items, const struct training_step *step,
                           const struct training_correction *correction)
{
    line_items_add_time(
        line_items, "compute", step->compute,
        "matrix products, attention, elementwise work and the output layer, forward and "
        "backward, of the slowest stage");
    line_items_add_time(line_items, "tensor_parallel_communication", step->tensor_communication,
                        "exposed part of the gathers and scatters inside each layer");
    line_items_add_time(line_items, "pipeline_bubble", step->pipeline_bubble,
                        "(stages - 1) / virtual stages micro-batches of waiting");
    line_items_add_time(line_items, "pipeline_communication", step->pipeline_communication,
                        "activations sent between stages");
    line_items_add_time(line_items, "data_parallel_communication", step->data_communication,
                        "exposed part of the gradient reduction; under ZeRO 3 of the gathers too");
    line_items_add_time(line_items, "expert_parallel_communication", step->expert_communication,
                        "exposed part of sending tokens to their experts and back");
    line_items_add_time(line_items, "context_parallel_communication", step->context_communication,
                        "exposed part of passing keys and values around the ring");
    line_items_add_time(line_items, "recompute", step->recompute,
                        "forward work done again in the backward pass");
    line_items_add_time(line_items, "optimizer_step", step->optimizer_step,
                        "reading and writing states, gradients and weights");
    if (correction->runs > 0)
        line_items_add_time(line_items, "correction", (correction->factor - 1) * step->seconds,
                            "correction by the measured run");
}

static void add_phases(struct line_items *line_items, const struct training_phases *phases)
{
    if (phases->forward > 0)
        line_items_add_time(line_items, "forward_passes", phases->forward,
                            "passes without gradients: of the reference; with grpo and ppo of the "
                            "policy that wrote the answers; with ppo of reward model and critic; "
                            "with embedding of all texts, where the batch is read in pieces");
    if (phases->critic > 0)
        line_items_add_time(line_items, "critic_update", phases->critic,
                            "the update once more, by the critic's weights over the policy's");
    if (phases->generation != 0)
        line_items_add_time(line_items, "generation", phases->generation,
                            "answers written on the same GPUs until the longest is complete, with "
                            "rewards and handing over weights: rollout_ratio times the engine's "
                            "time");
}

/* A given utilization does not tell how the step divides. */
static void add_stated_time(struct line_items *line_items, double seconds)
{
    const struct training_step unknown = {
        .compute = seconds,
        .seconds = seconds,
        .tensor_communication = (double)NAN,
        .pipeline_bubble = (double)NAN,
        .pipeline_communication = (double)NAN,
        .data_communication = (double)NAN,
        .expert_communication = (double)NAN,
        .context_communication = (double)NAN,
        .recompute = (double)NAN,
        .optimizer_step = (double)NAN,
    };

    add_time_lines(line_items, &unknown, &(struct training_correction){1, 1, 0});
}

/* Divides a sum of money into parts; the last part takes the rounding remainder. */
struct division {
    struct line_items *line_items;
    double price, left; /* of a GPU-hour; USD not yet divided */
};

static void add_part(struct division *of, const char *key, double hours, const char *formula)
{
    of->left -= cents_round(hours * of->price);
    line_items_add_cost(of->line_items, key, hours, "GPU-hours", of->price, formula);
}

static void add_calendar(struct division *run, double hours, bool setup_follows)
{
    const char *formula = "time of whole runs beyond their steps: (calendar_ratio - 1) x those "
                          "hours";

    if (setup_follows)
        add_part(run, "calendar_gpu_hours", hours, formula);
    else
        line_items_add_cost_rest(run->line_items, "calendar_gpu_hours", hours, run->price,
                                 run->left, formula);
}

/* GPU-hours of the run itself, whose rent is rounded once. */
static void add_run(struct training_cost *bill, double price, const struct training_goal *goal,
                    const struct training_totals *totals)
{
    double setup = totals->setup_gpu_hours;
    double steps = (totals->gpu_hours - setup) / training_calendar_ratio(goal);
    double lost = totals->interruption_ratio;
    struct division run = {&bill->line_items, price, cents_round(totals->gpu_hours * price)};

    bill->run_cost = run.left;
    add_part(&run, "step_gpu_hours", steps / (1 + lost),
             "GPUs x hours of the steps, goodput included");
    if (lost > 0)
        add_part(&run, "interruption_gpu_hours", steps - steps / (1 + lost),
                 "hours lost to reclaimed spot instances: work since the last checkpoint, and "
                 "restarts, at spot_interruptions_per_instance_month");
    add_calendar(&run, steps * (training_calendar_ratio(goal) - 1), setup > 0);
    if (setup > 0)
        line_items_add_cost_rest(&bill->line_items, "setup_gpu_hours", setup, price, run.left,
                                 "hours before the first step, at setup_seconds: machines start, "
                                 "weights arrive, software is compiled");
}

/* In GPU-hours at the median price, since each provider rounds differently. */
static void add_unused(struct training_cost *bill, double price)
{
    if (bill->unused_cost > 0)
        line_items_add_cost_rest(&bill->line_items, "unused_rent", bill->unused_gpu_hours, price,
                                 bill->unused_cost,
                                 "rented time that is billed and not used: hours rounded up as "
                                 "each provider bills them, reservations to whole terms, "
                                 "clusters to their shortest rental");
}

static void add_around(struct training_cost *bill, double price, const struct training_goal *goal,
                       const struct training_totals *totals)
{
    const struct training_extras *extras = &goal->extras;
    struct training_other other = training_other(goal, totals->days);
    struct line_items *lines = &bill->line_items;

    line_items_add_cost(lines, "repeated_gpu_hours", extras->repeated_run_ratio * totals->gpu_hours,
                        "GPU-hours", price,
                        "runs that fail and are repeated: repeated_run_ratio x gpu_hours");
    line_items_add_cost(lines, "experiment_gpu_hours", extras->experiment_ratio * totals->gpu_hours,
                        "GPU-hours", price,
                        "experiments before the run: experiment_ratio x gpu_hours");
    line_items_add_cost(lines, "storage", other.storage_gb_months, "GB-months",
                        extras->storage_price_per_gb_month,
                        "(checkpoints_kept x checkpoint + tokens x dataset_bytes_per_token) x "
                        "months of the run");
    line_items_add_cost(lines, "egress", other.egress_gb, "GB", extras->egress_price_per_gb,
                        "the trained weights, sent out once: egress_gb");
    line_items_add_cost(lines, "staff", other.staff_fte_months, "FTE-months",
                        extras->staff_cost_per_fte_year / MONTHS_PER_YEAR,
                        "training_staff_fte x months of the run");
}

/* The sum of the cost lines, each in whole cents. */
static double sum_cost(const struct line_items *line_items)
{
    double cents = 0;

    for (size_t i = 0; i < line_items->n; i++)
        if (strcmp(line_items->at[i].group, "cost") == 0)
            cents += cents_whole(line_items->at[i].amount);
    return cents / 100;
}

/* Credits pay the rent of the lines above. */
static void add_credits(struct training_cost *bill, const struct training_goal *goal,
                        const struct training_totals *totals)
{
    double rent = bill->total_cost - training_other_cost(goal, totals->days);

    bill->credits_used = cents_round(training_credits(&goal->extras, rent, totals->days));
    if (bill->credits_used > 0)
        line_items_add_cost(&bill->line_items, "cloud_credits", 1, "once", -bill->credits_used,
                            "rent that cloud_credits pay, until cloud_credits_months are over");
}

static void add_cost(struct training_cost *bill, double price, const struct training_plan *plan,
                     const struct training_goal *goal, const struct training_totals *totals)
{
    struct training_bill_ends ends = training_bill_ends(goal, plan->on.gpu_count, totals);

    double unused = training_unused(goal, plan->on.gpu_count, totals->gpu_hours);

    bill->unused_cost = cents_round(unused);
    bill->unused_gpu_hours = unused > 0 ? unused / price : 0;
    add_run(bill, price, goal, totals);
    add_unused(bill, price);
    add_around(bill, price, goal, totals);
    bill->total_cost = sum_cost(&bill->line_items);
    add_credits(bill, goal, totals);
    bill->total_cost = sum_cost(&bill->line_items);
    /* The total is a sum of lines in whole cents; its ends are rounded once. */
    double low = cents_round(ends.low), high = cents_round(ends.high), total = bill->total_cost;
    bill->total_cost_low = low > total ? total : low;
    bill->total_cost_high = high < total ? total : high;
    bill->energy_kwh = training_energy_kwh(&goal->extras, totals->gpu_hours);
}

static void set_duration(struct training_cost *bill, double gpu_count, double price,
                         const struct training_goal *goal, const struct training_totals *totals,
                         const struct training_rental *rental)
{
    double hours = rental->duration_hours * rental->hours_per_day / 24;

    bill->duration_hours = hours;
    bill->duration_gpu_hours = gpu_count * hours;
    bill->duration_cost =
        cents_round(bill->duration_gpu_hours * price +
                    training_unused_rent(goal, gpu_count, bill->duration_gpu_hours));
    double trained = bill->duration_gpu_hours - totals->setup_gpu_hours;
    bill->duration_tokens = (trained < 0 ? 0 : trained) * SECONDS_PER_HOUR *
                            totals->tokens_per_second_per_gpu / training_calendar_seconds(goal);
    bill->runs_per_week = floor(HOURS_PER_WEEK / hours);
}

/* NAN unless both are known. */
static double at_most(double value, double limit)
{
    return isnan(value) || isnan(limit) ? (double)NAN : value <= limit;
}

static void set_verdicts(struct training_cost *bill, const struct training_goal *goal,
                         const struct training_totals *totals)
{
    double cost = isnan(bill->total_cost) ? bill->duration_cost : bill->total_cost;

    bill->budget_used_ratio = goal->budget > 0 ? cost / goal->budget : (double)NAN;
    bill->within_budget = at_most(cost, goal->budget);
    bill->meets_deadline = at_most(totals->days, goal->deadline_days);
}

void training_cost(const struct training_plan *plan, const struct training_goal *goal,
                   const struct training_totals *totals, const struct training_rental *rental,
                   struct training_cost *bill)
{
    *bill = (struct training_cost){.line_items = {.n = 0}};
    add_memory_lines(&bill->line_items, &plan->memory);
    if (isnan(goal->model_flops_utilization)) {
        add_time_lines(&bill->line_items, &plan->step, &totals->correction);
        add_phases(&bill->line_items, &totals->phases);
    } else {
        add_stated_time(&bill->line_items, totals->step_seconds);
    }
    double price = training_price(goal, plan->on.gpu_count);
    add_cost(bill, price, plan, goal, totals);
    set_duration(bill, plan->on.gpu_count, price, goal, totals, rental);
    set_verdicts(bill, goal, totals);
}

static double network_seconds(const struct training_step *step)
{
    return step->tensor_communication + step->pipeline_communication + step->data_communication +
           step->expert_communication + step->context_communication;
}

const char *training_bound(const struct training_step *step)
{
    double network = network_seconds(step);
    double most = fmax(fmax(step->arithmetic, step->memory), fmax(network, step->pipeline_bubble));

    return most == step->arithmetic ? "compute"
           : most == step->memory   ? "memory"
           : most == network        ? "network"
                                    : "pipeline";
}

double training_scaling_ratio(const struct training_step *step)
{
    return 1 - (network_seconds(step) + step->pipeline_bubble) / step->seconds;
}

double training_shard(const struct training_strategy *on)
{
    if (on->zero_stage < 1)
        return 1;
    return on->shard > 0 ? on->shard : on->data * on->context;
}

const char *training_memory_bound(const struct training_memory *memory)
{
    double states = fmax(memory->gradients, memory->optimizer);
    double most = fmax(fmax(memory->weights, states), fmax(memory->activations, memory->overhead));

    return most == memory->weights       ? "weights"
           : most == memory->optimizer   ? "optimizer_states"
           : most == memory->activations ? "activations"
           : most == memory->gradients   ? "gradients"
                                         : "overhead";
}

double training_hours_at_peak(const struct training_job *job, double gpu_count, double tokens)
{
    return tokens * training_flop_per_token(job) /
           (gpu_count * training_peak(job->gpu, job->precision)) / SECONDS_PER_HOUR;
}

/* The account of a plan: lines add up, adapters and precisions weigh what they should, rules of
 * thumb give the figures people arrive with. */
#include "estimate/training/gathered.h"
#include "estimate/training/plan/bill.h"
#include "estimate/training/plan/cost.h"
#include "estimate/training/plan/rules.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <stdlib.h>

static struct catalog *catalog;
static struct training_constants constants;
static const double unknown = (double)NAN, GIB = 1073741824.0;

static struct training_job job_of(double parameters, const char *gpu, enum training_method method)
{
    struct model model;

    model_shape_typical(parameters, &model);
    struct model_shape shape = model_shape_of(&model);
    struct training_job job = fixture_job(&constants, catalog_gpu(catalog, gpu), &shape);
    job.method = method;
    training_complete(&job, unknown);
    return job;
}

static struct training_plan plan_of(const struct training_job *job, double gpu_count)
{
    struct training_strategy open = training_strategy_free();
    struct training_plan plan;

    open.gpu_count = gpu_count;
    if (!training_search(job, &open, &plan)) {
        printf("Bail out! nothing found\n");
        exit(1);
    }
    return plan;
}

static double line_sum(const struct training_cost *bill, const char *group)
{
    double sum = 0;

    for (size_t i = 0; i < bill->line_items.n; i++)
        if (strcmp(bill->line_items.at[i].group, group) == 0)
            sum += isnan(bill->line_items.at[i].amount) ? bill->line_items.at[i].value
                                                        : bill->line_items.at[i].amount;
    return sum;
}

static void lines_add_up(void)
{
    struct training_job job = job_of(13e9, "h100-sxm5-80gb", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 16);
    struct training_goal goal = {1e11, 0.95, {1, 1, 1}, unknown, 30, 1e5,  2.5, NULL,
                                 0,    0,    {0},       {0},     0,  NULL, NULL};
    struct training_totals totals = training_totals(&job, &plan, &goal);
    struct training_rental rental = {120, 24};
    struct training_cost bill;

    training_cost(&plan, &goal, &totals, &rental, &bill);
    is_near(line_sum(&bill, "memory"), plan.memory.required / GIB, 1e-12, "memory lines");
    is_near(line_sum(&bill, "time"), totals.step_seconds, 1e-12, "time lines");
    is_near(line_sum(&bill, "cost"), bill.total_cost, 1e-12, "cost lines");
    is_near(bill.duration_cost, 16 * 120 * 2.5, 1e-12, "five days of 16 GPUs");
    ok(bill.runs_per_week == 1, "one whole run of five days in a week");
    ok(bill.within_budget == (bill.total_cost <= 1e5), "the budget is held against the total");
    is_near(totals.days * 86400 * goal.goodput, totals.steps * totals.step_seconds, 1e-12,
            "days carry the goodput");
    is_near(totals.steps, ceil(1e11 / (plan.on.batch_sequences * 4096)), 0, "whole steps");
    is_near(totals.model_flops_utilization,
            1e12 * totals.model_tflops_per_gpu / training_peak(job.gpu, job.precision), 1e-12,
            "utilization is of the dense peak");
}

static void is_interval(const struct training_job *job, const struct training_plan *plan,
                        double low, double high, const char *what)
{
    struct training_goal goal = {1e11, 0.95, {1, 1, 1}, unknown, unknown, unknown, 2.5, NULL,
                                 0,    0,    {0},       {0},     0,       NULL,    NULL};
    struct training_totals totals = training_totals(job, plan, &goal);

    is_near(totals.step_seconds_low / totals.step_seconds, low, 1e-12, "%s, low", what);
    is_near(totals.step_seconds_high / totals.step_seconds, high, 1e-12, "%s, high", what);
}

/* Its class, and never narrower than its software and its hardware are known. */
static void intervals(void)
{
    const struct training_constants *k = &constants;
    struct training_job job = job_of(13e9, "h100-sxm5-80gb", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 16);

    plan.division_searched = plan.recompute_searched = false;
    job.stack = TRAINING_STACK_MEGATRON;
    is_interval(&job, &plan, fmin(k->divided_low, k->stated_low),
                fmax(k->divided_high, k->stated_high), "divided by tensor parallelism");
    plan.on.tensor = plan.on.pipeline = plan.on.context = 1;
    is_interval(&job, &plan, fmin(k->dense_low, k->stated_low), fmax(k->dense_high, k->stated_high),
                "not divided");
    job.stack = TRAINING_STACK_JAX;
    is_interval(&job, &plan, fmin(k->dense_low, k->stated_low),
                fmax(k->divided_high, k->stated_high), "not divided, under JAX");
    job.stack = TRAINING_STACK_UNSPECIFIED;
    is_interval(&job, &plan, k->unstated_low, k->unstated_high, "software not stated");
    job.gpu = catalog_gpu(catalog, "tpu-v5e");
    is_interval(&job, &plan, k->tpu_low, k->tpu_high, "TPU");
    job.gpu = catalog_gpu(catalog, "h100-sxm5-80gb");
    job.shape.moe = true;
    is_interval(&job, &plan, k->mixture_low, k->mixture_high, "mixture");
    job.stack = TRAINING_STACK_FSDP;
    is_interval(&job, &plan, k->mixture_low, k->mixture_high, "mixture under FSDP");
    job.stack = TRAINING_STACK_MEGATRON;
    is_interval(&job, &plan, fmin(k->moe_low, k->stated_low), fmax(k->moe_high, k->stated_high),
                "mixture under Megatron");
}

/* What we chose is faster than what people choose: the interval of a step holds theirs. */
static void searched_intervals(void)
{
    const struct training_constants *k = &constants;
    struct training_job job = job_of(13e9, "h100-sxm5-80gb", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 16);

    ok(plan.division_searched && plan.recompute_searched, "nothing is pinned");
    plan.on.tensor = plan.on.pipeline = plan.on.context = 1;
    is_interval(&job, &plan, k->unstated_low, k->searched_high, "all searched");
    plan.recompute_searched = false;
    is_interval(&job, &plan, k->unstated_low, k->searched_division_high, "the division searched");
    plan.division_searched = false;
    plan.recompute_searched = true;
    is_interval(&job, &plan, k->unstated_low, k->searched_recompute_high, "recomputation searched");
    job.stack = TRAINING_STACK_FSDP;
    is_interval(&job, &plan, fmin(k->dense_low, k->searched_recompute_low),
                k->searched_recompute_high, "recomputation searched, FSDP");
    job.gpu = catalog_gpu(catalog, "tpu-v5e");
    is_interval(&job, &plan, fmin(k->tpu_low, k->dense_low), k->searched_recompute_high,
                "recomputation searched, TPU");
}

/* The interval of calendar_ratio holds slower settings already; without one, days have the step's.
 */
static void interval_of_days(void)
{
    struct training_job job = job_of(13e9, "h100-sxm5-80gb", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 16);
    struct training_goal goal = {
        1e11, 0.95, {1.2, 1.2, 1.5}, unknown, unknown, unknown, 2.5, NULL, 0, 0, {0}, {0}, 0,
        NULL, NULL};
    struct training_totals searched = training_totals(&job, &plan, &goal);

    plan.division_searched = plan.recompute_searched = false;
    struct training_totals stated = training_totals(&job, &plan, &goal);
    is_near(searched.days_high, stated.days_high, 0, "days, of a published calendar");
    ok(searched.step_seconds_high > stated.step_seconds_high, "their step is wider");
    plan.division_searched = plan.recompute_searched = true;
    goal.calendar = (struct training_calendar){1.2, 1.2, 1.2};
    struct training_totals given = training_totals(&job, &plan, &goal);
    is_near(given.days_high / given.days, given.step_seconds_high / given.step_seconds, 1e-12,
            "days, of a calendar that is given");
}

/* Every line is what it says, and the ends hold hours and price alike. */
static void bill_beside_the_run(void)
{
    struct training_job job = job_of(13e9, "h100-sxm5-80gb", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 16);
    struct training_goal goal = {1e11, 0.95, {1, 1, 1}, unknown, unknown, 1e5,  2.5, NULL,
                                 0,    0,    {0},       {0},     0,       NULL, NULL};
    struct training_totals totals = training_totals(&job, &plan, &goal);
    struct training_cost plain, bill;
    struct training_rental rental = {unknown, 24};
    struct goodput_constants rates = {.restart = 600, .storage_rate = 1e8};

    training_cost(&plan, &goal, &totals, &rental, &plain);
    goal.extras = (struct training_extras){
        .rates = &rates,
        .spot = {.failures = 5, .checkpoint_seconds = unknown, .restart_seconds = unknown},
        .gpus_per_instance = 8,
        .experiment_ratio = 0.5,
        .repeated_run_ratio = 0.25,
        .checkpoints_kept = 10,
        .dataset_bytes_per_token = 3,
        .storage_price_per_gb_month = 0.02,
        .egress_given_gb = unknown,
        .egress_price_per_gb = 0.09,
        .staff_fte = 2,
        .staff_cost_per_fte_year = 120000,
        .kwh_per_gpu_hour = 1.5};
    training_extras_size(&goal.extras, &job);
    struct training_totals spot = training_totals(&job, &plan, &goal);
    training_cost(&plan, &goal, &spot, &rental, &bill);
    double months = spot.days * 24 / 730;
    double stored = 10 * goodput_checkpoint_bytes(&job) / 1e9 + 3e11 / 1e9;
    double other = stored * months * 0.02 + 26 * 0.09 + 2 * months * 10000;
    ok(spot.interruption_ratio > 0, "interruptions take time");
    is_near(spot.days, totals.days * (1 + spot.interruption_ratio), 1e-12, "which is paid for");
    is_near(line_sum(&bill, "cost"), bill.total_cost, 1e-12, "lines of the bill");
    is_near(bill.run_cost, spot.gpu_hours * 2.5, 1e-6, "of which the run");
    is_near(bill.total_cost, spot.gpu_hours * 1.75 * 2.5 + other, 1e-3, "and all around it");
    is_near(plain.total_cost, totals.gpu_hours * 2.5, 1e-6, "without any it is the run");
    ok(bill.total_cost_low < bill.total_cost && bill.total_cost < bill.total_cost_high,
       "between its ends");
    is_near(bill.energy_kwh, spot.gpu_hours * 1.75 * 1.5, 1e-12, "all GPU-hours draw power");
}

/* A stated utilization replaces the estimate, its interval and the split of the step. */
static void stated_utilization(void)
{
    struct training_job job = job_of(8e9, "a100-sxm4-80gb", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 8);
    struct training_goal goal = {1e11, 1, {1, 1, 1}, 0.4, unknown, unknown, unknown, NULL,
                                 0,    0, {0},       {0}, 0,       NULL,    NULL};
    struct training_totals totals = training_totals(&job, &plan, &goal);
    struct training_rental rental = {unknown, 24};
    struct training_cost bill;

    training_cost(&plan, &goal, &totals, &rental, &bill);
    is_near(totals.model_flops_utilization, 0.4, 1e-12, "as stated");
    is_near(totals.step_seconds_low, totals.step_seconds_high, 1e-12, "no interval of ours");
    ok(isnan(bill.total_cost) && isnan(bill.within_budget), "no price, no cost");
    for (size_t i = 0; i < bill.line_items.n; i++)
        if (strcmp(bill.line_items.at[i].key, "recompute") == 0)
            ok(isnan(bill.line_items.at[i].value), "the split of the step is unknown");
}

static void adapters(void)
{
    struct training_job full = job_of(7e9, "h100-sxm5-80gb", TRAINING_FULL);
    struct training_job lora = job_of(7e9, "h100-sxm5-80gb", TRAINING_LORA);
    struct training_job qlora = job_of(7e9, "h100-sxm5-80gb", TRAINING_QLORA);
    struct training_strategy on = {.gpu_count = 1,
                                   .tensor = 1,
                                   .pipeline = 1,
                                   .context = 1,
                                   .expert = 1,
                                   .data = 1,
                                   .virtual_stages = 1,
                                   .micro_batch = 1,
                                   .recompute = TRAINING_RECOMPUTE_NONE,
                                   .batch_sequences = 128};
    struct training_memory all = training_memory(&full, &on), some = training_memory(&lora, &on);
    struct training_memory packed = training_memory(&qlora, &on);
    double dense, expert, body, body_expert;

    training_weights(&full.shape, &on, full.shape.layers, &dense, &expert);
    training_layer_weights(&full.shape, &on, &body, &body_expert);
    body *= full.shape.layers;
    is_near(all.states, 18 * dense, 1e-12, "18 bytes a weight");
    is_near(some.states, 2 * dense + 0.01 * 18 * dense, 1e-12, "LoRA: 2 and 18 of the adapters");
    double nf4 = training_packed_bytes(&qlora);
    is_near(packed.states, nf4 * body + 2 * (dense - body) + 0.01 * 18 * dense, 1e-12,
            "QLoRA: NF4 in the layers, 16 bit in embeddings and head");
    is_near(nf4, 0.516, 1e-3, "NF4 with double quantisation");
    ok(some.scratch == 0, "no weight gradients, no scratch");
    is_near(training_flop_per_token(&full) / training_flop_per_token(&lora), 1.5, 0.05,
            "6 N against 4 N per token");
}

static void precisions(void)
{
    static const struct {
        enum training_precision precision;
        enum training_optimizer optimizer;
        double bytes;
    } rows[] = {
        {TRAINING_BF16, TRAINING_ADAMW, 18},     {TRAINING_FP16, TRAINING_ADAM, 18},
        {TRAINING_FP8, TRAINING_ADAMW, 16},      {TRAINING_FP32, TRAINING_ADAMW, 16},
        {TRAINING_TF32, TRAINING_SGD, 12},       {TRAINING_BF16, TRAINING_SGD, 14},
        {TRAINING_BF16, TRAINING_ADAFACTOR, 10}, {TRAINING_BF16, TRAINING_ADAMW_8BIT, 12},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct training_bytes bytes = training_bytes(rows[i].precision, rows[i].optimizer);
        ok(bytes.weight + bytes.gradient + bytes.optimizer == rows[i].bytes,
           "%s with optimizer %d: %.0f", training_precision_name(rows[i].precision),
           (int)rows[i].optimizer, rows[i].bytes);
    }
}

static double rule(const struct rules *rules, const char *key)
{
    for (size_t i = 0; i < rules->n; i++)
        if (strcmp(rules->at[i].key, key) == 0)
            return rules->at[i].value;
    printf("Bail out! no rule %s\n", key);
    exit(1);
}

static void rules_of_thumb(void)
{
    struct training_job job = job_of(70e9, "a100-sxm4-80gb", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 64);
    struct training_goal goal = {2e12, 0.95, {1, 1, 1}, unknown, unknown, unknown, unknown, NULL,
                                 0,    0,    {0},       {0},     0,       NULL,    NULL};
    struct rules rules = {0};

    training_rules(&job, &plan, &goal, 1.7e6 / 64, &rules);
    is_near(rule(&rules, "flop_6nd"), 8.4e23, 1e-12, "6 N D of LLaMA-2 70B");
    is_near(rule(&rules, "gpu_hours_mfu_100"), 747863.2, 1e-6, "GPU-hours at the peak");
    is_near(rule(&rules, "duration_implied_mfu"), 0.4399, 1e-4, "what 1.7 M GPU-hours mean");
    is_near(rule(&rules, "duration_gpu_years"), 194.06, 1e-4, "on one GPU");
    is_near(rule(&rules, "recipe_total_gib"), 1434.24, 1e-5, "22 bytes a parameter");
    ok(rule(&rules, "recipe_gpus") == 20, "on 75 GiB each");
    is_near(rule(&rules, "tensor_parallel_limit"), 1.5 * job.shape.hidden * 600e9 / 312e12, 1e-12,
            "tensor parallel limit of A100");
}

/* The document's terms: nothing hidden, data sheet rates. */
static void traffic(void)
{
    static const struct {
        const char *gpu;
        double limit;
    } cases[] = {{"rtx-4090", 2}, {"h100-sxm5-80gb", 11}, {"a100-sxm4-80gb", 23}, {"b200-sxm", 9}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct training_job job = job_of(70e9, cases[i].gpu, TRAINING_PRETRAIN);
        struct training_plan plan = plan_of(&job, 128);
        job.shape.hidden = 8192;
        ok(training_traffic(&job, &plan).tensor_parallel_limit == cases[i].limit,
           "%s: tensor parallel up to %.0f", cases[i].gpu, cases[i].limit);
    }
    struct training_job job = job_of(10e9, "rtx-4090", TRAINING_PRETRAIN);
    struct training_plan plan = plan_of(&job, 32);
    is_near(training_traffic(&job, &plan).all_reduce, 2 * 31.0 / 32 * 40e9 / 1.25e9, 1e-9,
            "a ring leaves a node of GeForce cards once, by its one port");
    ok(training_traffic(&job, &plan).network_balance > 0, "a network that would do");
    plan = plan_of(&job, 8);
    ok(isnan(training_traffic(&job, &plan).network_balance), "one node needs none");
}

static void shards(void)
{
    struct training_strategy on = {.data = 16, .context = 2, .zero_stage = 0};
    struct training_memory memory = {.weights = 3, .gradients = 1, .optimizer = 4, .overhead = 2};

    ok(training_shard(&on) == 1, "ZeRO 0 divides nothing");
    on.zero_stage = 1;
    ok(training_shard(&on) == 32, "all replicas, context ranks among them");
    on.shard = 8;
    ok(training_shard(&on) == 8, "hybrid sharding");
    is_str(training_memory_bound(&memory), "optimizer_states", "the largest line");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    lines_add_up();
    intervals();
    searched_intervals();
    interval_of_days();
    bill_beside_the_run();
    stated_utilization();
    adapters();
    precisions();
    rules_of_thumb();
    traffic();
    shards();
    catalog_free(catalog);
    return tap_done();
}

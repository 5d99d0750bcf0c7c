/* explain.c - the headline figures and the money. Lines of time and memory have files of
 * their own. */
#include "estimate/training/explain/explain.h"

#include "base/units.h"
#include "estimate/training/plan/rules.h"

#include <math.h>

/* A row where there is something to explain. */
#define FIGURE(to, key, value, ...)                     \
    do {                                                \
        if (!isnan(value))                              \
            EXPLAIN((to), (key), (value), __VA_ARGS__); \
    } while (0)

static const char *data_sheet(const struct explanations *to, const struct training_job *job)
{
    return arena_print(to->arena, "/v1/gpus/%s", job->gpu->slug);
}

/* Model FLOP: products of the weights that a token meets, the output layer, causal attention. */
static void explain_flop(const struct training_answer *a, struct explanations *to)
{
    const struct training_job *job = a->job;
    const struct shape *shape = &job->shape;
    double w = training_adapters(job->method) ? 1 : 2, flop = training_flop_per_token(job);
    double attention = shape->layers * training_attention_share(shape, job->sequence_tokens) *
                       job->sequence_tokens * shape->heads *
                       (shape->prefill_key_dim + shape->prefill_value_dim);

    EXPLAIN(to, "attention_flop", attention, "FLOP/token",
            "layers x causal_share x sequence x heads x (key_width + value_width)",
            "one forward pass; Megatron-LM, training.py, num_floating_point_operations",
            {"layers", shape->layers, "layers"},
            {"causal_share", training_attention_share(shape, job->sequence_tokens), ""},
            {"sequence", job->sequence_tokens, "tokens"}, {"heads", shape->heads, "heads"},
            {"key_width", shape->prefill_key_dim, ""},
            {"value_width", shape->prefill_value_dim, ""});
    EXPLAIN(to, "matrix_weights", (flop - 3 * attention) / (2 * (1 + w)), "weights",
            "layers x attention_weights + ffn_weights + router_weights + moe_layers x top_k x "
            "expert_weights + vocabulary x width",
            "weights that a token meets, the output layer among them; the shape is of /v1/models",
            {"layers", shape->layers, "layers"},
            {"attention_weights", shape->attention_weights, "weights"},
            {"ffn_weights", shape->dense_ffn_weights, "weights"},
            {"router_weights", shape->router_weights, "weights"},
            {"moe_layers", shape->moe_layers, "layers"}, {"top_k", shape->top_k, "experts"},
            {"expert_weights", shape->expert_weights, "weights"}, {"vocabulary", shape->vocab, ""},
            {"width", shape->hidden, ""});
    EXPLAIN(to, "flop_per_token", flop, "FLOP/token",
            "2 x (1 + w) x matrix_weights + 3 x attention_flop",
            "w is 2 where weights get gradients, 1 where adapters alone do", {"w", w, ""},
            {"matrix_weights", (flop - 3 * attention) / (2 * (1 + w)), "weights"},
            {"attention_flop", attention, "FLOP/token"});
    FIGURE(to, "compute_flop", a->totals->flop, "FLOP", "tokens x flop_per_token",
           "work of the whole training", {"tokens", a->goal->tokens, "tokens"},
           {"flop_per_token", flop, "FLOP/token"});
}

static void explain_stated_step(const struct training_answer *a, struct explanations *to)
{
    const struct training_job *job = a->job;
    const struct training_strategy *on = &a->plan->on;

    EXPLAIN(to, "step_seconds", a->totals->step_seconds, "s",
            "batch x sequence x flop_per_token / (gpu_count x peak x model_flops_utilization)",
            "the utilization given", {"batch", on->batch_sequences, "sequences"},
            {"sequence", job->sequence_tokens, "tokens"},
            {"flop_per_token", training_flop_per_token(job), "FLOP/token"},
            {"gpu_count", on->gpu_count, "GPUs"},
            {"peak", training_peak(job->gpu, job->precision), "FLOP/s"},
            {"model_flops_utilization", a->goal->model_flops_utilization, ""});
}

static void explain_estimated_step(const struct training_answer *a, struct explanations *to)
{
    const struct training_step *s = &a->plan->step;

    EXPLAIN(to, "step_seconds", a->totals->step_seconds, "s",
            "compute + tensor_parallel_communication + pipeline_bubble + pipeline_communication + "
            "data_parallel_communication + expert_parallel_communication + "
            "context_parallel_communication + recompute + optimizer_step",
            "the sum of the time lines", {"compute", s->compute, "s"},
            {"tensor_parallel_communication", s->tensor_communication, "s"},
            {"pipeline_bubble", s->pipeline_bubble, "s"},
            {"pipeline_communication", s->pipeline_communication, "s"},
            {"data_parallel_communication", s->data_communication, "s"},
            {"expert_parallel_communication", s->expert_communication, "s"},
            {"context_parallel_communication", s->context_communication, "s"},
            {"recompute", s->recompute, "s"}, {"optimizer_step", s->optimizer_step, "s"});
}

/* Ends of an interval: the estimate times a factor. */
static void explain_bound(struct explanations *to, const char *key, double value, const char *unit,
                          const char *of, double estimate)
{
    FIGURE(to, key, value, unit, arena_print(to->arena, "%s x factor", of),
           "80 % interval of runs left out of the fit, /v1/assumptions?key=step_interval_factor; 1 "
           "where the utilization is given",
           {of, estimate, unit}, {"factor", value / estimate, ""});
}

static void explain_speed(const struct training_answer *a, struct explanations *to)
{
    const struct training_job *job = a->job;
    const struct training_strategy *on = &a->plan->on;
    const struct training_totals *t = a->totals;
    const struct explain_term batch = {"batch", on->batch_sequences, "sequences"},
                              sequence = {"sequence", job->sequence_tokens, "tokens"},
                              flop = {"flop_per_token", training_flop_per_token(job), "FLOP/token"},
                              count = {"gpu_count", on->gpu_count, "GPUs"},
                              step = {"step_seconds", t->step_seconds, "s"},
                              peak = {"peak", training_peak(job->gpu, job->precision), "FLOP/s"};

    EXPLAIN(to, "model_flops_utilization", t->model_flops_utilization, "ratio",
            "batch x sequence x flop_per_token / (gpu_count x peak x step_seconds)",
            data_sheet(to, job), batch, sequence, flop, count, peak, step);
    EXPLAIN(to, "hardware_flops_utilization", t->hardware_flops_utilization, "ratio",
            "model_flops_utilization x hardware_ratio",
            "what is computed again counts too: 4/3 of the model FLOP with full recomputation",
            {"model_flops_utilization", t->model_flops_utilization, ""},
            {"hardware_ratio", training_hardware_ratio(job, on->recompute), ""});
    EXPLAIN(to, "model_tflops_per_gpu", t->model_tflops_per_gpu, "TFLOP/s",
            "batch x sequence x flop_per_token / (gpu_count x step_seconds) / 1e12",
            "the throughput that papers print", batch, sequence, flop, count, step);
    EXPLAIN(to, "tokens_per_second_per_gpu", t->tokens_per_second_per_gpu, "tokens/s",
            "batch x sequence / (gpu_count x step_seconds)", "the throughput", batch, sequence,
            count, step);
}

static void explain_duration(const struct training_answer *a, struct explanations *to)
{
    const struct training_strategy *on = &a->plan->on;
    const struct training_totals *t = a->totals;

    FIGURE(to, "step_count", t->steps, "steps", "ceil(tokens / (batch x sequence))",
           "whole optimizer steps", {"tokens", a->goal->tokens, "tokens"},
           {"batch", on->batch_sequences, "sequences"},
           {"sequence", a->job->sequence_tokens, "tokens"});
    FIGURE(to, "days", t->days, "days", "step_count x step_seconds / goodput / 86400",
           "/v1/assumptions?key=goodput where goodput is not given",
           {"step_count", t->steps, "steps"}, {"step_seconds", t->step_seconds, "s"},
           {"goodput", a->goal->goodput, ""});
    explain_bound(to, "days_low", t->days_low, "days", "days", t->days);
    explain_bound(to, "days_high", t->days_high, "days", "days", t->days);
    EXPLAIN(to, "gpu_hours", t->gpu_hours, "GPU-hours", "gpu_count x 24 x days",
            "the line of the bill", {"gpu_count", on->gpu_count, "GPUs"},
            {"days", t->days, "days"});
}

static void explain_cost_of(const struct training_answer *a, struct explanations *to,
                            const char *key, double cost, double gpu_hours)
{
    FIGURE(to, key, cost, "USD", "gpu_hours x price_per_gpu_hour",
           "rounded to cents; the price is an input with its own source",
           {"gpu_hours", gpu_hours, "GPU-hours"},
           {"price_per_gpu_hour", a->goal->price_per_gpu_hour, "USD/GPU-hour"});
}

static void explain_cost(const struct training_answer *a, struct explanations *to)
{
    const struct training_bill *bill = a->bill;
    const struct training_totals *t = a->totals;

    explain_cost_of(a, to, "total_cost", bill->total_cost, t->gpu_hours);
    explain_cost_of(a, to, "total_cost_low", bill->total_cost_low, t->gpu_hours_low);
    explain_cost_of(a, to, "total_cost_high", bill->total_cost_high, t->gpu_hours_high);
    double cost = isnan(bill->total_cost) ? bill->duration_cost : bill->total_cost;
    FIGURE(to, "budget_used_ratio", bill->budget_used_ratio, "ratio", "cost / budget",
           "the cost of the training, or of the duration where there is none",
           {"cost", cost, "USD"}, {"budget", a->goal->budget, "USD"});
}

static void explain_rental(const struct training_answer *a, struct explanations *to)
{
    const struct training_bill *bill = a->bill;
    const struct explain_term hours = {"duration_rented_hours", bill->duration_hours, "h"},
                              count = {"gpu_count", a->plan->on.gpu_count, "GPUs"},
                              all = {"duration_gpu_hours", bill->duration_gpu_hours, "GPU-hours"};

    FIGURE(to, "duration_rented_hours", bill->duration_hours, "h",
           "duration_hours x hours_per_day / 24", "the duration given",
           {"duration_hours", a->rental->duration_hours, "h"},
           {"hours_per_day", a->rental->hours_per_day, "h"});
    FIGURE(to, "duration_gpu_hours", bill->duration_gpu_hours, "GPU-hours",
           "gpu_count x duration_rented_hours", "the duration given", count, hours);
    explain_cost_of(a, to, "duration_cost", bill->duration_cost, bill->duration_gpu_hours);
    FIGURE(to, "duration_tokens", bill->duration_tokens, "tokens",
           "duration_gpu_hours x 3600 x tokens_per_second_per_gpu x goodput", "the duration given",
           all, {"tokens_per_second_per_gpu", a->totals->tokens_per_second_per_gpu, "tokens/s"},
           {"goodput", a->goal->goodput, ""});
    FIGURE(to, "runs_per_week", bill->runs_per_week, "runs", "floor(168 / duration_rented_hours)",
           "168 h are a week", hours);
}

static const char YOUNG[] =
    "Young, Communications of the ACM 17 (1974), 530: the interval that loses least";
static const char DALY[] =
    "Daly, Future Generation Computer Systems 22 (2006), 303: failures during checkpoints and "
    "restarts counted too; rates as given or /v1/assumptions?key=failures_per_1000_gpu_days, "
    "restart_seconds, checkpoint_storage_rate";

static void explain_share(struct explanations *to, const char *key, double share,
                          const struct goodput *g, const struct goodput_run *run)
{
    if (!isfinite(g->failure_interval)) {
        EXPLAIN(to, key, share, "ratio", "1", "nothing fails", {"failures", 0, ""});
        return;
    }
    EXPLAIN(to, key, share, "ratio",
            "sqrt(2 x checkpoint x between) / (between x exp(restart / between) x "
            "(exp((sqrt(2 x checkpoint x between) + checkpoint) / between) - 1))",
            DALY, {"checkpoint", g->checkpoint_seconds, "s"},
            {"between", 1000 * 86400 / (g->failures * run->gpu_count), "s"},
            {"restart", g->restart_seconds, "s"});
}

static void explain_goodput_band(const struct training_answer *a, struct explanations *to)
{
    struct goodput low = goodput_worst(a->failure_rates, a->run);
    struct goodput high = goodput_best(a->failure_rates, a->run);

    explain_share(to, "goodput_expected", a->goodput->share, a->goodput, a->run);
    explain_share(to, "goodput_expected_low", low.share, &low, a->run);
    explain_share(to, "goodput_expected_high", high.share, &high, a->run);
}

static void explain_goodput(const struct training_answer *a, struct explanations *to)
{
    const struct goodput *g = a->goodput;
    struct training_bytes bytes = training_job_bytes(a->job);
    double trained = training_adapters(a->job->method) ? a->job->trainable_ratio : 1;
    double between = g->failure_interval / 3600;

    EXPLAIN(to, "checkpoint_gib", a->run->checkpoint_bytes / GIB, "GiB",
            "trained_share x parameters x (weight_bytes + optimizer_bytes) / 1073741824",
            "one copy of weights and optimizer states; adapters alone where they alone are trained",
            {"trained_share", trained, ""}, {"parameters", a->job->shape.params_total, "weights"},
            {"weight_bytes", bytes.weight, "B"}, {"optimizer_bytes", bytes.optimizer, "B"});
    if (isfinite(between)) {
        EXPLAIN(to, "hours_between_failures", between, "h",
                "1000 x 24 / (failures_per_1000_gpu_days x gpu_count)",
                "/v1/assumptions?key=failures_per_1000_gpu_days where not given",
                {"failures_per_1000_gpu_days", g->failures, "failures"},
                {"gpu_count", a->run->gpu_count, "GPUs"});
        EXPLAIN(to, "checkpoint_interval_minutes", g->checkpoint_interval / 60, "min",
                "sqrt(2 x checkpoint_seconds x hours_between_failures x 3600) / 60", YOUNG,
                {"checkpoint_seconds", g->checkpoint_seconds, "s"},
                {"hours_between_failures", between, "h"});
    }
    explain_goodput_band(a, to);
}

static void explain_tensor_limit(const struct training_answer *a, const struct training_traffic *t,
                                 struct explanations *to)
{
    const struct explain_term width = {"width", a->job->shape.hidden, ""},
                              link = {"link_both", t->link_both, "B/s"};

    EXPLAIN(
        to, "tensor_parallel_limit", t->tensor_parallel_limit, "GPUs",
        "max(1, floor(1.5 x width x link_both / peak))",
        arena_print(to->arena,
                    "of a token and layer, t GPUs compute 24 width^2 / t FLOP each and move 16 "
                    "width (t - 1) / t bytes in and out: as long at 1.5 width x link / peak, t - "
                    "1 taken as t; peak is the fastest 16-bit rate (FP16 accumulate on GeForce) "
                    "of /v1/gpus/%s",
                    a->job->gpu->slug),
        width, link, {"peak", t->peak_fastest, "FLOP/s"});
}

static void explain_traffic(const struct training_answer *a, struct explanations *to)
{
    const struct training_strategy *on = &a->plan->on;
    const struct training_step *step = &a->plan->step;
    struct training_traffic t = training_traffic(a->job, a->plan);

    explain_tensor_limit(a, &t, to);
    EXPLAIN(to, "gradient_all_reduce_seconds", t.all_reduce, "s",
            "2 x (gpu_count - 1) / gpu_count x gradients / ring_rate",
            "a ring sends each byte (n - 1)/n twice; data sheet of the link, or the network",
            {"gpu_count", on->gpu_count, "GPUs"}, {"gradients", t.gradient_bytes, "B"},
            {"ring_rate", t.ring_rate, "B/s"});
    FIGURE(to, "stage_transfer_seconds", t.stage_transfer, "s",
           "2 x micro_batch x sequence / context_parallel x width / tensor_parallel / stage_rate",
           "2 bytes an activation; data sheet of the link, or the network",
           {"micro_batch", on->micro_batch, "sequences"},
           {"sequence", a->job->sequence_tokens, "tokens"},
           {"context_parallel", on->context, "GPUs"}, {"width", a->job->shape.hidden, ""},
           {"tensor_parallel", on->tensor, "GPUs"}, {"stage_rate", t.stage_rate, "B/s"});
    EXPLAIN(to, "pipeline_bubble_ratio", t.bubble_ratio, "ratio",
            "(stages - 1) / (virtual_stages x micro_batches)",
            "Narayanan et al., arXiv 2104.04473, section 2.2", {"stages", on->pipeline, "stages"},
            {"virtual_stages", on->virtual_stages, ""}, {"micro_batches", step->micro_batches, ""});
    FIGURE(to, "network_gbit_per_second_balanced", t.network_balance * 8 / GIGA, "Gbit/s",
           "8 x gradients_out_and_back / (compute + recompute) / 1e9",
           "FP32 gradients of what one GPU holds, sent and received once each",
           {"gradients_out_and_back", t.reduced_bytes, "B"}, {"compute", step->compute, "s"},
           {"recompute", step->recompute, "s"});
    EXPLAIN(to, "scaling_ratio", training_scaling_ratio(step), "ratio",
            "1 - (sent + pipeline_bubble) / step",
            "the share of the estimated step in which nothing is sent or awaited",
            {"sent",
             step->tensor_communication + step->pipeline_communication + step->data_communication +
                 step->expert_communication + step->context_communication,
             "s"},
            {"pipeline_bubble", step->pipeline_bubble, "s"}, {"step", step->seconds, "s"});
}

void training_explain(const struct training_answer *a, struct explanations *to)
{
    explain_flop(a, to);
    training_explain_time(a, to);
    if (isnan(a->goal->model_flops_utilization))
        explain_estimated_step(a, to);
    else
        explain_stated_step(a, to);
    explain_bound(to, "step_seconds_low", a->totals->step_seconds_low, "s", "step_seconds",
                  a->totals->step_seconds);
    explain_bound(to, "step_seconds_high", a->totals->step_seconds_high, "s", "step_seconds",
                  a->totals->step_seconds);
    explain_speed(a, to);
    training_explain_memory(a, to);
    explain_goodput(a, to);
    explain_duration(a, to);
    explain_cost(a, to);
    explain_rental(a, to);
    explain_traffic(a, to);
}

/* cost.c - the hourly cost of a design divided by its tokens per hour. */
#include "estimate/inference/serving/options.h"

#include "base/sort.h"
#include "base/units.h"
#include "estimate/ownership/owned.h"

#include <math.h>

double serving_connected(const struct serving_design *design)
{
    return design->prefill_replicas > 0 ? design->gpu_count : design->tensor * design->pipeline;
}

double serving_prompt_share(const struct serving_plan *plan, bool at_load)
{
    const struct inference *inference = &plan->inference;
    const struct inference_job *job = &inference->job;
    const struct serving_design *design = &plan->design;
    double flight = at_load ? plan->mean.batch : inference_requests_full(inference);
    double reading = inference->prefill.marginal / inference_stages_gained(inference, flight);
    double writing =
        job->output_tokens * (plan->mean.tpot - plan->mean.interference) / plan->mean.batch;

    if (job->separate_prefill)
        return design->prefill_replicas / (design->replicas + design->prefill_replicas);
    if (!at_load)
        return fmin(1, reading * plan->capacity_requests_per_second / design->replicas);
    return reading / (reading + writing);
}

double serving_bought(const struct serving_request *request, const struct serving_design *design)
{
    struct owned_gpus owned = {request->job.gpu, design->gpu_count, request->job.gpus_per_node, 1};

    return owned_bought(&owned);
}

struct owned_power serving_power(const struct serving_request *request,
                                 const struct serving_design *design, const struct catalog *catalog,
                                 day as_of)
{
    const struct gpu *gpu = catalog_gpu(catalog, request->job.gpu->slug);
    struct owned_gpus owned = {gpu, design->gpu_count, request->job.gpus_per_node, 1};

    return owned_power(&owned, catalog, as_of, (double)NAN, (double)NAN);
}

double serving_credit_months(double credits, double credits_months, double rent_per_month)
{
    double months = credits > 0 ? credits / rent_per_month : (double)NAN;

    return credits_months > 0 && months > credits_months ? credits_months : months;
}

static struct owned_gpus owned_gpus(const struct serving_request *request,
                                    const struct serving_design *design, double utilization,
                                    const struct catalog *catalog)
{
    bool used = request->load_stated && utilization > 0;

    return (struct owned_gpus){catalog_gpu(catalog, request->job.gpu->slug), design->gpu_count,
                               request->job.gpus_per_node, used ? utilization : 1};
}

struct ownership_band serving_owned_band(const struct serving_request *request,
                                         const struct serving_design *design, double utilization,
                                         const struct catalog *catalog, day as_of)
{
    struct owned_gpus owned = owned_gpus(request, design, utilization, catalog);

    return owned_price_band(&owned, catalog, as_of);
}

bool serving_owned_price(const struct serving_request *request, const struct serving_plan *plan,
                         const struct catalog *catalog, day as_of, double *price_per_gpu_hour,
                         struct err *err)
{
    struct owned_gpus owned = owned_gpus(request, &plan->design, plan->utilization, catalog);

    if (!owned_price_per_gpu_hour(&owned, catalog, as_of, price_per_gpu_hour, err))
        return false;
    *price_per_gpu_hour *= owned.utilization;
    return true;
}

struct serving_cost serving_cost(const struct serving_request *request,
                                 const struct serving_plan *plan, double price_per_gpu_hour)
{
    const struct inference_job *job = &plan->inference.job;
    struct serving_cost cost = {.from_load = request->load_stated};
    double written =
        cost.from_load ? plan->output_tokens_per_second.middle : plan->capacity_tokens_per_second;
    double read = written * job->input_tokens / job->output_tokens;
    double share = plan->fits ? serving_prompt_share(plan, cost.from_load) : (double)NAN;

    cost.per_hour = plan->design.gpu_count * price_per_gpu_hour;
    cost.per_month = cost.per_hour * HOURS_PER_MONTH;
    if (job->writes_nothing) {
        double each = cost.per_hour / (read * SECONDS_PER_HOUR) * MILLION;
        cost.per_million_tokens = cost.per_million_input_tokens = each;
        cost.per_million_output_tokens = cost.per_million_generated_tokens =
            cost.per_million_output_tokens_saturated = (double)NAN;
        return cost;
    }
    cost.per_million_output_tokens = cost.per_hour / (written * SECONDS_PER_HOUR) * MILLION;
    cost.per_million_tokens = cost.per_hour / ((read + written) * SECONDS_PER_HOUR) * MILLION;
    cost.per_million_input_tokens = cost.per_hour * share / (read * SECONDS_PER_HOUR) * MILLION;
    cost.per_million_generated_tokens =
        cost.per_hour * (1 - share) / (written * SECONDS_PER_HOUR) * MILLION;
    cost.per_million_output_tokens_saturated =
        cost.per_hour / (plan->capacity_tokens_per_second * SECONDS_PER_HOUR) * MILLION;
    return cost;
}

void serving_cost_interval(const struct serving_plan *plan, const struct range *price,
                           struct serving_cost *cost)
{
    const struct range *rate = &plan->offline_tokens_per_second;
    bool paid_by_rate = !cost->from_load;

    cost->per_hour_low = plan->design.gpu_count * price->low;
    cost->per_hour_high = plan->design.gpu_count * price->high;
    bool is_free = cost->per_hour == 0;
    double low = is_free ? 1 : cost->per_hour_low / cost->per_hour;
    double high = is_free ? 1 : cost->per_hour_high / cost->per_hour;
    cost->per_million_tokens_low =
        cost->per_million_tokens * low * (paid_by_rate ? rate->middle / rate->high : 1);
    cost->per_million_tokens_high =
        cost->per_million_tokens * high * (paid_by_rate ? rate->middle / rate->low : 1);
}

/* A change of less than a fifth in a duration goes unnoticed (S. Seow, Designing and Engineering
 * Time, 2008, the 20 % rule; smashingmagazine.com/2015/09/
 * why-performance-matters-the-perception-of-time, read 2026-11-28). */
bool serving_is_overpriced(const struct serving_option *option, const struct serving_option *other)
{
    const double gpus = 2, times = 1.75, noticed = 0.8;
    bool priced = !isnan(other->cost.per_hour) || isnan(option->cost.per_hour);

    return other->meets_limits >= option->meets_limits && priced &&
           option->gpus_paid >= gpus * other->gpus_paid &&
           !(option->cost.per_hour < times * other->cost.per_hour) &&
           option->seconds > noticed * other->seconds;
}

static int by_gpus(const void *left, const void *right)
{
    const struct serving_option *a = *(const struct serving_option *const *)left;
    const struct serving_option *b = *(const struct serving_option *const *)right;

    return sort_first(sort_order(a->design.gpu_count, b->design.gpu_count),
                      sort_order(a->seconds, b->seconds), a < b ? -1 : 1);
}

/* Smaller ones are decided first, so that each is compared with those that stay. */
void serving_leave_out_overpriced(struct serving_options_part *part, struct arena *arena)
{
    struct serving_option **order =
        arena_room(arena, (part->n + 1) * sizeof(struct serving_option *));
    bool *out = arena_alloc(arena, (part->n + 1) * sizeof(*out));
    size_t n = 0;

    for (size_t i = 0; i < part->n; i++)
        order[i] = &part->at[i];
    sort_items(order, part->n, sizeof(struct serving_option *), by_gpus);
    for (size_t i = 0; i < part->n; i++)
        for (size_t j = 0; j < i && !out[order[i] - part->at]; j++)
            out[order[i] - part->at] =
                !out[order[j] - part->at] && serving_is_overpriced(order[i], order[j]);
    for (size_t i = 0; i < part->n; i++)
        if (!out[i])
            part->at[n++] = part->at[i];
    part->n = n;
}

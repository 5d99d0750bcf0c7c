/* search.c - finds what each GPU type can do and costs, from the searches and the catalogue, and
 * selects the list. */
#include "api/recommendation/search.h"

#include "api/inference/options_search.h"
#include "api/options/sold_new.h"
#include "api/resource/query.h"
#include "api/recommendation/growth.h"
#include "api/recommendation/recommendation.h"

#include "api/training/plan_extras.h"
#include "base/text.h"
#include "estimate/ownership/used.h"
#include "estimate/recommendation/option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns NULL if no provider offers it. */
static const struct price_book *book_of(const struct recommendation *recommendation,
                                        const struct gpu *gpu,
                                        enum recommendation_acquisition acquisition)
{
    const struct recommendation_in *in = recommendation->in;
    const struct request_context *context = recommendation->context;
    struct price_query query = {.gpu = gpu,
                                .purchase_option = recommendation_acquisition_name(acquisition),
                                .provider = in->provider,
                                .region = in->region,
                                .provider_discounts = in->provider_discounts,
                                .as_of = context->as_of};
    const struct price_book *book = price_book(context->catalog, &query, context->arena);

    return isnan(price_match_per_gpu_hour(book, 1, 1)) ? NULL : book;
}

static bool is_rent_wanted(const struct recommendation *recommendation,
                           enum recommendation_acquisition acquisition)
{
    return acquisition < RECOMMENDATION_BOUGHT &&
           text_in_list(recommendation->in->purchase_options,
                        recommendation_acquisition_name(acquisition));
}

/* By default GPUs that are no longer sold new are bought used. */
static bool buys_used(const struct recommendation *recommendation, const struct gpu *gpu)
{
    const struct request_context *context = recommendation->context;
    const char *condition = recommendation->in->condition;

    return condition ? strcmp(condition, "used") == 0
                     : !ownership_is_sold_new(context->catalog, gpu, context->as_of);
}

/* Public prices of these are a share of a rack, at which no vendor sells a board alone. */
static const char *only_by_the_rack(const struct recommendation *recommendation,
                                    const struct gpu *gpu)
{
    const struct request_context *context = recommendation->context;

    if (!(gpu->rack_gpu_count > gpu->board_gpu_count) ||
        catalog_hardware_is_quoted(context->catalog, gpu, context->as_of))
        return NULL;
    return arena_print(context->arena, "is sold by the rack of %.0f", gpu->rack_gpu_count);
}

const char *recommendation_not_sold_new(const struct recommendation *recommendation,
                                        const struct gpu *gpu)
{
    const struct recommendation_in *in = recommendation->in;

    if (in->gpu || (in->condition && buys_used(recommendation, gpu)))
        return NULL;
    const char *unsold = options_not_sold_new(recommendation->context, gpu, in->country);
    return unsold ? unsold : only_by_the_rack(recommendation, gpu);
}

static void add_kind(struct recommendation *recommendation, const struct gpu *gpu)
{
    struct recommendation_gpu_type *gpu_type =
        &recommendation->gpu_types[recommendation->ask.n_gpu_types++];

    *gpu_type = (struct recommendation_gpu_type){.gpu = gpu};
    for (int m = 0; m < RECOMMENDATION_ACQUISITIONS; m++)
        if (is_rent_wanted(recommendation, (enum recommendation_acquisition)m))
            gpu_type->book[m] = book_of(recommendation, gpu, (enum recommendation_acquisition)m);
    gpu_type->on_demand = book_of(recommendation, gpu, RECOMMENDATION_ON_DEMAND);
    gpu_type->may_buy = text_in_list(recommendation->in->purchase_options, "owned") &&
                        !recommendation_not_sold_new(recommendation, gpu);
    gpu_type->used = buys_used(recommendation, gpu);
    gpu_type->in_hand = fmax(0, text_figure_in_list(recommendation->in->gpus_owned, gpu->slug));
}

static void add_kinds(struct recommendation *recommendation)
{
    const struct recommendation_in *in = recommendation->in;
    const struct catalog *catalog = recommendation->context->catalog;
    struct options_filter filter = {in->gpu, in->gpu_vendor, in->datacenter_only == 1,
                                    in->min_gpu_memory_gb};

    recommendation->gpu_types =
        arena_alloc(recommendation->context->arena,
                    (catalog->n_gpus + 1) * sizeof(struct recommendation_gpu_type));
    for (size_t i = 0; i < catalog->n_gpus; i++)
        if (options_wanted(&filter, &catalog->gpus[i]))
            add_kind(recommendation, &catalog->gpus[i]);
}

static struct recommendation_gpu_type *kind_of(struct recommendation *recommendation,
                                               const struct gpu *gpu)
{
    for (size_t i = 0; i < recommendation->ask.n_gpu_types; i++)
        if (strcmp(recommendation->gpu_types[i].gpu->slug, gpu->slug) == 0)
            return &recommendation->gpu_types[i];
    return NULL;
}

/* Add a configuration; there is room for `most` of a workload over all types, with those of one
 * type adjacent. */
static void add_configuration(struct recommendation_gpu_type *gpu_type,
                              enum recommendation_workload workload, struct arena *arena,
                              size_t most, struct recommendation_configuration configuration)
{
    if (!gpu_type->configurations[workload])
        gpu_type->configurations[workload] = arena_alloc(arena, (most + 1) * sizeof(configuration));
    gpu_type->configurations[workload][gpu_type->n_configurations[workload]++] = configuration;
}

/* Hours that interruptions add to a run, as a ratio: they lengthen all of it but its setup. */
static double spot_ratio(const struct training_extras *extras, const struct training_plan *plan,
                         const struct training_totals *totals)
{
    return training_interruption_ratio(extras, plan->on.gpu_count) *
           (1 - totals->setup_gpu_hours / totals->gpu_hours);
}

static void add_runs(struct recommendation *recommendation, enum recommendation_workload job)
{
    const struct options_question *question = recommendation->jobs[job];

    for (size_t i = 0; i < question->n_found; i++) {
        const struct options_found *found = &question->found[i];
        const struct training_totals *totals = &found->totals;
        const struct training_question *plan = &question->questions[found->candidate];
        struct training_goal goal = training_options_goal(question, found);
        struct training_goal spot = training_question_on_spot(plan, NULL);
        struct recommendation_gpu_type *gpu_type =
            kind_of(recommendation, question->questions[found->candidate].gpu);
        if (gpu_type)
            add_configuration(
                gpu_type, job, recommendation->context->arena, TRAINING_COUNTS_MAX,
                (struct recommendation_configuration){
                    .gpu_count = found->plan->on.gpu_count,
                    .connected = found->plan->on.gpu_count,
                    .time = {totals->days, totals->days_low, totals->days_high},
                    .meets_limits = true,
                    .keeps_up = true,
                    .tight = training_phases_are_tight(&totals->phases, &found->plan->memory),
                    .used = 1,
                    .rented = 1,
                    .hours_ratio = training_hours_ratio(&goal.extras),
                    .spot_ratio = spot_ratio(&spot.extras, found->plan, totals),
                    .other_cost = training_other_cost(&goal, totals->days),
                    .index = i,
                });
    }
}

/* Upper bound on the configurations of a type: all options found on it. */
static size_t found_of(const struct inference_options *service, const struct gpu *gpu)
{
    size_t n = 0;

    for (size_t i = 0; i < service->n_found; i++)
        n += inference_options_kind_of(service, &service->found[i])->gpu == gpu;
    return n;
}

static void add_services(struct recommendation *recommendation)
{
    const struct inference_options *service = recommendation->service;

    for (size_t i = 0; i < service->n_found; i++) {
        const struct serving_option *option = &service->found[i];
        const struct gpu *gpu = inference_options_kind_of(service, option)->gpu;
        struct recommendation_gpu_type *gpu_type = kind_of(recommendation, gpu);
        struct recommendation_growth growth =
            recommendation_growth_mean(recommendation, option->design.replicas);
        if (gpu_type)
            add_configuration(
                gpu_type, RECOMMENDATION_SERVE, recommendation->context->arena,
                gpu_type->configurations[RECOMMENDATION_SERVE] ? 0 : found_of(service, gpu),
                (struct recommendation_configuration){
                    .gpu_count = option->design.gpu_count,
                    .connected = serving_connected(&option->design),
                    .complexity = option->complexity,
                    .time = isnan(option->latency.middle)
                                ? (struct range){option->seconds, (double)NAN, (double)NAN}
                                : option->latency,
                    .meets_limits = option->meets_limits,
                    .unlinked = option->unlinked,
                    .keeps_up = option->busy <= 1,
                    .used = option->utilization * growth.used,
                    .rented =
                        growth.rented *
                        rent_schedule_ratio(&recommendation->schedule, option->design.replicas,
                                            recommendation->in->peak_to_average_ratio),
                    .hours_ratio = 1,
                    .index = i,
                });
    }
}

/* Copy inputs that have the same name in the ledger. */
static void copy_inputs(const struct recommendation *recommendation, struct ownership *ledger)
{
    const struct inputs *inputs = &recommendation->context->inputs;

    for (size_t i = 0; i < inputs->fields.n; i++) {
        const struct field *to = fields_find(ownership_fields, inputs->fields.at[i].name);
        if (to && !field_is_text(to))
            field_set_number(to, ledger, field_number(&inputs->fields.at[i], inputs->values));
    }
}

/* NULL: the usual housing for the GPUs of each option. */
static const char *housing_of(const struct recommendation_in *in)
{
    return in->housing ? in->housing : in->hosting;
}

static void fill_ask(struct recommendation *recommendation)
{
    const struct recommendation_in *in = recommendation->in;
    struct recommendation_ask *ask = &recommendation->ask;

    ask->catalog = recommendation->context->catalog;
    ask->as_of = recommendation->context->as_of;
    ask->gpu_types = recommendation->gpu_types;
    memcpy(ask->wanted, recommendation->wanted, sizeof(ask->wanted));
    ownership_init(&ask->ledger, ask->catalog);
    copy_inputs(recommendation, &ask->ledger);
    ask->ledger.housing = housing_of(in);
    ask->overhead_given = context_given(recommendation->context, "rental_overhead_ratio");
    ask->delay_cost_per_month = in->delay_cost_per_month;
    ask->horizon_months = in->horizon_months;
    ask->deadline_days = in->deadline_days;
    ask->deadline_days_at_high =
        context_given(recommendation->context, "deadline_days") ? in->deadline_days : (double)NAN;
    ask->fast_enough_days = in->fast_enough_days;
    ask->budget = in->budget;
    ask->budget_per_month = in->budget_per_month;
    ask->power_budget_kw = in->power_budget_kw;
}

void recommendation_prepare(struct recommendation *recommendation)
{
    add_kinds(recommendation);
    fill_ask(recommendation);
}

void recommendation_solve(struct recommendation *recommendation)
{
    struct request_context *context = recommendation->context;

    add_kinds(recommendation);
    for (int w = 0; w < RECOMMENDATION_JOBS && !cancelled(context->cancel); w++)
        if (recommendation->jobs[w] && recommendation->jobs[w]->n_candidates) {
            training_options_solve(recommendation->jobs[w]);
            add_runs(recommendation, (enum recommendation_workload)w);
        }
    if (recommendation->service && recommendation->service->list.n_kinds &&
        !cancelled(context->cancel)) {
        inference_options_solve(recommendation->service);
        add_services(recommendation);
    }
    if (cancelled(context->cancel))
        return;
    fill_ask(recommendation);
    context->doing = "the comparison of all ways to do the workloads";
    recommendation_find(&recommendation->ask, context->parallel, context->arena,
                        &recommendation->list);
}

/* ---- effort of the searches */

const struct recommendation_part *recommendation_part(const struct recommendation_option *option,
                                                      enum recommendation_workload workload)
{
    return &option->parts[option->part[workload]];
}

const struct options_found *recommendation_job(const struct recommendation *recommendation,
                                               const struct recommendation_option *option,
                                               enum recommendation_workload workload)
{
    const struct recommendation_configuration *configuration =
        recommendation_configuration_of(&recommendation->ask, option, workload);

    return &recommendation->jobs[workload]->found[configuration->index];
}

const struct serving_option *recommendation_serving(const struct recommendation *recommendation,
                                                    const struct recommendation_option *option)
{
    const struct recommendation_configuration *configuration =
        recommendation_configuration_of(&recommendation->ask, option, RECOMMENDATION_SERVE);

    return &recommendation->service->found[configuration->index];
}

const struct recommendation_part *
recommendation_weighed(const struct recommendation *recommendation,
                       const struct recommendation_option *option)
{
    for (int w = RECOMMENDATION_WORKLOADS - 1; w > 0; w--)
        if (recommendation->wanted[w])
            return recommendation_part(option, (enum recommendation_workload)w);
    return recommendation_part(option, RECOMMENDATION_TRAIN);
}

static double price_of_total(const struct recommendation_part *part, double total)
{
    return (total - part->other_cost) /
           (part->gpu_count * HOURS_PER_MONTH * part->months * part->held_ratio);
}

double recommendation_price(const struct recommendation *recommendation,
                            const struct recommendation_part *part)
{
    if (recommendation_is_hourly(part->acquisition))
        return recommendation_part_price(&recommendation->ask, part).per_gpu_hour;
    return price_of_total(part, part->total);
}

struct range recommendation_price_range(const struct recommendation *recommendation,
                                        const struct recommendation_part *part)
{
    const struct recommendation_ask *ask = &recommendation->ask;
    double middle = recommendation_price(recommendation, part);

    if (recommendation_is_hourly(part->acquisition)) {
        struct price price = recommendation_part_price(ask, part);
        return (struct range){.low = price.band_low, .middle = middle, .high = price.band_high};
    }
    return (struct range){
        .low = price_of_total(part, recommendation_part_end(ask, part, false).total),
        .middle = middle,
        .high = price_of_total(part, recommendation_part_end(ask, part, true).total)};
}

/* ---- addresses */

/* Owned GPUs have no billing rule. Their setup time is that of rented ones, as in all options that
 * are compared. */
static const char *of_owned(const struct recommendation *recommendation,
                            const struct recommendation_option *option,
                            enum recommendation_workload workload)
{
    const struct options_found *found = recommendation_job(recommendation, option, workload);
    const struct training_question *question =
        &recommendation->jobs[workload]->questions[found->candidate];
    struct arena *arena = recommendation->context->arena;

    if (context_given(recommendation->context, "setup_seconds"))
        return "&purchase_option=owned";
    return arena_print(arena, "&purchase_option=owned&setup_seconds=%s",
                       query_number(arena, question->goal.extras.setup_seconds));
}

/* For GPUs held longer than the plan, the price is that of an hour in use. */
const char *recommendation_plan_link(const struct recommendation *recommendation,
                                     const struct recommendation_option *option,
                                     enum recommendation_workload workload)
{
    const struct recommendation_part *part = recommendation_part(option, workload);
    struct arena *arena = recommendation->context->arena;
    const char *link =
        workload == RECOMMENDATION_SERVE
            ? inference_options_link(recommendation->service,
                                     recommendation_serving(recommendation, option))
            : training_options_plan_link(recommendation->jobs[workload],
                                         recommendation_job(recommendation, option, workload));

    if (!link || part->acquisition == RECOMMENDATION_ON_DEMAND)
        return link;
    if (part->acquisition == RECOMMENDATION_SPOT)
        return arena_print(arena, "%s&purchase_option=spot", link);
    return arena_print(arena, "%s%s&price_per_gpu_hour=%s", link,
                       workload != RECOMMENDATION_SERVE &&
                               part->acquisition >= RECOMMENDATION_BOUGHT
                           ? of_owned(recommendation, option, workload)
                           : "",
                       query_number(arena, recommendation_price(recommendation, part)));
}

/* Add the ledger inputs given here. */
static void add_ledger_inputs(const struct recommendation *recommendation,
                              const struct recommendation_part *part, struct buf *out)
{
    const struct request_context *context = recommendation->context;
    const struct inputs *inputs = &context->inputs;

    for (size_t i = 0; i < inputs->fields.n; i++) {
        const struct field *field = &inputs->fields.at[i];
        const struct field *to = fields_find(ownership_fields, field->name);
        if (to && !field_is_text(to) && context_given(context, field->name) &&
            !text_in_list("horizon_months,used_age_months", field->name) &&
            !text_in_list("cloud_credits,cloud_credits_months", field->name) &&
            !(part->jobs_only && strcmp(field->name, "rent_price_decline_ratio") == 0))
            options_link_number(out, field->name, field_number(field, inputs->values));
    }
    if (part->credits > 0)
        options_link_number(out, "cloud_credits", part->credits);
    if (part->credits > 0 && !part->jobs_only && recommendation->in->cloud_credits_months > 0)
        options_link_number(out, "cloud_credits_months", recommendation->in->cloud_credits_months);
    if (housing_of(recommendation->in))
        options_link_text(out, "housing", housing_of(recommendation->in));
}

/* Add the costs of trainings besides GPU-hours. */
static void add_bill(const struct recommendation *recommendation,
                     const struct recommendation_part *part, struct buf *out)
{
    struct ownership own;

    if (!(part->other_cost > 0) && !part->jobs_only)
        return;
    (void)recommendation_ledger(&recommendation->ask, part, &own); /* all its inputs are set */
    options_link_number(out, "training_other_cost_month", own.training_other_cost_month);
    if (!recommendation->ask.overhead_given)
        options_link_number(out, "rental_overhead_ratio", own.rental_overhead_ratio);
    if (part->acquisition == RECOMMENDATION_SPOT)
        options_link_number(out, "spot_overhead_ratio", own.spot_overhead_ratio);
}

/* Add whether servers would be used, and their age, which is bounded by the GPU's launch. */
static void add_condition(const struct recommendation *recommendation,
                          const struct recommendation_part *part, struct buf *out)
{
    bool used = recommendation->gpu_types[part->gpu_type].used;
    struct ownership own;

    if (part->acquisition == RECOMMENDATION_IN_HAND)
        return;
    if (used || recommendation->in->condition)
        options_link_text(out, "condition", used ? "used" : "new");
    (void)recommendation_ledger(&recommendation->ask, part, &own); /* all its inputs are set */
    if (used && context_given(recommendation->context, "used_age_months"))
        options_link_number(out, "used_age_months", own.used_age_months);
}

const char *recommendation_break_even_link(const struct recommendation *recommendation,
                                           const struct recommendation_part *part)
{
    const struct recommendation_in *in = recommendation->in;
    bool rented = part->acquisition < RECOMMENDATION_BOUGHT;
    struct buf out;

    buf_init(&out, OPTIONS_LINK_MAX);
    options_link_text(&out, "gpu", recommendation->gpu_types[part->gpu_type].gpu->slug);
    options_link_number(&out, "gpu_count", part->gpu_count);
    double server = recommendation_part_server(&recommendation->ask, part);
    if (part->acquisition != RECOMMENDATION_IN_HAND && server > part->gpu_count)
        options_link_number(&out, "gpus_per_node", server);
    options_link_number(&out, "utilization", part->utilization);
    if (part->rented_ratio > part->utilization)
        options_link_number(&out, "rented_ratio", part->rented_ratio);
    options_link_number(&out, "goodput", 1);
    options_link_number(&out, "horizon_months", part->months);
    options_link_text(
        &out, "purchase_option",
        recommendation_acquisition_name(rented ? part->acquisition : RECOMMENDATION_ON_DEMAND));
    if (part->connected < part->gpu_count)
        options_link_number(&out, "connected_gpu_count", part->connected);
    if (part->jobs_only)
        options_link_number(&out, "rent_price_decline_ratio", 0);
    add_bill(recommendation, part, &out);
    if (part->acquisition == RECOMMENDATION_IN_HAND)
        options_link_number(&out, "owned_gpu_count", part->gpu_count);
    if (in->provider)
        options_link_text(&out, "provider", in->provider);
    if (in->region)
        options_link_text(&out, "region", in->region);
    if (in->country)
        options_link_text(&out, "country", in->country);
    if (!isnan(in->power_budget_kw))
        options_link_number(&out, "power_budget_kw", in->power_budget_kw);
    add_ledger_inputs(recommendation, part, &out);
    add_condition(recommendation, part, &out);
    options_link_day(&out, recommendation->context);
    const char *link =
        arena_print(recommendation->context->arena, "/v1/break-even%s", buf_data(&out));
    buf_free(&out);
    return link;
}

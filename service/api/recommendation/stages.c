/* stages.c - the upgrade path: on which GPUs, rented by the hour or bought and sold again, a
 * growing load is carried cheapest, moves from one type to another included. Each stage is sized
 * for the load of its last month. A move costs migration_cost, and for migration_overlap_days
 * rented GPUs before it run on. All amounts are those of the ledgers behind the options, so that
 * the path can be compared with an option that carries the last month's load from the start. */
#include "api/recommendation/stages.h"

#include "api/inference/options_search.h"
#include "api/recommendation/growth.h"
#include "api/recommendation/parse.h"
#include "base/cents.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

struct price stages_price(const struct inference_options *service,
                          const struct serving_option *option)
{
    return price_match(service->candidates[option->candidate].request->book,
                       option->design.gpu_count, serving_connected(&option->design));
}

static size_t place_of(const struct path *path, const struct inference_options *service,
                       const struct serving_option *option)
{
    const struct gpu *gpu = inference_options_kind_of(service, option)->gpu;
    size_t place = 0;

    while (place < path->n_gpu_types && !gpu_same(path->ask.gpu_types[place].gpu, gpu))
        place++;
    return place;
}

/* ---- what a stage costs on a type of GPU */

/* The same money later: it could have earned the cost of capital until the horizon. */
static double at_horizon(const struct path *path, double amount, double month)
{
    const double months_per_year = 12;
    double left = path->ask.horizon_months - month;

    return amount * pow(1 + path->ask.ledger.cost_of_capital, left / months_per_year);
}

static struct stage_cost cost_of(const struct path *path, const struct stage *from,
                                 const struct stage *to, const struct serving_option *option,
                                 size_t gpu_type, enum recommendation_acquisition acquisition)
{
    const double months_per_year = 12;
    const struct recommendation *recommendation = path->recommendation;
    struct recommendation_part part = {
        .gpu_type = gpu_type,
        .acquisition = acquisition,
        .gpu_count = option->design.gpu_count,
        .connected = serving_connected(&option->design),
        .months = (int)(to->to - from->from + 1),
        .utilization = option->utilization,
        .held_ratio = 1,
    };
    struct ownership own;
    struct ownership_side side;

    part.rented_ratio = fmax(part.utilization,
                             rent_schedule_ratio(&recommendation->schedule, option->design.replicas,
                                                 recommendation->in->peak_to_average_ratio));
    bool good = recommendation_ledger(&path->ask, &part, &own);
    if (acquisition == RECOMMENDATION_BOUGHT) {
        if (!good)
            return (struct stage_cost){part, (double)NAN, (double)NAN};
        side = ownership_side_buy(&own, part.months);
    } else {
        own.rent_price_per_gpu_hour *=
            pow(1 - own.rent_price_decline_ratio, (from->from - 1) / months_per_year);
        side = ownership_side_rent(&own, part.months);
    }
    part.total = side.total;
    part.payments = side.payments;
    return (struct stage_cost){part, cents_round(at_horizon(path, side.total, to->to)),
                               side.payments};
}

/* The options come cheapest first. */
static void find_steps(const struct path *path, struct stage *stage)
{
    const struct inference_options *service = stage->service;
    bool some = false;

    for (size_t i = 0; i < service->n_found; i++) {
        const struct serving_option *option = &service->found[i];
        size_t gpu_type = place_of(path, service, option);
        if (!option->meets_limits || gpu_type == path->n_gpu_types || stage->steps[gpu_type].option)
            continue;
        struct stage_gpu *step = &stage->steps[gpu_type];
        step->option = option;
        step->rented = cost_of(path, stage, stage, option, gpu_type, RECOMMENDATION_ON_DEMAND);
        step->may_rent = path->ask.gpu_types[gpu_type].book[RECOMMENDATION_ON_DEMAND] &&
                         !isnan(step->rented.total);
        step->confirmed = step->may_rent && option->confirmed;
        some |= step->confirmed;
    }
    for (size_t k = 0; k < path->n_gpu_types && some; k++)
        stage->steps[k].may_rent &= stage->steps[k].confirmed;
}

static bool add_stage(struct path *path, double from, double to, struct err *err)
{
    struct recommendation *recommendation = path->recommendation;
    struct arena *arena = recommendation->context->arena;
    struct stage *stage = &path->stages[path->n];
    struct params *params = arena_alloc(arena, sizeof(*params));

    recommendation_growth_load(recommendation, recommendation_growth_factor(recommendation, to),
                               params);
    *stage = (struct stage){from, to, recommendation_service(recommendation, params, err), NULL};
    if (!stage->service)
        return false;
    if (stage->service->list.n_kinds)
        inference_options_solve(stage->service);
    if (cancelled(recommendation->context->cancel))
        return false;
    stage->steps = arena_alloc(arena, (path->n_gpu_types + 1) * sizeof(*stage->steps));
    find_steps(path, stage);
    path->n++;
    return true;
}

/* ---- the cheapest path */

/* What it costs to run on while the load moves away; bought GPUs are there anyway. */
static double overlap_cost(const struct path *path, const struct stay *from)
{
    const double days_per_month = HOURS_PER_MONTH / HOURS_PER_DAY;

    if (from->cost.part.acquisition == RECOMMENDATION_BOUGHT)
        return 0;
    return cents_round(from->cost.payments / from->cost.part.months *
                       path->recommendation->in->migration_overlap_days / days_per_month);
}

static struct move move_from(const struct path *path, const struct stay *from, size_t gpu_type)
{
    struct move move = {0, 0, 0};

    if (!from || from->cost.part.gpu_type == gpu_type)
        return move;
    move.migration = cents_round(path->recommendation->in->migration_cost);
    move.overlap = overlap_cost(path, from);
    move.total =
        cents_round(at_horizon(path, move.migration + move.overlap, path->stages[from->to].to));
    return move;
}

struct move stages_move(const struct path *path, const struct stay *to)
{
    return move_from(path, to->before, to->cost.part.gpu_type);
}

/* Keep the cheapest of the stays that end with that stage on that type, by that acquisition. */
static void consider(struct path *path, size_t from, size_t to, struct stage_cost cost)
{
    size_t bought = cost.part.acquisition == RECOMMENDATION_BOUGHT;
    struct stay *best = &path->stages[to].steps[cost.part.gpu_type].stays[bought];
    size_t n_before = from ? 2 * path->n_gpu_types : 1;

    for (size_t i = 0; i < n_before; i++) {
        const struct stay *before = from ? &path->stages[from - 1].steps[i / 2].stays[i % 2] : NULL;
        if (before && !before->any)
            continue;
        double total = cost.total + (before ? before->total : 0) +
                       move_from(path, before, cost.part.gpu_type).total;
        if (!isnan(total) && (!best->any || total < best->total))
            *best = (struct stay){true, from, to, cost, total, before};
    }
}

static void find_stays(struct path *path, size_t to)
{
    for (size_t k = 0; k < path->n_gpu_types; k++) {
        const struct stage_gpu *step = &path->stages[to].steps[k];
        if (step->may_rent)
            consider(path, to, to, step->rented);
        for (size_t from = 0; step->option && path->ask.gpu_types[k].may_buy && from <= to; from++)
            consider(path, from, to,
                     cost_of(path, &path->stages[from], &path->stages[to], step->option, k,
                             RECOMMENDATION_BOUGHT));
    }
}

static void find_path(struct path *path)
{
    for (size_t s = 0; s < path->n; s++)
        find_stays(path, s);
    for (size_t i = 0; i < 2 * path->n_gpu_types; i++) {
        const struct stay *stay = &path->stages[path->n - 1].steps[i / 2].stays[i % 2];
        if (stay->any && (!path->last || stay->total < path->last->total))
            path->last = stay;
    }
}

/* ---- one type throughout */

/* The service alone, with the acquisitions that the path considers. */
static void set_ask(struct path *path)
{
    const struct recommendation *recommendation = path->recommendation;
    const char *wanted = recommendation->in->purchase_options;
    bool buys = text_in_list(wanted, "owned"), rents = text_in_list(wanted, "on_demand");
    struct recommendation_gpu_type *gpu_types;

    path->ask = recommendation->ask;
    path->n_gpu_types = path->ask.n_gpu_types;
    gpu_types =
        arena_alloc(recommendation->context->arena, (path->n_gpu_types + 1) * sizeof(*gpu_types));
    for (size_t k = 0; k < path->n_gpu_types; k++) {
        gpu_types[k] = path->ask.gpu_types[k];
        if (!rents && !buys)
            gpu_types[k].book[RECOMMENDATION_ON_DEMAND] = gpu_types[k].on_demand;
    }
    path->ask.gpu_types = gpu_types;
    path->ask.wanted[RECOMMENDATION_TRAIN] = path->ask.wanted[RECOMMENDATION_FINETUNE] = false;
    path->ask.earliest_days = 0;
    path->ask.ledger.cloud_credits = 0;
}

static bool may(const struct path *path, size_t gpu_type,
                enum recommendation_acquisition acquisition)
{
    const struct recommendation_gpu_type *type = &path->ask.gpu_types[gpu_type];

    return acquisition == RECOMMENDATION_BOUGHT ? type->may_buy : type->book[acquisition] != NULL;
}

/* The list prefers a simpler design that costs at most 1 % more, so its own choice counts. */
static bool find_listed(const struct path *path, struct recommendation_option *best)
{
    const struct recommendation *recommendation = path->recommendation;
    const struct recommendation_ask *ask = &recommendation->ask;

    if (ask->wanted[RECOMMENDATION_TRAIN] || ask->wanted[RECOMMENDATION_FINETUNE] ||
        ask->ledger.cloud_credits > 0)
        return false;
    for (size_t i = 0; i < recommendation->list.n; i++) {
        const struct recommendation_option *option = &recommendation->list.at[i];
        enum recommendation_acquisition acquisition = option->parts[0].acquisition;
        if (!option->confirmed || !option->quick ||
            (acquisition != RECOMMENDATION_ON_DEMAND && acquisition != RECOMMENDATION_BOUGHT))
            continue;
        *best = *option;
        return true;
    }
    return false;
}

bool stages_find_throughout(const struct path *path, struct recommendation_option *best)
{
    static const enum recommendation_acquisition ways_to[] = {RECOMMENDATION_ON_DEMAND,
                                                              RECOMMENDATION_BOUGHT};
    struct part_cache *cache = arena_alloc(path->recommendation->context->arena, sizeof(*cache));
    bool any = find_listed(path, best);

    if (any)
        return true;

    for (size_t k = 0; k < path->n_gpu_types; k++)
        for (size_t m = 0; m < sizeof(ways_to) / sizeof(ways_to[0]); m++)
            for (size_t w = 0; w < path->ask.gpu_types[k].n_configurations[RECOMMENDATION_SERVE];
                 w++) {
                struct recommendation_option option = {.n_parts = 1};
                option.parts[0] =
                    (struct recommendation_part){.gpu_type = k, .acquisition = ways_to[m]};
                option.configuration[RECOMMENDATION_SERVE] = w;
                if (!may(path, k, ways_to[m]) ||
                    !recommendation_complete(&path->ask, &option, cache) || !option.quick)
                    continue;
                bool better = !any || option.confirmed > best->confirmed ||
                              (option.confirmed == best->confirmed &&
                               option.total.middle < best->total.middle);
                if (better)
                    *best = option;
                any = true;
            }
    return any;
}

struct path *stages_find(struct recommendation *recommendation, struct err *err)
{
    const double months = recommendation->in->horizon_months;
    double each = fmax(1, ceil(months / STAGES_MAX));
    struct path *path = arena_alloc(recommendation->context->arena, sizeof(*path));

    *path = (struct path){.recommendation = recommendation};
    set_ask(path);
    for (double from = 1; from <= months; from += each)
        if (!add_stage(path, from, fmin(from + each - 1, months), err))
            return NULL;
    find_path(path);
    return path;
}

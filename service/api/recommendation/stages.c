/* stages.c - the upgrade path: on which GPUs, rented by the hour, a growing load is carried
 * cheapest, moves from one type to another included. Each stage is sized for the load of its last
 * month. A move costs migration_cost, and for migration_overlap_days the GPUs before it run on. */
#include "api/inference/options_search.h"
#include "api/recommendation/growth.h"
#include "api/recommendation/parse.h"
#include "api/recommendation/recommendation.h"
#include "api/resource/currency.h"
#include "base/cents.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define TABLE recommendation_stage
#define TABLE_FILE "api/recommendation/stage.def"
#include "base/field/table.h"

const struct fields recommendation_stage_table = FIELDS_INIT(recommendation_stage_rows);

/* Maximum number of sizings, each covering one or a few months. */
enum { STAGES_MAX = 12 };

/* What a type of GPU takes to carry the load of a stage. */
struct stage_gpu {
    const struct serving_option *option; /* the cheapest within the limits; NULL: none */
    bool confirmed;                      /* two providers or more rent out that many */
    double rent;                         /* of the stage */
    double total;                        /* of the cheapest path that ends so */
    size_t before;                       /* its type in the stage before */
};

struct stage {
    double from, to; /* months of the service */
    struct inference_options *service;
    struct stage_gpu *steps; /* of each GPU of the catalogue */
    bool any;                /* some type carries the load */
};

struct path {
    struct recommendation *recommendation;
    struct stage stages[STAGES_MAX];
    size_t n, n_kinds; /* n_kinds: GPUs of the catalogue */
};

static struct price price_of(const struct inference_options *service,
                             const struct serving_option *option)
{
    return price_match(service->candidates[option->candidate].request->book,
                       option->design.gpu_count, serving_connected(&option->design));
}

/* Rents that one provider asks are taken where no type of GPU has others. */
static bool is_confirmed(const struct path *path, const struct stage *stage,
                         const struct serving_option *option)
{
    const size_t providers_min = 2;
    const struct price price = price_of(stage->service, option);

    return price.offered && (price.n_offers >= providers_min || price.basis == PRICE_QUOTE ||
                             path->recommendation->ask.provider_given);
}

static size_t place_of(const struct path *path, const struct inference_options *service,
                       const struct serving_option *option)
{
    const struct gpu *gpu = inference_options_kind_of(service, option)->gpu;

    return (size_t)(gpu - path->recommendation->context->catalog->gpus);
}

/* The options come cheapest first. */
static void find_steps(const struct path *path, struct stage *stage)
{
    const struct inference_options *service = stage->service;
    bool some = false;

    for (size_t i = 0; i < service->n_found; i++) {
        const struct serving_option *option = &service->found[i];
        struct stage_gpu *step = &stage->steps[place_of(path, service, option)];
        if (!option->meets_limits || isnan(option->cost.per_hour) || step->option)
            continue;
        step->option = option;
        step->rent = cents_round(option->cost.per_month * (stage->to - stage->from + 1));
        step->confirmed = is_confirmed(path, stage, option);
        some |= step->confirmed;
        stage->any = true;
    }
    for (size_t k = 0; k < path->n_kinds && some; k++)
        if (!stage->steps[k].confirmed)
            stage->steps[k].option = NULL;
}

static bool add_stage(struct path *path, double from, double to, struct err *err)
{
    struct recommendation *recommendation = path->recommendation;
    struct arena *arena = recommendation->context->arena;
    struct stage *stage = &path->stages[path->n];
    struct params *params = arena_alloc(arena, sizeof(*params));

    recommendation_growth_load(recommendation, recommendation_growth_factor(recommendation, to),
                               params);
    *stage =
        (struct stage){from, to, recommendation_service(recommendation, params, err), NULL, false};
    if (!stage->service)
        return false;
    if (stage->service->list.n_kinds)
        inference_options_solve(stage->service);
    if (cancelled(recommendation->context->cancel))
        return false;
    stage->steps = arena_alloc(arena, path->n_kinds * sizeof(*stage->steps));
    find_steps(path, stage);
    path->n++;
    return true;
}

/* ---- the cheapest path */

/* What it costs to run on while the load moves away. */
static double overlap_cost(const struct path *path, const struct stage_gpu *step)
{
    const double days_per_month = HOURS_PER_MONTH / 24;

    return cents_round(step->option->cost.per_month *
                       path->recommendation->in->migration_overlap_days / days_per_month);
}

/* From the types of the stage before to this one. Where no type carried the load before, no move
 * is paid for. */
static void reach(const struct path *path, const struct stage *before, size_t kind,
                  struct stage_gpu *step)
{
    step->total = before && before->any ? (double)INFINITY : step->rent;
    step->before = kind;
    for (size_t k = 0; before && before->any && k < path->n_kinds; k++) {
        const struct stage_gpu *from = &before->steps[k];
        if (!from->option)
            continue;
        double total = from->total + step->rent;
        if (k != kind)
            total += path->recommendation->in->migration_cost + overlap_cost(path, from);
        if (total < step->total) {
            step->total = total;
            step->before = k;
        }
    }
}

/* The type of each stage on the cheapest path; n_kinds where none carries the load. */
static void find_path(struct path *path, size_t *kinds)
{
    for (size_t s = 0; s < path->n; s++)
        for (size_t k = 0; k < path->n_kinds; k++)
            if (path->stages[s].steps[k].option)
                reach(path, s ? &path->stages[s - 1] : NULL, k, &path->stages[s].steps[k]);
    for (size_t s = path->n; s-- > 0;) {
        const struct stage *stage = &path->stages[s];
        bool moved_on = s + 1 < path->n && kinds[s + 1] < path->n_kinds;
        size_t best = path->n_kinds;
        for (size_t k = 0; k < path->n_kinds; k++)
            if (stage->steps[k].option &&
                (best == path->n_kinds || stage->steps[k].total < stage->steps[best].total))
                best = k;
        kinds[s] = stage->any && moved_on ? path->stages[s + 1].steps[kinds[s + 1]].before : best;
    }
}

/* The cheapest type that carries the load of every stage; n_kinds where none does. */
static size_t find_single(const struct path *path, double *rent)
{
    size_t best = path->n_kinds;

    *rent = (double)INFINITY;
    for (size_t k = 0; k < path->n_kinds; k++) {
        double total = 0;
        for (size_t s = 0; s < path->n; s++)
            total +=
                path->stages[s].steps[k].option ? path->stages[s].steps[k].rent : (double)INFINITY;
        if (total < *rent) {
            *rent = total;
            best = k;
        }
    }
    return best;
}

/* ---- rows */

static void fill_stage(const struct path *path, const struct stage *stage, size_t kind,
                       struct recommendation_stage *row)
{
    const struct stage_gpu *step = &stage->steps[kind];
    const struct serving_option *best = step->option;
    struct price price = price_of(stage->service, best);

    row->gpu = inference_options_kind_of(stage->service, best)->gpu->slug;
    row->gpu_count = best->design.gpu_count;
    row->weight_dtype = inference_options_dtype(stage->service, best);
    row->cost_per_month = best->cost.per_month;
    row->cost_per_month_low = best->cost.per_month * price.band_low / price.per_gpu_hour;
    row->cost_per_month_high = best->cost.per_month * price.band_high / price.per_gpu_hour;
    row->latency_p95_seconds_estimate = best->latency.middle;
    row->plan = inference_options_link(stage->service, best);
    row->price_provider_count = (double)price.n_offers;
    row->confirmed = step->confirmed;
    row->rent = step->rent;
    row->migration_cost = row->overlap_cost = 0;
    if (stage != path->stages && stage[-1].any && step->before != kind) {
        row->migration_cost = cents_round(path->recommendation->in->migration_cost);
        row->overlap_cost = overlap_cost(path, &stage[-1].steps[step->before]);
    }
}

static bool same_gpus(const struct recommendation_stage *a, const struct recommendation_stage *b)
{
    return a->gpu && b->gpu && strcmp(a->gpu, b->gpu) == 0 && a->gpu_count == b->gpu_count;
}

/* One more; it continues the one before it where that is the same GPUs for less. */
static size_t append(struct recommendation_stage *rows, size_t n,
                     const struct recommendation_stage *row)
{
    if (n && same_gpus(&rows[n - 1], row)) {
        struct recommendation_stage before = rows[n - 1];
        rows[n - 1] = *row;
        rows[n - 1].from_month = before.from_month;
        rows[n - 1].rent += before.rent;
        rows[n - 1].migration_cost = before.migration_cost;
        rows[n - 1].overlap_cost = before.overlap_cost;
        return n;
    }
    rows[n] = *row;
    return n + 1;
}

/* "mi300x first, b200-sxm from month 19" */
static const char *route_of(struct arena *arena, const struct recommendation_stage *rows, size_t n,
                            size_t *moves)
{
    const char *route = arena_print(arena, "%s first", rows[0].gpu);

    *moves = 0;
    for (size_t i = 1; i < n; i++)
        if (strcmp(rows[i].gpu, rows[i - 1].gpu) != 0) {
            route = arena_print(arena, "%s, %s from month %.0f", route, rows[i].gpu,
                                rows[i].from_month);
            ++*moves;
        }
    return route;
}

static const char *sentence_of(const struct path *path, const struct recommendation_stage *rows,
                               size_t n, const struct recommendation_path *found)
{
    struct request_context *context = path->recommendation->context;
    struct arena *arena = context->arena;
    double single;
    size_t moves, kind = find_single(path, &single);
    const char *route = route_of(arena, rows, n, &moves);
    const char *cost = currency_amount(context, found->cost);

    if (moves == 0)
        return arena_print(arena,
                           "%s carries the load from the first month to the last for %s of rent: "
                           "no move to another GPU type pays for itself.",
                           rows[0].gpu, cost);
    return arena_print(arena, "%s: %s of rent, %s of it for moving; %s.", route, cost,
                       currency_amount(context, found->migration_cost),
                       kind == path->n_kinds
                           ? "no type carries the load of every month within the limits"
                           : arena_print(arena, "%s throughout would cost %s",
                                         context->catalog->gpus[kind].slug,
                                         currency_amount(context, single)));
}

static void add_rows(struct path *path, struct recommendation_path *found)
{
    struct request_context *context = path->recommendation->context;
    struct recommendation_stage *rows = arena_alloc(context->arena, STAGES_MAX * sizeof(*rows));
    size_t n = 0, kinds[STAGES_MAX] = {0};
    bool whole = true;

    find_path(path, kinds);
    for (size_t s = 0; s < path->n; s++) {
        const struct stage *stage = &path->stages[s];
        struct recommendation_stage row;
        fields_clear(recommendation_stage_fields, &row);
        row.from_month = stage->from;
        row.to_month = stage->to;
        row.load_factor = recommendation_growth_factor(path->recommendation, stage->to);
        whole = whole && kinds[s] < path->n_kinds;
        if (kinds[s] < path->n_kinds)
            fill_stage(path, stage, kinds[s], &row);
        n = append(rows, n, &row);
    }
    context_table(context, "upgrade_path", rows, n, sizeof(*rows));
    *found = (struct recommendation_path){(double)NAN, (double)NAN, NULL};
    if (!whole || !n)
        return;
    found->cost = found->migration_cost = 0;
    for (size_t i = 0; i < n; i++) {
        found->migration_cost += rows[i].migration_cost + rows[i].overlap_cost;
        found->cost += rows[i].rent + rows[i].migration_cost + rows[i].overlap_cost;
    }
    found->sentence = sentence_of(path, rows, n, found);
}

bool recommendation_add_stages(struct recommendation *recommendation,
                               struct recommendation_path *found, struct err *err)
{
    const double months = recommendation->in->horizon_months;
    double each = fmax(1, ceil(months / STAGES_MAX));
    struct path *path = arena_alloc(recommendation->context->arena, sizeof(*path));

    path->recommendation = recommendation;
    path->n_kinds = recommendation->context->catalog->n_gpus;
    for (double from = 1; from <= months; from += each)
        if (!add_stage(path, from, fmin(from + each - 1, months), err))
            return false;
    add_rows(path, found);
    return true;
}

/* stage_rows.c - the rows of the upgrade path, and the path in words. */
#include "api/inference/options_search.h"
#include "api/recommendation/growth.h"
#include "api/recommendation/stages.h"
#include "api/recommendation/wording.h"
#include "api/recommendation/search.h"
#include "api/resource/currency.h"
#include "base/cents.h"

#include <math.h>
#include <string.h>

#define TABLE recommendation_stage
#define TABLE_FILE "api/recommendation/stage.def"
#include "base/field/table.h"

const struct fields recommendation_stage_table = FIELDS_INIT(recommendation_stage_rows);

static void fill_option(const struct inference_options *service,
                        const struct serving_option *option, struct recommendation_stage *row)
{
    row->gpu = inference_options_kind_of(service, option)->gpu->slug;
    row->gpu_count = option->design.gpu_count;
    row->weight_dtype = inference_options_dtype(service, option);
    row->latency_p95_seconds_estimate = option->latency.middle;
    row->plan = inference_options_link(service, option);
    row->price_provider_count = (double)stages_price(service, option).n_offers;
}

/* What is paid, also with prices at the ends of their range. */
static void fill_cost(const struct path *path, const struct stage_cost *cost,
                      struct recommendation_stage *row)
{
    struct recommendation_money low = recommendation_part_end(&path->ask, &cost->part, false);
    struct recommendation_money high = recommendation_part_end(&path->ask, &cost->part, true);
    struct recommendation_part today = cost->part;
    double months = row->to_month - row->from_month + 1;
    bool bought = cost->part.acquisition == RECOMMENDATION_BOUGHT;

    recommendation_part_cost(&path->ask, &today);
    row->acquisition = bought ? "buy" : "rent";
    row->cost_per_month = cost->payments / months;
    row->cost_per_month_low = row->cost_per_month * low.payments / today.payments;
    row->cost_per_month_high = row->cost_per_month * high.payments / today.payments;
    row->paid = cost->payments;
    row->cost = cost->total;
    double share = cost->payments / today.payments;
    row->cost_low = cents_round(cost->total + share * (low.total - today.total));
    row->cost_high = cents_round(cost->total + share * (high.total - today.total));
    row->rent = bought ? 0 : cost->payments;
}

static void fill_stay(const struct path *path, const struct stay *stay,
                      struct recommendation_stage *row)
{
    const struct stage *first = &path->stages[stay->from], *last = &path->stages[stay->to];
    const struct stage_gpu *step = &last->steps[stay->cost.part.gpu_type];
    struct move move = stages_move(path, stay);

    fields_clear(recommendation_stage_fields, row);
    row->from_month = first->from;
    row->to_month = last->to;
    row->load_factor = recommendation_growth_factor(path->recommendation, last->to);
    fill_option(last->service, step->option, row);
    fill_cost(path, &stay->cost, row);
    row->confirmed = stay->cost.part.acquisition == RECOMMENDATION_BOUGHT || step->confirmed;
    row->migration_cost = move.migration;
    row->overlap_cost = move.overlap;
    row->cost = cents_round(row->cost + move.total);
    row->cost_low = cents_round(row->cost_low + move.total);
    row->cost_high = cents_round(row->cost_high + move.total);
}

static bool same_gpus(const struct recommendation_stage *a, const struct recommendation_stage *b)
{
    return strcmp(a->acquisition, "rent") == 0 && strcmp(b->acquisition, "rent") == 0 &&
           strcmp(a->gpu, b->gpu) == 0 && a->gpu_count == b->gpu_count &&
           strcmp(a->weight_dtype, b->weight_dtype) == 0;
}

/* Add a row, or lengthen the last one if it rents the same GPUs. Returns the number of rows. */
static size_t append(struct recommendation_stage *rows, size_t n,
                     const struct recommendation_stage *row)
{
    if (!n || !same_gpus(&rows[n - 1], row)) {
        rows[n] = *row;
        return n + 1;
    }
    struct recommendation_stage before = rows[n - 1], *both = &rows[n - 1];
    double months = row->to_month - before.from_month + 1;
    *both = *row;
    both->from_month = before.from_month;
    both->rent = cents_round(before.rent + row->rent);
    both->paid = cents_round(before.paid + row->paid);
    both->cost = cents_round(before.cost + row->cost);
    both->cost_low = cents_round(before.cost_low + row->cost_low);
    both->cost_high = cents_round(before.cost_high + row->cost_high);
    both->cost_per_month = both->paid / months;
    both->cost_per_month_low = row->cost_per_month_low / row->cost_per_month * both->cost_per_month;
    both->cost_per_month_high =
        row->cost_per_month_high / row->cost_per_month * both->cost_per_month;
    both->migration_cost = before.migration_cost;
    both->overlap_cost = before.overlap_cost;
    return n;
}

/* The stays in order; returns the number of rows. */
static size_t fill_path(const struct path *path, const struct stay *last,
                        struct recommendation_stage *rows)
{
    const struct stay *stays[STAGES_MAX];
    size_t n_stays = 0, n = 0;

    for (const struct stay *stay = last; stay; stay = stay->before)
        stays[n_stays++] = stay;
    while (n_stays-- > 0) {
        struct recommendation_stage row;
        fill_stay(path, stays[n_stays], &row);
        n = append(rows, n, &row);
    }
    return n;
}

static const struct serving_option *option_of(const struct path *path,
                                              const struct recommendation_option *option)
{
    return &path->recommendation->service->found
                [recommendation_configuration_of(&path->ask, option, RECOMMENDATION_SERVE)->index];
}

static void fill_throughout(const struct path *path, const struct recommendation_option *option,
                            struct recommendation_stage *row)
{
    const struct recommendation_part *part = &option->parts[0];
    double months = path->ask.horizon_months;

    fields_clear(recommendation_stage_fields, row);
    row->from_month = 1;
    row->to_month = months;
    row->load_factor = recommendation_growth_factor(path->recommendation, months);
    fill_option(path->recommendation->service, option_of(path, option), row);
    fill_cost(path, &(struct stage_cost){*part, part->total, part->payments}, row);
    row->confirmed = option->confirmed;
    row->migration_cost = row->overlap_cost = 0;
}

/* ---- in words */

static const char *acquired(const char *acquisition)
{
    return strcmp(acquisition, "buy") == 0 ? "bought" : "rented";
}

static bool is_move(const struct recommendation_stage *rows, size_t i)
{
    return strcmp(rows[i].gpu, rows[i - 1].gpu) != 0;
}

/* "mi300x rented first, b200-sxm bought from month 19" */
static const char *route_of(struct arena *arena, const struct recommendation_stage *rows, size_t n)
{
    const char *route =
        arena_print(arena, "%s %s first", rows[0].gpu, acquired(rows[0].acquisition));

    for (size_t i = 1; i < n; i++)
        if (is_move(rows, i) || strcmp(rows[i].acquisition, rows[i - 1].acquisition) != 0)
            route = arena_print(arena, "%s, %s %s from month %.0f", route, rows[i].gpu,
                                acquired(rows[i].acquisition), rows[i].from_month);
    return route;
}

static size_t moves_of(const struct recommendation_stage *rows, size_t n)
{
    size_t moves = 0;

    for (size_t i = 1; i < n; i++)
        moves += is_move(rows, i);
    return moves;
}

static const char *throughout_words(const struct path *path,
                                    const struct recommendation_option *option)
{
    struct request_context *context = path->recommendation->context;
    const struct recommendation_part *part = &option->parts[0];

    return arena_print(context->arena, "%s x %s %s throughout would cost %s",
                       context_count(context, part->gpu_count),
                       path->ask.gpu_types[part->gpu_type].gpu->slug,
                       part->acquisition == RECOMMENDATION_BOUGHT ? "bought" : "rented",
                       currency_amount(context, option->total.middle));
}

static const char *sentence_of(const struct path *path, const struct recommendation_stage *rows,
                               size_t n, const struct recommendation_path *found,
                               const struct recommendation_option *throughout)
{
    struct request_context *context = path->recommendation->context;
    struct arena *arena = context->arena;
    const char *cost = currency_amount(context, found->cost.middle);

    if (moves_of(rows, n) == 0)
        return arena_print(arena,
                           "%s, %s, carries the load from the first month to the last for %s with "
                           "cost of capital%s: no move to another GPU type pays for itself.",
                           rows[0].gpu, acquired(rows[0].acquisition), cost,
                           strcmp(rows[0].acquisition, "buy") == 0 ? " and resale" : "");
    return arena_print(arena, "%s: %s with cost of capital and resale, %s of it for moving; %s.",
                       route_of(arena, rows, n), cost,
                       currency_amount(context, found->migration_cost),
                       throughout ? throughout_words(path, throughout)
                                  : "no type carries the load of every month within the limits");
}

static void sum_up(const struct recommendation_stage *rows, size_t n,
                   struct recommendation_path *found)
{
    found->cost = (struct range){0, 0, 0};
    found->paid = found->migration_cost = 0;
    for (size_t i = 0; i < n; i++) {
        double moved = rows[i].migration_cost + rows[i].overlap_cost;
        found->migration_cost += moved;
        found->paid += rows[i].paid + moved;
        found->cost.middle += rows[i].cost;
        found->cost.low += rows[i].cost_low;
        found->cost.high += rows[i].cost_high;
    }
    found->cost = (struct range){.low = cents_round(found->cost.low),
                                 .middle = cents_round(found->cost.middle),
                                 .high = cents_round(found->cost.high)};
    found->paid = cents_round(found->paid);
    found->migration_cost = cents_round(found->migration_cost);
}

/* Adds the rows of the path, or of one type throughout if that costs less. */
static void add_rows(struct path *path, struct recommendation_path *found)
{
    const struct stay *last = path->last;
    struct request_context *context = path->recommendation->context;
    struct recommendation_stage *rows = arena_alloc(context->arena, STAGES_MAX * sizeof(*rows));
    struct recommendation_option *throughout = arena_alloc(context->arena, sizeof(*throughout));
    bool single = stages_find_throughout(path, throughout);
    size_t n = 0;

    if (single)
        found->throughout = throughout->total.middle;
    if (single && (!last || throughout->total.middle <= last->total)) {
        fill_throughout(path, throughout, &rows[0]);
        n = 1;
    } else if (last) {
        n = fill_path(path, last, rows);
    }
    context_table(context, "upgrade_path", rows, n, sizeof(*rows));
    if (!n)
        return;
    sum_up(rows, n, found);
    found->sentence = sentence_of(path, rows, n, found, single ? throughout : NULL);
}

bool recommendation_add_stages(struct recommendation *recommendation,
                               struct recommendation_path *found, struct err *err)
{
    struct path *path = stages_find(recommendation, err);

    if (!path)
        return false;
    add_rows(path, found);
    return true;
}

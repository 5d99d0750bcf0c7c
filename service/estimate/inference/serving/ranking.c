#include "estimate/inference/serving/ranking.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Ties: fewer GPUs, then the candidates' order, then fewer stages. */
static int compare_place(const struct serving_option *a, const struct serving_option *b)
{
    return sort_first(sort_order(a->design.gpu_count, b->design.gpu_count),
                      sort_order((double)a->candidate, (double)b->candidate),
                      sort_first(sort_order(a->design.pipeline, b->design.pipeline),
                                 sort_order(a->design.tensor, b->design.tensor),
                                 sort_order(a->design.attention_data, b->design.attention_data)));
}

/* Rounded to a millionth, so that ties are the same in every currency. */
static double rounded_cost(const struct serving_option *option)
{
    return rint(option->cost.per_hour * 1e6);
}

static int by_cost_alone(const void *left, const void *right)
{
    const struct serving_option *a = *(const struct serving_option *const *)left;
    const struct serving_option *b = *(const struct serving_option *const *)right;

    return sort_first(sort_order(rounded_cost(a), rounded_cost(b)),
                      sort_order(a->seconds, b->seconds), compare_place(a, b));
}

/* At equal cost the simpler option comes first, then the faster one; if costs are unknown, or
 * nothing is paid, the one with fewer GPUs. */
static int by_cost(const void *left, const void *right)
{
    const struct serving_option *a = *(const struct serving_option *const *)left;
    const struct serving_option *b = *(const struct serving_option *const *)right;
    bool uncosted = !(a->cost.per_hour > 0) && !(b->cost.per_hour > 0);
    int fewer = uncosted ? sort_order(a->design.gpu_count, b->design.gpu_count) : 0;

    return sort_first(fewer, sort_order(a->complexity, b->complexity), by_cost_alone(left, right));
}

/* The rank of its group: options within the limits come first, and among them the confirmed. */
static int group_of(const struct serving_option *option)
{
    return 2 * !option->meets_limits + !option->confirmed;
}

/* Reorder a list sorted by cost: by group, and at equal cost simpler ones first. */
static void order_by_cost(struct serving_option **order, size_t n, struct arena *arena)
{
    struct serving_option **sorted = arena_room(arena, (n + 1) * sizeof(struct serving_option *));
    size_t at = 0;

    for (int group = 0; group < 4; group++)
        for (size_t i = 0; i < n; i++)
            if (group_of(order[i]) == group)
                sorted[at++] = order[i];
    memcpy(order, sorted, n * sizeof(struct serving_option *));
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && group_of(order[end]) == group_of(order[i]) &&
                          sort_order(rounded_cost(order[end]), rounded_cost(order[i])) == 0;
             end++)
            ;
        if (end > i + 1)
            sort_items(&order[i], end - i, sizeof(struct serving_option *), by_cost);
    }
}

/* Moves the simplest option within 1 % of the first to the front; the rest keep their order. */
static void put_simplest_first(struct serving_option **order, size_t n)
{
    const double alike = 1.01;
    size_t simplest = 0;

    for (size_t i = 1;
         i < n && group_of(order[i]) == group_of(order[0]) && order[0]->cost.per_hour > 0 &&
         order[i]->cost.per_hour <= alike * order[0]->cost.per_hour;
         i++)
        if (order[i]->complexity < order[simplest]->complexity)
            simplest = i;
    struct serving_option *first = order[simplest];
    memmove(&order[1], order, simplest * sizeof(struct serving_option *));
    order[0] = first;
}

static int by_latency(const void *left, const void *right)
{
    const struct serving_option *a = *(const struct serving_option *const *)left;
    const struct serving_option *b = *(const struct serving_option *const *)right;

    return sort_first(group_of(a) - group_of(b), sort_order(a->seconds, b->seconds),
                      by_cost_alone(left, right));
}

/* The Pareto frontier: in order of cost, the options faster than all cheaper ones. */
static void mark_frontier(struct serving_option **order, size_t n)
{
    double latency = (double)INFINITY;

    sort_items(order, n, sizeof(struct serving_option *), by_cost_alone);
    for (size_t i = 0; i < n && !isnan(order[i]->cost.per_hour); i++) {
        order[i]->on_frontier = order[i]->seconds < latency;
        latency = fmin(latency, order[i]->seconds);
    }
}

struct serving_option *serving_ranking(const struct serving_options_part *parts, size_t n_parts,
                                       enum serving_rank rank, struct arena *arena, size_t *n)
{
    struct serving_option **order, *list;
    size_t at = 0;

    *n = 0;
    for (size_t i = 0; i < n_parts; i++)
        *n += parts[i].n;
    order = arena_alloc(arena, (*n + 1) * sizeof(struct serving_option *));
    list = arena_alloc(arena, (*n + 1) * sizeof(*list));
    for (size_t i = 0; i < n_parts; i++)
        for (size_t j = 0; j < parts[i].n; j++)
            order[at++] = &parts[i].at[j];
    mark_frontier(order, *n);
    if (rank == SERVING_RANK_LATENCY)
        sort_items(order, *n, sizeof(struct serving_option *), by_latency);
    else
        order_by_cost(order, *n, arena);
    if (rank == SERVING_RANK_COST && *n)
        put_simplest_first(order, *n);
    for (size_t i = 0; i < *n; i++)
        list[i] = *order[i];
    return list;
}

#include "estimate/recommendation/short_list.h"

#include "base/sort.h"
#include "estimate/recommendation/option.h"

static bool same_way(const struct recommendation_ask *ask, const struct recommendation_option *a,
                     const struct recommendation_option *b, int workload)
{
    const struct recommendation_part *of_a = &a->parts[a->part[workload]];
    const struct recommendation_part *of_b = &b->parts[b->part[workload]];

    return of_a->gpu_type == of_b->gpu_type && of_a->acquisition == of_b->acquisition &&
           recommendation_configuration_of(ask, a, (enum recommendation_workload)workload)
                   ->gpu_count ==
               recommendation_configuration_of(ask, b, (enum recommendation_workload)workload)
                   ->gpu_count;
}

static bool same_option(const struct recommendation_ask *ask, const struct recommendation_option *a,
                        const struct recommendation_option *b)
{
    if (a->n_parts != b->n_parts)
        return false;
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (ask->wanted[w] && !same_way(ask, a, b, w))
            return false;
    return true;
}

void recommendation_short_list_add(const struct recommendation_ask *ask,
                                   const struct recommendation_option *option, unsigned role,
                                   struct recommendation_list *list)
{
    if (!option)
        return;
    for (size_t i = 0; i < list->n; i++)
        if (same_option(ask, &list->at[i], option)) {
            list->at[i].roles |= role;
            return;
        }
    if (list->n == RECOMMENDATION_LIST_MAX)
        return;
    list->at[list->n] = *option;
    list->at[list->n++].roles = role;
}

static int by_cost(const void *left, const void *right)
{
    const struct recommendation_option *a = left, *b = right;

    return (a->total.middle > b->total.middle) - (a->total.middle < b->total.middle);
}

int recommendation_safety(const struct recommendation_option *option)
{
    return option->within + option->timely_high + option->within_high;
}

static struct recommendation_option *in_role(struct recommendation_list *list, unsigned role)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].roles & role)
            return &list->at[i];
    return NULL;
}

void recommendation_short_list_note_mixed(struct recommendation_list *list)
{
    struct recommendation_option *mixed = in_role(list, RECOMMENDATION_MIXED);
    struct recommendation_option *cheapest = in_role(list, RECOMMENDATION_CHEAPEST);

    if (!mixed || (cheapest && mixed->total.middle >= cheapest->total.middle))
        return;
    if (cheapest)
        cheapest->roles =
            (cheapest->roles & ~(unsigned)RECOMMENDATION_CHEAPEST) | RECOMMENDATION_ONE_KIND;
    mixed->roles |= RECOMMENDATION_CHEAPEST;
}

void recommendation_short_list_end(struct recommendation_list *list)
{
    sort_items(list->at, list->n, sizeof(list->at[0]), by_cost);
    list->recommended = list->n;
    for (size_t i = 0; i < list->n; i++) {
        const struct recommendation_option *option = &list->at[i];
        if (option->within && !(option->roles & RECOMMENDATION_UNCONFIRMED) &&
            (list->recommended == list->n ||
             recommendation_safety(option) > recommendation_safety(&list->at[list->recommended])))
            list->recommended = i;
    }
}

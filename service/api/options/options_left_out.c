/* options_left_out.c - which options a list leaves out because nobody would choose them, and what
 * is said of their GPU types. */
#include "api/options/options.h"

#include <math.h>

/* Prices of the same GPU differ by up to 5.7 times between providers (/v1/price-summary, 45 GPUs,
 * 2026-11-30), so a better price would not make up for a factor of 6. */
static const double FAR = 6;
/* For the ratio of costs times that of waits. An L4 with an 8B model stays: it costs 4.4 times as
 * much as an RTX 3090, and users wait 1.9 times as long (2026-11-30). */
static const double FAR_AND_SLOW = 10;
/* As for designs of one GPU: see serving_is_overpriced(). */
static const double SOONER = 0.8;

/* Decimals of a factor or a percentage. */
static int decimals(double figure)
{
    return figure < 10 ? 1 : 0;
}

const char *options_more_words(struct arena *arena, double cost, double other_cost)
{
    double times = cost / other_cost, percent = 100 * (times - 1);

    if (!(times <= FAR))
        return NULL;
    if (times >= 2)
        return arena_print(arena, "For %.*f times the cost", decimals(times), times);
    return arena_print(arena, "For %.*f%% more", decimals(percent), percent);
}

/* The options that others are compared with: the first, and the first of each GPU type that is
 * confirmed and meets the limits if the first option does. */
struct references {
    const struct option **at;
    size_t n;
    double few; /* GPUs that a room of the building holds */
};

static struct references references_of(const struct option_list *list)
{
    struct arena *arena = list->context->arena;
    bool *seen = arena_alloc(arena, list->n_kinds + 1);
    struct references of = {
        .at = arena_alloc(arena, (list->n_kinds + 1) * sizeof(struct option *)),
        .few = catalog_default(list->context->catalog, "housing_own_room_gpu_max", ""),
    };

    for (size_t i = 0; i < list->n; i++) {
        const struct option *option = &list->at[i];
        bool suits = option->confirmed && option->will_do == list->at[0].will_do;
        if (i > 0 && (seen[option->kind] || !suits))
            continue;
        seen[option->kind] = true;
        of.at[of.n++] = option;
    }
    return of;
}

/* The cost, or GPUs or GPU-hours if it is unknown. */
static double size_of(const struct option *option)
{
    return isnan(option->cost) ? option->amount : option->cost;
}

/* How many times the size of the other; NAN if unknown. */
static double size_ratio(const struct option *option, const struct option *other)
{
    if (isnan(option->cost))
        return option->amount / other->amount;
    return other->cost > 0 ? option->cost / other->cost : (double)NAN;
}

/* Whether the other meets the limits of time: being faster is then no advantage. */
static bool in_time(const struct option_list *list, const struct option *other)
{
    return list->limited && other->will_do;
}

/* How many times as long users wait as with the other, at least 1; also 1 for trainings, whose
 * length is part of their size. */
static double wait_ratio(const struct option_list *list, const struct option *option,
                         const struct option *other)
{
    bool waits = list->users_wait && !in_time(list, other) && option->time > other->time;

    return waits ? option->time / other->time : 1;
}

/* Whether it is far larger than the other and not clearly sooner, or, compared with the first
 * option, larger and slow. */
static bool is_far(const struct option_list *list, const struct option *option,
                   const struct option *other)
{
    double size = size_ratio(option, other);
    double wait = other == list->at ? wait_ratio(list, option, other) : 1;
    bool sooner = !in_time(list, other) && option->time < SOONER * other->time;

    return size >= 1 && !sooner && (size > FAR || size * wait > FAR_AND_SLOW);
}

/* Among the references that the option is far larger than, the one it exceeds by the largest
 * factor; NULL if there is none. */
static const struct option *better_than(const struct option_list *list,
                                        const struct references *references,
                                        const struct option *option)
{
    const struct option *better = NULL;
    bool few = option->gpu_count <= (isnan(option->cost) ? references->few : 1) &&
               wait_ratio(list, option, list->at) <= FAR_AND_SLOW;

    for (size_t i = 0; i < references->n && !option->on_frontier && !few; i++) {
        const struct option *other = references->at[i];
        bool more = !better || size_ratio(option, other) > size_ratio(option, better);
        if (more && is_far(list, option, other))
            better = other;
    }
    return better;
}

/* Marks options that are far larger than another, and larger ones of the same GPU type. Those with
 * a price are compared by money, those without by amount. */
static void mark_far(struct option_list *list, const struct references *references)
{
    double(*least)[2] = arena_alloc(list->context->arena, (list->n_kinds + 1) * sizeof(*least));

    for (size_t i = 0; i < list->n; i++) {
        const struct option *option = &list->at[i];
        double *far = &least[option->kind][isnan(option->cost)];
        if (better_than(list, references, option) && !(*far > 0 && *far < size_of(option)))
            *far = size_of(option);
    }
    for (size_t i = 1; i < list->n; i++) {
        struct option *option = &list->at[i];
        double far = least[option->kind][isnan(option->cost)];
        option->left_out |= !option->on_frontier && far > 0 && size_of(option) >= far;
    }
}

static bool is_refused(const struct option_list *list, const struct gpu *gpu)
{
    for (size_t i = 0; i < list->n_refusals; i++)
        if (list->refusals[i].gpu == gpu->slug)
            return true;
    return false;
}

/* Such as ", and users wait 6.3 times as long"; empty if they do not wait longer. */
static const char *wait_words(struct option_list *list, const struct option *option,
                              const struct option *better)
{
    double times = wait_ratio(list, option, better);

    return times > 1.05 ? arena_print(list->context->arena, ", and users wait %.*f times as long",
                                      decimals(times), times)
                        : "";
}

static void refuse(struct option_list *list, const struct option *option,
                   const struct option *better, const char *unit)
{
    struct arena *arena = list->context->arena;
    bool cost = !isnan(option->cost);

    if (!better) {
        options_refuse(list, option->gpu, "limits",
                       "misses the limits, even at the better end of the intervals, or saves "
                       "nothing");
        return;
    }
    double times = size_ratio(option, better);
    options_refuse(list, option->gpu, cost ? "cost" : "amount",
                   arena_print(arena, "%s %.*f times %s %s%s", cost ? "costs" : "takes",
                               decimals(times), times,
                               cost ? "as much as" : arena_print(arena, "the %s of", unit),
                               better->gpu->slug, wait_words(list, option, better)));
}

/* Adds the GPU types without an option left to the refusals. */
static void refuse_rest(struct option_list *list, const struct references *references,
                        const char *unit)
{
    bool *kept = arena_alloc(list->context->arena, list->n_kinds + 1);

    for (size_t i = 0; i < list->n; i++)
        kept[list->at[i].kind] |= !list->at[i].left_out;
    for (size_t i = 0; i < list->n; i++) {
        const struct option *option = &list->at[i];
        if (kept[option->kind])
            continue;
        kept[option->kind] = true;
        list->n_left_out++;
        if (!is_refused(list, option->gpu))
            refuse(list, option, better_than(list, references, option), unit);
    }
}

void options_left_out(struct option_list *list, const char *unit, options_misses_fn misses,
                      void *context)
{
    if (!list->n || context_given(list->context, "gpu") ||
        context_given(list->context, "per_gpu") || context_given(list->context, "frontier_only"))
        return;
    struct references references = references_of(list);
    for (size_t i = 0; i < list->n && list->at[0].will_do; i++) {
        struct option *option = &list->at[i];
        option->left_out =
            !option->will_do && (option->cost >= list->at[0].cost || misses(context, i));
    }
    mark_far(list, &references);
    refuse_rest(list, &references, unit);
}

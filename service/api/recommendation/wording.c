/* wording.c - an option in words, each of them made of its figures. */
#include "api/recommendation/recommendation.h"

#include <math.h>
#include <string.h>

static bool has_means(const struct recommend_option *option, enum recommend_means from,
                      enum recommend_means to)
{
    for (size_t i = 0; i < option->n_parts; i++)
        if (option->parts[i].means >= from && option->parts[i].means <= to)
            return true;
    return false;
}

const char *recommendation_acquisition(const struct recommend_option *option)
{
    bool rents = has_means(option, RECOMMEND_ON_DEMAND, RECOMMEND_RESERVED_3YR);
    bool buys = has_means(option, RECOMMEND_BOUGHT, RECOMMEND_BOUGHT);

    return rents && buys ? "rent_and_buy" : buys ? "buy" : rents ? "rent" : "in_hand";
}

static bool one_kind(const struct recommend_option *option)
{
    for (size_t i = 1; i < option->n_parts; i++)
        if (option->parts[i].kind != option->parts[0].kind)
            return false;
    return true;
}

const char *recommendation_gpus(const struct recommendation *recommendation,
                                const struct recommend_option *option)
{
    const char *text = recommendation->kinds[option->parts[0].kind].gpu->slug;

    if (one_kind(option))
        return text;
    for (size_t i = 1; i < option->n_parts; i++)
        text = arena_print(recommendation->call->arena, "%s,%s", text,
                           recommendation->kinds[option->parts[i].kind].gpu->slug);
    return text;
}

/* In the order of enum recommend_means: how one comes by them. */
static const char *const means_words[RECOMMEND_MEANS] = {
    "rented by the hour",       "rented as spot", "reserved for a year",
    "reserved for three years", "bought",         "in hand already"};

static const char *phase_text(const struct recommendation *recommendation,
                              const struct recommend_option *option,
                              enum recommend_workload workload)
{
    static const char *const verbs[RECOMMEND_WORKLOADS] = {"train", "fine-tune", "serve"};
    struct arena *arena = recommendation->call->arena;
    const struct recommend_part *part = recommendation_part(option, workload);
    const struct recommend_way *way = recommend_way_of(&recommendation->ask, option, workload);
    const char *time = workload == RECOMMEND_SERVE
                           ? arena_print(arena, "within %.3g s 95 times of 100", way->time.middle)
                           : arena_print(arena, "in %.3g days (%.3g to %.3g)", way->time.middle,
                                         way->time.low, way->time.high);

    return arena_print(arena, "%s %s on %.0f x %s, %s", verbs[workload], time, way->gpu_count,
                       recommendation->kinds[part->kind].gpu->slug, means_words[part->means]);
}

const char *recommendation_sentence(const struct recommendation *recommendation,
                                    const struct recommend_option *option)
{
    struct arena *arena = recommendation->call->arena;
    const char *text = "";

    for (int w = 0; w < RECOMMEND_WORKLOADS; w++)
        if (recommendation->wanted[w])
            text = arena_print(arena, "%s%s%s", text, text[0] ? "; " : "",
                               phase_text(recommendation, option, (enum recommend_workload)w));
    const char *currency = recommendation->call->answer.meta.currency;
    return arena_print(arena,
                       "%s: %.0f %s are paid in %.0f months, %.0f %s with cost of capital "
                       "and resale.",
                       text, option->payments.middle, currency, recommendation->in->horizon_months,
                       option->total.middle, currency);
}

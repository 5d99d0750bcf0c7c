/* growth.c - a load that grows monthly: its size at a time, and the average use and rent of the
 * GPUs that carry its final size. */
#include "api/recommendation/growth.h"
#include "api/resource/query.h"

#include <math.h>

double recommendation_growth_factor(const struct recommendation *recommendation, double month)
{
    return pow(1 + recommendation->in->growth_ratio_per_month, month - 1);
}

bool recommendation_grows(const struct recommendation *recommendation)
{
    return recommendation->in->growth_ratio_per_month > 0;
}

/* The input that states the load; concurrent_requests is filled in if none is given. */
static const struct field *load_field(const struct recommendation *recommendation)
{
    const struct recommendation_in *in = recommendation->in;
    const char *name = !isnan(in->daily_users)           ? "daily_users"
                       : !isnan(in->requests_per_minute) ? "requests_per_minute"
                       : !isnan(in->tokens_per_day)      ? "tokens_per_day"
                                                         : "concurrent_requests";

    return fields_find(recommendation->context->inputs.fields, name);
}

/* The load multiplied by `factor`. */
static double load_of(const struct recommendation *recommendation, double factor)
{
    const struct field *field = load_field(recommendation);
    double load = factor * field_number(field, recommendation->in);

    return field->type == FIELD_COUNT ? ceil(load) : load;
}

bool recommendation_growth_check(struct recommendation *recommendation, struct err *err)
{
    const struct recommendation_in *in = recommendation->in;
    const struct field *field = load_field(recommendation);

    if (isnan(in->growth_ratio_per_month))
        return true;
    if (isnan(field_number(field, in)))
        context_set_number(recommendation->context, field->name, 1, SOURCE_DEFAULT, NULL);
    double last =
        load_of(recommendation, recommendation_growth_factor(recommendation, in->horizon_months));
    return last <= field->max ||
           context_refuse(recommendation->context, err, "growth_ratio_per_month", "out_of_range",
                          "makes %s %.3g after %.0f months, more than %.3g", field->name, last,
                          in->horizon_months, field->max);
}

void recommendation_growth_load(const struct recommendation *recommendation, double factor,
                                struct params *params)
{
    struct arena *arena = recommendation->context->arena;
    double each = recommendation->in->requests_per_user_per_day;

    params->at[params->n++] =
        (struct param){load_field(recommendation)->name,
                       query_number(arena, load_of(recommendation, factor)), PARAM_ANY};
    if (!isnan(each))
        params->at[params->n++] =
            (struct param){"requests_per_user_per_day", query_number(arena, each), PARAM_ANY};
}

struct recommendation_growth recommendation_growth_mean(const struct recommendation *recommendation,
                                                        double replicas)
{
    const double months = recommendation->in->horizon_months;
    double last = recommendation_growth_factor(recommendation, months);
    struct recommendation_growth mean = {0, 0};

    if (!recommendation_grows(recommendation))
        return (struct recommendation_growth){1, 1};
    for (double month = 1; month <= months; month++) {
        double share = recommendation_growth_factor(recommendation, month) / last;
        mean.used += share / months;
        mean.rented += ceil(replicas * share) / replicas / months;
    }
    return mean;
}

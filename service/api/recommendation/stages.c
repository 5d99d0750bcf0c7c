/* stages.c - the upgrade path: what carries a growing load cheapest, and from which
 * month on. Each stage is sized for the load of its last month. */
#include "api/resource/query.h"
#include "api/recommendation/recommendation.h"

#include <math.h>
#include <string.h>

#define TABLE recommendation_stage
#define TABLE_FILE "api/recommendation/stage.def"
#include "base/field/table.h"

const struct fields recommendation_stage_table = FIELDS_INIT(recommendation_stage_rows);

/* At most this many sizings, of a month or a few each. */
enum { STAGES_MAX = 12 };

static double factor_of(const struct recommendation *recommendation, double month)
{
    return pow(1 + recommendation->in->growth_ratio_per_month, month - 1);
}

/* The input that states the load; concurrent_requests is filled in where none is given. */
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

bool recommendation_check_growth(struct recommendation *recommendation, struct err *err)
{
    const struct recommendation_in *in = recommendation->in;
    const struct field *field = load_field(recommendation);
    double last = load_of(recommendation, factor_of(recommendation, in->horizon_months));

    if (isnan(in->growth_ratio_per_month) || last <= field->max)
        return true;
    return context_refuse(recommendation->context, err, "growth_ratio_per_month", "out_of_range",
                          "makes %s %.3g after %.0f months, more than %.3g", field->name, last,
                          in->horizon_months, field->max);
}

static void set_load(struct recommendation *recommendation, double factor, struct params *params)
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

/* The cheapest within the limits; the options come cheapest first. */
static const struct serving_option *cheapest_of(const struct inference_options *service)
{
    for (size_t i = 0; i < service->n_found; i++)
        if (service->found[i].meets_limits && !isnan(service->found[i].cost.per_hour))
            return &service->found[i];
    return NULL;
}

static void fill_stage(struct recommendation_stage *stage, const struct inference_options *service,
                       const struct serving_option *best)
{
    stage->gpu = inference_options_kind_of(service, best)->gpu->slug;
    stage->gpu_count = best->design.gpu_count;
    stage->weight_dtype = inference_options_dtype(service, best);
    stage->cost_per_month = best->cost.per_month;
    stage->latency_p95_seconds_estimate = best->latency.middle;
    stage->plan = inference_options_link(service, best);
}

static bool same_gpus(const struct recommendation_stage *a, const struct recommendation_stage *b)
{
    return a->gpu && b->gpu && strcmp(a->gpu, b->gpu) == 0 && a->gpu_count == b->gpu_count;
}

/* One more; it replaces the one before it where that is the same GPUs for less. */
static size_t append(struct recommendation_stage *stages, size_t n,
                     const struct recommendation_stage *stage)
{
    if (n && same_gpus(&stages[n - 1], stage)) {
        double from = stages[n - 1].from_month;
        stages[n - 1] = *stage;
        stages[n - 1].from_month = from;
        return n;
    }
    stages[n] = *stage;
    return n + 1;
}

bool recommendation_add_stages(struct recommendation *recommendation, struct err *err)
{
    const double months = recommendation->in->horizon_months;
    double each = fmax(1, ceil(months / STAGES_MAX));
    struct recommendation_stage *stages =
        arena_alloc(recommendation->context->arena, STAGES_MAX * sizeof(*stages));
    size_t n = 0;

    for (double from = 1; from <= months; from += each) {
        struct recommendation_stage stage;
        struct params *params = arena_alloc(recommendation->context->arena, sizeof(*params));
        fields_clear(recommendation_stage_fields, &stage);
        stage.from_month = from;
        stage.to_month = fmin(from + each - 1, months);
        stage.load_factor = factor_of(recommendation, stage.to_month);
        set_load(recommendation, stage.load_factor, params);
        struct inference_options *service = recommendation_service(recommendation, params, err);
        if (!service)
            return false;
        if (service->list.n_kinds)
            inference_options_solve(service);
        if (cancelled(recommendation->context->cancel))
            return false;
        const struct serving_option *best = cheapest_of(service);
        if (best)
            fill_stage(&stage, service, best);
        n = append(stages, n, &stage);
    }
    context_table(recommendation->context, "upgrade_path", stages, n, sizeof(*stages));
    return true;
}

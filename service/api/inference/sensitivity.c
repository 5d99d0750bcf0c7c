/* sensitivity.c - /v1/inference-sizing/sensitivity: which inputs affect the size of a service. */
#include "api/analysis/sensitivity.h"

#include "api/inference/sizing.h"
#include "api/routes/resources.h"

#include <math.h>

/* The sizing's inputs come first, so that their table's offsets are valid here too. */
struct inference_sensitivity_in {
    struct inference_sizing_in sizing;
#include "base/field/members.h"
#include "api/analysis/sensitivity_in.def"
#include "base/field/end.h"
};

static const struct field in_rows[] = {
#define FIELDS_OF struct inference_sizing_in
#include "base/field/rows.h"
#include "api/inference/sizing_in.def"
#include "base/field/end.h"
#define FIELDS_OF struct inference_sensitivity_in
#include "base/field/rows.h"
#include "api/analysis/sensitivity_in.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);

#define TABLE inference_sensitivity_out
#define TABLE_FILE "api/inference/sensitivity_out.def"
#include "base/field/table.h"

#define TABLE inference_sensitivity_point
#define TABLE_FILE "api/inference/sensitivity_point.def"
#include "base/field/table.h"

#define TABLE inference_sensitivity_cell
#define TABLE_FILE "api/inference/sensitivity_cell.def"
#include "base/field/table.h"

#define TABLE inference_sensitivity_effect
#define TABLE_FILE "api/inference/sensitivity_effect.def"
#include "base/field/table.h"

/* The load as stated (if it is not, giving it would change what the cost refers to), the limits,
 * uncertain inputs, and the price. The design is chosen again at each end. */
static const struct moved moved[] = {
    {"time_per_output_token_seconds", MOVE_INTERVAL},
    {"requests_per_minute", MOVE_GIVEN},
    {"concurrent_requests", MOVE_GIVEN},
    {"batch_size", MOVE_GIVEN},
    {"tokens_per_day", MOVE_GIVEN},
    {"daily_users", MOVE_GIVEN},
    {"requests_per_user_per_day", MOVE_GIVEN},
    {"peak_to_average_ratio", MOVE_BOTH_WAYS},
    {"latency_p95_seconds", MOVE_BOTH_WAYS},
    {"time_to_first_token_seconds_max", MOVE_BOTH_WAYS},
    {"tokens_per_second_per_user_min", MOVE_BOTH_WAYS},
    {"prefix_cache_ratio", MOVE_RANGE},
    {"memory_utilization", MOVE_ASSUMPTION},
    {"speculative_acceptance_rate", MOVE_ASSUMPTION},
    {"network_gbit_per_second", MOVE_BOTH_WAYS},
    {"price_per_gpu_hour", MOVE_OFFERS},
    /* Last, because a histogram of lengths may be given instead. */
    {"input_tokens", MOVE_BOTH_WAYS},
    {"output_tokens", MOVE_BOTH_WAYS},
};
enum { MOVED = sizeof(moved) / sizeof(moved[0]), LENGTHS = 2 };

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct sensitivity sensitivity = {
        .of = &inference_sizing_resource,
        .points = inference_sensitivity_point_fields,
        .point_size = sizeof(struct inference_sensitivity_point),
        .cells = inference_sensitivity_cell_fields,
        .cell_size = sizeof(struct inference_sensitivity_cell),
        .cells_max = SENSITIVITY_POINTS_MAX, /* one search each, like the points */
        .effects = inference_sensitivity_effect_fields,
        .effect_size = sizeof(struct inference_sensitivity_effect),
        .moved = moved,
        .n_moved = context_given(context, "request_lengths") ? MOVED - LENGTHS : MOVED,
        .held = "",
        .figures = "cost_per_hour,time_per_output_token_seconds,gpu_count",
    };

    (void)input;
    return sensitivity_answer(context, &sensitivity, err);
}

const struct resource inference_sensitivity_resource = {
    .name = "inference_sizing_sensitivity",
    .headline = "cost_per_hour",
    .summary = "What affects the size of a service: its figures over one input, or each in turn",
    .in = &in_fields,
    .in_size = sizeof(struct inference_sensitivity_in),
    .out = &inference_sensitivity_out_fields,
    .tables = {{"points", "point", &inference_sensitivity_point_fields, NULL,
                "With vary: the service at each value"},
               {"cells", "cell", &inference_sensitivity_cell_fields, NULL,
                "With vary and vary_2: the service at each pair of values"},
               {"effects", "effect", &inference_sensitivity_effect_fields, NULL,
                "Without vary: the effect of each input, largest first"}},
    .needs_model = true,
    .takes_model_config = true,
    .listed = true,
    .cost = COST_SHORT,
    .work = "the sizing for every value of the inputs",
    .smaller = "ask for fewer values, or give tensor_parallel and replica_count",
    .answer = answer,
};

/* sensitivity.c - /v1/training-plan/sensitivity: which inputs affect a training plan. */
#include "api/analysis/sensitivity.h"

#include "api/routes/resources.h"
#include "api/training/plan.h"

#include <math.h>

/* The plan's inputs come first, so that their table's offsets are valid here too. */
struct training_sensitivity_in {
    struct training_plan_in plan;
#include "base/field/members.h"
#include "api/analysis/sensitivity_in.def"
#include "base/field/end.h"
};

static const struct field in_rows[] = {
#define FIELDS_OF struct training_plan_in
#include "base/field/rows.h"
#include "api/training/plan_in.def"
#include "base/field/end.h"
#define FIELDS_OF struct training_sensitivity_in
#include "base/field/rows.h"
#include "api/analysis/sensitivity_in.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);

#define TABLE training_sensitivity_out
#define TABLE_FILE "api/training/sensitivity_out.def"
#include "base/field/table.h"

#define TABLE training_sensitivity_point
#define TABLE_FILE "api/training/sensitivity_point.def"
#include "base/field/table.h"

#define TABLE training_sensitivity_cell
#define TABLE_FILE "api/training/sensitivity_cell.def"
#include "base/field/table.h"

#define TABLE training_sensitivity_effect
#define TABLE_FILE "api/training/sensitivity_effect.def"
#include "base/field/table.h"

/* Uncertain inputs, and inputs that can be chosen. */
static const struct moved moved[] = {
    {"step_seconds", MOVE_INTERVAL},     {"goodput", MOVE_ASSUMPTION},
    {"price_per_gpu_hour", MOVE_OFFERS}, {"network_gbit_per_second", MOVE_BOTH_WAYS},
    {"power_limit_w", MOVE_DOWN},        {"global_batch_sequences", MOVE_BOTH_WAYS},
    {"sequence_tokens", MOVE_BOTH_WAYS}, {"gpu_count", MOVE_BOTH_WAYS},
    {"tokens", MOVE_BOTH_WAYS},          {"trainable_ratio", MOVE_BOTH_WAYS},
};

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct sensitivity sensitivity = {
        .of = &training_plan_resource,
        .points = training_sensitivity_point_fields,
        .point_size = sizeof(struct training_sensitivity_point),
        .cells = training_sensitivity_cell_fields,
        .cell_size = sizeof(struct training_sensitivity_cell),
        .cells_max = SENSITIVITY_POINTS_MAX, /* one search each, like the points */
        .effects = training_sensitivity_effect_fields,
        .effect_size = sizeof(struct training_sensitivity_effect),
        .moved = moved,
        .n_moved = sizeof(moved) / sizeof(moved[0]),
        .held = "gpu_count",
        .figures = "total_cost,days,step_seconds",
    };

    (void)input;
    return sensitivity_answer(context, &sensitivity, err);
}

static enum cost cost_of(const void *in)
{
    return ((const struct training_sensitivity_in *)in)->vary ? COST_LONG : COST_SHORT;
}

const struct resource training_sensitivity_resource = {
    .name = "training_plan_sensitivity",
    .headline = "total_cost",
    .summary = "What affects a training plan: its figures over one input, or each input in turn",
    .in = &in_fields,
    .in_size = sizeof(struct training_sensitivity_in),
    .out = &training_sensitivity_out_fields,
    .tables = {{"points", "point", &training_sensitivity_point_fields, NULL,
                "With vary: the plan at each value"},
               {"cells", "cell", &training_sensitivity_cell_fields, NULL,
                "With vary and vary_2: the plan at each pair of values"},
               {"effects", "effect", &training_sensitivity_effect_fields, NULL,
                "Without vary: the effect of each input, largest first"}},
    .needs_model = true,
    .takes_model_config = true,
    .listed = true,
    .cost_of = cost_of,
    .work = "the search of training strategies for every value of the inputs",
    .smaller = "ask for fewer values, or give gpu_count",
    .answer = answer,
};

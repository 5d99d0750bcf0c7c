/* sensitivity.c - /v1/break-even/sensitivity: which inputs change the verdict. */
#include "api/break_even/break_even.h"
#include "api/break_even/plan.h"
#include "api/routes/resources.h"
#include "api/analysis/sensitivity.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* The ledger's inputs come first, so that their table's offsets are valid here too. */
struct break_even_sensitivity_in {
    struct break_even_in question;
#include "base/field/members.h"
#include "api/analysis/sensitivity_in.def"
#include "base/field/end.h"
};

static const struct field in_rows[] = {
#define FIELDS_OF struct break_even_in
#include "base/field/rows.h"
#include "api/break_even/in.def"
#include "base/field/end.h"
#define FIELDS_OF struct ownership
#include "base/field/rows.h"
#include "estimate/ownership/inputs.def"
#include "base/field/end.h"
#define FIELDS_OF struct break_even_sensitivity_in
#include "base/field/rows.h"
#include "api/analysis/sensitivity_in.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);
_Static_assert(offsetof(struct break_even_sensitivity_in, question) == 0,
               "one table describes both structs");

#define TABLE break_even_sensitivity_out
#define TABLE_FILE "api/break_even/sensitivity_out.def"
#include "base/field/table.h"

#define TABLE break_even_sensitivity_point
#define TABLE_FILE "api/break_even/sensitivity_point.def"
#include "base/field/table.h"

#define TABLE break_even_sensitivity_cell
#define TABLE_FILE "api/break_even/sensitivity_cell.def"
#include "base/field/table.h"

#define TABLE break_even_sensitivity_effect
#define TABLE_FILE "api/break_even/sensitivity_effect.def"
#include "base/field/table.h"

/* Inputs that can be chosen, or whose range does not come from the assumptions. */
static const struct moved chosen[] = {
    {"server_price", MOVE_ASSUMPTION},
    {"rent_price_per_gpu_hour", MOVE_OFFERS},
    {"utilization", MOVE_BOTH_WAYS},
    {"horizon_months", MOVE_BOTH_WAYS},
};

/* A known band, or half and double of the caller's own figure; quantities are neither uncertain nor
 * prices.
 */
static enum movement movement_of(const struct request_context *context, const char *input)
{
    const struct assumption *band = catalog_assumption(context->catalog, input, "");

    for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++)
        if (strcmp(chosen[i].input, input) == 0)
            return chosen[i].by;
    return band && band->high > band->low ? MOVE_ASSUMPTION : MOVE_GIVEN;
}

/* All numeric ledger inputs in table order, except the numbers of GPUs and servers. */
static const struct moved *moved_of(struct request_context *context, size_t *n)
{
    struct moved *moved = arena_alloc(context->arena, ownership_fields.n * sizeof(*moved));

    *n = 0;
    for (size_t i = 0; i < ownership_fields.n; i++) {
        const struct field *field = &ownership_fields.at[i];
        if (!field_is_text(field) && !text_in_list("gpu_count,gpus_per_node", field->name))
            moved[(*n)++] = (struct moved){field->name, movement_of(context, field->name)};
    }
    return moved;
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct sensitivity sensitivity = {
        .of = &break_even_resource,
        .points = break_even_sensitivity_point_fields,
        .point_size = sizeof(struct break_even_sensitivity_point),
        .cells = break_even_sensitivity_cell_fields,
        .cell_size = sizeof(struct break_even_sensitivity_cell),
        .cells_max = 2500,
        .effects = break_even_sensitivity_effect_fields,
        .effect_size = sizeof(struct break_even_sensitivity_effect),
        .alone = true, /* a given rent is not discounted; a given card price determines the server
                        * price */
        /* Otherwise it would be 0 as soon as the inputs it summarises are moved. */
        .held = "rental_overhead_ratio",
        /* Otherwise it would be on_demand as soon as a rent is given; for other inputs the cheapest
         * option is chosen at each value, as in the question itself. */
        .held_with = "purchase_option",
        .varied = "rent_price_per_gpu_hour,commitment_discount_ratio,spot_discount_ratio,"
                  "spot_overhead_ratio",
        .figures = "buy_saving,buy_total_cost,rent_total_cost",
        .turns = "verdict",
        .throughout = "_cheaper_throughout",
    };

    (void)input;
    sensitivity.moved = moved_of(context, &sensitivity.n_moved);
    return sensitivity_answer(context, &sensitivity, err);
}

static enum cost cost_of(const void *in)
{
    return break_even_has_workload(in) ? COST_LONG : COST_SHORT;
}

const struct resource break_even_sensitivity_resource = {
    .name = "break_even_sensitivity",
    .headline = "turning_point",
    .summary = "What changes the verdict: over one input, over two, or each input in turn",
    .in = &in_fields,
    .in_size = sizeof(struct break_even_sensitivity_in),
    .out = &break_even_sensitivity_out_fields,
    .tables = {{"points", "point", &break_even_sensitivity_point_fields, NULL,
                "With vary: both sides at each value"},
               {"cells", "cell", &break_even_sensitivity_cell_fields, NULL,
                "With vary and vary_2: both sides at each pair of values"},
               {"effects", "effect", &break_even_sensitivity_effect_fields, NULL,
                "Without vary: the effect of each input, largest first"}},
    .listed = true,
    .cost_of = cost_of,
    .work = "the break-even for every value of the inputs",
    .smaller = "ask for fewer values, or give utilization instead of a workload",
    .answer = answer,
};

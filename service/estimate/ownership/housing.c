/* housing.c - the housing of bought servers, and the costs that follow from it and from their
 * number. */
#include "estimate/ownership/ownership.h"

#include "catalog/required.h"

#include <math.h>
#include <string.h>

/* Defaults are assumptions with these names: in the housing's scope if there is one; otherwise in
 * scope one_server for a server alone; otherwise the figure of a small installation, or that of
 * scope per_node times the servers if that is higher.
 */
static const char *const inputs[] = {"fabric_cost_ratio",
                                     "management_network_cost",
                                     "rack_and_pdu_cost",
                                     "facility_fitout_cost",
                                     "pue",
                                     "colocation_price_per_kw_month",
                                     "remote_hands_cost_month",
                                     "cross_connect_cost_month",
                                     "internet_transit_cost_month",
                                     "staff_fte"};

enum { INPUTS = sizeof(inputs) / sizeof(inputs[0]) };

const char *ownership_housing_input(size_t i)
{
    return i < INPUTS ? inputs[i] : NULL;
}

/* A missing scope would be mistaken for one that costs as much as a small installation. */
static const struct required looked_up[] = {
    {"housing_desk_gpu_max", "", BOUND_VALUE, RANGE_AMOUNT},
    {"housing_own_room_gpu_max", "", BOUND_VALUE, RANGE_AMOUNT},
    {"fabric_cost_ratio", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"fabric_cost_ratio", "one_server", BOUND_VALUE, RANGE_AMOUNT},
    {"management_network_cost", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"rack_and_pdu_cost", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"facility_fitout_cost", "own_room", BOUND_VALUE, RANGE_AMOUNT},
    {"facility_fitout_cost", "own_hall", BOUND_VALUE, RANGE_AMOUNT},
    {"pue", "desk", BOUND_VALUE, RANGE_POSITIVE},
    {"colocation_price_per_kw_month", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"colocation_price_per_kw_month", "own_room", BOUND_VALUE, RANGE_AMOUNT},
    {"colocation_price_per_kw_month", "own_hall", BOUND_VALUE, RANGE_AMOUNT},
    {"remote_hands_cost_month", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"remote_hands_cost_month", "own_room", BOUND_VALUE, RANGE_AMOUNT},
    {"remote_hands_cost_month", "own_hall", BOUND_VALUE, RANGE_AMOUNT},
    {"remote_hands_cost_month", "per_node", BOUND_VALUE, RANGE_AMOUNT},
    {"cross_connect_cost_month", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"cross_connect_cost_month", "own_room", BOUND_VALUE, RANGE_AMOUNT},
    {"cross_connect_cost_month", "own_hall", BOUND_VALUE, RANGE_AMOUNT},
    {"cross_connect_cost_month", "per_node", BOUND_VALUE, RANGE_AMOUNT},
    {"internet_transit_cost_month", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"internet_transit_cost_month", "per_node", BOUND_VALUE, RANGE_AMOUNT},
    {"staff_fte", "desk", BOUND_VALUE, RANGE_AMOUNT},
    {"staff_fte", "per_node", BOUND_VALUE, RANGE_AMOUNT},
};

void ownership_require_housing(struct catalog *catalog)
{
    for (size_t i = 0; i < INPUTS; i++)
        catalog_require(catalog, &(struct required){inputs[i], "", BOUND_VALUE, RANGE_AMOUNT});
    for (size_t i = 0; i < sizeof(looked_up) / sizeof(looked_up[0]); i++)
        catalog_require(catalog, &looked_up[i]);
}

/* A module on a baseboard needs a server room; a card does not. */
static const char *usual_housing(const struct ownership *in, const struct catalog *catalog,
                                 const struct gpu *gpu)
{
    if (gpu->board_gpu_count == 1 &&
        in->gpu_count <= catalog_default(catalog, "housing_desk_gpu_max", ""))
        return "desk";
    return in->gpu_count <= catalog_default(catalog, "housing_own_room_gpu_max", "") ? "own_room"
                                                                                     : "colocation";
}

const struct assumption *ownership_housing_assumption(const struct ownership *in,
                                                      const struct catalog *catalog,
                                                      const char *input)
{
    const struct assumption *row = catalog_assumption(catalog, input, in->housing);

    if (!row && ownership_nodes(in) == 1)
        row = catalog_assumption(catalog, input, "one_server");
    return row ? row : catalog_assumption(catalog, input, "");
}

static double usual_cost(const struct ownership *in, const struct catalog *catalog,
                         const char *input, double nodes)
{
    const struct assumption *row = ownership_housing_assumption(in, catalog, input);

    if (row && row->scope[0] && !isnan(row->value))
        return row->value;
    double small = catalog_default(catalog, input, "");
    double each = catalog_default(catalog, input, "per_node");
    return isnan(each) ? small : fmax(small, each * nodes);
}

bool ownership_fill_housing(struct ownership *in, const struct catalog *catalog,
                            const struct gpu *gpu, struct err *err)
{
    if (!in->housing)
        in->housing = usual_housing(in, catalog, gpu);
    for (size_t i = 0; i < INPUTS; i++) {
        const struct field *field = fields_find(ownership_fields, inputs[i]);
        if (!isnan(field_number(field, in)))
            continue;
        bool staff = strcmp(inputs[i], "staff_fte") == 0;
        double nodes = staff ? ownership_new_nodes(in) : ownership_nodes(in);
        field_set_number(field, in,
                         staff && nodes == 0 ? 0 : usual_cost(in, catalog, inputs[i], nodes));
        if (isnan(field_number(field, in)))
            return err_set(err, ERR_INTERNAL, "the catalogue has no default for %s", inputs[i]);
    }
    return true;
}

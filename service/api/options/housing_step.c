#include "api/options/housing_step.h"

#include <string.h>

bool housing_step_is_taken(const struct ownership *own, const struct gpu *gpu)
{
    return strcmp(own->housing, "own_room") == 0 && gpu->board_gpu_count == 1;
}

void housing_step_warn(struct request_context *context, const struct ownership *own,
                       const char *who, const char *instead)
{
    context_warn(context, "step_to_a_room",
                 "%smore than %.0f cards are assumed to take a room: its fit-out, rack, network, "
                 "transit and %.3g of an engineer come all at once with the next card, whatever "
                 "the cards cost; %s",
                 who, catalog_default(context->catalog, "housing_desk_gpu_max", ""), own->staff_fte,
                 instead);
}

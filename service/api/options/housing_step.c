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

/* "Passive" on the data sheet, as nvidia.com/en-us/data-center/l40s and amd.com's MI210 have it. */
void housing_step_warn_fans(struct request_context *context, const struct gpu *gpu)
{
    if (gpu_is_passive(gpu))
        context_warn(
            context, "no_fans",
            "%s has no fans: under a desk it needs a case made for such cards, which blows "
            "air through them; workstation cards bring their own",
            gpu->slug);
}

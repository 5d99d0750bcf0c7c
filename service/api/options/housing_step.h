/* housing_step.h - warnings about cards under desks: that one more than fits there brings a room
 * with it, and that some have no fans. */
#ifndef API_OPTIONS_HOUSING_STEP_H
#define API_OPTIONS_HOUSING_STEP_H

#include "api/resource/context.h"
#include "estimate/ownership/ownership.h"

/* True if such cards would be under a desk if they were fewer, and are in a room. */
bool housing_step_is_taken(const struct ownership *own, const struct gpu *gpu);
/* Warns of it: `who` begins the sentence ("" or "option 2: "), `instead` says what leaves the
 * room's cost out. */
void housing_step_warn(struct request_context *context, const struct ownership *own,
                       const char *who, const char *instead);
/* Warns of cards under a desk that have no fans of their own. */
void housing_step_warn_fans(struct request_context *context, const struct gpu *gpu);

#endif

/* rent_schedule.h - checks and completes the inputs of options/rent_schedule.def. */
#ifndef API_OPTIONS_RENT_SCHEDULE_H
#define API_OPTIONS_RENT_SCHEDULE_H

#include "api/resource/context.h"
#include "estimate/ownership/rent_schedule.h"

/* Reads the schedule from a request: fills in defaults and warns about inputs that the schedule
 * does not use. Active hours bound peak_to_average_ratio from below, because the whole load falls
 * into them. */
bool rent_schedule_read(struct request_context *context, struct rent_schedule *schedule,
                        struct err *err) MUST_CHECK;

#endif

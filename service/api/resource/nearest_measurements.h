/* nearest_measurements.h - the published runs like a question, as a table of its answer. */
#ifndef API_RESOURCE_NEAREST_MEASUREMENTS_H
#define API_RESOURCE_NEAREST_MEASUREMENTS_H

#include "api/resource/context.h"
#include "estimate/measurement/nearest.h"

/* Add the runs nearest to what was asked as table `nearest_measurements`:
 * NEAREST_MEASUREMENTS_TABLE among the tables. Warns, and returns true, where none is near. */
bool nearest_measurements_answer(struct request_context *context,
                                 const struct nearest_features *asked);
extern const struct fields nearest_measurement_fields;
#define NEAREST_MEASUREMENTS_TABLE                                                    \
    {                                                                                 \
        "nearest_measurements", "measurement", &nearest_measurement_fields, NULL,     \
            "Published runs like this one: what was measured and what we say for it," \
            " nearest first"                                                          \
    }

#endif

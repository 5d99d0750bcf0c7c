/* nearest_measurements.h - the published runs most similar to a question, as a table of its
 * answer. */
#ifndef API_RESOURCE_NEAREST_MEASUREMENTS_H
#define API_RESOURCE_NEAREST_MEASUREMENTS_H

#include "api/resource/context.h"
#include "estimate/measurement/nearest.h"

/* Add table `nearest_measurements`, the runs nearest to the question; put
 * NEAREST_MEASUREMENTS_TABLE among the tables. If none is near, warns and returns true. */
bool nearest_measurements_answer(struct request_context *context,
                                 const struct nearest_features *asked);

/* The published run most similar to an option, and how it differs; NULL and NAN if there is none.
 */
struct nearest_words {
    const char *id, *difference;
    double distance;
    bool near; /* similar enough to support the estimate */
};
struct nearest_words nearest_measurements_words(struct request_context *context,
                                                const struct evidence *evidence,
                                                const struct nearest_features *asked);
#define NEAREST_SET(to, words)                                     \
    do {                                                           \
        (to)->nearest_measurement = (words).id;                    \
        (to)->nearest_measurement_difference = (words).difference; \
        (to)->nearest_measurement_distance = (words).distance;     \
        (to)->near_measurement = (words).near;                     \
    } while (0)
/* Warn that `n_far` of the `n` options, possibly including the first, have no similar run. */
void nearest_measurements_warn(struct request_context *context, size_t n_far, size_t n,
                               bool first_is_far);

extern const struct fields nearest_measurement_fields;
#define NEAREST_MEASUREMENTS_TABLE                                                    \
    {                                                                                 \
        "nearest_measurements", "measurement", &nearest_measurement_fields, NULL,     \
            "Published runs like this one: what was measured and what we say for it," \
            " nearest first"                                                          \
    }

#endif

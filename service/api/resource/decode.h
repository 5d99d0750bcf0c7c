/* decode.h - decodes parameters into an input struct, with complete validation by the field
 * tables. */
#ifndef API_RESOURCE_DECODE_H
#define API_RESOURCE_DECODE_H

#include "api/resource/context.h"

/* A table to decode parameters into; names are looked up in the targets in order. */
struct decode_target {
    struct fields fields;
    void *values;
    struct inputs
        *inputs; /* records which were given and the sources of defaults; NULL if not needed */
};

enum { DECODE_TARGETS_MAX = 3 };

/* Decode each parameter into the target that has its name; unknown, repeated and invalid parameters
 * are all refused together. Missing inputs get their field's default. */
bool decode_params(const struct params *params, const struct decode_target *targets, size_t n,
                   const struct catalog *catalog, struct arena *arena, struct err *err);

/* Compute a table's defaults once for all requests on this catalogue, before it is published, and
 * require the assumptions they come from to be within the fields' ranges. */
void decode_defaults_memoize(struct catalog *catalog, struct fields fields);

/* Initialise `inputs` for a table and its values, with everything unknown. */
void decode_inputs_init(struct inputs *inputs, struct fields fields, void *values,
                        struct arena *arena);

extern const struct fields common_fields, list_fields;

#endif

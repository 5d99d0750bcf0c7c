/* decode.h - parameters into an input struct, checked once and completely by the field tables. */
#ifndef API_RESOURCE_DECODE_H
#define API_RESOURCE_DECODE_H

#include "api/resource/context.h"

/* The tables a request is read by, in the order names are looked up. */
struct decode_target {
    struct fields fields;
    void *values;
    struct inputs
        *inputs; /* records what was given and where defaults came from; NULL: not needed */
};

enum { DECODE_TARGETS_MAX = 3 };

/* Read every parameter into the target that knows its name, refusing unknown, repeated and
 * unusable ones all together; what is not said is as each field's fallback has it. */
bool decode_params(const struct params *params, const struct decode_target *targets, size_t n,
                   const struct catalog *catalog, struct arena *arena, struct err *err);

/* Compute a table's defaults once for all requests on this catalogue, and require the
 * assumptions they come from, within the fields' ranges; before it is published. */
void decode_defaults_memoize(struct catalog *catalog, struct fields fields);

/* Start `inputs` for a table and its values, everything unknown. */
void decode_inputs_init(struct inputs *inputs, struct fields fields, void *values,
                        struct arena *arena);

extern const struct fields common_fields, list_fields;

#endif

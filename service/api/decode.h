/* decode.h - parameters into an input struct, checked once and completely by the field tables. */
#ifndef API_DECODE_H
#define API_DECODE_H

#include "api/call.h"

/* The tables a request is read by, in the order names are looked up. */
struct decode_target {
    struct fields fields;
    void *values;
    struct inputs
        *inputs; /* notes what was given and where defaults came from; NULL: nobody asks */
};

/* Read every parameter into the target that knows its name, refusing unknown, repeated and
 * unusable ones all together, then fill the gaps by each field's fallback. */
bool decode_params(const struct params *params, const struct decode_target *targets, size_t n,
                   const struct catalog *catalog, struct arena *arena, struct err *err);

/* Start `inputs` for a table and its values, everything unknown. */
void decode_inputs_init(struct inputs *inputs, struct fields fields, void *values,
                        struct arena *arena);

extern const struct fields common_fields, list_fields;

#endif

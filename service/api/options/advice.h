/* advice.h - what to look after when a design is run, where it applies, with its source: a table of
 * the answer. */
#ifndef API_OPTIONS_ADVICE_H
#define API_OPTIONS_ADVICE_H

#include "api/resource/context.h"

/* What decides which advice applies. */
struct advice_about {
    const struct gpu *gpu;
    bool over_servers; /* GPUs that work together are in several */
    bool trains;       /* else it serves */
    bool graphs;       /* by an engine that replays CUDA graphs unless told otherwise */
};

/* Add it as table `advice`: ADVICE_TABLE among the tables. */
void advice_answer(struct request_context *context, const struct advice_about *about);

extern const struct fields advice_fields;
#define ADVICE_TABLE                              \
    {                                             \
        "advice", "advice", &advice_fields, NULL, \
            "What to look after when it is run,"  \
            " where that applies"                 \
    }

#endif

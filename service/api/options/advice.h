/* advice.h - advice for running a design, where applicable, with its source: a table of the
 * answer. */
#ifndef API_OPTIONS_ADVICE_H
#define API_OPTIONS_ADVICE_H

#include "api/resource/context.h"

/* What determines which advice applies. */
struct advice_about {
    const struct gpu *gpu;
    bool over_servers;      /* GPUs that work together are in several servers */
    bool trains;            /* otherwise it serves */
    bool recomputes_layers; /* some layers entirely, as many as the search found necessary */
    bool recomputes_all;    /* all of them, by the default of trainers */
    bool graphs;            /* the engine replays CUDA graphs by default */
};

/* Add table `advice`; put ADVICE_TABLE among the resource's tables. */
void advice_answer(struct request_context *context, const struct advice_about *about);

extern const struct fields advice_fields;
#define ADVICE_TABLE                              \
    {                                             \
        "advice", "advice", &advice_fields, NULL, \
            "What to look after when it is run,"  \
            " where that applies"                 \
    }

#endif

/* shared_warnings.h - the warnings of several answers in one, each given once. */
#ifndef API_OPTIONS_SHARED_WARNINGS_H
#define API_OPTIONS_SHARED_WARNINGS_H

#include "api/resource/context.h"

struct shared_warnings_of {
    const char *name;            /* what it answers for, such as a GPU */
    const struct answer *answer; /* NULL if there is none */
};

/* What all answers say is given as it is. Of others of one code the first is given with its name
 * and the names of the rest; `where` says where their own figures are. */
void shared_warnings_repeat(struct request_context *context, const struct shared_warnings_of *of,
                            size_t n, const char *where);

#endif

/* admit.h - access control: a request that changes something needs a token. */
#ifndef API_ADMIT_H
#define API_ADMIT_H

#include "api/resource/context.h"

/* Checks that the client may write, and sets context->writer to its name. If `authorization` is
 * NULL, writing is disabled. */
bool admit_request(struct request_context *context, const struct authorization *authorization,
                   struct err *err);

#endif

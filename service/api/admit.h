/* admit.h - access control: a request that changes something needs a token. */
#ifndef API_ADMIT_H
#define API_ADMIT_H

#include "api/resource/context.h"

/* Whether the client may write, and its name (context->writer); `access` NULL: writing is off. */
bool admit_request(struct request_context *context, const struct authorization *authorization,
                   struct err *err);

#endif

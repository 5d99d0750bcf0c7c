/* admit.h - access control: a request that changes something needs a token. */
#ifndef API_ADMIT_H
#define API_ADMIT_H

#include "api/resource/call.h"

/* Whether who asks may, and who that is (call->writer); `access` NULL: nobody may write. */
bool admit_call(struct call *call, const struct access *access, struct err *err);

#endif

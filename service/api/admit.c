#include "api/admit.h"

bool admit_call(struct call *call, const struct access *access, struct err *err)
{
    char *who = arena_alloc(call->arena, ACCESS_NAME_SIZE);

    if (!call->resource->writes)
        return true;
    call->writer = who;
    switch (access ? access->check(access->context, call->request->authorization,
                                   call->resource->scope, who)
                   : ACCESS_OFF) {
    case ACCESS_GRANTED:
        return true;
    case ACCESS_OFF:
        return err_set(err, ERR_FORBIDDEN,
                       "writing is switched off here: to switch it on, set "
                       "GPUPLAN_WRITE_TOKENS_FILE to a file with a line per writer, a name and the "
                       "SHA-256 of the token, and start the daemon again");
    case ACCESS_MISSING:
        return err_set(err, ERR_UNAUTHORIZED, "send your token: Authorization: Bearer TOKEN");
    case ACCESS_EXPIRED:
        return err_set(err, ERR_UNAUTHORIZED, "the token has expired: ask for a new one");
    case ACCESS_OTHER_SCOPE:
        return err_set(err, ERR_FORBIDDEN, "your token is not for this: ask for one that is");
    case ACCESS_WRONG:
        break;
    }
    return err_set(
        err, ERR_UNAUTHORIZED,
        "the token is not one of those that may write: send Authorization: Bearer TOKEN");
}

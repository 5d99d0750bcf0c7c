#include "api/admit.h"

bool admit_request(struct request_context *context, const struct authorization *authorization,
                   struct err *err)
{
    char *who = arena_alloc(context->arena, AUTHORIZATION_NAME_SIZE);
    enum authorization_verdict verdict = AUTHORIZATION_OFF;

    if (!context->resource->writes)
        return true;
    context->writer = who;
    if (authorization)
        verdict = authorization->check(authorization->context, context->request->authorization,
                                       context->resource->scope, who);
    switch (verdict) {
    case AUTHORIZATION_GRANTED:
        return true;
    case AUTHORIZATION_OFF:
        return err_set(err, ERR_FORBIDDEN,
                       "writing is disabled on this server: to enable it, set "
                       "GPUPLAN_WRITE_TOKENS_FILE to a file with one line per writer (a name and "
                       "the SHA-256 of the token), then restart the daemon");
    case AUTHORIZATION_MISSING:
        return err_set(err, ERR_UNAUTHORIZED, "send your token: Authorization: Bearer TOKEN");
    case AUTHORIZATION_EXPIRED:
        return err_set(err, ERR_UNAUTHORIZED, "the token has expired: ask for a new one");
    case AUTHORIZATION_OTHER_SCOPE:
        return err_set(err, ERR_FORBIDDEN, "your token does not allow this: ask for one that does");
    case AUTHORIZATION_WRONG:
        break;
    }
    return err_set(err, ERR_UNAUTHORIZED,
                   "this token may not write: send Authorization: Bearer TOKEN");
}

/* reply.h - replies of the server itself: refusals before or instead of a handler's reply. */
#ifndef HTTP_REPLY_H
#define HTTP_REPLY_H

#include "http/request.h"

/* Forget what the reply holds and make it a problem (RFC 9457). `detail` is static text, without
 * quotes, that says what would be right. */
void reply_refuse(struct reply *reply, int status, const char *detail);

#endif

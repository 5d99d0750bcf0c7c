/* reply.h - the server's own replies: errors sent before or instead of a handler's reply. */
#ifndef HTTP_REPLY_H
#define HTTP_REPLY_H

#include "http/request.h"

/* Replace the reply with a problem document (RFC 9457). `detail` is static text, without quotes,
 * that says what would be right. */
void reply_refuse(struct reply *reply, int status, const char *detail);

#endif

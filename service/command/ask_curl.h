/* ask_curl.h - what a running daemon replies, fetched by curl(1). */
#ifndef COMMAND_ASK_CURL_H
#define COMMAND_ASK_CURL_H

#include "base/err.h"
#include "http/request.h"

/* GET the address; the reply has the status and the body. False where nobody answered. */
bool ask_curl(const char *address, struct reply *reply, struct err *err) MUST_CHECK;
/* POSTs a form; the token is not visible in the process list. */
bool ask_curl_post(const char *address, const char *token, const char *form, struct reply *reply,
                   struct err *err) MUST_CHECK;

#endif

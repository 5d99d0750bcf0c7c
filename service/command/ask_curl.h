/* ask_curl.h - requests to a running daemon by curl(1). */
#ifndef COMMAND_ASK_CURL_H
#define COMMAND_ASK_CURL_H

#include "base/err.h"
#include "http/request.h"

/* GET the address; fills in status and body of the reply. False if there was no response. */
bool ask_curl(const char *address, struct reply *reply, struct err *err) MUST_CHECK;
/* POST a form; the token is not visible in the process list. */
bool ask_curl_post(const char *address, const char *token, const char *form, struct reply *reply,
                   struct err *err) MUST_CHECK;

#endif

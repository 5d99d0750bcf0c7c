/* accept.h - the format an Accept header asks for (RFC 9110, 12.5.1). */
#ifndef API_ACCEPT_H
#define API_ACCEPT_H

#include "answer/answer.h"

/* The most wanted of our formats, the first named among equals; wildcards mean JSON, and so does an
 * empty header. ERR_NOT_ACCEPTABLE where none of ours is among them. */
bool accept_choose(const char *accept, enum format *format, struct err *err);

#endif

/* accept.h - chooses the output format from an Accept header (RFC 9110, 12.5.1). */
#ifndef API_ACCEPT_H
#define API_ACCEPT_H

#include "answer/answer.h"

/* Chooses the supported format with the highest quality, the first one listed if equal. Wildcards
 * and an empty header mean JSON. ERR_NOT_ACCEPTABLE if no supported format is accepted. */
bool accept_choose(const char *accept, enum format *format, struct err *err);

#endif

/* problem.h - errors as RFC 9457 problem+json, or as one line where a spreadsheet asked for that.
 */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include "base/err.h"
#include "http/request.h"

void problem_reply(const struct err *err, const struct request *request, struct reply *reply);
/* Status 200 and a line ERROR ..., for on_error=text. */
void problem_reply_text(const struct err *err, struct reply *reply);

#endif

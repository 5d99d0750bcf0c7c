/* problem.h - errors as RFC 9457 problem+json, as an HTML page, or as one line for a spreadsheet
 * cell. */
#ifndef API_RESOURCE_PROBLEM_H
#define API_RESOURCE_PROBLEM_H

#include "base/err.h"
#include "base/params.h"
#include "http/request.h"

struct resource;

/* `current` is the address of the same question with today's formulas, or NULL. */
void problem_reply(const struct err *err, const struct request *request, const char *current,
                   struct reply *reply);
/* The same as a page; `form` as in answer_problem_page(). */
void problem_reply_page(const struct err *err, const struct request *request, const char *form,
                        struct reply *reply);
/* Status 200 with a line ERROR ..., for on_error=text. */
void problem_reply_text(const struct err *err, struct reply *reply);

/* Rewrites the culprits of an error to name fields of the request body. */
void problem_point_into_body(struct err *err, const struct params *params);

/* Adds the resource's hint (`body_hint`) if the error shows that the body was meant for something
 * else. */
void problem_hint(struct err *err, const struct resource *resource);

#endif

/* query.h - turns parameters into a question: decoded by the field tables, checked, dated. Used for
 * the request itself and for addresses contained in a request.
 */
#ifndef API_RESOURCE_QUERY_H
#define API_RESOURCE_QUERY_H

#include "api/resource/context.h"

/* Precompute what every question reads from a catalogue, before it is published; false, naming
 * them, if it lacks required assumptions. */
bool query_prepare(struct catalog *catalog, const struct catalog *former,
                   struct err *err) MUST_CHECK;

/* Fill in inputs, common, list and the day of a context whose resource, catalogue, arena and today
 * are set, and select the catalogue view of that day and currency; as_of and currency may hold
 * defaults. All culprits are collected. */
bool query_decode(struct request_context *context, const struct params *params,
                  struct err *err) MUST_CHECK;
/* Refuse other versions of the formulas, and currencies without a rate. */
bool query_check(const struct request_context *context, struct err *err) MUST_CHECK;
/* Initialise the answer with the fields common to all answers. */
void query_start(struct request_context *context);

/* A number as a parameter, with enough digits to read back exactly. */
const char *query_number(struct arena *arena, double number);
/* Add an input of the request as parameter `as` of another question. */
bool query_hand_on(struct request_context *context, const struct field *field, const char *as,
                   struct params *params, struct err *err) MUST_CHECK;
/* A question to another resource with these parameters and the same day and model_config: decoded,
 * not answered. In the arena; NULL if the parameters are refused. */
struct request_context *query_ask(const struct request_context *context,
                                  const struct resource *resource, const struct params *params,
                                  struct err *err);

#endif

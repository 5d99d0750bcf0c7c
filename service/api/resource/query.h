/* query.h - what makes a question of parameters: read by the field tables, checked, dated. The
 * same for the request itself and for an address that a request holds.
 */
#ifndef API_RESOURCE_QUERY_H
#define API_RESOURCE_QUERY_H

#include "api/resource/context.h"

/* Work out what questions read of a catalogue every time, before it is published; false, naming
 * them, where it lacks assumptions that answers need. */
bool query_prepare(struct catalog *catalog, struct err *err) MUST_CHECK;

/* Fill inputs, common, list and the day of a call whose resource, catalogue, arena and today are
 * there, and have the catalogue seen on that day in the currency asked for; as_of and currency may
 * hold what to take where none is given. Every culprit is collected. */
bool query_decode(struct request_context *context, const struct params *params,
                  struct err *err) MUST_CHECK;
/* Refuse another version of the formulas, and currencies without a rate. */
bool query_check(const struct request_context *context, struct err *err) MUST_CHECK;
/* The answer as it starts, with what every answer carries. */
void query_start(struct request_context *context);

/* A number as a parameter, with digits enough to come back as the same. */
const char *query_number(struct arena *arena, double number);
/* Add an input of the call, as parameter `as` of another question. */
bool query_hand_on(struct request_context *context, const struct field *field, const char *as,
                   struct params *params, struct err *err) MUST_CHECK;
/* The question of another resource with these parameters, of the same day and model_config: read,
 * not answered. In the arena; NULL where they are refused. */
struct request_context *query_ask(const struct request_context *context,
                                  const struct resource *resource, const struct params *params,
                                  struct err *err);

#endif

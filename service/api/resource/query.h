/* query.h - what makes a question of parameters: read by the field tables, checked, dated. The
 * same for the request itself and for an address that a request holds.
 */
#ifndef API_RESOURCE_QUERY_H
#define API_RESOURCE_QUERY_H

#include "api/resource/call.h"

/* Work out what questions read of a catalogue every time, before it is published; false, naming
 * them, where it lacks assumptions that answers need. */
bool query_prepare(struct catalog *catalog, struct err *err) MUST_CHECK;

/* Fill inputs, common, list and the day of a call whose resource, catalogue, arena and today are
 * there, and have the catalogue seen on that day in the currency asked for; as_of and currency may
 * hold what to take where none is given. Every culprit is collected. */
bool query_decode(struct call *call, const struct params *params, struct err *err) MUST_CHECK;
/* Refuse another version of the formulas, and currencies without a rate. */
bool query_check(const struct call *call, struct err *err) MUST_CHECK;
/* The answer as it starts, with what every answer carries. */
void query_start(struct call *call);

/* A number as a parameter, with digits enough to come back as the same. */
const char *question_number(struct arena *arena, double number);
/* Add an input of the call, as parameter `as` of another question. */
bool question_hand_on(struct call *call, const struct field *field, const char *as,
                      struct params *params, struct err *err) MUST_CHECK;
/* The question of another resource with these parameters, of the same day and model_config: read,
 * not answered. In the arena; NULL where they are refused. */
struct call *query_ask(const struct call *call, const struct resource *resource,
                       const struct params *params, struct err *err);

#endif

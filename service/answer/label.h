/* label.h - human-readable names of fields: the label, or words made from the field name. */
#ifndef ANSWER_LABEL_H
#define ANSWER_LABEL_H

#include "base/buf.h"
#include "base/arena.h"

/* Prints the field's label if it has one. Otherwise lead_time_months in months becomes "Lead time":
 * words that the unit implies are dropped. */
void label_print(struct buf *out, const char *name, const char *unit);

/* The same, allocated in the arena, in lower case for use within a sentence: "lead time". */
const char *label_words(struct arena *arena, const char *name, const char *unit);
/* Capitalized, with the unit if the words do not include it: "Rent per GPU-hour, USD". */
const char *label_axis(struct arena *arena, const char *name, const char *unit);

#endif

/* label.h - a field's name in the words a person uses: its label, else the words of the name. */
#ifndef ANSWER_LABEL_H
#define ANSWER_LABEL_H

#include "base/buf.h"
#include "base/arena.h"

/* Its label, where there is one; else lead_time_months in months as "Lead time": what the unit says
 * is left out. */
void label_print(struct buf *out, const char *name, const char *unit);

/* The same in the arena, to stand within a sentence: "lead time". */
const char *label_words(struct arena *arena, const char *name, const char *unit);
/* With a capital, and the unit where the words do not say it: "Rent per GPU-hour, USD". */
const char *label_axis(struct arena *arena, const char *name, const char *unit);

#endif

/* label.h - a field's name in the words a person uses: its label, else the words of the name. */
#ifndef ANSWER_LABEL_H
#define ANSWER_LABEL_H

#include "base/buf.h"
#include "base/arena.h"

#include <stdbool.h>

/* With a capital the label of the contract, where there is one; else lead_time_months in months as
 * "lead time": what the unit says is left out. */
void label_print(struct buf *out, const char *name, const char *unit, bool capital);

/* The same in the arena. */
const char *label_words(struct arena *arena, const char *name, const char *unit);
/* With a capital, and the unit where the words do not say it: "Rent per GPU-hour, USD". */
const char *label_axis(struct arena *arena, const char *name, const char *unit);

#endif

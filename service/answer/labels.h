/* labels.h - display names and form hints: what a person reads in place of a field's name. */
#ifndef ANSWER_LABELS_H
#define ANSWER_LABELS_H

#include "base/buf.h"

/* Add the label of the field called `name`, such as "GPUs per node"; false, adding nothing, where
 * labels_in.def and labels_out.def have none. */
bool labels_print(struct buf *out, const char *name);
/* A hint for filling in the input, NULL if no input has that name. */
const char *labels_hint(const char *name);

#endif

/* labels.h - display names of fields and form hints. */
#ifndef ANSWER_LABELS_H
#define ANSWER_LABELS_H

#include "base/buf.h"

/* Print the field's label, such as "GPUs per node". Returns false and prints nothing if
 * labels_in.def and labels_out.def have no such field. */
bool labels_print(struct buf *out, const char *name);
/* A hint for filling in the input, or NULL if no input has that name. */
const char *labels_hint(const char *name);

#endif

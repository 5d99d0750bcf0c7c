/* compare.h - two answers of one resource: side by side, and why they differ.
 *
 * Each side is a question of its own, with its own as_of, answered here as it is at its own path.
 */
#ifndef API_ANALYSIS_COMPARE_H
#define API_ANALYSIS_COMPARE_H

#include "api/resource/difference.h"

struct compare_step {
#include "base/field/members.h"
#include "api/analysis/compare_step.def"
#include "base/field/end.h"
};

/* The steps from a to b, in the order they are made. */
struct compare_steps {
    struct compare_step *at;
    size_t n;
};

/* The question at the path and query in parameter `name`, a or b; its culprits are said of that
 * parameter. */
bool compare_read(struct request_context *context, const char *name, const char *address,
                  struct request_context **question, struct err *err) MUST_CHECK;
/* Answer it once more; NULL where it is refused, likewise. */
struct request_context *compare_answer(struct request_context *context, const char *name,
                                       const struct request_context *question, struct err *err);

/* The figure to take apart where the resource's headline has no value; NULL where answers of it
 * cannot be compared. */
const char *compare_otherwise(const struct resource *resource);

/* Take the difference of the figure apart: change what differs from a to b, one after another: the
 * day first, then the inputs in the order of their table. What cannot be changed by itself (a model
 * instead of a number of parameters) waits for the others. The work is bounded: at most twice as
 * many answers as inputs that differ, and one. Nothing where the figure is unknown on a side. */
void difference_attribution(struct comparison *comparison, struct compare_steps *steps);

#endif

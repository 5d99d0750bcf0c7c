/* compare.h - compares two answers of one resource and attributes their difference to inputs.
 *
 * Each side is a question of its own, with its own as_of, answered as it would be at its own path.
 */
#ifndef API_ANALYSIS_COMPARE_H
#define API_ANALYSIS_COMPARE_H

#include "api/resource/difference.h"

struct compare_step {
#include "base/field/members.h"
#include "api/analysis/compare_step.def"
#include "base/field/end.h"
};

/* The steps from a to b, in the order of attribution. */
struct compare_steps {
    struct compare_step *at;
    size_t n;
};

/* Parse the question from the path and query in parameter `name`, a or b; culprits name that
 * parameter. */
bool compare_read(struct request_context *context, const char *name, const char *address,
                  struct request_context **question, struct err *err) MUST_CHECK;
/* Answer the question again; NULL if it is refused, with culprits as above. */
struct request_context *compare_answer(struct request_context *context, const char *name,
                                       const struct request_context *question, struct err *err);

/* The figure to attribute if the resource's headline has no value; NULL if its answers cannot be
 * compared. */
const char *compare_otherwise(const struct resource *resource);

/* Attribute the difference of the figure to the inputs that differ, by changing them from a to b
 * one at a time: first the day, then the name in the path, then the inputs in table order. An input
 * that cannot change alone (a model in place of a number of parameters) is changed together with
 * later ones. With n differing inputs this takes at most 2 n + 1 answers. There are no steps if the
 * figure is unknown on either side. */
void difference_attribution(struct comparison *comparison, struct compare_steps *steps);

#endif

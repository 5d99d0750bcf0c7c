/* plan_extras.h - costs of a training in addition to its GPU-hours, and its interruptions on spot
 * instances. */
#ifndef API_TRAINING_PLAN_EXTRAS_H
#define API_TRAINING_PLAN_EXTRAS_H

#include "api/training/plan.h"

/* Read the additional costs, once job and goal are set. */
bool training_question_set_extras(struct training_question *question, struct err *err) MUST_CHECK;
/* The same goal on spot instances at that book's prices; and the expected number of reclaims of
 * spot instances during the run, NAN if not on spot. */
struct training_goal training_question_on_spot(const struct training_question *question,
                                               const struct price_book *book);
double training_question_interruptions(const struct training_question *question);

#endif

/* plan_goodput.h - goodput, the fraction of time that advances a training: given, or from the
 * failure model.
 */
#ifndef API_TRAINING_PLAN_GOODPUT_H
#define API_TRAINING_PLAN_GOODPUT_H

#include "api/training/plan.h"

/* Goodput: refuse it together with the inputs it is computed from; whether it is computed; the
 * failure model's expectation for n GPUs, used if it is; a warning if a given value is better than
 * the model's worst case. */
bool training_question_check_goodput(struct training_question *question,
                                     struct err *err) MUST_CHECK;
bool training_question_computes_goodput(const struct training_question *question);
void training_question_set_goodput(struct training_question *question, double gpu_count);
void training_question_warn_goodput(struct training_question *question);

#endif

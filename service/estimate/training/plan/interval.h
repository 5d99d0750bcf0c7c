/* interval.h - the 80 % interval of a step's time, as factors of the estimate.
 */
#ifndef ESTIMATE_TRAINING_PLAN_INTERVAL_H
#define ESTIMATE_TRAINING_PLAN_INTERVAL_H

#include "estimate/training/plan/search.h"

struct training_interval {
    double low, high;
};

/* `of_published` is the interval of what published runs of the same question take, if the plan's
 * division or recomputation was searched: they rarely have the fastest. Otherwise it is that of a
 * run with the plan's own settings. */
struct training_interval training_interval_of(const struct training_job *job,
                                              const struct training_plan *plan,
                                              const struct training_phases *phases,
                                              bool of_published);

#endif

/* training_run.h - a published training step as the question that its estimate answers. */
#ifndef ESTIMATE_MEASUREMENT_TRAINING_RUN_H
#define ESTIMATE_MEASUREMENT_TRAINING_RUN_H

#include "catalog/catalog.h"
#include "estimate/training/plan/search.h"

/* Its job points into it: it is filled where it stays. */
struct training_run {
    struct gpu gpu;
    struct model model;
    struct training_job job;
    struct training_strategy pinned; /* what was not stated is left to the search */
};

/* Fill it from what the run states, with these constants; false where catalogue or estimate know a
 * name not. */
bool training_run_read(const struct measurement *measured, const struct catalog *catalog,
                       const struct training_constants *constants, struct training_run *run,
                       struct err *err) MUST_CHECK;

#endif

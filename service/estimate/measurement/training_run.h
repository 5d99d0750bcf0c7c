/* training_run.h - converts a published training step to the question that its estimate answers. */
#ifndef ESTIMATE_MEASUREMENT_TRAINING_RUN_H
#define ESTIMATE_MEASUREMENT_TRAINING_RUN_H

#include "catalog/catalog.h"
#include "estimate/training/plan/search.h"

/* Its job contains pointers into the struct itself, so it must not be moved or copied. */
struct training_run {
    struct gpu gpu;
    struct model model;
    struct training_job job;
    struct training_strategy pinned; /* what was not stated is left to the search */
};

/* Fill it in from the run's statements, with these constants; false if catalogue or estimate do not
 * know a name. */
bool training_run_read(const struct measurement *measured, const struct catalog *catalog,
                       const struct training_constants *constants, struct training_run *run,
                       struct err *err) MUST_CHECK;

#endif

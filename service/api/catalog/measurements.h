/* measurements.h - the answer row of a measured run. */
#ifndef API_CATALOG_MEASUREMENTS_H
#define API_CATALOG_MEASUREMENTS_H

#include "api/catalog/own_runs.h"

struct measurement_row {
#include "base/field/members.h"
#include "api/catalog/measurement_row.def"
#include "base/field/end.h"
};
extern const struct fields measurement_row_fields;

/* The row's texts are borrowed from the run. */
struct measurement_row measurement_row_of(const struct measurement *run,
                                          const struct evidence_estimate *estimate);

#endif
